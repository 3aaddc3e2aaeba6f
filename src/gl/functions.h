// Declares the functions and constants of OpenGL. Must be included before other GL headers.
#ifndef WP_GL_FUNCTIONS_H
#define WP_GL_FUNCTIONS_H

#ifdef __EMSCRIPTEN__
#include "functions_web.h"
#else
#include <GL/glew.h>
#endif

#endif
