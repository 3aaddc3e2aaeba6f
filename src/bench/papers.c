#include "bench.h"

#include "registry.h"
#include "memory.h"
#include "suggest.h"
#include "results.h"
#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct wp_paper *wp_paper_find(const char *name)
{
    struct wp_lookup lookup = {.name = name};
    for (const struct wp_paper *p = wp_papers; p->name; p++)
        if (wp_lookup_is(&lookup, p->name))
            return p;
    wp_lookup_fail(&lookup, "'wavepass bench --list' lists all", "unknown paper '%s'", name);
    return NULL;
}

static bool equals_or_any(const char *expected, const char *word)
{
    return !expected || strcmp(expected, word) == 0;
}

static bool matches(const struct wp_paper_match *m, const struct wp_row *row)
{
    return row->kind == m->kind && equals_or_any(m->backend, row->backend) &&
           equals_or_any(m->work, row->work) && equals_or_any(m->variant, row->variant) &&
           equals_or_any(m->wavelet, row->wavelet) && equals_or_any(m->scheme, row->scheme) &&
           equals_or_any(m->layout, row->layout) && equals_or_any(m->direction, row->direction) &&
           equals_or_any(m->includes, row->includes) &&
           (!m->width || m->width == row->width) && (!m->height || m->height == row->height) &&
           (!m->depth || m->depth == row->depth) && (!m->levels || m->levels == row->levels) &&
           (!m->threads || m->threads == row->threads) && (!m->rate || m->rate == row->rate);
}

static double value_of(const struct wp_row *row, enum wp_paper_unit unit)
{
    if (unit == WP_PAPER_MS)
        return row->median_ns / 1e6;
    if (unit == WP_PAPER_OPERATIONS)
        return row->operations;
    if (unit == WP_PAPER_DB)
        return row->psnr;
    return row->steps < 0 ? (double)NAN : (double)row->steps;
}

static double first_value(const struct wp_results *results, const struct wp_paper_match *match,
                          enum wp_paper_unit unit)
{
    for (int i = 0; i < results->row_count; i++) {
        const double value = value_of(&results->row[i], unit);
        if (matches(match, &results->row[i]) && isfinite(value))
            return value;
    }
    return NAN;
}

// The measured value; NAN if there is none.
static double our_value(const struct wp_results *results, const struct wp_paper_match *match,
                        enum wp_paper_unit unit)
{
    if (match->direction || match->kind != WP_ROW_TRANSFORM || unit != WP_PAPER_MS)
        return first_value(results, match, unit);
    struct wp_paper_match forward = *match, inverse = *match;
    forward.direction = "forward";
    inverse.direction = "inverse";
    return (first_value(results, &forward, unit) + first_value(results, &inverse, unit)) / 2.0;
}

static bool has_variant(const struct wp_backend *backend, const char *name)
{
    for (const struct wp_variant *v = backend->variants; v && v->name; v++)
        if (strcmp(v->name, name) == 0)
            return true;
    return false;
}

// Adds the reason why there is no measured value.
static void add_reason(const struct wp_results *results, const struct wp_paper_match *match,
                       const char *other, struct wp_text *text)
{
    const char *name = match->backend;
    if (other) {
        wp_text_add(text, "%s, not part of wavepass", other);
        return;
    }
    const struct wp_backend *backend = name ? wp_backend_named(name) : NULL;
    if (name && !backend) {
        wp_text_add(text, "no backend '%s' in this build", name);
        return;
    }
    if (backend && backend->variants && match->variant && !has_variant(backend, match->variant)) {
        wp_text_add(text, "no variant '%s' of backend '%s' in this build", match->variant, name);
        return;
    }
    const struct wp_paper_match any = {.backend = name};
    if (name && !isfinite(first_value(results, &any, WP_PAPER_MS)))
        wp_text_add(text, "backend '%s' was not measured here", name);
    else
        wp_text_add(text, "not measured in this run");
}

static const char *const unit_names[] = {
    [WP_PAPER_MS] = "ms", [WP_PAPER_STEPS] = "steps", [WP_PAPER_OPERATIONS] = "operations",
    [WP_PAPER_DB] = "dB"};

static void add_value_row(struct wp_table *table, const struct wp_paper_row *row, double ours)
{
    char number[WP_NUMBER_SIZE], size[WP_KEY_SIZE_MOST];
    const struct wp_paper_match *m = &row->match;
    wp_table_cell(table, "%s", row->label);
    wp_table_cell(table, "%s", m->wavelet ? m->wavelet : " ");
    const int sides[] = {m->width, m->height, m->depth};
    wp_table_cell(table, "%s", m->width ? wp_size_text(size, sides) : " ");
    if (m->levels)
        wp_table_cell(table, "%d", m->levels);
    else
        wp_table_cell(table, " ");
    wp_table_cell(table, "%s", m->direction                    ? m->direction
                               : m->kind == WP_ROW_TRANSFORM ? "mean"
                                                               : " ");
    wp_table_cell(table, "%s", row->hardware);
    wp_table_cell(table, "%s", unit_names[row->unit]);
    // Prints as many digits as the paper.
    const bool counts = row->unit == WP_PAPER_STEPS || row->unit == WP_PAPER_OPERATIONS;
    wp_table_cell(table, "%s", counts ? wp_number_text(number, row->value, 1)
                                      : wp_format_number(number, row->value, 7));
    if (isfinite(ours) && row->unit == WP_PAPER_DB) {
        wp_table_cell(table, "%.2f", ours);
        wp_table_cell(table, "%+.2f dB", row->value - ours);
    } else if (isfinite(ours)) {
        wp_table_number(table, ours, counts ? 1 : 4);
        wp_table_number(table, row->value / ours, 3);
    } else {
        wp_table_cell(table, "-");
        wp_table_cell(table, "-");
    }
}

static double measured_value(const struct wp_results *results, const struct wp_paper_row *row)
{
    struct wp_paper_match over = row->match;
    over.work = row->match.over;
    over.wavelet = NULL;
    const double ours = row->other ? NAN : our_value(results, &row->match, row->unit);
    return over.work ? ours - our_value(results, &over, row->unit) : ours;
}

static void add_values(const struct wp_paper *paper, const struct wp_results *results,
                       struct wp_page *page, struct wp_text *text)
{
    static const struct wp_heading headings[] = {
        {"the paper's name", false, 0}, {"wavelet", false, 2}, {"size", false, 0},
        {"L", true, 0},                 {"direction", false, 1}, {"its hardware", false, 3},
        {"unit", false, 0},             {"paper", true, 0},      {"ours", true, 0},
        {"paper/ours", true, 0}};
    struct wp_table table = {.page = page};
    wp_table_columns(&table, headings, sizeof headings / sizeof *headings);
    for (int i = 0; i < paper->row_count; i++)
        if (paper->row[i].value > 0.0)
            add_value_row(&table, &paper->row[i], measured_value(results, &paper->row[i]));
    wp_table_finish(&table, text);
}

// Adds a line for each label and reason of values that were not measured.
static void add_missing(const struct wp_paper *paper, const struct wp_results *results,
                        const struct wp_page *page, struct wp_text *text)
{
    struct wp_text lines = {0};
    for (int i = 0; i < paper->row_count; i++) {
        const struct wp_paper_row *row = &paper->row[i];
        if (!(row->value > 0.0) || isfinite(measured_value(results, row)))
            continue;
        struct wp_text reason = {0}, line = {0};
        add_reason(results, &row->match, row->other, &reason);
        wp_page_words(page, &line, "- not compared: %s: %s", row->label, wp_text_get(&reason));
        if (!strstr(wp_text_get(&lines), wp_text_get(&line)))
            wp_text_add(&lines, "%s", wp_text_get(&line));
        wp_text_free(&reason);
        wp_text_free(&line);
    }
    wp_text_add(text, "%s%s", lines.length ? "\n" : "", wp_text_get(&lines));
    wp_text_free(&lines);
}

struct range {
    int count;
    double low, high;
};

// The range of the ratios of the times, slow over fast, over all pairs of rows.
static struct range ratios_of(const struct wp_results *results,
                              const struct wp_paper_claim *claim)
{
    const unsigned keys = WP_KEY_BIT(WP_KEY_SIZE) | WP_KEY_BIT(WP_KEY_LEVELS) |
                          WP_KEY_BIT(WP_KEY_DIRECTION) | WP_KEY_BIT(WP_KEY_FORM) |
                          WP_KEY_BIT(WP_KEY_BORDER) | WP_KEY_BIT(WP_KEY_NORM) |
                          WP_KEY_BIT(WP_KEY_PLANES) |
                          (claim->fast.includes ? 0 : WP_KEY_BIT(WP_KEY_INCLUDES)) |
                          (claim->fast.threads || claim->slow.threads
                               ? 0
                               : WP_KEY_BIT(WP_KEY_THREADS));
    struct range range = {0, INFINITY, 0.0};
    for (int f = 0; f < results->row_count; f++)
        for (int s = 0; s < results->row_count; s++) {
            const struct wp_row *fast = &results->row[f], *slow = &results->row[s];
            const double ratio = slow->median_ns / fast->median_ns;
            if (!matches(&claim->fast, fast) || !matches(&claim->slow, slow) ||
                !wp_row_keys_equal(fast, slow, keys) || !isfinite(ratio))
                continue;
            range.count++;
            range.low = fmin(range.low, ratio);
            range.high = fmax(range.high, ratio);
        }
    return range;
}

static void add_claims(const struct wp_paper *paper, const struct wp_results *results,
                       struct wp_page *page, struct wp_text *text)
{
    struct wp_table table = {.page = page};
    wp_table_column(&table, "the paper says", false);
    wp_table_column(&table, "ours, times as fast", true);
    wp_table_column(&table, "agrees", false);
    for (int i = 0; i < paper->claim_count; i++) {
        const struct wp_paper_claim *claim = &paper->claim[i];
        const struct range range = ratios_of(results, claim);
        wp_table_cell(&table, "%s", claim->text);
        if (range.count == 0) {
            struct wp_text reason = {0};
            struct wp_text other = {0};
            add_reason(results, &claim->fast, NULL, &reason);
            add_reason(results, &claim->slow, NULL, &other);
            wp_table_cell(&table, "-");
            wp_table_cell(&table, "%s",
                          wp_text_get(strncmp(wp_text_get(&reason), "not", 3) ? &reason : &other));
            wp_text_free(&reason);
            wp_text_free(&other);
            continue;
        }
        char low[WP_NUMBER_SIZE], high[WP_NUMBER_SIZE];
        wp_table_cell(&table, "%s..%s", wp_number_text(low, range.low, 3),
                      wp_number_text(high, range.high, 3));
        wp_table_cell(&table, range.low >= claim->least   ? "yes"
                              : range.high < claim->least ? "no"
                                                          : "in part");
    }
    wp_table_finish(&table, text);
}

// The median of the row of a kind with this work and these includes that belongs to a transform.
static double related_median(const struct wp_results *results, const struct wp_row *transform,
                     enum wp_row_kind kind, const char *work, const char *includes)
{
    const unsigned keys = WP_KEY_BIT(WP_KEY_BACKEND) | WP_KEY_BIT(WP_KEY_SIZE) |
                          WP_KEY_BIT(WP_KEY_THREADS) |
                          (kind == WP_ROW_TRANSFORM
                               ? WP_KEYS_ALL & ~WP_KEY_BIT(WP_KEY_INCLUDES)
                               : 0);
    struct wp_row key = *transform;
    key.kind = kind;
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        if (wp_row_keys_equal(&key, row, keys) && strcmp(row->work, work) == 0 &&
            strcmp(row->includes, includes) == 0)
            return row->median_ns;
    }
    return NAN;
}

// True for a transform without included transfers.
static bool is_transform_only(const struct wp_row *row)
{
    return row->kind == WP_ROW_TRANSFORM && !row->includes[0];
}

static bool has_transform_only(const struct wp_results *results)
{
    bool some = false;
    for (int i = 0; i < results->row_count; i++)
        some = some || is_transform_only(&results->row[i]);
    return some;
}

// Adds a table of transfers and transforms. Transfers are measured once for each backend and size,
// and apply to all of its variants.
static void add_transfers(const struct wp_results *results, struct wp_page *page,
                      struct wp_text *text)
{
    static const struct wp_heading headings[] = {
        {"backend", false, 0}, {"variant", false, 0},  {"size", false, 0},
        {"upload", true, 3},   {"compute", true, 3},   {"download", true, 3},
        {"sum", true, 1},      {"together", true, 2},  {"overlapped", true, 0},
        {"over the longest", true, 0}, {"frames/s", true, 0}};
    struct wp_table table = {.page = page};
    wp_table_columns(&table, headings, sizeof headings / sizeof *headings);
    for (int i = 0; i < results->row_count; i++) {
        const struct wp_row *row = &results->row[i];
        char size[WP_KEY_SIZE_MOST];
        if (!is_transform_only(row))
            continue;
        const double up = related_median(results, row, WP_ROW_TRANSFER, "upload", "");
        const double down = related_median(results, row, WP_ROW_TRANSFER, "download", "");
        const double all = related_median(results, row, WP_ROW_TRANSFORM, "", "upload,download");
        const double overlapped = related_median(results, row, WP_ROW_TRANSFORM, "", "overlapped");
        const double longest = fmax(row->median_ns, fmax(up, down));
        wp_table_cell(&table, "%s", row->backend);
        wp_table_cell(&table, "%s", row->variant);
        wp_table_cell(&table, "%s", wp_row_key(row, WP_KEY_SIZE, size));
        wp_table_time(&table, up);
        wp_table_time(&table, row->median_ns);
        wp_table_time(&table, down);
        wp_table_time(&table, up + row->median_ns + down);
        wp_table_time(&table, all);
        wp_table_time(&table, overlapped);
        wp_table_number(&table, overlapped / longest, 3);
        wp_table_number(&table, 1e9 * row->depth / fmin(all, overlapped), 4);
    }
    wp_text_add(text, "Transfers and compute, separate and combined:\n\n");
    wp_table_finish(&table, text);
    wp_text_add(text, "\n");
}

void wp_paper_compare(const struct wp_paper *paper, const struct wp_results *results,
                      struct wp_page *page, struct wp_text *text)
{
    wp_page_words(page, text, "%s", paper->title);
    wp_page_words(page, text, "(%s)", paper->source);
    wp_text_add(text, "\n");
    if (paper->row_count > 0) {
        add_values(paper, results, page, text);
        add_missing(paper, results, page, text);
        wp_text_add(text, "\n");
    }
    if (paper->claim_count > 0) {
        add_claims(paper, results, page, text);
        wp_text_add(text, "\n");
    }
    if (paper->transfers && has_transform_only(results))
        add_transfers(results, page, text);
    wp_page_words(page, text, "What differs: %s", paper->differs);
    for (int i = 0; i < results->row_count; i++)
        if (results->row[i].software == 1) {
            wp_page_words(page, text, "SOFTWARE: the times of %s are not those of a GPU.",
                          results->row[i].device);
            return;
        }
}
