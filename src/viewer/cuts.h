// Cuts: rectangles of an array of samples or coefficients of a volume that become tiles.
#ifndef WP_CUTS_H
#define WP_CUTS_H

#include "description.h"
#include "facing.h"

#include <stdbool.h>

struct wp_viewer;
struct wp_pane;
struct wp_tile;

// A group of slices, and whether a slice along an axis at the crosshair meets it.
struct wp_cut_group {
    struct wp_description d;
    int first; // slice
    bool met;
    int cross[WP_DIMS_MAX]; // within it
};

struct wp_cut_group wp_cut_find_group(const struct wp_viewer *v, int number, int axis);

// How many levels an axis has that far down.
int wp_cut_shift(const struct wp_description *d, int axis, int level);

struct wp_cut {
    int first[WP_DIMS_MAX], size[WP_DIMS_MAX]; // in the end one sample along the facing's axis
    int level, band;
    int origin[WP_DIMS_MAX], shift[WP_DIMS_MAX];
    float x, y;    // in samples of the finest level, before it is turned
    bool arranged; // it stays where x and y are, and only what it shows is turned
};

// All of a band.
struct wp_cut wp_cut_of(const struct wp_cut_group *group, int level, enum wp_band band);

// Where the crosshair is in it along an axis.
int wp_cut_at_cross(const struct wp_cut_group *group, const struct wp_cut *cut, int axis);

// Its slice there alone, whose samples are counted as those of the array.
void wp_cut_slice(const struct wp_cut_group *group, struct wp_cut *cut, int axis);

// A tile more of a pane, seen as `facing` says; NULL where there is no room.
struct wp_tile *wp_cut_add(struct wp_viewer *v, const struct wp_pane *pane,
                           const struct wp_facing *facing, const struct wp_cut *cut);

#endif
