#include "report_times.h"

#include "html.h"
#include "results.h"

#include <math.h>
#include <string.h>

// A transform alone, of what the page is about.
static bool concerns(const struct wp_row *row, const struct wp_explain_params *params)
{
    const char *direction = wp_direction_names[params->direction];
    return row->kind == WP_ROW_TRANSFORM && strcmp(row->wavelet, params->wavelet->name) == 0 &&
           strcmp(row->direction, direction) == 0 && !row->includes[0] &&
           (!row->form[0] || strcmp(row->form, wp_form_names[params->form]) == 0) &&
           isfinite(row->median_ns);
}

// True where two rows differ in their scheme alone.
static bool is_same_line(const struct wp_row *a, const struct wp_row *b)
{
    return strcmp(a->backend, b->backend) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->device, b->device) == 0 && strcmp(a->border, b->border) == 0 &&
           strcmp(a->norm, b->norm) == 0 && strcmp(a->layout, b->layout) == 0 &&
           strcmp(a->precision, b->precision) == 0 &&
           a->width == b->width && a->height == b->height && a->levels == b->levels &&
           a->planes == b->planes;
}

static void add_time(const struct wp_row *row, int columns, struct wp_text *out)
{
    wp_text_add(out, columns > 1 ? "<td colspan=\"%d\">" : "<td>", columns);
    if (row) {
        char number[WP_NUMBER_SIZE];
        wp_text_add(out, "%s%s", wp_format_number(number, 1e-6 * row->median_ns, 4),
                    row->verified == 1 ? "" : "?");
    }
    wp_text_add(out, "</td>");
}

static const struct wp_row *find_row(const struct wp_results *results, int first,
                                     const char *scheme, const struct wp_explain_params *params)
{
    for (int i = first; i < results->row_count; i++)
        if (concerns(&results->row[i], params) &&
            is_same_line(&results->row[i], &results->row[first]) &&
            strcmp(results->row[i].scheme, scheme) == 0)
            return &results->row[i];
    return NULL;
}

static void add_line(const struct wp_results *results, int first,
                     const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_row *row = &results->row[first];
    wp_text_add(out, "<tr><th scope=\"row\">");
    wp_html_text(out, row->backend);
    wp_text_add(out, "%s", row->variant[0] ? " " : "");
    wp_html_text(out, row->variant);
    wp_text_add(out, "%s", row->device[0] ? ", " : "");
    wp_html_text(out, row->device);
    wp_text_add(out, "%s</th><td>%dx%d</td><td>%d</td>",
                row->software == 1 ? " (SOFTWARE)" : "", row->width, row->height, row->levels);
    // Where the scheme makes no difference, it is not named.
    if (row->scheme[0] == '\0')
        add_time(row, WP_SCHEME_KINDS, out);
    for (int k = 0; k < WP_SCHEME_KINDS && row->scheme[0]; k++)
        add_time(find_row(results, first, wp_scheme_kinds[k].name, params), 1, out);
    wp_text_add(out, "</tr>\n");
}

static bool is_first_of_line(const struct wp_results *results, int index,
                             const struct wp_explain_params *params)
{
    const struct wp_row *row = &results->row[index];
    if (!concerns(row, params))
        return false;
    for (int i = 0; i < index; i++)
        if (concerns(&results->row[i], params) && is_same_line(&results->row[i], row))
            return false;
    return true;
}

static void add_table(const struct wp_results *results, const struct wp_explain_params *params,
                      struct wp_text *out)
{
    struct wp_text lines = {0};
    for (int i = 0; i < results->row_count; i++)
        if (is_first_of_line(results, i, params))
            add_line(results, i, params, &lines);
    if (lines.length == 0) {
        wp_html_element(out, "p", "The results given have no row for this wavelet.");
        return;
    }
    wp_html_begin_wide(out, "Measured times");
    wp_text_add(out, "<table>\n<thead><tr><th scope=\"col\">median, milliseconds</th>"
                     "<th scope=\"col\">size</th><th scope=\"col\">levels</th>");
    for (int k = 0; k < WP_SCHEME_KINDS; k++)
        wp_html_heading_cell(out, wp_scheme_kinds[k].name);
    wp_text_add(out, "</tr></thead>\n<tbody>\n%s</tbody>\n</table>\n", wp_text_get(&lines));
    wp_html_end_wide(out);
    if (strstr(wp_text_get(&lines), "?</td>"))
        wp_html_element(out, "p", "?: this configuration's result was not compared with the "
                                  "reference.");
    wp_text_free(&lines);
}

bool wp_report_times(const char *path, const struct wp_explain_params *params,
                     struct wp_text *out)
{
    struct wp_results results;
    if (!wp_results_read(path, &results))
        return false;
    add_table(&results, params, out);
    wp_results_free(&results);
    return true;
}
