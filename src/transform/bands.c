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

// An image that varies along x alone puts all its detail energy into HL; PyWavelets calls
// that band cV, after the vertical edges it shows.
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

struct wp_band_grid wp_band_grid(int width, int height, int level, enum wp_band band,
                                 enum wp_layout layout)
{
    const int size[2] = {width, height};
    struct wp_band_grid grid = {.size = {width, height}, .every = 1};
    const bool in_place = layout == WP_LAYOUT_MIXED;
    for (int a = 0; a < 2 && level > 0; a++) {
        const int n = wp_level_size(size[a], level - 1), low = n - n / 2;
        const bool high = (int)band >> a & 1;
        grid.size[a] = high ? n / 2 : low;
        grid.first[a] = !high ? 0 : in_place ? 1 << (level - 1) : low;
    }
    if (in_place)
        grid.every = 1 << level;
    return grid;
}

struct wp_band_view wp_band_view(int width, int height, int level, enum wp_band band,
                                 enum wp_layout layout)
{
    const struct wp_band_grid grid = wp_band_grid(width, height, level, band, layout);
    return (struct wp_band_view){
        .width = grid.size[0],
        .height = grid.size[1],
        .offset = grid.first[0] + (ptrdiff_t)grid.first[1] * width,
        .step_x = grid.every,
        .step_y = (ptrdiff_t)grid.every * width,
    };
}

struct wp_band_view wp_pixel_view(int width, int height, enum wp_band component)
{
    return wp_band_view(width, height, 1, component, WP_LAYOUT_MIXED);
}
