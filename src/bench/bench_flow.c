#include "bench_flow.h"

#include "clock.h"
#include "pipeline.h"

// Number of transforms per run.
enum { COUNT = 9 };

struct flow {
    const struct wp_backend *backend;
    struct wp_exec *const *exec;
    const struct wp_operand *from, *to;
    double first, last; // times at which the first and last download ended
};

bool wp_bench_flows(const struct wp_backend *backend, const struct wp_description *description)
{
    return backend->overlaps && wp_description_levels(description) > 0;
}

static struct wp_exec *exec_of(const struct flow *f, int item)
{
    return f->exec[item % WP_BENCH_FLOW_EXECS];
}

static bool load(void *user, int item, bool *end)
{
    const struct flow *f = user;
    *end = item == COUNT;
    return *end || f->backend->load(exec_of(f, item), f->from);
}

static bool run(void *user, int item, bool *end)
{
    const struct flow *f = user;
    (void)end;
    return f->backend->run(exec_of(f, item), NULL);
}

static bool store(void *user, int item, bool *end)
{
    struct flow *f = user;
    (void)end;
    const bool ok = f->backend->store(exec_of(f, item), f->to);
    f->last = wp_clock_seconds();
    f->first = item == 0 ? f->last : f->first;
    return ok;
}

bool wp_bench_flow_run(const struct wp_backend *backend, struct wp_exec *const exec[],
                       const struct wp_operand *from, const struct wp_operand *to, double *seconds)
{
    struct flow f = {.backend = backend, .exec = exec, .from = from, .to = to};
    struct wp_pipeline_stage stage[] = {
        {.step = load, .slots = WP_BENCH_FLOW_EXECS},
        {.step = run, .slots = WP_BENCH_FLOW_EXECS},
        {.step = store},
    };
    const bool ok = wp_pipeline_run(stage, 3, 1, &f);
    *seconds = (f.last - f.first) / (COUNT - 1);
    return ok;
}
