// Images that are read row after row, so that memory need not hold them.
#ifndef WP_ROWS_H
#define WP_ROWS_H

#include "image.h"

// As the members of struct wp_image.
struct wp_rows_info {
    int width, height, planes;
    bool alpha;
    struct wp_origin origin;
};

struct wp_rows;

// Opens what wp_image_read_with() reads as an image. Where its rows can be had from the top to the
// bottom in bounded memory, `*rows` gets them: PGM, PPM (not those in text), PAM, PFM, NPY in C
// order, upright PNG that is not interlaced, --raw, and TIFF of one page, upright, in strips or
// tiles. Else it is NULL, and `*why` says why. False after WP_ERROR_FILE or WP_ERROR_USAGE.
bool wp_rows_open(const char *path, const struct wp_read_params *params, struct wp_rows **rows,
                  const char **why);
void wp_rows_close(struct wp_rows **rows); // accepts NULL, clears the pointer

const struct wp_rows_info *wp_rows_info(const struct wp_rows *rows);
const char *wp_rows_name(const struct wp_rows *rows); // of its file, for messages

// Bytes that reading takes: what is held of the file, and where it is decoded.
size_t wp_rows_memory(const struct wp_rows *rows);

// The next `count` rows, which must be there: sample x of plane p of the i-th one goes to
// to[(i * planes + p) * width + x], with the value that wp_image_read_with() gives it. False after
// WP_ERROR_FILE, also where the last row was read and the file is not the one that was opened any
// more.
bool wp_rows_read(struct wp_rows *rows, float *to, int count);

// The next row is `y`, the one that it was or one below. Where a file can be decoded from its top
// alone, as PNG, the rows between are. False after an error.
bool wp_rows_go_to(struct wp_rows *rows, int y);

// Whether any part can be read: of files whose samples are not compressed, but TIFF.
bool wp_rows_have_rectangles(const struct wp_rows *rows);
// The part of `width` times `height` samples at (x, y) of a plane, which lies within the image.
// Rows are `step` floats apart. False after WP_ERROR_FILE.
bool wp_rows_read_rectangle(struct wp_rows *rows, int plane, int x, int y, int width, int height,
                       float *to, size_t step);
// False after WP_ERROR_FILE where the file is not what it was when it was opened.
bool wp_rows_unchanged(const struct wp_rows *rows);

#endif
