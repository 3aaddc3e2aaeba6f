// Preparation of a transform on its device: planes together or one by one, or tiles of an image.
#include "log.h"
#include "text.h"
#include "transform_struct.h"

#include <string.h>

enum { AT_ONCE_SAMPLES = 1 << 25 };

void wp_transform_release(struct wp_transform *t)
{
    if (t->second)
        t->choice.backend->release(t->second);
    t->second = NULL;
    wp_exec_chain_release(&t->chain);
    wp_tiled_exec_release(&t->tiled);
}

// Planes are transformed together if the device supports it, because the overhead of draws and
// dispatches is paid once. For more than AT_ONCE_SAMPLES samples, on an H200, fragment shaders gain
// at most 3 % and compute shaders between -10 and 10 % (docs/lab/tiles.md), so memory is saved.
static int choose_at_once(const struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    const double samples = (double)t->planes * (double)wp_description_samples(&t->description);
    if (!backend->planes_max || samples > AT_ONCE_SAMPLES ||
        (t->external_context && !t->on_buffers) ||
        t->depth > 1)
        return 1;
    return backend->planes_max(t->choice.device, &t->description) < t->planes ? 1 : t->planes;
}

static bool prepare_chain(struct wp_transform *t)
{
    return wp_exec_chain_prepare(&t->chain, t->choice.backend, t->choice.device, &t->ready,
                             t->variant);
}

static bool prepare_tiled(struct wp_transform *t, const char *why)
{
    int size[2];
    t->tiled =
        wp_tiled_exec_prepare_any(t->choice.backend, t->choice.device, &t->ready, t->variant);
    if (!t->tiled)
        return false;
    wp_tiled_exec_size(t->tiled, size);
    wp_log(WP_LOG_VERBOSE, "%dx%d is %s %s: processed in tiles of up to %dx%d",
           t->ready.size[WP_X], t->ready.size[WP_Y], why, t->choice.info.name, size[WP_X],
           size[WP_Y]);
    return true;
}

// Prepares the transform for `planes` planes per execution and groups of `depth` slices.
static bool prepare_planes(struct wp_transform *t, int planes, int depth)
{
    t->ready = wp_transform_group(t, depth);
    t->ready.planes = planes;
    t->ready.samples = t->samples;
    t->ready.coefficients = t->coefficients;
    wp_transform_set_threads(t);
    if (t->on_buffers || !wp_tiled_exec_supports_any(t->choice.backend, &t->ready))
        return prepare_chain(t);
    wp_begin_attempt();
    const bool ok = prepare_chain(t) ||
                    (wp_last_error() == WP_ERROR_TOO_LARGE && prepare_tiled(t, "too large for"));
    wp_end_attempt();
    if (ok)
        wp_clear_error();
    return ok || prepare_chain(t); // again, for its error
}

static bool prepare_exec(struct wp_transform *t, int depth)
{
    wp_transform_release(t);
    const int planes = choose_at_once(t);
    if (planes > 1) {
        wp_begin_attempt();
        const bool ok = prepare_planes(t, planes, depth);
        wp_end_attempt();
        if (ok)
            return true;
        wp_clear_error(); // memory may be enough for one plane
    }
    return prepare_planes(t, 1, depth);
}

// If the chosen variant fails, falls back to the backend's default.
static bool prepare_chosen(struct wp_transform *t, int depth)
{
    struct wp_text error = {0};
    t->capture(&error);
    bool ok = prepare_exec(t, depth);
    t->capture(NULL);
    if (!ok) {
        const char *kind = t->description.kind->name;
        const char *variant = t->variant ? t->variant->name : NULL;
        wp_clear_error();
        t->capture = NULL;
        t->description.kind = t->default_kind;
        t->description.form = t->default_form;
        t->variant = t->default_variant;
        ok = prepare_exec(t, depth);
        if (ok)
            wp_log(WP_LOG_WARNING, "the fastest variant, %s%s%s, does not support %dx%d (%.*s); "
                   "using the default %s", kind, variant ? ", variant " : "",
                   variant ? variant : "", t->description.size[WP_X],
                   t->description.size[WP_Y],
                   (int)strcspn(wp_text_get(&error), "\n"), wp_text_get(&error),
                   t->description.kind->name);
        t->fell_back = ok && !t->described;
    }
    wp_text_free(&error);
    return ok;
}

bool wp_transform_is_ready(const struct wp_transform *t, enum wp_direction direction, int depth)
{
    return (t->chain.count || t->tiled) && t->ready.direction == direction &&
           t->ready.samples == t->samples && t->ready.coefficients == t->coefficients &&
           wp_description_depth(&t->ready) == depth;
}

bool wp_transform_prepare(struct wp_transform *t, enum wp_direction direction, int depth)
{
    if (wp_transform_is_ready(t, direction, depth))
        return true;
    t->description.direction = direction;
    if (!(t->capture ? prepare_chosen(t, depth) : prepare_exec(t, depth)))
        return false;
    if (t->fell_back && !t->described && !wp_transform_fill_info(t)) {
        wp_transform_release(t);
        return false;
    }
    // Sets the facts when the first direction is prepared; they are equal for the other one.
    const struct wp_backend *backend = t->choice.backend;
    const struct wp_exec *exec = t->tiled ? wp_tiled_exec_tile_exec(t->tiled)
                                            : t->chain.part[0].exec;
    if (!t->described && backend->variant)
        t->info.variant = backend->variant(exec)->name;
    if (!t->described && backend->bench && backend->bench->counts) {
        const struct wp_counts counts = backend->bench->counts(exec);
        t->info.operations = counts.operations;
        t->info.fetches = counts.fetches;
    }
    t->described = true;
    return true;
}

void wp_transform_use_buffers(struct wp_transform *t, bool on)
{
    if (t->on_buffers != on)
        wp_transform_release(t);
    t->on_buffers = on;
}
