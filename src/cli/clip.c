#include "clip.h"

#include "clock.h"
#include "memory.h"
#include "pipeline.h"
#include "transform.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two groups are on their way: between two stages one is filled and one is emptied.
enum { SLOTS = 2, READ = 0, TRANSFORM, WRITE, STAGES };

struct work {
    struct wp_clip *clip;
    int group;      // slices of all but the last one
    size_t samples; // of a slice
    float *in[SLOTS], *out[SLOTS], *back;
    int filled[SLOTS], done[SLOTS];    // slices in them
    struct wp_transform *last, *check; // of what is left at the end; back again
    int checked;                       // slices that `check` is for
    double start;
};

static float *allocate(const struct work *w)
{
    return wp_allocate(w->samples * (size_t)w->group, sizeof(float), "a group of slices");
}

static bool read_group(struct work *w, int item, int *got)
{
    return wp_slices_read(w->clip->from, w->in[item % SLOTS], w->group, got);
}

// The first group is there already.
static bool read_step(void *user, int item, bool *end)
{
    struct work *w = user;
    int *filled = &w->filled[item % SLOTS];
    if (item > 0 && !read_group(w, item, filled))
        return false;
    *end = *filled == 0;
    return true;
}

// As the transform of the groups, of fewer slices or back. One slice passes through the levels
// along z that are left.
static struct wp_transform *derive(const struct work *w, int depth)
{
    const struct wp_transform_info *info = wp_transform_get_info(w->clip->transform);
    const struct wp_description *d = wp_transform_description(w->clip->transform);
    struct wp_transform_params p = *w->clip->options;
    const int most = wp_levels_z_most(depth, WP_BORDER_SYMMETRIC);
    const int along_z = info->levels_z < most ? info->levels_z : most;
    p.backend = info->backend;
    p.variant = info->variant ? info->variant : p.variant;
    p.scheme = (depth > 1 ? d->kind : wp_scheme_kind_of_slices(d->kind))->name;
    p.plain = d->form == WP_FORM_PLAIN;
    p.width = d->size[WP_X];
    p.height = d->size[WP_Y];
    p.depth = depth;
    p.planes = 1;
    p.gop = 0;
    p.levels = info->levels > 0 ? info->levels : WP_LEVELS_NONE;
    p.levels_z = along_z > 0 || depth == 1 ? along_z : WP_LEVELS_NONE;
    return wp_transform_create_chosen(&p, NULL);
}

static bool run(struct work *w, struct wp_transform *transform, enum wp_direction direction,
                const float *from, float *to)
{
    struct wp_clip_seconds *seconds = &w->clip->seconds;
    const bool ok = direction == WP_FORWARD ? wp_transform_forward(transform, from, to)
                                            : wp_transform_inverse(transform, from, to);
    if (ok && direction == w->clip->direction) {
        const struct wp_transform_info *info = wp_transform_get_info(transform);
        seconds->load += info->load_seconds;
        seconds->transform += info->seconds;
        seconds->store += info->store_seconds;
    }
    return ok;
}

// One slice that is left of a transform along z alone stays as it is.
static bool is_copied(const struct work *w, int depth)
{
    return depth == 1 && depth < w->group &&
           wp_transform_get_info(w->clip->transform)->levels == 0;
}

static bool transform_group(struct work *w, const float *from, float *to, int depth)
{
    struct wp_transform *transform = w->clip->transform;
    if (is_copied(w, depth)) {
        memcpy(to, from, w->samples * sizeof *to);
        return true;
    }
    if (depth < w->group && !w->last)
        w->last = derive(w, depth);
    transform = depth < w->group ? w->last : transform;
    return transform && run(w, transform, w->clip->direction, from, to);
}

// Of what came out, back again.
static bool check_group(struct work *w, const float *from, const float *out, int depth)
{
    struct wp_clip *clip = w->clip;
    const size_t count = w->samples * (size_t)depth;
    if (clip->nonfinite > 0 || is_copied(w, depth))
        return true;
    const double start = wp_clock_seconds();
    if (w->checked != depth) {
        wp_transform_destroy(&w->check);
        w->check = derive(w, depth);
        w->checked = depth;
    }
    if (!w->check || !run(w, w->check, WP_INVERSE, out, w->back))
        return false;
    clip->max_error = fmax(clip->max_error, wp_run_difference(w->back, from, count));
    clip->seconds.check += wp_clock_seconds() - start;
    return true;
}

static void count_nonfinite(struct work *w, const float *from, int depth)
{
    const struct wp_slices_info *info = wp_slices_info(w->clip->from);
    for (size_t i = 0; i < w->samples * (size_t)depth && info->source_bits >= 32; i++)
        w->clip->nonfinite += isfinite(from[i]) ? 0 : 1;
}

static bool transform_step(void *user, int item, bool *end)
{
    struct work *w = user;
    struct wp_clip *clip = w->clip;
    const int slot = item % SLOTS, depth = w->filled[slot];
    (void)end;
    count_nonfinite(w, w->in[slot], depth);
    if (!transform_group(w, w->in[slot], w->out[slot], depth) ||
        (w->back && !check_group(w, w->in[slot], w->out[slot], depth)))
        return false;
    w->done[slot] = depth;
    clip->slices += depth;
    const double rate = clip->slices / (wp_clock_seconds() - w->start);
    const int all = wp_slices_info(clip->from)->depth;
    if (all)
        wp_progress("%d of %d slices, %.0f a second", clip->slices, all, rate);
    else
        wp_progress("%d frames, %.0f a second", clip->slices, rate);
    return true;
}

static bool write_step(void *user, int item, bool *end)
{
    struct work *w = user;
    const int slot = item % SLOTS;
    (void)end;
    return wp_slices_write(w->clip->to, w->out[slot], w->done[slot]);
}

// The first group tells how many slices one has, and with that what the transform is.
static bool begin(struct work *w)
{
    struct wp_clip *clip = w->clip;
    const struct wp_slices_info *info = wp_slices_info(clip->from);
    w->group = info->depth > 0 && info->depth < clip->gop ? info->depth : clip->gop;
    w->samples = (size_t)info->width * (size_t)info->height;
    w->in[0] = allocate(w);
    if (!w->in[0] || !read_group(w, 0, &w->filled[0]))
        return false;
    if (w->filled[0] == 0)
        return wp_fail(WP_ERROR_FILE, "%s: no frames", wp_slices_name(clip->from));
    w->group = w->filled[0];
    count_nonfinite(w, w->in[0], w->group);
    const struct wp_image shape = {.width = info->width, .height = info->height,
                                   .depth = w->group, .planes = 1};
    struct wp_transform_params params = *clip->options;
    params.gop = 0;
    clip->transform =
        wp_run_create(&params, &shape, clip->direction, clip->nonfinite, &clip->chosen_by);
    clip->nonfinite = 0; // they are counted again
    return clip->transform != NULL;
}

static bool allocate_others(struct work *w)
{
    w->in[1] = allocate(w);
    for (int i = 0; i < SLOTS; i++)
        w->out[i] = allocate(w);
    w->back = w->clip->check ? allocate(w) : NULL;
    return w->in[1] && w->out[0] && w->out[1] && (w->back || !w->clip->check);
}

static bool go(struct work *w)
{
    struct wp_clip *clip = w->clip;
    struct wp_pipeline_stage stage[STAGES] = {
        [READ] = {.step = read_step},
        [TRANSFORM] = {.step = transform_step},
        [WRITE] = {.step = write_step},
    };
    w->start = wp_clock_seconds();
    if (!begin(w) || !allocate_others(w))
        return false;
    const double first = wp_clock_seconds() - w->start;
    const bool ok = wp_pipeline_run(stage, STAGES, TRANSFORM, SLOTS, w);
    clip->seconds.wall = wp_clock_seconds() - w->start;
    clip->seconds.read = first + stage[READ].seconds;
    clip->seconds.write = stage[WRITE].seconds;
    if (clip->nonfinite > 0 || !clip->check)
        clip->max_error = NAN;
    return ok;
}

bool wp_clip_run(struct wp_clip *clip)
{
    struct work w = {.clip = clip};
    const bool ok = go(&w);
    for (int i = 0; i < SLOTS; i++) {
        free(w.in[i]);
        free(w.out[i]);
    }
    free(w.back);
    wp_transform_destroy(&w.last);
    wp_transform_destroy(&w.check);
    if (ok && clip->nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite (NaN or infinite); carried through",
               wp_slices_name(clip->from), clip->nonfinite, WP_PLURAL_IS(clip->nonfinite));
    return ok;
}

void wp_clip_end(struct wp_clip *clip)
{
    wp_transform_destroy(&clip->transform);
    wp_slices_close(&clip->from);
    wp_slices_discard(&clip->to);
}

struct wp_image wp_clip_shape(const struct wp_clip *clip)
{
    const struct wp_slices_info *info = wp_slices_info(clip->from);
    return (struct wp_image){.width = info->width, .height = info->height, .depth = clip->slices,
                             .planes = 1};
}

static double rate_of(const struct wp_clip *clip)
{
    return clip->slices / clip->seconds.wall;
}

// The stage that the others wait for.
static const char *slowest(const struct wp_clip *clip)
{
    const struct wp_clip_seconds *s = &clip->seconds;
    const double middle = s->load + s->transform + s->store + s->check;
    return s->read >= middle && s->read >= s->write ? "read"
           : s->write >= middle                     ? "write"
                                                    : "transform";
}

void wp_clip_tell(const struct wp_clip *clip)
{
    const struct wp_clip_seconds *s = &clip->seconds;
    wp_log(WP_LOG_VERBOSE,
           "%d slices: read in %.2f s, to the device in %.2f, transformed in %.2f, back in %.2f, "
           "checked in %.2f, written in %.2f; together %.2f s, and '%s' binds",
           clip->slices, s->read, s->load, s->transform, s->store, s->check, s->write, s->wall,
           slowest(clip));
}

void wp_clip_add_rate(const struct wp_clip *clip, struct wp_text *text)
{
    wp_text_add(text, ", %.0f slices a second with files", rate_of(clip));
}

void wp_clip_add_json(const struct wp_clip *clip, json_t *object)
{
    const struct wp_clip_seconds *s = &clip->seconds;
    json_object_set_new(object, "slices_per_second", wp_json_number(rate_of(clip)));
    json_object_set_new(
        object, "pipeline",
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",       //
                  "read", wp_json_number(s->read),                  //
                  "to_device", wp_json_number(s->load),             //
                  "transform", wp_json_number(s->transform),        //
                  "from_device", wp_json_number(s->store),          //
                  "check", wp_json_number(s->check),                //
                  "write", wp_json_number(s->write),                //
                  "together", wp_json_number(s->wall),              //
                  "binds", slowest(clip)));
}
