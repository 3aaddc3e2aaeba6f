#include "listing.h"

#include "emit.h"
#include "explain.h"
#include "viewer_struct.h"

#include <string.h>

extern const unsigned char wp_shader_gather[], wp_shader_spread[];

const struct wp_op *wp_current_op(struct wp_viewer *v)
{
    if (!v->ready[WP_A])
        return NULL;
    const struct wp_schedule *schedule =
        wp_instance_schedule(&v->instance[WP_A], (enum wp_direction)v->state.direction);
    if (!schedule || schedule->op_count == 0)
        return NULL;
    const int op = v->state.op < schedule->op_count ? v->state.op : schedule->op_count;
    return &schedule->op[op > 0 ? op - 1 : 0];
}

// Explains A's scheme.
static bool explain(struct wp_viewer *v, enum wp_explain_topic topic, enum wp_explain_format format,
                    struct wp_text *text)
{
    const struct wp_instance *a = &v->instance[WP_A];
    const struct wp_explain_params params = {
        .wavelet = &a->wavelet,
        .kind = &wp_scheme_kinds[a->params.view.scheme],
        .form = topic == WP_EXPLAIN_CUDA   ? WP_FORM_BLOCK
                : a->params.view.plain ? WP_FORM_PLAIN
                                       : WP_FORM_SHADER,
        .direction = (enum wp_direction)v->state.direction,
        .norm = (enum wp_norm)a->params.norm,
        .reversible = a->params.view.reversible,
        .dims = v->volume ? 3 : 2,
        .topic = topic,
        .format = format,
    };
    return v->ready[WP_A] && wp_explain(&params, text);
}

// The shader of the timeline's pass, or the CUDA kernel of the scheme.
static bool add_shader(struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_backend *backend = v->instance[WP_A].backend;
    if (backend && strncmp(backend->name, "cuda", 4) == 0)
        return !v->volume && explain(v, WP_EXPLAIN_CUDA, WP_EXPLAIN_TXT, text);
    const struct wp_op *op = wp_current_op(v);
    if (!op)
        return false;
    if (op->kind == WP_OP_PASS)
        wp_emit_fragment_pass(op->scheme, op->pass, text);
    else if (op->kind == WP_OP_GATHER)
        wp_text_add(text, "%s", (const char *)wp_shader_gather);
    else if (op->kind == WP_OP_SPREAD)
        wp_text_add(text, "%s", (const char *)wp_shader_spread);
    else
        return false;
    return true;
}

bool wp_listing_text(struct wp_viewer *v, struct wp_text *text)
{
    switch ((enum wp_inspector)v->state.inspector) {
    case WP_INSPECT_MATRIX: return explain(v, WP_EXPLAIN_MATRIX, WP_EXPLAIN_TXT, text);
    case WP_INSPECT_SHADER: return add_shader(v, text);
    default: return false;
    }
}

bool wp_listing_diagram(struct wp_viewer *v, struct wp_text *svg)
{
    return explain(v, WP_EXPLAIN_DIAGRAM, WP_EXPLAIN_SVG, svg);
}
