// Stands in for context_glfw.c in a build without GLFW.
#include "context_internal.h"

static int count(void)
{
    return 0;
}

const struct wp_gl_provider wp_gl_provider_glfw = {.count = count};
