// Images that are written row after row, so that memory need not hold them.
#ifndef WP_ROWS_WRITE_H
#define WP_ROWS_WRITE_H

#include "rows.h"

// Whether a file of that name can be written so: a new or regular one, .npy, .pfm or .tiff.
bool wp_rows_can_write(const char *path);

struct wp_rows_output;

// The bytes are those of wp_image_write() of all rows. NULL after its errors.
struct wp_rows_output *wp_rows_create(const char *path, const struct wp_rows_info *info,
                                      const struct wp_write_params *params);
// The next `count` rows, as wp_rows_read() has them. False after WP_ERROR_FILE.
bool wp_rows_write(struct wp_rows_output *output, const float *from, int count);
// All rows were written. The file appears. False after WP_ERROR_FILE.
bool wp_rows_commit(struct wp_rows_output **output);
void wp_rows_discard(struct wp_rows_output **output); // accepts NULL, clears the pointer

#endif
