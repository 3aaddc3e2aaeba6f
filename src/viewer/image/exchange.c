#include "exchange.h"

#include "memory.h"
#include "operand.h"
#include "schedule.h"
#include "subbands.h"
#include "view_shaders.h"

#include <stdlib.h>

// Are levels transfers of quads (schedule.h)? Else they are copied band by band.
static bool has_transfers(const struct wp_description *d, int level)
{
    return level == 0 || (wp_description_is_native(d) && !wp_description_is_redundant(d));
}

// Copies the coefficients of a level to the quads of its bands, or back. Bands of plans may have
// equally many coefficients.
static void exchange_bands(const struct wp_description *d, int level, bool upload, float *plane,
                           float *quads)
{
    const struct wp_operand array = wp_operand_coefficients(d, plane);
    const int width = wp_description_size(d, WP_X, level);
    for (int i = 0; i < wp_subband_count(d); i++) {
        enum wp_band band;
        if (wp_subband_at(d, i, &band) != level)
            continue;
        const struct wp_band_grid grid = wp_description_band(d, level, band);
        for (int y = 0; y < grid.size[WP_Y]; y++)
            for (int x = 0; x < grid.size[WP_X]; x++) {
                float *at = plane + (grid.first[WP_X] + x) +
                            (grid.first[WP_Y] + y) * array.stride[WP_Y];
                float *quad = quads + 4 * ((size_t)y * (size_t)width + (size_t)x) + band;
                *(upload ? quad : at) = *(upload ? at : quad);
            }
    }
}

// Allocates the quads of a level (0: the image) and gets their number along both axes. The caller
// frees them.
static float *make_quads(const struct wp_description *d, int level, int size[2])
{
    for (int a = WP_X; a <= WP_Y; a++)
        size[a] = has_transfers(d, level) ? wp_level_size(d->size[a], level > 0 ? level : 1)
                                          : wp_description_size(d, a, level);
    return wp_allocate((size_t)size[WP_X] * (size_t)size[WP_Y], 4 * sizeof(float), "a level");
}

bool wp_exchange_upload(const struct wp_description *d, int level, const float *plane,
                        const struct wp_texture *texture)
{
    int size[2];
    float *quads = make_quads(d, level, size);
    if (!quads)
        return false;
    if (has_transfers(d, level)) {
        const struct wp_transfer transfer = wp_transfer_of_level(d, level);
        const struct wp_operand from = wp_operand_const(d, plane);
        wp_transfer_load(d, &transfer, &from, 0, 0, size[WP_Y], quads);
    } else {
        exchange_bands(d, level, true, (float *)plane, quads);
    }
    const bool ok = wp_texture_write(texture, 0, 0, size[WP_X], size[WP_Y], quads);
    free(quads);
    return ok;
}

bool wp_exchange_download(const struct wp_description *d, int level,
                          const struct wp_texture *texture, int x, int y, float *plane)
{
    int size[2];
    float *quads = make_quads(d, level, size);
    if (!quads)
        return false;
    wp_texture_read(texture, x, y, size[WP_X], size[WP_Y], quads);
    if (has_transfers(d, level)) {
        const struct wp_transfer transfer = wp_transfer_of_level(d, level);
        const struct wp_operand to = wp_operand_dense(d, plane);
        wp_transfer_store(d, &transfer, quads, 0, size[WP_Y], &to, 0);
    } else {
        exchange_bands(d, level, false, plane, quads);
    }
    free(quads);
    return true;
}

bool wp_elements_draw(struct wp_gl *gl, enum wp_elements_act act, const struct wp_texture *from,
                      int x, int y, const struct wp_texture *to, bool half, int width, int height)
{
    struct wp_program *program = wp_view_program(gl, WP_SHADER_ELEMENTS, half);
    if (!program)
        return false;
    wp_program_set2(program, "origin", x, y);
    wp_program_set2(program, "size", width, height);
    wp_program_set(program, "act", (int)act);
    wp_program_draw(program, from, to, 0, 0, to->width, to->height, WP_DRAW_ALL);
    return true;
}
