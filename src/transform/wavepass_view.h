// Where samples lie in memory. wavepass.h includes it.
#ifndef WAVEPASS_VIEW_H
#define WAVEPASS_VIEW_H

#include <stddef.h>

// Floats with a distance between neighbours along each axis: element (x, y) of plane p is
// data[x * step[0] + y * step[1] + p * plane]. Distances are in elements.
struct wp_view {
    float *data;
    ptrdiff_t step[3]; // along x, y, z
    ptrdiff_t plane;
};

#endif
