// Coefficients that are written and read in parts, so that memory need not hold them: rows of
// subbands in whatever order they are known, and any part of a subband.
//
// .tiff is a BigTIFF with a page of tiles for each subband, by its name: LL of the last level
// first, then HL, LH and HH of each level from the last one to the first; alpha is the last page.
// .npy is the array that wp_coefficients_write() writes, layout mallat. Beside both lies the
// description, with a hash that does not depend on the order: the sum, modulo 2^64, over all rows
// of all subbands, of the XXH3 of 64 bits of each, as float32 as it lies in memory, with the seed
// (page * 4 + plane) * 2^32 + row; pages are counted as above.
#ifndef WP_TILE_STORE_H
#define WP_TILE_STORE_H

#include "sidecar.h"

// Columns of a tile, a multiple of 16, if nobody asks for others, and the most; and the rows of
// those that have as many columns, or more. Rows of tiles of all subbands are held, and that is 12
// bytes a column of the image and row of a tile.
enum { WP_TILE_COLUMNS = 256, WP_TILE_COLUMNS_MAX = 4096, WP_TILE_ROWS = 64 };

// Whether a file of that name can be written so: a new or regular one, and .tiff or .npy.
bool wp_tile_store_can_write(const char *path);
bool wp_tile_store_is_tiff(const char *path);

// Bytes that writing takes.
size_t wp_tile_store_memory(const struct wp_sidecar *sidecar, const char *path);

struct wp_tile_store_output;

// The sidecar tells what there will be, and of .tiff the tiles. NULL after WP_ERROR_FILE or
// WP_ERROR_TOO_LARGE.
struct wp_tile_store_output *wp_tile_store_create(const char *path, const struct wp_sidecar *sidecar,
                                        bool overwrite);
// The same as tiles in a file without a name in a directory, and without a description: the file is
// there as long as somebody has a descriptor of it.
struct wp_tile_store_output *wp_tile_store_create_unnamed(const char *directory,
                                                const struct wp_sidecar *sidecar);
int wp_tile_store_descriptor(const struct wp_tile_store_output *output); // the output's own
// Row `row` of a plane of a subband, by its number (operand.h), or of alpha. Each comes once. Those
// of one plane come from the first to the last, or with periodic borders from any on, and then
// those before. False after WP_ERROR_FILE.
enum { WP_TILE_STORE_ALPHA = -1 };
bool wp_tile_store_write(struct wp_tile_store_output *output, int band, int plane, int row,
                    const float *samples);
int wp_tile_store_width(const struct wp_tile_store_output *output, int band); // of a row
// The file and its description appear, or none. False after WP_ERROR_FILE.
bool wp_tile_store_commit(struct wp_tile_store_output **output);
void wp_tile_store_discard(struct wp_tile_store_output **output); // accepts NULL, clears the pointer

// The same for several processes that write one file: this one, alone of all, has the output, and rows
// are written by any of them into the room that there is for them (preallocate.h). Not compressed. The
// hash is the sum of all rows', modulo 2^64.
struct wp_preallocated;
struct wp_tile_store_output *wp_tile_store_create_preallocated(const char *path, const struct wp_sidecar *sidecar,
                                             bool overwrite, struct wp_preallocated *space);
enum { WP_TILE_STORE_FILES = 2 };
const char *wp_tile_store_temporary(const struct wp_tile_store_output *output, int file); // its name for now
void wp_tile_store_set_hash(struct wp_tile_store_output *output, unsigned long long hash);

// The same from memory, layout mallat, all at once.
bool wp_tile_store_write_image(const struct wp_image *coefficients, const struct wp_sidecar *sidecar,
                          const char *path, bool overwrite);
// The hash of what such an image, of layout mallat, would be written as.
unsigned long long wp_tile_store_hash(const struct wp_image *coefficients,
                                 const struct wp_sidecar *sidecar);

struct wp_tile_store;

struct wp_tile_store_counts {
    unsigned long long tiles, bytes; // decoded; read from the file. 0 where they are not counted
};

// What was described so: tiles, or an array of layout mallat that is not compressed. Another one is
// no error: `*parts` is NULL then and `*why` says why. False after WP_ERROR_FILE.
bool wp_tile_store_open(const char *path, const struct wp_sidecar *sidecar, struct wp_tile_store **store,
                   const char **why);
void wp_tile_store_close(struct wp_tile_store **store); // accepts NULL, clears the pointer

// Bytes that reading rows takes.
size_t wp_tile_store_held(const struct wp_tile_store *store);

// A row, as wp_tile_store_write() has it; those of one plane in about that order, or tiles are read
// again and again. False after an error.
bool wp_tile_store_read(struct wp_tile_store *store, int band, int plane, int row, float *samples);
// Row `y` of the array of layout mallat, planes and then alpha one behind the other; from the first
// to the last. False after an error.
bool wp_tile_store_read_line(struct wp_tile_store *store, int y, float *samples);
// The part of `width` times `height` samples at (x, y), rows `step` floats apart. False after an
// error.
bool wp_tile_store_read_rectangle(struct wp_tile_store *store, int band, int plane, int x, int y, int width,
                        int height, float *to, size_t step);
// False after WP_ERROR_FILE where the file is not what it was when it was opened.
bool wp_tile_store_unchanged(const struct wp_tile_store *store);
// What wp_read_params.facts gets.
void wp_tile_store_get_facts(const struct wp_tile_store *store, struct wp_file_facts *facts);
struct wp_tile_store_counts wp_tile_store_counts(const struct wp_tile_store *store);

// When all rows were read once by wp_tile_store_read(): whether they are those that were described,
// unless `changed`, and the file is what it was. False after WP_ERROR_FILE.
bool wp_tile_store_check(struct wp_tile_store *store, bool changed);
// The hash of those that were read so far, and the same for several processes that have read them all
// together: the sum is theirs, modulo 2^64.
unsigned long long wp_tile_store_read_hash(const struct wp_tile_store *store);
bool wp_tile_store_check_hash(struct wp_tile_store *store, unsigned long long sum, bool changed);

// All of a file in tiles; `facts` may be NULL. NULL after an error.
struct wp_image *wp_tile_store_read_image(const char *path, const struct wp_sidecar *sidecar,
                                     struct wp_file_facts *facts);

#endif
