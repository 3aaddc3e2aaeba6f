// Voxel coordinates to world coordinates, from the metadata of a file.
#ifndef WP_GEOMETRY_H
#define WP_GEOMETRY_H

#include "image.h"

// Gets the affine matrix: world coordinate i of voxel (x, y, z), in mm, is the product of
// affine[i][0..2] and (x, y, z) plus affine[i][3]; +x is the patient's right, +y anterior, +z
// superior, as in NIfTI-1. From the sform if present, else the qform; false, with zeros, if the
// file has neither.
bool wp_geometry_affine(const struct wp_geometry *geometry, double affine[3][4]);

// Gets the orientation: "RAS" if x, y and z point right, anterior and superior, with L, P, I for
// the opposite directions. Each voxel axis is assigned the nearest world axis that is not assigned
// yet. "" if unknown.
enum { WP_ORIENTATION_SIZE = 4 };
const char *wp_geometry_orientation(const struct wp_geometry *geometry,
                                    char letters[WP_ORIENTATION_SIZE]);

#endif
