// Images and coefficients that go through a transform in strips of rows, where the whole would take
// too much memory.
#ifndef WP_ROW_PIPELINE_H
#define WP_ROW_PIPELINE_H

#include "open_coefficients.h"
#include "memory_limit.h"
#include "tile_store.h"
#include "rows.h"
#include "run.h"

// NULL, or what of a transform's options strips cannot do.
const char *wp_row_pipeline_unfit(const struct wp_transform_params *params);

struct wp_row_pipeline {
    // What is to be done.
    const struct wp_transform_params *options;
    struct wp_memory_limit limit;
    const char *output;
    bool overwrite;

    // Forward: taken over.
    struct wp_rows *rows;
    struct wp_file_facts facts; // of their file
    const char *channel;        // NULL: all planes
    int tile;                   // as in the description
    bool deflate;

    // Inverse: taken over.
    struct wp_tile_store *store;
    const struct wp_coefficient_input *from;

    // What was done.
    bool done;
    struct wp_transform *transform; // tells what was computed; none of it runs
    struct wp_image shape;          // of the image, without samples
    enum wp_stored stored;          // of its integers
    size_t memory;                  // bytes that were taken: rows, tiles, the stream
    struct wp_value_counts value_counts;
    double seconds, read, write, wall; // transform, files, and everything
    struct wp_tile_store_counts counts;     // of what was read
};

// False after an error.
bool wp_row_pipeline_forward(struct wp_row_pipeline *pipeline);
bool wp_row_pipeline_inverse(struct wp_row_pipeline *pipeline);
void wp_row_pipeline_end(struct wp_row_pipeline *pipeline);

// Behind a summary, and members of a JSON object.
void wp_row_pipeline_add_summary(const struct wp_row_pipeline *pipeline, struct wp_text *text);
void wp_row_pipeline_add_json(const struct wp_row_pipeline *pipeline, struct json_t *object);

#endif
