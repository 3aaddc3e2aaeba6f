/// @file
/// Discrete wavelet transforms of images and volumes: the main header of libwavepass.
///
/// A transform is created for a size and a set of parameters, and then run on any number of images:
///
///     const struct wp_transform_params params = WP_TRANSFORM_PARAMS(.width = 640, .height = 480);
///     struct wp_transform *t = wp_transform_create(&params);
///     if (t && wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(coefficients)))
///         ...
///     wp_transform_destroy(&t);
///
/// **Errors.** A function that fails returns NULL, false or 0 after one message to the log handler.
/// wavepass_log.h describes the handler, the kinds of errors and how to get the text. A failed call
/// leaves nothing behind; after it, also if memory was exhausted, the transform can be used again.
///
/// **Threads.** Any thread may create, use or destroy a transform, and different threads may use
/// different transforms at the same time. A function that is called while another thread uses the
/// same transform fails with WP_ERROR_USAGE, and wp_transform_destroy() then destroys nothing;
/// wp_transform_band_count() and wp_transform_get_band() may be called at any time.
///
/// **OpenGL contexts.** A transform on OpenGL creates its own context. Each function makes that
/// context current, and before it returns makes the context current that was current when it was
/// called: one of EGL, or none. EGL does not make a context current in a thread where a context of
/// GLX is current.
///
/// With wp_transform_params.current_context a transform runs in the caller's context instead
/// (OpenGL 3.3 core or later). That context must be current in every call for this transform,
/// wp_transform_destroy() included, without an active timer query, transform feedback or
/// conditional rendering. Its state is restored; pending errors are lost.
///
/// **Data.** Samples and coefficients are operands (wavepass_operand.h): arrays of any strides and
/// element types in the host's or a CUDA device's memory, textures or buffers. Row 0 is the top
/// row.
#ifndef WAVEPASS_H
#define WAVEPASS_H

#include "wavepass_log.h"
#include "wavepass_operand.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this header. The build reads it here.
#define WAVEPASS_VERSION "0.1.0"
#define WAVEPASS_VERSION_MAJOR 0 ///< the first number of WAVEPASS_VERSION
#define WAVEPASS_VERSION_MINOR 1 ///< the second number
#define WAVEPASS_VERSION_PATCH 0 ///< the third number

/// The version of the library that is loaded, which may differ from that of the header.
WP_API const char *wp_version(void);

/// Values of wp_transform_params.levels and levels_z that are not a number of levels.
enum {
    WP_LEVELS_MOST = -1, ///< as many as fit the size
    WP_LEVELS_NONE = -2, ///< none on this axis, or in the plane; only for volumes
};

/// wp_transform_params.device for the device that `wavepass info` and wp_query_names() list as n.
#define WP_DEVICE(n) ((n) + 1)

/// One lifting step. Its target, the odd samples in steps 1, 3, ... and the even samples in the
/// others, becomes target[n] += sum over t of tap[t] * other[n + first + t].
struct wp_step_data {
    int first;         ///< at least -64
    int count;         ///< number of taps; first + count at most 65; at most 16 nonzero taps
    const double *tap; ///< `count` values
};

/// A wavelet given by its lifting steps. wp_transform_create() copies all of it.
struct wp_wavelet_data {
    const char *name; ///< NULL: "custom"; letters, digits and "._+-"
    int steps;        ///< 1..24: predict, update, predict, ...
    const struct wp_step_data *step; ///< `steps` lifting steps
    double zeta;      ///< low / zeta and high * zeta have a low-pass gain of 1 at DC; 0: 1
};

/// Parameters of a transform. Members that are 0 or NULL have their default; initialize the others
/// with WP_TRANSFORM_PARAMS().
///
/// **Borders**, the extension of x[0] .. x[n-1] at both ends:
///
///     this library          PyWavelets        extension                     coefficients
///     "symmetric"           (as reflect)      x[-k] = x[k]                  as many as samples
///     "periodic"            periodization     x[k-n] = x[k], n even         as many as samples
///     "pywt-zero"           zero              0                             more than samples
///     "pywt-constant"       constant          x[-k] = x[0]                  more
///     "pywt-symmetric"      symmetric         x[-1-k] = x[k]                more
///     "pywt-reflect"        reflect           x[-k] = x[k]                  more
///     "pywt-periodic"       periodic          x[k-n] = x[k]                 more
///     "pywt-smooth"         smooth            x[-k] = x[0] + k (x[0]-x[1])  more
///     "pywt-antisymmetric"  antisymmetric     x[-1-k] = -x[k]               more
///     "pywt-antireflect"    antireflect       x[-k] = 2 x[0] - x[k]         more
///     "pywt-periodization"  periodization     as "periodic", but the last   one more if n is odd
///                                             sample of an odd n is repeated
///
/// "symmetric" needs a symmetric wavelet (with Haar the last sample of an odd size is a low
/// coefficient); the others support all. A level of n samples along an axis has (n + F - 1) / 2
/// coefficients in each band, rounded down, with F taps as PyWavelets counts them (dec_len), and
/// (n + 1) / 2 with "pywt-periodization". Coefficients are those of PyWavelets, with the norm
/// "pywt" number for number, else up to the gain of the band. Any number of levels is possible. One
/// sample is constant for "pywt-reflect" and "pywt-antireflect", which PyWavelets rejects.
///
/// The array of coefficients has along each axis as many elements as all bands have together: LL,
/// then the details from coarse to fine (pywt.coeffs_to_array). wp_transform_get_band() has the
/// sizes and positions; elements in no band are not written. These borders require the layout
/// "mallat", and operands in the host's memory or in CUDA memory. Reversible transforms, groups of
/// slices and "spatial-temporal" are rejected.
///
/// **Redundant banks** have bands of the size of the image. "undecimated" (a trous, SWT) filters
/// the low band of level l - 1 with taps 2^(l-1) samples apart. With the norm "pywt" and the border
/// "periodic" its coefficients are those of pywt.swt(), swt2() and swtn() with trim_approx=True;
/// with the norm "orthonormal" they are those with norm=True, up to the sign of the high-pass. A
/// level of "starlet" smooths by a B3 spline, and its only band is the difference, so the sum of
/// all bands is the image. The border "periodic" supports any size; "symmetric" requires the
/// starlet, or a wavelet whose filters are symmetric about a sample, such as cdf53 and cdf97. The
/// inverse is exact; if coefficients were changed, it is the mean of the inverses of all shifts.
///
/// The array of coefficients has the bands one after the other along the last transformed axis (y
/// of an image, z of a volume with levels along z, x of a signal): the low band, then those of each
/// level from the last to the first. An image has 3 levels + 1 bands, a volume 7 levels + 1, a
/// signal and the starlet levels + 1. Along z there are as many levels as in the plane, or none.
/// The layout must be "mallat" and the decomposition "dyadic"; reversible transforms and groups of
/// slices are rejected. The backends "cpu", "compute", "cuda" and "reference" support these banks,
/// "fragment" without levels along z. "undecimated" supports all schemes, "starlet" convolutions;
/// the default is "nonsep-convolution" for at most 25 taps in two dimensions, else
/// "sep-convolution".
///
/// **Wavelet packets**, the bank "packets": a level splits all bands of the previous one that
/// `tree` selects, high bands too. Coefficients have the size of the image. Each transformed axis
/// has at least 2^levels samples, with the border "periodic" a multiple of 2^levels. Borders are
/// "symmetric" and "periodic"; along z there are as many levels as in the plane, or none. All
/// backends support them; the layout must be "mallat", the decomposition "dyadic", and reversible
/// transforms are rejected. wp_transform_get_band() lists the leaves with the names of PyWavelets.
struct wp_transform_params {
    size_t struct_size;  ///< sizeof(struct wp_transform_params), so that the struct can grow
    int width;           ///< in samples; at least 1
    int height;          ///< in samples; at least 1
    int planes;          ///< color channels or other planes that each call transforms; 0: one
    const char *wavelet; ///< a name ("cdf97", the default), or the path of a wavelet file
    const char *scheme;  ///< for images "nonsep-polyconvolution" (default), "sep-lifting", ...; for
                         ///< volumes also "planar-polyconvolution" (default) and similar
    bool plain;          ///< disables the optimization of Barina et al. 2017, section 5
    const char *border;  ///< boundary extension: "symmetric" (default), "periodic", or a mode of
                         ///< PyWavelets, "pywt-symmetric", ...: see above
    const char *norm;    ///< normalization: "jpeg2000" (default), "orthonormal", "none", or "pywt":
                         ///< orthonormal with the sign of PyWavelets' high-pass
    const char *layout;  ///< of the coefficients: "mallat" (default) or "mixed"
    const char *precision; ///< storage on the device: "f32" (default) or "f16" (11 significant
                           ///< bits, up to 65504), which only the backend "fragment" supports
    const char *backend; ///< "fragment", "compute", "cuda", "cuda-gl", "cpu", "reference", or
                         ///< "auto" (default): the first that works; if OpenGL is
                         ///< software-rendered, "cpu", unless a scheme, a variant or f16 is given
    const char *variant; ///< an implementation variant of the backend; NULL: its default
    int device;          ///< 0: any; WP_DEVICE(n): device n
    int levels;          ///< 0: 3 or as many as fit, at least 1; WP_LEVELS_MOST: as many as fit, at
                         ///< least 1; WP_LEVELS_NONE; else exactly this number
    int threads;         ///< of the backend "cpu"; 0: one per processor
    const struct wp_wavelet_data *wavelet_data; ///< instead of `wavelet`
    int depth;           ///< slices of a volume; 0: 1, an image
    int levels_z;        ///< levels along z, of a volume; 0: as `levels` (3 if the plane has none)
                         ///< or as many as fit; WP_LEVELS_MOST; WP_LEVELS_NONE; else exactly this
                         ///< number
    int gop;             ///< slices per group: groups are transformed independently, each with its
                         ///< own boundaries along z, the last one may be shorter; 0: one group
    bool current_context; ///< run in the OpenGL context that is current; see wp_operand.location
    const char *decomposition; ///< of a volume: "dyadic" (default) or "spatial-temporal" (t+2D):
                               ///< all levels of each slice, then those along z
    bool reversible;     ///< integer lifting of images: each step is rounded, so that integers are
                         ///< restored exactly, with the order and the rounding of JPEG 2000 part 1,
                         ///< Annex F, for the wavelet "cdf53" (the default then). Other wavelets
                         ///< must have taps that are integers over a power of two, and no scaling,
                         ///< such as "haar" and "dd137". The scheme is "sep-lifting".
    int batch[WP_BATCH_DIMENSIONS]; ///< extents of further dimensions that are not transformed,
                                    ///< after planes; 0: 1
    bool adjoint;        ///< the transposed transform, for the transform W of the other parameters:
                         ///< forward computes (W^-1)^T, inverse W^T. Sizes and layouts are those
                         ///< of W, so <W x, y> = <x, W^T y> for any image x and coefficients y,
                         ///< and inverse restores what forward has transformed. Rejected for
                         ///< reversible transforms. With borders other than "periodic", except for
                         ///< Haar and even sizes, operands must not be textures or buffers.
    int rank;            ///< for the borders of PyWavelets and redundant banks: the first 1, 2 or 3
                         ///< axes (x, y, z) are transformed also if they have one sample; 0: axes
                         ///< with more samples, at least x
    const char *bank;    ///< filter bank: "decimated" (default), or a redundant one, "undecimated"
                         ///< or "starlet", or "packets": see above
    const char *tree;    ///< of packets; NULL: all nodes are split. Otherwise a digit for each node
                         ///< above the last level, in preorder: '1' for a node that is split,
                         ///< followed by its children in the order of the subbands, '0' for a
                         ///< leaf; at most 8191 digits. wp_packets_best() finds one
    int start_level;     ///< redundant banks: the samples are the low band after so many levels, as
                         ///< start_level of pywt.swt(): taps of level l are 2^(start_level + l - 1)
                         ///< samples apart. One transform per level also keeps the low band of each
};

/// Parameters with the given members: WP_TRANSFORM_PARAMS(.width = 640, .height = 480). In C, and
/// in C++ from C++20 on.
#define WP_TRANSFORM_PARAMS(...) \
    {.struct_size = sizeof(struct wp_transform_params), __VA_ARGS__}

/// Facts about a transform. Strings live as long as the transform.
struct wp_transform_info {
    const char *name;    ///< "cdf97/nonsep-polyconvolution/optimized"
    const char *note;    ///< NULL, or a remark about this combination of parameters
    int levels;          ///< in the plane
    int levels_z;        ///< along z, of a volume
    int steps;           ///< passes per level
    double operations;   ///< multiply-adds per level and 2x2 block (volumes: 2x2x2 block); before
                         ///< the first run of the scheme, then of the variant that ran
    double fetches;      ///< texture fetches or reads, counted like `operations`
    const char *backend; ///< "fragment"
    const char *variant; ///< "hybrid"; NULL before the first run, and if the backend has no
                         ///< variants
    const char *device;  ///< "NVIDIA H200"
    bool software;       ///< OpenGL without a GPU
    const char *reason;  ///< for "auto": why the backends before this one were not used, or ""
    int planes_at_once;  ///< in the latest run, planes per draw or dispatch; of more planes than a
                         ///< device supports, those of a group; 0 before
    double seconds;      ///< of the latest run, all planes, without transfers; 0 before the first
                         ///< run, and after a run on CUDA memory, which is asynchronous
    double load_seconds; ///< of its transfer to the device, conversions included; 0 without
                         ///< transfer
    double store_seconds; ///< of its transfer back
    double largest;      ///< for reversible transforms: samples may be integers from -largest to
                         ///< largest, so that each step is exact in floats; else 0
};

struct wp_transform; ///< opaque

/// Creates a transform. NULL if the struct is from a later version, a name, a size or the number of
/// levels is invalid, no level fits the size, a wavelet file cannot be read, the backend is not
/// available, or memory is exhausted.
WP_API struct wp_transform *wp_transform_create(const struct wp_transform_params *params);
/// Destroys a transform and sets the pointer to NULL; accepts NULL. Every other function reports
/// WP_ERROR_USAGE for a transform that is NULL.
WP_API void wp_transform_destroy(struct wp_transform **transform);

/// Facts about a transform, valid until the next call for it. NULL for NULL.
WP_API const struct wp_transform_info *wp_transform_get_info(struct wp_transform *transform);

/// A subband. Order: LL of the last level, then HL, LH and HH of each level from the last to the
/// first; without levels one band, the image. For volumes LLL, then HLL, LHL, HHL, LLH, HLH, LHH
/// and HHH, with a letter for each of x, y and z, as far as the axes have that level. For the
/// decomposition "spatial-temporal" all bands of the plane for the low band along z ("LL.L",
/// "HL.L", ...), then for its high bands from the last level to the first ("LL.H", "HL.H", ...).
struct wp_band_info {
    const char *name; ///< "HL": high-pass along x, low-pass along y
    int level;        ///< 1 is the finest
    int width;        ///< in samples; may be 0
    int height;       ///< in samples; may be 0
    int depth;        ///< in samples, of one group of slices; 1 for images
    int level_z;      ///< the level along z, which differs from `level` for "spatial-temporal"
    ptrdiff_t offset; ///< in samples, in the coefficients of plane 0, an array without gaps with
                      ///< the layout of the parameters: sample (x, y, z) of the band is at offset +
                      ///< x * stride[0] + y * stride[1] + z * stride[2]
    ptrdiff_t stride[3]; ///< see `offset`
};

/// The number of subbands; 0 for NULL.
WP_API int wp_transform_band_count(const struct wp_transform *transform);
/// Describes a subband. False after WP_ERROR_USAGE if the index is out of range.
WP_API bool wp_transform_get_band(const struct wp_transform *transform, int index,
                                  struct wp_band_info *info);

/// Transforms an image to coefficients.
///
/// **Errors** are below 1e-5 for samples in 0..1 and the normalization "jpeg2000". Results for
/// other element types than f32 are bit-identical to those of a conversion from or to floats.
///
/// **Overlap.** Output may overlap the input of the same plane, but not that of a later plane, and
/// no two samples of the output may be at the same address. With batch dimensions it may overlap
/// only the input of the same plane of the same entry, and strides along planes and batch
/// dimensions must then be equal. Operands that are not both f32 or, in the host's memory, both f64
/// must not overlap.
///
/// **Batches.** Planes and batch dimensions whose strides nest in both operands (stride[b] ==
/// extent[a] * stride[a], for any two of them in any order) are passed to the backend as planes of
/// one dimension: of the longest one. The others are loops; wp_transform_describe() shows which.
/// "cpu" prefers a dimension whose entries are neighbors if the samples of rows are not.
///
/// An array of up to 8 dimensions is described by any one to three of them as x, y and z, in any
/// order, and the others as planes and batch dimensions. Signals along one axis have a height of 1.
///
/// **Memory of the host.** The backend "cpu" works without copies if samples of a row are
/// contiguous and input and output do not overlap (about 10 % faster if large arrays are in huge
/// pages: on Linux 2 MiB alignment and madvise(MADV_HUGEPAGE)); other backends copy to their device
/// and back. Images may have any element type, coefficients are f32, f64, f16 or bf16, in one array
/// or in one per subband; those of a reversible transform are f32 or f64. "cpu" converts rows as it
/// reads or writes them; "fragment", "compute" and "cuda" convert images of f16, u8 and u16 on the
/// GPU, "cuda" also bf16; other combinations convert the whole operand on the host. If one of the
/// types is f64, "cpu" and "reference" compute in double precision, and "cuda" except for volumes;
/// the others compute in single precision (wp_transform_describe()).
///
/// **CUDA memory** requires the backend "cuda" and both operands on its device. Images have any
/// element type, coefficients f32, f64, f16 or bf16; volumes of f64 are dyadic, those of several
/// levels have coefficients of f64. wp_operand.lost is not counted. All borders and adjoints are
/// supported.
///
/// A call enqueues its work in the stream of wp_transform_set_stream() and returns. Input must be
/// ready, and output becomes ready, in the order of that stream; the memory must outlive the work.
/// Later failures are reported by the caller's own CUDA calls, and wp_transform_info.seconds is 0.
/// A transform has one scratch allocation, so its calls run one after another, also in different
/// streams; a stream that is being captured is not supported. The first call allocates that memory.
/// A change of direction allocates it again and waits for the previous call: if you alternate, use
/// one transform per direction.
///
/// CUDA kernels access the caller's memory directly if pointers are multiples of 16 bytes, samples
/// of a row are contiguous, rows are a multiple of 4 floats apart, and input and output do not
/// overlap (layout "mixed": with any strides). Otherwise, and for the variants gmem, mixed-band and
/// conv-*, samples are copied on the device; for the borders of PyWavelets always. Several planes
/// of up to 2^20 samples each are transformed together, with any strides. WP_ERROR_USAGE if a
/// pointer is not memory of the device, allocated with cudaMalloc(), cudaMallocManaged() or
/// similar.
///
/// **Textures** require `current_context` and are for images of up to four planes. Row y of the
/// array is row y of texels of level 0, from texel (0, 0) on; plane p is channel p. The element
/// type is that of the texture's format, and wp_operand.type is not used. A texture that is read
/// may have any format of real numbers; one that is written a color-renderable float format
/// (GL_R32F, GL_RGBA16F, ...), or for images an integer format (GL_R8, GL_RGBA8, GL_R16, ...).
/// Channels of 8 or 16 bits, not sRGB, are bit-identical to arrays of that type. Other texels and
/// channels are not changed.
///
/// **Buffers** require `current_context` and the backend "compute", which runs in place and
/// asynchronously: both operands have the same name and the same stride of planes. See
/// wp_transform_get_buffer_layout().
///
/// WP_ERROR_USAGE if the operands cannot be combined; the message says why.
WP_API bool wp_transform_forward(struct wp_transform *transform, const struct wp_operand *image,
                                 const struct wp_operand *coefficients);
/// Transforms coefficients to an image; see wp_transform_forward().
WP_API bool wp_transform_inverse(struct wp_transform *transform,
                                 const struct wp_operand *coefficients,
                                 const struct wp_operand *image);

/// Plans a transform of operands of the given element types, locations and strides (NULL: f32 in
/// the host's memory without gaps; other members are not used) and describes the plan: an
/// expression with one node per line, from the loops over slices and planes to the backend. Valid
/// until the next call. NULL after an error that such a call may have. For people: the words may
/// change.
WP_API const char *wp_transform_describe(struct wp_transform *transform, bool inverse,
                                         const struct wp_operand *from,
                                         const struct wp_operand *to);

/// The layout of a buffer of the caller, for the backend "compute". Samples and coefficients have
/// different locations; the output of one direction is at the location from which the other
/// direction reads its input. Transforms that differ only in the wavelet have the same locations;
/// in a buffer for both, the distance between planes is the larger `plane`.
struct wp_buffer_layout {
    size_t plane;        ///< floats per plane, and the least distance between planes; a multiple of
                         ///< 64, as any other distance must be
    ptrdiff_t stride[3]; ///< of the image, with which each plane begins: x, y and z, in floats
    size_t coefficients; ///< where the coefficients of a plane begin, in floats
    size_t end;          ///< the end of the coefficients of a plane, in floats
};

/// Gets the layout, and in `bands` (may be NULL) the wp_transform_band_count() subbands, whose
/// offsets and strides are those in the buffer. Plans the transform for that direction, as its
/// first run would. False after WP_ERROR_USAGE if the transform does not support buffers, or after
/// an error that a run may have.
WP_API bool wp_transform_get_buffer_layout(struct wp_transform *transform, bool inverse,
                                           struct wp_buffer_layout *layout,
                                           struct wp_band_info *bands);

/// Sets the stream of later calls on CUDA memory, a cudaStream_t of the device that the transform
/// runs on; NULL, the initial value, is the default stream. The stream must outlive these calls.
/// False after WP_ERROR_USAGE if the backend is not "cuda".
WP_API bool wp_transform_set_stream(struct wp_transform *transform, void *stream);

/// Frees the memory of planes, which the next run allocates again; keeps compiled programs. Like
/// wp_transform_destroy() it waits for work that a stream has not finished.
WP_API void wp_transform_rest(struct wp_transform *transform);

#ifdef __cplusplus
}
#endif

#endif
