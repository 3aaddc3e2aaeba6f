// Tables, CSV and charts of results, and the geometry of charts.
#include "golden.h"
#include "bench.h"
#include "results.h"
#include "words.h"
#include "xmemory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wp_row make(const char *scheme, int side, double gbps)
{
    struct wp_row row = wp_row_unknown();
    row.kind = WP_ROW_TRANSFORM;
    snprintf(row.backend, sizeof row.backend, "cuda");
    snprintf(row.device, sizeof row.device, "A GPU, \"quoted\"");
    snprintf(row.wavelet, sizeof row.wavelet, "cdf97");
    snprintf(row.scheme, sizeof row.scheme, "%s", scheme);
    snprintf(row.timer, sizeof row.timer, "a clock");
    row.width = row.height = side;
    row.levels = 1;
    row.verified = 1;
    row.max_abs_err = 1.9e-6;
    row.payload_gbps = gbps;
    row.median_ns = 8.0 * side * side / gbps;
    return row;
}

static void test_numbers(void **state)
{
    (void)state;
    const struct {
        double value;
        int digits;
        const char *text;
    } row[] = {{0, 3, "0"},          {1.234567, 4, "1.235"}, {12345.6, 4, "12346"},
               {0.00123, 2, "0.0012"}, {-2.5, 2, "-2.5"},      {99.996, 4, "100.00"},
               {1e-9, 3, "0.000000"},  {-1e-9, 3, "0.000000"}};
    char text[WP_TIME_SIZE];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_string_equal(wp_number_text(text, row[i].value, row[i].digits), row[i].text);
    assert_string_equal(wp_time_text(text, 412345), "412.3 µs");
    assert_string_equal(wp_time_text(text, 2.5e9), "2.500 s");
    assert_string_equal(wp_time_text(text, 12), "12.00 ns");
}

static void test_table(void **state)
{
    (void)state;
    struct wp_table table = {0};
    struct wp_text text = {0};
    wp_table_column(&table, "name", false);
    wp_table_column(&table, "nothing", false);
    wp_table_column(&table, "time", true);
    wp_table_cell(&table, "a|b");
    wp_table_cell(&table, " ");
    wp_table_time(&table, 1500);
    wp_table_cell(&table, "c");
    wp_table_cell(&table, "%s", "");
    wp_table_time(&table, NAN);
    wp_table_finish(&table, &text);
    assert_string_equal(wp_text_get(&text), "| name |     time |\n"
                                            "|------|---------:|\n"
                                            "| a\\|b | 1.500 µs |\n"
                                            "| c    |        ? |\n");
    wp_text_free(&text);
}

// Spare columns are omitted first, then cells are wrapped; without a width nothing is omitted.
static void test_narrow_table(void **state)
{
    (void)state;
    static const struct wp_heading headings[] = {
        {"what", false, 0}, {"least", true, 2}, {"little", true, 1}, {"most", true, 0}};
    for (int width = 0; width <= 60; width += 30) {
        struct wp_page page = {.width = width};
        struct wp_table table = {.page = &page};
        struct wp_text text = {0};
        wp_table_columns(&table, headings, 4);
        wp_table_cell(&table, "as many words as no line has room for");
        for (int c = 1; c < 4; c++)
            wp_table_cell(&table, "%d", c);
        wp_table_finish(&table, &text);
        wp_page_finish(&page, &text);
        static const char *const expected[] = {
            "| what                                  | least | little | most |\n"
            "|---------------------------------------|------:|-------:|-----:|\n"
            "| as many words as no line has room for |     1 |      2 |    3 |\n",
            "| what                | most |\n"
            "|---------------------|-----:|\n"
            "| as many words as no |    3 |\n"
            "| line has room for   |      |\n"
            "Omitted for 30 columns: least,\nlittle; --wide shows them.\n",
            "| what                                  | little | most |\n"
            "|---------------------------------------|-------:|-----:|\n"
            "| as many words as no line has room for |      2 |    3 |\n"
            "Omitted for 60 columns: least; --wide shows them.\n"};
        assert_string_equal(wp_text_get(&text), expected[width / 30]);
        wp_text_free(&text);
    }
}

// Tables of the same cells with all widths: wrapped cells, omitted columns, and tables that stay
// too wide.
static void test_tables_of_every_width(void **state)
{
    (void)state;
    static const struct wp_heading headings[] = {
        {"short", false, 0}, {"first", false, 0}, {"second", false, 0}, {"n", true, 2}, {"m", true, 1}};
    struct wp_text text = {0};
    for (int width = 30; width <= 110; width += 1 + width / 20) {
        wp_text_add(&text, "== %d columns\n", width);
        struct wp_page page = {.width = width};
        struct wp_table table = {.page = &page};
        wp_table_columns(&table, headings, sizeof headings / sizeof *headings);
        for (int i = 0; i < 3; i++) {
            wp_table_cell(&table, "%s", i ? "a cell of 16" : "sixteen letters.");
            wp_table_cell(&table, "%.*s", 31 - i, "some words that stand in a cell of it");
            wp_table_cell(&table, "%.*s", 27 + 2 * i, "other words, as long as the first");
            wp_table_number(&table, 1.5 * i, 3);
            wp_table_percent(&table, 0.1 * i);
        }
        wp_table_finish(&table, &text);
        wp_page_finish(&page, &text);
    }
    assert_golden("tables.txt", wp_text_get(&text));
    wp_text_free(&text);
}

// Common values are printed above the table, and only once.
static void test_narrow_results(void **state)
{
    (void)state;
    struct wp_results results = {.complete = true};
    for (int i = 0; i < 4; i++) {
        struct wp_row row = make(i % 2 ? "sep-lifting" : "nonsep-polyconvolution", 512, 1);
        snprintf(row.backend, sizeof row.backend, "%s", i < 2 ? "fragment" : "compute");
        snprintf(row.variant, sizeof row.variant, "%s", i < 2 ? "passes" : "shared");
        snprintf(row.direction, sizeof row.direction, "forward");
        row.verified = 1;
        wp_results_add(&results, &row);
    }
    struct wp_text text = {0};
    struct wp_page page = {.width = 80};
    wp_results_markdown(&results, &page, &text);
    wp_page_finish(&page, &text);
    const char *narrow = wp_text_get(&text);
    assert_non_null(strstr(narrow, "All rows: A GPU, \"quoted\", cdf97 forward 512x512 1 level\n"));
    assert_non_null(strstr(narrow, "| backend  | scheme                 |"));
    assert_null(strstr(narrow, "| variant"));
    assert_non_null(strstr(narrow, "vs best"));
    const char *note = strstr(narrow, "\nOmitted for 80 columns: ");
    assert_non_null(note);
    assert_non_null(strstr(note, "variant"));
    for (const char *line = narrow; *line; line += strcspn(line, "\n") + 1) {
        char copy[256];
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
        assert_in_range(wp_text_width(copy), 0, 80);
    }
    wp_text_free(&text);
    wp_results_free(&results);
}

// A key is spare if other keys determine it: with two variants of one backend the variant is not.
static void test_spare_keys(void **state)
{
    (void)state;
    struct wp_results results = {0};
    const unsigned both = WP_KEY_BIT(WP_KEY_BACKEND) | WP_KEY_BIT(WP_KEY_VARIANT);
    for (int i = 0; i < 3; i++) {
        struct wp_row row = make("", 512, 1);
        snprintf(row.backend, sizeof row.backend, "%s", i == 0 ? "cpu" : "cuda");
        snprintf(row.variant, sizeof row.variant, "%s", i == 0   ? "fused"
                                                        : i == 1 ? "strips"
                                                                 : "gmem");
        wp_results_add(&results, &row);
        assert_int_equal(wp_row_keys_spare(&results, WP_ROW_TRANSFORM, both),
                         i < 2 ? WP_KEY_BIT(WP_KEY_VARIANT) : 0);
    }
    wp_results_free(&results);
}

static void test_results(void **state)
{
    (void)state;
    struct wp_results results = {.complete = false};
    for (int side = 512; side <= 1024; side *= 2) {
        struct wp_row row = make("sep-lifting", side, side);
        wp_row_warn(&row, "%d ns is too short", side);
        wp_results_add(&results, &row);
        row = make("nonsep-lifting", side, 2 * side);
        row.verified = side == 512 ? 0 : -1;
        row.software = side == 512;
        wp_results_add(&results, &row);
    }
    struct wp_text text = {0};
    wp_results_markdown(&results, NULL, &text);
    const char *markdown = wp_text_get(&text);
    assert_non_null(strstr(markdown, "All rows: A GPU, \"quoted\", cuda\n"));
    assert_non_null(strstr(markdown, "\n| cdf97   | sep-lifting    | 512x512   | 1 |"));
    assert_null(strstr(markdown, "| backend"));
    assert_non_null(strstr(markdown, "2.00")); // vs best: half as fast as the other scheme
    assert_non_null(strstr(markdown, " WRONG | SOFTWARE |"));
    assert_non_null(strstr(markdown, " UNVERIFIED | "));
    assert_non_null(strstr(markdown, "SOFTWARE"));
    assert_non_null(strstr(markdown, "INCOMPLETE"));
    assert_non_null(strstr(markdown,
                           "warning: sep-lifting 512x512: 512 ns is too short (and 1 similar "
                           "warning)\n"));
    wp_text_clear(&text);

    wp_results_csv(&results, &text);
    const char *csv = wp_text_get(&text);
    assert_true(strncmp(csv, "kind,backend,variant,device,", 28) == 0);
    assert_non_null(strstr(csv, "\ntransform,cuda,,\"A GPU, \"\"quoted\"\"\",,"));
    size_t lines = 0;
    for (const char *c = csv; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 5);
    wp_text_clear(&text);

    wp_results_plot(&results, &text);
    const char *svg = wp_text_get(&text);
    assert_non_null(strstr(svg, "<title>wavepass bench: cuda cdf97 1 level</title>"));
    assert_non_null(strstr(svg, "<desc>Throughput"));
    assert_non_null(strstr(svg, ">sep-lifting</text>"));
    assert_non_null(strstr(svg, "A GPU, &quot;quoted&quot;; SOFTWARE"));
    assert_null(strstr(svg, "<script"));
    wp_text_free(&text);
    wp_results_free(&results);
}

// If one pair of axes has too many lines, each backend has a panel, with its ceilings.
static void test_panels(void **state)
{
    (void)state;
    static const char *const schemes[] = {"a", "b", "c", "d", "e", "f"};
    struct wp_results results = {.complete = true};
    for (int i = 0; i < 24; i++) {
        struct wp_row row = make(schemes[i % 6], i < 12 ? 512 : 1024, 10 + i);
        snprintf(row.backend, sizeof row.backend, "%s", i % 12 < 6 ? "cuda" : "cpu");
        snprintf(row.ceiling_name, sizeof row.ceiling_name, "copy");
        snprintf(row.ceiling_binds, sizeof row.ceiling_binds, "bytes");
        wp_results_add(&results, &row);
    }
    struct wp_row ceiling = make("", 512, NAN);
    ceiling.kind = WP_ROW_CEILING;
    snprintf(ceiling.backend, sizeof ceiling.backend, "cpu");
    snprintf(ceiling.work, sizeof ceiling.work, "copy");
    ceiling.traffic_gbps = 40;
    wp_results_add(&results, &ceiling);
    struct wp_text text = {0};
    wp_results_plot(&results, &text);
    const char *cuda = strstr(wp_text_get(&text), ">cuda</text>");
    const char *cpu = strstr(wp_text_get(&text), ">cpu</text>");
    const char *copy = strstr(wp_text_get(&text), ">ceiling copy</text>");
    assert_true(cuda && cpu && copy);
    assert_true(cuda < cpu && cpu < copy);
    assert_null(strstr(wp_text_get(&text), ">cuda a</text>"));
    // The throughput axis is linear, so it begins at 0 for all values.
    assert_non_null(strstr(wp_text_get(&text), ">0</text>"));
    wp_text_free(&text);
    wp_results_free(&results);
}

// A row without width or height is not in the chart.
static void test_rows_without_a_size(void **state)
{
    (void)state;
    struct wp_text text = {0}, expected = {0};
    for (int missing = 0; missing < 3; missing++) {
        struct wp_results results = {.complete = true};
        for (int i = 0; i < 3; i++) {
            struct wp_row row = make("a", 256 << i, 10);
            if (i == 1 && missing > 0)
                *(missing == 1 ? &row.width : &row.height) = 0;
            if (i != 1 || missing > 0)
                wp_results_add(&results, &row);
        }
        wp_text_clear(&text);
        wp_results_plot(&results, missing ? &text : &expected);
        wp_results_free(&results);
        if (missing > 0)
            assert_string_equal(wp_text_get(&text), wp_text_get(&expected));
    }
    wp_text_free(&text);
    wp_text_free(&expected);
}

static void test_empty(void **state)
{
    (void)state;
    struct wp_results results = {.complete = true};
    struct wp_text text = {0};
    wp_results_markdown(&results, NULL, &text);
    wp_results_plot(&results, &text);
    assert_non_null(strstr(wp_text_get(&text), "No rows."));
    assert_non_null(strstr(wp_text_get(&text), "nothing was measured"));
    wp_text_free(&text);
}

static void test_keys(void **state)
{
    (void)state;
    struct wp_results results = {0};
    struct wp_row row = make("sep-lifting", 512, 1);
    wp_results_add(&results, &row);
    row = make("sep-lifting", 1024, 1);
    wp_results_add(&results, &row);
    assert_int_equal(wp_row_keys_varying(&results, WP_ROW_TRANSFORM), WP_KEY_BIT(WP_KEY_SIZE));
    assert_int_equal(wp_row_keys_varying(&results, WP_ROW_CEILING), 0);
    assert_true(wp_row_keys_equal(&results.row[0], &results.row[1],
                                  WP_KEYS_ALL & ~WP_KEY_BIT(WP_KEY_SIZE)));
    assert_false(wp_row_keys_equal(&results.row[0], &results.row[1], WP_KEYS_ALL));
    struct wp_text text = {0};
    wp_row_describe(&results.row[1], WP_KEYS_ALL, &text);
    assert_string_equal(wp_text_get(&text), "cuda cdf97 sep-lifting 1024x1024 1 level");
    wp_text_free(&text);
    wp_results_free(&results);
}

static void assert_ticks(double low, double high, bool logarithmic, int most, int count,
                         const double *expected)
{
    double tick[WP_TICKS_MOST];
    assert_int_equal(wp_plot_ticks(low, high, logarithmic, most, tick), count);
    for (int i = 0; i < count; i++)
        assert_true(fabs(tick[i] - expected[i]) <= 1e-9 * fabs(expected[i]));
}

static void test_ticks(void **state)
{
    (void)state;
    assert_ticks(0, 950, false, 9, 5, (const double[]){0, 200, 400, 600, 800});
    assert_ticks(0, 0.0042, false, 9, 9,
                 (const double[]){0, 5e-4, 1e-3, 15e-4, 2e-3, 25e-4, 3e-3, 35e-4, 4e-3});
    assert_ticks(0.06, 67, true, 10, 9,
                 (const double[]){0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50});
    assert_ticks(1, 1e6, true, 10, 7, (const double[]){1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6});
    assert_ticks(1.1, 1.6, true, 9, 6, (const double[]){1.1, 1.2, 1.3, 1.4, 1.5, 1.6});
    double tick[WP_TICKS_MOST];
    for (double high = 0.001; high < 1e9; high *= 1.7)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            const int count =
                wp_plot_ticks(logarithmic ? high / 9 : 0, high, logarithmic, 9, tick);
            assert_in_range(count, 2, 9);
        }
}

static void test_spread(void **state)
{
    (void)state;
    double at[] = {10, 11, 12, 60, 99};
    wp_plot_spread(at, 5, 15, 0, 100);
    for (int i = 0; i < 4; i++)
        assert_true(at[i + 1] - at[i] >= 15 - 1e-9);
    assert_true(at[0] >= 0 && at[4] <= 100);
    assert_true(fabs(at[3] - 60) < 1e-9 && fabs(at[4] - 99) < 1e-9); // not moved
    double many[20] = {0};
    wp_plot_spread(many, 20, 15, 0, 190);
    assert_true(fabs(many[1] - 10) < 1e-9 && fabs(many[19] - 190) < 1e-9);
}

// A long caption is wrapped at spaces, and complete.
static void test_caption(void **state)
{
    (void)state;
    struct wp_text caption = {0}, svg = {0};
    for (int i = 0; i < 40; i++)
        wp_text_add(&caption, "%sword-%d", i == 20 ? "\n" : i ? " " : "", i);
    const struct wp_plot plot = {.title = "t", .description = "d",
                                 .caption = wp_text_get(&caption)};
    wp_plot_lines(&plot, &svg);
    const char *at = wp_text_get(&svg);
    int lines = 0, words = 0;
    while ((at = strstr(at, ">word-"))) {
        const size_t length = strcspn(++at, "<");
        assert_in_range(length, 1, 114);
        lines++;
        for (size_t i = 0; i < length; i++)
            words += at[i] == '-';
    }
    assert_int_equal(lines, 4);
    assert_int_equal(words, 40);
    wp_text_free(&caption);
    wp_text_free(&svg);
}

// A different value in each column, and samples.
static struct wp_row make_full(enum wp_row_kind kind, int number)
{
    struct wp_row row = wp_row_unknown();
    int next = number;
    for (const struct wp_column *c = wp_row_columns; c->name; c++, next++) {
        void *at = (char *)&row + c->offset;
        if (c->kind == WP_COLUMN_TEXT)
            snprintf(at, c->size, "%s-%d", c->name, number % 3);
        else if (c->kind == WP_COLUMN_FIGURE)
            *(double *)at = 0.37 * next;
        else if (c->kind == WP_COLUMN_AMOUNT)
            *(double *)at = number % 2 ? next : next + 0.21;
        else
            *(int *)at = c->kind == WP_COLUMN_TRUTH ? number % 2 : next;
    }
    row.kind = kind;
    if (kind == WP_ROW_TRANSFORM) {
        row.work[0] = row.image[0] = '\0';
        row.rate = -1;
    }
    row.max_abs_err = 1.3e-6;
    snprintf(row.device, sizeof row.device, "device, of \"%s\"", row.backend);
    row.sample_count = 7;
    row.sample_ns = wp_xcalloc(7, sizeof *row.sample_ns);
    row.wall_sample_ns = wp_xcalloc(7, sizeof *row.wall_sample_ns);
    for (int i = 0; i < 7; i++) {
        row.sample_ns[i] = 2311.0 * (number + 1) + 17 * ((i * 3) % 7);
        row.wall_sample_ns[i] = row.sample_ns[i] + 23;
    }
    wp_row_summarize(&row);
    return row;
}

// Rows of all kinds and with all marks.
static struct wp_results make_all(bool complete)
{
    struct wp_results results = {.complete = complete};
    for (int i = 0; i < 14; i++) {
        struct wp_row row = make_full((enum wp_row_kind)(i < 8 ? i % 4 : i % 2), i);
        row.verified = i < 8 ? 1 : i % 3 - 1;
        row.throttled_samples = i % 5 ? 0 : i;
        row.preemptions_s = i == 8 ? 50 : i == 9 ? 51 : i == 10 ? 99 : 0;
        row.depth = i % 3 ? 1 : 5;
        if (i == 4)
            wp_size_text(row.verified_at, (const int[]){row.width, row.height, row.depth});
        if (i == 7)
            row.sample_count = 0; // not timed
        if (i % 4 == 2)
            row.traffic_gbps = NAN;
        if (i % 2)
            wp_row_warn(&row, "%d of %d.5 samples are odd", i, i);
        if (i == 12)
            wp_row_warn(&row, "one of a kind");
        if (i == 10)
            row.ceiling_binds[0] = row.timer[0] = '\0';
        wp_results_add(&results, &row);
    }
    return results;
}

static void add_results(const struct wp_results *results, int width, struct wp_text *text)
{
    struct wp_page page = {.width = width};
    wp_text_add(text, "== %s, %d columns\n", results->complete ? "whole" : "interrupted", width);
    wp_results_markdown(results, width ? &page : NULL, text);
    wp_page_finish(&page, text);
}

static void test_results_of_every_kind(void **state)
{
    (void)state;
    struct wp_text text = {0}, csv = {0}, svg = {0};
    struct wp_results all = make_all(false);
    for (int width = 0; width <= 160; width += 80)
        add_results(&all, width, &text);
    wp_results_csv(&all, &csv);
    all.environment = json_pack("{s:{s:s}, s:{s:s}, s:{s:s}, s:s}", "gl", "version", "4.5", "cuda",
                                "driver", "12.4", "tool", "version", "1.2.3", "date", "today");
    wp_results_plot(&all, &svg);
    // Rows of one device with different other keys; neighboring rows have equal warnings.
    for (int i = 0; i < all.row_count; i++) {
        snprintf(all.row[i].device, sizeof all.row[i].device, "the device");
        if (i % 5 < 3)
            wp_row_warn(&all.row[i], "%d ns are %s", 10 * i, i / 5 % 2 ? "few" : "many");
    }
    add_results(&all, 0, &text);
    // Rows of one kind that differ in one key each.
    for (int kind = 0; kind < WP_ROW_KIND_COUNT; kind++) {
        struct wp_results alike = {.complete = true};
        for (int i = 0; i < 3; i++) {
            struct wp_row row = make_full((enum wp_row_kind)kind, 3);
            row.levels += i == 1;
            snprintf(row.work, sizeof row.work, "work %d", i == 2);
            wp_results_add(&alike, &row);
        }
        for (int width = 0; width <= 80; width += 80)
            add_results(&alike, width, &text);
        wp_results_free(&alike);
    }
    assert_golden("results.txt", wp_text_get(&text));
    assert_golden("results.csv", wp_text_get(&csv));
    assert_golden("results.svg", wp_text_get(&svg));
    wp_results_free(&all);
    wp_text_free(&text);
    wp_text_free(&csv);
    wp_text_free(&svg);
}

// Many lines in panels by backend and wavelet, with many sizes; and bars for one size.
static void test_results_as_charts(void **state)
{
    (void)state;
    for (int one = 0; one < 2; one++) {
        struct wp_results results = {.complete = !one};
        for (int i = 0; i < 96; i++) {
            char scheme[16];
            snprintf(scheme, sizeof scheme, "scheme-%d", i % 6);
            struct wp_row row = make(scheme, one ? 512 : i < 48 ? 1024 : 512, 1.3 * (i % 48 + 1));
            snprintf(row.backend, sizeof row.backend, "%s", i % 12 < 6 ? "cuda" : "cpu");
            snprintf(row.wavelet, sizeof row.wavelet, "%s", i % 24 < 12 ? "cdf97" : "haar");
            row.levels = i % 48 < 24 ? 1 : 2;
            row.height = i % 2 ? row.height : row.height / 2;
            snprintf(row.ceiling_name, sizeof row.ceiling_name, "%s", i % 2 ? "fill" : "read");
            snprintf(row.ceiling_binds, sizeof row.ceiling_binds, "%s", i % 2 ? "fill" : "bytes");
            if (!one || i < 8)
                wp_results_add(&results, &row);
        }
        static const char *const ceilings[] = {"copy", "read", "fill"};
        for (int c = 0; c < 6; c++) {
            struct wp_row ceiling = make("", 512, NAN);
            ceiling.kind = WP_ROW_CEILING;
            snprintf(ceiling.work, sizeof ceiling.work, "%s", ceilings[c % 3]);
            snprintf(ceiling.backend, sizeof ceiling.backend, "%s", c < 3 ? "cuda" : "cpu");
            ceiling.traffic_gbps = 30 + 11 * c;
            ceiling.height = one ? 256 : 512;
            wp_results_add(&results, &ceiling);
        }
        for (int i = 0; one && i < results.row_count; i++)
            results.row[i].height = 256;
        struct wp_text svg = {0};
        wp_results_plot(&results, &svg);
        assert_golden(one ? "results_bars.svg" : "results_panels.svg", wp_text_get(&svg));
        wp_text_free(&svg);
        wp_results_free(&results);
    }
}

// All colors, dashes and markers, filled and hollow; lines of one point and without points.
static void test_charts(void **state)
{
    (void)state;
    enum { LINES = 15, POINTS = 6 };
    double x[POINTS], y[LINES][POINTS], small[POINTS];
    char label[LINES][40];
    struct wp_plot_line line[LINES];
    for (int l = 0; l < LINES; l++) {
        for (int i = 0; i < POINTS; i++) {
            x[i] = 0.07 * pow(3.1, i);
            y[l][i] = 0.31 * (l + 1) + 0.83 * i * (l % 4);
            small[i] = 1.13 + 0.01 * i;
        }
        snprintf(label[l], sizeof label[l], "<line> & \"%d\"%s", l, l == 3 ? ", a long name" : "");
        line[l] = (struct wp_plot_line){label[l], l == 5 ? 1 : l == 6 ? 0 : POINTS, x, y[l]};
    }
    const struct wp_plot_line least = {"least", POINTS, x, small};
    const struct wp_plot_panel panels[] = {{"all of them", false, LINES, line},
                                           {"linear", true, 3, line + 7},
                                           {"about one value", false, 1, &least},
                                           {"none", false, 0, NULL}};
    struct wp_text svg = {0};
    for (int chart = 0; chart < 5; chart++) {
        static const char *const names[] = {"chart_log.svg", "chart_linear.svg", "chart_panels.svg",
                                            "chart_bars.svg", "chart_empty.svg"};
        const struct wp_plot plot = {
            .title = "A title", .description = "What is drawn",
            .caption = chart == 3 ? NULL : "A caption of two lines,\nwhich end.",
            .x_label = "along x", .y_label = "along y",
            .log_x = chart != 1, .log_y = chart != 1,
            .panel_count = chart == 2 ? 4 : 1, .panel = chart == 4 ? &panels[3] : panels};
        wp_text_clear(&svg);
        (chart == 3 ? wp_plot_bars : wp_plot_lines)(&plot, &svg);
        assert_golden(names[chart], wp_text_get(&svg));
    }
    wp_text_free(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_table),
        cmocka_unit_test(test_narrow_table),
        cmocka_unit_test(test_tables_of_every_width),
        cmocka_unit_test(test_narrow_results),
        cmocka_unit_test(test_spare_keys),
        cmocka_unit_test(test_results), cmocka_unit_test(test_panels),
        cmocka_unit_test(test_rows_without_a_size), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_keys),    cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_spread),  cmocka_unit_test(test_caption),
        cmocka_unit_test(test_results_of_every_kind),
        cmocka_unit_test(test_results_as_charts), cmocka_unit_test(test_charts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
