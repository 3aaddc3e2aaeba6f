// Orientation of slices of a volume on the screen: axes and mirroring, so that patients are
// upright.
#ifndef WP_ORIENTATION_VIEW_H
#define WP_ORIENTATION_VIEW_H

#include "image.h"

#include <stdbool.h>

// A slice along `axis` (WP_X, WP_Y, WP_Z) on the screen.
struct wp_slice_orientation {
    int axis, across, down;
    bool flip[2];    // mirrored: indices increase to the left; upwards
    char letter[4];  // directions left, right, above, below: R L A P S I; 0: unknown
    const char *name; // "axial", "coronal", "sagittal", or "xy", "xz", "yz"
};

// The orientation from a file's NIfTI sform or qform. Without them x is across before y before z,
// not mirrored. With `radiological` the patient's right is on the left.
struct wp_slice_orientation wp_slice_orientation_of(const struct wp_geometry *geometry, int axis,
                                                    bool radiological);

// Width, height and depth of a voxel relative to the smallest of them; all 1 if unknown. The
// distance of frames is 1.
void wp_slice_orientation_units(const struct wp_geometry *geometry, float unit[3]);

#endif
