// Subbands: sizes of levels, names, and layouts in memory.
#ifndef WP_BANDS_H
#define WP_BANDS_H

#include "lifting.h"

#include <stddef.h>

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

// Names of the bands of the starlet: "C", the smooth plane, and "W", the wavelet planes.
extern const char *const wp_starlet_band_names[2];

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

#endif
