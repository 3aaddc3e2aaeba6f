// Kernels of the CUDA backend, behind C. One call does one level of a transform.
#ifndef WP_CUDA_LEVEL_H
#define WP_CUDA_LEVEL_H

#include "bands.h"
#include "lifting.h"

#ifdef __cplusplus
extern "C" {
#endif

// A step of the lifting program in the form that goes to the device: with all steps of a wavelet as
// a kernel's argument, of which there may be 4 KiB.
struct wp_cuda_step {
    int count;
    short k[WP_MAX_TAPS];
    float c[WP_MAX_TAPS];
    float round; // of a reversible level: added before the result is rounded down
};

// A subband in device memory: element (x, y, z) is data[x*step_x + y*step_y + z*step_z].
struct wp_cuda_band {
    float *data;
    ptrdiff_t step_x, step_y, step_z;
};

// The texture object of an array in device memory: element 0 is texel `offset`.
struct wp_cuda_texture {
    unsigned long long object; // 0: none
    int offset;
};

enum { WP_CUDA_LEVELS_MAX = 31 };

// Quads in a surface of RGBA32F texels: quad (0, 0) is texel (x, y).
struct wp_cuda_quads {
    unsigned long long surface; // a cudaSurfaceObject_t; 0: none
    int x, y;
};

// A level whose samples (forward) or coefficients (inverse) lie in `from`, and the others in `to`;
// where one is none, they lie in the level's linear memory. `low` is another place for LL: forward
// it is written there, too; an inverse reads it there instead. May be NULL.
struct wp_cuda_shared {
    struct wp_cuda_quads from, to;
    float *low;
    int low_pitch;
};

// One level: samples in `plane` to bands (forward) or back. Kernels of images know width and height
// and the first four bands.
struct wp_cuda_level {
    bool inverse;
    bool reversible; // every step rounds, along y before x if it is forward
    enum wp_extension extension;
    int width, height, depth; // samples of the level
    unsigned axes;            // that it transforms, bit a for axis a: none of one sample
    // In the order in which they run. Forward every even step is a predict (its target is the
    // odd samples), inverse every odd one.
    int steps;
    struct wp_cuda_step step[WP_STEPS_MAX];
    int reach_low, reach_high; // pairs that the steps reach together, to both sides
    float *plane; // device memory, aligned to 16 bytes
    int pitch;    // floats from row to row, a multiple of 4
    ptrdiff_t slice; // from slice to slice, a multiple of 4
    struct wp_cuda_band band[WP_OCTET_BANDS]; // those that the level has
    float scale[WP_OCTET_BANDS]; // multiplied to the bands when they are written or read
    float *scratch;              // for methods that need one: of images, as large as `plane`
    struct wp_cuda_texture texture[WP_BAND_COUNT + 1]; // wp_cuda_make_textures()
    void *stream; // the cudaStream_t that all work on it goes into; NULL: the default one
};

// How many levels, from the first of `levels`, one launch of the fused kernel can do: 0 or 4.
// It takes wavelets of one pair whose steps stay inside their pair of samples, sizes that are
// multiples of 16 and bands in rectangles of their own.
int wp_cuda_fused_levels(const struct wp_cuda_level *levels, int count);

// Launches `count` levels, as told by wp_cuda_fused_levels(), at once. LL bands between them
// are neither written nor read.
int wp_cuda_fused_run(const struct wp_cuda_level *levels, int count);

// Whether this build has code for the current device. Returns a cudaError_t.
int wp_cuda_probe(void);

#ifdef __cplusplus
}
#endif

#endif
