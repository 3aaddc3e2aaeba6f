// Transforms an image that exceeds memory row by row into tiled coefficients in a temporary file,
// for display as a pyramid. Does not use OpenGL.
#ifndef WP_PYRAMID_MAKE_H
#define WP_PYRAMID_MAKE_H

#include "sidecar.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_pyramid_make;

struct wp_pyramid_make_info {
    size_t memory;    // bytes of memory needed
    double file;      // approximate size of the file in bytes
    const char *path; // of the coefficients; NULL until complete; valid until the close
    const struct wp_sidecar *sidecar; // metadata of the coefficients
    int row, rows;    // progress
    int colours;      // planes without alpha
};

// Opens an image that can be read by rows (rows.h). `options` sets wavelet, levels, border and
// norm; levels 0: down to one tile. The file is in $TMPDIR or /var/tmp without a name, so that it
// is deleted when the process ends. NULL after an error.
struct wp_pyramid_make *wp_pyramid_make_open(const char *path,
                                             const struct wp_read_params *read,
                                             const struct wp_transform_params *options);
// Processes the next rows. After an error it returns false, and must not be called again.
bool wp_pyramid_make_rows(struct wp_pyramid_make *make);
const struct wp_pyramid_make_info *wp_pyramid_make_info(const struct wp_pyramid_make *make);
// Descriptors that are open on the file remain valid. Accepts NULL, sets the pointer to NULL.
void wp_pyramid_make_close(struct wp_pyramid_make **make);

#endif
