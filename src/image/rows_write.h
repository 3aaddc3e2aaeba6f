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
// Where others may write rows in any order, in place of wp_rows_write(): the bytes of row y, as
// wp_rows_pack() makes them, go to first + y * step.
struct wp_rows_preallocated {
    unsigned long long first;
    long long step;
    enum wp_stored stored;
};
// False after WP_ERROR_FILE.
bool wp_rows_reserve(struct wp_rows_output *output, struct wp_rows_preallocated *space);
struct wp_output *wp_rows_file(const struct wp_rows_output *output); // under its name for now
// A row, as wp_rows_read() has it, becomes what a file of that type has in `to`, room for as many
// floats. Returns how many bytes.
size_t wp_rows_pack(const float *row, int width, int planes, enum wp_stored stored, float *to);
// All rows were written. The file appears. False after WP_ERROR_FILE.
bool wp_rows_commit(struct wp_rows_output **output);
void wp_rows_discard(struct wp_rows_output **output); // accepts NULL, clears the pointer

#endif
