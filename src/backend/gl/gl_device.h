// Functions shared by the backends on OpenGL: devices, time measurement.
#ifndef WP_GL_DEVICE_H
#define WP_GL_DEVICE_H

#include "backend.h"
#include "context.h"
#include "program.h"
#include "schedule.h"
#include "texture.h"

struct wp_device {
    struct wp_gl *gl;
    bool borrowed; // the context is the caller's
};

// wp_backend.open for the backend of that name. `compute`: requires compute shaders.
struct wp_device *wp_gl_device_open(const char *backend, bool compute, int index, bool quiet,
                                    char *reason, size_t reason_size);

// False with the reason if a context has no compute shaders.
bool wp_gl_device_computes(const struct wp_gl *gl, char *reason, size_t reason_size);

// wp_backend_gl.borrow.
struct wp_device *wp_gl_device_borrow(struct wp_gl *gl, char *reason, size_t reason_size);
void wp_gl_device_close(struct wp_device *device);
void wp_gl_device_describe(const struct wp_device *device, struct wp_device_info *info);

void wp_gl_device_facts(const struct wp_device *device,
                        void (*add)(void *user, const char *key, const char *value), void *user);

// Names the operation in debuggers and traces: "level 1: S^H_U1 S^V_U1".
void wp_gl_op_begin(struct wp_gl *gl, const struct wp_op *op);
void wp_gl_op_end(struct wp_gl *gl);

// Measures the time between the two calls with the GPU's timer if that is reliable, else with the
// host's clock. Both wait for all earlier commands. Measurements cannot be nested.
struct wp_gl_stopwatch {
    double start;
};

bool wp_gl_stopwatch_start(struct wp_gl *gl, struct wp_gl_stopwatch *watch);
bool wp_gl_stopwatch_stop(struct wp_gl *gl, const struct wp_gl_stopwatch *watch,
                          double *seconds); // or NULL

// wp_backend_bench.run_all: calls `enqueue` for `count` execs and waits.
bool wp_gl_device_time(struct wp_gl *gl, void (*enqueue)(const struct wp_exec *exec),
                       struct wp_exec *const exec[], int count, double *seconds);

// wp_backend.run: calls `enqueue` and waits. WP_ERROR_INTERNAL if the device skipped commands.
bool wp_gl_device_run(struct wp_gl *gl, void (*enqueue)(const struct wp_exec *exec),
                      struct wp_exec *exec, double *seconds);

// Sets the common uniforms of level shaders: size, extension, gain.
void wp_gl_set_level(struct wp_program *program, const struct wp_op *op);

// ---- ceilings: operations that bound the time of a transform (gl_ceiling.c) ----

// For wp_backend_bench.ceilings.
extern const struct wp_ceiling wp_gl_fragment_ceilings[]; // render passes
extern const struct wp_ceiling wp_gl_compute_ceilings[];  // compute shaders

// The functions of wp_backend_bench.
struct wp_ceiling_run_state *wp_gl_ceiling_prepare(struct wp_device *device,
                                                   const struct wp_ceiling *ceiling, int width,
                                                   int height);
bool wp_gl_ceiling_run(struct wp_ceiling_run_state *const states[], int count, double *seconds);
void wp_gl_ceiling_release(struct wp_ceiling_run_state *state);

// Its input and output.
void wp_gl_ceiling_textures(const struct wp_ceiling_run_state *state,
                            const struct wp_texture **source, const struct wp_texture **target);

#endif
