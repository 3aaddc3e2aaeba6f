#include "results_write.h"

#include "row_key.h"
#include "table.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_json(struct wp_text *text, const json_t *json, size_t flags)
{
    enum { DIGITS = 9 };
    char *dumped = json_dumps(json, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
    wp_text_add(text, "%s", dumped);
    free(dumped);
}

// A line a row: samples one below the other would be hundreds of thousands of lines.
void wp_results_json(const struct wp_results *results, bool samples, struct wp_text *text)
{
    json_t *json = wp_results_to_json(results, samples);
    const char *key;
    json_t *value;
    wp_text_add(text, "{");
    json_object_foreach (json, key, value) {
        wp_text_add(text, "%s\n\"%s\": ", text->length > 1 ? "," : "", key);
        if (!json_is_array(value)) {
            add_json(text, value, JSON_INDENT(1));
            continue;
        }
        wp_text_add(text, "[");
        for (size_t i = 0; i < json_array_size(value); i++) {
            wp_text_add(text, i ? ",\n" : "\n");
            add_json(text, json_array_get(value, i), JSON_COMPACT);
        }
        wp_text_add(text, "\n]");
    }
    wp_text_add(text, "\n}\n");
    json_decref(json);
}

// RFC 4180.
static void add_csv_text(struct wp_text *text, const char *value)
{
    if (!strpbrk(value, ",\"\r\n")) {
        wp_text_add(text, "%s", value);
        return;
    }
    wp_text_add(text, "\"");
    for (; *value; value++)
        wp_text_add(text, *value == '"' ? "\"\"" : "%c", *value);
    wp_text_add(text, "\"");
}

static void add_csv_value(struct wp_text *text, const struct wp_row *row,
                          const struct wp_column *column)
{
    const void *at = (const char *)row + column->offset;
    char number[WP_NUMBER_SIZE];
    if (column->kind == WP_COLUMN_TEXT)
        add_csv_text(text, at);
    else if ((column->kind == WP_COLUMN_FIGURE || column->kind == WP_COLUMN_AMOUNT) &&
             isfinite(*(const double *)at))
        wp_text_add(text, "%s", wp_format_number(number, *(const double *)at, 9));
    else if (column->kind == WP_COLUMN_COUNT && *(const int *)at >= 0)
        wp_text_add(text, "%d", *(const int *)at);
    else if (column->kind == WP_COLUMN_TRUTH && *(const int *)at >= 0)
        wp_text_add(text, *(const int *)at ? "true" : "false");
}

void wp_results_csv(const struct wp_results *results, struct wp_text *text)
{
    wp_text_add(text, "kind");
    for (const struct wp_column *c = wp_row_columns; c->name; c++)
        wp_text_add(text, ",%s", c->name);
    wp_text_add(text, "\n");
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        wp_text_add(text, "%s", wp_row_kind_names[row->kind]);
        for (const struct wp_column *c = wp_row_columns; c->name; c++) {
            wp_text_add(text, ",");
            add_csv_value(text, row, c);
        }
        wp_text_add(text, "\n");
    }
}

static const struct wp_row *first_of(const struct wp_results *results, enum wp_row_kind kind)
{
    for (int i = 0; i < results->row_count; i++)
        if (results->row[i].kind == kind)
            return &results->row[i];
    return NULL;
}

// The shortest median among the rows that compute the same.
static double best_of(const struct wp_results *results, const struct wp_row *row)
{
    const unsigned ways = WP_KEY_BIT(WP_KEY_BACKEND) | WP_KEY_BIT(WP_KEY_VARIANT) |
                          WP_KEY_BIT(WP_KEY_SCHEME) | WP_KEY_BIT(WP_KEY_FORM) |
                          WP_KEY_BIT(WP_KEY_THREADS);
    double best = row->median_ns;
    for (int i = 0; i < results->row_count; i++)
        if (wp_row_keys_equal(row, &results->row[i], WP_KEYS_ALL & ~ways))
            best = fmin(best, results->row[i].median_ns);
    return best;
}

static void add_count(struct wp_table *table, int count)
{
    if (count >= 0)
        wp_table_cell(table, "%d", count);
    else
        wp_table_cell(table, " ");
}

static void add_amount(struct wp_table *table, double amount)
{
    if (isfinite(amount) && (floor(amount) < amount || fabs(amount) > INT_MAX))
        wp_table_number(table, amount, 4);
    else
        add_count(table, isfinite(amount) ? (int)amount : -1);
}

static void add_check(struct wp_table *table, const struct wp_row *row)
{
    char number[WP_NUMBER_SIZE], size[WP_KEY_SIZE_MOST];
    if (row->verified != 1 || !isfinite(row->max_abs_err)) {
        wp_table_cell(table, "%s", wp_row_doubt(row));
        return;
    }
    wp_format_number(number, row->max_abs_err, 2);
    const char *here = wp_row_key(row, WP_KEY_SIZE, size);
    if (*row->verified_at && strcmp(row->verified_at, here) != 0)
        wp_table_cell(table, "%s at %s", number, row->verified_at);
    else
        wp_table_cell(table, "%s", number);
}

static void add_marks_cell(struct wp_table *table, const struct wp_row *row)
{
    char throttled[32] = "";
    if (row->throttled_samples > 0)
        snprintf(throttled, sizeof throttled, "%d THROTTLED", row->throttled_samples);
    const char *const mark[] = {row->software == 1 ? "SOFTWARE" : "", throttled,
                                wp_row_is_busy(row) ? "BUSY" : ""};
    struct wp_text marks = {0};
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if (*mark[i])
            wp_text_add(&marks, "%s%s", marks.length ? ", " : "", mark[i]);
    wp_table_cell(table, "%s", marks.length ? wp_text_get(&marks) : " ");
    wp_text_free(&marks);
}

static void add_keys_header(struct wp_table *table, unsigned keys)
{
    for (int k = 0; k < WP_KEY_COUNT; k++)
        if (keys & WP_KEY_BIT(k))
            wp_table_column(table, wp_row_key_names[k], wp_row_key_counts((enum wp_row_key)k));
}

static void add_keys(struct wp_table *table, const struct wp_row *row, unsigned keys)
{
    char buffer[WP_KEY_SIZE_MOST];
    for (int k = 0; k < WP_KEY_COUNT; k++)
        if (keys & WP_KEY_BIT(k))
            wp_table_cell(table, "%s", wp_row_key(row, (enum wp_row_key)k, buffer));
}

// "NVIDIA H200, cuda, forward, …": what all rows of a kind have in common.
static void add_common(const struct wp_results *results, enum wp_row_kind kind, unsigned shown,
                       struct wp_text *text)
{
    const struct wp_row *first = first_of(results, kind);
    bool one_device = true;
    for (int i = 0; i < results->row_count; i++)
        one_device = one_device && (results->row[i].kind != kind ||
                                    strcmp(results->row[i].device, first->device) == 0);
    struct wp_text common = {0};
    wp_row_describe(first, WP_KEYS_ALL & ~shown, &common);
    wp_text_add(text, "All rows: %s%s%s\n\n", one_device ? first->device : "",
                one_device && *first->device && common.length ? ", " : "",
                wp_text_get(&common));
    wp_text_free(&common);
}

static void add_transforms(const struct wp_results *results, struct wp_text *text)
{
    const unsigned always = WP_KEY_BIT(WP_KEY_WAVELET) | WP_KEY_BIT(WP_KEY_SCHEME) |
                            WP_KEY_BIT(WP_KEY_SIZE) | WP_KEY_BIT(WP_KEY_LEVELS) |
                            WP_KEY_BIT(WP_KEY_LEVELS_Z);
    const unsigned keys = always | wp_row_keys_varying(results, WP_ROW_TRANSFORM);
    static const struct {
        const char *header;
        bool right;
    } columns[] = {{"steps", true},  {"ops", true},   {"fetches", true}, {"median", true},
                   {"min", true},    {"noise", true}, {"samples", true}, {"GB/s", true},
                   {"Mpel/s", true}, {"vs best", true}, {"of ceiling", true}, {"ceiling", false},
                   {"check", true},  {"marks", false}};
    add_common(results, WP_ROW_TRANSFORM, keys, text);
    struct wp_table table = {0};
    add_keys_header(&table, keys);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        wp_table_column(&table, columns[c].header, columns[c].right);
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != WP_ROW_TRANSFORM)
            continue;
        add_keys(&table, row, keys);
        add_count(&table, row->steps);
        add_amount(&table, row->operations);
        add_amount(&table, row->fetches);
        wp_table_time(&table, row->median_ns);
        wp_table_time(&table, row->min_ns);
        wp_table_percent(&table, row->noise);
        add_count(&table, row->sample_count);
        wp_table_number(&table, row->payload_gbps, 4);
        wp_table_number(&table, row->mpel_s, 4);
        wp_table_number(&table, row->median_ns / best_of(results, row), 3);
        wp_table_percent(&table, row->ceiling_share);
        wp_table_cell(&table, "%s%s%s%s", row->ceiling_name, *row->ceiling_binds ? " (" : "",
                      row->ceiling_binds, *row->ceiling_binds ? ")" : "");
        add_check(&table, row);
        add_marks_cell(&table, row);
    }
    wp_table_finish(&table, text);
}

static void add_others(const struct wp_results *results, enum wp_row_kind kind,
                       struct wp_text *text)
{
    const unsigned always = WP_KEY_BIT(WP_KEY_WORK) | WP_KEY_BIT(WP_KEY_SIZE);
    const unsigned keys = always | wp_row_keys_varying(results, kind);
    wp_text_add(text, "\n%s. ", kind == WP_ROW_CEILING ? "Ceilings" : "Transfers");
    add_common(results, kind, keys, text);
    struct wp_table table = {0};
    add_keys_header(&table, keys);
    static const char *const columns[] = {"median", "min", "noise", "samples", "GB/s"};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        wp_table_column(&table, columns[c], true);
    wp_table_column(&table, "marks", false);
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != kind)
            continue;
        add_keys(&table, row, keys);
        wp_table_time(&table, row->median_ns);
        wp_table_time(&table, row->min_ns);
        wp_table_percent(&table, row->noise);
        add_count(&table, row->sample_count);
        if (isfinite(row->traffic_gbps))
            wp_table_number(&table, row->traffic_gbps, 4);
        else
            wp_table_cell(&table, " "); // nothing is moved
        add_marks_cell(&table, row);
    }
    wp_table_finish(&table, text);
}

static void add_reconstructions(const struct wp_results *results, struct wp_text *text)
{
    const unsigned always = WP_KEY_BIT(WP_KEY_WORK) | WP_KEY_BIT(WP_KEY_IMAGE) |
                            WP_KEY_BIT(WP_KEY_RATE) | WP_KEY_BIT(WP_KEY_SIZE);
    const unsigned keys = always | wp_row_keys_varying(results, WP_ROW_RECONSTRUCTION);
    static const char *const columns[] = {"PSNR", "iterations", "median", "min", "noise",
                                          "iterations/s", "preparing"};
    wp_text_add(text, "Reconstructions. ");
    add_common(results, WP_ROW_RECONSTRUCTION, keys, text);
    struct wp_table table = {0};
    add_keys_header(&table, keys);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        wp_table_column(&table, columns[c], true);
    wp_table_column(&table, "marks", false);
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != WP_ROW_RECONSTRUCTION)
            continue;
        add_keys(&table, row, keys);
        wp_table_cell(&table, "%.2f dB", row->psnr);
        add_count(&table, row->iterations);
        const bool timed = row->sample_count > 0;
        for (int c = 2; !timed && c < (int)(sizeof columns / sizeof *columns); c++)
            wp_table_cell(&table, " ");
        if (timed) {
            wp_table_time(&table, row->median_ns);
            wp_table_time(&table, row->min_ns);
            wp_table_percent(&table, row->noise);
            wp_table_number(&table, 1e9 / row->median_ns, 4);
            wp_table_time(&table, row->compile_ns);
        }
        add_marks_cell(&table, row);
    }
    wp_table_finish(&table, text);
}

static void add_timers(const struct wp_results *results, struct wp_text *text)
{
    struct wp_text timers = {0};
    for (int i = 0; i < results->row_count; i++) {
        const char *timer = results->row[i].timer;
        bool known = !*timer;
        for (int j = 0; j < i && !known; j++)
            known = strcmp(results->row[j].timer, timer) == 0;
        if (!known)
            wp_text_add(&timers, "%s%s", timers.length ? ", " : "", timer);
    }
    if (timers.length)
        wp_text_add(text, "Timed with: %s. ", wp_text_get(&timers));
    wp_text_free(&timers);
}

static void add_meaning_of_transforms(struct wp_text *text)
{
    wp_text_add(text,
                "Times are of the transform alone, from device memory to device memory, but for "
                "what the rows include.\n"
                "GB/s = 2 * width * height * depth * planes * 4 bytes (f16: 2) / median: the image "
                "read once and written once, at 10^9 bytes. For ceilings and transfers: the bytes "
                "they move.\n"
                "noise = half the width of the 95 %% confidence interval of the median, over the "
                "median; ? below 6 samples. vs best = the median over that of the fastest row that "
                "computes the same.\n"
                "of ceiling = the time that the named ceiling takes for the same work, over the "
                "median. check = largest |error| against the double-precision reference.\n");
}

static void add_meaning(const struct wp_results *results, struct wp_text *text)
{
    wp_text_add(text, "\n");
    add_timers(results, text);
    if (first_of(results, WP_ROW_RECONSTRUCTION))
        wp_text_add(text, "Of reconstructions times are of an iteration, a sample is an outer "
                          "loop's mean, and PSNR is of magnitudes, for a peak of 1.\n");
    else
        add_meaning_of_transforms(text);
    if (!results->complete)
        wp_text_add(text, "INCOMPLETE: the run ended before all rows were measured.\n");
}

// Whether two warnings differ in numbers at most.
static bool is_alike(const char *a, const char *b)
{
    static const char number[] = "0123456789.";
    while (*a && *b) {
        a += strspn(a, number);
        b += strspn(b, number);
        if (*a != *b)
            return false;
        if (*a) {
            a++;
            b++;
        }
    }
    return *a == *b;
}

static int count_warning(const struct wp_results *results, int from, int to, const char *warning)
{
    int count = 0;
    for (int i = from; i < to; i++)
        for (int w = 0; w < results->row[i].warning_count; w++)
            count += is_alike(results->row[i].warning[w], warning);
    return count;
}

// The first row of those with the like of a warning speaks for all; JSON has each.
static void add_warnings(const struct wp_results *results, struct wp_text *text)
{
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        for (int w = 0; w < row->warning_count; w++) {
            if (count_warning(results, 0, i, row->warning[w]) > 0)
                continue;
            const int more = count_warning(results, i + 1, results->row_count, row->warning[w]);
            wp_text_add(text, "warning: ");
            const size_t before = text->length;
            wp_row_describe(row, wp_row_keys_varying(results, row->kind), text);
            wp_text_add(text, "%s%s", text->length > before ? ": " : "", row->warning[w]);
            if (more > 0)
                wp_text_add(text, " (and %d more row%s alike)", more, WP_PLURAL(more));
            wp_text_add(text, "\n");
        }
    }
}

void wp_results_markdown(const struct wp_results *results, struct wp_text *text)
{
    if (first_of(results, WP_ROW_TRANSFORM))
        add_transforms(results, text);
    if (first_of(results, WP_ROW_CEILING))
        add_others(results, WP_ROW_CEILING, text);
    if (first_of(results, WP_ROW_TRANSFER))
        add_others(results, WP_ROW_TRANSFER, text);
    if (first_of(results, WP_ROW_RECONSTRUCTION))
        add_reconstructions(results, text);
    if (results->row_count == 0)
        wp_text_add(text, "No rows.\n");
    add_meaning(results, text);
    add_warnings(results, text);
}
