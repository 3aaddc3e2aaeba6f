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

// The parameters with the size and planes of an image.
struct wp_transform_params wp_run_sized(const struct wp_transform_params *params,
                                        const struct wp_image *image);

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

// Are there more coefficients than samples? Then `what` is the reason: "border 'pywt-zero'", "bank
// 'starlet'".
bool wp_run_is_expansive(const struct wp_transform_params *params, char what[64]);

// Bytes of an image and its coefficients. Errors of the parameters are not reported.
double wp_run_memory(const struct wp_transform_params *params, const struct wp_image *shape);

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

// Returns the cached transform of these parameters, with its scheme and variant, or one created as
// by wp_run_create(), on the device of the first one of its kind (image or volume). The cache owns
// it; later calls may destroy it. NULL after an error.
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

// Bytes of an image, whose samples need not exist, and its coefficients.
double wp_memory_of_image(const struct wp_image *shape);

// Coefficients with their transform parameters, which are in the metadata file or given by options.
struct wp_coefficient_input {
    const char *path;
    struct wp_transform_params params; // the options, completed from the metadata
    char *sidecar_path;                // NULL for stdin, and if the file contains its metadata
    bool has_sidecar;
    struct wp_sidecar sidecar;
    struct wp_coefficients_params read;
    struct wp_wavelet_steps lost; // the wavelet of `params` if its file does not exist
};

// Opens a tile store. If the file cannot be read in tiles, or has no metadata file, `*store` is
// NULL and `*why` is the reason. False after an error, such as an option that contradicts the
// metadata.
bool wp_open_coefficient_tiles(struct wp_coefficient_input *input, const char *path,
                               const struct wp_transform_params *options, bool changed,
                               struct wp_tile_store **store, const char **why);
void wp_close_coefficients(struct wp_coefficient_input *input); // accepts {0}

// ---- integer samples ----

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

#endif
