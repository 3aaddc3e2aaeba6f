// Pictures of a volume's coefficients, as panels: one slice through the bands that are low along z,
// then one through the high bands of each level, from the last to the first.
#include "picture.h"
#include "picture_internal.h"
#include "operand.h"

#include <stdlib.h>

struct panels {
    const struct wp_image *coefficients;
    const struct wp_picture_params *params;
    const struct wp_description *description;
    struct wp_image *values, *drawn; // coefficients and picture of one panel
    size_t *bins;
    float floor;
    int columns, count;
};

// A subband's position in a layout.
static struct wp_subband subband_in(const struct panels *p, int band, enum wp_layout layout)
{
    struct wp_description d = *p->description;
    d.layout = layout;
    return wp_subband_describe(&d, band);
}

// The slice through the middle of a panel's bands.
static int slice_of(const struct panels *p, int panel)
{
    const struct wp_description *d = p->description;
    const int level = panel ? d->levels_z - panel + 1 : d->levels_z;
    const int size[] = {1, 1, wp_description_depth(d)}, levels[] = {0, 0, level};
    const struct wp_band_grid grid =
        wp_band_grid(size, levels, panel ? 1U << WP_Z : 0, WP_LAYOUT_MALLAT);
    return grid.first[WP_Z] + grid.size[WP_Z] / 2;
}

static struct wp_band_view view_of(const struct panels *p, const struct wp_band_grid *grid)
{
    const int width = p->coefficients->width;
    return (struct wp_band_view){
        .width = grid->size[WP_X],
        .height = grid->size[WP_Y],
        .offset = grid->first[WP_X] + (ptrdiff_t)grid->first[WP_Y] * width,
        .step_x = grid->every[WP_X],
        .step_y = (ptrdiff_t)grid->every[WP_Y] * width,
    };
}

// Copies a slice of a band to its position in the Mallat layout.
static void copy_band(struct panels *p, const struct wp_band_grid *from, int slice,
                      const struct wp_band_view *to)
{
    const struct wp_image *c = p->coefficients;
    const struct wp_band_view view = view_of(p, from);
    const size_t area = (size_t)c->width * (size_t)c->height;
    const size_t z = (size_t)(from->first[WP_Z] + slice * from->every[WP_Z]);
    for (int plane = 0; plane < p->values->planes; plane++)
        for (int y = 0; y < to->height; y++)
            for (int x = 0; x < to->width; x++)
                p->values->plane[plane][to->offset + y * to->step_y + x] =
                    c->plane[plane][z * area + (size_t)(view.offset + y * view.step_y +
                                                        x * view.step_x)];
}

// Draws the values of a panel's bands and the lines between them or, with `names`, their names.
static void draw_panel(struct panels *p, int panel, bool names)
{
    const int slice = slice_of(p, panel);
    int levels = 0;
    for (int b = 0; b < wp_subband_count(p->description); b++) {
        const struct wp_subband band = subband_in(p, b, WP_LAYOUT_MALLAT);
        const int z = slice - band.grid.first[WP_Z];
        if (z < 0 || z >= band.grid.size[WP_Z])
            continue;
        char name[WP_BAND_NAME_SIZE];
        const struct wp_band_view view = view_of(p, &band.grid);
        wp_subband_name(&band, name);
        const int level =
            band.level < p->description->levels ? band.level : p->description->levels;
        levels = level > levels ? level : levels;
        if (names) {
            wp_picture_name(p->drawn, &view, name);
            continue;
        }
        const struct wp_subband from = subband_in(p, b, p->description->layout);
        copy_band(p, &from.grid, z, &view);
        if (band.band)
            wp_picture_detail(p->drawn, p->values, &view, p->floor, p->bins);
        else
            p->floor = wp_picture_low(p->drawn, p->values, &view, p->bins);
    }
    if (!names)
        wp_picture_outlines(p->drawn, p->drawn->width, p->drawn->height, levels);
}

static void draw_panels(struct panels *p, struct wp_image *picture)
{
    const int width = p->drawn->width, height = p->drawn->height;
    wp_picture_fill(picture, 1);
    for (int panel = 0; panel < p->count; panel++) {
        draw_panel(p, panel, false);
        if (picture->planes == 3)
            wp_picture_mark_nonfinite(p->drawn, p->values);
        if (p->params->labels)
            draw_panel(p, panel, true);
        wp_picture_put(p->drawn, width, height, picture,
                       panel % p->columns * (width + WP_PICTURE_GAP),
                       panel / p->columns * (height + WP_PICTURE_GAP));
    }
}

struct wp_image *wp_picture_create_volume(const struct wp_image *coefficients,
                                          const struct wp_description *description,
                                          const struct wp_picture_params *params)
{
    const int width = coefficients->width, height = coefficients->height;
    const int sources = wp_image_colour_planes(coefficients);
    const bool nonfinite = wp_image_count_nonfinite(coefficients) > 0;
    struct panels p = {
        .coefficients = coefficients,
        .params = params,
        .description = description,
        .count = description->levels_z + 1,
    };
    p.columns = wp_picture_columns(p.count, width, height);
    const int rows = (p.count + p.columns - 1) / p.columns;
    const int across = p.columns * (width + WP_PICTURE_GAP) - WP_PICTURE_GAP;
    const int down = rows * (height + WP_PICTURE_GAP) - WP_PICTURE_GAP;
    const int strip = wp_picture_caption_height(params->caption, across, down);
    const int planes = sources == 3 || nonfinite ? 3 : 1;
    struct wp_image *picture = wp_image_create(across, down + strip, planes, false);
    p.values = picture ? wp_image_create(width, height, sources, false) : NULL;
    p.drawn = p.values ? wp_image_create(width, height, planes, false) : NULL;
    p.bins = p.drawn ? wp_picture_bins() : NULL;
    if (p.bins) {
        draw_panels(&p, picture);
        wp_picture_caption(picture, params->caption, down);
    } else {
        wp_image_destroy(&picture);
    }
    free(p.bins);
    wp_image_destroy(&p.values);
    wp_image_destroy(&p.drawn);
    return picture;
}
