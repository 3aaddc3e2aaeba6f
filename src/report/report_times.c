#include "report_times.h"

#include "html.h"
#include "results.h"

#include <math.h>
#include <string.h>

// Whether a row is of a transform with the wavelet, direction and form of the page.
static bool matches(const struct wp_row *row, const struct wp_explain_params *params)
{
    const char *direction = wp_direction_names[params->direction];
    return row->kind == WP_ROW_TRANSFORM && strcmp(row->wavelet, params->wavelet->name) == 0 &&
           strcmp(row->direction, direction) == 0 && !row->includes[0] &&
           (!row->form[0] || strcmp(row->form, wp_form_names[params->form]) == 0) &&
           isfinite(row->median_ns);
}

// The keys of all fields (fields.h).
#define KEY_BIT(member, NAME, word, help) WP_KEY_BIT(WP_KEY_##NAME) |
#define FIELD_KEYS (WP_FIELDS_DYADIC(KEY_BIT) 0U)

// Whether two rows differ only in size and scheme.
static bool is_same_group(const struct wp_row *a, const struct wp_row *b)
{
    return strcmp(a->backend, b->backend) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->device, b->device) == 0 && a->planes == b->planes &&
           wp_row_keys_equal(a, b, FIELD_KEYS);
}

// Whether two rows differ only in their scheme.
static bool is_same_line(const struct wp_row *a, const struct wp_row *b)
{
    return is_same_group(a, b) && a->width == b->width && a->height == b->height &&
           a->levels == b->levels;
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
        if (matches(&results->row[i], params) &&
            is_same_line(&results->row[i], &results->row[first]) &&
            strcmp(results->row[i].scheme, scheme) == 0)
            return &results->row[i];
    return NULL;
}

static void add_line(const struct wp_results *results, int first,
                     const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_row *row = &results->row[first];
    wp_text_add(out, "<tr><th scope=\"row\">%dx%d</th><td>%d</td>", row->width, row->height,
                row->levels);
    // Rows have no scheme if it makes no difference.
    if (row->scheme[0] == '\0')
        add_time(row, WP_SCHEME_KINDS, out);
    for (int k = 0; k < WP_SCHEME_KINDS && row->scheme[0]; k++)
        add_time(find_row(results, first, wp_scheme_kinds[k].name, params), 1, out);
    wp_text_add(out, "</tr>\n");
}

static void add_word(const char *separator, const char *word, struct wp_text *out)
{
    if (*word) {
        wp_text_add(out, "%s", separator);
        wp_html_text(out, word);
    }
}

static const char *condition(const struct wp_row *row, int number)
{
    char unused[WP_KEY_SIZE_MOST];
    return wp_row_key(row, (enum wp_row_key)(WP_KEY_BORDER + number), unused);
}

// Adds the conditions that differ between groups: ", periodic, 3 planes".
static void add_conditions(const struct wp_results *results, const struct wp_row *row,
                           const struct wp_explain_params *params, struct wp_text *out)
{
    bool differs[WP_FIELD_DYADIC] = {0}, planes_differ = false;
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *other = &results->row[i];
        for (int c = 0; c < WP_FIELD_DYADIC && matches(other, params); c++)
            differs[c] = differs[c] || strcmp(condition(other, c), condition(row, c)) != 0;
        planes_differ = planes_differ || (matches(other, params) && other->planes != row->planes);
    }
    for (int c = 0; c < WP_FIELD_DYADIC; c++)
        if (differs[c])
            add_word(", ", condition(row, c), out);
    if (planes_differ)
        wp_text_add(out, ", %d plane%s", row->planes, WP_PLURAL(row->planes));
}

// Adds a heading across all columns: "fragment passes, NVIDIA H200/PCIe/SSE2".
static void add_heading(const struct wp_results *results, const struct wp_row *row,
                        const struct wp_explain_params *params, struct wp_text *out)
{
    wp_text_add(out, "<tr><th scope=\"rowgroup\" colspan=\"%d\">", 2 + WP_SCHEME_KINDS);
    wp_html_text(out, row->backend);
    add_word(" ", row->variant, out);
    add_word(", ", row->device, out);
    wp_text_add(out, "%s", row->software == 1 ? " (SOFTWARE)" : "");
    add_conditions(results, row, params, out);
    wp_text_add(out, "</th></tr>\n");
}

static bool is_first(const struct wp_results *results, int index,
                     const struct wp_explain_params *params,
                     bool (*is_same)(const struct wp_row *a, const struct wp_row *b))
{
    const struct wp_row *row = &results->row[index];
    if (!matches(row, params))
        return false;
    for (int i = 0; i < index; i++)
        if (matches(&results->row[i], params) && is_same(&results->row[i], row))
            return false;
    return true;
}

// Adds the lines of the group that begins with row `first`.
static void add_group(const struct wp_results *results, int first,
                      const struct wp_explain_params *params, struct wp_text *out)
{
    wp_text_add(out, "<tbody>\n");
    add_heading(results, &results->row[first], params, out);
    for (int i = first; i < results->row_count; i++)
        if (is_same_group(&results->row[first], &results->row[i]) &&
            is_first(results, i, params, is_same_line))
            add_line(results, i, params, out);
    wp_text_add(out, "</tbody>\n");
}

static void add_table(const struct wp_results *results, const struct wp_explain_params *params,
                      struct wp_text *out)
{
    struct wp_text groups = {0};
    for (int i = 0; i < results->row_count; i++)
        if (is_first(results, i, params, is_same_group))
            add_group(results, i, params, &groups);
    if (groups.length == 0) {
        wp_html_element(out, "p", "The results have no row for this wavelet.");
        return;
    }
    wp_html_element(out, "p", "Median time of the transform in milliseconds.");
    wp_html_begin_wide(out, "Measured times");
    wp_text_add(out, "<table class=\"times\">\n<thead><tr><th scope=\"col\">size</th>"
                     "<th scope=\"col\">levels</th>");
    for (int k = 0; k < WP_SCHEME_KINDS; k++)
        wp_text_add(out, "<th scope=\"col\">%s</th>", wp_scheme_kinds[k].alias);
    wp_text_add(out, "</tr></thead>\n%s</table>\n", wp_text_get(&groups));
    wp_html_end_wide(out);
    if (strstr(wp_text_get(&groups), "<td colspan"))
        wp_html_element(out, "p", "A time across all columns does not depend on the scheme.");
    if (strstr(wp_text_get(&groups), "?</td>"))
        wp_html_element(out, "p", "?: the result of this configuration was not compared with the "
                                  "reference.");
    wp_text_free(&groups);
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
