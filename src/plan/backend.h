// The interface of backends: what executes plans. One struct of function pointers each; to
// add a backend, write one and add a line to the registry (backends.h).
#ifndef WP_BACKEND_H
#define WP_BACKEND_H

#include "plan.h"

struct wp_device; // a backend's hold on what it runs on: a GL context, a GPU, nothing
struct wp_surfaces; // textures of a GL context (surfaces.h of the backend layer)
struct wp_exec;   // a plan made ready to run on a device: memory, programs

struct wp_device_info {
    char name[128];    // "llvmpipe (LLVM 15.0.6, 256 bits)", "reference interpreter"
    bool software;     // a GPU interface without a GPU behind it
    int max_surface;   // the most quads along one side of a surface; 0: memory alone limits
};

struct wp_backend {
    const char *name;
    const char *summary; // one line for `info`
    // Its programs take minutes to compile where no GPU is behind the device, so checks of
    // everything leave it out there unless it is asked for.
    bool slow_in_software;

    // Opens device number `index`, or any for -1. `quiet` turns the error into a log line of level verbose:
    // for probing. NULL on failure, after WP_ERROR_UNAVAILABLE where not quiet; `reason`, of
    // `reason_size` bytes, says why in both cases. A GL backend's device holds a context and
    // makes it current in every call below.
    struct wp_device *(*open)(int index, bool quiet, char *reason, size_t reason_size);
    void (*close)(struct wp_device *device);
    void (*describe)(const struct wp_device *device, struct wp_device_info *info);

    // Makes a plan ready: allocates surfaces, builds programs. The plan must outlive the
    // result. NULL after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL.
    struct wp_exec *(*prepare)(struct wp_device *device, const struct wp_plan *plan);
    // Reads the plane of floats through the plan's load ports.
    bool (*load)(struct wp_exec *exec, const float *plane);
    // Runs every operation to its end; `seconds` (may be NULL) gets the time they took, on
    // the device's own timer where it has one that can be trusted.
    bool (*run)(struct wp_exec *exec, double *seconds);
    // Writes the plane of floats through the plan's store ports.
    bool (*store)(struct wp_exec *exec, float *plane);

    // The rest is NULL for a backend without GL textures. What lies on the surfaces may be
    // drawn on and read in place of load and store.
    //
    // The textures, and the plan that runs on them, whose ports tell where things lie.
    const struct wp_surfaces *(*surfaces)(const struct wp_exec *exec,
                                          const struct wp_plan **plan);
    // Runs one operation of that plan, as run() does with all of them.
    bool (*step)(struct wp_exec *exec, int op, double *seconds);

    void (*release)(struct wp_exec *exec); // never NULL
};

// The double precision interpreter of plans, one thread: every other backend's measure.
extern const struct wp_backend wp_backend_reference;

// Quads of `domain` row by row, as floats: what the plan loaded (op NULL), or what an operation
// has just written. False ends the run.
typedef bool (*wp_watch)(void *user, const struct wp_op *op, const struct wp_rect *domain,
                         const float *quads);

// Runs a plan of one load port on the reference backend, and shows what is on its surfaces
// from one operation to the next. False where `watch` returns false or memory lacks.
bool wp_reference_watch(const struct wp_plan *plan, const float *plane, wp_watch watch,
                        void *user);

#endif
