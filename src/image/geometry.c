#include "geometry.h"

#include <math.h>
#include <string.h>

enum { AXES = 3 };

// The affine matrix of the unit quaternion a, b, c, d, the voxel sizes and the offset.
static void rotate(const struct wp_geometry *g, double affine[AXES][AXES + 1])
{
    const double b = (double)g->quaternion[0], c = (double)g->quaternion[1];
    const double d = (double)g->quaternion[2];
    // Rounding may make the argument negative.
    const double a = sqrt(fmax(0.0, 1.0 - (b * b + c * c + d * d)));
    const double rotation[AXES][AXES] = {
        {a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
        {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
        {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c},
    };
    for (int i = 0; i < AXES; i++) {
        for (int k = 0; k < AXES; k++) {
            const double size = g->has_size ? g->size[k] : 1.0;
            affine[i][k] = rotation[i][k] * size * (k == AXES - 1 ? (double)g->qfac : 1.0);
        }
        affine[i][AXES] = (double)g->offset[i];
    }
}

bool wp_geometry_affine(const struct wp_geometry *g, double affine[AXES][AXES + 1])
{
    memset(affine, 0, AXES * sizeof *affine);
    for (int i = 0; i < AXES && g->sform_code; i++)
        for (int k = 0; k <= AXES; k++)
            affine[i][k] = (double)g->sform[i][k];
    if (!g->sform_code && g->qform_code)
        rotate(g, affine);
    return g->sform_code || g->qform_code;
}

const char *wp_geometry_orientation(const struct wp_geometry *g,
                                    char letters[WP_ORIENTATION_SIZE])
{
    static const char *const ends[AXES] = {"LR", "PA", "IS"};
    double affine[AXES][AXES + 1];
    bool assigned[AXES] = {false}; // world axes
    memset(letters, 0, WP_ORIENTATION_SIZE);
    if (!wp_geometry_affine(g, affine))
        return letters;
    // Assign the pair of axes with the largest remaining entry, three times.
    for (int n = 0; n < AXES; n++) {
        int row = -1, column = -1;
        for (int i = 0; i < AXES; i++)
            for (int k = 0; k < AXES; k++)
                if (!assigned[i] && !letters[k] &&
                    (row < 0 || fabs(affine[i][k]) > fabs(affine[row][column])))
                    row = i, column = k;
        assigned[row] = true;
        letters[column] = ends[row][affine[row][column] > 0.0];
    }
    return letters;
}
