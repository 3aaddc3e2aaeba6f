// Which slices of a volume a dispatch works on: as many as the buffers that it reads and writes can
// hold for the shaders of a device.
#ifndef WP_SLICE_RANGE_H
#define WP_SLICE_RANGE_H

#include "emit_tile.h"
#include "planes.h"

struct wp_slice_range {
    int first, end;                       // that are written
    struct wp_buffer_part source, result; // with what they are made of
    int step[4];                          // slice_step of shaders/slices.glsl
};

// `count` slices of an operation of a volume from number `first` on; `reach` is that of its lines,
// {0} where it leaves z alone. False where a part is larger than shaders reach.
bool wp_slice_range_find(const struct wp_planes *planes, const struct wp_op *op,
                         const struct wp_lines_reach *reach, int first, int count,
                         struct wp_slice_range *range);

// How many slices all dispatches of an operation can take, even in number where it goes along z. 0
// after WP_ERROR_TOO_LARGE.
int wp_slice_range_most(const struct wp_planes *planes, const struct wp_op *op,
                        const struct wp_lines_reach *reach);

#endif
