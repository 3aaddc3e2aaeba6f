#include "gop_pipeline.h"

#include "clock.h"
#include "memory.h"
#include "pipeline.h"
#include "transform.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Between two stages one group is filled and one is emptied. What goes in waits for the check of
// what came out; where there are stages between, in a place more.
enum { SLOTS = 2, PLACES = SLOTS + 1 };

// A group of slices, on the host.
struct place {
    float *data;
    int depth;   // slices in it
    bool pinned; // for the device
};

struct work {
    struct wp_gop_pipeline *clip;
    int group;      // slices of all but the last one
    size_t samples; // of a slice
    int places;     // of `in`
    struct place in[PLACES], out[SLOTS];
    float *back;
    struct wp_transform *last, *check; // of what is left at the end; back again
    int checked;                       // slices that `check` is for
    double start;
};

static struct place *in_of(struct work *w, int item)
{
    return &w->in[item % w->places];
}

static float *allocate(const struct work *w)
{
    return wp_allocate_pages(w->samples * (size_t)w->group, sizeof(float), "a group of slices");
}

static bool read_group(struct work *w, struct place *to)
{
    return wp_slices_read(w->clip->from, to->data, w->group, &to->depth);
}

// The first group is there already.
static bool read_step(void *user, int item, bool *end)
{
    struct work *w = user;
    struct place *in = in_of(w, item);
    if (item > 0 && !read_group(w, in))
        return false;
    *end = in->depth == 0;
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
    struct wp_gop_pipeline_seconds *seconds = &w->clip->seconds;
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

static struct wp_transform *transform_of(const struct work *w, int depth)
{
    return depth < w->group ? w->last : w->clip->transform;
}

// False after an error where there is no transform of so many slices.
static bool find_transform(struct work *w, int depth)
{
    if (depth < w->group && !w->last)
        w->last = derive(w, depth);
    return transform_of(w, depth) != NULL;
}

static bool transform_group(struct work *w, const float *from, float *to, int depth)
{
    if (is_copied(w, depth)) {
        memcpy(to, from, w->samples * sizeof *to);
        return true;
    }
    return find_transform(w, depth) &&
           run(w, transform_of(w, depth), w->clip->direction, from, to);
}

// Of what came out, back again.
static bool check_group(struct work *w, const float *from, const float *out, int depth)
{
    struct wp_gop_pipeline *clip = w->clip;
    const size_t count = w->samples * (size_t)depth;
    if (clip->value_counts.nonfinite > 0 || is_copied(w, depth))
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

static void count_values(struct work *w, const float *from, int depth)
{
    const struct wp_slices_info *info = wp_slices_info(w->clip->from);
    if (info->origin.bits >= 32)
        wp_count_values(&w->clip->value_counts, &info->origin, from, w->samples * (size_t)depth);
}

// What was transformed is there.
static bool finish_group(struct work *w, const struct place *in, struct place *out)
{
    struct wp_gop_pipeline *clip = w->clip;
    count_values(w, in->data, in->depth);
    if (w->back && !check_group(w, in->data, out->data, in->depth))
        return false;
    out->depth = in->depth;
    clip->slices += in->depth;
    const double rate = clip->slices / (wp_clock_seconds() - w->start);
    const int all = wp_slices_info(clip->from)->depth;
    if (all)
        wp_progress("%d of %d slices, %.0f a second", clip->slices, all, rate);
    else
        wp_progress("%d frames, %.0f a second", clip->slices, rate);
    return true;
}

static bool transform_step(void *user, int item, bool *end)
{
    struct work *w = user;
    const struct place *in = in_of(w, item);
    struct place *out = &w->out[item % SLOTS];
    (void)end;
    return transform_group(w, in->data, out->data, in->depth) && finish_group(w, in, out);
}

// Instead of the transform in one, to a device, on it and back.
static bool load_step(void *user, int item, bool *end)
{
    struct work *w = user;
    const struct place *in = in_of(w, item);
    (void)end;
    if (is_copied(w, in->depth))
        return true;
    const bool first = in->depth < w->group && !w->last;
    if (!find_transform(w, in->depth))
        return false;
    struct wp_transform *transform = transform_of(w, in->depth);
    if ((first && !wp_transform_begin_items(transform, w->clip->direction)) ||
        !wp_transform_load_item(transform, item, in->data))
        return false;
    w->clip->seconds.load += wp_transform_get_info(transform)->load_seconds;
    return true;
}

static bool run_step(void *user, int item, bool *end)
{
    struct work *w = user;
    const struct place *in = in_of(w, item);
    (void)end;
    if (is_copied(w, in->depth))
        return true;
    struct wp_transform *transform = transform_of(w, in->depth);
    if (!wp_transform_run_item(transform, item))
        return false;
    w->clip->seconds.transform += wp_transform_get_info(transform)->seconds;
    return true;
}

static bool store_group(struct work *w, int item, const struct place *in, struct place *out)
{
    struct wp_transform *transform = transform_of(w, in->depth);
    if (is_copied(w, in->depth)) {
        memcpy(out->data, in->data, w->samples * sizeof *out->data);
        return true;
    }
    if (!wp_transform_store_item(transform, item, out->data))
        return false;
    w->clip->seconds.store += wp_transform_get_info(transform)->store_seconds;
    return true;
}

static bool store_step(void *user, int item, bool *end)
{
    struct work *w = user;
    const struct place *in = in_of(w, item);
    struct place *out = &w->out[item % SLOTS];
    (void)end;
    return store_group(w, item, in, out) && finish_group(w, in, out);
}

static bool write_step(void *user, int item, bool *end)
{
    struct work *w = user;
    const struct place *out = &w->out[item % SLOTS];
    (void)end;
    return wp_slices_write(w->clip->to, out->data, out->depth);
}

// The first group tells how many slices one has, and with that what the transform is.
static bool begin(struct work *w)
{
    struct wp_gop_pipeline *clip = w->clip;
    const struct wp_slices_info *info = wp_slices_info(clip->from);
    w->group = info->depth > 0 && info->depth < clip->gop ? info->depth : clip->gop;
    w->samples = (size_t)info->width * (size_t)info->height;
    w->in[0].data = allocate(w);
    const double start = wp_clock_seconds();
    if (!w->in[0].data || !read_group(w, &w->in[0]))
        return false;
    clip->seconds.read = wp_clock_seconds() - start;
    if (w->in[0].depth == 0)
        return wp_fail(WP_ERROR_FILE, "%s: no frames", wp_slices_name(clip->from));
    w->group = w->in[0].depth;
    count_values(w, w->in[0].data, w->group);
    const struct wp_image shape = {.width = info->width, .height = info->height,
                                   .depth = w->group, .planes = 1};
    struct wp_transform_params params = *clip->options;
    params.gop = 0;
    clip->transform =
        wp_run_create(&params, &shape, clip->direction, clip->value_counts.nonfinite, &clip->chosen_by);
    clip->value_counts = (struct wp_value_counts){0}; // they are counted again
    return clip->transform != NULL;
}

static bool make_place(const struct work *w, struct place *place)
{
    const struct wp_backend_choice *on = wp_transform_choice(w->clip->transform);
    if (!place->data)
        place->data = allocate(w);
    place->pinned = place->data && on->backend->pin &&
                    on->backend->pin(on->device, place->data,
                                     w->samples * (size_t)w->group * sizeof *place->data);
    return place->data != NULL;
}

static void free_place(const struct work *w, struct place *place)
{
    if (place->pinned) {
        const struct wp_backend_choice *on = wp_transform_choice(w->clip->transform);
        on->backend->unpin(on->device, place->data);
    }
    free(place->data);
}

static bool allocate_others(struct work *w)
{
    bool ok = true;
    for (int i = 0; i < w->places; i++)
        ok = ok && make_place(w, &w->in[i]);
    for (int i = 0; i < SLOTS; i++)
        ok = ok && make_place(w, &w->out[i]);
    w->back = ok && w->clip->check ? allocate(w) : NULL;
    return ok && (w->back || !w->clip->check);
}

// A device has something to do while groups are on their way to it and back. Not where it is the
// computer itself, unless a test asks for it.
static bool goes_apart(const struct wp_transform *transform)
{
    const struct wp_backend *backend = wp_transform_choice(transform)->backend;
    const struct wp_description *d = wp_transform_description(transform);
    struct wp_description stages[WP_CHAIN_MAX];
    return backend->overlaps && (!backend->transform || getenv("WAVEPASS_APART")) &&
           wp_description_levels(d) > 0 && wp_description_chain(d, stages) == 1;
}

// Everything between reading and writing in one stage.
static bool run_together(struct work *w)
{
    struct wp_pipeline_stage stage[] = {
        {.step = read_step, .slots = SLOTS},
        {.step = transform_step, .slots = SLOTS},
        {.step = write_step},
    };
    w->places = SLOTS;
    const bool ok = allocate_others(w) && wp_pipeline_run(stage, 3, 1, w);
    w->clip->seconds.read += stage[0].seconds;
    w->clip->seconds.write = stage[2].seconds;
    return ok;
}

static bool run_apart(struct work *w)
{
    enum { READ, LOAD, RUN, STORE, WRITE, STAGES };
    const int items = wp_transform_begin_items(w->clip->transform, w->clip->direction);
    struct wp_pipeline_stage stage[STAGES] = {
        [READ] = {.step = read_step, .slots = PLACES, .until = STORE},
        [LOAD] = {.step = load_step, .slots = items},
        [RUN] = {.step = run_step, .slots = items},
        [STORE] = {.step = store_step, .slots = SLOTS},
        [WRITE] = {.step = write_step},
    };
    w->places = PLACES;
    const bool ok = items > 0 && allocate_others(w) && wp_pipeline_run(stage, STAGES, STORE, w);
    w->clip->seconds.read += stage[READ].seconds;
    w->clip->seconds.write = stage[WRITE].seconds;
    return ok;
}

static bool go(struct work *w)
{
    struct wp_gop_pipeline *clip = w->clip;
    w->start = wp_clock_seconds();
    if (!begin(w))
        return false;
    clip->apart = goes_apart(clip->transform);
    const bool ok = (clip->apart ? run_apart : run_together)(w);
    clip->seconds.wall = wp_clock_seconds() - w->start;
    if (clip->value_counts.nonfinite > 0 || !clip->check)
        clip->max_error = NAN;
    return ok;
}

bool wp_gop_pipeline_run(struct wp_gop_pipeline *clip)
{
    struct work w = {.clip = clip, .places = 1};
    const bool ok = go(&w);
    for (int i = 0; i < PLACES; i++)
        free_place(&w, &w.in[i]);
    for (int i = 0; i < SLOTS; i++)
        free_place(&w, &w.out[i]);
    free(w.back);
    wp_transform_destroy(&w.last);
    wp_transform_destroy(&w.check);
    if (ok)
        wp_warn_of_values(&clip->value_counts, wp_slices_name(clip->from));
    return ok;
}

void wp_gop_pipeline_end(struct wp_gop_pipeline *clip)
{
    wp_transform_destroy(&clip->transform);
    wp_slices_close(&clip->from);
    wp_slices_discard(&clip->to);
}

struct wp_image wp_gop_pipeline_shape(const struct wp_gop_pipeline *clip)
{
    const struct wp_slices_info *info = wp_slices_info(clip->from);
    return (struct wp_image){.width = info->width, .height = info->height, .depth = clip->slices,
                             .planes = 1};
}

static double rate_of(const struct wp_gop_pipeline *clip)
{
    return clip->slices / clip->seconds.wall;
}

// The stage that the others wait for.
static const char *slowest(const struct wp_gop_pipeline *clip)
{
    const struct wp_gop_pipeline_seconds *s = &clip->seconds;
    const struct {
        const char *name;
        double seconds;
    } stages[] = {
        {"read", s->read},
        {"write", s->write},
        {"transform", clip->apart ? s->transform : s->load + s->transform + s->store + s->check},
        {"to_device", clip->apart ? s->load : 0},
        {s->check > s->store ? "check" : "from_device", clip->apart ? s->store + s->check : 0},
    };
    int most = 0;
    for (int i = 1; i < (int)(sizeof stages / sizeof *stages); i++)
        most = stages[i].seconds > stages[most].seconds ? i : most;
    return stages[most].name;
}

void wp_gop_pipeline_log(const struct wp_gop_pipeline *clip)
{
    const struct wp_gop_pipeline_seconds *s = &clip->seconds;
    wp_log(WP_LOG_VERBOSE,
           "%d slices: read in %.2f s, uploaded in %.2f, transformed in %.2f, downloaded in %.2f, "
           "checked in %.2f, written in %.2f; together %.2f s, and '%s' binds",
           clip->slices, s->read, s->load, s->transform, s->store, s->check, s->write, s->wall,
           slowest(clip));
}

void wp_gop_pipeline_add_rate(const struct wp_gop_pipeline *clip, struct wp_text *text)
{
    wp_text_add(text, ", %.0f slices a second with files", rate_of(clip));
}

void wp_gop_pipeline_add_json(const struct wp_gop_pipeline *clip, json_t *object)
{
    const struct wp_gop_pipeline_seconds *s = &clip->seconds;
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
