// The functions of OpenGL, which GLEW finds.
#include "gl_internal.h"

#include <stdio.h>
#include <string.h>

// GLEW looks for a GLX display and returns an error without one, with every pointer loaded;
// so what counts is whether the functions are there.
static bool call_glew(char *reason, size_t reason_size)
{
    glewExperimental = GL_TRUE;
    const GLenum status = glewInit();
    while (glGetError() != GL_NO_ERROR) {
    }
    if (status == GLEW_OK || status == GLEW_ERROR_NO_GLX_DISPLAY)
        return true;
    snprintf(reason, reason_size, "GLEW: %s", (const char *)glewGetErrorString(status));
    return false;
}

// Its pointers are the process's, and another thread may be at work by them: where they are those
// of this driver already they stay.
bool wp_gl_load_functions(char *reason, size_t reason_size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char loaded[256];
    char driver[sizeof loaded];
    snprintf(driver, sizeof driver, "%s, %s", (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION));
    pthread_mutex_lock(&lock);
    const bool ok = strcmp(driver, loaded) == 0 || call_glew(reason, reason_size);
    if (ok)
        memcpy(loaded, driver, sizeof loaded);
    pthread_mutex_unlock(&lock);
    if (!ok)
        return false;
    if (!glGenVertexArrays || !glGenFramebuffers || !glCreateProgram || !glTexStorage2D) {
        snprintf(reason, reason_size, "%s",
                 glTexStorage2D ? "OpenGL functions are missing" : "no GL_ARB_texture_storage");
        return false;
    }
    return true;
}
