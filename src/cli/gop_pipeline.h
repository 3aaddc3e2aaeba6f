// A volume transformed group after group, while the next one is read and the one before is written.
#ifndef WP_GOP_PIPELINE_H
#define WP_GOP_PIPELINE_H

#include "run.h"
#include "slices.h"

// Where the time goes. What overlaps adds up to more than `wall`.
struct wp_gop_pipeline_seconds {
    double read, load, transform, store, check, write, wall;
};

struct wp_gop_pipeline {
    // What is to be done.
    const struct wp_transform_params *options;
    int gop; // slices of a group
    enum wp_direction direction;
    bool check; // turns every group back
    struct wp_slices *from;
    struct wp_slices_output *to;

    // What was done.
    struct wp_transform *transform; // of the groups; wp_gop_pipeline_end() destroys it
    enum wp_chosen_by chosen_by;
    bool apart; // loaded, transformed and stored by a thread each
    int slices;
    struct wp_value_counts value_counts;
    double max_error; // of the round trip; NaN where it cannot be told
    struct wp_gop_pipeline_seconds seconds;
};

// False after an error.
bool wp_gop_pipeline_run(struct wp_gop_pipeline *pipeline);
void wp_gop_pipeline_end(struct wp_gop_pipeline *pipeline);

// Says what took the time, as a line of the timeline, behind a summary, and as a member of a JSON
// object.
void wp_gop_pipeline_log(const struct wp_gop_pipeline *pipeline);
void wp_gop_pipeline_add_rate(const struct wp_gop_pipeline *pipeline, struct wp_text *text);
void wp_gop_pipeline_add_json(const struct wp_gop_pipeline *pipeline, struct json_t *object);

// Its size and kind, as of an image without samples.
struct wp_image wp_gop_pipeline_shape(const struct wp_gop_pipeline *pipeline);

#endif
