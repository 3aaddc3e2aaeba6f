// What a benchmark found: rows of figures and the environment they were measured in. The JSON
// that holds them is described in docs/benchmarking.md.
#ifndef WP_RESULTS_H
#define WP_RESULTS_H

#include "fields.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { WP_RESULTS_SCHEMA = 1 };

enum wp_row_kind {
    WP_ROW_TRANSFORM, // a plan's operations, with what --include adds to them
    WP_ROW_CEILING,   // work that no transform can beat on the device
    WP_ROW_TRANSFER,  // what stands around a transform: upload, download, compiling
    WP_ROW_RECONSTRUCTION, // an image from a part of its k-space; times are of an iteration
    WP_ROW_KIND_COUNT
};

extern const char *const wp_row_kind_names[WP_ROW_KIND_COUNT]; // "transform", …

enum { WP_ROW_TEXT = 64 };

#define WP_ROW_MEMBER(member, NAME, word, help) char member[WP_ROW_TEXT];

// One configuration and what it took. Unknown, or without a meaning for the kind of row: "" for
// a text, -1 for a count, NAN for a figure; all of them null in JSON.
struct wp_row {
    enum wp_row_kind kind;
    // The configuration. `work` names a ceiling, a transfer, or what a reconstruction weighs;
    // `includes` is "upload,download" where the samples hold more than the transform.
    char backend[WP_ROW_TEXT], variant[WP_ROW_TEXT], device[128];
    char work[WP_ROW_TEXT], wavelet[WP_ROW_TEXT], scheme[WP_ROW_TEXT], form[WP_ROW_TEXT];
    char direction[WP_ROW_TEXT];
    WP_FIELDS_DYADIC(WP_ROW_MEMBER) // char border[WP_ROW_TEXT]; ...
    char includes[WP_ROW_TEXT];
    int software; // 0 or 1: a GPU's interface without a GPU behind it
    int width, height, depth, levels, levels_z, planes; // of an image depth 1, levels_z 0
    int threads; // of the computer, where a number was asked for
    int images;                     // that the samples went around, so that no cache holds one
    char image[WP_ROW_TEXT];        // that was reconstructed, from one sample of `rate`,
    int rate, iterations;           // in so many iterations
    int steps; // of the scheme, by the rules of Table 1
    double operations, fetches; // for a quad of a level, of the variant: halos are counted too
    char shader_sha256[65]; // hexadecimal, of the texts of its shaders, a zero byte after each
    // The figures. `timer` says what took the samples.
    char timer[WP_ROW_TEXT];
    double gpu_ns, wall_ns, compile_ns; // medians; on the device's timer, on the computer's clock
    double median_ns, mean_ns, min_ns, max_ns, stdev_ns, p05_ns, p95_ns;
    double noise;        // statistics.h
    double payload_gbps; // the image read once and written once
    double traffic_gbps; // all that the operations read and write
    double mpel_s;
    double psnr;         // in dB, of a peak of 1
    double max_abs_err;  // against the reference
    int verified;        // 0 or 1
    char verified_at[WP_ROW_TEXT]; // "4096x4096": the size that was compared
    int throttled_samples;
    // Involuntary switches of context a second while it was sampled: others wanted the processors.
    double preemptions_s;
    // The ceiling of the same run that binds; see docs/benchmarking.md.
    char ceiling_name[WP_ROW_TEXT]; // "copy"
    char ceiling_binds[WP_ROW_TEXT]; // "bytes", "fetches", "fill"
    double ceiling_share;            // ceiling's time over the row's, for the same work
    // Samples in the order in which they were taken; both NULL under --no-samples.
    int sample_count;
    double *sample_ns;      // on the timer
    double *wall_sample_ns; // of the same runs, on the computer's clock; NULL: the timer is it
    int warning_count;
    char **warning; // in words
};

struct wp_results {
    bool complete;       // false: interrupted, or failed before the end
    json_t *environment; // an object
    int row_count;
    struct wp_row *row;
};

// The members of a row that are one value, in the order of JSON and CSV, ended by a NULL name.
enum wp_column_kind {
    WP_COLUMN_TEXT,
    WP_COLUMN_COUNT,
    WP_COLUMN_FIGURE,
    WP_COLUMN_AMOUNT, // a figure that is mostly whole, and is written so then
    WP_COLUMN_TRUTH
};

struct wp_column {
    const char *name; // "median_ns"; "ceiling.name" stands in an object "ceiling"
    enum wp_column_kind kind; // char[], int, double, double, int
    size_t offset;            // in struct wp_row
    size_t size;              // of a text, with its end
};

extern const struct wp_column wp_row_columns[];

// A row of which nothing is known.
struct wp_row wp_row_unknown(void);
void wp_row_warn(struct wp_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The times, and what there is to say of them, from the samples, of which there is one at least.
void wp_row_summarise(struct wp_row *row);
void wp_row_free(struct wp_row *row);

// What its comparison with the reference leaves to say of a transform: "WRONG", "UNVERIFIED"
// where there was none, else "".
const char *wp_row_doubt(const struct wp_row *row);

// Whether others wanted the processors so often that its times are theirs, too.
bool wp_row_is_busy(const struct wp_row *row);

// Appends a row, whose memory then belongs to the results.
void wp_results_add(struct wp_results *results, const struct wp_row *row);
void wp_results_free(struct wp_results *results); // accepts {0}, leaves {0}

// The JSON object of docs/benchmarking.md; the caller's. `samples` false leaves them null.
json_t *wp_results_to_json(const struct wp_results *results, bool samples);

// Reads a file ("-": stdin). False after WP_ERROR_FILE, with {0} left: no such file, not JSON,
// not a benchmark's, of a schema that this program does not know.
bool wp_results_read(const char *path, struct wp_results *results);

#endif
