// Transforms a volume in groups of slices (GOPs): one group is transformed while the next is read
// and the previous one is written.
#ifndef WP_GOP_PIPELINE_H
#define WP_GOP_PIPELINE_H

#include "run.h"
#include "slices.h"

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

#endif
