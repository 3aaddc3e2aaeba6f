// What the files of kernels share.
#ifndef WP_CUDA_INTERNAL_H
#define WP_CUDA_INTERNAL_H

#include "cuda_level.h"

// A tile of a level that a block of threads (or, for WP_CUDA_TILE_REGISTER, a warp) takes.
enum wp_cuda_tile_kind {
    WP_CUDA_TILE_SMEM,     // every kernel of cuda_tile.cuh
    WP_CUDA_TILE_REG,
    WP_CUDA_TILE_ILP,
    WP_CUDA_TILE_BLOCK,
    WP_CUDA_TILE_REGISTER,
};

struct wp_cuda_tile {
    enum wp_cuda_tile_kind kind;
    int warps; // a block has 32 x warps threads
    int rows;  // of samples that a thread holds in its pair of columns: BLOCK, REGISTER
};

enum {
    WP_CUDA_ROWS_MAX = 16,  // BLOCK
    WP_CUDA_TAPS_MAX = 32 // pairs that a tile's kernels can look at: reach and the pair itself
};

// The shapes of wavelets that kernels are compiled for: those of the table (cuda_shape.cuh).
enum wp_cuda_shape {
    WP_CUDA_SHAPE_HAAR,
    WP_CUDA_SHAPE_53,
    WP_CUDA_SHAPE_97,
    WP_CUDA_SHAPE_137,
    WP_CUDA_SHAPES,
};

// How the passes of a convolution read their lines (galiano2011, section 3; galiano2012).
enum wp_cuda_convolution {
    WP_CUDA_CONVOLVE_GLOBAL,  // from global memory, tap by tap; a thread makes a pair of results
    WP_CUDA_CONVOLVE_SINGLE,  // the same, a thread makes one
    WP_CUDA_CONVOLVE_TEXTURE, // the same through texture objects
    WP_CUDA_CONVOLVE_LINE,    // a block has a whole line in shared memory
    WP_CUDA_CONVOLVE_TILE,    // a block has a tile with its halo in shared memory
};

// sum of c[t] * x[2n + first + t], of interleaved x
enum { WP_CUDA_FILTER_MAX = 64, WP_CUDA_LINE_MAX = 16384 };
struct wp_cuda_filter {
    int first, count;
    float c[WP_CUDA_FILTER_MAX];
};

// c times component `source` of the quad at (m, n) from here, added to component `destination`.
struct wp_cuda_term {
    float c;
    int m, n, source, destination;
};

// A pass between two barriers: statements on the own quad, the core's rows, statements again; all
// are ranges of a table of terms. Row i of the core is core[i] to core[i + 1].
struct wp_cuda_pass {
    int before, before_count, after, after_count;
    int core[WP_BAND_COUNT + 1];
};

// A scheme in device memory, and the quads that its passes reach together to both sides.
struct wp_cuda_scheme {
    int passes, low, high;
    const struct wp_cuda_pass *pass;
    const struct wp_cuda_term *term;
};

#ifdef __cplusplus
extern "C" {
#endif

int wp_cuda_pitch(int width); // rows begin at a multiple of 32 floats: whole 128-byte lines

// The filters of the even and the odd results along an axis of a level, without its scale: what
// its lifting steps amount to; for an axis of one sample, none. False where one is too long.
bool wp_cuda_make_filters(const struct wp_cuda_level *level, int length,
                          struct wp_cuda_filter filter[2]);

// Each launches a level in its stream, of the current device, and returns a cudaError_t. Levels are
// those of images but for the first, which takes any, and where it is said.
int wp_cuda_steps_run(const struct wp_cuda_level *level);
int wp_cuda_patches_run(const struct wp_cuda_level *level);
bool wp_cuda_small_patches_support(const struct wp_cuda_level *level); // faster than `hybrid` where small
int wp_cuda_small_patches_run(const struct wp_cuda_level *level);
// The shape (cuda_shape.cuh) with the fewest taps that has those of the level. False: none, or an axis
// of one sample.
bool wp_cuda_find_shape(const struct wp_cuda_level *level, enum wp_cuda_shape *shape);
bool wp_cuda_patches_cover(const struct wp_cuda_level *level); // there is a shape
bool wp_cuda_patches_fit(const struct wp_cuda_level *level);   // and it has no other taps
// Whether all bands can be accessed four elements at a time.
bool wp_cuda_level_is_wide(const struct wp_cuda_level *level);
int wp_cuda_small_run(const struct wp_cuda_level *level, const struct wp_cuda_tile *tile);
int wp_cuda_block_run(const struct wp_cuda_level *level, const struct wp_cuda_tile *tile);

// All `count` levels in the mixed-band layout, up to four a launch: forward from levels->plane
// to `in_place`, or back. NULL: to the bands of the levels, by a permutation of levels->scratch,
// which more than four levels need, too.
int wp_cuda_mixed_run(const struct wp_cuda_level *levels, int count, float *in_place);
bool wp_cuda_mixed_covers(const struct wp_cuda_level *level);

// Levels of volumes by WP_CUDA_CONVOLVE_SINGLE and _TILE. Forward ones have two arrays as large as
// `plane` in their scratch.
int wp_cuda_convolve_run(const struct wp_cuda_level *level, enum wp_cuda_convolution kind);

// Sets level->texture for WP_CUDA_CONVOLVE_TEXTURE: of what the level reads, and of its scratch.
// Destroy them even after a failure.
int wp_cuda_make_textures(struct wp_cuda_level *level);
void wp_cuda_destroy_textures(struct wp_cuda_level *level);

int wp_cuda_scheme_run(const struct wp_cuda_level *level, const struct wp_cuda_scheme *scheme);

// The wp_frame of a level (cuda_access.cuh), as an argument for kernels that are made at run time.
enum { WP_CUDA_FRAME_BYTES = 256 };
void wp_cuda_set_frame(const struct wp_cuda_level *level, unsigned char frame[WP_CUDA_FRAME_BYTES]);

// A level on surfaces. Where it cannot run on them directly, level->plane and level->scratch of
// level->pitch take what `from` and `to` hold.
int wp_cuda_shared_run(const struct wp_cuda_level *level, const struct wp_cuda_shared *shared);
// Of such as are direct: DD 13/7's shape, and backwards that of 9/7.
int wp_cuda_shared_patches_run(const struct wp_cuda_level *level,
                               const struct wp_cuda_shared *shared);
bool wp_cuda_shared_is_direct(const struct wp_cuda_level *level,
                              const struct wp_cuda_shared *shared);

// Copies between arrays of the device with any steps, in a cudaStream_t.
int wp_cuda_strided_copy_run(const struct wp_cuda_band *from, const struct wp_cuda_band *to,
                             const int size[WP_DIMS_MAX], void *stream);

// Copies by a kernel; whole multiples of 16 bytes.
int wp_cuda_copy_run(const void *from, void *to, size_t bytes);

// Two RGBA32F surfaces of width x height quads, and a copy from one to the other. *result must
// be destroyed even after a failure, where it is not NULL.
struct wp_cuda_surfaces;
int wp_cuda_surfaces_create(int width, int height, struct wp_cuda_surfaces **result);
void wp_cuda_surfaces_destroy(struct wp_cuda_surfaces *surfaces);
int wp_cuda_surfaces_copy(const struct wp_cuda_surfaces *surfaces);
// The cudaArray_t that is copied from, and the one that is copied to.
void wp_cuda_surfaces_arrays(const struct wp_cuda_surfaces *surfaces, void *array[2]);

#ifdef __cplusplus
}
#endif

#endif
