// Levels that backends do not compute as such: with the borders of PyWavelets, and adjoints whose
// ends differ from the transform of the dual wavelet. A level is a transform that backends do
// compute, of another size, between maps along each axis (axis_map.h). By direction:
//     forward  extend the samples, periodic transform, take the coefficients from `first` on
//     inverse  put all coefficients, periodic transform of 2b samples, crop
// Adjoints have the transposed operations in the reverse order, with the sizes of the other
// direction:
//     inverse  put coefficients from `first` on into bands of zeros, transposed periodic transform,
//              fold the extension back
//     forward  embed the samples in 2b samples, transposed periodic transform, take all
//              coefficients
#ifndef WP_BORDER_H
#define WP_BORDER_H

#include "axis_map.h"
#include "description.h"

// Along an axis: samples of that transform, and the coefficients of a band before those that are
// taken or put. Sample i of the transform is sample i + shift.
struct wp_border_axis {
    int size, first, shift;
};

// Does level `level` (from 0) transform the axis?
bool wp_border_is_split(const struct wp_description *description, int axis, int level);

// Is it an adjoint that multiplies the first and the last sample of each axis (src/plan/borders.c)?
// The sizes are then those of the description.
bool wp_border_has_weights(const struct wp_description *description);

struct wp_border_axis wp_border_axis(const struct wp_description *description, int axis, int level);

// The transform of level `level`, which has one level.
struct wp_description wp_border_level(const struct wp_description *description, int level);

// The map between the samples of level `level` and those of its transform: forward to the latter,
// inverse from them. Not for descriptions with weights. False after WP_ERROR_TOO_LARGE.
bool wp_border_map(struct wp_axis_map *map, const struct wp_description *description, int axis,
                   int level);

#endif
