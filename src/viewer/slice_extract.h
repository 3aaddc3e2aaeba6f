// Cuts: rectangles of an array of samples or coefficients of a volume that become tiles.
#ifndef WP_SLICE_EXTRACT_H
#define WP_SLICE_EXTRACT_H

#include "description.h"
#include "orientation_view.h"

#include <stdbool.h>

struct wp_viewer;
struct wp_pane;
struct wp_tile;

// A group of slices, and whether a slice along an axis at the crosshair meets it.
struct wp_slice_extract_group {
    struct wp_description d;
    int first; // slice
    bool met;
    int cross[WP_DIMS_MAX]; // within it
};

struct wp_slice_extract_group wp_slice_extract_find_group(const struct wp_viewer *v, int number, int axis);

// How many levels an axis has that far down.
int wp_slice_extract_shift(const struct wp_description *d, int axis, int level);

struct wp_slice_extract {
    int first[WP_DIMS_MAX], size[WP_DIMS_MAX]; // in the end one sample along the facing's axis
    int level, band;
    int origin[WP_DIMS_MAX], shift[WP_DIMS_MAX];
    float x, y;    // in samples of the finest level, before it is turned
    bool arranged; // it stays where x and y are, and only what it shows is turned
};

// All of a band.
struct wp_slice_extract wp_slice_extract_of(const struct wp_slice_extract_group *group, int level, enum wp_band band);

// Where the crosshair is in it along an axis.
int wp_slice_extract_at_cross(const struct wp_slice_extract_group *group, const struct wp_slice_extract *extract, int axis);

// Its slice there alone, whose samples are counted as those of the array.
void wp_slice_extract_slice(const struct wp_slice_extract_group *group, struct wp_slice_extract *extract, int axis);

// A tile more of a pane, seen as `orientation` says; NULL where there is no room.
struct wp_tile *wp_slice_extract_add(struct wp_viewer *v, const struct wp_pane *pane,
                           const struct wp_slice_orientation *orientation, const struct wp_slice_extract *extract);

#endif
