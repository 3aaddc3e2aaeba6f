// What the commands that run a transform share.
#ifndef WP_RUN_H
#define WP_RUN_H

#include "autotune.h"
#include "command.h"
#include "image.h"
#include "wavepass.h"

// How the options have a file read: images and volumes.
struct wp_read_params wp_run_read_params(const struct wp_volume_options *options);

// wp_image_read_with() of these, with a line of progress.
struct wp_image *wp_run_read_volume(const char *path, const struct wp_volume_options *options,
                                    size_t *nonfinite);

// wp_transform_create() for the image's size, with the scheme and variant that are the fastest
// here (autotune.h) where none is named. Says what the user should know of the choices that were
// left to the program. `by` gets who chose; where that fails for this image, a run goes back to
// the fixed rule's after a warning.
struct wp_transform *wp_run_create(const struct wp_transform_params *params,
                                   const struct wp_image *image, enum wp_direction direction,
                                   size_t nonfinite, enum wp_chosen_by *by);

// The same on the device of another one, unless that is NULL; what there is to say of the device and
// the scheme was said with that one.
struct wp_transform *wp_run_create_shared(const struct wp_transform *beside,
                                          const struct wp_transform_params *params,
                                          const struct wp_image *image,
                                          enum wp_direction direction, size_t nonfinite,
                                          enum wp_chosen_by *by);

// The same by the fixed rule, with nothing to choose or to probe.
struct wp_transform *wp_run_create_by_rule(const struct wp_transform_params *params,
                                           const struct wp_image *image,
                                           enum wp_direction direction);

// False after WP_ERROR_USAGE where the options ask for what the backend "cpu" does not do by itself,
// which `what` ("a region") is computed by.
bool wp_run_by_cpu(const struct wp_transform_params *params, const char *what);

// To be called after a run: its line in the timeline, and the time of its passes.
double wp_run_done(struct wp_transform *transform);

// The largest difference, infinite where one is not finite.
double wp_run_difference(const float *a, const float *b, size_t count);

// Adds "cdf97/…, 3 levels, 512x512, 1 plane, fragment on NVIDIA H200, 1.9 ms".
void wp_run_summary(struct wp_transform *transform, const struct wp_image *image, double seconds,
                    struct wp_text *text);

// The part of the --json object that the commands have in common. `backend` is the one asked
// for; NULL is auto. `by`: who chose scheme and variant.
struct json_t *wp_run_json(const struct wp_call *call, struct wp_transform *transform,
                           const struct wp_image *image, const char *backend,
                           enum wp_chosen_by by, double seconds);

#endif
