// Results of a benchmark: rows of figures and the environment. docs/benchmarking.md describes their
// JSON.
#ifndef WP_RESULTS_H
#define WP_RESULTS_H

#include "backend.h"
#include "fields.h"
#include "text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define WP_ROW_MEMBER(member, NAME, word, help) char member[WP_ROW_TEXT];

enum wp_row_kind {
    WP_ROW_TRANSFORM, // a transform, with the transfers that --include adds
    WP_ROW_CEILING,   // a limit of the device, such as a copy
    WP_ROW_TRANSFER,  // upload, download, packing, compiling and similar
    WP_ROW_RECONSTRUCTION, // reconstruction from undersampled k-space; times per iteration
    WP_ROW_KIND_COUNT
};

extern const char *const wp_row_kind_names[WP_ROW_KIND_COUNT]; // "transform", …

enum { WP_ROW_TEXT = 64 };

// A configuration and its figures. Members that are unknown or have no meaning for the kind of row
// are "" for a text, -1 for a count, NAN for a figure; in JSON null.
struct wp_row {
    enum wp_row_kind kind;
    // The configuration. `work` is the name of a ceiling, of a transfer, or the method of a
    // reconstruction; `includes` lists the transfers that are timed with a transform.
    char backend[WP_ROW_TEXT], variant[WP_ROW_TEXT], device[128];
    char work[WP_ROW_TEXT], wavelet[WP_ROW_TEXT], scheme[WP_ROW_TEXT], form[WP_ROW_TEXT];
    char direction[WP_ROW_TEXT];
    WP_FIELDS_DYADIC(WP_ROW_MEMBER) // char border[WP_ROW_TEXT]; ...
    char includes[WP_ROW_TEXT];  // "upload,download"
    int software; // 0 or 1: rendered in software
    int width, height, depth, levels, levels_z, planes; // images: depth 1, levels_z 0
    int batch;   // images per call, if given by --batch
    int threads; // on the CPU, if given by --threads
    int images;                 // number of images that samples alternate between
    char image[WP_ROW_TEXT];    // reconstructions: the image,
    int rate, iterations;       // from one of `rate` samples, in `iterations` iterations
    int steps; // of the scheme, as in Barina et al. 2017, Table 1
    double operations, fetches; // of the variant, per quad and level, including halos
    char shader_sha256[65]; // hash of its shaders' texts, each followed by a zero byte
    // The figures.
    char timer[WP_ROW_TEXT]; // of the samples
    double gpu_ns, wall_ns, compile_ns; // medians of the device's timer and the computer's clock
    double median_ns, mean_ns, min_ns, max_ns, stdev_ns, p05_ns, p95_ns;
    double noise;        // statistics.h
    double payload_gbps; // the image read once and written once, over the median
    double traffic_gbps; // all bytes that are read and written, over the median
    double mpel_s;
    double psnr;         // in dB, for a peak of 1
    double max_abs_err;  // compared with the reference
    int verified;        // 0 or 1
    char verified_at[WP_ROW_TEXT]; // the size that was verified: "4096x4096"
    int throttled_samples;
    double preemptions_s; // involuntary context switches per second while it was sampled
    // The ceiling that limits the row; see docs/benchmarking.md.
    char ceiling_name[WP_ROW_TEXT]; // "copy"
    char ceiling_binds[WP_ROW_TEXT]; // "bytes", "fetches", "fill"
    double ceiling_share;            // time at the rate of the ceiling, over the median
    // Samples in chronological order; both NULL with --no-samples.
    int sample_count;
    double *sample_ns;      // of the timer
    double *wall_sample_ns; // of the computer's clock; NULL: the timer is that clock
    int warning_count;
    char **warning; // sentences
};

struct wp_results {
    bool complete;       // false: interrupted, or failed before the end
    json_t *environment; // an object (environment.h)
    int row_count;
    struct wp_row *row;
};

enum wp_column_kind {
    WP_COLUMN_TEXT,   // char[]
    WP_COLUMN_COUNT,  // int
    WP_COLUMN_FIGURE, // double
    WP_COLUMN_AMOUNT, // double, written as an integer if it is one
    WP_COLUMN_TRUTH   // int
};

// A member of a row that is a single value.
struct wp_column {
    const char *name; // "median_ns"; "ceiling.name" is a member of the object "ceiling"
    enum wp_column_kind kind;
    size_t offset;            // in struct wp_row
    size_t size;              // of a text, with the final zero
};

extern const struct wp_column wp_row_columns[]; // in the order of CSV; ended by a NULL name

// Returns a row with all members unknown.
struct wp_row wp_row_unknown(void);
void wp_row_warn(struct wp_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Computes the times from the samples, at least one, and adds warnings about them.
void wp_row_summarize(struct wp_row *row);
void wp_row_free(struct wp_row *row);

// "WRONG" for a transform that failed verification, "UNVERIFIED" for one that was not verified,
// else "".
const char *wp_row_doubt(const struct wp_row *row);

// True if other programs preempted the measurement so often that the times are not reliable.
bool wp_row_is_busy(const struct wp_row *row);

// Appends a row, whose memory the results then own.
void wp_results_add(struct wp_results *results, const struct wp_row *row);
void wp_results_free(struct wp_results *results); // accepts {0}, leaves {0}

// Returns the JSON object of docs/benchmarking.md; the caller releases the reference. Samples are
// null unless `samples`.
json_t *wp_results_to_json(const struct wp_results *results, bool samples);

// Reads a file ("-": stdin). False after WP_ERROR_FILE, with *results {0}, if the file does not
// exist, is not JSON, is not the result of a benchmark, or has an unsupported schema.
bool wp_results_read(const char *path, struct wp_results *results);

// ---- the configuration of a row as words, for names of rows, for the words in which rows differ,
// and for finding the same configuration in another file ----

#define WP_ROW_KEY(member, NAME, word, help) WP_KEY_##NAME,
enum wp_row_key {
    WP_KEY_BACKEND,
    WP_KEY_VARIANT,
    WP_KEY_TRANSFORM,
    WP_KEY_IMAGE,
    WP_KEY_RATE,
    WP_KEY_WAVELET,
    WP_KEY_SCHEME,
    WP_KEY_FORM,
    WP_KEY_DIRECTION,
    WP_FIELDS_DYADIC(WP_ROW_KEY) // WP_KEY_BORDER, ...
    WP_KEY_INCLUDES,
    WP_KEY_PLANES,
    WP_KEY_BATCH, // only for batches
    WP_KEY_THREADS,
    WP_KEY_SIZE,
    WP_KEY_LEVELS,
    WP_KEY_LEVELS_Z, // only for volumes
    WP_KEY_COUNT
};

struct wp_key {
    const char *name;  // in tables: "backend", "L"
    const char *json;  // "levels"
    const char *unit;  // " level", after a number
    size_t offset;     // in struct wp_row; not for the size, which has three members
    bool counts;       // its word is a number
};

extern const struct wp_key wp_row_keys[WP_KEY_COUNT];

// The word of a key in a row, "" if it has none. It may be in `buffer`.
enum { WP_KEY_SIZE_MOST = 64 };
const char *wp_row_key(const struct wp_row *row, enum wp_row_key key,
                       char buffer[WP_KEY_SIZE_MOST]);

// Sets of keys, as bits.
#define WP_KEY_BIT(key) (1U << (key))
#define WP_KEYS_ALL (WP_KEY_BIT(WP_KEY_COUNT) - 1U)

// The keys in which rows of a kind differ.
unsigned wp_row_keys_varying(const struct wp_results *results, enum wp_row_kind kind);

// The largest set of keys that can be removed from `keys` so that the rest still distinguishes the
// same rows of a kind.
unsigned wp_row_keys_spare(const struct wp_results *results, enum wp_row_kind kind, unsigned keys);

// True if two rows have the same kind and agree in all keys of the set.
bool wp_row_keys_equal(const struct wp_row *a, const struct wp_row *b, unsigned keys);

// Adds the words for the keys of a set that a row has, separated by spaces.
void wp_row_describe(const struct wp_row *row, unsigned keys, struct wp_text *text);

// ---- the ceiling that limits a row, and the share that the row reaches ----

// A measured ceiling of the row's backend and size: its cost and time.
struct wp_ceiling_time {
    const char *name;
    struct wp_cost cost;
    double ns;
};

// Sets the ceiling's name, the bound and the share of a row of this cost. Its bytes, its fetches
// and the quads it writes each have a minimum time at the best rate of a ceiling; the longest of
// the three is the bound, and the share is that time over the row's median. Precisions must be
// equal. Rows without a median are not changed.
void wp_ceiling_share(struct wp_row *row, const struct wp_cost *cost, enum wp_precision precision,
                      const struct wp_ceiling_time *ceiling, int count);

// ---- JSON, CSV, Markdown and SVG (results_write.c, results_plot.c) ----

// Adds the file that wp_results_read() reads, with or without the raw samples.
void wp_results_json(const struct wp_results *results, bool samples, struct wp_text *text);

// Adds a line of names, then one line per row with every column of wp_row_columns.
void wp_results_csv(const struct wp_results *results, struct wp_text *text);

// Adds the tables that `bench` prints: transforms, ceilings, transfers and reconstructions, then
// the meaning of the columns, and warnings. Values that all rows share are printed above a table.
// Less important columns are omitted if a line does not fit the page (NULL: unlimited width).
struct wp_page;
void wp_results_markdown(const struct wp_results *results, struct wp_page *page,
                         struct wp_text *text);

// Adds an SVG of GB/s over Mpixel, with one line per configuration; bars if all sizes are equal.
void wp_results_plot(const struct wp_results *results, struct wp_text *text);

// ---- statistics of samples (statistics.c) ----

// Statistics of measured times: the median and its confidence interval, a stopping rule for
// sampling, and the comparison of two sets of samples. The methods are nonparametric, since the
// distributions of times have long tails.

// Statistics of samples in chronological order. Times are in the unit of the samples.
struct wp_statistics {
    int count;
    double median, mean, min, max;
    double stdev;    // with count - 1; 0 for one sample
    double p05, p95; // quantiles, linear between order statistics (Hyndman and Fan 1996, type 7)
    // Half the width of the 95 % confidence interval of the median, divided by the median: 0.01 if
    // it is known to 1 %. NAN if there are too few samples, fewer than 6 independent ones.
    double noise;
    int outliers;    // samples that are more than three interquartile ranges beyond the quartiles
                     // (Tukey 1977: far out), and more than 5 % from the median
    double farthest; // the outlier farthest from the median, over the median; 0 without outliers
    double first;    // the first sample over the median, if it is a slow outlier, else 0
    // The median of the second half over that of the first half, if they differ by more than 2 %
    // with 99 % confidence; else 0.
    double drift;
};

// Computes the statistics of count >= 1 finite samples, which are not changed.
struct wp_statistics wp_statistics(const double *samples, int count);

// Gets the confidence interval 1 - alpha of the median, from order statistics. It is valid for
// every distribution, because each sample is below the median with probability one half (David and
// Nagaraja, Order Statistics, 3rd ed. 2003, section 7.1; for benchmarks: Hoefler and Belli,
// Scientific Benchmarking of Parallel Computing Systems, SC 2015, section 3.1.3). Autocorrelated
// samples count as count / (1 + 2 sum of r_k), where r_k is the autocorrelation at lag k of the
// signs about the median, over the first lags where it exceeds 2/sqrt(count) (Bartlett's bound), as
// in Bayley and Hammersley 1946, "The effective number of independent observations in an
// autocorrelated time series". False if there are too few samples; the interval is then 0 to
// infinity.
bool wp_median_interval(const double *sample, int count, double alpha, double *low, double *high);

// The stopping rule of sampling: the minimums and max_noise are reached, or one of the maximums.
// 0 is no limit.
struct wp_sampling {
    int runs;         // exact number of samples, which replaces the rule; 0: none
    int min_samples;
    double min_time;  // minimum sum of the samples, in seconds
    double max_noise; // maximum wp_statistics.noise
    int max_samples;
    double timeout;   // maximum wall time of the samples, in seconds
};

enum wp_sampling_state {
    WP_SAMPLING_CONTINUES,
    WP_SAMPLING_DONE,
    WP_SAMPLING_FULL,    // max_samples reached, and noise above max_noise
    WP_SAMPLING_TIMEOUT, // timeout reached before
};

// Applies the rule. `measured`: the sum of the samples in seconds; `wall`: the wall time of the
// samples in seconds, without other items between them; `noise`: wp_statistics.noise, which may be
// that of an earlier number of samples, since sorting after each short sample would be slow.
enum wp_sampling_state wp_sampling_judge(const struct wp_sampling *rule, int count, double noise,
                                         double measured, double wall);

enum wp_verdict {
    WP_VERDICT_SAME,
    WP_VERDICT_FASTER,
    WP_VERDICT_SLOWER,
    WP_VERDICT_UNDECIDED,
    WP_VERDICT_COUNT
};

extern const char *const wp_verdict_names[WP_VERDICT_COUNT]; // "SAME" …

struct wp_ratio {
    double ratio;     // of the medians, new over base: 1.05 is 5 % slower
    double low, high; // its confidence interval; 0 and infinity if there is none
    enum wp_verdict verdict;
};

// Compares two sets of at least one time each. The interval has at least the confidence 1 - alpha:
// as the sets are independent, both medians are in their intervals of confidence sqrt(1 - alpha),
// and the ratio is between the quotients of their ends. SAME if the interval is within 1 ±
// threshold, FASTER or SLOWER if all of it is beyond, else UNDECIDED.
struct wp_ratio wp_ratio_of(const double *base, int base_count, const double *new, int new_count,
                            double alpha, double threshold);

// ---- tables (table.c) ----

// Tables in Markdown, aligned so that they are also readable as plain text.

// The page that tables and text are formatted for.
struct wp_page {
    int width;              // maximum characters per line; 0: no limit
    struct wp_text omitted; // names of the columns that did not fit
};

// Adds text, wrapped, and a newline.
void wp_page_words(const struct wp_page *page, struct wp_text *text, const char *format, ...)
    WP_PRINTF(3, 4);

// Adds a line with the names of the omitted columns, if there are any, and frees them.
void wp_page_finish(struct wp_page *page, struct wp_text *text);

enum { WP_TABLE_COLUMNS_MAX = 32 };

// A table; {0} is empty and of unlimited width.
struct wp_table {
    struct wp_page *page; // NULL: unlimited width
    int columns;
    unsigned right; // bit c: the cells of column c are right-aligned
    unsigned char spare[WP_TABLE_COLUMNS_MAX]; // ranks of the columns
    int count;
    char **cell; // row by row; the first row is the header
};

struct wp_heading {
    const char *name;
    bool right; // right-aligned
    int rank;   // 0: never omitted. Other columns are omitted if the page is too narrow, the
                // highest rank first; then the widest column of text is wrapped
};

// Add columns with their headings, before the first cell.
void wp_table_columns(struct wp_table *table, const struct wp_heading *heading, size_t count);
void wp_table_column(struct wp_table *table, const char *heading, bool right);

// Adds the next cell, row by row.
void wp_table_cell(struct wp_table *table, const char *format, ...) WP_PRINTF(2, 3);

// Adds a cell with `digits` significant digits, or "?" if the value is not finite.
void wp_table_number(struct wp_table *table, double value, int digits);

// Adds a cell "1.234 ms", or "?" if the value is not finite.
void wp_table_time(struct wp_table *table, double nanoseconds);

// Adds a cell "1.2 %" for 0.012, or "?" if the value is not finite.
void wp_table_percent(struct wp_table *table, double part);

// Adds the table, which has at least the header, to `text` without empty columns, and frees its
// cells.
void wp_table_finish(struct wp_table *table, struct wp_text *text);

// Formats a number with `digits` significant digits; integers have no decimal point.
const char *wp_number_text(char buffer[WP_NUMBER_SIZE], double value, int digits);

// Formats "1.234 ms".
enum { WP_TIME_SIZE = WP_NUMBER_SIZE + 8 };
const char *wp_time_text(char buffer[WP_TIME_SIZE], double nanoseconds);

// ---- two results: ratios of times with confidence intervals, and differences of the environment
// (bench_compare.c) ----

struct wp_comparison_params {
    double alpha;     // significance level: intervals have confidence 1 - alpha
    double threshold; // relative difference considered negligible
};

// A configuration that both results have.
struct wp_comparison_pair {
    const struct wp_row *base, *new;
    // From the raw samples. If one result has none or the timers differ, the ratio of the medians,
    // which may be NaN, without an interval and UNDECIDED.
    struct wp_ratio ratio;
};

struct wp_comparison_difference {
    char *key;        // in the environment: "gl.renderer"
    char *base, *new; // values as JSON; "none" if there is no such member
};

struct wp_comparison {
    struct wp_comparison_params params;
    const struct wp_results *base, *new; // must outlive this
    int difference_count, pair_count, only_base_count, only_new_count;
    struct wp_comparison_difference *difference;
    struct wp_comparison_pair *pair;             // in the order of `new`
    const struct wp_row **only_base, **only_new; // configurations that only one result has
    int verdicts[WP_VERDICT_COUNT];              // number of pairs with each verdict
};

// Compares two results. Rows are the same configuration if all keys are equal (results.h); the
// device is not a key. Differences of the environment do not include members that differ between
// any two runs: date, arguments, seed, load, clocks and temperature.
void wp_comparison_create(const struct wp_results *base, const struct wp_results *new,
                          const struct wp_comparison_params *params,
                          struct wp_comparison *comparison);
void wp_comparison_free(struct wp_comparison *comparison); // accepts {0}, leaves {0}

// The number of pairs of transforms, transfers and reconstructions with samples in both results,
// and the number of those whose ratio is above 1 + part with confidence. Ceilings do not count,
// since they depend only on the machine.
int wp_comparison_pairs(const struct wp_comparison *comparison);
int wp_comparison_slower(const struct wp_comparison *comparison, double part);

// Adds differences of the environment, a Markdown table of the pairs, configurations that only one
// result has, and the number of each verdict. The names are those of the two results. Page as in
// wp_results_markdown().
void wp_comparison_markdown(const struct wp_comparison *comparison, const char *base_name,
                            const char *new_name, struct wp_page *page, struct wp_text *text);

// Returns {"threshold", "alpha", "ceilings_differ", "base_complete", "new_complete",
// "environment": [{"key", "base", "new"}], "rows": [{"kind", the keys, "base_ns", "new_ns",
// "ratio", "low", "high", "verdict", "marks"}], "only_base", "only_new",
// "verdicts": {"SAME": n, …}}. The caller releases the reference.
json_t *wp_comparison_json(const struct wp_comparison *comparison);

#endif
