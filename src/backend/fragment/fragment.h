// Fragment shaders through OpenGL. Devices are the places of context.h; -1 is any.
#ifndef WP_FRAGMENT_H
#define WP_FRAGMENT_H

#include "backend.h"

extern const struct wp_backend wp_backend_fragment;

#endif
