// The flow of one file through 'forward', 'inverse', 'edit' or 'denoise': read, transform, report,
// write. The file is one image in memory, a volume in groups of slices, an image in strips of rows, or a
// region. flow.c has what is the same for all commands; batch.c runs the flows of many files.
#ifndef WP_FLOW_H
#define WP_FLOW_H

#include "run.h"
#include "wavepass_packets.h"

// The first member of the options of a command.
struct wp_flow_options {
    struct wp_transform_params transform;
    struct wp_volume_options volume;
    const char *output; // a folder if there are many files or it ends in '/'
    const char *suffix; // of the outputs in a folder; NULL: that of the input
    const char *memory;
    bool changed, force;
};

extern const struct wp_option wp_options_axes[]; // const char *: --axes

extern const struct wp_option wp_options_flow[]; // struct wp_flow_options, without --output and
                                                 // --ignore-changes

extern const struct wp_option wp_options_files[]; // struct wp_flow_options: --levels-z, and those of
                                                  // volumes, backends and folders
// The end of the help of --sigma, and of the descriptions of it.
#define WP_HELP_SIGMA "in units of the image (default, and 0: estimated from the finest diagonal subband of each channel)"
#define WP_HELP_ESTIMATE \
    "S is --sigma, or the median magnitude of the finest diagonal subband (HH1) divided by 0.6745"

struct wp_region_run {
    struct wp_region region;
    struct wp_tile_store_counts counts;
    double seconds; // for reading and computing
};

enum wp_flow_kind {
    WP_FLOW_IMAGE,  // an image or a volume in memory
    WP_FLOW_GROUPS, // groups of slices (gop_pipeline.c)
    WP_FLOW_STRIPS, // strips of rows (row_pipeline.c)
    WP_FLOW_REGION, // a rectangle, which read() has inverted
    WP_FLOW_EDIT,   // coefficients in memory, which stay coefficients
    WP_FLOW_DENOISE, // an image or a volume in memory, or groups of slices, that is denoised
    WP_FLOW_ARRAY,  // axes of an array (array_pipeline.c)
    WP_FLOW_KINDS
};

// A volume in groups of slices (GOPs): one group is transformed while the next is read and the
// previous one is written.
struct wp_flow_groups {
    struct wp_slices *from;      // owned
    struct wp_slices_output *to; // owned
    bool check;                  // inverts every group and measures max_error
    bool overlapped;             // load, transform and store run in separate threads
};

// An image in strips of rows (wavepass_stream.h).
struct wp_flow_strips {
    struct wp_rows *rows;        // forward; owned
    struct wp_file_facts facts;  // forward: of the file
    const char *unfit;           // forward: why it cannot be read by rows, or NULL
    struct wp_tile_store *store; // inverse; owned
    size_t memory;               // bytes of rows, tiles and the stream
};

// Axes of an array.
struct wp_flow_array {
    struct wp_array_shape shape; // of the samples
    struct wp_transform_params params; // with the sizes
    enum wp_element type;              // of both arrays, f32 or f64
    void *from, *to;                   // owned
};

// Times. The stages of groups overlap, so the sum may exceed `wall`. For an image in memory only
// `transform` is set, and for strips `read`, `transform`, `write` and `wall`.
struct wp_flow_seconds {
    double read, load, transform, store, check, write, wall;
};

struct wp_flow {
    // Set before read().
    const struct wp_flow_command *command;
    const struct wp_call *call;
    const void *options; // of the command, shared by all files
    struct wp_transform_cache *cache;
    const char *input;
    const char *output; // NULL if a single input has no output
    bool single;        // the only file: it may use all memory and does not share a device

    // Set by read().
    enum wp_flow_kind kind;
    const struct wp_transform_params *params; // by default those of the options
    struct wp_coefficient_input from;         // inverse, edit: the metadata
    struct wp_image *image;        // forward: the input; inverse: first the coefficients, then
                                   // the output; edit: the reference; owned
    struct wp_image *coefficients; // forward: the result; edit: the input; owned
    struct wp_memory_limit limit;
    struct wp_flow_groups groups;
    struct wp_flow_strips strips;
    struct wp_region_run region;
    struct wp_flow_array array;

    // Results.
    struct wp_transform *transform; // owned by the cache, except of groups and strips
    enum wp_chosen_by chosen_by;    // how its scheme and variant were selected
    struct wp_image shape;          // the image without samples; its depth is that of all groups
    struct wp_sidecar sidecar;      // forward: of the coefficients, for write()
    enum wp_stored stored;          // type of the integers if the transform is reversible
    struct wp_value_counts values;  // of the input; edit: after the edits
    struct wp_lost lost;            // values that the integers of a .png cannot represent
    struct wp_flow_seconds seconds;
    double max_error;               // forward: of the round trip; NaN if it was not checked
    struct wp_text summary;         // one line of text
    struct json_t *result;          // for --json

    // Only for batch.c:
    enum wp_error error;
    char *why;
};

// The steps of a kind. NULL: there is nothing to do. False after an error.
struct wp_flow_steps {
    bool (*compute)(struct wp_flow *flow);
    bool (*write)(struct wp_flow *flow);
};

// A command. read(), compute() and write() are called in this order, compute() in the caller's
// thread, the others perhaps in other threads. After an error the remaining steps are skipped.
struct wp_flow_command {
    size_t size; // of the command's struct in bytes; its first member is a struct wp_flow
    enum wp_direction direction;
    bool reports_last; // a single file is reported after write(), others after compute()
    bool (*read)(struct wp_flow *flow);
    struct wp_flow_steps steps[WP_FLOW_KINDS];
    // Add what only this command reports; add_summary() may be NULL.
    void (*add_summary)(const struct wp_flow *flow, struct wp_text *text);
    void (*add_json)(const struct wp_flow *flow, struct json_t *object);
    void (*end)(struct wp_flow *flow); // NULL, or frees what only this command has
};

// ---- one file (flow.c) ----

// Gets `transform` for `image` from the cache. False after an error.
bool wp_flow_create(struct wp_flow *flow);

// Reads another image to compare `image` with, which is `name`. The options for the type of file
// apply to it, too; a color image is converted to luma if `image` has one plane. The caller destroys
// it. NULL after an error, also if the sizes or numbers of color channels differ.
struct wp_image *wp_flow_read_like(const struct wp_flow *flow, const char *path,
                                   const struct wp_image *image, const char *name);

// Compute or write a file by the steps of its kind, and set `summary`, and `result` for --json.
// False after an error.
bool wp_flow_compute(struct wp_flow *flow);
bool wp_flow_write(struct wp_flow *flow);

// Writes `image` as a picture, after a warning of the values that a .png cannot represent. False
// after an error.
bool wp_flow_write_image(struct wp_flow *flow, const struct wp_write_params *params);

// Whether the path is that of a .png.
bool wp_flow_is_png(const char *path);

// Frees the owned members; discards outputs that were not committed.
void wp_flow_end(struct wp_flow *flow);

// ---- files of coefficients (open_coefficients.c) ----

// Reads the input, and sets `from`, `params` and `values`. Errors are options that contradict the
// metadata, coefficients that do not match the metadata's hash, unless `changed`, and missing
// options if there are no metadata. `slices`, which may be NULL, and `image` are as in
// wp_coefficients_open(). False after an error.
bool wp_open_coefficients(struct wp_flow *flow, struct wp_slices **slices, struct wp_image **image);

// Reads only the metadata of a file; otherwise like wp_open_coefficients().
bool wp_open_coefficient_metadata(struct wp_coefficient_input *input, const char *path,
                                  const struct wp_transform_params *options);

// Parses "X,Y,W,H". False after WP_ERROR_USAGE.
bool wp_region_parse(const char *text, struct wp_region *region);

// Opens the coefficients and reads the region `text` of the image of a level to `image`; NULL is
// the entire image. False after an error.
bool wp_region_run(struct wp_flow *flow, const char *text, int level);

void wp_region_run_summary(const struct wp_flow *flow, struct wp_text *text);
struct json_t *wp_region_run_json(const struct wp_flow *flow);

// ---- groups of slices (gop_pipeline.c) ----

// Transforms all groups and writes them to `groups.to`, which the caller commits.
// False after an error.
bool wp_gop_pipeline_run(struct wp_flow *flow);

// Report the times of the stages: as a verbose message, at the end of a summary, and as members of
// a JSON object.
void wp_gop_pipeline_log(const struct wp_flow *flow);
void wp_gop_pipeline_add_rate(const struct wp_flow *flow, struct wp_text *text);
void wp_gop_pipeline_add_json(const struct wp_flow *flow, struct json_t *object);

// ---- strips of rows (row_pipeline.c) ----

// NULL, or why the options of a transform are not supported.
const char *wp_row_pipeline_unfit(const struct wp_transform_params *params);

// Transform the rows of the file to coefficients, or back, and commit the output. `channel`: NULL
// for all planes. `describe` returns the metadata. False after an error.
bool wp_row_pipeline_forward(struct wp_flow *flow, const char *channel,
                             struct wp_sidecar (*describe)(const struct wp_flow *flow));
bool wp_row_pipeline_inverse(struct wp_flow *flow);

// Add memory and times to a summary and to a JSON object.
void wp_row_pipeline_add_summary(const struct wp_flow *flow, struct wp_text *text);
void wp_row_pipeline_add_json(const struct wp_flow *flow, struct json_t *object);

// ---- axes of an array (array_pipeline.c) ----

// Forward: reads the array, with `wide` as doubles. `axes` is --axes, or NULL for all axes of a signal
// or an image. False after an error.
bool wp_array_pipeline_read(struct wp_flow *flow, const char *axes, bool wide);
// Inverse: reads coefficients; `axes` is --axes or NULL if the metadata has them. False after an
// error.
bool wp_array_pipeline_open(struct wp_flow *flow, const char *axes);
// Whether a file has metadata of axes of an array.
bool wp_array_pipeline_applies(const char *path);

// Transforms array.from to array.to. False after an error.
bool wp_array_pipeline_run(struct wp_flow *flow);
// Inverts the coefficients and sets max_error. False after an error, also if that is too large.
bool wp_array_pipeline_check(struct wp_flow *flow);
void wp_array_pipeline_free(struct wp_flow *flow);

// Add axes and shape to a summary and to a JSON object.
void wp_array_pipeline_add_summary(const struct wp_flow *flow, struct wp_text *text);
void wp_array_pipeline_add_json(const struct wp_flow *flow, struct json_t *object);

// ---- many files in a pipeline of threads: while one file is computed, the next is read and the
// previous one is written. A single file is processed sequentially (batch.c) ----

// True if there are several inputs or the output ends in '/'.
bool wp_batch_is_many(const struct wp_call *call, const char *output);

// Checks the options that all commands have. `other`: the command has an output that is not -o.
// `hint` names its outputs. False after WP_ERROR_USAGE.
bool wp_batch_check(const struct wp_call *call, const char *hint, bool other);

// Runs a flow per input, including checks of the folder and of output names; fails before reading
// if two outputs have the same name. `options` starts with a struct wp_flow_options. With many
// files, each failure is reported and the others continue; the code is then WP_ERROR_FILE, or
// WP_ERROR_TOO_LARGE if every failure was lack of memory.
enum wp_error wp_batch_run(const struct wp_call *call, const struct wp_flow_command *command,
                           const void *options);

// ---- the best tree of wavelet packets (best_tree.c) ----

extern const struct wp_option wp_options_cost[]; // const char *: --cost

// Check the options; find the tree of an image and set params->tree, if that is "best". False after
// an error.
bool wp_best_tree_check(const struct wp_transform_params *params, const char *cost);
bool wp_best_tree_find(struct wp_transform_params *params, const char *cost,
                       const struct wp_operand *image, char tree[WP_TREE_SIZE]);
// Add the number of nodes, and to JSON also the tree, if the bank has packets.
void wp_best_tree_add_summary(const struct wp_description *description, struct wp_text *text);
void wp_best_tree_add_json(const struct wp_description *description, struct json_t *result);

#endif
