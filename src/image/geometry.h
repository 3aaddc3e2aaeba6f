// Where voxels lie in the world, from what a file says of it.
#ifndef WP_GEOMETRY_H
#define WP_GEOMETRY_H

#include "image.h"

// The position in mm of voxel (x, y, z) is affine[i][0..2] times it plus affine[i][3], i: towards
// the right, the front and the top of who was scanned, as NIfTI-1 has it. By the sform where there
// is one, else by the qform; false, and zeros, where there is neither.
bool wp_geometry_affine(const struct wp_geometry *geometry, double affine[3][4]);

// "RAS" where x, y and z lead to the right, the front (anterior) and the top (superior); else L, P,
// I for those that lead the other way. Each axis takes the direction that it is the nearest to, and
// no two share one. "" where nothing is known.
enum { WP_ORIENTATION_SIZE = 4 };
const char *wp_geometry_orientation(const struct wp_geometry *geometry,
                                    char letters[WP_ORIENTATION_SIZE]);

#endif
