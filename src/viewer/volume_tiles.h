// What the canvas shows of a volume: slices through one sample along each axis, cut out of the
// arrays on the host and laid on textures as tiles.
#ifndef WP_VOLUME_TILES_H
#define WP_VOLUME_TILES_H

#include "instance.h"

struct wp_viewer;
struct wp_pane;
struct wp_tile;

// What a texture holds, compared as bytes.
struct wp_slice_key {
    const float *from;
    unsigned version;
    int mode, fourth, axis, across, down, flip, level, band, slab[2], behind;
    int at[WP_DIMS_MAX];
};

// A texture for each part of the canvas, and each of A and B.
struct wp_slices {
    struct {
        struct wp_texture texture;
        struct wp_slice_key key;
    } of[WP_SLICE_PANES][2];
    unsigned version;             // counts what was cut
    unsigned measured;            // as of the latest frame
    int pane;                     // the latest active one that is a slice
    float unit[WP_DIMS_MAX];      // of a voxel, in view coordinates
    int size[WP_DIMS_MAX];        // of the volume
};

// Makes the panes and their tiles; A is ready.
void wp_slices_make(struct wp_viewer *v);
void wp_slices_free(struct wp_viewer *v);

// The slice pane that keys act on, and its axis.
int wp_slices_pane(const struct wp_viewer *v);
int wp_slices_axis(const struct wp_viewer *v);

// Moves along an axis, not beyond its ends.
void wp_slices_step(struct wp_viewer *v, int axis, int step);

// The sample of the volume that a sample of a tile stands for.
void wp_slices_locate(const struct wp_tile *tile, int px, int py, int sample[WP_DIMS_MAX]);
// Where the lines of the crosshair are in a pane, in view coordinates. False where it has none.
bool wp_slices_cross(const struct wp_viewer *v, const struct wp_pane *pane, float *x, float *y);

// Along an axis, the slices that the largest values are of: `end` is behind the last.
void wp_slices_slab(const struct wp_viewer *v, int axis, int *first, int *end);

// Slices in a group where they are in groups, else 0.
int wp_slices_group(const struct wp_viewer *v);

// True where one of the parts shows the mode.
bool wp_slices_show(const struct wp_viewer *v, enum wp_view_mode mode);

// False for what only images have.
bool wp_slices_have_mode(int mode);

#endif
