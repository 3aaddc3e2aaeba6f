// Tiled BigTIFF files of several pages, written by rows and read by rectangles.
//
// A page has a name and consecutive planes (PlanarConfiguration 2) of 32-bit floats or integers.
// Pages may differ in size.
#ifndef WP_TIFF_TILES_H
#define WP_TIFF_TILES_H

#include "image.h"

enum { WP_TILES_NAME = 32, WP_TILES_PAGES = 128 };

struct wp_tiles_page {
    char name[WP_TILES_NAME];
    int width, height, planes;
};

struct wp_tiles_params {
    const struct wp_tiles_page *page;
    int pages; // up to WP_TILES_PAGES
    int width, height; // of a tile, multiples of 16
    bool deflate;
    bool integers;  // samples are integers, and are stored as such
    bool rotated;   // rows of a page arrive from any row on, and wrap around to the first one
    bool overwrite;
    bool reserved;  // wp_tiles_write() is not called: others fill the space that is reserved
    bool unnamed;   // the path is a directory (wp_output_open_unnamed())
};

struct wp_tiles_output;
struct wp_output;

// Memory for writing, in bytes: a row of tiles per page, two if rows are rotated.
size_t wp_tiles_memory(const struct wp_tiles_params *params);

// Creates a file with all its directories. NULL after WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_tiles_output *wp_tiles_create(const char *path, const struct wp_tiles_params *params);
// The file under its temporary name; and, if space is reserved without compression, the byte offset
// of a page's first tile. Tiles follow each other without gaps, in rows of tiles, plane by plane;
// each has rows of float32 or int32 in the host's byte order, 0 outside the page.
struct wp_output *wp_tiles_file(const struct wp_tiles_output *output);
unsigned long long wp_tiles_first(const struct wp_tiles_output *output, int page);
// Writes row `y` of a plane of a page. Rows arrive in order, each once. False after an error.
bool wp_tiles_write(struct wp_tiles_output *output, int page, int plane, int y, const float *row);
// Ends the file after all rows were written, commits `*first` immediately before it (output.h), and
// frees the output. False after WP_ERROR_FILE.
bool wp_tiles_commit(struct wp_tiles_output **output, struct wp_output **first);
void wp_tiles_discard(struct wp_tiles_output **output); // accepts NULL, clears the pointer

struct wp_tiles;

struct wp_tiles_counts {
    unsigned long long tiles; // decoded
    unsigned long long bytes; // read from the file, with directories
};

// Opens a file written by this module or another program, with tiles of any size. NULL after
// WP_ERROR_FILE.
struct wp_tiles *wp_tiles_open(const char *path);
void wp_tiles_close(struct wp_tiles **tiles); // accepts NULL, clears the pointer

int wp_tiles_pages(const struct wp_tiles *tiles);
const struct wp_tiles_page *wp_tiles_page(const struct wp_tiles *tiles, int page);
int wp_tiles_height(const struct wp_tiles *tiles, int page); // of its tiles, in rows
struct wp_tiles_counts wp_tiles_counts(const struct wp_tiles *tiles);

// Reads `width` times `height` samples at (x, y), inside the page, to rows that are `step` floats
// apart. Decodes only tiles that overlap the rectangle. False after WP_ERROR_FILE or
// WP_ERROR_TOO_LARGE.
bool wp_tiles_read(struct wp_tiles *tiles, int page, int plane, int x, int y, int width,
                   int height, float *to, size_t step);

// False after WP_ERROR_FILE if the file was changed since it was opened.
bool wp_tiles_unchanged(const struct wp_tiles *tiles);

#endif
