// Coefficients in tiles of an image that is too large for memory, made row after row in a temporary
// file, to be seen as a pyramid. No OpenGL.
#ifndef WP_PYRAMID_MAKE_H
#define WP_PYRAMID_MAKE_H

#include "sidecar.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_pyramid_make;

struct wp_pyramid_make_info {
    size_t memory;    // bytes that it takes
    double file;      // bytes that its file will have, about
    const char *path; // of the coefficients, once they are whole, until wp_pyramid_make_close()
    const struct wp_sidecar *sidecar; // their description
    int row, rows;    // how far it has come
    int colours;      // planes without alpha
};

// Opens an image whose rows can be had (rows.h). Wavelet, levels, border and norm are those of
// `options`; levels 0: down to one tile. The file is in $TMPDIR, or /var/tmp, and has no name there, so
// that nothing of it stays however the process ends. NULL after an error.
struct wp_pyramid_make *wp_pyramid_make_open(const char *path,
                                             const struct wp_read_params *read,
                                             const struct wp_transform_params *options);
// Goes on with a few rows. False after an error, and then there is no going on.
bool wp_pyramid_make_rows(struct wp_pyramid_make *make);
const struct wp_pyramid_make_info *wp_pyramid_make_info(const struct wp_pyramid_make *make);
// The file stays for those who have opened it. Accepts NULL, clears the pointer.
void wp_pyramid_make_close(struct wp_pyramid_make **make);

#endif
