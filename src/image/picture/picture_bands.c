// Pictures of coefficients that are more than the samples, band by band: redundant bands in a panel
// each, those of the borders of PyWavelets at their positions in the array.
#include "operand.h"
#include "picture.h"
#include "picture_internal.h"

#include <math.h>
#include <stdlib.h>

struct bands {
    const struct wp_image *coefficients;
    const struct wp_description *description;
    struct wp_image *values, *drawn; // coefficients and picture of one band
    size_t *bins;
    float floor;
    int columns;
};

int wp_picture_columns(int count, int width, int height)
{
    const int columns = (int)lround(sqrt((double)count * height / width));
    return columns < 1 ? 1 : columns > count ? count : columns;
}

void wp_picture_fill(struct wp_image *picture, float value)
{
    for (int plane = 0; plane < picture->planes; plane++)
        for (size_t i = 0; i < wp_image_samples(picture); i++)
            picture->plane[plane][i] = value;
}

void wp_picture_put(const struct wp_image *part, int width, int height, struct wp_image *picture,
                    int left, int top)
{
    for (int plane = 0; plane < picture->planes; plane++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                picture->plane[plane][(size_t)(top + y) * (size_t)picture->width +
                                      (size_t)(left + x)] =
                    part->plane[plane][(size_t)y * (size_t)part->width + (size_t)x];
}

// The rows and columns of panels: a row for each level from the first to the last, and one for the
// low band; if levels have one band, as many columns as make the picture square.
static int columns_of(const struct wp_description *d)
{
    const int bands = wp_description_bands(d, 1);
    return bands > 1 ? bands
                     : wp_picture_columns(wp_subband_count(d), d->size[WP_X], d->size[WP_Y]);
}

static void find_position(const struct bands *b, int index, int *left, int *top)
{
    const struct wp_description *d = b->description;
    const struct wp_subband band = wp_subband_describe(d, index);
    const int levels = wp_description_levels(d), bands = wp_description_bands(d, 1);
    *left = band.grid.first[WP_X];
    *top = band.grid.first[WP_Y];
    if (!wp_description_is_redundant(d))
        return;
    const int panel = index == 0 ? levels * bands
                                 : (band.level - 1) * bands + (index - 1) % bands;
    *left = panel % b->columns * (d->size[WP_X] + WP_PICTURE_GAP);
    *top = panel / b->columns * (d->size[WP_Y] + WP_PICTURE_GAP);
}

// Copies the middle slice of a band.
static void copy_band(const struct bands *b, const struct wp_band_grid *grid)
{
    const struct wp_image *c = b->coefficients;
    const size_t z = (size_t)(grid->first[WP_Z] + grid->size[WP_Z] / 2);
    for (int plane = 0; plane < b->values->planes; plane++)
        for (int y = 0; y < grid->size[WP_Y]; y++)
            for (int x = 0; x < grid->size[WP_X]; x++) {
                const size_t row = z * (size_t)c->height + (size_t)(grid->first[WP_Y] + y);
                b->values->plane[plane][(size_t)y * (size_t)b->values->width + (size_t)x] =
                    c->plane[plane][row * (size_t)c->width + (size_t)(grid->first[WP_X] + x)];
            }
}

static void draw_band(struct bands *b, int index, bool labels, struct wp_image *picture)
{
    const struct wp_subband band = wp_subband_describe(b->description, index);
    const int width = band.grid.size[WP_X], height = band.grid.size[WP_Y];
    const struct wp_band_view view = {width, height, 0, 1, b->values->width};
    char name[WP_BAND_NAME_SIZE];
    int left, top;
    copy_band(b, &band.grid);
    if (index == 0)
        b->floor = wp_picture_low(b->drawn, b->values, &view, b->bins);
    else
        wp_picture_detail(b->drawn, b->values, &view, b->floor, b->bins);
    if (b->drawn->planes == 3)
        wp_picture_mark_nonfinite(b->drawn, b->values);
    find_position(b, index, &left, &top);
    wp_picture_put(b->drawn, width, height, picture, left, top);
    if (!labels)
        return;
    const struct wp_band_view part = {width, height, left + (ptrdiff_t)top * picture->width, 1,
                                      picture->width};
    wp_subband_name(&band, name);
    wp_picture_name(picture, &part, name);
}

static void find_size(const struct bands *b, int *across, int *down)
{
    const struct wp_description *d = b->description;
    const int rows = (wp_subband_count(d) + b->columns - 1) / b->columns;
    *across = b->coefficients->width;
    *down = b->coefficients->height;
    if (wp_description_is_redundant(d)) {
        *across = b->columns * (d->size[WP_X] + WP_PICTURE_GAP) - WP_PICTURE_GAP;
        *down = rows * (d->size[WP_Y] + WP_PICTURE_GAP) - WP_PICTURE_GAP;
    }
}

struct wp_image *wp_picture_create_bands(const struct wp_image *coefficients,
                                         const struct wp_description *description,
                                         const struct wp_picture_params *params)
{
    const int width = description->size[WP_X] + description->wavelet->window;
    const int height = description->size[WP_Y] + description->wavelet->window;
    const int sources = wp_image_colour_planes(coefficients);
    const int planes = sources == 3 || wp_image_count_nonfinite(coefficients) > 0 ? 3 : 1;
    struct bands b = {.coefficients = coefficients, .description = description,
                      .columns = columns_of(description)};
    int across, down;
    find_size(&b, &across, &down);
    const int strip = wp_picture_caption_height(params->caption, across, down);
    struct wp_image *picture = wp_image_create(across, down + strip, planes, false);
    b.values = picture ? wp_image_create(width, height, sources, false) : NULL;
    b.drawn = b.values ? wp_image_create(width, height, planes, false) : NULL;
    b.bins = b.drawn ? wp_picture_bins() : NULL;
    if (b.bins) {
        wp_picture_fill(picture, 1);
        for (int i = 0; i < wp_subband_count(description); i++)
            draw_band(&b, i, params->labels, picture);
        wp_picture_caption(picture, params->caption, down);
    } else {
        wp_image_destroy(&picture);
    }
    free(b.bins);
    wp_image_destroy(&b.values);
    wp_image_destroy(&b.drawn);
    return picture;
}
