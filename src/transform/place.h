// Where the samples or the coefficients of a transform lie in a caller's memory.
#ifndef WP_PLACE_H
#define WP_PLACE_H

#include "description.h"

// Floats with a distance between neighbours along each axis: element (x, y) of plane p is
// data[x * step[WP_X] + y * step[WP_Y] + p * plane]. Distances are in elements.
struct wp_view {
    float *data;
    ptrdiff_t step[WP_DIMS_MAX];
    ptrdiff_t plane;
};

// One side of a transform: an array of the description's size, of samples or of coefficients in its
// layout; or coefficients with a view for each band.
struct wp_place {
    struct wp_view array;
    const struct wp_view *band; // NULL, or wp_place_bands() of them; `array` is not looked at then
};

// An array without gaps, planes one behind the other.
struct wp_place wp_place_dense(const struct wp_description *description, float *data);
// The same for what is only read.
struct wp_place wp_place_const(const struct wp_description *description, const float *data);

// Band views of a description: LL of the last level first, then HL, LH and HH of each level from
// the last one to the first. Of no level there is one, the samples.
int wp_place_bands(const struct wp_description *description);
int wp_place_band_number(const struct wp_description *description, int level, enum wp_band band);

// A band of a level, from 1 on, in a place that holds coefficients; LL is there at the last one
// alone. Level 0: the samples, of a place that holds those.
struct wp_view wp_place_band(const struct wp_description *description,
                             const struct wp_place *place, int level, enum wp_band band, int plane);

// Where `from` and `to` share memory, or may.
bool wp_place_overlaps(const struct wp_description *description, const struct wp_place *from,
                       const struct wp_place *to);

#endif
