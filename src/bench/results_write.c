#include "results.h"

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

// Writes one line per row; one line per sample would be hundreds of thousands of lines.
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

// Adds a value with the quotes of RFC 4180.
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

// The shortest median among the rows that differ only in the implementation.
static double best_of(const struct wp_results *results, const struct wp_row *row)
{
    const unsigned implementation_keys = WP_KEY_BIT(WP_KEY_BACKEND) | WP_KEY_BIT(WP_KEY_VARIANT) |
                          WP_KEY_BIT(WP_KEY_SCHEME) | WP_KEY_BIT(WP_KEY_FORM) |
                          WP_KEY_BIT(WP_KEY_THREADS);
    double best = row->median_ns;
    for (int i = 0; i < results->row_count; i++)
        if (wp_row_keys_equal(row, &results->row[i], WP_KEYS_ALL & ~implementation_keys))
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
    const char *row_size = wp_row_key(row, WP_KEY_SIZE, size);
    if (*row->verified_at && strcmp(row->verified_at, row_size) != 0)
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

// The contents of a table: rows of a kind on a page, its keys, and those that may be omitted.
struct sheet {
    const struct wp_results *results;
    struct wp_page *page;
    enum wp_row_kind kind;
    unsigned keys, spare;
};

// A table of unlimited width has the keys `always` and those that differ between rows. A narrow
// table has only the latter, or `first` if there are none.
static struct sheet open_sheet(const struct wp_results *results, struct wp_page *page,
                               enum wp_row_kind kind, unsigned always, enum wp_row_key first)
{
    const unsigned varying = wp_row_keys_varying(results, kind);
    const bool narrow = page && page->width > 0;
    const unsigned keys = narrow ? varying ? varying : WP_KEY_BIT(first) : always | varying;
    return (struct sheet){results, page, kind, keys,
                          narrow ? wp_row_keys_spare(results, kind, keys) : 0};
}

enum { RANK_KEY = 10 };

static void add_keys_header(struct wp_table *table, const struct sheet *sheet)
{
    for (int k = 0; k < WP_KEY_COUNT; k++)
        if (sheet->keys & WP_KEY_BIT(k))
            wp_table_columns(table,
                             &(struct wp_heading){wp_row_keys[k].name,
                                                  wp_row_keys[k].counts,
                                                  sheet->spare & WP_KEY_BIT(k) ? RANK_KEY : 0},
                             1);
}

static struct wp_table open_table(const struct sheet *sheet, const struct wp_heading *heading,
                                  size_t count)
{
    struct wp_table table = {.page = sheet->page};
    add_keys_header(&table, sheet);
    wp_table_columns(&table, heading, count);
    return table;
}

static void add_keys(struct wp_table *table, const struct wp_row *row, const struct sheet *sheet)
{
    char buffer[WP_KEY_SIZE_MOST];
    for (int k = 0; k < WP_KEY_COUNT; k++) {
        if (!(sheet->keys & WP_KEY_BIT(k)))
            continue;
        const char *value = wp_row_key(row, (enum wp_row_key)k, buffer);
        if (k == WP_KEY_BANK && row->kind == WP_ROW_TRANSFORM && !*value)
            value = wp_bank_names[WP_BANK_DECIMATED]; // results do not name it
        wp_table_cell(table, "%s", value);
    }
}

// Adds the values that all rows of a kind have in common: "NVIDIA H200, cuda, forward, …".
static void add_common(const struct sheet *sheet, const char *title, struct wp_text *text)
{
    const struct wp_results *results = sheet->results;
    const struct wp_row *first = first_of(results, sheet->kind);
    bool one_device = true;
    for (int i = 0; i < results->row_count; i++)
        one_device = one_device && (results->row[i].kind != sheet->kind ||
                                    strcmp(results->row[i].device, first->device) == 0);
    struct wp_text common = {0};
    wp_row_describe(first, WP_KEYS_ALL & ~sheet->keys, &common);
    wp_page_words(sheet->page, text, "%sAll rows: %s%s%s", title,
                  one_device ? first->device : "",
                  one_device && *first->device && common.length ? ", " : "",
                  wp_text_get(&common));
    wp_text_add(text, "\n");
    wp_text_free(&common);
}

static bool all_verified(const struct wp_results *results)
{
    for (int i = 0; i < results->row_count; i++)
        if (results->row[i].kind == WP_ROW_TRANSFORM && results->row[i].verified != 1)
            return false;
    return true;
}

static void add_transforms(const struct wp_results *results, struct wp_page *page,
                           struct wp_text *text)
{
    const unsigned always = WP_KEY_BIT(WP_KEY_WAVELET) | WP_KEY_BIT(WP_KEY_SCHEME) |
                            WP_KEY_BIT(WP_KEY_SIZE) | WP_KEY_BIT(WP_KEY_LEVELS) |
                            WP_KEY_BIT(WP_KEY_LEVELS_Z);
    const struct sheet sheet =
        open_sheet(results, page, WP_ROW_TRANSFORM, always, WP_KEY_WAVELET);
    const struct wp_heading headings[] = {
        {"steps", true, 6},   {"ops", true, 5},       {"fetches", true, 12},
        {"median", true, 0},  {"min", true, 15},      {"noise", true, 11},
        {"samples", true, 14}, {"GB/s", true, 3},     {"Mpel/s", true, 13},
        {"vs best", true, 1}, {"of ceiling", true, 2}, {"ceiling", false, 8},
        {"check", true, all_verified(results) ? 7 : 0}, {"marks", false, 0}};
    add_common(&sheet, "", text);
    struct wp_table table = open_table(&sheet, headings, sizeof headings / sizeof *headings);
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != WP_ROW_TRANSFORM)
            continue;
        add_keys(&table, row, &sheet);
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
                       struct wp_page *page, struct wp_text *text)
{
    static const struct wp_heading headings[] = {{"median", true, 0},   {"min", true, 3},
                                              {"noise", true, 1},    {"samples", true, 2},
                                              {"GB/s", true, 0},     {"marks", false, 0}};
    const unsigned always = WP_KEY_BIT(WP_KEY_TRANSFORM) | WP_KEY_BIT(WP_KEY_SIZE);
    const struct sheet sheet = open_sheet(results, page, kind, always, WP_KEY_TRANSFORM);
    wp_text_add(text, "\n");
    add_common(&sheet, kind == WP_ROW_CEILING ? "Ceilings. " : "Transfers. ", text);
    struct wp_table table = open_table(&sheet, headings, sizeof headings / sizeof *headings);
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != kind)
            continue;
        add_keys(&table, row, &sheet);
        wp_table_time(&table, row->median_ns);
        wp_table_time(&table, row->min_ns);
        wp_table_percent(&table, row->noise);
        add_count(&table, row->sample_count);
        if (isfinite(row->traffic_gbps))
            wp_table_number(&table, row->traffic_gbps, 4);
        else
            wp_table_cell(&table, " "); // no data is moved
        add_marks_cell(&table, row);
    }
    wp_table_finish(&table, text);
}

static void add_reconstructions(const struct wp_results *results, struct wp_page *page,
                                struct wp_text *text)
{
    static const struct wp_heading headings[] = {
        {"PSNR", true, 0},  {"iterations", true, 5},   {"median", true, 0},    {"min", true, 4},
        {"noise", true, 3}, {"iterations/s", true, 1}, {"preparing", true, 2}, {"marks", false, 0}};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    const unsigned always = WP_KEY_BIT(WP_KEY_TRANSFORM) | WP_KEY_BIT(WP_KEY_IMAGE) |
                            WP_KEY_BIT(WP_KEY_RATE) | WP_KEY_BIT(WP_KEY_SIZE);
    const struct sheet sheet =
        open_sheet(results, page, WP_ROW_RECONSTRUCTION, always, WP_KEY_TRANSFORM);
    add_common(&sheet, "Reconstructions. ", text);
    struct wp_table table = open_table(&sheet, headings, COLUMNS);
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (row->kind != WP_ROW_RECONSTRUCTION)
            continue;
        add_keys(&table, row, &sheet);
        wp_table_cell(&table, "%.2f dB", row->psnr);
        add_count(&table, row->iterations);
        const bool timed = row->sample_count > 0;
        for (int c = 2; !timed && c < COLUMNS - 1; c++)
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

static void add_timers(const struct wp_results *results, struct wp_text *timers)
{
    for (int i = 0; i < results->row_count; i++) {
        const char *timer = results->row[i].timer;
        bool known = !*timer;
        for (int j = 0; j < i && !known; j++)
            known = strcmp(results->row[j].timer, timer) == 0;
        if (!known)
            wp_text_add(timers, "%s%s", timers->length ? "; " : "Timed with: ", timer);
    }
    wp_text_add(timers, timers->length ? ". " : "");
}

static void add_meaning_of_transforms(const struct wp_page *page, struct wp_text *text)
{
    static const char *const words[] = {
        "GB/s = 2 * width * height * depth * planes * batch * 4 bytes (f16: 2) / median: the image read once "
        "and written once, at 10^9 bytes. For ceilings and transfers: the bytes they move.",
        "noise = half the width of the 95 % confidence interval of the median, divided by the "
        "median; ? below 6 independent samples (corrected for autocorrelation). vs best = the "
        "median over that of the fastest row that computes the same.",
        "of ceiling = the time that the named ceiling takes for the same work, over the median. "
        "check = largest |error| against the double-precision reference."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wp_page_words(page, text, "%s", words[i]);
}

static void add_meaning(const struct wp_results *results, const struct wp_page *page,
                        struct wp_text *text)
{
    const bool iterations = first_of(results, WP_ROW_RECONSTRUCTION);
    struct wp_text timers = {0};
    add_timers(results, &timers);
    wp_text_add(text, "\n");
    wp_page_words(page, text, "%s%s", wp_text_get(&timers),
                  iterations ? "Reconstructions: time per iteration; a sample is the mean of an "
                               "outer loop; PSNR is that of magnitudes, for a peak of 1."
                             : "Times are those of the transform from device memory to device "
                               "memory, plus the steps that a row includes.");
    if (!iterations)
        add_meaning_of_transforms(page, text);
    if (!results->complete)
        wp_text_add(text, "INCOMPLETE: the run ended before all rows were measured.\n");
    wp_text_free(&timers);
}

// True if two warnings differ only in numbers.
static bool is_similar(const char *a, const char *b)
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
            count += is_similar(results->row[i].warning[w], warning);
    return count;
}

// Adds one line for similar warnings, with the first row; JSON has all of them.
static void add_warnings(const struct wp_results *results, const struct wp_page *page,
                         struct wp_text *text)
{
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        for (int w = 0; w < row->warning_count; w++) {
            if (count_warning(results, 0, i, row->warning[w]) > 0)
                continue;
            const int more = count_warning(results, i + 1, results->row_count, row->warning[w]);
            struct wp_text words = {0};
            wp_row_describe(row, wp_row_keys_varying(results, row->kind), &words);
            wp_text_add(&words, "%s%s", words.length ? ": " : "", row->warning[w]);
            if (more > 0)
                wp_text_add(&words, " (and %d similar warning%s)", more, WP_PLURAL(more));
            wp_page_words(page, text, "warning: %s", wp_text_get(&words));
            wp_text_free(&words);
        }
    }
}

void wp_results_markdown(const struct wp_results *results, struct wp_page *page,
                         struct wp_text *text)
{
    if (first_of(results, WP_ROW_TRANSFORM))
        add_transforms(results, page, text);
    if (first_of(results, WP_ROW_CEILING))
        add_others(results, WP_ROW_CEILING, page, text);
    if (first_of(results, WP_ROW_TRANSFER))
        add_others(results, WP_ROW_TRANSFER, page, text);
    if (first_of(results, WP_ROW_RECONSTRUCTION))
        add_reconstructions(results, page, text);
    if (results->row_count == 0)
        wp_text_add(text, "No rows.\n");
    add_meaning(results, page, text);
    add_warnings(results, page, text);
}
