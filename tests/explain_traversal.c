#include "explain_traversal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int kinds_of(int dims)
{
    return dims == 3 ? WP_SCHEME_VOLUME_KINDS : WP_SCHEME_KINDS;
}

// Like strstr(), but the sanitizers' version measures the complete text at each call.
static const char *find(const char *text, const char *pattern)
{
    const size_t length = strlen(pattern);
    while ((text = strchr(text, *pattern)) && strncmp(text, pattern, length) != 0)
        text++;
    return text;
}

int count_of(const char *text, const char *pattern)
{
    int count = 0;
    for (const char *at = text; (at = find(at, pattern)); at += strlen(pattern))
        count++;
    return count;
}

void assert_columns(const struct wp_text *text, const char *label)
{
    for (const char *at = wp_text_get(text); *at;) {
        const size_t length = strcspn(at, "\n");
        if (length > 100)
            fail_msg("%s: %zu columns: %.*s", label, length, (int)length, at);
        at += length + (at[length] == '\n');
    }
}

void assert_lines_fit(const struct wp_wavelet *list, int count, int dims,
                      const enum wp_explain_topic *topic, int topics)
{
    const int kinds = kinds_of(dims);
    for (int i = 0; i < count * (kinds + 1) * topics * 4; i++) {
        const int kind = i / 4 / topics % (kinds + 1);
        const struct wp_explain_params params = {
            .wavelet = &list[i / 4 / topics / (kinds + 1)],
            .dims = dims,
            .kind = kind < kinds ? &wp_scheme_kinds[kind] : NULL,
            .numbers = i / 2 % 2,
            .direction = i % 2 ? WP_INVERSE : WP_FORWARD,
            .topic = topic[i / 4 % topics],
        };
        struct wp_text text = {0};
        assert_true(wp_explain(&params, &text));
        assert_columns(&text, params.wavelet->name);
        wp_text_free(&text);
    }
}

void assert_rows(const struct wp_text *text, const char *const *rows, int count)
{
    for (int r = 0; r < count; r++) {
        const char *at = find(wp_text_get(text), rows[r]);
        if (!at || at[strlen(rows[r])] != '\n')
            fail_msg("no row '%s'", rows[r]);
    }
}

// Each pass has as many arrows after its title as operations.
static void assert_steps(const char *svg, const struct wp_scheme *scheme)
{
    for (int p = 0; p < scheme->pass_count; p++) {
        char title[64];
        snprintf(title, sizeof title, ">pass %d of %d: %d operations<", p + 1, scheme->pass_count,
                 wp_pass_operations(&scheme->pass[p]));
        const char *start = find(svg, title);
        assert_non_null(start);
        const char *end = find(start + 1, ">pass ");
        int count = 0;
        for (const char *at = start;
             (at = find(at, "<path class=\"arrow")) && (!end || at < end); at++)
            count++;
        assert_int_equal(count, wp_pass_operations(&scheme->pass[p]));
    }
}

// One label per arrow, drawn after all arrows of its grid; each negative coefficient of a tooltip
// has a visible minus.
static void assert_labels(const char *svg, int operations)
{
    assert_int_equal(count_of(svg, "fill-opacity=\".85\"/><text"), operations);
    assert_int_equal(count_of(svg, ">\u2212"), count_of(svg, " += -"));
    for (const char *at = svg; (at = find(at, "fill-opacity=\".85\"")); at++) {
        const char *path = find(at, "<path class=\"arrow"), *group = find(at, "<g fill");
        assert_true(!path || (group && group < path));
    }
}

static void assert_single_passes(struct wp_explain_params params, const struct wp_scheme *scheme)
{
    for (params.pass = 1; params.pass <= scheme->pass_count; params.pass++) {
        struct wp_text text = {0};
        assert_true(wp_explain(&params, &text));
        const char *svg = wp_text_get(&text);
        assert_int_equal(count_of(svg, "<path class=\"arrow"),
                         wp_pass_operations(&scheme->pass[params.pass - 1]));
        assert_int_equal(count_of(svg, "class=\"barrier\""), 0);
        assert_null(find(svg, "multiply-add"));
        wp_text_free(&text);
    }
}

static void assert_diagram(struct wp_explain_params params, const struct wp_scheme *scheme)
{
    struct wp_text text = {0};
    assert_true(wp_explain(&params, &text));
    const char *svg = wp_text_get(&text);
    int constants = 0;
    for (int p = 0; p < scheme->pass_count; p++)
        constants += scheme->pass[p].before_count + scheme->pass[p].after_count;
    assert_int_equal(count_of(svg, "<path class=\"arrow"), wp_scheme_operations(scheme));
    assert_int_equal(count_of(svg, "<path class=\"arrow constant\""),
                     (1 << (params.dims - 1)) * constants);
    assert_int_equal(count_of(svg, "class=\"barrier\""), scheme->pass_count - 1);
    assert_int_equal(count_of(svg, "nan"), 0);
    assert_steps(svg, scheme);
    wp_text_clear(&text);
    params.arrows = WP_EXPLAIN_LABELLED_ARROWS;
    assert_true(wp_explain(&params, &text));
    assert_labels(wp_text_get(&text), wp_scheme_operations(scheme));
    wp_text_clear(&text);
    assert_single_passes(params, scheme);
    params.arrows = WP_EXPLAIN_NO_ARROWS;
    assert_true(wp_explain(&params, &text));
    assert_int_equal(count_of(wp_text_get(&text), "class=\"arrow"), 0);
    assert_null(find(wp_text_get(&text), "operation"));
    wp_text_free(&text);
}

void assert_diagrams(const struct wp_wavelet *list, int count, int dims)
{
    const int forms = WP_FORM_COUNT, kinds = kinds_of(dims);
    for (int i = 0; i < count * kinds * forms * 2; i++) {
        const struct wp_explain_params params = {
            .wavelet = &list[i / 2 / forms / kinds],
            .dims = dims,
            .kind = &wp_scheme_kinds[i / 2 / forms % kinds],
            .form = (enum wp_form)(i / 2 % forms),
            .direction = i % 2 ? WP_INVERSE : WP_FORWARD,
            .topic = WP_EXPLAIN_DIAGRAM,
            .format = WP_EXPLAIN_SVG,
        };
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = params.wavelet,
            .kind = params.kind,
            .form = params.form,
            .direction = params.direction,
            .dims = dims,
        });
        assert_diagram(params, scheme);
        wp_scheme_destroy(&scheme);
    }
}

void assert_footprints(const struct wp_wavelet *wavelet, int dims, const char *const *lines,
                       int count)
{
    for (int i = 0; i < kinds_of(dims) * WP_FORM_COUNT; i++) {
        const struct wp_explain_params params = {.wavelet = wavelet,
                                                 .dims = dims,
                                                 .kind = &wp_scheme_kinds[i / WP_FORM_COUNT],
                                                 .form = (enum wp_form)(i % WP_FORM_COUNT),
                                                 .topic = WP_EXPLAIN_FOOTPRINT,
                                                 .format = WP_EXPLAIN_CSV};
        struct wp_text text = {0};
        assert_true(wp_explain(&params, &text));
        for (int c = 0; c < count; c++)
            assert_int_equal(count_of(wp_text_get(&text), lines[c]), 1);
        wp_text_free(&text);
    }
}

void assert_tex_is_balanced(const struct wp_wavelet *list, int count, int dims)
{
    static const enum wp_explain_format format[] = {WP_EXPLAIN_TEX, WP_EXPLAIN_MD};
    const int kinds = kinds_of(dims);
    for (int i = 0; i < count * kinds * 8; i++) {
        const struct wp_explain_params params = {
            .wavelet = &list[i / 8 / kinds],
            .dims = dims,
            .kind = &wp_scheme_kinds[i / 8 % kinds],
            .numbers = i / 4 % 2,
            .form = WP_FORM_PLAIN,
            .direction = i / 2 % 2 ? WP_INVERSE : WP_FORWARD,
            .topic = WP_EXPLAIN_MATRIX,
            .format = format[i % 2],
        };
        struct wp_text text = {0};
        assert_true(wp_explain(&params, &text));
        const char *tex = wp_text_get(&text);
        assert_int_equal(count_of(tex, "{"), count_of(tex, "}"));
        assert_int_equal(count_of(tex, "\\begin{"), count_of(tex, "\\end{"));
        assert_int_equal(count_of(tex, "\\["), count_of(tex, "\\]"));
        assert_int_equal(count_of(tex, "\\left["), count_of(tex, "\\right]"));
        assert_int_equal(count_of(tex, "$") % 2, 0);
        assert_true(count_of(tex, dims == 3 ? "{cccc|cccc}" : "bmatrix") > 0);
        wp_text_free(&text);
    }
}

void store_message(void *user, enum wp_log_level level, const char *message)
{
    assert_int_equal(level, WP_LOG_ERROR);
    snprintf(user, 256, "%s", message);
}
