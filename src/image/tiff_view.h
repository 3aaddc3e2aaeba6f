// Input of libtiff for reading: from memory, or from a file by offsets. Internal to this layer.
#ifndef WP_TIFF_VIEW_H
#define WP_TIFF_VIEW_H

#include "image_io.h"
#include "tiff_io.h"

struct wp_tiff_view {
    const struct wp_source *source; // with the size of the file
    int file; // -1: the file is in memory
    unsigned long long at, missing; // `missing`: the largest offset requested beyond the end
    unsigned long long read;        // bytes so far
    bool truncated;                    // the file was truncated after it was opened
    struct wp_tiff_messages messages;
};

// Opens libtiff; `mode` as in TIFFOpen(). NULL after an error, which the caller reports.
TIFF *wp_tiff_view_open(struct wp_tiff_view *view, const char *mode);

// Reads `count` bytes at an offset. False, without a message, if the file ends before.
bool wp_tiff_view_read_at(const struct wp_tiff_view *view, unsigned long long at, unsigned char *to,
                          size_t count);

// Report errors of libtiff; the second function, if it could not open the file.
void wp_tiff_view_report(const struct wp_tiff_view *view, const struct wp_tiff_errors *errors);
void wp_tiff_view_report_unopened(const struct wp_tiff_view *view,
                                  const struct wp_tiff_errors *errors);

// False after an error if strip or tile `index` is not in the file.
bool wp_tiff_view_has(const struct wp_tiff_view *view, TIFF *tiff,
                      const struct wp_tiff_errors *errors, bool tiled, uint32_t index);

#endif
