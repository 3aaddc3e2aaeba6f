// Color maps as rows of a texture.
#include "colours.h"

#include "viewer_struct.h"
#include "xmemory.h"

#include <stdlib.h>

enum { COLOURS = 256, ANCHORS = 10 };

// Colors at equal distances, interpolated linearly. Blue, white and orange can be distinguished
// with all common kinds of color blindness. Viridis and cividis: ten colors each, from the R
// package viridisLite (MIT license).
static const struct {
    int count;
    unsigned anchor[ANCHORS];
} maps[WP_MAPS] = {
    [WP_MAP_DIVERGING] = {5, {0x08306b, 0x4292c6, 0xfafafa, 0xf18223, 0x7f2704}},
    [WP_MAP_VIRIDIS] = {10, {0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89,
                             0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725}},
    [WP_MAP_CIVIDIS] = {10, {0x00204d, 0x00336f, 0x39486b, 0x575c6d, 0x707173, 0x8a8779,
                             0xa69d75, 0xc4b56c, 0xe4cf5b, 0xffea46}},
    [WP_MAP_GRAY] = {2, {0x000000, 0xffffff}},
};

static float channel(unsigned colour, int c)
{
    return (float)(colour >> (16 - 8 * c) & 255) / 255.0F;
}

bool wp_colours_create(struct wp_gl *gl, struct wp_texture *texture)
{
    if (!wp_texture_create(gl, COLOURS, WP_MAPS, texture))
        return false;
    float *texels = wp_xcalloc(COLOURS, 4 * sizeof *texels);
    for (int map = 0; map < WP_MAPS; map++) {
        const int spans = maps[map].count - 1;
        for (int i = 0; i < COLOURS; i++) {
            const float at = (float)(i * spans) / (float)(COLOURS - 1);
            const int below = (int)at < spans ? (int)at : spans - 1;
            for (int c = 0; c < 3; c++) {
                const float a = channel(maps[map].anchor[below], c);
                const float b = channel(maps[map].anchor[below + 1], c);
                texels[4 * i + c] = a + (b - a) * (at - (float)below);
            }
            texels[4 * i + 3] = 1;
        }
        wp_texture_write(texture, 0, map, COLOURS, 1, texels);
    }
    free(texels);
    return true;
}
