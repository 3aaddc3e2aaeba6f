// Loads the functions of OpenGL with GLEW.
#include "gl_internal.h"

#include <stdio.h>
#include <string.h>

// Without a GLX display, GLEW returns an error although it has loaded all functions, so that error
// is ignored.
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

// GLEW's function pointers are global, and other threads may be using them; they are loaded only
// if the driver differs.
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
