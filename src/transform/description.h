// What is to be transformed, and how: all that crosses the seam to a backend. A description tells
// of the problem alone; passes, sweeps and launches are each backend's own affair.
#ifndef WP_DESCRIPTION_H
#define WP_DESCRIPTION_H

#include "bands.h"
#include "fields.h"
#include "scheme.h"
#include "wavepass_view.h"

#include <stdbool.h>
#include <stddef.h>

// What backends keep samples in between steps; fragment shaders compute with 32 bits in any case.
enum wp_precision { WP_PRECISION_F32, WP_PRECISION_F16, WP_PRECISION_COUNT };

extern const char *const wp_precision_names[WP_PRECISION_COUNT]; // "f32", "f16"
size_t wp_precision_bytes(enum wp_precision precision);          // of a sample: 4, 2

// Which samples a level of a volume takes apart.
enum wp_decomposition {
    WP_DECOMPOSITION_DYADIC, // along all axes that have so many levels, in the low band of the one
                             // before it
    WP_DECOMPOSITION_SPATIAL_TEMPORAL, // first all levels of each slice, then those along z, of every
                                       // coefficient: t+2D
    WP_DECOMPOSITION_COUNT
};

extern const char *const wp_decomposition_names[WP_DECOMPOSITION_COUNT]; // "dyadic", …

enum { WP_MAX_LEVELS = 31 };

#define WP_FIELD_MEMBER(member, NAME, word, help) enum wp_##member member;

// Everything that is zero is a sensible choice but for the wavelet and the size. What a part of
// this program does not know yet is refused by wp_description_check(), never passed over.
struct wp_description {
    const struct wp_wavelet *wavelet; // need not outlive what is made of the description
    enum wp_direction direction;
    WP_FIELDS(WP_FIELD_MEMBER) // enum wp_border border; ...
    int size[WP_DIMS_MAX]; // samples along each axis; of z, 0 or 1: an image
    int levels;            // of x and y, 0..wp_levels_most(); 0 copies
    int levels_z;          // of z
    int planes;            // that go through together, each of that size; 0: one
    enum wp_element samples; // of a caller's image, which may also be floats (wp_operand.pixels)
    enum wp_element coefficients; // likewise of these: floats, or binary16 in an array
    // Every lifting step rounds to an integer, along y before x, as JPEG 2000 does. Samples are
    // integers, for which wp_description_headroom() is 1 at least. Of images by separable lifting alone.
    bool reversible;
    int strip;       // rows that arrive at a time; 0: all

    // How the steps are grouped, for backends that run passes; others run any scheme alike
    // (wp_backend.schemeless). NULL: nonsep-polyconvolution, of a volume planar-polyconvolution.
    const struct wp_scheme_kind *kind;
    enum wp_form form; // shader or plain; backends that exchange on chip make block of shader
};

// The descriptions that come one after the other to this one's result, on one array: itself, or of
// a spatial-temporal one two, each without levels along some axis. Those are dyadic, all that
// backends know of.
enum { WP_CHAIN_MAX = 2 };
int wp_description_chain(const struct wp_description *description,
                          struct wp_description stage[WP_CHAIN_MAX]);

// The planes that go through together, 1 for 0.
int wp_description_planes(const struct wp_description *description);

// 1 of an image.
int wp_description_depth(const struct wp_description *description);

// The larger of the two numbers, and the set of axes that a level transforms (bit a for axis a).
int wp_description_levels(const struct wp_description *description);
unsigned wp_description_axes(const struct wp_description *description, int level);

// Samples along an axis, of the input of level `level` + 1.
int wp_description_size(const struct wp_description *description, int axis, int level);

// Of groups of slices that of the last one, which has `depth` of them: it takes no more levels than
// there are, because one slice passes through the others.
struct wp_description wp_description_group(const struct wp_description *description, int depth);

// Samples of one plane.
size_t wp_description_samples(const struct wp_description *description);

// Where a band of a level lies in the array of coefficients; see wp_band_grid(). An axis that has
// fewer levels is at its last.
struct wp_band_grid wp_description_band(const struct wp_description *description, int level,
                                        enum wp_band band);

// The lifting program of its transform.
struct wp_lifting wp_description_lifting(const struct wp_description *description);

// Its scheme, where the axes of the set `axes`, of x and y, are transformed: that of an image or of
// one slice. The caller's; NULL as from wp_scheme_create().
struct wp_scheme *wp_description_scheme(const struct wp_description *description, unsigned axes);

// The same over octets, of a volume whose axes `axes` are transformed.
struct wp_scheme *wp_description_octet_scheme(const struct wp_description *description,
                                              unsigned axes);

// The largest factor by which integers between these two may be multiplied so that every step of a
// reversible transform is exact in floats. Negative after WP_ERROR_TOO_LARGE.
double wp_description_headroom(const struct wp_description *description, double least,
                           double greatest);
// False after WP_ERROR_FILE, with the numbers, where that is below 1; `what` has such samples.
bool wp_description_check_range(const struct wp_description *description, const char *what,
                                double least, double greatest);

// The most levels for a size under a border: wp_levels_max() for symmetric; for periodic as many as
// keep every axis even (or 1).
int wp_levels_most(const int size[2], enum wp_border border);

// The same of the third axis.
int wp_levels_z_most(int depth, enum wp_border border);

// False after WP_ERROR_USAGE where that is 0 for more than one sample.
bool wp_levels_any(const int size[2], enum wp_border border);

// False after WP_ERROR_USAGE where size, levels, border and wavelet do not go together: too many
// levels, an odd size under periodic borders, symmetric borders for a wavelet that is not
// symmetric; or where something is asked for that no backend can.
bool wp_description_check(const struct wp_description *description);

#endif
