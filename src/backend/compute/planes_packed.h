// Transfers of pixels between the caller's memory and the samples of a schedule of planes; the GPU
// converts from and to floats. Both functions make the context current and wait. False after
// WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL.
#ifndef WP_PLANES_PACKED_H
#define WP_PLANES_PACKED_H

#include "planes.h"

bool wp_planes_load_pixels(struct wp_planes *planes, const struct wp_operand *from);
bool wp_planes_store_pixels(struct wp_planes *planes, const struct wp_operand *to);

#endif
