// Images that are written row by row, for images larger than memory.
#ifndef WP_ROWS_WRITE_H
#define WP_ROWS_WRITE_H

#include "rows.h"

// True if the file can be written by rows: .npy, .pfm or .tiff, new or a regular file.
bool wp_rows_can_write(const char *path);

struct wp_rows_output;

// Opens an output. The file will be identical to that of wp_image_write(). NULL after its errors.
struct wp_rows_output *wp_rows_create(const char *path, const struct wp_rows_info *info,
                                      const struct wp_write_params *params);
// Writes the next `count` rows, ordered as by wp_rows_read(). False after WP_ERROR_FILE.
bool wp_rows_write(struct wp_rows_output *output, const float *from, int count);
// Space for rows that other threads or processes write in any order, instead of wp_rows_write():
// the bytes of row y, packed by wp_rows_pack(), are at offset first + y * step of the file.
struct wp_rows_preallocated {
    unsigned long long first;
    long long step;
    enum wp_stored stored;
};
// Allocates that space. False after WP_ERROR_FILE.
bool wp_rows_reserve(struct wp_rows_output *output, struct wp_rows_preallocated *space);
struct wp_output *wp_rows_file(const struct wp_rows_output *output); // under its temporary name
// Packs a row, ordered as by wp_rows_read(), to the bytes of the file. `to` has space for as many
// floats. Returns the number of bytes.
size_t wp_rows_pack(const float *row, int width, int planes, enum wp_stored stored, float *to);
// Ends the file after all rows were written, and frees the output. False after WP_ERROR_FILE.
bool wp_rows_commit(struct wp_rows_output **output);
void wp_rows_discard(struct wp_rows_output **output); // accepts NULL, clears the pointer

#endif
