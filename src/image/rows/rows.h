// Images that are read row by row, for images larger than memory.
#ifndef WP_ROWS_H
#define WP_ROWS_H

#include "image.h"

// Members as in struct wp_image.
struct wp_rows_info {
    int width, height, planes;
    bool alpha;
    struct wp_origin origin;
};

struct wp_rows;

// The image without samples.
struct wp_image wp_rows_shape(const struct wp_rows_info *info);

// Opens an image that wp_image_read_with() reads. Sets `*rows` if its rows can be read from top to
// bottom in bounded memory: binary PGM and PPM, PAM, PFM, NPY in C order, upright PNG without
// interlacing, raw files, and TIFF with one upright page, in strips or tiles. Otherwise `*rows` is
// NULL and `*why` is the reason. False after WP_ERROR_FILE or WP_ERROR_USAGE.
bool wp_rows_open(const char *path, const struct wp_read_params *params, struct wp_rows **rows,
                  const char **why);
void wp_rows_close(struct wp_rows **rows); // accepts NULL, clears the pointer

const struct wp_rows_info *wp_rows_info(const struct wp_rows *rows);
const char *wp_rows_name(const struct wp_rows *rows); // of its file, for messages

// Memory for reading, in bytes: buffers of the file and of decoding.
size_t wp_rows_memory(const struct wp_rows *rows);

// Reads the next `count` rows, which must exist. Sample x of plane p of the i-th row is stored at
// to[(i * planes + p) * width + x], with the value of wp_image_read_with(). False after
// WP_ERROR_FILE, also if the file was changed (checked after the last row).
bool wp_rows_read(struct wp_rows *rows, float *to, int count);

// Reads all rows, and the origin, to an image of this size; none may have been read before. If the
// image has pixels, they must be of the file's type, and are not converted. False after
// WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
bool wp_rows_read_all(struct wp_rows *rows, struct wp_image *image);
// Likewise, to a new image of floats. NULL after the same errors.
struct wp_image *wp_rows_read_image(struct wp_rows *rows);

// Moves to row `y`, which must not be above the next row. Formats that are decoded in order, such
// as PNG, decode the rows between. False after an error.
bool wp_rows_go_to(struct wp_rows *rows, int y);

// True if rectangles can be read: uncompressed formats except TIFF.
bool wp_rows_have_rectangles(const struct wp_rows *rows);
// Reads `width` times `height` samples at (x, y) of a plane, inside the image, to rows that are
// `step` floats apart. False after WP_ERROR_FILE.
bool wp_rows_read_rectangle(struct wp_rows *rows, int plane, int x, int y, int width, int height,
                            float *to, size_t step);
// False after WP_ERROR_FILE if the file was changed since it was opened.
bool wp_rows_unchanged(const struct wp_rows *rows);

#endif
