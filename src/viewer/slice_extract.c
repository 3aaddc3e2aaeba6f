#include "slice_extract.h"

#include "instance_volume.h"
#include "viewer_struct.h"

#include <string.h>

struct wp_slice_extract_group wp_slice_extract_find_group(const struct wp_viewer *v, int number,
                                                          int axis)
{
    struct wp_slice_extract_group g;
    g.d = wp_instance_volume_group(v->instance[WP_A].volume, number, &g.first);
    memcpy(g.cross, v->state.cross, sizeof g.cross);
    g.cross[WP_Z] -= g.first;
    g.met = axis != WP_Z || (g.cross[WP_Z] >= 0 && g.cross[WP_Z] < wp_description_depth(&g.d));
    return g;
}

int wp_slice_extract_shift(const struct wp_description *d, int axis, int level)
{
    const int most = axis == WP_Z ? d->levels_z : d->levels;
    return level < most ? level : most;
}

struct wp_slice_extract wp_slice_extract_of(const struct wp_slice_extract_group *g, int level,
                                            enum wp_band band)
{
    const struct wp_band_grid grid = wp_description_band(&g->d, level, band);
    struct wp_slice_extract c = {.level = level, .band = (int)band};
    memcpy(c.first, grid.first, sizeof c.first);
    memcpy(c.size, grid.size, sizeof c.size);
    c.first[WP_Z] += g->first;
    return c;
}

int wp_slice_extract_at_cross(const struct wp_slice_extract_group *g,
                              const struct wp_slice_extract *c, int axis)
{
    const int at = g->cross[axis] >> wp_slice_extract_shift(&g->d, axis, c->level);
    return at < c->size[axis] ? at : c->size[axis] - 1;
}

void wp_slice_extract_slice(const struct wp_slice_extract_group *g, struct wp_slice_extract *c,
                            int axis)
{
    c->first[axis] += wp_slice_extract_at_cross(g, c, axis);
    c->size[axis] = 1;
    memcpy(c->origin, c->first, sizeof c->origin);
}

struct wp_tile *wp_slice_extract_add(struct wp_viewer *v, const struct wp_pane *pane,
                                     const struct wp_slice_orientation *f,
                                     const struct wp_slice_extract *c)
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

void wp_slice_extract_copy(const struct wp_slice_array *a, const struct wp_tile *t, float *texels,
                           int row)
{
    const struct wp_slice_orientation *f = &t->orientation;
    const ptrdiff_t of[WP_DIMS_MAX] = {1, a->size[WP_X], (ptrdiff_t)a->size[WP_X] * a->size[WP_Y]};
    const ptrdiff_t across = f->flip[0] ? -of[f->across] : of[f->across];
    const ptrdiff_t down = f->flip[1] ? -of[f->down] : of[f->down];
    ptrdiff_t first = 0;
    for (int d = 0; d < WP_DIMS_MAX; d++)
        first += t->at[d] * of[d];
    first -= f->flip[0] ? (t->width - 1) * across : 0;
    first -= f->flip[1] ? (t->height - 1) * down : 0;
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            const ptrdiff_t at = first + x * across + y * down;
            texels[4 * ((ptrdiff_t)y * row + x)] = a->samples[at] - (a->less ? a->less[at] : 0);
        }
}

bool wp_slice_extract_texture(struct wp_gl *gl, int width, int height, struct wp_texture *texture)
{
    if (texture->id && (texture->width < width || texture->height < height))
        wp_texture_destroy(texture);
    return texture->id || wp_texture_create(gl, width, height, texture);
}
