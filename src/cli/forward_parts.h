// Parts of the command forward.
#ifndef WP_FORWARD_PARTS_H
#define WP_FORWARD_PARTS_H

#include "flow.h"
#include "image.h"

#include <stdbool.h>

struct wp_forward_options {
    struct wp_flow_options flow; // the first member
    const char *picture, *subbands, *channel, *compression, *axes, *cost;
    int tile;
    bool gray, half, wide, no_labels, check;
};

// The word of --channel or --gray; NULL without them.
const char *wp_forward_channel(const struct wp_forward_options *options);

// True for --bank packets.
bool wp_forward_has_packets(const struct wp_forward_options *options);

// How the preview image is written.
struct wp_write_params wp_forward_picture_params(const struct wp_forward_options *options);

// The step `read` (forward_read.c): reads the image, or opens it for one of the pipelines. Checks
// the outputs before that, and the memory limit. False after an error.
bool wp_forward_read(struct wp_flow *flow);

// With --check, inverts the transform, sets max_error and rejects a result that does not
// reconstruct the image (forward_check.c). False after an error.
bool wp_forward_check(struct wp_flow *flow);

// Warns if max_error is infinite.
void wp_forward_warn_of_infinity(const struct wp_flow *flow);

#endif
