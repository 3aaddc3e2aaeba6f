// Compiles the steps along z for two slices of a volume: two texels, computed from those at the
// same position in adjacent slices.
#include "kernel.h"

#include "memory.h"

#include <stdlib.h>

struct maker {
    struct wp_kernel *kernel;
    const struct wp_lifting *lifting;
    int *latest;    // for each slice, the step that computed its latest value
    bool *needed; // whether its loaded value is read
};

static int slices_of(const struct wp_lifting *lifting)
{
    return 2 * (lifting->before + 1 + lifting->after);
}

// The index of slice `odd` of pair q; pair 0 is written.
static int slice_of(const struct wp_lifting *lifting, int q, bool odd)
{
    return 2 * (q + lifting->before) + odd;
}

static struct wp_value value_of(struct maker *m, int slice)
{
    m->needed[slice] = m->needed[slice] || m->latest[slice] == WP_LOADED;
    return (struct wp_value){.at = {[WP_Z] = slice}, .step = m->latest[slice]};
}

// Adds the steps, or only finds the slices that they need, which must be loaded before.
static void run_steps(struct maker *m, bool adds)
{
    const struct wp_lifting *lifting = m->lifting;
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *step = &lifting->step[s];
        for (int q = -step->before; q <= step->after && step->filter.count; q++) {
            const int target = slice_of(lifting, q, step->odd);
            struct wp_value value = value_of(m, target);
            const struct wp_value before = value;
            value.step = s;
            if (adds) {
                m->kernel->counts.operations += step->filter.count;
                wp_kernel_add(m->kernel, WP_SUM)->value = value;
                wp_kernel_add_operand(m->kernel, 1, before);
            }
            for (int t = 0; t < step->filter.count; t++) {
                const struct wp_tap *tap = &step->filter.tap[t];
                const struct wp_value other =
                    value_of(m, slice_of(lifting, q + tap->k, !step->odd));
                if (adds)
                    wp_kernel_add_operand(m->kernel, tap->c, other);
            }
            m->latest[target] = s;
        }
    }
}

static void forget_steps(struct maker *m)
{
    for (int i = 0; i < slices_of(m->lifting); i++)
        m->latest[i] = WP_LOADED;
}

static void make(struct maker *m)
{
    struct wp_kernel *k = m->kernel;
    const bool forward = m->lifting->direction == WP_FORWARD;
    forget_steps(m);
    run_steps(m, false);
    for (int odd = 0; odd < 2; odd++)
        value_of(m, slice_of(m->lifting, 0, odd));
    forget_steps(m);
    for (int i = 0; i < slices_of(m->lifting); i++) {
        if (!m->needed[i])
            continue;
        wp_kernel_add(k, WP_LOAD);
        wp_kernel_add_operand(k, forward ? 1 : m->lifting->gain[i & 1], value_of(m, i));
        k->counts.fetches++;
    }
    run_steps(m, true);
    for (int odd = 0; odd < 2; odd++) {
        wp_kernel_add(k, WP_WRITE)->index = odd;
        wp_kernel_add_operand(k, forward ? m->lifting->gain[odd] : 1,
                              value_of(m, slice_of(m->lifting, 0, odd)));
    }
}

void wp_kernel_of_depth(const struct wp_lifting *lifting, struct wp_kernel *k)
{
    const size_t slices = (size_t)slices_of(lifting);
    struct maker m = {
        .kernel = k,
        .lifting = lifting,
        .latest = wp_try_allocate(slices, sizeof *m.latest),
        .needed = wp_try_allocate(slices, sizeof *m.needed),
    };
    *k = (struct wp_kernel){.shape = WP_SHAPE_DEPTH, .lifting = lifting};
    k->failed = !m.latest || !m.needed;
    if (!k->failed)
        make(&m);
    free(m.latest);
    free(m.needed);
}
