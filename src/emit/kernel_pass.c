#include "kernel.h"

static const struct wp_value loaded = {.step = WP_LOADED}; // the quad at (0, 0)
static const struct wp_value result = {0};

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

static void scale_quad(struct wp_kernel *k, struct wp_value quad, const double scale[])
{
    if (!is_scaled(scale))
        return;
    wp_kernel_add(k, WP_SCALE)->value = quad;
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_kernel_add_operand(k, scale[c], component_of(quad, c));
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

static void load_quads(struct wp_kernel *k, const struct wp_pass *pass)
{
    for (int n = pass->reach.low[WP_Y]; n <= pass->reach.high[WP_Y]; n++) {
        for (int m = pass->reach.low[WP_X]; m <= pass->reach.high[WP_X]; m++) {
            if (!wp_matrix_reads(&pass->core, (const int[WP_VARIABLES]){m, n}))
                continue;
            wp_kernel_add(k, WP_LOAD);
            wp_kernel_add_operand(k, 1, (struct wp_value){.at = {m, n}, .step = WP_LOADED});
        }
    }
}

void wp_kernel_of_pass(const struct wp_scheme *scheme, int pass_index, struct wp_kernel *k)
{
    const struct wp_pass *pass = &scheme->pass[pass_index];
    const bool first = pass_index == 0, last = pass_index == scheme->pass_count - 1;
    *k = (struct wp_kernel){.shape = WP_SHAPE_PASS, .scheme = scheme, .pass = pass_index};
    load_quads(k, pass);
    // Constants run before the core only where it is local: then they change the one quad
    // that is read, and its scaling comes first.
    if (first && pass->before_count)
        scale_quad(k, loaded, scheme->scale_in);
    add_constants(k, loaded, pass->before, pass->before_count);
    wp_kernel_add(k, WP_BEGIN)->value = result;
    if (wp_matrix_is_identity(&pass->core) && (pass->before_count || !first)) {
        wp_kernel_add_operand(k, 1, loaded);
    } else {
        for (int row = 0; row < WP_COMPONENTS; row++) {
            wp_kernel_add(k, WP_SUM)->value = component_of(result, row);
            int o = wp_kernel_add_row(k, pass, row);
            for (; first && !pass->before_count && o < k->operand_count; o++)
                k->operand[o].c *= scheme->scale_in[k->operand[o].value.component];
        }
    }
    add_constants(k, result, pass->after, pass->after_count);
    if (last)
        scale_quad(k, result, scheme->scale_out);
    wp_kernel_add(k, WP_WRITE);
}
