// Coefficients that are written and read in parts, for images larger than memory: rows of subbands
// in any order between subbands, and rectangles of a subband.
//
// A .tiff is a BigTIFF with one page of tiles per subband, named after it: LL of the last level,
// then HL, LH and HH of each level from the last to the first, then alpha. A .npy is the array that
// wp_coefficients_write() writes, in the Mallat layout. Both have a metadata file with a hash that
// does not depend on the order: the sum, modulo 2^64, of the 64-bit XXH3 of every row of all
// subbands, as float32 in the host's byte order, with the seed (page * 4 + plane) * 2^32 + row;
// pages are numbered as above.
#ifndef WP_TILE_STORE_H
#define WP_TILE_STORE_H

#include "sidecar.h"
#include "tiff_tiles.h"

struct wp_tile_store_output;
struct wp_tile_store;

// Columns of a tile, a multiple of 16: default and maximum; and the maximum number of its rows.
// Rows of tiles of all subbands are buffered: 12 bytes per column of the image and row of a tile.
enum { WP_TILE_COLUMNS = 256, WP_TILE_COLUMNS_MAX = 4096, WP_TILE_ROWS = 64 };

// True if the file can be written in parts: .tiff or .npy, new or a regular file.
bool wp_tile_store_can_write(const char *path);
bool wp_tile_store_is_tiff(const char *path);

// Memory for writing, in bytes.
size_t wp_tile_store_memory(const struct wp_sidecar *sidecar, const char *path);

// Opens an output. The sidecar has the shape and, for .tiff, the tile size. NULL after
// WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_tile_store_output *wp_tile_store_create(const char *path,
                                                  const struct wp_sidecar *sidecar, bool overwrite);
// Opens an unnamed file of tiles in a directory, without metadata; it exists as long as a
// descriptor of it is open.
struct wp_tile_store_output *wp_tile_store_create_unnamed(const char *directory,
                                                          const struct wp_sidecar *sidecar);
int wp_tile_store_descriptor(const struct wp_tile_store_output *output); // owned by the output
// Writes row `row` of a plane of a subband, by its number (operand.h), or of alpha; each once. Rows
// of a plane must be in order; with periodic borders they may begin at any row and wrap around.
// False after WP_ERROR_FILE.
enum { WP_TILE_STORE_ALPHA = -1 };
bool wp_tile_store_write(struct wp_tile_store_output *output, int band, int plane, int row,
                         const float *samples);
int wp_tile_store_width(const struct wp_tile_store_output *output, int band); // of a row
// Commits the file and its metadata, both or none. False after WP_ERROR_FILE.
bool wp_tile_store_commit(struct wp_tile_store_output **output);
// accepts NULL, clears the pointer
void wp_tile_store_discard(struct wp_tile_store_output **output);

// Opens an output that several processes write: only one has the output, and all write rows to the
// preallocated space (below). It is not compressed. Before the commit, set the hash to the
// sum of the hashes of all rows, modulo 2^64.
struct wp_preallocated;
struct wp_tile_store_output *wp_tile_store_create_preallocated(const char *path,
                                                               const struct wp_sidecar *sidecar,
                                                               bool overwrite,
                                                               struct wp_preallocated *space);
enum { WP_TILE_STORE_FILES = 2 };
// The temporary name of the file (0) or of its metadata (1).
const char *wp_tile_store_temporary(const struct wp_tile_store_output *output, int file);
void wp_tile_store_set_hash(struct wp_tile_store_output *output, unsigned long long hash);

// Writes coefficients in the Mallat layout from memory.
bool wp_tile_store_write_image(const struct wp_image *coefficients,
                               const struct wp_sidecar *sidecar, const char *path, bool overwrite);
// The hash of coefficients in the Mallat layout, as wp_tile_store_write_image() would store it.
unsigned long long wp_tile_store_hash(const struct wp_image *coefficients,
                                      const struct wp_sidecar *sidecar);

struct wp_tile_store_counts {
    unsigned long long tiles, bytes; // decoded; read from the file. 0 for arrays
};

// Opens tiles, or an uncompressed array in the Mallat layout. For other files `*store` is NULL and
// `*why` is the reason. False after WP_ERROR_FILE.
bool wp_tile_store_open(const char *path, const struct wp_sidecar *sidecar,
                        struct wp_tile_store **store, const char **why);
void wp_tile_store_close(struct wp_tile_store **store); // accepts NULL, clears the pointer

// Memory for reading by rows, in bytes.
size_t wp_tile_store_read_memory(const struct wp_tile_store *store);

// Reads a row, as wp_tile_store_write() has it. Rows of a plane should be read in order, since only
// one row of tiles is cached. False after an error.
bool wp_tile_store_read(struct wp_tile_store *store, int band, int plane, int row, float *samples);
// Reads row `y` of the array in the Mallat layout, plane by plane, alpha last. Rows should be read
// in order. False after an error.
bool wp_tile_store_read_line(struct wp_tile_store *store, int y, float *samples);
// Reads `width` times `height` samples at (x, y) of a plane to rows that are `step` floats apart.
// False after an error.
bool wp_tile_store_read_rectangle(struct wp_tile_store *store, int band, int plane, int x, int y,
                                  int width, int height, float *to, size_t step);
// False after WP_ERROR_FILE if the file was changed since it was opened.
bool wp_tile_store_unchanged(const struct wp_tile_store *store);
// Gets the file's properties as for wp_read_params.facts.
void wp_tile_store_get_facts(const struct wp_tile_store *store, struct wp_file_facts *facts);
struct wp_tile_store_counts wp_tile_store_counts(const struct wp_tile_store *store);

// Call it after reading every row once with wp_tile_store_read(): checks that the file was not
// changed and, unless `changed`, that the hash matches the metadata. False after WP_ERROR_FILE.
bool wp_tile_store_check(struct wp_tile_store *store, bool changed);
// The hash of the rows read so far; and wp_tile_store_check() with the sum of the hashes of several
// processes that have read all rows, modulo 2^64.
unsigned long long wp_tile_store_read_hash(const struct wp_tile_store *store);
bool wp_tile_store_check_hash(struct wp_tile_store *store, unsigned long long sum, bool changed);

// Reads a file of tiles to memory. `facts` may be NULL. NULL after an error.
struct wp_image *wp_tile_store_read_image(const char *path, const struct wp_sidecar *sidecar,
                                          struct wp_file_facts *facts);

// ---- subbands that several processes write to one file: the location of their rows in
// preallocated space, and writing them ----

// Sent to the other processes, which have the same description; it has no pointers.
struct wp_preallocated {
    int tile[2];                              // columns and rows of a tile; 0: an array
    unsigned long long first[WP_TILES_PAGES]; // byte offset of the array, or of each page's tiles
};

// Access to the file. Only arrays with alpha are read.
struct wp_tile_store_file {
    void *state; // private data of the functions
    bool (*write)(void *state, unsigned long long at, const void *bytes, size_t count);
    bool (*read)(void *state, unsigned long long at, void *bytes, size_t count);
};

// Writes rows first..first+rows-1 of a subband, or of alpha, from consecutive planes, and adds
// their hashes to `*hash`. Alpha of an array must be written after all processes have written all
// rows of all subbands, since it is interleaved with them. False after an error.
bool wp_preallocated_write(const struct wp_preallocated *space, const struct wp_sidecar *sidecar,
                           int band, int first, int rows, const float *samples,
                           const struct wp_tile_store_file *file, unsigned long long *hash);

// ---- shared by the reader and the writer ----

// The pages of a file: subbands that have samples, and alpha.
struct wp_tile_store_list {
    int bands; // subbands of the transform
    int count;
    int number[WP_TILES_PAGES];           // page of each subband, or -1
    struct wp_tiles_page page[WP_TILES_PAGES];
    struct wp_band_grid grid[WP_TILES_PAGES]; // position of a page's samples in an array
};

struct wp_tile_store_list wp_tile_store_list(const struct wp_sidecar *sidecar);

// The size of an array along x or y: that of the image, or of all bands of a redundant bank.
int wp_tile_store_extent(const struct wp_sidecar *sidecar, int axis);

// The page of a subband or of WP_TILE_STORE_ALPHA.
int wp_tile_store_page(const struct wp_tile_store_list *list, int band);

// The hash of a row, which is added to the sum.
unsigned long long wp_tile_store_row_hash(const struct wp_tile_store_list *list, int page,
                                          int plane, int row, const float *samples);

// ---- a rectangle of an image, at full size or at the size of a level, from only the coefficients
// that it depends on (region.c) ----

// A rectangle in samples of the low-pass image at `level`: 0 is the image, 1 half its size (LL1).
struct wp_region {
    int level, x, y, width, height;
};

// False after WP_ERROR_USAGE if the level does not exist or the region is not inside it.
bool wp_region_check(const struct wp_sidecar *sidecar, const struct wp_region *region);

// Reconstructs a region, bit-identical to the inverse transform on the backend "cpu". Levels above
// 0 have the gain of the normalization; alpha exists only at level 0. `params` has wavelet, border,
// norm and reversible. Memory, time and bytes read are proportional to the region. NULL after an
// error.
struct wp_image *wp_region_read(struct wp_tile_store *store, const struct wp_sidecar *sidecar,
                                const struct wp_transform_params *params,
                                const struct wp_region *region);

#endif
