// Transforms images that exceed the memory limit in strips of rows (wavepass_stream.h).
#ifndef WP_ROW_PIPELINE_H
#define WP_ROW_PIPELINE_H

#include "image.h"
#include "memory_limit.h"
#include "open_coefficients.h"
#include "rows.h"
#include "run.h"
#include "tile_store.h"
#include "wavepass.h"

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

#endif
