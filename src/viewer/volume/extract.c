#include "extract.h"

#include "border.h"

#include <string.h>

struct wp_volume_group wp_volume_group(const struct wp_viewer *v, int number, int axis)
{
    struct wp_volume_group g;
    g.d = wp_instance_volume_group(v->instance[WP_A]->volume, number, &g.first);
    memcpy(g.cross, v->state.cross, sizeof g.cross);
    g.cross[WP_Z] -= g.first;
    g.met = axis != WP_Z || (g.cross[WP_Z] >= 0 && g.cross[WP_Z] < wp_description_depth(&g.d));
    return g;
}

// For decimated bands the number of levels of an axis, at most `level`.
int wp_slices_shift(const struct wp_description *d, int axis, int level)
{
    const int most = axis == WP_Z ? d->levels_z : d->levels;
    return wp_description_is_redundant(d) ? 0 : level < most ? level : most;
}

int wp_volume_size(const struct wp_description *d, int axis, int level)
{
    const int shift = wp_slices_shift(d, axis, level);
    const int n = axis == WP_Z ? wp_description_depth(d) : d->size[axis];
    return wp_description_expands(d, axis) ? wp_description_first(d, axis, shift)
                                           : wp_level_size(n, shift);
}

int wp_volume_origin(const struct wp_description *d, int axis, int level)
{
    const int shift = wp_slices_shift(d, axis, level);
    const struct wp_border_axis border = wp_border_axis(d, axis, 0);
    return wp_description_expands(d, axis) ? (border.shift + 2 * border.first) * ((1 << shift) - 1)
                                           : 0;
}

struct wp_extract wp_extract_of(const struct wp_volume_group *g, int level, enum wp_band band)
{
    const struct wp_band_grid grid = wp_description_band(&g->d, level, band);
    struct wp_extract c = {.level = level, .band = (int)band};
    memcpy(c.first, grid.first, sizeof c.first);
    memcpy(c.size, grid.size, sizeof c.size);
    c.first[WP_Z] += g->first;
    return c;
}

int wp_extract_at_cross(const struct wp_volume_group *g, const struct wp_extract *c, int axis)
{
    const int at = (g->cross[axis] - wp_volume_origin(&g->d, axis, c->level)) >>
                   wp_slices_shift(&g->d, axis, c->level);
    return at < c->size[axis] ? at : c->size[axis] - 1;
}

void wp_extract_take_slice(const struct wp_volume_group *g, struct wp_extract *c, int axis)
{
    c->first[axis] += wp_extract_at_cross(g, c, axis);
    c->size[axis] = 1;
    memcpy(c->origin, c->first, sizeof c->origin);
}

struct wp_tile *wp_extract_add(struct wp_viewer *v, const struct wp_pane *pane,
                               const struct wp_orientation *f, const struct wp_extract *c)
{
    const float unit[2] = {v->slices.unit[f->across] * (float)(1 << c->shift[f->across]),
                           v->slices.unit[f->down] * (float)(1 << c->shift[f->down])};
    const int width = c->size[f->across], height = c->size[f->down];
    float x = c->x * v->slices.unit[f->across], y = c->y * v->slices.unit[f->down];
    if (!c->arranged && f->flip[0])
        x = pane->extent[0] - x - unit[0] * (float)width;
    if (!c->arranged && f->flip[1])
        y = pane->extent[1] - y - unit[1] * (float)height;
    struct wp_tile *tile = wp_tile_add(v, x, y, unit, width, height);
    if (!tile)
        return NULL;
    tile->single = true;
    tile->component = 0;
    tile->level = c->level;
    tile->band = c->band;
    tile->orientation = *f;
    memcpy(tile->at, c->first, sizeof tile->at);
    memcpy(tile->origin, c->origin, sizeof tile->origin);
    memcpy(tile->shift, c->shift, sizeof tile->shift);
    if (c->level > 0)
        wp_tile_set_range(v, tile);
    else
        wp_tile_set_picture_range(v, tile, true);
    return tile;
}
