// Shared by the reader and the writer of OpenEXR files. Internal to this layer.
#ifndef WP_EXR_H
#define WP_EXR_H

#include <openexr.h>

struct wp_exr {
    exr_context_t context;
    exr_result_t code; // of the first error
    char message[160];
};

// An initializer for a context. From then on, OpenEXR errors of this thread are stored in `exr`.
exr_context_initializer_t wp_exr_initializer(struct wp_exr *exr);

// The name of a plane's channel: "Y", "A" of up to 2 planes; else "R", "G", "B", "A".
const char *wp_exr_channel(int planes, int plane);

#endif
