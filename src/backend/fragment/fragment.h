// The fragment backend: OpenGL fragment shaders. Devices are those of context.h.
#ifndef WP_FRAGMENT_H
#define WP_FRAGMENT_H

#include "backend.h"

extern const struct wp_backend wp_backend_fragment;

#endif
