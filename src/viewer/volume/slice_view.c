#include "slice_view.h"

#include "viewer_struct.h"

#include <math.h>

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
