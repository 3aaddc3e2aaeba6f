// The names of OpenGL's functions and constants. Must come before any other GL header.
#ifndef WP_GL_FUNCTIONS_H
#define WP_GL_FUNCTIONS_H

#ifdef __EMSCRIPTEN__
#include "functions_web.h"
#else
#include <GL/glew.h>
#endif

#endif
