#include "bands.h"

#include <stdbool.h>

const char *const wp_layout_names[WP_LAYOUT_COUNT] = {
    [WP_LAYOUT_MALLAT] = "mallat",
    [WP_LAYOUT_MIXED] = "mixed",
};

const char *const wp_band_names[WP_BAND_COUNT] = {
    [WP_BAND_LL] = "LL",
    [WP_BAND_HL] = "HL",
    [WP_BAND_LH] = "LH",
    [WP_BAND_HH] = "HH",
};

const char *const wp_octet_band_names[WP_OCTET_BANDS] = {"LLL", "HLL", "LHL", "HHL",
                                                         "LLH", "HLH", "LHH", "HHH"};

const char *const wp_temporal_band_names[WP_OCTET_BANDS] = {"LL.L", "HL.L", "LH.L", "HH.L",
                                                            "LL.H", "HL.H", "LH.H", "HH.H"};

const char *const wp_starlet_band_names[2] = {"C", "W"};

// An image that varies only along x has all detail energy in HL; PyWavelets calls that band cV,
// after the vertical edges that it shows.
const char *const wp_band_descriptions[WP_BAND_COUNT] = {
    [WP_BAND_LL] = "low-pass in x and y; pywt cA",
    [WP_BAND_HL] = "high-pass in x, shows vertical edges; pywt cV",
    [WP_BAND_LH] = "high-pass in y, shows horizontal edges; pywt cH",
    [WP_BAND_HH] = "high-pass in x and y, shows diagonals; pywt cD",
};

int wp_level_size(int size, int level)
{
    for (int i = 0; i < level && size > 1; i++)
        size = size / 2 + size % 2;
    return size;
}

int wp_levels_max(int width, int height)
{
    int levels = 0;
    for (int size = width > height ? width : height; size > 1; size = size / 2 + size % 2)
        levels++;
    return levels;
}

struct wp_band_grid wp_band_grid(const int size[WP_DIMS_MAX], const int level[WP_DIMS_MAX],
                                 unsigned high, enum wp_layout layout)
{
    struct wp_band_grid grid;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int above = level[a] > 0 ? level[a] - 1 : 0, n = wp_level_size(size[a], above);
        const int low = level[a] > 0 ? n - n / 2 : n;
        const bool is_high = high >> a & 1, in_place = layout == WP_LAYOUT_MIXED;
        grid.size[a] = is_high ? n - low : low;
        grid.first[a] = !is_high ? 0 : in_place ? 1 << above : low;
        grid.every[a] = in_place ? 1 << level[a] : 1;
    }
    return grid;
}

struct wp_band_view wp_band_view(int width, int height, int level, enum wp_band band,
                                 enum wp_layout layout)
{
    const struct wp_band_grid grid = wp_band_grid((const int[]){width, height, 1},
                                                  (const int[]){level, level, 0}, band, layout);
    return (struct wp_band_view){
        .width = grid.size[WP_X],
        .height = grid.size[WP_Y],
        .offset = grid.first[WP_X] + (ptrdiff_t)grid.first[WP_Y] * width,
        .step_x = grid.every[WP_X],
        .step_y = (ptrdiff_t)grid.every[WP_Y] * width,
    };
}
