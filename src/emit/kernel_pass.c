#include "kernel.h"

#include <string.h>

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
        for (; first && !pass->before_count && o < k->operand_count; o++)
            k->operand[o].c *= scheme->scale_in[k->operand[o].value.component];
    }
    add_constants(k, result, pass->after, pass->after_count);
    if (last)
        scale_quads(k, result, scheme->scale_out);
    for (int quad = 0; quad < components_of(k); quad += WP_COMPONENTS)
        wp_kernel_add(k, WP_WRITE)->value = component_of(result, quad);
}
