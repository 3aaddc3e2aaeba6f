// The compute backend: OpenGL 4.3 compute shaders, one dispatch per level. Devices are those of
// context.h.
#ifndef WP_COMPUTE_H
#define WP_COMPUTE_H

#include "backend.h"

extern const struct wp_backend wp_backend_compute;

#endif
