#include "slice_view.h"

#include "viewer_struct.h"

#include <math.h>
#include <string.h>

// World axes of NIfTI: right, front, up.
enum { WORLD_RIGHT, WORLD_FRONT, WORLD_UP };

// Directions of the voxel axes in world coordinates, one per column: from the sform, or the
// quaternion of the qform as defined in nifti1.h. Returns false if the file has neither.
static bool directions(const struct wp_geometry *g, double m[3][3])
{
    if (g->sform_code > 0) {
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                m[r][c] = (double)g->sform[r][c];
        return true;
    }
    if (g->qform_code <= 0)
        return false;
    const double b = (double)g->quaternion[0], c = (double)g->quaternion[1];
    const double d = (double)g->quaternion[2], rest = 1 - b * b - c * c - d * d;
    const double a = rest > 0 ? sqrt(rest) : 0, z = g->qfac < 0 ? -1 : 1;
    const double rotation[3][3] = {
        {a * a + b * b - c * c - d * d, 2 * (b * c - a * d), z * 2 * (b * d + a * c)},
        {2 * (b * c + a * d), a * a + c * c - b * b - d * d, z * 2 * (c * d - a * b)},
        {2 * (b * d - a * c), 2 * (c * d + a * b), z * (a * a + d * d - b * b - c * c)},
    };
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 3; i++)
            m[r][i] = rotation[r][i];
    return true;
}

// Assigns each voxel axis the nearest world axis, as a permutation. Returns false if it is
// undefined.
static bool match(double m[3][3], int world[3])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double best = 0;
    for (int c = 0; c < 3; c++) {
        const double length = hypot(hypot(m[0][c], m[1][c]), m[2][c]);
        for (int r = 0; r < 3; r++)
            m[r][c] /= length;
    }
    for (int i = 0; i < 6; i++) {
        const int *o = orders[i];
        const double sum = fabs(m[o[0]][0]) + fabs(m[o[1]][1]) + fabs(m[o[2]][2]);
        if (!(sum > best + 1e-6)) // the first of equal ones; false for NaN
            continue;
        best = sum;
        for (int c = 0; c < 3; c++)
            world[c] = o[c];
    }
    return best > 0;
}

struct wp_orientation wp_orientation_of(const struct wp_geometry *g, int axis, bool radiological)
{
    static const char *const planes[] = {"yz", "xz", "xy"};
    static const char *const frames[] = {"yt", "xt", "frame"};
    static const char *const slices[] = {"sagittal", "coronal", "axial"};
    struct wp_orientation f = {.axis = axis, .across = axis == WP_X ? WP_Y : WP_X,
                          .down = axis == WP_Z ? WP_Y : WP_Z,
                          .name = g->frames ? frames[axis] : planes[axis]};
    double m[3][3];
    int world[3];
    if (g->frames || !directions(g, m) || !match(m, world))
        return f;
    f.name = slices[world[axis]];
    if (world[f.across] > world[f.down]) {
        const int across = f.across;
        f.across = f.down;
        f.down = across;
    }
    const bool right = m[world[f.across]][f.across] > 0, above = m[world[f.down]][f.down] > 0;
    const bool lateral = world[f.across] == WORLD_RIGHT;
    // Front of the head on the left; patient's right on the left with `radiological`, else on the
    // right.
    f.flip[0] = lateral && !radiological ? !right : right;
    f.flip[1] = above;
    f.letter[0] = (char)(lateral ? (radiological ? 'R' : 'L') : 'A');
    f.letter[1] = (char)(lateral ? (radiological ? 'L' : 'R') : 'P');
    f.letter[2] = (char)(world[f.down] == WORLD_UP ? 'S' : 'A');
    f.letter[3] = (char)(world[f.down] == WORLD_UP ? 'I' : 'P');
    return f;
}

void wp_orientation_units(const struct wp_geometry *g, float unit[3])
{
    const int axes = g->frames ? 2 : 3;
    double least = INFINITY;
    bool known = g->has_size;
    for (int a = 0; a < axes; a++) {
        known = known && g->size[a] > 0 && isfinite(g->size[a]);
        least = known ? fmin(least, g->size[a]) : 1;
    }
    for (int a = 0; a < 3; a++)
        unit[a] = known && a < axes ? (float)(g->size[a] / least) : 1;
}

struct wp_extract_group wp_extract_find_group(const struct wp_viewer *v, int number, int axis)
{
    struct wp_extract_group g;
    g.d = wp_instance_volume_group(v->instance[WP_A]->volume, number, &g.first);
    memcpy(g.cross, v->state.cross, sizeof g.cross);
    g.cross[WP_Z] -= g.first;
    g.met = axis != WP_Z || (g.cross[WP_Z] >= 0 && g.cross[WP_Z] < wp_description_depth(&g.d));
    return g;
}

int wp_extract_shift(const struct wp_description *d, int axis, int level)
{
    const int most = axis == WP_Z ? d->levels_z : d->levels;
    return level < most ? level : most;
}

struct wp_extract wp_extract_of(const struct wp_extract_group *g, int level, enum wp_band band)
{
    const struct wp_band_grid grid = wp_description_band(&g->d, level, band);
    struct wp_extract c = {.level = level, .band = (int)band};
    memcpy(c.first, grid.first, sizeof c.first);
    memcpy(c.size, grid.size, sizeof c.size);
    c.first[WP_Z] += g->first;
    return c;
}

int wp_extract_at_cross(const struct wp_extract_group *g, const struct wp_extract *c, int axis)
{
    const int at = g->cross[axis] >> wp_extract_shift(&g->d, axis, c->level);
    return at < c->size[axis] ? at : c->size[axis] - 1;
}

void wp_extract_slice(const struct wp_extract_group *g, struct wp_extract *c, int axis)
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

void wp_extract_copy(const struct wp_slice_array *a, const struct wp_tile *t, float *texels,
                     int row)
{
    const struct wp_orientation *f = &t->orientation;
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

bool wp_extract_texture(struct wp_gl *gl, int width, int height, struct wp_texture *texture)
{
    if (texture->id && (texture->width < width || texture->height < height))
        wp_texture_destroy(texture);
    return texture->id || wp_texture_create(gl, width, height, texture);
}
