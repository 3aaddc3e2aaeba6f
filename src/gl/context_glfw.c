// Contexts of a hidden GLFW window, for systems with a display but without EGL.
#include "gl_internal.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// Before glfwInit(), GLFW would report an error for each call.
static atomic_bool initialized;

static int count(void)
{
    return 1;
}

static void name(int index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size, "GLFW hidden window");
}

static bool is_software(int index)
{
    (void)index;
    return false;
}

static void *failed(char *reason, size_t reason_size, const char *function)
{
    const char *description = NULL;
    const int error = glfwGetError(&description);
    snprintf(reason, reason_size, "%s failed: %s", function,
             error && description ? description : "no reason given");
    return NULL;
}

static void *create(int index, char *reason, size_t reason_size)
{
    (void)index;
    if (!glfwInit())
        return failed(reason, reason_size, "glfwInit");
    atomic_store(&initialized, true);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    GLFWwindow *window = NULL;
    // See context_egl.c.
    for (int major = 4; major >= 3 && !window; major--) {
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
        window = glfwCreateWindow(16, 16, "wavepass", NULL, NULL);
    }
    if (!window)
        return failed(reason, reason_size, "glfwCreateWindow");
    glfwMakeContextCurrent(window);
    return window;
}

static bool make_current(void *native)
{
    glfwMakeContextCurrent(native);
    return glfwGetCurrentContext() == native;
}

void *wp_gl_glfw_get_current(void)
{
    return atomic_load(&initialized) ? glfwGetCurrentContext() : NULL;
}

void wp_gl_glfw_set_current(void *window)
{
    if (atomic_load(&initialized) && glfwGetCurrentContext() != window)
        glfwMakeContextCurrent(window);
}

static void destroy(void *native)
{
    glfwDestroyWindow(native);
}

const struct wp_gl_provider wp_gl_provider_glfw = {
    .count = count,
    .name = name,
    .is_software = is_software,
    .create = create,
    .make_current = make_current,
    .destroy = destroy,
};
