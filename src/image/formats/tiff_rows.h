// Writes TIFF pages by rows. Internal to this layer.
#ifndef WP_TIFF_ROWS_H
#define WP_TIFF_ROWS_H

#include "image_io.h"

struct wp_tiff_rows;

// Begins a file; the samples of `shape` are not used. NULL after an error.
struct wp_tiff_rows *wp_tiff_rows_create(const struct wp_image *shape, const char *path,
                                         FILE *stream, enum wp_stored stored);
// The following functions do not report errors of the stream: the caller checks ferror(). False
// after an error.

// Writes the next row of interleaved pixels, which are packed in place; rows are counted through
// all slices.
bool wp_tiff_rows_write(struct wp_tiff_rows *rows, float *pixels, size_t row);
// Reserves space for all rows, consecutive from byte offset `*first` on, instead of writing them.
bool wp_tiff_rows_reserve(struct wp_tiff_rows *rows, unsigned long long *first);
bool wp_tiff_rows_end(struct wp_tiff_rows **rows);
void wp_tiff_rows_discard(struct wp_tiff_rows **rows); // accepts NULL, clears the pointer

#endif
