// Slices of arrays of volumes as tiles: extracts of bands and samples, by groups of slices.
#ifndef WP_EXTRACT_H
#define WP_EXTRACT_H

#include "viewer_struct.h"

// A group of slices, and its intersection with a slice at the crosshair.
struct wp_volume_group {
    struct wp_description d;
    int first; // first slice of the group
    bool met;  // the slice intersects the group
    int cross[WP_DIMS_MAX]; // crosshair relative to the group
};

// A rectangular slice of an array of samples or coefficients, shown as a tile.
struct wp_extract {
    int first[WP_DIMS_MAX], size[WP_DIMS_MAX]; // finally one sample along the orientation's axis
    int level, band;
    int origin[WP_DIMS_MAX], shift[WP_DIMS_MAX];
    float x, y;    // in samples of the finest level, before mirroring
    bool arranged; // x and y are final, only the contents are mirrored
};

struct wp_volume_group wp_volume_group(const struct wp_viewer *v, int number, int axis);

// Samples of the array along an axis that the level `level` + 1 transforms: its low and its high
// bands.
int wp_volume_size(const struct wp_description *d, int axis, int level);
// The sample of the volume at coefficient 0 of a level; before it if the border extends the volume.
int wp_volume_origin(const struct wp_description *d, int axis, int level);

// A complete band.
struct wp_extract wp_extract_of(const struct wp_volume_group *g, int level, enum wp_band band);
// The position of the crosshair in the extract along an axis.
int wp_extract_at_cross(const struct wp_volume_group *g, const struct wp_extract *c, int axis);
// Reduces the extract to the slice at the crosshair.
void wp_extract_take_slice(const struct wp_volume_group *g, struct wp_extract *c, int axis);
// Adds a tile with the extract to a pane, with the given orientation. NULL if the tile limit is
// reached.
struct wp_tile *wp_extract_add(struct wp_viewer *v, const struct wp_pane *pane,
                               const struct wp_orientation *f, const struct wp_extract *c);

// Adds the subbands as a solid cube (cube_tiles.c).
void wp_cube_add(struct wp_viewer *v, struct wp_pane *pane);

#endif
