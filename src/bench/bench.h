// Measures a set of configurations, with their ceilings and transfers.
#ifndef WP_BENCH_H
#define WP_BENCH_H

#include "registry.h"
#include "results.h"
#include "text.h"

#include <signal.h>
#include <stdbool.h>

struct wp_gpu_state;
struct json_t;

// ---- configurations (axes.c, axis_support.c) ----

// The configurations to measure: the cross product of the values of all axes.

// Values of --include, as bits. UPLOAD and DOWNLOAD add transfers to the time of a transform; MAP
// and COMPILE add rows; OVERLAPPED overlaps transfers and transforms; TILED runs from and to the
// host's memory in tiles.
enum wp_bench_include {
    WP_INCLUDE_UPLOAD = 1,
    WP_INCLUDE_DOWNLOAD = 2,
    WP_INCLUDE_MAP = 4,
    WP_INCLUDE_COMPILE = 8,
    WP_INCLUDE_OVERLAPPED = 16,
    WP_INCLUDE_TILED = 32,
    WP_INCLUDE_BOTH = WP_INCLUDE_UPLOAD | WP_INCLUDE_DOWNLOAD,
    WP_INCLUDE_TIMED = WP_INCLUDE_BOTH | WP_INCLUDE_OVERLAPPED | WP_INCLUDE_TILED,
};

// Values as on the command line: names separated by commas, or "all"; for sizes and levels numbers
// and ranges. NULL: the default; for levels_z `levels`, or as many as fit.
struct wp_bench_axes {
    const char *wavelet, *scheme, *form, *backend, *variant, *size, *levels, *levels_z;
    const char *direction, *include, *threads, *planes, *batch, *reversible, *adjoint;
    const char *field[WP_FIELD_DYADIC]; // by enum wp_field
    int device; // device number of the backend, or WP_DEVICE_ANY
};

struct wp_bench_config {
    const struct wp_backend_choice *backend;
    const struct wp_variant *variant; // NULL: the default of the backend
    struct wp_description params;
    unsigned includes; // bits of WP_INCLUDE_TIMED
    int threads;       // on the CPU; 0: the default
    // Unless backends compute the description (wp_description_is_native()), a plan is timed, from
    // and to the host's memory; `includes` has both transfers unless the backend works in it.
    // Images per call, which are the slices of the description, without levels along z, or its
    // planes if the backend does not transform slices together; 0: not a batch.
    int batch;
    bool wall;         // uses the clock of the computer, not the timer of the device
};

// Configurations, grouped by size, and the objects that they point to.
struct wp_bench_set {
    int count;
    struct wp_bench_config *config;
    int backend_count;
    struct wp_backend_choice **backend; // open
    int wavelet_count;
    struct wp_wavelet **wavelet;
    unsigned requested;     // bits of enum wp_bench_include that add rows
    int skipped;            // number of unsupported combinations,
    char skipped_why[256];  // and the reason of the first one
};

// Adds the cross product, without configurations that the set already has. Skips unsupported
// combinations: too many levels for a size, a border that the wavelet or size does not support, a
// variant or backend that does not support the transform, the precision or the planes; for "all"
// schemes also those that equal another one. With `optional` skips backends that are not available.
// False after WP_ERROR_USAGE (also if no configuration is left), WP_ERROR_FILE or
// WP_ERROR_UNAVAILABLE.
bool wp_bench_set_add(struct wp_bench_set *set, const struct wp_bench_axes *axes, bool optional);
// Whether two configurations have the same size.
bool wp_bench_same_size(const struct wp_bench_config *a, const struct wp_bench_config *b);
void wp_bench_set_free(struct wp_bench_set *set); // accepts {0}, leaves {0}

// ---- the machine, as the object `environment` of docs/benchmarking.md (environment.c) ----

struct wp_environment_params {
    struct json_t *tool, *user; // the object gets references to them
    int argc; // arguments after "wavepass bench"
    const char *const *argv;
    bool no_host;
    unsigned seed;
    int backend_count;
    struct wp_backend_choice *const *backend;
    const struct wp_gpu_state *gpu; // may be NULL
};

// Returns a new object; the caller releases the reference.
struct json_t *wp_environment(const struct wp_environment_params *params);

// Finds the first GPU whose name is part of one of the devices' names, and stores its state. NULL
// if there is none or NVML is not available.
struct wp_gpu_state *wp_gpu_state_open(const char *const devices[], int count);
void wp_gpu_state_close(struct wp_gpu_state **state); // accepts NULL, clears the pointer

// True if the GPU lowers its clocks because of temperature or an external signal. Accepts NULL.
bool wp_gpu_state_throttled(const struct wp_gpu_state *state);

// ---- the run ----

struct wp_bench_params {
    struct wp_sampling sampling;
    double warm_up;      // seconds before the first sample of each group
    bool no_verify;      // rows are then marked UNVERIFIED
    bool given_order;    // samples one configuration after the other, not interleaved
    unsigned seed;       // of the random order
    bool no_ceilings, no_transfers;
    const struct wp_gpu_state *gpu;    // detects throttling; may be NULL
    const volatile sig_atomic_t *stop; // a nonzero value ends the run; may be NULL
    // Called when configuration number `done` of `count` is prepared and verified. May be NULL.
    void (*progress)(int done, int count, const struct wp_row *row);
    // Redirects error messages to `text`, until it is called with NULL. May be NULL.
    void (*capture)(struct wp_text *text);
};

// Adds a row for each configuration, ceiling and transfer. Sets `complete` unless the run ended
// early. Configurations that are too large or not available on a device are skipped with a warning;
// those that fail verification get a row without samples. False after any other error; the rows up
// to then remain.
bool wp_bench_run(const struct wp_bench_set *set, const struct wp_bench_params *params,
                  struct wp_results *results);

// Runs every configuration once without measuring, for profilers. False after an error.
bool wp_bench_profile(const struct wp_bench_set *set, const struct wp_bench_params *params);

// An estimate of the minimum duration of wp_bench_run() in seconds, without compiling and
// verifying.
double wp_bench_estimate(const struct wp_bench_set *set, const struct wp_bench_params *params);

// ---- published values (papers.c) ----

// Published measurements, the sweeps that reproduce them, and their comparison.

// Selects rows of results: those whose members equal all of these that are not NULL or 0.
struct wp_paper_match {
    enum wp_row_kind kind; // a transform or a reconstruction
    const char *backend, *variant, *wavelet, *scheme, *layout;
    const char *work; // the method of a reconstruction
    const char *over; // the value is the gain over this method; NULL: it is not a gain
    const char *direction; // NULL: the mean of both directions
    const char *includes;  // "": only the transform; NULL: any
    int width, height, depth, levels, threads, rate;
};

enum wp_paper_unit { WP_PAPER_MS, WP_PAPER_STEPS, WP_PAPER_OPERATIONS, WP_PAPER_DB };

// A published value and the rows to compare with it.
struct wp_paper_row {
    const char *label;           // the paper's name: "hybrid"
    const char *hardware;        // "NVIDIA Tesla K40"
    const char *other;           // the program, if it is not part of wavepass; else NULL
    struct wp_paper_match match; // its size is printed
    double value;                // as published; 0: not published
    enum wp_paper_unit unit;
};

// A statement of a paper that one configuration is faster than another.
struct wp_paper_claim {
    const char *text;
    // Rows are compared if size, levels, direction, form, border, norm and planes are equal, and,
    // unless they are set here, threads and included transfers.
    struct wp_paper_match fast, slow;
    double least; // minimum ratio of the times, slow over fast
};

struct wp_paper {
    const char *name;         // for --paper: "quan2016-table4"
    const char *title;        // "Barina et al. 2017, Figure 7: CDF 5/3"
    const char *source;       // authors, title, year
    const char *const *sweep; // ended by NULL: options of `bench`, "-w cdf97 -b cuda -l 1"
    const char *differs;      // differences from the paper's measurements, as text
    int row_count, claim_count;
    const struct wp_paper_row *row;
    const struct wp_paper_claim *claim;
    bool transfers; // adds a table of transfers and transforms, separate and combined
};

extern const struct wp_paper wp_papers[]; // ended by a NULL name

// Finds a paper by name. NULL after WP_ERROR_USAGE with a suggestion.
const struct wp_paper *wp_paper_find(const char *name);

// Adds Markdown: the paper's values and the measured values with their ratios, missing rows with
// the reason, the paper's claims and whether the results agree, transfers, and differences from the
// paper's measurements. Page as in wp_results_markdown().
struct wp_page;
void wp_paper_compare(const struct wp_paper *paper, const struct wp_results *results,
                      struct wp_page *page, struct wp_text *text);

// ---- plots (plot.c) ----

// Charts as SVG: lines over two axes, or bars. They are readable in grayscale: lines have different
// dashes and markers, and are connected to their names.

// Limits of the magnitude of values other than 0, so that ranges and ratios do not overflow.
#define WP_PLOT_LEAST 1e-100
#define WP_PLOT_MOST 1e100

struct wp_plot_line {
    const char *label;
    int count;           // points, in the order in which they are joined
    const double *x, *y; // within the limits above; positive along a logarithmic axis
};

// Lines in one pair of axes.
struct wp_plot_panel {
    const char *title; // NULL for none
    bool linear;       // the y axis is linear, even if log_y is set
    int line_count;
    const struct wp_plot_line *line;
};

struct wp_plot {
    const char *title, *description; // for <title> and <desc>; the title is drawn too
    const char *caption;             // below the chart; lines separated by '\n', long ones wrapped
    const char *x_label, *y_label;
    bool log_x, log_y; // a linear axis begins at 0
    int panel_count; // from top to bottom, with a common x axis
    const struct wp_plot_panel *panel;
};

// Adds the document. A panel without points says that nothing was measured.
void wp_plot_lines(const struct wp_plot *plot, struct wp_text *svg);

// Adds a document with a bar from 0 to y[0] for each line of the only panel. x is ignored.
void wp_plot_bars(const struct wp_plot *plot, struct wp_text *svg);

// Gets the ticks of an axis from `low` to `high` (low < high; low > 0 if logarithmic) at 1, 2 and 5
// times powers of ten; on a logarithmic axis over many decades only at powers of ten, and over less
// than about one decade at even distances. `most`: their maximum number, 4..WP_TICKS_MOST. Returns
// the number of ticks.
enum { WP_TICKS_MOST = 24 };
int wp_plot_ticks(double low, double high, bool logarithmic, int most,
                  double tick[WP_TICKS_MOST]);

// Moves the ascending positions `at` to distances of at least `distance` within low..high, with the
// least squares of changes. If they do not fit, they are spread evenly.
void wp_plot_spread(double *at, int count, double distance, double low, double high);

#endif
