// The window (GLFW).
#include "input.h"

#include "clock.h"
#include "viewer_struct.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <math.h>
#include <stdio.h>

_Static_assert(WP_KEY_END == GLFW_KEY_END && WP_KEY_F12 == GLFW_KEY_F12 &&
               WP_KEY_CTRL == GLFW_KEY_LEFT_CONTROL, "keys have the numbers of GLFW");

static GLFWwindow *window;
static int windowed_rect[4]; // x, y, width, height before full screen mode

static int key_of(int key)
{
    switch (key) {
    case GLFW_KEY_KP_ENTER: return WP_KEY_ENTER;
    case GLFW_KEY_KP_ADD: return '=';
    case GLFW_KEY_KP_SUBTRACT: return '-';
    case GLFW_KEY_RIGHT_SHIFT: return WP_KEY_SHIFT;
    case GLFW_KEY_RIGHT_CONTROL: return WP_KEY_CTRL;
    default: return key >= ' ' && key < WP_KEY_COUNT ? key : WP_KEY_NONE;
    }
}

static struct wp_viewer *viewer_of(GLFWwindow *w)
{
    return glfwGetWindowUserPointer(w);
}

// Framebuffer pixels per screen coordinate.
static double pixels(GLFWwindow *w)
{
    int width, height, pixel_width, pixel_height;
    glfwGetWindowSize(w, &width, &height);
    glfwGetFramebufferSize(w, &pixel_width, &pixel_height);
    return width > 0 ? (double)pixel_width / width : 1;
}

static void on_key(GLFWwindow *w, int key, int code, int action, int mods)
{
    (void)code, (void)mods;
    const int viewer_key = key_of(key);
    if (viewer_key != WP_KEY_NONE)
        wp_queue_add(viewer_of(w), &(struct wp_event){.kind = WP_EVENT_KEY, .code = viewer_key,
                                                      .down = action != GLFW_RELEASE,
                                                      .repeated = action == GLFW_REPEAT});
}

static void on_character(GLFWwindow *w, unsigned character)
{
    wp_queue_add(viewer_of(w),
                 &(struct wp_event){.kind = WP_EVENT_CHARACTER, .code = (int)character});
}

static void on_move(GLFWwindow *w, double x, double y)
{
    const double scale = pixels(w);
    wp_queue_add(viewer_of(w), &(struct wp_event){.kind = WP_EVENT_MOVE, .x = (float)(x * scale),
                                                  .y = (float)(y * scale)});
}

static void on_button(GLFWwindow *w, int button, int action, int mods)
{
    (void)mods;
    if (button <= GLFW_MOUSE_BUTTON_MIDDLE)
        wp_queue_add(viewer_of(w), &(struct wp_event){.kind = WP_EVENT_BUTTON, .code = button,
                                                      .down = action == GLFW_PRESS});
}

static void on_wheel(GLFWwindow *w, double x, double y)
{
    (void)x;
    wp_queue_add(viewer_of(w), &(struct wp_event){.kind = WP_EVENT_WHEEL, .y = (float)y});
}

static void on_drop(GLFWwindow *w, int count, const char *paths[])
{
    for (int i = 0; i < count; i++)
        wp_viewer_drop(viewer_of(w), paths[i]);
}

static void on_size(GLFWwindow *w, int width, int height)
{
    wp_viewer_resize(viewer_of(w), width, height);
}

static void on_refresh(GLFWwindow *w)
{
    viewer_of(w)->dirty = true;
}

static void set_clipboard(struct wp_viewer *v, const char *text)
{
    (void)v;
    glfwSetClipboardString(window, text);
}

static const char *get_clipboard(struct wp_viewer *v)
{
    (void)v;
    return glfwGetClipboardString(window);
}

static void set_full_screen(struct wp_viewer *v, bool full)
{
    (void)v;
    int *p = windowed_rect;
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    if (full && mode) {
        glfwGetWindowPos(window, &p[0], &p[1]);
        glfwGetWindowSize(window, &p[2], &p[3]);
        glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    } else if (!full && p[2] > 0) {
        glfwSetWindowMonitor(window, NULL, p[0], p[1], p[2], p[3], 0);
    }
}

static bool make_current(void *handle)
{
    glfwMakeContextCurrent(handle);
    return glfwGetCurrentContext() == handle;
}

static bool fail(const char *message)
{
    const char *description = NULL;
    glfwGetError(&description);
    return wp_fail(WP_ERROR_UNAVAILABLE, "%s (%s)\nhint: --screenshot FILE works without a display",
                   message, description ? description : "no reason given");
}

static void set_callbacks(struct wp_viewer *v)
{
    glfwSetWindowUserPointer(window, v);
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_character);
    glfwSetCursorPosCallback(window, on_move);
    glfwSetMouseButtonCallback(window, on_button);
    glfwSetScrollCallback(window, on_wheel);
    glfwSetDropCallback(window, on_drop);
    glfwSetFramebufferSizeCallback(window, on_size);
    glfwSetWindowRefreshCallback(window, on_refresh);
    v->set_clipboard = set_clipboard;
    v->get_clipboard = get_clipboard;
    v->set_full_screen = set_full_screen;
}

bool wp_window_open(struct wp_viewer *v, int width, int height)
{
    if (!glfwInit())
        return fail("cannot open a window");
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_SRGB_CAPABLE, GLFW_FALSE);
    for (int major = 4; major >= 3 && !window; major--) {
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
        window = glfwCreateWindow(width, height, "wavepass", NULL, NULL);
    }
    if (!window)
        return fail("cannot open a window with OpenGL 3.3");
    v->windowed = true;
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    char reason[256];
    const struct wp_gl_external viewer_key = {"GLFW window", make_current, window};
    v->gl = wp_gl_adopt(&viewer_key, reason, sizeof reason);
    if (!v->gl)
        return reason[0] &&
               wp_fail(WP_ERROR_UNAVAILABLE, "the window's OpenGL is not sufficient (%s)", reason);
    set_callbacks(v);
    float scale_x = 1, scale_y = 1;
    glfwGetWindowContentScale(window, &scale_x, &scale_y);
    if (v->params->ui_scale == 0 && !v->params->state)
        v->state.ui_scale = fmin(fmax((double)scale_x, 0.5), 4);
    glfwGetFramebufferSize(window, &width, &height);
    return wp_viewer_resize(v, width, height);
}

bool wp_window_loop(struct wp_viewer *v, bool (*step)(struct wp_viewer *v))
{
    const double start = wp_clock_seconds();
    double last = 0;
    bool more = v->dirty = true;
    const bool scripted = v->params->events != NULL;
    while (!glfwWindowShouldClose(window) && !v->quit) {
        v->now = wp_clock_seconds() - start;
        wp_viewer_watch(v);
        if (v->notice.length && v->now > v->notice_until) {
            wp_text_clear(&v->notice);
            v->dirty = true;
        }
        v->dirty = v->dirty || (scripted && more) ||
                   (v->scene->has_updates && v->scene->has_updates(v));
        if (!glfwGetWindowAttrib(window, GLFW_ICONIFIED) && wp_redraw_next(v)) {
            v->dt = fmin(fmax(v->now - last, 1e-3), 0.1);
            last = v->now;
            more = step(v);
            if (!v->hidden)
                glfwSwapBuffers(window);
            glfwPollEvents();
        } else {
            glfwWaitEventsTimeout(v->expects_result ? 0.01 : 0.25);
        }
        // The window closes at the end of a script.
        if (scripted && !more)
            break;
    }
    return true;
}

void wp_window_close(struct wp_viewer *v)
{
    (void)v;
    if (window)
        glfwDestroyWindow(window);
    window = NULL;
}
