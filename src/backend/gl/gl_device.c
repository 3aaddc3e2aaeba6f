#include "gl_device.h"

#include "clock.h"
#include "log.h"
#include "memory.h"
#include "program.h"
#include "draw_check.h"

#include <stdio.h>
#include <stdlib.h>

bool wp_gl_device_computes(const struct wp_gl *gl, char *reason, size_t reason_size)
{
    const struct wp_gl_info *info = wp_gl_get_info(gl);
    if (info->max_invocations > 0)
        return true;
    snprintf(reason, reason_size, "compute shaders need OpenGL 4.3, and %s has %d.%d",
             info->renderer, info->gl_version / 10, info->gl_version % 10);
    return false;
}

struct wp_device *wp_gl_device_open(const char *backend, bool compute, int index, bool quiet,
                                    char *reason, size_t reason_size)
{
    struct wp_gl *gl = wp_gl_create(index, reason, reason_size);
    if (gl && compute && !wp_gl_device_computes(gl, reason, reason_size))
        wp_gl_destroy(&gl);
    if (!gl) {
        if (!quiet && reason[0])
            wp_fail(WP_ERROR_UNAVAILABLE,
                    "backend '%s' is not available (%s)"
                    "\nhint: 'wavepass info' shows what was tried; backend 'cpu' works without a "
                    "GPU",
                    backend, reason);
        return NULL;
    }
    struct wp_device *device = wp_allocate(1, sizeof *device, "a device");
    if (device)
        device->gl = gl;
    else
        wp_gl_destroy(&gl);
    return device;
}

struct wp_device *wp_gl_device_borrow(struct wp_gl *gl, char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", ""); // supports every context
    struct wp_device *device = wp_allocate(1, sizeof *device, "a device");
    if (device)
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

void wp_gl_device_facts(const struct wp_device *device,
                        void (*add)(void *user, const char *key, const char *value), void *user)
{
    const struct wp_gl_info *gl = wp_gl_get_info(device->gl);
    char number[16];
    add(user, "renderer", gl->renderer);
    add(user, "vendor", gl->vendor);
    add(user, "version", gl->version);
    add(user, "glsl", gl->glsl);
    add(user, "platform", gl->device_name);
    snprintf(number, sizeof number, "%d", gl->max_texture);
    add(user, "max_texture", number);
}

void wp_gl_op_begin(struct wp_gl *gl, const struct wp_op *op)
{
    char name[160];
    const char *label = op->kind == WP_OP_PASS     ? op->scheme->pass[op->pass].label
                       : op->kind == WP_OP_GATHER ? "gather"
                       : op->kind == WP_OP_SPREAD ? "spread"
                       : op->scheme && op->kind != WP_OP_DEPTH ? op->scheme->name
                                                               : "along z";
    snprintf(name, sizeof name, "level %d: %.128s", op->level, label);
    wp_gl_group_begin(gl, name);
}

void wp_gl_op_end(struct wp_gl *gl)
{
    wp_gl_group_end(gl);
}

bool wp_gl_stopwatch_start(struct wp_gl *gl, struct wp_gl_stopwatch *watch)
{
    if (!wp_gl_make_current(gl) || !wp_gl_finish(gl))
        return false;
    const struct wp_gl_info *info = wp_gl_get_info(gl);
    watch->start = wp_clock_seconds();
    if (info->gpu_timer || info->late_timer)
        wp_gl_timer_begin(gl);
    return true;
}

bool wp_gl_stopwatch_stop(struct wp_gl *gl, const struct wp_gl_stopwatch *watch, double *seconds)
{
    const bool gpu_timer = wp_gl_get_info(gl)->gpu_timer;
    double elapsed = gpu_timer ? wp_gl_timer_end(gl) : 0;
    if (wp_gl_get_info(gl)->late_timer)
        wp_gl_timer_leave(gl);
    if (!wp_gl_finish(gl))
        return false;
    if (!gpu_timer)
        elapsed = wp_clock_seconds() - watch->start;
    if (seconds)
        *seconds = elapsed;
    return true;
}

bool wp_gl_device_time(struct wp_gl *gl, void (*enqueue)(const struct wp_exec *exec),
                       struct wp_exec *const exec[], int count, double *seconds)
{
    struct wp_gl_stopwatch watch;
    if (!wp_gl_stopwatch_start(gl, &watch))
        return false;
    for (int i = 0; i < count; i++)
        enqueue(exec[i]);
    return wp_gl_stopwatch_stop(gl, &watch, seconds);
}

bool wp_gl_device_run(struct wp_gl *gl, void (*enqueue)(const struct wp_exec *exec),
                      struct wp_exec *exec, double *seconds)
{
    if (!wp_gl_make_current(gl))
        return false;
    wp_gl_draw_check_begin(gl);
    const bool ok = wp_gl_device_time(gl, enqueue, &exec, 1, seconds);
    return wp_gl_draw_check_end(gl) && ok;
}

void wp_gl_set_level(struct wp_program *program, const struct wp_op *op)
{
    const struct wp_scheme *scheme = op->scheme;
    wp_program_set2(program, "size", op->width, op->height);
    wp_program_set(program, "extension", (int)op->extension);
    if (!scheme)
        return;
    const double *gain = scheme->direction == WP_FORWARD ? scheme->scale_out : scheme->scale_in;
    wp_program_set_floats(program, "gain", WP_COMPONENTS,
                          (const float[]){(float)gain[0], (float)gain[1], (float)gain[2],
                                          (float)gain[3]});
}
