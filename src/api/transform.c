#include "log.h"
#include "memory.h"
#include "transform_struct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wp_version(void)
{
    return WAVEPASS_VERSION;
}

static bool choose(struct wp_transform *t, const struct wp_transform_chooser *chooser)
{
    t->default_kind = t->description.kind;
    t->default_form = t->description.form;
    t->default_variant = t->variant;
    chooser->choose(chooser->user, &t->choice, &t->description, &t->variant);
    if (t->default_kind != t->description.kind || t->default_form != t->description.form ||
        t->default_variant != t->variant)
        t->capture = chooser->capture;
    return wp_description_check(&t->description);
}

struct wp_transform *wp_transform_create(const struct wp_transform_params *given)
{
    struct wp_transform_params params;
    return wp_transform_read_params(given, &params) ? wp_transform_create_chosen(&params, NULL)
                                                    : NULL;
}

static enum wp_in_software software_of(const struct wp_transform *t,
                                       const struct wp_transform_params *given)
{
    const bool half = t->description.precision == WP_PRECISION_F16;
    return wp_backend_in_software(given->scheme || given->variant || half, t->depth > 1);
}

static bool open_backend(struct wp_transform *t, const struct wp_transform_params *given,
                         const struct wp_transform *shared)
{
    if (shared) {
        t->choice = shared->choice;
        t->shares_device = true;
        return true;
    }
    const char *name = given->backend ? given->backend : "auto";
    if (!given->current_context)
        return wp_backend_open_for(&t->description, name, given->device - 1,
                                   software_of(t, given), &t->choice);
    if (given->device != 0)
        return wp_fail(WP_ERROR_USAGE,
                       "device %d and the current OpenGL context exclude each other",
                       given->device - 1);
    t->external_context = wp_textures_open(name, &t->choice);
    return t->external_context != NULL;
}

static bool open(struct wp_transform *t, const struct wp_transform_params *given,
                 const struct wp_transform_chooser *chooser)
{
    return open_backend(t, given, chooser ? chooser->shared : NULL) &&
           wp_backend_check_precision(t->choice.backend, t->description.precision) &&
           (!t->description.reversible || wp_backend_check_reversible(t->choice.backend)) &&
           wp_backend_check_bank(t->choice.backend, t->description.bank) &&
           wp_backend_find_variant(t->choice.backend, given->variant, &t->description,
                                   &t->variant) &&
           // Measured are transforms of backends.
           (!chooser || wp_description_taps(&t->description) > 0 ||
            t->description.bank != WP_BANK_DECIMATED || choose(t, chooser)) &&
           wp_transform_fill_info(t);
}

// True if the backend may use OpenGL; `auto` may open and close OpenGL backends. If not, EGL is not
// queried for its current context, since the first call of EGL loads the drivers.
static bool may_use_gl(const char *backend)
{
    bool gl = !backend || strcmp(backend, "auto") == 0;
    for (int i = 0; backend && wp_backends[i]; i++)
        gl = gl || (strcmp(backend, wp_backends[i]->name) == 0 && wp_backends[i]->gl);
    return gl;
}

// Copies what the description of packets refers to.
static bool copy_packets(struct wp_transform *t)
{
    struct wp_description *d = &t->description;
    if (d->bank != WP_BANK_PACKETS)
        return true;
    const size_t digits = d->tree ? strlen(d->tree) : 0, leaves = (size_t)wp_packet_leaves(d);
    t->tree = wp_allocate(digits + 1, 1, "a tree");
    t->nodes = t->tree ? wp_allocate(leaves, sizeof *t->nodes, "names of packets") : NULL;
    if (!t->nodes)
        return false;
    if (d->tree)
        d->tree = memcpy(t->tree, d->tree, digits + 1);
    struct wp_packet_walk walk = {.description = d};
    for (size_t i = 0; wp_packet_next(&walk);)
        if (!walk.split)
            wp_packet_name(d, &walk.node, t->nodes[i++]);
    return true;
}

struct wp_transform *wp_transform_create_chosen(const struct wp_transform_params *given,
                                                const struct wp_transform_chooser *chooser)
{
    struct wp_textures_scope scope;
    struct wp_transform *t = wp_allocate(1, sizeof *t, "a transform");
    if (!t)
        return NULL;
    atomic_flag_clear(&t->busy);
    wp_textures_enter(&scope, NULL, !given->current_context && may_use_gl(given->backend), false);
    const bool ok = wp_transform_read(given, t) && copy_packets(t) && open(t, given, chooser);
    scope.external_context = t->external_context;
    if (!ok) {
        wp_transform_destroy(&t);
        scope.external_context = NULL;
    }
    wp_textures_leave(&scope);
    return t;
}

void wp_transform_rest(struct wp_transform *t)
{
    struct wp_textures_scope scope;
    if (!wp_transform_lock(t))
        return;
    wp_transform_enter(t, false, &scope);
    wp_transform_release(t);
    wp_textures_leave(&scope);
    wp_transform_unlock(t, true);
}

void wp_transform_destroy(struct wp_transform **slot)
{
    struct wp_transform *t = slot ? *slot : NULL;
    struct wp_textures_scope scope;
    if (!t || !wp_transform_lock(t))
        return;
    *slot = NULL;
    wp_transform_enter(t, false, &scope);
    wp_transform_release(t);
    if (!t->shares_device)
        wp_backend_close(&t->choice);
    wp_textures_close(t->external_context);
    scope.external_context = NULL;
    wp_textures_leave(&scope);
    free(t->bands);
    free(t->tree);
    free(t->nodes);
    wp_text_free(&t->text);
    free(t);
}
