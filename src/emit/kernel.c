#include "kernel.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

// Resizes an array of `count` elements for one more, and updates its capacity. NULL if memory is
// exhausted.
static void *grow(void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    void *larger = wp_try_resize(array, 2 * (size_t)*capacity + 64, size);
    if (larger)
        *capacity = 2 * *capacity + 64;
    return larger;
}

struct wp_instruction *wp_kernel_add(struct wp_kernel *kernel, enum wp_instruction_kind kind)
{
    const struct wp_instruction added = {.kind = kind, .first = kernel->operand_count};
    struct wp_instruction *all =
        kernel->failed ? NULL : grow(kernel->instruction, kernel->instruction_count,
                                     &kernel->instruction_capacity, sizeof *all);
    if (!all) {
        kernel->failed = true;
        kernel->spare = added;
        return &kernel->spare;
    }
    kernel->instruction = all;
    all[kernel->instruction_count] = added;
    return &all[kernel->instruction_count++];
}

void wp_kernel_add_operand(struct wp_kernel *kernel, double c, struct wp_value value)
{
    struct wp_kernel_term *all =
        kernel->failed ? NULL : grow(kernel->operand, kernel->operand_count,
                                     &kernel->operand_capacity, sizeof *all);
    if (!all) {
        kernel->failed = true;
        return;
    }
    kernel->operand = all;
    all[kernel->operand_count++] = (struct wp_kernel_term){.c = c, .value = value};
    kernel->instruction[kernel->instruction_count - 1].count++;
}

int wp_kernel_add_row(struct wp_kernel *kernel, const struct wp_pass *pass, int row)
{
    const int first = kernel->operand_count;
    const int *low = pass->reach.low, *high = pass->reach.high;
    struct wp_value value = {.step = WP_LOADED};
    int *at = value.at;
    for (at[WP_Z] = low[WP_Z]; at[WP_Z] <= high[WP_Z]; at[WP_Z]++) {
        for (at[WP_Y] = low[WP_Y]; at[WP_Y] <= high[WP_Y]; at[WP_Y]++) {
            for (at[WP_X] = low[WP_X]; at[WP_X] <= high[WP_X]; at[WP_X]++) {
                for (int column = 0; column < pass->core.components; column++) {
                    const struct wp_term *term = wp_poly_find(&pass->core.at[row][column], at);
                    value.component = column;
                    if (term)
                        wp_kernel_add_operand(kernel, term->c, value);
                }
            }
        }
    }
    return first;
}

void wp_kernel_round(struct wp_instruction *sum, const struct wp_pass *pass, int row)
{
    sum->rounded = pass->rounded >> row & 1;
    sum->round = pass->round;
}

void wp_kernel_free(struct wp_kernel *kernel)
{
    free(kernel->instruction);
    free(kernel->operand);
    *kernel = (struct wp_kernel){0};
}

// ---- passes ----

// The quad at (0, 0), or the octet at (0, 0, 0). Components 0 and 4 are the first of its texels.
static const struct wp_value loaded = {.step = WP_LOADED};
static const struct wp_value result = {0};

static int components_of(const struct wp_kernel *k)
{
    return 1 << k->scheme->dims;
}

static struct wp_value component_of(struct wp_value quad, int component)
{
    quad.component = component;
    return quad;
}

static bool is_scaled(const double scale[WP_COMPONENTS])
{
    for (int c = 0; c < WP_COMPONENTS; c++)
        if (scale[c] < 1.0 || scale[c] > 1.0)
            return true;
    return false;
}

// Scales a quad, or both quads of an octet.
static void scale_quads(struct wp_kernel *k, struct wp_value quad, const double scale[])
{
    for (int first = 0; first < components_of(k); first += WP_COMPONENTS) {
        if (!is_scaled(scale + first))
            continue;
        wp_kernel_add(k, WP_SCALE)->value = component_of(quad, first);
        for (int c = first; c < first + WP_COMPONENTS; c++)
            wp_kernel_add_operand(k, scale[c], component_of(quad, c));
    }
}

static void add_constants(struct wp_kernel *k, struct wp_value quad,
                          const struct wp_constant *constants, int count)
{
    for (int i = 0; i < count; i++) {
        struct wp_statement statement[WP_STATEMENTS_MAX];
        wp_kernel_add(k, WP_NOTE)->constant = &constants[i];
        const int statements = wp_scheme_statements(k->scheme, &constants[i], statement);
        for (int s = 0; s < statements; s++) {
            wp_kernel_add(k, WP_ADD)->value = component_of(quad, statement[s].destination);
            wp_kernel_add_operand(k, statement[s].c, component_of(quad, statement[s].source));
        }
    }
}

// True if the core reads the quad at a position whose first component is `first`. The quad at the
// result's position is always read.
static bool reads_quad(const struct wp_matrix *core, const int at[WP_VARIABLES], int first)
{
    bool reads = !at[WP_X] && !at[WP_Y] && !at[WP_Z];
    for (int i = 0; i < core->components && !reads; i++)
        for (int j = first; j < first + WP_COMPONENTS && !reads; j++)
            reads = wp_poly_find(&core->at[i][j], at);
    return reads;
}

static void load_quads(struct wp_kernel *k, const struct wp_pass *pass)
{
    int at[WP_VARIABLES];
    for (at[WP_Z] = pass->reach.low[WP_Z]; at[WP_Z] <= pass->reach.high[WP_Z]; at[WP_Z]++) {
        for (at[WP_Y] = pass->reach.low[WP_Y]; at[WP_Y] <= pass->reach.high[WP_Y]; at[WP_Y]++) {
            for (at[WP_X] = pass->reach.low[WP_X]; at[WP_X] <= pass->reach.high[WP_X]; at[WP_X]++) {
                for (int first = 0; first < components_of(k); first += WP_COMPONENTS) {
                    if (!reads_quad(&pass->core, at, first))
                        continue;
                    struct wp_value quad = component_of(loaded, first);
                    memcpy(quad.at, at, sizeof quad.at);
                    wp_kernel_add(k, WP_LOAD);
                    wp_kernel_add_operand(k, 1, quad);
                }
            }
        }
    }
}

// Declares the quads that a pass computes, as copies of the loaded ones or without a value.
static void begin_quads(struct wp_kernel *k, bool as_loaded)
{
    for (int first = 0; first < components_of(k); first += WP_COMPONENTS) {
        wp_kernel_add(k, WP_BEGIN)->value = component_of(result, first);
        if (as_loaded)
            wp_kernel_add_operand(k, 1, component_of(loaded, first));
    }
}

void wp_kernel_of_pass(const struct wp_scheme *scheme, int pass_index, struct wp_kernel *k)
{
    const struct wp_pass *pass = &scheme->pass[pass_index];
    const bool first = pass_index == 0, last = pass_index == scheme->pass_count - 1;
    const bool as_loaded = wp_matrix_is_identity(&pass->core) && (pass->before_count || !first);
    *k = (struct wp_kernel){.shape = WP_SHAPE_PASS, .scheme = scheme, .pass = pass_index};
    load_quads(k, pass);
    // Constants precede the core only if it is local: they change the only quad that is read, after
    // that is scaled.
    if (first && pass->before_count)
        scale_quads(k, loaded, scheme->scale_in);
    add_constants(k, loaded, pass->before, pass->before_count);
    begin_quads(k, as_loaded);
    for (int row = 0; row < components_of(k) && !as_loaded; row++) {
        struct wp_instruction *sum = wp_kernel_add(k, WP_SUM);
        sum->value = component_of(result, row);
        wp_kernel_round(sum, pass, row);
        int o = wp_kernel_add_row(k, pass, row);
        if (o == k->operand_count && !k->failed)
            k->instruction_count--; // redundant banks: the component is not computed
        for (; first && !pass->before_count && o < k->operand_count; o++)
            k->operand[o].c *= scheme->scale_in[k->operand[o].value.component];
    }
    add_constants(k, result, pass->after, pass->after_count);
    if (last)
        scale_quads(k, result, scheme->scale_out);
    for (int quad = 0; quad < components_of(k); quad += WP_COMPONENTS)
        wp_kernel_add(k, WP_WRITE)->value = component_of(result, quad);
}

// ---- passes along z ----

// Compiles the steps along z for two slices of a volume: two texels, computed from those at the
// same position in adjacent slices.

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
