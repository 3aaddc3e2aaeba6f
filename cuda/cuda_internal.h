// Declarations shared by the files with CUDA kernels.
#ifndef WP_CUDA_INTERNAL_H
#define WP_CUDA_INTERNAL_H

#include "cuda_level.h"

// The kernels of cuda_tile.cuh. A block of threads (for WP_CUDA_TILE_REGISTER a warp) computes a
// tile of a level.
enum wp_cuda_tile_kind {
    WP_CUDA_TILE_SMEM,
    WP_CUDA_TILE_REG,
    WP_CUDA_TILE_ILP,
    WP_CUDA_TILE_BLOCK,
    WP_CUDA_TILE_REGISTER,
};

struct wp_cuda_tile {
    enum wp_cuda_tile_kind kind;
    int warps; // per block, of 32 threads
    int rows;  // of samples per thread, in its pair of columns; BLOCK and REGISTER only
};

enum {
    WP_CUDA_ROWS_MAX = 16, // of BLOCK
    WP_CUDA_TAPS_MAX = 32  // pairs that a tile's kernels can read: the reach and the pair itself
};

// The wavelet shapes that kernels are compiled for (cuda_shape.cuh).
enum wp_cuda_shape {
    WP_CUDA_SHAPE_HAAR,
    WP_CUDA_SHAPE_53,
    WP_CUDA_SHAPE_97,
    WP_CUDA_SHAPE_137,
    WP_CUDA_SHAPES,
};

// How the passes of a convolution read lines (galiano2011, section 3; galiano2012).
enum wp_cuda_convolution {
    WP_CUDA_CONVOLVE_GLOBAL,  // each tap from global memory; a thread computes a pair of results
    WP_CUDA_CONVOLVE_SINGLE,  // each tap from global memory; a thread computes one result
    WP_CUDA_CONVOLVE_TEXTURE, // as GLOBAL, through texture objects
    WP_CUDA_CONVOLVE_LINE,    // a block loads one line into shared memory
    WP_CUDA_CONVOLVE_TILE,    // a block loads a tile and its halo into shared memory
};

// Result n is the sum over t of c[t] * x[2n + first + t], where x is interleaved.
enum { WP_CUDA_FILTER_MAX = 64, WP_CUDA_LINE_MAX = 16384 };
struct wp_cuda_filter {
    int first, count;
    float c[WP_CUDA_FILTER_MAX];
};

// Adds c * component `source` of the quad at offset (m, n) to component `destination`.
struct wp_cuda_term {
    float c;
    int m, n, source, destination;
};

// A pass between two barriers: statements on the thread's quad, the rows of the core matrix, and
// statements again. Members are ranges of a table of terms; row i of the core is core[i] up to, but
// not including, core[i + 1].
struct wp_cuda_pass {
    int before, before_count, after, after_count;
    int core[WP_BAND_COUNT + 1];
};

// A scheme in device memory. `low` and `high` are the reach of all passes in quads.
struct wp_cuda_scheme {
    int passes, low, high;
    const struct wp_cuda_pass *pass;
    const struct wp_cuda_term *term;
};

// One component of octets as an array. Octets outside `size` do not have this component.
struct wp_cuda_component {
    struct wp_cuda_band at;
    int size[WP_DIMS_MAX];
};

// Even slices and odd slices are in different surfaces: octet (0, 0, 0) is texel (at[0], at[1]) of
// surface at[2] of both.
struct wp_cuda_octets {
    const unsigned long long *surface[2]; // one per slice, in device memory
    int at[WP_DIMS_MAX], size[WP_DIMS_MAX];
    struct wp_cuda_component component[WP_OCTET_BANDS];
};

// An array of samples, and its low and high coefficients along z.
struct wp_cuda_column {
    int width, height;
    struct wp_cuda_band samples, band[2];
    float scale[2];
};

#ifdef __cplusplus
extern "C" {
#endif

// The distance between rows in floats: `width` rounded up to 32 floats, one 128-byte cache line.
int wp_cuda_pitch(int width);

// Computes the filters of the even and the odd results that are equivalent to the lifting steps of
// a level, without its scale, for an axis of `length` samples (the identity if it is 1). Returns
// false if a filter is too long.
bool wp_cuda_make_filters(const struct wp_cuda_level *level, int length,
                          struct wp_cuda_filter filter[2]);

// Each wp_cuda_*_run() function launches a level in its stream on the current device and returns a
// cudaError_t. Functions support only levels of images unless stated otherwise;
// wp_cuda_steps_run() supports all levels.
int wp_cuda_steps_run(const struct wp_cuda_level *level);
int wp_cuda_patches_run(const struct wp_cuda_level *level);
// True if wp_cuda_small_patches_run() supports a small level and is faster than `hybrid`.
bool wp_cuda_small_patches_support(const struct wp_cuda_level *level);
int wp_cuda_small_patches_run(const struct wp_cuda_level *level);
// Finds the shape with the fewest taps that covers the level's steps. Returns false if no shape
// does, or if an axis has one sample.
bool wp_cuda_find_shape(const struct wp_cuda_level *level, enum wp_cuda_shape *shape);
bool wp_cuda_patches_cover(const struct wp_cuda_level *level); // a shape covers the level
bool wp_cuda_patches_fit(const struct wp_cuda_level *level);   // and all its taps are used
// True if all bands can be accessed four elements at a time.
bool wp_cuda_level_is_wide(const struct wp_cuda_level *level);
int wp_cuda_small_run(const struct wp_cuda_level *level, const struct wp_cuda_tile *tile);
int wp_cuda_block_run(const struct wp_cuda_level *level, const struct wp_cuda_tile *tile);

// Runs `count` levels in the mixed-band layout, up to four per launch: forward from levels->plane
// to `in_place`, inverse from `in_place` to levels->plane. If `in_place` is NULL, coefficients are
// in the bands of the levels, and are permuted in levels->scratch. More than four levels also use
// levels->scratch.
int wp_cuda_mixed_run(const struct wp_cuda_level *levels, int count, float *in_place);
bool wp_cuda_mixed_covers(const struct wp_cuda_level *level);

// Supports volumes with WP_CUDA_CONVOLVE_SINGLE and _TILE. Forward levels of volumes need scratch
// memory for two arrays as large as `plane`.
int wp_cuda_convolve_run(const struct wp_cuda_level *level, enum wp_cuda_convolution kind);

// Sets level->texture for WP_CUDA_CONVOLVE_TEXTURE: textures of the level's input and its scratch
// memory. Call wp_cuda_destroy_textures() also after a failure.
int wp_cuda_make_textures(struct wp_cuda_level *level);
void wp_cuda_destroy_textures(struct wp_cuda_level *level);

int wp_cuda_scheme_run(const struct wp_cuda_level *level, const struct wp_cuda_scheme *scheme);

// Copies the wp_frame of a level (cuda_access.cuh), the argument of kernels compiled at run time.
enum { WP_CUDA_FRAME_BYTES = 256 };
void wp_cuda_set_frame(const struct wp_cuda_level *level, unsigned char frame[WP_CUDA_FRAME_BYTES]);

// Runs a level on surfaces. If it cannot run on them directly, `from` and `to` are copied through
// level->plane and level->scratch, whose rows are level->pitch apart.
int wp_cuda_shared_run(const struct wp_cuda_level *level, const struct wp_cuda_shared *shared);
bool wp_cuda_shared_is_direct(const struct wp_cuda_level *level,
                              const struct wp_cuda_shared *shared);

// Copies between strided arrays in device memory, in a cudaStream_t.
int wp_cuda_strided_copy_run(const struct wp_cuda_band *from, const struct wp_cuda_band *to,
                             const int size[WP_DIMS_MAX], void *stream);

// Copies device memory with a kernel. `bytes` must be a multiple of 16.
int wp_cuda_copy_run(const void *from, void *to, size_t bytes);

// Two RGBA32F surfaces of width x height quads. If *result is not NULL, it must be destroyed, also
// after a failure.
struct wp_cuda_surfaces;
int wp_cuda_surfaces_create(int width, int height, struct wp_cuda_surfaces **result);
void wp_cuda_surfaces_destroy(struct wp_cuda_surfaces *surfaces);
int wp_cuda_surfaces_copy(const struct wp_cuda_surfaces *surfaces); // from the first to the second
// The cudaArray_t of the first and of the second surface.
void wp_cuda_surfaces_arrays(const struct wp_cuda_surfaces *surfaces, void *array[2]);

// Copies from memory to the surfaces, setting missing components to 0, or back. At most 32767
// octets along z. Launched in a cudaStream_t on the current device; returns a cudaError_t.
int wp_cuda_octets_run(const struct wp_cuda_octets *octets, bool to_surfaces, void *stream);

// The size of a level along an axis; whether a band has an element; whether the level transforms
// all axes that have more than one sample.
int wp_cuda_level_size(const struct wp_cuda_level *level, int axis);
bool wp_cuda_level_has_band(const struct wp_cuda_level *level, int b);
bool wp_cuda_level_splits_all(const struct wp_cuda_level *level);

// The next functions run levels of volumes; cudaErrorInvalidValue for axes that are not supported.

// x and y of every slice. The bands LL to HH have all slices of the level.
int wp_cuda_slices_run(const struct wp_cuda_level *level);

// Only z, of each of `count` arrays (at most four) with the level's depth.
int wp_cuda_columns_run(const struct wp_cuda_level *level, const struct wp_cuda_column *column,
                        int count);

// Only z, of a level that has no other axis.
int wp_cuda_lines_run(const struct wp_cuda_level *level);

// x, y and z in one pass.
int wp_cuda_stream_z_run(const struct wp_cuda_level *level);
bool wp_cuda_stream_z_covers(const struct wp_cuda_level *level);

// The next functions run several levels of a volume in one launch.

// Haar, up to three levels; LLL bands between them are neither written nor read.
// wp_cuda_blocks_levels() returns how many of the `count` levels one launch computes, or 0.
int wp_cuda_blocks_run(const struct wp_cuda_level *levels, int count);
int wp_cuda_blocks_levels(const struct wp_cuda_level *levels, int count);
bool wp_cuda_blocks_cover(const struct wp_cuda_level *level); // true if its steps are Haar's

// All levels of a volume of few slices whose levels are only along z.
enum { WP_CUDA_TEMPORAL_MAX = 32 };
int wp_cuda_temporal_run(const struct wp_cuda_level *levels, int count);
bool wp_cuda_temporal_covers(const struct wp_cuda_level *levels, int count);

// Finds the array that has the bands of `count` levels in the mixed layout, except LLL of the last
// one if `apart` is set. Returns false if there is none, or rows are not aligned to four elements.
bool wp_cuda_find_interleaved(const struct wp_cuda_level *levels, int count,
                              struct wp_cuda_band *array, bool *apart);

// Copies between such an array and rectangles, which are the bands of `levels` from the second on.
enum { WP_CUDA_INTERLEAVE_MAX = 10 }; // maximum number of these levels
int wp_cuda_interleave_run(const struct wp_cuda_level *levels, int count,
                      const struct wp_cuda_band *array);

#ifdef __cplusplus
}
#endif

#endif
