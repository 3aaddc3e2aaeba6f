// A TIFF file that is read, as libtiff sees it: in memory, or by offsets. Internal to this layer.
#ifndef WP_TIFF_VIEW_H
#define WP_TIFF_VIEW_H

#include "image_io.h"
#include "tiff_io.h"

struct wp_tiff_view {
    const struct wp_source *source; // its size is that of the file
    int file; // -1: all of it is in memory
    unsigned long long at, missing; // `missing`: the farthest byte asked for beyond the end
    unsigned long long read;        // bytes so far
    bool is_cut;                    // the file has become shorter since its size was asked
    struct wp_tiff_messages messages;
};

// `mode` as TIFFOpen() has it. NULL after an error of libtiff, which nobody has told of yet.
TIFF *wp_tiff_view_open(struct wp_tiff_view *view, const char *mode);

// Reads `count` bytes at an offset. False, without a message, where the file ends before.
bool wp_tiff_view_read_at(const struct wp_tiff_view *view, unsigned long long at, unsigned char *to,
                          size_t count);

// Tell what libtiff has found wrong; the second one, with what it does not even open.
void wp_tiff_view_report(const struct wp_tiff_view *view, const struct wp_tiff_errors *errors);
void wp_tiff_view_report_unopened(const struct wp_tiff_view *view,
                                  const struct wp_tiff_errors *errors);

// False after an error where strip or tile number `index` is nowhere in the file.
bool wp_tiff_view_has(const struct wp_tiff_view *view, TIFF *tiff,
                      const struct wp_tiff_errors *errors, bool tiled, uint32_t index);

#endif
