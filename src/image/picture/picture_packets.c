// Pictures of the nodes of wavelet packets, with the tree as lines.
#include "picture.h"
#include "picture_internal.h"

#include "packets.h"

#include <stdlib.h>
#include <string.h>

static struct wp_band_view view_of(const struct wp_image *image, const struct wp_band_grid *grid)
{
    return (struct wp_band_view){
        .width = grid->size[WP_X],
        .height = grid->size[WP_Y],
        .offset = grid->first[WP_X] + (ptrdiff_t)grid->first[WP_Y] * image->width,
        .step_x = 1,
        .step_y = image->width,
    };
}

// The first leaf is the low band.
static void draw_leaves(struct wp_image *picture, const struct wp_image *coefficients,
                        const struct wp_description *d, size_t *bins)
{
    struct wp_packet_walk walk = {.description = d};
    float floor = 0;
    bool low = true;
    while (wp_packet_next(&walk)) {
        const struct wp_band_view view = view_of(coefficients, &walk.node.grid);
        if (walk.split)
            continue;
        if (low)
            floor = wp_picture_low(picture, coefficients, &view, bins);
        else
            wp_picture_detail(picture, coefficients, &view, floor, bins);
        low = false;
    }
}

// The view's offset is in the picture, which may be higher than the coefficients.
static void draw_tree(struct wp_image *picture, const struct wp_image *coefficients,
                      const struct wp_description *d, bool labels)
{
    struct wp_packet_walk walk = {.description = d};
    while (wp_packet_next(&walk))
        if (walk.split)
            wp_picture_split(picture, coefficients->width, coefficients->height,
                             walk.node.grid.first, walk.node.grid.size, walk.node.level + 1);
    walk = (struct wp_packet_walk){.description = d};
    while (labels && wp_packet_next(&walk)) {
        char name[WP_PACKET_NAME_SIZE];
        const struct wp_band_view view = view_of(picture, &walk.node.grid);
        wp_packet_name(d, &walk.node, name);
        if (!walk.split)
            wp_picture_name(picture, &view, name);
    }
}

struct wp_image *wp_picture_create_packets(const struct wp_image *coefficients,
                                           const struct wp_description *description,
                                           const struct wp_picture_params *params)
{
    const int height = coefficients->height;
    const bool nonfinite = wp_image_count_nonfinite(coefficients) > 0;
    size_t *bins;
    struct wp_image *picture =
        wp_picture_begin(coefficients, params->caption, nonfinite, &bins);
    if (!picture)
        return NULL;
    draw_leaves(picture, coefficients, description, bins);
    free(bins);
    if (nonfinite)
        wp_picture_mark_nonfinite(picture, coefficients);
    draw_tree(picture, coefficients, description, params->labels);
    wp_picture_caption(picture, params->caption, height);
    return picture;
}
