// Slices of a volume: their orientation on the screen, so that patients are upright, and tiles with
// rectangular slices of an array of samples or coefficients.
#ifndef WP_SLICE_VIEW_H
#define WP_SLICE_VIEW_H

#include "image.h"
#include "instance.h"

struct wp_viewer;
struct wp_pane;
struct wp_tile;

// A slice along `axis` (WP_X, WP_Y, WP_Z) on the screen.
struct wp_orientation {
    int axis, across, down;
    bool flip[2];    // mirrored: indices increase to the left; upwards
    char letter[4];  // directions left, right, above, below: R L A P S I; 0: unknown
    const char *name; // "axial", "coronal", "sagittal", or "xy", "xz", "yz"
};

// The orientation from a file's NIfTI sform or qform. Without them x is across before y before z,
// not mirrored. With `radiological` the patient's right is on the left.
struct wp_orientation wp_orientation_of(const struct wp_geometry *geometry, int axis,
                                        bool radiological);

// Width, height and depth of a voxel relative to the smallest of them; all 1 if unknown. The
// distance of frames is 1.
void wp_orientation_units(const struct wp_geometry *geometry, float unit[3]);

// An array in host memory, or the difference of two.
struct wp_slice_array {
    const float *samples;
    const float *less;   // subtracted, or NULL
    const int *size;     // WP_DIMS_MAX numbers
    // Tiles are bands of the first description, and the array has those of the second one, which may
    // have other sizes and positions. NULL: tiles are at their positions in the array.
    const struct wp_description *tiles, *bands;
    int slab[2];         // not {0}: the maximum of slices slab[0]..slab[1]-1 along the tile's axis
};

// A texture with slices.
struct wp_slice_texture {
    struct wp_texture texture;
    unsigned long long contents; // hash of what it was filled from; 0: nothing
};

// Fills the texture of the pane's tiles of A or B with slices of one array per plane, unless it has
// these contents. `version` changes with the samples. False after an error.
bool wp_slices_fill(struct wp_viewer *v, const struct wp_pane *pane, int ab,
                    struct wp_slice_texture *texture, const struct wp_slice_array array[],
                    unsigned version);

// ---- Tiles of volumes: slices through the crosshair along each axis, copied from host memory to
// textures (volume_tiles.c).

struct wp_slices {
    struct wp_slice_texture of[WP_SLICE_PANES][2]; // for A and B
    unsigned version;             // counts updates of textures
    unsigned measured;            // version in the latest frame
    int pane;                     // latest active slice pane
    float unit[WP_DIMS_MAX];      // size of a voxel in view coordinates
    int size[WP_DIMS_MAX];        // of the volume, or of a reconstruction
};

// Creates the panes and their tiles. A must be ready.
void wp_slices_make(struct wp_viewer *v);
void wp_slices_free(struct wp_viewer *v);

// The axis of the slice pane that keys act on, or of the slices of a reconstruction.
int wp_slices_axis(const struct wp_viewer *v);

// Moves the crosshair along an axis, limited to the volume.
void wp_slices_step(struct wp_viewer *v, int axis, int step);

// The sample of the volume at a sample of a tile.
void wp_slices_locate(const struct wp_tile *tile, int px, int py, int sample[WP_DIMS_MAX]);
// Position of the crosshair in a pane, in view coordinates. False if it is not in the pane.
bool wp_slices_cross(const struct wp_viewer *v, const struct wp_pane *pane, float *x, float *y);

// The range of slices of the maximum projection along an axis: first..end-1.
void wp_slices_slab(const struct wp_viewer *v, int axis, int *first, int *end);

// Binary logarithm of the distance of a band's coefficients in samples.
int wp_slices_shift(const struct wp_description *d, int axis, int level);

// False if a pane shows only A, because its bands do not correspond to those of B.
bool wp_slices_compare(const struct wp_viewer *v, const struct wp_pane *pane);

// Number of slices per group, or 0 if there is one group.
int wp_slices_group(const struct wp_viewer *v);

// True if a pane shows the mode.
bool wp_slices_show(const struct wp_viewer *v, enum wp_view_mode mode);

// False for modes that volumes do not support.
static inline bool wp_slices_have_mode(int mode)
{
    return mode != WP_VIEW_TREE && mode != WP_VIEW_MIXED && mode != WP_VIEW_PASS;
}

#endif
