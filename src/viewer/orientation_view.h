// How slices of a volume are seen: which axis they follow, which ones go across and down the
// screen, and which of these backwards, so that patients stand upright.
#ifndef WP_ORIENTATION_VIEW_H
#define WP_ORIENTATION_VIEW_H

#include "image.h"

#include <stdbool.h>

// A slice along `axis` (WP_X, WP_Y, WP_Z), as it lies on the screen.
struct wp_slice_orientation {
    int axis, across, down;
    bool flip[2];    // the larger index is on the left; above
    char letter[4];  // where left, right, above and below are: R L A P S I; 0: nobody knows
    const char *name; // "axial", "coronal", "sagittal", or "xy", "xz", "yz"
};

// What a file's geometry says of it: NIfTI's sform, or else its qform. Without one x goes across
// before y before z, and nothing backwards. With `radiological` the patient's right is on the left.
struct wp_slice_orientation wp_slice_orientation_of(const struct wp_geometry *geometry, int axis, bool radiological);

// Height and depth of a voxel beside its width, the smallest of the three being 1; all 1 where they
// are not known. Slices that are frames are 1 apart.
void wp_slice_orientation_units(const struct wp_geometry *geometry, float unit[3]);

#endif
