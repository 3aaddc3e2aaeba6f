// Pages of a TIFF that are written row after row. Internal to this layer.
#ifndef WP_TIFF_ROWS_H
#define WP_TIFF_ROWS_H

#include "image_io.h"

struct wp_tiff_rows;

// `shape` without its samples. NULL after an error.
struct wp_tiff_rows *wp_tiff_rows_create(const struct wp_image *shape, const char *path,
                                         FILE *stream, enum wp_stored stored);
// Pixels of row `y`, which is packed in place. Errors of the stream are left to whoever asks it.
// False after an error.
bool wp_tiff_rows_write(struct wp_tiff_rows *rows, float *pixels, int y);
// In place of all of these: room for all rows, one behind the other, from byte `*first` on. False
// after an error.
bool wp_tiff_rows_reserve(struct wp_tiff_rows *rows, unsigned long long *first);
bool wp_tiff_rows_end(struct wp_tiff_rows **rows);
void wp_tiff_rows_discard(struct wp_tiff_rows **rows); // accepts NULL, clears the pointer

#endif
