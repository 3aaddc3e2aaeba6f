// The topics that are a text.
#include "report_internal.h"

bool wp_report_topic(const struct wp_report_params *params, const struct wp_explain_params *explain,
                     struct wp_text *out)
{
    switch (explain->topic) {
    case WP_EXPLAIN_BORDER: return wp_report_border(explain, wp_report_border_of(params), out);
    case WP_EXPLAIN_SHIFT: return wp_report_shift(explain, params->input.levels, out);
    case WP_EXPLAIN_TILES: wp_report_tiles(explain, out); return true;
    default: break;
    }
    return explain->format == WP_EXPLAIN_JSON ? wp_report_json(explain, out)
                                              : wp_explain(explain, out);
}
