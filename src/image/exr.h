// What reading and writing of OpenEXR share: its interface in C. Internal to this layer.
#ifndef WP_EXR_H
#define WP_EXR_H

#include <openexr.h>

struct wp_exr {
    exr_context_t context;
    exr_result_t code; // of the first error
    char message[160];
};

// For a context whose errors `exr` gets: from now on those of this thread.
exr_context_initializer_t wp_exr_initializer(struct wp_exr *exr);

// Planes by the number of them: "Y", "Y", "A"; "R", "G", "B" and "A".
const char *wp_exr_channel(int planes, int plane);

#endif
