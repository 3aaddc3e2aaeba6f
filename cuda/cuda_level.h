// C interface of the CUDA kernels: one level of a transform, and its memory.
#ifndef WP_CUDA_LEVEL_H
#define WP_CUDA_LEVEL_H

#include "bands.h"
#include "lifting.h"

#ifdef __cplusplus
extern "C" {
#endif

// A lifting step in the form of a kernel argument. All arguments of a kernel are at most 4 KiB.
struct wp_cuda_step {
    int count;
    short k[WP_MAX_TAPS];
    float c[WP_MAX_TAPS];
    float round; // of reversible levels: added before the result is rounded down
};

// A subband in device memory: element (x, y, z) is data[x*step_x + y*step_y + z*step_z].
struct wp_cuda_band {
    float *data;
    ptrdiff_t step_x, step_y, step_z;
};

// The texture object of an array in device memory: element 0 is texel `offset`.
struct wp_cuda_texture {
    unsigned long long object; // 0: no texture
    int offset;
};

enum { WP_CUDA_LEVELS_MAX = 31 };

// Quads in a surface of RGBA32F texels: quad (0, 0) is texel (x, y).
struct wp_cuda_quads {
    unsigned long long surface; // a cudaSurfaceObject_t; 0: no surface
    int x, y;
};

// A level on textures that are shared with OpenGL: its input is in `from`, its output in `to`. An
// operand without a surface is in the level's linear memory. If `low` is not NULL, a forward level
// also writes LL there, and an inverse level reads LL there.
struct wp_cuda_shared {
    struct wp_cuda_quads from, to;
    float *low;
    int low_pitch;
};

// One level: from samples in `plane` to bands (forward) or back. Kernels for images use only width,
// height and the first four bands.
struct wp_cuda_level {
    bool inverse;
    bool reversible; // each step rounds; forward along y before x
    enum wp_extension extension;
    int width, height, depth; // samples of the level
    unsigned axes;            // bit a: axis a is transformed; it has more than one sample
    // In order of execution. Forward, even steps are predict steps, whose targets are the odd
    // samples; inverse, odd steps are.
    int steps;
    struct wp_cuda_step step[WP_STEPS_MAX];
    int reach_low, reach_high; // total reach of the steps in pairs, to lower and higher indices
    float *plane; // device memory, aligned to 16 bytes
    int pitch;    // floats from row to row, a multiple of 4
    ptrdiff_t column; // from column to column; not 1 only for methods that borrow any strides
    ptrdiff_t slice; // from slice to slice, a multiple of 4
    struct wp_cuda_band band[WP_OCTET_BANDS]; // only those that the level has are set
    float scale[WP_OCTET_BANDS]; // factor of each band, applied when it is written or read
    float *scratch;              // if the method needs it; for images as large as `plane`
    struct wp_cuda_texture texture[WP_BAND_COUNT + 1]; // wp_cuda_make_textures()
    void *stream; // the cudaStream_t of all launches; NULL: the default stream
};

// The number of levels, from the first of `levels`, that one launch of the fused kernel computes: 0
// or 4. It supports wavelets of one pair of steps that stay inside their pair of samples (Haar),
// sizes that are multiples of 16, and bands in rectangles.
int wp_cuda_fused_levels(const struct wp_cuda_level *levels, int count);

// Launches `count` levels, the result of wp_cuda_fused_levels(). LL bands between them are neither
// written nor read.
int wp_cuda_fused_run(const struct wp_cuda_level *levels, int count);

// Checks that this build has code for the current device. Returns a cudaError_t.
int wp_cuda_probe(void);

#ifdef __cplusplus
}
#endif

#endif
