// One call at a time per transform, and the OpenGL context during a call.
#include "log.h"
#include "transform_struct.h"

bool wp_transform_check_null(const struct wp_transform *t)
{
    return t || wp_fail(WP_ERROR_USAGE, "the transform is NULL"
                        "\nhint: wp_transform_create() returns NULL after an error");
}

bool wp_transform_lock(struct wp_transform *t)
{
    if (!wp_transform_check_null(t))
        return false;
    return !atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire) ||
           wp_fail(WP_ERROR_USAGE, "the transform is in use by another thread"
                   "\nhint: create one transform per thread, or take turns");
}

bool wp_transform_unlock(struct wp_transform *t, bool ok)
{
    atomic_flag_clear_explicit(&t->busy, memory_order_release);
    return ok;
}

void wp_transform_enter(const struct wp_transform *t, bool dispatches,
                        struct wp_textures_scope *scope)
{
    const bool uses_gl = t->choice.backend && t->choice.backend->gl;
    wp_textures_enter(scope, t->external_context, uses_gl, dispatches);
}
