// A description of a transform: everything that a backend needs to know. How a backend computes it
// (passes, sweeps, launches) is not part of the description.
#ifndef WP_DESCRIPTION_H
#define WP_DESCRIPTION_H

#include "bands.h"
#include "fields.h"
#include "scheme.h"
#include "wavepass_operand.h"

#include <stdbool.h>
#include <stddef.h>

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

// Filter banks. The redundant ones have bands of the size of the image; redundant.h defines them,
// packets.h the packets.
enum wp_bank {
    WP_BANK_DECIMATED,   // critically sampled, by lifting: as many coefficients as samples
    WP_BANK_UNDECIMATED, // a trous: the filters of the wavelet with taps 2^(level - 1) apart; a band
                         // for each combination of low-pass and high-pass along the axes
    WP_BANK_STARLET,     // a band a level: the difference of two smoothings by a B3 spline; the
                         // wavelet is not used
    WP_BANK_PACKETS,     // like DECIMATED, but levels split high bands, too
    WP_BANK_COUNT
};

extern const char *const wp_bank_names[WP_BANK_COUNT]; // "decimated", …
bool wp_bank_is_redundant(enum wp_bank bank);

enum { WP_MAX_LEVELS = 31, WP_BANK_TAPS_MOST = 128 }; // the taps of a redundant bank

#define WP_FIELD_MEMBER(member, NAME, word, help) enum wp_##member member;

// A member that is zero has its default; the wavelet and the size are required.
// wp_description_check() rejects combinations that no backend supports.
struct wp_description {
    const struct wp_wavelet *wavelet; // copied by wp_backend.prepare()
    enum wp_direction direction;
    WP_FIELDS(WP_FIELD_MEMBER) // enum wp_border border; ...
    int size[WP_DIMS_MAX]; // samples along each axis; 0 or 1 along z for an image
    int levels;            // of x and y, 0..wp_levels_most(); 0: a copy
    int levels_z;          // of z
    int start_level;       // redundant banks: levels before the first one; names begin at 1
    // For the borders of PyWavelets and redundant banks: bit a is set if levels transform axis a
    // also if it has one sample. 0: like for other borders only axes of more samples, but at least
    // x. Along z axes need levels_z.
    unsigned axes;
    int planes;                   // transformed together, each of this size; 0: one
    enum wp_element samples;      // type of the image in memory
    enum wp_element coefficients; // type of the coefficients in memory: F32, F64, F16 or BF16
    // Integer lifting: each step rounds, along y before x, as in JPEG 2000. Only images with the
    // scheme sep-lifting. wp_description_headroom() of the samples must be at least 1.
    bool reversible;
    // The transposed transform, of the same sizes: forward (W^-1)^T, inverse W^T. Backends compute
    // the transform of wp_description_wavelet() with the border; unless that is the adjoint
    // (wp_description_is_native()), plans add what differs at the ends (src/plan/borders.c).
    bool adjoint;
    const char *tree; // of packets (packets.h); NULL: the full tree

    // The scheme that groups steps into passes; backends that are `schemeless` (backend.h) ignore
    // it. NULL: nonsep-polyconvolution, for volumes planar-polyconvolution. The starlet has only
    // convolutions. NULL for redundant banks: sep-convolution, or nonsep-convolution for few taps.
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

// The type in which a description is to be computed: F64 if the samples or the coefficients have
// that type, else F32.
enum wp_element wp_description_arithmetic(const struct wp_description *description);

// Planes transformed together, at least 1.
int wp_description_planes(const struct wp_description *description);

// Has the bank more coefficients than the decimated one?
bool wp_description_is_redundant(const struct wp_description *description);

// The name of the wavelet. NULL for the starlet, which has a filter of its own.
const char *wp_description_wavelet_name(const struct wp_description *description);
// Are there more coefficients than samples, because of the bank or the border?
bool wp_description_is_expansive(const struct wp_description *description);

// Slices; 1 for an image.
int wp_description_depth(const struct wp_description *description);

// The larger of both numbers of levels, and the set of axes that a level transforms (bit a: axis
// a).
int wp_description_levels(const struct wp_description *description);
unsigned wp_description_axes(const struct wp_description *description, int level);

// Samples along an axis in the input of level `level` + 1.
int wp_description_size(const struct wp_description *description, int axis, int level);

// For the borders of PyWavelets: do the bands of an axis have more coefficients than it has samples?
// Then the coefficients along it before the high band of a level; of level 0 the extent.
bool wp_description_expands(const struct wp_description *description, int axis);
int wp_description_first(const struct wp_description *description, int axis, int level);

// The number of bands that a level adds, for dyadic descriptions: the nonempty subsets of its axes;
// 1 for the starlet.
int wp_description_bands(const struct wp_description *description, int level);

// The axis along which arrays of redundant coefficients have their bands one after the other, in the
// order of subbands.h: the last one that levels transform.
int wp_description_stack(const struct wp_description *description);

// Samples along an axis of the array of coefficients: those of the last low band and of all high
// bands. The size, except for the borders of PyWavelets, and for redundant banks along
// wp_description_stack(): the size times the number of bands.
int wp_description_extent(const struct wp_description *description, int axis);

// 0 for borders whose bands have n coefficients for n samples, n - n/2 in the low band and n/2 in
// the high band. Else bands have floor((n + taps - 1) / 2) coefficients each.
int wp_description_taps(const struct wp_description *description);

// Bit a: levels transform axis a (and along z if levels_z is not 0).
unsigned wp_description_transformed(const struct wp_description *description);

// The description of a group of slices with only `depth` slices (the last one), with fewer levels
// along z if `depth` requires it.
struct wp_description wp_description_group(const struct wp_description *description, int depth);

// Samples and coefficients of one plane.
size_t wp_description_samples(const struct wp_description *description);
size_t wp_description_coefficients(const struct wp_description *description);

// The wavelet of the lifting program: that of the description, or for adjoints its dual, written to
// `dual`.
const struct wp_wavelet *wp_description_wavelet(const struct wp_description *description,
                                                struct wp_wavelet *dual);

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

// The largest number of levels of axes that share a number: until the longest axis has one sample.
int wp_levels_most_together(const int size[], int axes, enum wp_border border);

// The largest number of levels of x and y: until one sample is left, for periodic borders as long
// as every axis has an even size or 1. Only for borders that backends compute.
int wp_levels_most(const int size[2], enum wp_border border);

// The largest number of levels of z.
int wp_levels_z_most(int depth, enum wp_border border);

// Likewise for any border; those of PyWavelets have WP_MAX_LEVELS. Redundant banks have the levels
// whose taps are less than the longest of the axes apart, with every border: ceil(log2(n)); packets
// those of wp_packet_levels_limit().
int wp_description_levels_most(const struct wp_description *description, int axis);

// As many levels as make sense along x and y or along z: wp_description_levels_most(), and for the
// borders of PyWavelets at least one, and as long as an axis of n samples has n >= (F - 1) 2^levels
// (pywt.dwtn_max_level).
int wp_description_levels_fit(const struct wp_description *description, int axis);

// False after WP_ERROR_USAGE if wp_levels_most() is 0 for more than one sample.
bool wp_levels_any(const int size[2], enum wp_border border);

// Do backends compute it? Else plans do: packets, the borders of PyWavelets, and adjoints of the
// decimated bank that are not only the transform of the dual wavelet.
bool wp_description_is_native(const struct wp_description *description);

// False after WP_ERROR_USAGE if they do not, or if the bank is not the decimated one. `user` requires it: "a
// stream", "the viewer".
bool wp_description_check_native(const struct wp_description *description, const char *user);

// False after WP_ERROR_USAGE if the members contradict each other (too many levels, an odd size
// with periodic borders, symmetric borders with an asymmetric wavelet, ...), or no backend supports
// them.
bool wp_description_check(const struct wp_description *description);

#endif
