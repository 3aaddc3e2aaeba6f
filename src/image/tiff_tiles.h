// Float planes in tiles: BigTIFF files of several pages, which are written row after row and read a
// part at a time.
//
// A page has its planes one behind the other (PlanarConfiguration 2), 32-bit floats or integers,
// and a name. Pages may differ in size.
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
    bool integers;  // samples are whole, and are stored as these
    bool rotated;   // rows of a page do not begin with the first one, which comes when the last was
    bool overwrite;
    bool reserved;  // no row is written: others fill the room that there is for all tiles
    bool unnamed;   // the path is that of a directory (wp_output_open_unnamed())
};

struct wp_tiles_output;
struct wp_output;

// Bytes that writing takes: of each page a row of tiles, or two where it is rotated.
size_t wp_tiles_memory(const struct wp_tiles_params *params);

// NULL after WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_tiles_output *wp_tiles_create(const char *path, const struct wp_tiles_params *params);
// The file under its name for now; and, of what is reserved and not compressed, where in it the
// first tile of a page begins. The others follow without gaps, the rows of tiles of a plane and then
// those of the next one, each as rows of float32 or int32 of this computer; 0 beyond the page.
struct wp_output *wp_tiles_file(const struct wp_tiles_output *output);
unsigned long long wp_tiles_first(const struct wp_tiles_output *output, int page);
// Row `y` of a plane of a page; each comes once, one below the one before. False after an error.
bool wp_tiles_write(struct wp_tiles_output *output, int page, int plane, int y, const float *row);
// All rows were written. The file appears, and right before it `*first` (output.h). False after
// WP_ERROR_FILE.
bool wp_tiles_commit(struct wp_tiles_output **output, struct wp_output **first);
void wp_tiles_discard(struct wp_tiles_output **output); // accepts NULL, clears the pointer

struct wp_tiles;

struct wp_tiles_counts {
    unsigned long long tiles; // decoded
    unsigned long long bytes; // read from the file, directories too
};

// Opens such a file, with tiles of any size. NULL after WP_ERROR_FILE.
struct wp_tiles *wp_tiles_open(const char *path);
void wp_tiles_close(struct wp_tiles **tiles); // accepts NULL, clears the pointer

int wp_tiles_pages(const struct wp_tiles *tiles);
const struct wp_tiles_page *wp_tiles_page(const struct wp_tiles *tiles, int page);
int wp_tiles_height(const struct wp_tiles *tiles, int page); // of its tiles
struct wp_tiles_counts wp_tiles_counts(const struct wp_tiles *tiles);

// The part of `width` times `height` samples at (x, y), which lies within the page: rows are `step`
// floats apart. No tile is read that has no sample of it. False after WP_ERROR_FILE or
// WP_ERROR_TOO_LARGE.
bool wp_tiles_read(struct wp_tiles *tiles, int page, int plane, int x, int y, int width,
                   int height, float *to, size_t step);

// False after WP_ERROR_FILE where the file is not what it was when it was opened.
bool wp_tiles_unchanged(const struct wp_tiles *tiles);

#endif
