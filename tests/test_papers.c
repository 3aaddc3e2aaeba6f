// Comparison with published values: matched rows, missing rows, and claims.
#include "registry.h"
#include "golden.h"
#include "memory.h"
#include "bench.h"
#include "results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void set(char *to, const char *from)
{
    snprintf(to, WP_ROW_TEXT, "%s", from ? from : "");
}

// One of our rows, with the values of a pattern.
static struct wp_row make(const struct wp_paper_match *m, const char *direction, double ms)
{
    struct wp_row row = wp_row_unknown();
    row.kind = m->kind;
    set(row.work, m->work);
    set(row.backend, m->backend);
    set(row.variant, m->variant);
    set(row.wavelet, m->wavelet);
    set(row.scheme, m->scheme);
    set(row.layout, m->layout);
    set(row.direction, direction);
    row.width = m->width;
    row.height = m->height;
    row.depth = m->depth;
    set(row.includes, m->includes);
    row.levels = m->levels;
    row.threads = m->threads ? m->threads : -1;
    row.rate = m->rate ? m->rate : -1;
    row.median_ns = ms * 1e6;
    return row;
}

static const struct wp_paper *find(const char *name)
{
    const struct wp_paper *paper = wp_paper_find(name);
    assert_non_null(paper);
    return paper;
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

static void test_find(void **state)
{
    (void)state;
    for (const struct wp_paper *p = wp_papers; p->name; p++) {
        assert_ptr_equal(find(p->name), p); // each name once
        assert_non_null(p->title);
        assert_non_null(p->source);
        assert_non_null(p->differs);
        assert_non_null(p->sweep[0]);
        for (int i = 0; i < p->row_count; i++)
            assert_true(p->row[i].label && p->row[i].hardware && p->row[i].value >= 0.0);
    }
    assert_null(wp_paper_find("quan2016-table3"));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
}

// A backend of this build that has variants has the variant that a paper is compared with.
static void check_variant(const char *paper, const struct wp_paper_match *match)
{
    for (int i = 0; wp_backends[i]; i++) {
        const struct wp_variant *v = wp_backends[i]->variants;
        if (!match->backend || !match->variant || !v ||
            strcmp(match->backend, wp_backends[i]->name) != 0)
            continue;
        while (v->name && strcmp(v->name, match->variant) != 0)
            v++;
        if (!v->name)
            fail_msg("%s: %s has no variant '%s'", paper, match->backend, match->variant);
    }
}

static void test_variants(void **state)
{
    (void)state;
    for (const struct wp_paper *p = wp_papers; p->name; p++) {
        for (int i = 0; i < p->row_count; i++)
            check_variant(p->name, &p->row[i].match);
        for (int i = 0; i < p->claim_count; i++) {
            check_variant(p->name, &p->claim[i].fast);
            check_variant(p->name, &p->claim[i].slow);
        }
    }
}

// Results that equal those of the paper give the ratio 2 where our time is half, and otherwise 1.
static void test_ratios(void **state)
{
    (void)state;
    for (const struct wp_paper *p = wp_papers; p->name; p++) {
        struct wp_results results = {.complete = true};
        int values = 0, others = 0;
        for (int i = 0; i < p->row_count; i++) {
            const struct wp_paper_row *r = &p->row[i];
            if (r->value <= 0.0 || r->unit == WP_PAPER_DB)
                continue;
            values++;
            others += r->other != NULL;
            if (r->other || r->unit != WP_PAPER_MS)
                continue;
            // Where the paper has the mean of both directions, our mean is half of its value.
            const char *directions[] = {"forward", "inverse"};
            for (int d = 0; d < 2; d++) {
                const bool single = r->match.direction || r->match.kind != WP_ROW_TRANSFORM;
                const double part = single ? 0.5 : 0.25 + 0.5 * d;
                if (r->match.direction && strcmp(r->match.direction, directions[d]) != 0)
                    continue;
                const struct wp_row row = make(&r->match, directions[d], part * r->value);
                wp_results_add(&results, &row);
            }
        }
        struct wp_text text = {0};
        wp_paper_compare(p, &results, NULL, &text);
        const bool counts = strcmp(p->name, "barina2017-table1") == 0;
        assert_int_equal(count(wp_text_get(&text), " 2.00 |"), counts ? 0 : values - others);
        if (counts)
            assert_int_equal(count(wp_text_get(&text), "- not compared: "), 6);
        wp_text_free(&text);
        wp_results_free(&results);
    }
}

// Reconstructions are compared by a difference in dB; a gain compares two rows of one rate.
static void test_gains(void **state)
{
    (void)state;
    static const struct {
        const char *work, *wavelet;
        int rate;
        double psnr;
    } rows[] = {{"zero-filled", "", 4, 20}, {"tv", "", 4, 30},   {"tv+0.1wav", "haar", 4, 30.5},
                {"tv+wav:spin", "haar", 4, 40}, {"tv", "", 8, 25}, {"tv+0.1wav", "haar", 8, 24.75},
                {"tv", "", 4, 99}}; // of another size
    struct wp_results results = {.complete = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct wp_paper_match like = {.kind = WP_ROW_RECONSTRUCTION, .work = rows[i].work,
                                            .wavelet = rows[i].wavelet, .rate = rows[i].rate};
        struct wp_row row = make(&like, "", 1);
        row.psnr = rows[i].psnr;
        wp_results_add(&results, &row);
    }
    struct wp_text text = {0};
    wp_paper_compare(find("quan2014-table2"), &results, NULL, &text);
    const char *printed = wp_text_get(&text);
    assert_non_null(strstr(strstr(printed, "| kiwi x4: zero-filled"),
                           "18.7245 | 20.00 |   -1.28 dB |\n"));
    assert_non_null(strstr(strstr(printed, "| kiwi x4: gain"), " 0.5005 |  0.50 |   +0.00 dB |\n"));
    assert_non_null(strstr(strstr(printed, "| kiwi x8: gain"), " 0.5001 | -0.25 |   +0.75 dB |\n"));
    assert_int_equal(
        count(printed, "- not compared: kiwi x8: zero-filled: not measured in this run"), 1);
    wp_text_free(&text);
    wp_results_free(&results);
}

static void test_counts(void **state)
{
    (void)state;
    const struct wp_paper *p = find("barina2017-table1");
    struct wp_results results = {.complete = true};
    for (int i = 0; i < p->row_count / 2; i++) {
        struct wp_row row = make(&p->row[i].match, "forward", 1.0);
        row.steps = (int)p->row[i].value;
        row.operations = (int)p->row[i + p->row_count / 2].value;
        wp_results_add(&results, &row);
    }
    struct wp_text text = {0};
    wp_paper_compare(p, &results, NULL, &text);
    assert_int_equal(count(wp_text_get(&text), " 1.00 |"), 28);
    assert_int_equal(count(wp_text_get(&text), "not compared"), 0);
    wp_text_free(&text);
    wp_results_free(&results);
}

static void test_missing(void **state)
{
    (void)state;
    const struct wp_results empty = {.complete = true};
    struct wp_text text = {0};
    wp_paper_compare(find("quan2016-table6"), &empty, NULL, &text);
    const char *printed = wp_text_get(&text);
    assert_non_null(strstr(printed, "| gsl "));
    assert_null(strstr(printed, " 0.0 |")); // a value that is not printed has no row
    assert_int_equal(count(printed, "- not compared: gsl: GSL 1.16, not part of wavepass\n"), 1);
    assert_int_equal(count(printed, "- not compared: hybrid: "), 1);
    assert_non_null(strstr(printed, "What differs: "));
    wp_text_clear(&text);
    wp_paper_compare(find("quan2014-table1"), &empty, NULL, &text);
    assert_int_equal(count(wp_text_get(&text), "- not compared: mixed-band, optimized GPU: "), 1);
    wp_text_free(&text);
}

static void test_claims(void **state)
{
    (void)state;
    const struct wp_paper *p = find("barina2017-fig8");
    struct wp_results results = {.complete = true};
    const struct {
        const char *backend, *scheme;
        int side;
        double ms;
    } rows[] = {
        {"fragment", "sep-lifting", 256, 3.0},    {"fragment", "sep-lifting", 512, 8.0},
        {"fragment", "nonsep-lifting", 256, 2.0}, {"fragment", "nonsep-lifting", 512, 4.0},
        {"fragment", "nonsep-convolution", 256, 4.0},
        {"fragment", "nonsep-convolution", 512, 3.2},
        {"fragment", "nonsep-polyconvolution", 256, 4.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct wp_row row = make(
            &(struct wp_paper_match){.backend = rows[i].backend, .scheme = rows[i].scheme,
                                     .width = rows[i].side, .height = rows[i].side, .levels = 1},
            "forward", rows[i].ms);
        wp_results_add(&results, &row);
    }
    struct wp_text text = {0};
    wp_paper_compare(p, &results, NULL, &text);
    const char *printed = wp_text_get(&text);
    const char *line = strstr(printed, "| fragment: non-separable lifting beats separable lifting");
    assert_non_null(line);
    assert_true(strncmp(strstr(line, "1.50..2.00 | yes"), "1.50", 4) == 0);
    line = strstr(printed, "| fragment: non-separable convolution beats non-separable lifting");
    assert_non_null(line);
    assert_non_null(strstr(line, "0.500..1.25 | in part"));
    line = strstr(printed, "| fragment: non-separable polyconvolution beats non-separable lifting");
    assert_non_null(line);
    assert_non_null(strstr(line, "0.500..0.500 | no "));
    assert_non_null(strstr(printed, "backend 'compute' was not measured here"));
    wp_text_free(&text);
    wp_results_free(&results);
}

// A claim about numbers of threads compares them; other claims compare rows with equal numbers.
static void test_threads(void **state)
{
    (void)state;
    const struct {
        const char *variant;
        int threads;
        double ms;
    } rows[] = {{"conv-row-column", 1, 8.0},    {"conv-row-column", 2, 4.0},
                {"lifting-row-column", 1, 4.0}, {"lifting-row-column", 2, 3.0}};
    struct wp_results results = {.complete = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct wp_row row = make(&(struct wp_paper_match){.backend = "cpu",
                                                                .variant = rows[i].variant,
                                                                .threads = rows[i].threads},
                                       "forward", rows[i].ms);
        wp_results_add(&results, &row);
    }
    struct wp_text text = {0};
    wp_paper_compare(find("galiano2011-fig3"), &results, NULL, &text);
    const char *printed = wp_text_get(&text);
    assert_non_null(strstr(strstr(printed, "| convolution beats lifting"), "0.500..0.750 | no "));
    assert_non_null(strstr(strstr(printed, "| convolution gains more than 1.9 times on two"),
                           "2.00..2.00 | yes"));
    assert_non_null(strstr(strstr(printed, "| lifting gains more than 1.9 times on two"),
                           "1.33..1.33 | no "));
    assert_non_null(strstr(strstr(printed, "| lifting gains 2.4 to 3.4 times on four"),
                           "- | not measured in this run"));
    wp_text_free(&text);
    wp_results_free(&results);
}

// Transfers belong to the transform of their size; a claim about them compares rows with and
// without transfers.
static void test_apart(void **state)
{
    (void)state;
    const char *const variant = "global";
    const struct {
        const char *work, *includes;
        int depth;
        double ms;
    } rows[] = {{"", "", 16, 2.0},           {"", "upload,download", 16, 8.0},
                {"upload", "", 16, 3.0},     {"download", "", 16, 4.0},
                {"", "", 32, 5.0},           {"upload", "", 32, 6.0},
                {"", "overlapped", 16, 4.4}};
    struct wp_results results = {.complete = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wp_row row = make(&(struct wp_paper_match){.backend = "cuda", .variant = variant,
                                                          .includes = rows[i].includes,
                                                          .width = 1280, .height = 640,
                                                          .depth = rows[i].depth, .levels = 1},
                                 "forward", rows[i].ms);
        row.kind = *rows[i].work ? WP_ROW_TRANSFER : WP_ROW_TRANSFORM;
        set(row.work, rows[i].work);
        wp_results_add(&results, &row);
    }
    struct wp_text text = {0};
    wp_paper_compare(find("galiano2012-fig3"), &results, NULL, &text);
    const char *printed = wp_text_get(&text);
    const char *line = strstr(printed, "| cuda    | global  | 1280x640x16 | 3.000 ms | 2.000 ms | "
                                    "4.000 ms | 9.000 ms | 8.000 ms |   4.400 ms |"
                                    "             1.10 |     3636 |\n");
    assert_non_null(line);
    assert_non_null(strstr(line, "| cuda    | global  | 1280x640x32 | 6.000 ms | 5.000 ms | "
                                 "       ? |        ? |        ? |          ? |"
                                 "                ? |        ? |\n"));
    assert_non_null(strstr(strstr(printed, "| copies between CPU and GPU"), "4.00..4.00 | yes"));
    wp_text_clear(&text);
    wp_paper_compare(find("galiano2012-fig4"), &results, NULL, &text);
    assert_null(strstr(wp_text_get(&text), "separate and combined"));
    wp_text_free(&text);
    wp_results_free(&results);
}

static void add_words(struct wp_text *text, const char *name, const char *words)
{
    if (words)
        wp_text_add(text, " %s=%s", name, *words ? words : "-");
}

static void add_count(struct wp_text *text, const char *name, int number)
{
    if (number)
        wp_text_add(text, " %s=%d", name, number);
}

static void add_match(struct wp_text *text, const char *label, const struct wp_paper_match *m)
{
    wp_text_add(text, "%s:", label);
    add_count(text, "kind", (int)m->kind);
    add_words(text, "backend", m->backend);
    add_words(text, "variant", m->variant);
    add_words(text, "wavelet", m->wavelet);
    add_words(text, "scheme", m->scheme);
    add_words(text, "layout", m->layout);
    add_words(text, "work", m->work);
    add_words(text, "over", m->over);
    add_words(text, "direction", m->direction);
    add_words(text, "includes", m->includes);
    add_count(text, "width", m->width);
    add_count(text, "height", m->height);
    add_count(text, "depth", m->depth);
    add_count(text, "levels", m->levels);
    add_count(text, "threads", m->threads);
    add_count(text, "rate", m->rate);
    wp_text_add(text, "\n");
}

// Our rows for everything that the paper has, each with another time; claims in the direction
// forward only.
static void measure(const struct wp_paper *p, struct wp_results *results)
{
    for (int i = 0; i < p->row_count; i++) {
        const struct wp_paper_row *r = &p->row[i];
        const bool both = !r->match.direction && r->match.kind == WP_ROW_TRANSFORM;
        for (int d = 0; d < (both ? 2 : 1) && !r->other; d++) {
            const char *direction = r->match.direction ? r->match.direction
                                    : !both            ? ""
                                    : d                ? "inverse"
                                                       : "forward";
            struct wp_row row = make(&r->match, direction, (0.3 + 0.07 * i) * (1 + 1.3 * d));
            row.steps = i + 1;
            row.operations = 7.0 * (i + 1);
            row.psnr = 20.11 + i * (i % 3 ? 0.37 : 0.23);
            wp_results_add(results, &row);
        }
    }
    for (int i = 0; i < p->claim_count; i++) {
        const struct wp_row fast = make(&p->claim[i].fast, "forward", 1.7 + 0.3 * i);
        const struct wp_row slow = make(&p->claim[i].slow, "forward", 2.9 + 0.9 * (i % 3));
        wp_results_add(results, &fast);
        wp_results_add(results, &slow);
    }
}

// All printed texts, and the patterns that select our rows. The reasons for missing rows depend on
// the build; they are tested above.
static void test_texts(void **state)
{
    (void)state;
    struct wp_text text = {0};
    for (const struct wp_paper *p = wp_papers; p->name; p++) {
        wp_text_add(&text, "== %s%s\n", p->name, p->transfers ? ", apart" : "");
        for (int i = 0; p->sweep[i]; i++)
            wp_text_add(&text, "%s\n", p->sweep[i]);
        for (int i = 0; i < p->row_count; i++)
            add_match(&text, p->row[i].label, &p->row[i].match);
        for (int i = 0; i < p->claim_count; i++) {
            wp_text_add(&text, "least %g\n", p->claim[i].least);
            add_match(&text, "fast", &p->claim[i].fast);
            add_match(&text, "slow", &p->claim[i].slow);
        }
        struct wp_results results = {.complete = true};
        measure(p, &results);
        wp_text_add(&text, "\n");
        wp_paper_compare(p, &results, NULL, &text);
        wp_text_add(&text, "\n");
        wp_results_free(&results);
    }
    assert_golden("papers.txt", wp_text_get(&text));
    wp_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),    cmocka_unit_test(test_variants),
        cmocka_unit_test(test_ratios),  cmocka_unit_test(test_counts),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_claims),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_apart),
        cmocka_unit_test(test_gains),   cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
