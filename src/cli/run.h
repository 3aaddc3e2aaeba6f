// Functions of the commands that run a transform, for reading, creation and reports. The commands
// call wp_transform_forward() and similar functions (wavepass.h) themselves.
#ifndef WP_RUN_H
#define WP_RUN_H

#include "autotune.h"
#include "coefficients.h"
#include "command.h"
#include "image.h"
#include "tile_store.h"
#include "rows.h"
#include "slices.h"
#include "wavepass.h"

#include <stdbool.h>

enum { WP_TRANSFORM_CACHE_MAX = 8 };

// The parameters for reading a file, from the options.
struct wp_read_params wp_run_read_params(const struct wp_volume_options *options);

// wp_image_read_with() with these parameters; shows progress.
struct wp_image *wp_run_read_volume(const char *path, const struct wp_volume_options *options,
                                    size_t *nonfinite);

// wp_transform_create() for the size of an image. If no scheme and variant are given, autotuning
// (autotune.h) selects them; `*by` is set to how they were selected. Reports defaults that the user
// should know. If the selected variant fails, a run falls back to the defaults after a warning.
struct wp_transform *wp_run_create(const struct wp_transform_params *params,
                                   const struct wp_image *image, enum wp_direction direction,
                                   size_t nonfinite, enum wp_chosen_by *by);

// Like wp_run_create(), without autotuning.
struct wp_transform *wp_run_create_by_rule(const struct wp_transform_params *params,
                                           const struct wp_image *image,
                                           enum wp_direction direction);

// `name` ("a region") requires the backend "cpu" with its defaults: false after WP_ERROR_USAGE if
// the options select another backend, scheme, variant, device or precision.
bool wp_run_by_cpu(const struct wp_transform_params *params, const char *name);

// Call this after a run. Logs its times and returns the time of its passes.
double wp_run_done(struct wp_transform *transform);

// The largest difference; infinite if a difference is not finite.
double wp_run_difference(const float *a, const float *b, size_t count);

// Adds "cdf97/…, 3 levels, 512x512, 1 plane, fragment on NVIDIA H200, 1.9 ms".
void wp_run_summary(struct wp_transform *transform, const struct wp_image *image, double seconds,
                    struct wp_text *text);

// The members of the --json object that the commands share. `backend` is the requested one; NULL:
// auto. `by`: how scheme and variant were selected.
struct json_t *wp_run_json(const struct wp_call *call, struct wp_transform *transform,
                           const struct wp_image *image, const char *backend,
                           enum wp_chosen_by by, double seconds);

// An LRU cache of transforms on one device.
struct wp_transform_cache {
    int count;
    struct wp_transform_cache_entry {
        char *key; // text of all parameters of the transform; NULL: never found
        struct wp_transform *transform;
        enum wp_chosen_by by;
        bool volume;
        unsigned used; // value of `clock` when it was last used
    } transform[WP_TRANSFORM_CACHE_MAX]; // the first one owns the device and is not evicted
    unsigned clock;
};

// Returns the cached transform of these parameters, with its scheme and variant, or one created
// with wp_run_create_shared(). The cache owns it; later calls may destroy it. NULL after an error.
struct wp_transform *wp_transform_cache_get(struct wp_transform_cache *cache,
                                            const struct wp_transform_params *params,
                                            const struct wp_image *image,
                                            enum wp_direction direction, size_t nonfinite,
                                            enum wp_chosen_by *by);
void wp_transform_cache_end(struct wp_transform_cache *cache);

// ---- the memory limit of commands for images; larger images are processed in row strips ----

extern const struct wp_option wp_options_memory[]; // const char *: --memory

struct wp_memory_limit {
    double bytes; // by default a quarter of the computer's memory; 0: unknown
    bool given;   // by --memory
};

// Parses --memory; NULL is the default. False after WP_ERROR_USAGE.
bool wp_memory_limit(const char *memory, struct wp_memory_limit *limit);

// Sets `*strips` if `name`, which needs `bytes`, exceeds the limit and is to be processed in row
// strips. `why` is NULL, or the reason why that is not possible. False after WP_ERROR_TOO_LARGE if
// it is not possible and `bytes` exceeds the limit that was given or the computer's memory.
bool wp_memory_choose(const struct wp_memory_limit *limit, double bytes, const char *name,
                      const char *why, bool *strips);

// Bytes of an image and its coefficients.
double wp_memory_of_image(int width, int height, int planes);

// ---- coefficients with their transform parameters, which are in the metadata file or are given by
// options ----

struct wp_coefficient_input {
    const char *path;
    struct wp_transform_params params; // the options, completed from the metadata
    char *sidecar_path;                // NULL for stdin, and if the file contains its metadata
    bool has_sidecar;
    struct wp_sidecar sidecar;
    struct wp_coefficients_params read;
    size_t nonfinite;
    struct wp_wavelet_steps lost;    // the wavelet of `params` if its file does not exist
};

// Reads `path`. Errors are options that contradict the metadata, coefficients that do not match the
// metadata's hash, unless `changed`, and missing options if there are no metadata. `slices`, which
// may be NULL, and `image` are as in wp_coefficients_open(). False after an error.
bool wp_open_coefficients(struct wp_coefficient_input *input, const char *path,
                          const struct wp_transform_params *options,
                          const struct wp_volume_options *volume, bool changed,
                          struct wp_slices **slices, struct wp_image **image);

// Opens a tile store instead. If the file cannot be read in tiles, or has no metadata file,
// `*store` is NULL and `*why` is the reason. False after an error.
bool wp_open_coefficient_tiles(struct wp_coefficient_input *input, const char *path,
                               const struct wp_transform_params *options, bool changed,
                               struct wp_tile_store **store, const char **why);
void wp_close_coefficients(struct wp_coefficient_input *input); // accepts {0}

struct wp_region_run {
    struct wp_region region;
    struct wp_tile_store_counts counts;
    double seconds; // for reading and computing
};

// Parses "X,Y,W,H". False after WP_ERROR_USAGE.
bool wp_region_parse(const char *text, struct wp_region *region);

// Opens the coefficients in `path` and reads the region `text` of the image of a level; NULL is the
// entire image. The caller destroys `*image` and closes `from`. False after an error.
bool wp_region_run(struct wp_region_run *run, struct wp_coefficient_input *from, const char *path,
                   const struct wp_transform_params *options, const char *text, int level,
                   struct wp_image **image);

void wp_region_run_summary(const struct wp_region_run *run, const struct wp_coefficient_input *from,
                           struct wp_text *text);
struct json_t *wp_region_run_json(const struct wp_region_run *run,
                                  const struct wp_coefficient_input *from,
                                  const struct wp_call *call, const char *backend);

// ---- images that exceed the memory limit, in strips of rows (wavepass_stream.h) ----

// NULL, or why the options of a transform are not supported.
const char *wp_row_pipeline_unfit(const struct wp_transform_params *params);

struct wp_row_pipeline {
    // Parameters.
    const struct wp_transform_params *options;
    struct wp_memory_limit limit;
    const char *output;
    bool overwrite;

    // Forward.
    struct wp_rows *rows;       // owned
    struct wp_file_facts facts; // of the file
    const char *channel;        // NULL: all planes
    int tile;                   // as in struct wp_sidecar
    bool deflate;

    // Inverse.
    struct wp_tile_store *store; // owned
    const struct wp_coefficient_input *from;

    // Results.
    bool done;
    struct wp_transform *transform; // owned; only for its info, it does not run
    struct wp_image shape;          // the image without samples
    enum wp_stored stored;          // type of its integers
    size_t memory;                  // bytes of rows, tiles and the stream
    struct wp_value_counts value_counts;
    double seconds, read, write, wall; // of the transform, of reading and writing files, in total
    struct wp_tile_store_counts counts; // tiles and bytes read
};

// Run the pipeline. False after an error.
bool wp_row_pipeline_forward(struct wp_row_pipeline *pipeline);
bool wp_row_pipeline_inverse(struct wp_row_pipeline *pipeline);
// Frees the owned members.
void wp_row_pipeline_end(struct wp_row_pipeline *pipeline);

// Add memory and times to a summary and to a JSON object.
void wp_row_pipeline_add_summary(const struct wp_row_pipeline *pipeline, struct wp_text *text);
void wp_row_pipeline_add_json(const struct wp_row_pipeline *pipeline, struct json_t *object);

// Checks that the samples are in the range in which the transform is exact. False after
// WP_ERROR_FILE. `path` names the image in the message.
bool wp_integer_samples_check_range(struct wp_transform *transform, const struct wp_image *image,
                                    const char *path);

// Replaces -0 by 0 in the coefficients: integers in a file have no negative zero.
void wp_integer_samples_unsign_zeros(struct wp_image *coefficients);

// Multiplies all samples of all planes by `factor`. `round_values`: rounds the products to
// integers.
void wp_integer_samples_scale(struct wp_image *image, double factor, bool round_values);

// The largest magnitude of a sample, without alpha.
double wp_integer_samples_largest(const struct wp_image *image);

// ---- volumes in groups of slices (GOPs): one group is transformed while the next is read and the
// previous one is written ----

// Time of each stage. Stages overlap, so the sum may exceed `wall`.
struct wp_gop_pipeline_seconds {
    double read, load, transform, store, check, write, wall;
};

struct wp_gop_pipeline {
    // Parameters.
    const struct wp_transform_params *options;
    int gop; // slices per group
    enum wp_direction direction;
    bool check; // inverts every group and measures max_error
    struct wp_slices *from; // owned
    struct wp_slices_output *to; // owned

    // Results.
    struct wp_transform *transform; // of a full group; owned
    enum wp_chosen_by chosen_by;
    bool overlapped; // load, transform and store run in separate threads
    int slices;
    struct wp_value_counts value_counts;
    double max_error; // of the round trip; NaN if it was not checked
    struct wp_gop_pipeline_seconds seconds;
};

// Transforms all groups and writes them to `to`, which the caller commits. False after an error.
bool wp_gop_pipeline_run(struct wp_gop_pipeline *pipeline);
// Frees the owned members; discards `to` unless it was committed.
void wp_gop_pipeline_end(struct wp_gop_pipeline *pipeline);

// Report the times of the stages: as a verbose message, at the end of a summary, and as a member of
// a JSON object.
void wp_gop_pipeline_log(const struct wp_gop_pipeline *pipeline);
void wp_gop_pipeline_add_rate(const struct wp_gop_pipeline *pipeline, struct wp_text *text);
void wp_gop_pipeline_add_json(const struct wp_gop_pipeline *pipeline, struct json_t *object);

// The volume's size and number of planes, as an image without samples.
struct wp_image wp_gop_pipeline_shape(const struct wp_gop_pipeline *pipeline);

// ---- a command on many files in a pipeline of threads: while one file is computed, the next is
// read and the previous one is written. A single file is processed sequentially ----

// The first member of a command's job for one file.
struct wp_batch_item {
    const char *input;
    const char *output;    // NULL if a single input has no output
    bool single;            // the only file: it may use all memory and does not share a device
    struct json_t *result; // for --json, set on success
    struct wp_text summary; // one line of text
    // Only for batch.c:
    enum wp_error error;
    char *why;
};

struct wp_batch {
    size_t size; // of the job in bytes; its first member is a struct wp_batch_item
    const char *output; // the option's value; a folder if there are many files or it ends in '/'
    const char *suffix; // of the outputs in a folder; NULL: that of the input
    // The steps are called in this order. begin() gets a job of zeros except `item`. compute() runs
    // in the caller's thread, the others may run in other threads. A step returns false after an
    // error; the remaining steps are then skipped. end() is always called.
    void (*begin)(void *job, const struct wp_call *call, void *shared);
    bool (*read)(void *job);
    bool (*compute)(void *job);
    bool (*write)(void *job);
    void (*end)(void *job);
};

// True if there are several inputs or the output ends in '/'.
bool wp_batch_is_many(const struct wp_call *call, const char *output);

// Runs the batch, including checks of the folder and of output names; fails before reading if two
// outputs have the same name. `shared` is passed to begin(). With many files, each failure is
// reported and the others continue; the code is then WP_ERROR_FILE, or WP_ERROR_TOO_LARGE if every
// failure was lack of memory.
enum wp_error wp_batch_run(const struct wp_call *call, const struct wp_batch *batch, void *shared);

#endif
