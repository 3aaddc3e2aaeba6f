#include "gl_device.h"

#include "clock.h"
#include "log.h"
#include "memory.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

struct wp_device *wp_gl_device_open(const char *backend, bool compute, int index, bool quiet,
                                    char *reason, size_t reason_size)
{
    struct wp_gl *gl = wp_gl_create(index, reason, reason_size);
    if (gl && compute && wp_gl_get_info(gl)->max_invocations == 0) {
        const struct wp_gl_info *info = wp_gl_get_info(gl);
        snprintf(reason, reason_size, "compute shaders need OpenGL 4.3, and %s has %d.%d",
                 info->renderer, info->gl_version / 10, info->gl_version % 10);
        wp_gl_destroy(&gl);
    }
    if (!gl) {
        if (!quiet)
            wp_fail(WP_ERROR_UNAVAILABLE,
                    "backend '%s' is not available (%s)\nhint: 'wavepass info' shows what was "
                    "tried; -b reference works without a GPU",
                    backend, reason);
        return NULL;
    }
    struct wp_device *device = wp_xcalloc(1, sizeof *device);
    device->gl = gl;
    return device;
}

struct wp_device *wp_gl_device_borrow(struct wp_gl *gl)
{
    struct wp_device *device = wp_xcalloc(1, sizeof *device);
    *device = (struct wp_device){.gl = gl, .borrowed = true};
    return device;
}

void wp_gl_device_close(struct wp_device *device)
{
    if (!device->borrowed)
        wp_gl_destroy(&device->gl);
    free(device);
}

void wp_gl_device_describe(const struct wp_device *device, struct wp_device_info *info)
{
    const struct wp_gl_info *gl = wp_gl_get_info(device->gl);
    *info = (struct wp_device_info){
        .software = gl->software,
        .max_surface = gl->max_texture,
        .wall = !gl->gpu_timer,
        .timer = gl->gpu_timer ? "GL_TIME_ELAPSED" : "monotonic clock, glFinish to glFinish",
    };
    snprintf(info->name, sizeof info->name, "%s", gl->renderer);
}

bool wp_gl_device_time(struct wp_gl *gl, void (*work)(const struct wp_exec *exec, int op),
                       const struct wp_exec *exec, int first, int count, double *seconds)
{
    if (!wp_gl_make_current(gl) || !wp_gl_finish(gl))
        return false;
    const bool gpu_timer = wp_gl_get_info(gl)->gpu_timer;
    const double start = wp_clock_seconds();
    if (gpu_timer)
        wp_gl_timer_begin(gl);
    for (int op = first; op < first + count; op++)
        work(exec, op);
    double elapsed = gpu_timer ? wp_gl_timer_end(gl) : 0;
    if (!wp_gl_finish(gl))
        return false;
    if (!gpu_timer)
        elapsed = wp_clock_seconds() - start;
    if (seconds)
        *seconds = elapsed;
    return true;
}
