#include "slice_view.h"

#include "geometry.h"
#include "memory.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// World axes of NIfTI: right, front, up.
enum { WORLD_RIGHT, WORLD_FRONT, WORLD_UP };

// Assigns each voxel axis the nearest world axis, as a permutation, and normalizes the axes, which
// are columns. Returns false if it is undefined.
static bool match(double m[3][4], int world[3])
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
    double m[3][4];
    int world[3];
    if (g->frames || !wp_geometry_affine(g, m) || !match(m, world))
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

// Moves a box of a tile's band to the same coefficients of the array. False if it lacks some of them;
// then the box is smaller.
static bool move_box(const struct wp_slice_array *a, const struct wp_tile *t,
                     int first[WP_DIMS_MAX], int end[WP_DIMS_MAX])
{
    const enum wp_band band = (enum wp_band)t->band;
    const struct wp_band_grid from = wp_description_band(a->tiles, t->level, band);
    const struct wp_band_grid to = wp_description_band(a->bands, t->level, band);
    bool complete = true;
    for (int d = 0; d < WP_DIMS_MAX && t->level > 0; d++) {
        const int last = to.first[d] + to.size[d];
        // Those of the following groups are as far away in both arrays.
        const int shift = to.first[d] - from.first[d];
        first[d] += shift;
        end[d] += shift;
        if (wp_description_expands(a->bands, d) && end[d] > last) {
            end[d] = last;
            complete = false;
        }
    }
    return complete;
}

// Copies the slice that a tile shows, or the maximum of a slab, to one component of texels; `row`
// is the row stride in texels. Reads the array in memory order.
static void copy_slice(const struct wp_slice_array *a, const struct wp_tile *t, float *texels,
                       int row)
{
    const struct wp_orientation *f = &t->orientation;
    int first[WP_DIMS_MAX], end[WP_DIMS_MAX];
    memcpy(first, t->at, sizeof first);
    for (int d = 0; d < WP_DIMS_MAX; d++)
        end[d] = first[d] + (d == f->across ? t->width : d == f->down ? t->height : 1);
    const bool same = !a->bands || move_box(a, t, first, end);
    if (a->slab[1] > 0) {
        first[f->axis] = a->slab[0];
        end[f->axis] = a->slab[1];
    }
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++)
            texels[4 * ((ptrdiff_t)y * row + x)] = same ? -INFINITY : 0;
    for (int z = first[WP_Z]; z < end[WP_Z]; z++) {
        for (int y = first[WP_Y]; y < end[WP_Y]; y++) {
            const ptrdiff_t from = ((ptrdiff_t)z * a->size[WP_Y] + y) * a->size[WP_X];
            int at[WP_DIMS_MAX] = {0, y - first[WP_Y], z - first[WP_Z]};
            for (int x = first[WP_X]; x < end[WP_X]; x++) {
                at[WP_X] = x - first[WP_X];
                const int i = f->flip[0] ? t->width - 1 - at[f->across] : at[f->across];
                const int k = f->flip[1] ? t->height - 1 - at[f->down] : at[f->down];
                const float value = a->samples[from + x] - (a->less ? a->less[from + x] : 0);
                float *texel = &texels[4 * ((ptrdiff_t)k * row + i)];
                *texel = a->slab[1] == 0 || value > *texel ? value : *texel;
            }
        }
    }
}

// Packs the tiles into a texture without gaps.
static void pack_tiles(struct wp_viewer *v, const struct wp_pane *pane, int *width, int *height)
{
    enum { WIDEST = 1024 }; // unless a tile is wider
    int x = 0, y = 0, tall = 0;
    *width = *height = 0;
    for (int i = pane->first; i < pane->first + pane->tiles; i++) {
        struct wp_tile *t = &v->tile[i];
        if (x > 0 && x + t->width > WIDEST) {
            x = 0;
            y += tall;
            tall = 0;
        }
        for (int p = 0; p < t->planes; p++) {
            t->quads[WP_A][p].x = t->quads[WP_B][p].x = x;
            t->quads[WP_A][p].y = t->quads[WP_B][p].y = y;
        }
        x += t->width;
        tall = t->height > tall ? t->height : tall;
        *width = x > *width ? x : *width;
        *height = y + tall > *height ? y + tall : *height;
    }
}

// Hashes everything that the texels depend on.
static unsigned long long hash_contents(const struct wp_viewer *v, const struct wp_pane *pane,
                                        const struct wp_slice_array *array, unsigned version)
{
    struct wp_text text = {0};
    wp_text_add(&text, "%p %u %d %d", (const void *)array->samples, version, array->slab[0],
                array->slab[1]);
    for (int i = pane->first; i < pane->first + pane->tiles; i++) {
        const struct wp_tile *t = &v->tile[i];
        const struct wp_orientation *f = &t->orientation;
        wp_text_add(&text, ",%d %d %d %d %d %d %d %d %d", t->at[WP_X], t->at[WP_Y], t->at[WP_Z],
                    t->width, t->height, f->across, f->down, f->flip[0], f->flip[1]);
    }
    const unsigned long long hash = wp_hash(wp_text_get(&text));
    wp_text_free(&text);
    return hash;
}

// All tiles are uploaded at once, because each upload waits for a software renderer. Planes are
// components of texels.
bool wp_slices_fill(struct wp_viewer *v, const struct wp_pane *pane, int ab,
                    struct wp_slice_texture *texture, const struct wp_slice_array array[],
                    unsigned version)
{
    const unsigned long long contents = hash_contents(v, pane, array, version);
    struct wp_texture *to = &texture->texture;
    int width, height;
    pack_tiles(v, pane, &width, &height);
    for (int i = pane->first; i < pane->first + pane->tiles; i++)
        for (int p = 0; p < v->tile[i].planes; p++)
            v->tile[i].quads[ab][p].texture = to;
    if (pane->tiles == 0 || texture->contents == contents)
        return true;
    texture->contents = 0;
    if (to->id && (to->width < width || to->height < height))
        wp_texture_destroy(to);
    float *texels = NULL;
    bool ok = (to->id || wp_texture_create(v->gl, width, height, to)) &&
              (texels = wp_allocate((size_t)width * (size_t)height, 4 * sizeof *texels, "slices"));
    for (int i = pane->first; i < pane->first + pane->tiles && ok; i++) {
        const struct wp_quads *at = v->tile[i].quads[WP_A];
        float *first = texels + 4 * ((ptrdiff_t)at->y * width + at->x);
        for (int p = 0; p < v->tile[i].planes; p++)
            copy_slice(&array[p], &v->tile[i], first + p, width);
    }
    ok = ok && wp_texture_write(to, 0, 0, width, height, texels);
    free(texels);
    texture->contents = ok ? contents : 0;
    return ok;
}

void wp_slices_locate(const struct wp_tile *t, int px, int py, int sample[WP_DIMS_MAX])
{
    const struct wp_orientation *f = &t->orientation;
    const int x = f->flip[0] ? t->width - 1 - px : px, y = f->flip[1] ? t->height - 1 - py : py;
    memcpy(sample, t->origin, WP_DIMS_MAX * sizeof *sample);
    sample[f->across] += x << t->shift[f->across];
    sample[f->down] += y << t->shift[f->down];
}
