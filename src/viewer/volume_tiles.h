// Tiles of volumes: slices through the crosshair along each axis, copied from host memory to
// textures.
#ifndef WP_VOLUME_TILES_H
#define WP_VOLUME_TILES_H

#include "instance.h"

#include <stdbool.h>

struct wp_viewer;
struct wp_pane;
struct wp_tile;

// Identifies the contents of a texture; compared as bytes.
struct wp_slice_key {
    const float *from;
    unsigned version;
    int mode, fourth, axis, across, down, flip, level, band, slab[2], behind;
    int at[WP_DIMS_MAX];
};

// One texture per pane, for A and B.
struct wp_slices {
    struct {
        struct wp_texture texture;
        struct wp_slice_key key;
    } of[WP_SLICE_PANES][2];
    unsigned version;             // counts updates of textures
    unsigned measured;            // version in the latest frame
    int pane;                     // latest active slice pane
    float unit[WP_DIMS_MAX];      // size of a voxel in view coordinates
    int size[WP_DIMS_MAX];        // of the volume
};

// Creates the panes and their tiles. A must be ready.
void wp_slices_make(struct wp_viewer *v);
void wp_slices_free(struct wp_viewer *v);

// The slice pane that keys act on, and its axis.
int wp_slices_pane(const struct wp_viewer *v);
int wp_slices_axis(const struct wp_viewer *v);

// Moves the crosshair along an axis, limited to the volume.
void wp_slices_step(struct wp_viewer *v, int axis, int step);

// The sample of the volume at a sample of a tile.
void wp_slices_locate(const struct wp_tile *tile, int px, int py, int sample[WP_DIMS_MAX]);
// Position of the crosshair in a pane, in view coordinates. False if it is not in the pane.
bool wp_slices_cross(const struct wp_viewer *v, const struct wp_pane *pane, float *x, float *y);

// The range of slices of the maximum projection along an axis: first..end-1.
void wp_slices_slab(const struct wp_viewer *v, int axis, int *first, int *end);

// Number of slices per group, or 0 if there is one group.
int wp_slices_group(const struct wp_viewer *v);

// True if a pane shows the mode.
bool wp_slices_show(const struct wp_viewer *v, enum wp_view_mode mode);

// False for modes that volumes do not support.
bool wp_slices_have_mode(int mode);

#endif
