// What the backends that run on OpenGL have in common besides surfaces: the device, and the
// time of a run.
#ifndef WP_GL_DEVICE_H
#define WP_GL_DEVICE_H

#include "backend.h"
#include "context.h"
#include "plan.h"
#include "program.h"

struct wp_device {
    struct wp_gl *gl;
    bool borrowed; // the context stays the caller's
};

// As wp_backend.open, for the backend of that name. `compute`: a context without compute
// shaders will not do.
struct wp_device *wp_gl_device_open(const char *backend, bool compute, int index, bool quiet,
                                    char *reason, size_t reason_size);

// False with the reason where a context has no compute shaders.
bool wp_gl_device_computes(const struct wp_gl *gl, char *reason, size_t reason_size);

// As wp_backend_gl.borrow.
struct wp_device *wp_gl_device_borrow(struct wp_gl *gl, char *reason, size_t reason_size);
void wp_gl_device_close(struct wp_device *device);
void wp_gl_device_describe(const struct wp_device *device, struct wp_device_info *info);

void wp_gl_device_facts(const struct wp_device *device,
                        void (*add)(void *user, const char *key, const char *value), void *user);

// What an operation does has its name in debuggers and traces: "level 1: S^H_U1 S^V_U1".
void wp_gl_op_begin(struct wp_gl *gl, const struct wp_op *op);
void wp_gl_op_end(struct wp_gl *gl);

// Times what is done between the two: on the GPU's clock where it can be trusted, else on the
// computer's; everything before is waited for, and it itself. Not nested.
struct wp_gl_stopwatch {
    double start;
};

bool wp_gl_stopwatch_start(struct wp_gl *gl, struct wp_gl_stopwatch *watch);
bool wp_gl_stopwatch_stop(struct wp_gl *gl, const struct wp_gl_stopwatch *watch,
                          double *seconds); // which may be NULL

// Does `work` on `count` execs, to its end, as wp_backend_bench.run_all.
bool wp_gl_device_time(struct wp_gl *gl, void (*work)(const struct wp_exec *exec),
                       struct wp_exec *const exec[], int count, double *seconds);

// Does `work` on one, as wp_backend.run: WP_ERROR_INTERNAL where the device left out a part of it.
bool wp_gl_device_run(struct wp_gl *gl, void (*work)(const struct wp_exec *exec),
                      struct wp_exec *exec, double *seconds);

// The uniforms that the shaders of whole levels share: size, extension, gain.
void wp_gl_set_level(struct wp_program *program, const struct wp_op *op);

#endif
