#include "bands.h"

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

struct wp_band_view wp_band_view(int width, int height, int level, enum wp_band band,
                                 enum wp_layout layout)
{
    const int w = wp_level_size(width, level - 1), h = wp_level_size(height, level - 1);
    const int high_x = (int)band & 1, high_y = (int)band >> 1;
    const int low_w = w - w / 2, low_h = h - h / 2;
    struct wp_band_view view = {
        .width = high_x ? w / 2 : low_w,
        .height = high_y ? h / 2 : low_h,
    };
    if (layout == WP_LAYOUT_MALLAT) {
        view.step_x = 1;
        view.step_y = width;
        view.offset = (high_x ? low_w : 0) + (ptrdiff_t)(high_y ? low_h : 0) * width;
    } else {
        const ptrdiff_t stride = (ptrdiff_t)1 << (level - 1);
        view.step_x = 2 * stride;
        view.step_y = 2 * stride * width;
        view.offset = high_x * stride + high_y * stride * width;
    }
    return view;
}

struct wp_band_view wp_pixel_view(int width, int height, enum wp_band component)
{
    return wp_band_view(width, height, 1, component, WP_LAYOUT_MIXED);
}
