// A description of a transform: everything that a backend needs to know. How a backend computes it
// (passes, sweeps, launches) is not part of the description.
#ifndef WP_DESCRIPTION_H
#define WP_DESCRIPTION_H

#include "fields.h"
#include "lifting.h"
#include "scheme.h"
#include "wavepass_operand.h"

#include <stdbool.h>
#include <stddef.h>

#define WP_FIELD_MEMBER(member, NAME, word, help) enum wp_##member member;

// Subbands: sizes of levels, names, and layouts in memory.

// Components of a quad, and the subbands that they become. The number is the component's index in
// an RGBA texel: bit 0 is set for odd x (high-pass along x), bit 1 for odd y. Volumes have octets,
// 2x2x2 samples, and bands up to 7: bit 2 is set for odd z.
enum wp_band { WP_BAND_LL, WP_BAND_HL, WP_BAND_LH, WP_BAND_HH, WP_BAND_COUNT };

enum { WP_OCTET_BANDS = 2 * WP_BAND_COUNT };

// Both layouts have the size of the image or volume.
enum wp_layout {
    WP_LAYOUT_MALLAT, // per level LL|HL over LH|HH, the next level inside LL
    WP_LAYOUT_MIXED,  // mixed-band: coefficients at the positions of in-place lifting
    WP_LAYOUT_COUNT
};

// "mallat", "mixed".
extern const char *const wp_layout_names[WP_LAYOUT_COUNT];

// "LL", "HL", "LH", "HH".
extern const char *const wp_band_names[WP_BAND_COUNT];

// For volumes, with a letter for each of x, y, z: "LLL", "HLL", "LHL", "HHL", "LLH", …
extern const char *const wp_octet_band_names[WP_OCTET_BANDS];

// For spatial-temporal volumes: the letters of the plane, then that of z: "LL.L", "HL.L", "LH.L",
// "HH.L", "LL.H", …
extern const char *const wp_temporal_band_names[WP_OCTET_BANDS];

// Descriptions: "high-pass in x, shows vertical edges; pywt cV".
extern const char *const wp_band_descriptions[WP_BAND_COUNT];

// Samples along one axis after `level` levels: ceil(size / 2^level).
int wp_level_size(int size, int level);

// The maximum number of levels of an image: ceil(log2(max(width, height))), 0 for 1x1.
int wp_levels_max(int width, int height);

// The samples of a band in an array of coefficients: along each axis every every[a]-th from
// first[a] on. Low bands have ceil(n/2) samples along an axis, high bands floor(n/2); both can be
// 0.
struct wp_band_grid {
    int size[WP_DIMS_MAX], first[WP_DIMS_MAX], every[WP_DIMS_MAX];
};

// The grid of a band in an array of coefficients for samples of `size`. Each axis has a level (1 is
// the finest, 0 the samples). Bit a of `high` is set if the band is high-pass along axis a, whose
// level is then not 0. A band that is low along all axes is the input of the next level and is only
// stored for the last one.
struct wp_band_grid wp_band_grid(const int size[WP_DIMS_MAX], const int level[WP_DIMS_MAX],
                                 unsigned high, enum wp_layout layout);

// A band of an image in a plane of floats without gaps: element (x, y) is
// plane[offset + x*step_x + y*step_y].
struct wp_band_view {
    int width, height;
    ptrdiff_t offset, step_x, step_y;
};

struct wp_band_view wp_band_view(int width, int height, int level, enum wp_band band,
                                 enum wp_layout layout);

// ---- descriptions ----

// Storage of samples between steps on the device. Arithmetic is in 32 bits.
enum wp_precision { WP_PRECISION_F32, WP_PRECISION_F16, WP_PRECISION_COUNT };

extern const char *const wp_precision_names[WP_PRECISION_COUNT]; // "f32", "f16"
size_t wp_precision_bytes(enum wp_precision precision);          // of a sample: 4, 2

// The order of the levels of a volume.
enum wp_decomposition {
    WP_DECOMPOSITION_DYADIC, // a level transforms the low band of the level before along all axes
                             // that have this level
    WP_DECOMPOSITION_SPATIAL_TEMPORAL, // t+2D: all levels of each slice, then the levels along z of
                                       // all coefficients
    WP_DECOMPOSITION_COUNT
};

extern const char *const wp_decomposition_names[WP_DECOMPOSITION_COUNT]; // "dyadic", …

enum { WP_MAX_LEVELS = 31 };

// A member that is zero has its default; the wavelet and the size are required.
// wp_description_check() rejects combinations that no backend supports.
struct wp_description {
    const struct wp_wavelet *wavelet; // copied by wp_backend.prepare()
    enum wp_direction direction;
    WP_FIELDS(WP_FIELD_MEMBER) // enum wp_border border; ...
    int size[WP_DIMS_MAX]; // samples along each axis; 0 or 1 along z for an image
    int levels;            // of x and y, 0..wp_levels_most(); 0: a copy
    int levels_z;          // of z
    int planes;                   // transformed together, each of this size; 0: one
    enum wp_element samples;      // type of the image in memory
    enum wp_element coefficients; // type of the coefficients in memory: F32 or F16
    // Integer lifting: each step rounds, along y before x, as in JPEG 2000. Only images with the
    // scheme sep-lifting. wp_description_headroom() of the samples must be at least 1.
    bool reversible;

    // The scheme that groups steps into passes; backends that are `schemeless` (backend.h) ignore
    // it. NULL: nonsep-polyconvolution, for volumes planar-polyconvolution.
    const struct wp_scheme_kind *kind;
    // WP_FORM_SHADER or WP_FORM_PLAIN. Backends whose kernels exchange samples on chip replace
    // WP_FORM_SHADER with WP_FORM_BLOCK.
    enum wp_form form;
};

// Splits a description into dyadic ones, which backends support, to be executed one after the other
// on one array: itself, or for spatial-temporal the slices and z. Returns their number.
enum { WP_CHAIN_MAX = 2 };
int wp_description_chain(const struct wp_description *description,
                          struct wp_description stage[WP_CHAIN_MAX]);

// Planes transformed together, at least 1.
int wp_description_planes(const struct wp_description *description);

// Slices; 1 for an image.
int wp_description_depth(const struct wp_description *description);

// The larger of both numbers of levels, and the set of axes that a level transforms (bit a: axis
// a).
int wp_description_levels(const struct wp_description *description);
unsigned wp_description_axes(const struct wp_description *description, int level);

// Samples along an axis in the input of level `level` + 1.
int wp_description_size(const struct wp_description *description, int axis, int level);

// The description of a group of slices with only `depth` slices (the last one), with fewer levels
// along z if `depth` requires it.
struct wp_description wp_description_group(const struct wp_description *description, int depth);

// Samples of one plane.
size_t wp_description_samples(const struct wp_description *description);

// The position of a band in the array of coefficients; see wp_band_grid(). An axis with fewer
// levels than `level` has its last one.
struct wp_band_grid wp_description_band(const struct wp_description *description, int level,
                                        enum wp_band band);

// The lifting program of the transform along one axis.
struct wp_lifting wp_description_lifting(const struct wp_description *description);

// The scheme of an image or a slice, for a level that transforms the axes of the set `axes` (x, y).
// The caller destroys it. NULL after an error of wp_scheme_create().
struct wp_scheme *wp_description_scheme(const struct wp_description *description, unsigned axes);

// Like wp_description_scheme(), for a volume: a scheme over octets (2x2x2 samples).
struct wp_scheme *wp_description_octet_scheme(const struct wp_description *description,
                                              unsigned axes);

// The largest factor by which integers from `least` to `greatest` may be scaled so that each step
// of a reversible transform is exact in floats. Negative after WP_ERROR_TOO_LARGE.
double wp_description_headroom(const struct wp_description *description, double least,
                           double greatest);
// False after WP_ERROR_FILE if that factor is below 1; `name` is that of the file, for the message.
bool wp_description_check_range(const struct wp_description *description, const char *name,
                                double least, double greatest);

// The largest number of levels of x and y: until one sample is left, for periodic borders as long
// as every axis has an even size or 1.
int wp_levels_most(const int size[2], enum wp_border border);

// The largest number of levels of z.
int wp_levels_z_most(int depth, enum wp_border border);

// False after WP_ERROR_USAGE if wp_levels_most() is 0 for more than one sample.
bool wp_levels_any(const int size[2], enum wp_border border);

// False after WP_ERROR_USAGE if the members contradict each other (too many levels, an odd size
// with periodic borders, symmetric borders with an asymmetric wavelet, ...), or no backend supports
// them.
bool wp_description_check(const struct wp_description *description);

#endif
