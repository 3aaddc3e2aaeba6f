#include "explain_results.h"

#include "explain_html.h"
#include "log.h"

#include <jansson.h>
#include <string.h>

static const char *get(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static double get_number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static bool concerns(const json_t *row, const struct wp_explain_params *params)
{
    const char *direction = params->direction == WP_FORWARD ? "forward" : "inverse";
    return strcmp(get(row, "wavelet"), params->wavelet->name) == 0 &&
           strcmp(get(row, "direction"), direction) == 0 &&
           json_is_number(json_object_get(row, "median_ns"));
}

// True where two rows differ in their scheme alone.
static bool is_same_line(const json_t *a, const json_t *b)
{
    static const char *const names[] = {"backend", "variant"};
    static const char *const numbers[] = {"width", "height", "levels"};
    bool same = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        same = same && strcmp(get(a, names[i]), get(b, names[i])) == 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        same = same && !(get_number(a, numbers[i]) < get_number(b, numbers[i])) &&
               !(get_number(a, numbers[i]) > get_number(b, numbers[i]));
    return same;
}

static void add_line(const json_t *rows, size_t first, const struct wp_explain_params *params,
                     struct wp_text *out)
{
    const json_t *head = json_array_get(rows, first);
    wp_text_add(out, "<tr><th scope=\"row\">");
    wp_html_text(out, get(head, "backend"));
    wp_text_add(out, " ");
    wp_html_text(out, get(head, "variant"));
    wp_text_add(out, "</th><td>%.0fx%.0f</td><td>%.0f</td>", get_number(head, "width"),
                get_number(head, "height"), get_number(head, "levels"));
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        const json_t *found = NULL;
        for (size_t i = first; i < json_array_size(rows) && !found; i++) {
            const json_t *row = json_array_get(rows, i);
            if (concerns(row, params) && is_same_line(row, head) &&
                strcmp(get(row, "scheme"), wp_scheme_kinds[k].name) == 0)
                found = row;
        }
        char number[WP_NUMBER_SIZE];
        wp_text_add(out, "<td>%s</td>",
                    found ? wp_format_number(number, 1e-6 * get_number(found, "median_ns"), 4)
                          : "");
    }
    wp_text_add(out, "</tr>\n");
}

static int add_lines(const json_t *rows, const struct wp_explain_params *params,
                     struct wp_text *out)
{
    int count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        bool new_line = concerns(json_array_get(rows, i), params);
        for (size_t j = 0; j < i && new_line; j++)
            new_line = !concerns(json_array_get(rows, j), params) ||
                       !is_same_line(json_array_get(rows, i), json_array_get(rows, j));
        if (new_line) {
            add_line(rows, i, params, out);
            count++;
        }
    }
    return count;
}

bool wp_explain_results(const char *path, const struct wp_explain_params *params,
                        struct wp_text *out)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        return wp_fail(WP_ERROR_FILE, "%s: no results (%s)\nhint: 'wavepass bench --json FILE' "
                                      "writes them", path, error.text);
    const json_t *rows = json_object_get(root, "rows");
    if (!json_is_array(rows)) {
        json_decref(root);
        return wp_fail(WP_ERROR_FILE, "%s: no results (it has no array 'rows')\nhint: 'wavepass "
                                      "bench --json FILE' writes them", path);
    }
    wp_html_element(out, "h2", "Measured times");
    struct wp_text lines = {0};
    if (add_lines(rows, params, &lines) == 0) {
        wp_html_element(out, "p", "The results given have no row for this wavelet.");
    } else {
        wp_text_add(out, "<table>\n<thead><tr><th scope=\"col\">median, milliseconds</th>"
                         "<th scope=\"col\">size</th><th scope=\"col\">levels</th>");
        for (int k = 0; k < WP_SCHEME_KINDS; k++)
            wp_text_add(out, "<th scope=\"col\">%s</th>", wp_scheme_kinds[k].name);
        wp_text_add(out, "</tr></thead>\n<tbody>\n%s</tbody>\n</table>\n", wp_text_get(&lines));
    }
    wp_text_free(&lines);
    json_decref(root);
    return true;
}
