// The interface of backends: what executes plans. One struct of function pointers each; to
// add a backend, write one and add a line to the registry (backends.h).
#ifndef WP_BACKEND_H
#define WP_BACKEND_H

#include "plan.h"

struct wp_device; // a backend's hold on what it runs on: a GL context, a GPU, nothing
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
    void (*release)(struct wp_exec *exec);
};

// The double precision interpreter of plans, one thread: every other backend's measure.
extern const struct wp_backend wp_backend_reference;

// What is on a surface of a running plan.
struct wp_stage {
    const struct wp_op *op; // that wrote it; NULL: what was loaded through the first load port
    struct wp_rect domain;
    const float *quads;     // of the domain, row by row; valid during the call
    double seconds;         // that the operation took, by the clock
};

// False ends the run.
typedef bool (*wp_watch)(void *user, const struct wp_stage *stage);

// Runs a plan on the reference backend, and shows what was loaded and what each operation has
// written. What an operation reads is what was shown before it, but for the details that
// WP_OP_SPREAD finds in its destination. False where `watch` returns false or memory lacks.
bool wp_reference_watch(const struct wp_plan *plan, const float *plane, wp_watch watch,
                        void *user);

#endif
