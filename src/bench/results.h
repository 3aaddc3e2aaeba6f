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
    WP_KEY_THREADS,
    WP_KEY_SIZE,
    WP_KEY_LEVELS,
    WP_KEY_LEVELS_Z, // only for volumes
    WP_KEY_COUNT
};

extern const char *const wp_row_key_names[WP_KEY_COUNT]; // "backend", …

bool wp_row_key_counts(enum wp_row_key key); // whether its word is a number

// The word of a key in a row, "" if it has none. It may be in `buffer`.
enum { WP_KEY_SIZE_MOST = 64 };
const char *wp_row_key(const struct wp_row *row, enum wp_row_key key,
                       char buffer[WP_KEY_SIZE_MOST]);

// "256x256", or for more than one slice "256x256x64".
const char *wp_size_text(char buffer[WP_KEY_SIZE_MOST], int width, int height, int depth);

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

#endif
