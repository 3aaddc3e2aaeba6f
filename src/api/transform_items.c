// Pipelined execution of groups of slices (transform.h).
#include "clock.h"
#include "log.h"
#include "transform_struct.h"

static struct wp_exec *prepare_second(const struct wp_transform *t)
{
    const struct wp_backend *backend = t->choice.backend;
    const struct wp_exec *first = wp_plan_exec(t->plan);
    wp_begin_attempt();
    struct wp_exec *exec =
        backend->prepare(t->choice.device, &t->plan->problem.description,
                         backend->variant ? backend->variant(first) : NULL);
    wp_end_attempt();
    if (!exec)
        wp_clear_error(); // memory is enough for one
    return exec;
}

int wp_transform_begin_items(struct wp_transform *t, enum wp_direction direction)
{
    t->description.direction = direction;
    if (!wp_transform_plan(t, wp_problem_of(&t->description)))
        return 0;
    if (!t->plan->exec) {
        wp_fail(WP_ERROR_TOO_LARGE, "%dx%d does not fit %s, and pipelined groups are not processed "
                "in parts", t->description.size[WP_X], t->description.size[WP_Y],
                t->choice.info.name);
        return 0;
    }
    if (!t->second)
        t->second = prepare_second(t);
    return t->second ? 2 : 1;
}

static struct wp_exec *exec_of(const struct wp_transform *t, int item)
{
    return t->second && item % 2 ? t->second : t->plan->exec;
}

bool wp_transform_load_item(struct wp_transform *t, int item, const float *from)
{
    const struct wp_operand operand = wp_operand_const(&t->description, from);
    const double start = wp_clock_seconds();
    const bool ok = t->choice.backend->load(exec_of(t, item), &operand);
    t->info.load_seconds = wp_clock_seconds() - start;
    return ok;
}

bool wp_transform_run_item(struct wp_transform *t, int item)
{
    return t->choice.backend->run(exec_of(t, item), &t->info.seconds);
}

bool wp_transform_store_item(struct wp_transform *t, int item, float *to)
{
    const struct wp_operand operand = wp_operand_dense(&t->description, to);
    const double start = wp_clock_seconds();
    const bool ok = t->choice.backend->store(exec_of(t, item), &operand);
    t->info.store_seconds = wp_clock_seconds() - start;
    return ok;
}
