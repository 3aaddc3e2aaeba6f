// The slices of a volume that one dispatch processes: as many as shaders of the device can access
// in the buffers that it reads and writes.
#ifndef WP_SLICE_RANGE_H
#define WP_SLICE_RANGE_H

#include "emit_tile.h"
#include "planes.h"

struct wp_slice_range {
    int first, end;                       // slices first..end-1 are written
    struct wp_buffer_part source, result; // the ranges that are read and written
    int step[4];                          // slice_step of shaders/slices.glsl
};

// The range for `count` slices of an operation from number `first` on. `reach` is the support along
// z, {0} if the operation does not transform z. False if a part is larger than shaders can access.
bool wp_slice_range_find(const struct wp_planes *planes, const struct wp_op *op,
                         const struct wp_lines_reach *reach, int first, int count,
                         struct wp_slice_range *range);

// The maximum number of slices for all dispatches of an operation, even if it transforms z. 0 after
// WP_ERROR_TOO_LARGE.
int wp_slice_range_max(const struct wp_planes *planes, const struct wp_op *op,
                       const struct wp_lines_reach *reach);

#endif
