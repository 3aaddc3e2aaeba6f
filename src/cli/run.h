// Functions of the commands that run a transform, for reading, creation and reports. The commands
// call wp_transform_forward() and similar functions (wavepass.h) themselves.
#ifndef WP_RUN_H
#define WP_RUN_H

#include "autotune.h"
#include "command.h"
#include "image.h"
#include "wavepass.h"

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

#endif
