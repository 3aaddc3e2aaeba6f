// Rows of an image or of described coefficients, for who looks at each once: the image's, or those
// of the coefficients in their array, layout mallat, whatever they lie in.
#ifndef WP_FILE_LINES_H
#define WP_FILE_LINES_H

#include "tile_store.h"
#include "rows.h"

struct wp_lines;

// With `described`, a description beside the file is read and says what it holds. `*lines` is NULL
// where the file has to be read whole, and `*why` says why. False after an error.
bool wp_lines_open(const char *path, const struct wp_read_params *params, bool described,
                   struct wp_lines **lines, const char **why);
void wp_lines_close(struct wp_lines **lines); // accepts NULL, clears the pointer

const struct wp_rows_info *wp_lines_info(const struct wp_lines *lines);
const struct wp_sidecar *wp_lines_sidecar(const struct wp_lines *lines); // NULL: not described
size_t wp_lines_memory(const struct wp_lines *lines);

// The next row, planes one behind the other. After the last one, whether the file is what it was
// and, unless `changed`, what is described. False after WP_ERROR_FILE.
bool wp_lines_read(struct wp_lines *lines, bool changed, float *to);

#endif
