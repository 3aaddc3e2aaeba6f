// Compute shaders that run a level at a time, through OpenGL 4.3. Devices are the places of
// context.h; -1 is any.
#ifndef WP_COMPUTE_H
#define WP_COMPUTE_H

#include "backend.h"

extern const struct wp_backend wp_backend_compute;

#endif
