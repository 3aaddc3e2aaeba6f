// Replaces context_glfw.c in a build without GLFW.
#include "gl_internal.h"

static int count(void)
{
    return 0;
}

void *wp_gl_glfw_get_current(void)
{
    return NULL;
}

void wp_gl_glfw_set_current(void *window)
{
    (void)window;
}

const struct wp_gl_provider wp_gl_provider_glfw = {.count = count};
