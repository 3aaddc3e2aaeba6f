#include "lesson_run.h"

#include "description.h"
#include "octets.h"
#include "schedule.h"
#include "reference.h"

double wp_lesson_value(const struct wp_lesson_state *state, int component,
                       const int at[WP_DIMS_MAX])
{
    size_t number = 0;
    for (int a = WP_DIMS_MAX - 1; a >= 0; a--)
        number = number * (size_t)state->extent[a] + (size_t)(at[a] - state->low[a]);
    return (double)state->values[number * (size_t)state->components + (size_t)component];
}

// The schedule of an image and the caller's callback.
struct images {
    const struct wp_schedule *schedule;
    wp_lesson_watch watch;
    void *user;
};

static bool report_quads(void *user, const struct wp_pass_state *now)
{
    static const enum wp_lesson_step steps[] = {[WP_OP_PASS] = WP_LESSON_PASS,
                                                [WP_OP_GATHER] = WP_LESSON_GATHER,
                                                [WP_OP_SPREAD] = WP_LESSON_SPREAD};
    const struct images *images = user;
    const struct wp_op *op = now->op, *first = &images->schedule->op[0];
    const struct wp_transfer *transfer = &images->schedule->load[0];
    return images->watch(images->user, &(struct wp_lesson_state){
        .step = op ? steps[op->kind] : WP_LESSON_INPUT,
        .level = op ? op->level : first->level,
        .pass = op ? op->pass : 0,
        .scheme = op && op->scheme ? op->scheme : first->scheme,
        .size = {op ? op->width : transfer->width, op ? op->height : transfer->height, 1},
        .axes = WP_AXIS_BOTH,
        .low = {now->domain.x, now->domain.y, 0},
        .extent = {now->domain.width, now->domain.height, 1},
        .components = WP_COMPONENTS,
        .values = now->quads,
        .seconds = now->seconds,
    });
}

static bool run_quads(const struct wp_description *description, const struct wp_image *image,
                      wp_lesson_watch watch, void *user)
{
    struct wp_schedule *schedule = wp_schedule_passes(description);
    struct images images = {schedule, watch, user};
    const bool ok =
        schedule && wp_reference_watch(schedule, image->plane[0], report_quads, &images);
    wp_schedule_destroy(&schedule);
    return ok;
}

bool wp_lesson_run(const struct wp_description *description, const struct wp_image *image,
                   const int *voxel, wp_lesson_watch watch, void *user)
{
    if (description->size[WP_Z] == 0)
        return run_quads(description, image, watch, user);
    return wp_description_check(description) &&
           wp_lesson_octets(description, image->plane[0], voxel, watch, user);
}

void wp_lesson_state_name(struct wp_text *out, const struct wp_lesson_state *state)
{
    switch (state->step) {
    case WP_LESSON_INPUT: wp_text_add(out, "input"); break;
    case WP_LESSON_PASS:
        wp_text_add(out, "level %d, pass %d of %d", state->level, state->pass + 1,
                    state->scheme->pass_count);
        break;
    default:
        wp_text_add(out, "level %d, %s", state->level,
                    state->step == WP_LESSON_GATHER ? "gather" : "spread");
        break;
    }
}
