// wavepass: two-dimensional discrete wavelet transforms as render passes.
//
// The public interface of libwavepass. A transform is made once for a size and a set of
// options and then run on any number of planes:
//
//     const struct wp_transform_params params = WP_TRANSFORM_PARAMS(.width = 640, .height = 480);
//     struct wp_transform *t = wp_transform_create(&params);
//     if (t && wp_transform_forward(t, image, coefficients))
//         ...
//     wp_transform_destroy(&t);
//
// Everything that is zero in the parameters takes its default. Functions that fail return
// NULL or false after one message to a handler; wavepass_log.h tells how to set it, how to get the
// text afterwards, and which kinds of failure there are. Memory that runs out is one: nothing ends
// the process, nothing is left behind, and a transform whose run failed can run again.
//
// Threads. Any thread may create, use or destroy a transform, and different threads may use different
// transforms at the same time. A function that is called while another thread uses the same transform
// fails with WP_ERROR_USAGE, and wp_transform_destroy() then destroys nothing.
//
// OpenGL contexts. A transform on OpenGL creates its own context. Each function makes that context
// current, and before it returns makes the context current that was current when it was called: one of
// EGL, or none. EGL does not make a context current in a thread where a context of GLX is current.
//
// With `current_context` a transform runs in the caller's context instead (OpenGL 3.3 core or later).
// That context must be current in every call for this transform, wp_transform_destroy() included,
// without an active timer query, transform feedback or conditional rendering. Its state is restored;
// pending errors are lost.
#ifndef WAVEPASS_H
#define WAVEPASS_H

#include "wavepass_log.h"
#include "wavepass_view.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The build reads the version here.
#define WAVEPASS_VERSION "0.1.0"
#define WAVEPASS_VERSION_MAJOR 0
#define WAVEPASS_VERSION_MINOR 1
#define WAVEPASS_VERSION_PATCH 0

// That of the library that runs, for programs that were built with another one.
WP_API const char *wp_version(void);

enum { WP_LEVELS_MOST = -1, WP_LEVELS_NONE = -2 };

// A lifting step: its target, odd samples in the first, third, … step and even ones in the others,
// gets target[n] += the sum of tap[t] * other[n + first + t] added.
struct wp_step_data {
    int first, count; // first at least -64, first + count at most 65, up to 16 taps that are not 0
    const double *tap;
};

// A wavelet as data. Everything is copied.
struct wp_wavelet_data {
    const char *name; // NULL: "custom"; letters, digits and "._+-"
    int steps;        // 1..24: predict, update, predict, …
    const struct wp_step_data *step;
    double zeta;      // low / zeta and high * zeta give a low-pass gain of 1 at DC; 0: 1
};

struct wp_transform_params {
    size_t struct_size;  // sizeof(struct wp_transform_params), so that it can grow
    int width, height;   // of the planes, in pixels; at least 1
    int planes;          // that each call transforms, 3 of an RGB image; 0: one
    const char *wavelet; // a name ("cdf97", the default) or the path of a wavelet file
    const char *scheme;  // "nonsep-polyconvolution" (default), "sep-lifting", …; of a volume
                         // "planar-polyconvolution" (default), too, and others of that kind
    bool plain;          // without the optimisation of Barina et al. 2017, section 5
    const char *border;  // "symmetric" (default), "periodic"
    const char *norm;    // "jpeg2000" (default), "orthonormal", "none"
    const char *layout;  // "mallat" (default), "mixed"
    const char *precision; // "f32" (default), "f16": what samples are kept in; f16 has 11 bits and
                           // up to 65504, and only the backend "fragment" can
    const char *backend; // "fragment", "compute", "cuda", "cuda-gl", "cpu", "reference", or "auto"
                         // (default): the first that works; where OpenGL is software "cpu", unless
                         // a scheme, a variant or f16 is named
    const char *variant; // one of the backend's ways to compute; its own choice by default
    int device;          // 0: any; else 1 + the number that `wavepass info` shows
    int levels;          // 0: 3 or as many as fit, at least 1; WP_LEVELS_MOST: as many as fit, at
                         // least 1; else exactly so many; for a volume also WP_LEVELS_NONE
    int threads;         // that share the work of the backend "cpu"; 0: one a processor
    const struct wp_wavelet_data *wavelet_data; // in place of `wavelet`
    int depth;           // slices of a volume; 0: 1, an image
    int levels_z;        // of a volume's third axis; 0: as `levels` (3 if the plane has none), or as
                         // many as fit there; WP_LEVELS_MOST; WP_LEVELS_NONE; else exactly so many
    int gop;             // slices that are a volume by themselves, with borders of their own along
                         // z; the last ones may be fewer; 0: all together
    bool current_context; // in the OpenGL context that is current, and not in one of its own; see
                          // wp_memory.texture
    const char *decomposition; // of a volume: "dyadic" (default), or "spatial-temporal", all levels
                         // of each slice and then those of the third axis: t+2D
    // Of an image: every lifting step rounds, so that integers become integers and come back exactly,
    // in the order and by the rule of JPEG 2000 part 1, Annex F, where the wavelet is "cdf53" (the
    // default then). Others are those whose taps are whole numbers over a power of two and that are
    // not scaled, such as "haar", "dd137". The scheme is "sep-lifting".
    bool reversible;
};

// With the members that are named: WP_TRANSFORM_PARAMS(.width = 640, .height = 480). In C, and in
// C++ from C++20 on.
#define WP_TRANSFORM_PARAMS(...) \
    {.struct_size = sizeof(struct wp_transform_params), __VA_ARGS__}

// What a transform turned out to be. Strings live as long as the transform.
struct wp_transform_info {
    const char *name;    // "cdf97/nonsep-polyconvolution/optimized"
    const char *note;    // NULL, or what a reader should know of this combination
    int levels, levels_z;        // in the plane; of a volume's third axis
    int steps;                   // passes of a level
    double operations, fetches;  // of one level and quad, of a volume octet: multiply-adds, reads.
                                 // Of the scheme before a run, then of the variant that was taken
    const char *backend; // "fragment"
    const char *variant; // "hybrid"; NULL where the backend has one way only, or before a run
    const char *device;  // "NVIDIA H200"
    bool software;       // a GPU interface without a GPU behind it
    const char *reason;  // `auto`: why backends before this one were passed over, or ""
    int planes_at_once;  // by the latest run: how many went through every draw or dispatch, all
                         // or one after the other; 0 before the first
    double seconds;      // of the latest run, all planes, without transfers; 0 before the first,
                         // and for one on memory of a CUDA device, which is not waited for
    double load_seconds, store_seconds; // its transfers to the device and back, with what samples
                         // are taken apart and put together for; 0 where there are none
    double largest;      // of a reversible one: samples may be whole numbers from minus this to
                         // this, so that every step is exact in floats; else 0
};

struct wp_transform;

// NULL where the struct is of a later version, a name, a size or the number of levels is wrong, no
// level fits the size, a wavelet file cannot be read, the backend is not available, or memory is short.
WP_API struct wp_transform *wp_transform_create(const struct wp_transform_params *params);
// Sets the pointer to NULL; accepts NULL. Every other function reports WP_ERROR_USAGE for a transform
// that is NULL.
WP_API void wp_transform_destroy(struct wp_transform **transform);

// The result is valid until the next call for this transform. NULL for NULL.
WP_API const struct wp_transform_info *wp_transform_get_info(struct wp_transform *transform);

// Planes are width*height floats, row 0 at the top, without padding between rows, of a volume as
// many slices one behind the other; where the parameters say that there are several planes, these
// too. Input and output may be the same memory. Errors of float32 stay below 1e-5 for data in 0..1
// and norm jpeg2000.
WP_API bool wp_transform_forward(struct wp_transform *transform, const float *planes,
                                 float *coefficients);
WP_API bool wp_transform_inverse(struct wp_transform *transform, const float *coefficients,
                                 float *planes);

// Bands: LL of the last level first, then HL, LH and HH of each level from the last one to the
// first; without levels one, the image. Of a volume LLL first, then HLL, LHL, HHL, LLH, HLH, LHH
// and HHH, with a letter for each of x, y and z, as far as the axes have that level. Of a volume whose
// decomposition is spatial-temporal all bands of the plane for the low band of the third axis,
// "LL.L", "HL.L", …, then for its high bands from the last level to the first, "LL.H", "HL.H", …
struct wp_band_info {
    const char *name;  // "HL": high-pass along x
    int level;         // 1 is the finest
    int width, height; // in samples; either can be 0
    int depth;         // likewise; 1 of an image; of one group of slices
    int level_z;       // that along the third axis, which spatial-temporal ones have for themselves
    // Where the band lies in the array of coefficients of the parameters' layout, without gaps, plane 0,
    // in floats: sample (x, y, z) at offset + x * step[0] + y * step[1] + z * step[2].
    ptrdiff_t offset, step[3];
};

WP_API int wp_transform_band_count(const struct wp_transform *transform);
// False after WP_ERROR_USAGE where there is no such band.
WP_API bool wp_transform_get_band(const struct wp_transform *transform, int index,
                                  struct wp_band_info *info);

// Where one side of a transform lies in a caller's memory: an image, or its coefficients in the
// layout of the parameters; or each band at a place of its own (layout "mallat" alone).
struct wp_memory {
    // Distances that are zero are those of an array without gaps: 1, the width, width * height, and
    // that times the depth.
    struct wp_view array;
    const struct wp_view *band; // NULL, or wp_transform_band_count() of them in their order; those
                                // of no samples are not looked at; neither of slices in groups
                                // nor of a spatial-temporal decomposition
    int bands;                  // how many that are
    // In place of these the GL name of a 2-D texture, of a transform with `current_context`. Its
    // first level holds the array, plane p in channel p: row y of the array is row y of texels,
    // from texel (0, 0) on. What is read may have channels of any real numbers, what is written of
    // floats that can be drawn on (GL_R32F, GL_RGBA16F, …), or in an image of integers (GL_R8,
    // GL_RGBA8, GL_R16, …). Channels of 8 or 16 bits, of floats or of integers that are not sRGB,
    // hold what struct wp_pixels of their type do (wavepass_view.h), to the last bit. Texels and
    // channels beyond stay.
    unsigned texture;
    // Likewise the GL name of a buffer, on both sides the same, of a transform with
    // `current_context` by the backend "compute", which works where it lies and is not waited for:
    // see wp_transform_get_buffer_layout(). `array.plane` may be what planes are apart there.
    unsigned buffer;
    bool cuda; // the pointers are to memory of the CUDA device that the transform runs on
};

// As forward() and inverse(), on memory where it lies. What comes out of a plane may lie where that
// was which goes in, in part or as a whole, but not where a later plane goes in; and no two floats
// may come out at one place. The backend "cpu" reads and writes it without a copy where samples of
// a row lie side by side and the two sides share no memory, and a tenth faster where large arrays
// are in huge pages (on Linux aligned to 2 MiB, madvise(MADV_HUGEPAGE)); others copy it to their
// device and back.
//
// Memory of a CUDA device, on both sides, is for the backend "cuda". A call puts its work into the
// transform's stream and returns: what goes in must be there in the order of that stream, and so is
// what comes out. Memory must live until the stream is past it; what fails later than the call does
// so in the caller's own calls of CUDA; info.seconds is 0. A transform keeps memory of its own
// between levels, so its calls run one after the other, in whatever streams, and not in one that is
// being captured. The first call, and each in the other direction than the one before, makes that
// memory; the latter waits for the one before, so that who goes back and forth wants two transforms.
//
// Kernels read and write where pointers are multiples of 16 bytes, samples of a row lie side by
// side, rows a multiple of 4 floats apart, and the two sides share no memory; coefficients of the
// layout "mixed" however they lie. Else samples are copied on the device, band by band, and always
// for the variants gmem, mixed-band and conv-*. WP_ERROR_USAGE where a pointer is not to memory of
// the device, from cudaMalloc() or cudaMallocManaged() and the like.
WP_API bool wp_transform_forward_at(struct wp_transform *transform, const struct wp_memory *image,
                                    const struct wp_memory *coefficients);
WP_API bool wp_transform_inverse_at(struct wp_transform *transform,
                                    const struct wp_memory *coefficients,
                                    const struct wp_memory *image);

// As these two, of an image whose samples are what a file or a camera has (wavepass_view.h), with
// the coefficients and the samples that come of scaling it to floats first, bit by bit. The two
// share no memory, and coefficients are in the host's. The backend "cpu" converts rows as it reads
// or writes them, of images, and "fragment" and "compute" on the GPU, to which the samples go as they
// are; others have the image as floats in between.
// WP_ERROR_USAGE where a type or a maximum makes no sense, or `data` is no multiple of its size.
WP_API bool wp_transform_forward_pixels(struct wp_transform *transform,
                                        const struct wp_pixels *image,
                                        const struct wp_memory *coefficients);
WP_API bool wp_transform_inverse_pixels(struct wp_transform *transform,
                                        const struct wp_memory *coefficients,
                                        const struct wp_pixels *image);

// As these, with coefficients in one array of the parameters' layout that are floats or binary16,
// half of the memory: each is the nearest to the float that the others have, ties to even, and
// infinite from 65520 on; docs/library.md tells of the errors. The backend "cpu" rounds rows of images
// as they leave; others, and volumes, have all coefficients as floats in between. WP_ERROR_USAGE for other types of coefficients, and for halves
// of a reversible transform.
WP_API bool wp_transform_forward_elements(struct wp_transform *transform,
                                          const struct wp_pixels *image,
                                          const struct wp_pixels *coefficients);
WP_API bool wp_transform_inverse_elements(struct wp_transform *transform,
                                          const struct wp_pixels *coefficients,
                                          const struct wp_pixels *image);

// How the backend "compute" wants a caller's buffer: samples and coefficients each at a place, as
// it has them itself. What comes out of one direction is where the other one expects it. Of two
// transforms of the same size and levels that differ in the wavelet alone places are the same; the
// planes of a buffer of both are as far apart as the larger `plane` says.
struct wp_buffer_place {
    size_t first;      // float of the first sample of plane 0
    ptrdiff_t step[3]; // along x, y, z
};
struct wp_buffer_layout {
    size_t plane;                 // floats of one, and from one plane to the next at least; a
                                  // multiple of 64, as what is chosen in its place has to be
    struct wp_buffer_place image; // each plane begins with it
    size_t coefficients, end;     // of a plane: where they begin; all floats up to that are theirs
};
// `bands` gets wp_transform_band_count() places, or is NULL. Makes the transform ready for one of
// the directions, as its first run would. False after WP_ERROR_USAGE where a transform cannot work on
// buffers, or what a run may fail with.
WP_API bool wp_transform_get_buffer_layout(struct wp_transform *transform, bool inverse,
                                           struct wp_buffer_layout *layout,
                                           struct wp_buffer_place *bands);

// The cudaStream_t, of the device that the transform runs on, into which calls on memory of a CUDA
// device put their work from now on; NULL, as at first, for the default stream. It is kept, and
// must live while such calls are made. False after WP_ERROR_USAGE where the backend is not "cuda".
WP_API bool wp_transform_set_stream(struct wp_transform *transform, void *stream);

// Gives back the memory for planes; the next run takes it anew. What was compiled stays. This, like
// wp_transform_destroy(), waits for what still runs in a stream.
WP_API void wp_transform_rest(struct wp_transform *transform);

#ifdef __cplusplus
}
#endif

#endif
