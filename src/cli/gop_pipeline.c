#include "flow.h"

#include "clock.h"
#include "memory.h"
#include "threads.h"
#include "transform.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Between two stages, one slot is filled while the other is emptied. Input stays until its output
// is checked; the overlapped pipeline has more stages in between and one more input slot.
enum { SLOTS = 2, IN_SLOTS_MAX = SLOTS + 1 };

// A group of slices in host memory.
struct slot {
    float *data;
    int depth;   // number of slices
    bool pinned; // pinned for transfers to the device
};

struct job {
    struct wp_flow *flow;
    int group;      // slices per group, except the last one
    size_t samples; // per slice
    int in_slots;   // number of slots of `in`
    struct slot in[IN_SLOTS_MAX], out[SLOTS];
    float *restored; // a group, for the check, or NULL
    struct wp_transform *last, *check; // for a shorter last group; for the inverse of the check
    int checked;                       // number of slices of `check`
    double start;                      // time when the run began
};

static struct slot *in_of(struct job *j, int item)
{
    return &j->in[item % j->in_slots];
}

static float *allocate(const struct job *j)
{
    return wp_allocate_pages(j->samples * (size_t)j->group, sizeof(float), "a group of slices");
}

static bool read_group(struct job *j, struct slot *to)
{
    return wp_slices_read(j->flow->groups.from, to->data, j->group, &to->depth);
}

// Reads a group; begin() has read the first one.
static bool read_step(void *user, int item, bool *end)
{
    struct job *j = user;
    struct slot *in = in_of(j, item);
    if (item > 0 && !read_group(j, in))
        return false;
    *end = in->depth == 0;
    return true;
}

// Creates the transform of a group of `depth` slices, with the parameters of full groups except the
// levels along z: as many as fit. One slice has all of them, since they do not change it.
static struct wp_transform *derive(const struct job *j, int depth)
{
    const struct wp_transform_info *info = wp_transform_get_info(j->flow->transform);
    const struct wp_description *d = wp_transform_description(j->flow->transform);
    struct wp_transform_params p = *j->flow->params;
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

static bool run(struct job *j, struct wp_transform *transform, enum wp_direction direction,
                const float *from, float *to)
{
    struct wp_flow_seconds *seconds = &j->flow->seconds;
    const bool ok = direction == WP_FORWARD
                        ? wp_transform_forward(transform, WP_ARRAY(from), WP_ARRAY(to))
                        : wp_transform_inverse(transform, WP_ARRAY(from), WP_ARRAY(to));
    if (ok && direction == j->flow->command->direction) {
        const struct wp_transform_info *info = wp_transform_get_info(transform);
        seconds->load += info->load_seconds;
        seconds->transform += info->seconds;
        seconds->store += info->store_seconds;
    }
    return ok;
}

// True if the last group is one slice and the transform has levels only along z: it is copied then.
static bool is_copied(const struct job *j, int depth)
{
    return depth == 1 && depth < j->group &&
           wp_transform_get_info(j->flow->transform)->levels == 0;
}

static struct wp_transform *transform_of(const struct job *j, int depth)
{
    return depth < j->group ? j->last : j->flow->transform;
}

// Creates the transform for a shorter last group if it is needed. False after an error.
static bool find_transform(struct job *j, int depth)
{
    if (depth < j->group && !j->last)
        j->last = derive(j, depth);
    return transform_of(j, depth) != NULL;
}

// Inverts the output of a group and updates max_error.
static bool check_group(struct job *j, const float *from, const float *out, int depth)
{
    struct wp_flow *f = j->flow;
    const size_t count = j->samples * (size_t)depth;
    if (f->values.nonfinite > 0 || is_copied(j, depth))
        return true;
    const double start = wp_clock_seconds();
    if (j->checked != depth) {
        wp_transform_destroy(&j->check);
        j->check = derive(j, depth);
        j->checked = depth;
    }
    if (!j->check || !run(j, j->check, WP_INVERSE, out, j->restored))
        return false;
    f->max_error = fmax(f->max_error, wp_run_difference(j->restored, from, count));
    f->seconds.check += wp_clock_seconds() - start;
    return true;
}

static void count_values(struct job *j, const float *from, int depth)
{
    const struct wp_slices_info *info = wp_slices_info(j->flow->groups.from);
    if (info->origin.bits >= 32)
        wp_count_values(&j->flow->values, &info->origin, from,
                        j->samples * (size_t)depth);
}

// Checks and counts a group whose output is complete.
static bool finish_group(struct job *j, const struct slot *in, struct slot *out)
{
    struct wp_flow *f = j->flow;
    count_values(j, in->data, in->depth);
    if (j->restored && !check_group(j, in->data, out->data, in->depth))
        return false;
    out->depth = in->depth;
    f->shape.depth += in->depth;
    const double rate = f->shape.depth / (wp_clock_seconds() - j->start);
    const int all = wp_slices_info(f->groups.from)->depth;
    if (all)
        wp_progress("%d of %d slices, %.0f per second", f->shape.depth, all, rate);
    else
        wp_progress("%d frames, %.0f per second", f->shape.depth, rate);
    return true;
}

// load_step() and run_step() exist only in the overlapped pipeline.
static bool load_step(void *user, int item, bool *end)
{
    struct job *j = user;
    const struct slot *in = in_of(j, item);
    (void)end;
    if (is_copied(j, in->depth))
        return true;
    const bool first = in->depth < j->group && !j->last;
    if (!find_transform(j, in->depth))
        return false;
    struct wp_transform *transform = transform_of(j, in->depth);
    if ((first && !wp_transform_begin_items(transform, j->flow->command->direction)) ||
        !wp_transform_load_item(transform, item, in->data))
        return false;
    j->flow->seconds.load += wp_transform_get_info(transform)->load_seconds;
    return true;
}

static bool run_step(void *user, int item, bool *end)
{
    struct job *j = user;
    const struct slot *in = in_of(j, item);
    (void)end;
    if (is_copied(j, in->depth))
        return true;
    struct wp_transform *transform = transform_of(j, in->depth);
    if (!wp_transform_run_item(transform, item))
        return false;
    j->flow->seconds.transform += wp_transform_get_info(transform)->seconds;
    return true;
}

// Gets the output of a group: transforms it, or stores it after load_step() and run_step().
static bool output_group(struct job *j, int item, const struct slot *in, struct slot *out)
{
    const struct wp_flow *f = j->flow;
    if (is_copied(j, in->depth)) {
        memcpy(out->data, in->data, j->samples * sizeof *out->data);
        return true;
    }
    if (!f->groups.overlapped)
        return find_transform(j, in->depth) && run(j, transform_of(j, in->depth),
                                                   f->command->direction, in->data, out->data);
    struct wp_transform *transform = transform_of(j, in->depth);
    if (!wp_transform_store_item(transform, item, out->data))
        return false;
    j->flow->seconds.store += wp_transform_get_info(transform)->store_seconds;
    return true;
}

static bool output_step(void *user, int item, bool *end)
{
    struct job *j = user;
    const struct slot *in = in_of(j, item);
    struct slot *out = &j->out[item % SLOTS];
    (void)end;
    return output_group(j, item, in, out) && finish_group(j, in, out);
}

static bool write_step(void *user, int item, bool *end)
{
    struct job *j = user;
    const struct slot *out = &j->out[item % SLOTS];
    (void)end;
    return wp_slices_write(j->flow->groups.to, out->data, out->depth);
}

// Reads the first group, whose number of slices defines the transform, and creates the transform.
static bool begin(struct job *j)
{
    struct wp_flow *f = j->flow;
    const struct wp_slices_info *info = wp_slices_info(f->groups.from);
    const int gop = f->params->gop;
    j->group = info->depth > 0 && info->depth < gop ? info->depth : gop;
    j->samples = (size_t)info->width * (size_t)info->height;
    j->in[0].data = allocate(j);
    const double start = wp_clock_seconds();
    if (!j->in[0].data || !read_group(j, &j->in[0]))
        return false;
    f->seconds.read = wp_clock_seconds() - start;
    if (j->in[0].depth == 0)
        return wp_fail(WP_ERROR_FILE, "%s: no frames", wp_slices_name(f->groups.from));
    j->group = j->in[0].depth;
    count_values(j, j->in[0].data, j->group);
    f->shape = (struct wp_image){.width = info->width, .height = info->height,
                                 .depth = j->group, .planes = 1};
    struct wp_transform_params params = *f->params;
    params.gop = 0;
    f->transform =
        wp_run_create(&params, &f->shape, f->command->direction, f->values.nonfinite,
                      &f->chosen_by);
    f->values = (struct wp_value_counts){0}; // finish_group() counts this group again
    f->shape.depth = 0;
    f->max_error = 0;
    return f->transform != NULL;
}

static bool prepare_slot(const struct job *j, struct slot *slot)
{
    const struct wp_backend_choice *on = wp_transform_choice(j->flow->transform);
    if (!slot->data)
        slot->data = allocate(j);
    slot->pinned = slot->data && on->backend->pin &&
                    on->backend->pin(on->device, slot->data,
                                     j->samples * (size_t)j->group * sizeof *slot->data);
    return slot->data != NULL;
}

static void free_slot(const struct job *j, struct slot *slot)
{
    if (slot->pinned) {
        const struct wp_backend_choice *on = wp_transform_choice(j->flow->transform);
        on->backend->unpin(on->device, slot->data);
    }
    free(slot->data);
}

static bool allocate_others(struct job *j)
{
    bool ok = true;
    for (int i = 0; i < j->in_slots; i++)
        ok = ok && prepare_slot(j, &j->in[i]);
    for (int i = 0; i < SLOTS; i++)
        ok = ok && prepare_slot(j, &j->out[i]);
    j->restored = ok && j->flow->groups.check ? allocate(j) : NULL;
    return ok && (j->restored || !j->flow->groups.check);
}

// True if transfers and the transform can overlap, each in its own thread. False for backends on
// the host, which need no transfers, unless a test sets WAVEPASS_APART.
static bool is_overlapped(const struct wp_transform *transform)
{
    const struct wp_backend *backend = wp_transform_choice(transform)->backend;
    const struct wp_description *d = wp_transform_description(transform);
    struct wp_description stages[WP_CHAIN_MAX];
    return backend->overlaps && (!backend->transform || getenv("WAVEPASS_APART")) &&
           wp_description_levels(d) > 0 && wp_description_chain(d, stages) == 1 &&
           wp_description_is_native(d);
}

// Runs `count` stages, of which the first reads and the last writes. The stage `output` is in the
// caller's thread.
static bool run_pipeline(struct job *j, struct wp_pipeline_stage *stage, int count, int output,
                         int in_slots)
{
    j->in_slots = in_slots;
    const bool ok = allocate_others(j) && wp_pipeline_run(stage, count, output, j);
    j->flow->seconds.read += stage[0].seconds;
    j->flow->seconds.write = stage[count - 1].seconds;
    return ok;
}

// Runs load, transform and store in one stage.
static bool run_sequential(struct job *j)
{
    struct wp_pipeline_stage stage[] = {
        {.step = read_step, .slots = SLOTS},
        {.step = output_step, .slots = SLOTS},
        {.step = write_step},
    };
    return run_pipeline(j, stage, 3, 1, SLOTS);
}

static bool run_overlapped(struct job *j)
{
    enum { READ, LOAD, RUN, STORE, WRITE, STAGES };
    const int items = wp_transform_begin_items(j->flow->transform, j->flow->command->direction);
    struct wp_pipeline_stage stage[STAGES] = {
        [READ] = {.step = read_step, .slots = IN_SLOTS_MAX, .until = STORE},
        [LOAD] = {.step = load_step, .slots = items},
        [RUN] = {.step = run_step, .slots = items},
        [STORE] = {.step = output_step, .slots = SLOTS},
        [WRITE] = {.step = write_step},
    };
    return items > 0 && run_pipeline(j, stage, STAGES, STORE, IN_SLOTS_MAX);
}

static bool run_stages(struct job *j)
{
    struct wp_flow *f = j->flow;
    j->start = wp_clock_seconds();
    if (!begin(j))
        return false;
    f->groups.overlapped = is_overlapped(f->transform);
    const bool ok = (f->groups.overlapped ? run_overlapped : run_sequential)(j);
    f->seconds.wall = wp_clock_seconds() - j->start;
    if (f->values.nonfinite > 0)
        f->max_error = NAN;
    return ok;
}

bool wp_gop_pipeline_run(struct wp_flow *f)
{
    struct job j = {.flow = f, .in_slots = 1};
    const bool ok = run_stages(&j);
    for (int i = 0; i < IN_SLOTS_MAX; i++)
        free_slot(&j, &j.in[i]);
    for (int i = 0; i < SLOTS; i++)
        free_slot(&j, &j.out[i]);
    free(j.restored);
    wp_transform_destroy(&j.last);
    wp_transform_destroy(&j.check);
    if (ok)
        wp_warn_of_values(&f->values, wp_slices_name(f->groups.from));
    return ok;
}

static double rate_of(const struct wp_flow *f)
{
    return f->shape.depth / f->seconds.wall;
}

// The name of the stage that takes the most time.
static const char *bottleneck(const struct wp_flow *f)
{
    const struct wp_flow_seconds *s = &f->seconds;
    const struct {
        const char *name;
        double seconds;
    } stages[] = {
        {"read", s->read},
        {"write", s->write},
        {"transform", f->groups.overlapped ? s->transform
                                           : s->load + s->transform + s->store + s->check},
        {"to_device", f->groups.overlapped ? s->load : 0},
        {s->check > s->store ? "check" : "from_device",
         f->groups.overlapped ? s->store + s->check : 0},
    };
    int most = 0;
    for (int i = 1; i < (int)(sizeof stages / sizeof *stages); i++)
        most = stages[i].seconds > stages[most].seconds ? i : most;
    return stages[most].name;
}

void wp_gop_pipeline_log(const struct wp_flow *f)
{
    const struct wp_flow_seconds *s = &f->seconds;
    wp_log(WP_LOG_VERBOSE,
           "%d slices: read in %.2f s, uploaded in %.2f, transformed in %.2f, downloaded in %.2f, "
           "checked in %.2f, written in %.2f; total %.2f s, bottleneck '%s'",
           f->shape.depth, s->read, s->load, s->transform, s->store, s->check, s->write, s->wall,
           bottleneck(f));
}

void wp_gop_pipeline_add_rate(const struct wp_flow *f, struct wp_text *text)
{
    wp_text_add(text, ", %.0f slices per second with files", rate_of(f));
}

void wp_gop_pipeline_add_json(const struct wp_flow *f, json_t *object)
{
    const struct wp_flow_seconds *s = &f->seconds;
    json_object_set_new(object, "slices_per_second", wp_json_number(rate_of(f)));
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
                  "binds", bottleneck(f)));
}
