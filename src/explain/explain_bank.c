// Redundant banks: counts, matrices, shaders and diagrams of the passes of a level.
#include "explain_internal.h"

#include "emit.h"
#include "log.h"
#include "redundant.h"

// One level of an image that is large enough for each pass. The border is that of the wavelet's
// default: mirrored if its filters are symmetric about a sample.
static struct wp_description describe(const struct wp_explain_params *params)
{
    const bool mirrored = params->bank == WP_BANK_STARLET ||
                          params->wavelet->symmetry == WP_SYMMETRY_WHOLE;
    const bool volume = wp_explain_dims(params) == 3;
    return (struct wp_description){
        .wavelet = params->wavelet,
        .bank = params->bank,
        .direction = params->direction,
        .norm = params->norm,
        .border = mirrored ? WP_BORDER_SYMMETRIC : WP_BORDER_PERIODIC,
        .kind = params->kind,
        .size = {2, 2, volume ? 2 : 1},
        .levels = 1,
        .levels_z = volume,
    };
}

static void add_text_row(const struct wp_scheme *scheme, struct wp_text *out)
{
    wp_text_add(out, "%-22s %6d %11d %8d", scheme->kind->name, scheme->pass_count,
                wp_scheme_operations(scheme), wp_scheme_fetches(scheme));
    for (int p = 0; p < scheme->pass_count && scheme->pass_count > 1; p++)
        wp_text_add(out, "%s%d", p ? " + " : " = ", scheme->pass[p].reach.fetches);
    wp_text_add(out, "\n");
}

// The row of a scheme. False after WP_ERROR_TOO_LARGE.
static bool add_counts(struct wp_description d, const struct wp_scheme_kind *kind,
                       enum wp_explain_format format, struct wp_text *out)
{
    d.kind = kind;
    struct wp_scheme *scheme = wp_redundant_scheme(&d);
    if (!scheme)
        return false;
    if (format == WP_EXPLAIN_CSV || format == WP_EXPLAIN_MD)
        wp_text_add(out, format == WP_EXPLAIN_CSV ? "%s,%d,%d,%d\n" : "| %s | %d | %d | %d |\n",
                    kind->name, scheme->pass_count, wp_scheme_operations(scheme),
                    wp_scheme_fetches(scheme));
    else
        add_text_row(scheme, out);
    wp_scheme_destroy(&scheme);
    return true;
}

static bool add_table(const struct wp_explain_params *params, const struct wp_description *d,
                      const struct wp_scheme *chosen, struct wp_text *out)
{
    const struct wp_scheme_kind *kind;
    if (params->format == WP_EXPLAIN_CSV)
        wp_text_add(out, "scheme,passes,operations,fetches\n");
    else if (params->format == WP_EXPLAIN_MD)
        wp_text_add(out, "| scheme | passes | operations | fetches |\n|:---|---:|---:|---:|\n");
    else
        wp_text_add(out, "bank %s, %s%s%s\n\nscheme                 passes  operations  fetches\n",
                wp_bank_names[params->bank],
                params->bank == WP_BANK_STARLET ? "" : params->wavelet->name,
                params->bank == WP_BANK_STARLET ? "" : ", ", wp_direction_names[params->direction]);
    for (int k = 0; (kind = wp_scheme_kind_at(wp_explain_dims(params), k)); k++)
        if ((params->kind ? kind == params->kind : params->bank != WP_BANK_STARLET ||
                                                       kind->grouping == WP_GROUP_ALL) &&
            !add_counts(*d, kind, params->format, out))
            return false;
    if (params->format != WP_EXPLAIN_TXT)
        return true;
    wp_text_add(out, "\n");
    if (!params->kind)
        wp_explain_paragraph(out, 0, "Default: %s.", chosen->kind->name);
    wp_explain_paragraph(out, 0,
                         "Per sample and level: operations are multiply-adds, fetches are samples "
                         "that are read, each with all bands that the pass uses. A level reads the "
                         "low band of the level before in place, and its bands have the size of "
                         "the image. Taps of level l are 2^(l-1) samples apart, so all levels have "
                         "the same passes.");
    return true;
}

bool wp_explain_bank(const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_description d = describe(params);
    struct wp_scheme *scheme = wp_description_check(&d) ? wp_redundant_scheme(&d) : NULL;
    bool ok = scheme;
    if (ok && params->topic == WP_EXPLAIN_MATRIX && params->format != WP_EXPLAIN_TXT) {
        wp_explain_matrix_tex(scheme, true, params->format, out);
    } else if (ok && params->topic == WP_EXPLAIN_MATRIX) {
        wp_text_add(out, "%s, %s\n\n", scheme->name, wp_direction_names[params->direction]);
        wp_explain_matrix(scheme, true, out);
    } else if (ok && params->topic == WP_EXPLAIN_GLSL) {
        for (int p = 0; p < scheme->pass_count; p++) {
            wp_text_add(out, "%s", p ? "\n// ---------------- barrier ----------------\n\n" : "");
            wp_emit_fragment_pass(scheme, p, out);
        }
    } else if (ok && params->topic == WP_EXPLAIN_DIAGRAM && params->format == WP_EXPLAIN_SVG) {
        wp_explain_bank_diagram(scheme, params, out);
    } else if (ok && params->topic == WP_EXPLAIN_DIAGRAM) {
        wp_explain_diagram(scheme, params, out);
    } else if (ok) {
        ok = add_table(params, &d, scheme, out);
    }
    wp_scheme_destroy(&scheme);
    return ok;
}
