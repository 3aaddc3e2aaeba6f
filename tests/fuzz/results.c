// Results of benchmarks: read, written in all formats, and compared with themselves and with the
// results after a zero byte.
#include "fuzz.h"

#include "results.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

// A written file is restored and written identically.
static void write_and_read(const struct wp_results *results)
{
    struct wp_text once = {0}, twice = {0};
    struct wp_results again;
    wp_results_json(results, true, &once);
    FUZZ_CHECK(wp_results_read(fuzz_file(1, once.data, once.length), &again));
    wp_results_json(&again, true, &twice);
    FUZZ_CHECK(strcmp(wp_text_get(&once), wp_text_get(&twice)) == 0);
    wp_results_free(&again);
    wp_text_free(&once);
    wp_text_free(&twice);
}

static void write_wide(const struct wp_results *results, struct wp_text *text)
{
    wp_results_markdown(results, NULL, text);
}

static void write_narrow(const struct wp_results *results, struct wp_text *text)
{
    struct wp_page page = {.width = 80};
    wp_results_markdown(results, &page, text);
    wp_page_finish(&page, text);
}

static void write_short(const struct wp_results *results, struct wp_text *text)
{
    wp_results_json(results, false, text);
}

static void write_all(const struct wp_results *results)
{
    void (*const writers[])(const struct wp_results *, struct wp_text *) = {
        wp_results_csv, write_wide, write_narrow, write_short, wp_results_plot};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct wp_text text = {0};
        writers[i](results, &text);
        FUZZ_CHECK(text.length > 0 && !text.failed);
        wp_text_free(&text);
    }
}

static int compare(const struct wp_results *a, const struct wp_results *b)
{
    const struct wp_comparison_params params = {.alpha = 0.01, .threshold = 0.02};
    struct wp_comparison comparison;
    struct wp_text text = {0};
    struct wp_page page = {.width = 80};
    wp_comparison_create(a, b, &params, &comparison);
    const int different = comparison.difference_count + wp_comparison_slower(&comparison, 0.5);
    wp_comparison_markdown(&comparison, "a", "b", NULL, &text);
    wp_comparison_markdown(&comparison, "a", "b", &page, &text);
    wp_page_finish(&page, &text);
    FUZZ_CHECK(!text.failed);
    json_t *json = wp_comparison_json(&comparison);
    FUZZ_CHECK(json);
    json_decref(json);
    wp_text_free(&text);
    wp_comparison_free(&comparison);
    return different;
}

// The words of a row's key.
static void check_keys(const struct wp_row *row)
{
    char buffer[WP_KEY_SIZE_MOST];
    for (int key = 0; key < WP_KEY_COUNT; key++) {
        const char *word = wp_row_key(row, (enum wp_row_key)key, buffer);
        FUZZ_CHECK(!wp_row_keys[key].counts || strlen(word) < WP_KEY_SIZE_MOST);
    }
    FUZZ_CHECK(*wp_size_text(buffer, (const int[]){row->width, row->height, row->depth}));
}

// Statistics of the samples that were read.
static void summarize(const struct wp_results *results)
{
    for (int i = 0; i < results->row_count; i++) {
        struct wp_row *row = &results->row[i];
        check_keys(row);
        if (row->sample_count < 1 || !row->sample_ns || !row->wall_sample_ns)
            continue;
        wp_row_summarize(row);
        FUZZ_CHECK(row->min_ns <= row->median_ns && row->median_ns <= row->max_ns);
    }
}

static void read_second(const struct wp_results *first, const uint8_t *data, size_t size)
{
    struct wp_results second;
    const bool ok = wp_results_read(fuzz_file(1, data, size), &second);
    fuzz_check_result(ok);
    if (ok)
        compare(first, &second);
    wp_results_free(&second);
}

void fuzz(const uint8_t *data, size_t size)
{
    struct wp_results results;
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    const bool ok =
        wp_results_read(fuzz_file(0, data, end ? (size_t)(end - data) : size), &results);
    fuzz_check_result(ok);
    if (ok) {
        write_and_read(&results);
        write_all(&results);
        FUZZ_CHECK(compare(&results, &results) == 0); // nothing is slower than itself
        if (end)
            read_second(&results, end + 1, size - (size_t)(end - data) - 1);
        summarize(&results);
    }
    wp_results_free(&results);
}
