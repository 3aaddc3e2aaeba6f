// What reading and writing TIFF share. Internal to this layer.
#ifndef WP_TIFF_IO_H
#define WP_TIFF_IO_H

#include <tiffio.h>

// libtiff's first error message while it is open.
struct wp_tiff_errors {
    char message[200];
    TIFFErrorHandler error, warning;
    TIFFErrorHandlerExt error_ext, warning_ext;
};

// From begin to end libtiff prints nothing. Its handlers belong to the process, so reading and
// writing TIFF in two threads at once may mix up their messages.
void wp_tiff_errors_begin(struct wp_tiff_errors *errors);
void wp_tiff_errors_end(struct wp_tiff_errors *errors);

#endif
