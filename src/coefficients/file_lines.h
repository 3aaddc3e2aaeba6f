// Rows of an image or of coefficients, in order: of the image, or of the array of coefficients in
// the Mallat layout, whatever the layout of the file.
#ifndef WP_FILE_LINES_H
#define WP_FILE_LINES_H

#include "tile_store.h"
#include "rows.h"

struct wp_lines;

// Opens a file; with `has_metadata`, its metadata is read if it exists. If the file cannot be read
// by rows, `*lines` is NULL and `*why` is the reason. False after an error.
bool wp_lines_open(const char *path, const struct wp_read_params *params, bool has_metadata,
                   struct wp_lines **lines, const char **why);
void wp_lines_close(struct wp_lines **lines); // accepts NULL, clears the pointer

const struct wp_rows_info *wp_lines_info(const struct wp_lines *lines);
const struct wp_sidecar *wp_lines_sidecar(const struct wp_lines *lines); // NULL: no metadata
size_t wp_lines_memory(const struct wp_lines *lines);

// Reads the next row, plane by plane. After the last row, checks that the file was not changed
// while it was read and, unless `changed`, that it matches its metadata. False after WP_ERROR_FILE.
bool wp_lines_read(struct wp_lines *lines, bool changed, float *to);

#endif
