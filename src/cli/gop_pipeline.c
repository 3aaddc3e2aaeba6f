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
    struct wp_gop_pipeline *pipeline;
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
    return wp_slices_read(w->pipeline->from, to->data, w->group, &to->depth);
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
    const struct wp_transform_info *info = wp_transform_get_info(w->pipeline->transform);
    const struct wp_description *d = wp_transform_description(w->pipeline->transform);
    struct wp_transform_params p = *w->pipeline->options;
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
    struct wp_gop_pipeline_seconds *seconds = &w->pipeline->seconds;
    const bool ok = direction == WP_FORWARD ? wp_transform_forward(transform, from, to)
                                            : wp_transform_inverse(transform, from, to);
    if (ok && direction == w->pipeline->direction) {
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
           wp_transform_get_info(w->pipeline->transform)->levels == 0;
}

static struct wp_transform *transform_of(const struct work *w, int depth)
{
    return depth < w->group ? w->last : w->pipeline->transform;
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
           run(w, transform_of(w, depth), w->pipeline->direction, from, to);
}

// Of what came out, back again.
static bool check_group(struct work *w, const float *from, const float *out, int depth)
{
    struct wp_gop_pipeline *pipeline = w->pipeline;
    const size_t count = w->samples * (size_t)depth;
    if (pipeline->value_counts.nonfinite > 0 || is_copied(w, depth))
        return true;
    const double start = wp_clock_seconds();
    if (w->checked != depth) {
        wp_transform_destroy(&w->check);
        w->check = derive(w, depth);
        w->checked = depth;
    }
    if (!w->check || !run(w, w->check, WP_INVERSE, out, w->back))
        return false;
    pipeline->max_error = fmax(pipeline->max_error, wp_run_difference(w->back, from, count));
    pipeline->seconds.check += wp_clock_seconds() - start;
    return true;
}

static void count_values(struct work *w, const float *from, int depth)
{
    const struct wp_slices_info *info = wp_slices_info(w->pipeline->from);
    if (info->origin.bits >= 32)
        wp_count_values(&w->pipeline->value_counts, &info->origin, from, w->samples * (size_t)depth);
}

// What was transformed is there.
static bool finish_group(struct work *w, const struct place *in, struct place *out)
{
    struct wp_gop_pipeline *pipeline = w->pipeline;
    count_values(w, in->data, in->depth);
    if (w->back && !check_group(w, in->data, out->data, in->depth))
        return false;
    out->depth = in->depth;
    pipeline->slices += in->depth;
    const double rate = pipeline->slices / (wp_clock_seconds() - w->start);
    const int all = wp_slices_info(pipeline->from)->depth;
    if (all)
        wp_progress("%d of %d slices, %.0f a second", pipeline->slices, all, rate);
    else
        wp_progress("%d frames, %.0f a second", pipeline->slices, rate);
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
    if ((first && !wp_transform_begin_items(transform, w->pipeline->direction)) ||
        !wp_transform_load_item(transform, item, in->data))
        return false;
    w->pipeline->seconds.load += wp_transform_get_info(transform)->load_seconds;
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
    w->pipeline->seconds.transform += wp_transform_get_info(transform)->seconds;
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
    w->pipeline->seconds.store += wp_transform_get_info(transform)->store_seconds;
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
    return wp_slices_write(w->pipeline->to, out->data, out->depth);
}

// The first group tells how many slices one has, and with that what the transform is.
static bool begin(struct work *w)
{
    struct wp_gop_pipeline *pipeline = w->pipeline;
    const struct wp_slices_info *info = wp_slices_info(pipeline->from);
    w->group = info->depth > 0 && info->depth < pipeline->gop ? info->depth : pipeline->gop;
    w->samples = (size_t)info->width * (size_t)info->height;
    w->in[0].data = allocate(w);
    const double start = wp_clock_seconds();
    if (!w->in[0].data || !read_group(w, &w->in[0]))
        return false;
    pipeline->seconds.read = wp_clock_seconds() - start;
    if (w->in[0].depth == 0)
        return wp_fail(WP_ERROR_FILE, "%s: no frames", wp_slices_name(pipeline->from));
    w->group = w->in[0].depth;
    count_values(w, w->in[0].data, w->group);
    const struct wp_image shape = {.width = info->width, .height = info->height,
                                   .depth = w->group, .planes = 1};
    struct wp_transform_params params = *pipeline->options;
    params.gop = 0;
    pipeline->transform =
        wp_run_create(&params, &shape, pipeline->direction, pipeline->value_counts.nonfinite, &pipeline->chosen_by);
    pipeline->value_counts = (struct wp_value_counts){0}; // they are counted again
    return pipeline->transform != NULL;
}

static bool make_place(const struct work *w, struct place *place)
{
    const struct wp_backend_choice *on = wp_transform_choice(w->pipeline->transform);
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
        const struct wp_backend_choice *on = wp_transform_choice(w->pipeline->transform);
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
    w->back = ok && w->pipeline->check ? allocate(w) : NULL;
    return ok && (w->back || !w->pipeline->check);
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
    w->pipeline->seconds.read += stage[0].seconds;
    w->pipeline->seconds.write = stage[2].seconds;
    return ok;
}

static bool run_apart(struct work *w)
{
    enum { READ, LOAD, RUN, STORE, WRITE, STAGES };
    const int items = wp_transform_begin_items(w->pipeline->transform, w->pipeline->direction);
    struct wp_pipeline_stage stage[STAGES] = {
        [READ] = {.step = read_step, .slots = PLACES, .until = STORE},
        [LOAD] = {.step = load_step, .slots = items},
        [RUN] = {.step = run_step, .slots = items},
        [STORE] = {.step = store_step, .slots = SLOTS},
        [WRITE] = {.step = write_step},
    };
    w->places = PLACES;
    const bool ok = items > 0 && allocate_others(w) && wp_pipeline_run(stage, STAGES, STORE, w);
    w->pipeline->seconds.read += stage[READ].seconds;
    w->pipeline->seconds.write = stage[WRITE].seconds;
    return ok;
}

static bool go(struct work *w)
{
    struct wp_gop_pipeline *pipeline = w->pipeline;
    w->start = wp_clock_seconds();
    if (!begin(w))
        return false;
    pipeline->apart = goes_apart(pipeline->transform);
    const bool ok = (pipeline->apart ? run_apart : run_together)(w);
    pipeline->seconds.wall = wp_clock_seconds() - w->start;
    if (pipeline->value_counts.nonfinite > 0 || !pipeline->check)
        pipeline->max_error = NAN;
    return ok;
}

bool wp_gop_pipeline_run(struct wp_gop_pipeline *pipeline)
{
    struct work w = {.pipeline = pipeline, .places = 1};
    const bool ok = go(&w);
    for (int i = 0; i < PLACES; i++)
        free_place(&w, &w.in[i]);
    for (int i = 0; i < SLOTS; i++)
        free_place(&w, &w.out[i]);
    free(w.back);
    wp_transform_destroy(&w.last);
    wp_transform_destroy(&w.check);
    if (ok)
        wp_warn_of_values(&pipeline->value_counts, wp_slices_name(pipeline->from));
    return ok;
}

void wp_gop_pipeline_end(struct wp_gop_pipeline *pipeline)
{
    wp_transform_destroy(&pipeline->transform);
    wp_slices_close(&pipeline->from);
    wp_slices_discard(&pipeline->to);
}

struct wp_image wp_gop_pipeline_shape(const struct wp_gop_pipeline *pipeline)
{
    const struct wp_slices_info *info = wp_slices_info(pipeline->from);
    return (struct wp_image){.width = info->width, .height = info->height, .depth = pipeline->slices,
                             .planes = 1};
}

static double rate_of(const struct wp_gop_pipeline *pipeline)
{
    return pipeline->slices / pipeline->seconds.wall;
}

// The stage that the others wait for.
static const char *slowest(const struct wp_gop_pipeline *pipeline)
{
    const struct wp_gop_pipeline_seconds *s = &pipeline->seconds;
    const struct {
        const char *name;
        double seconds;
    } stages[] = {
        {"read", s->read},
        {"write", s->write},
        {"transform", pipeline->apart ? s->transform : s->load + s->transform + s->store + s->check},
        {"to_device", pipeline->apart ? s->load : 0},
        {s->check > s->store ? "check" : "from_device", pipeline->apart ? s->store + s->check : 0},
    };
    int most = 0;
    for (int i = 1; i < (int)(sizeof stages / sizeof *stages); i++)
        most = stages[i].seconds > stages[most].seconds ? i : most;
    return stages[most].name;
}

void wp_gop_pipeline_log(const struct wp_gop_pipeline *pipeline)
{
    const struct wp_gop_pipeline_seconds *s = &pipeline->seconds;
    wp_log(WP_LOG_VERBOSE,
           "%d slices: read in %.2f s, uploaded in %.2f, transformed in %.2f, downloaded in %.2f, "
           "checked in %.2f, written in %.2f; together %.2f s, and '%s' binds",
           pipeline->slices, s->read, s->load, s->transform, s->store, s->check, s->write, s->wall,
           slowest(pipeline));
}

void wp_gop_pipeline_add_rate(const struct wp_gop_pipeline *pipeline, struct wp_text *text)
{
    wp_text_add(text, ", %.0f slices a second with files", rate_of(pipeline));
}

void wp_gop_pipeline_add_json(const struct wp_gop_pipeline *pipeline, json_t *object)
{
    const struct wp_gop_pipeline_seconds *s = &pipeline->seconds;
    json_object_set_new(object, "slices_per_second", wp_json_number(rate_of(pipeline)));
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
                  "binds", slowest(pipeline)));
}
