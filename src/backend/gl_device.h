// What the backends that run on OpenGL have in common besides surfaces: the device, and the
// time of a run.
#ifndef WP_GL_DEVICE_H
#define WP_GL_DEVICE_H

#include "backend.h"
#include "context.h"

struct wp_device {
    struct wp_gl *gl;
    bool borrowed; // the context stays the caller's
};

// As wp_backend.open, for the backend of that name. `compute`: a context without compute
// shaders will not do.
struct wp_device *wp_gl_device_open(const char *backend, bool compute, int index, bool quiet,
                                    char *reason, size_t reason_size);

// A device of either GL backend on a context that stays the caller's, for those who show what
// lies in its textures. close() leaves the context alone.
struct wp_device *wp_gl_device_borrow(struct wp_gl *gl);
void wp_gl_device_close(struct wp_device *device);
void wp_gl_device_describe(const struct wp_device *device, struct wp_device_info *info);

// Runs operations first..first+count-1 by `work` to their end, as wp_backend.run.
bool wp_gl_device_time(struct wp_gl *gl, void (*work)(const struct wp_exec *exec, int op),
                       const struct wp_exec *exec, int first, int count, double *seconds);

#endif
