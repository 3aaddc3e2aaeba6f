// The interface of backends: what executes plans. One struct of function pointers each; to
// add a backend, write one and add a line to the registry (backends.h).
#ifndef WP_BACKEND_H
#define WP_BACKEND_H

#include "plan.h"

struct wp_device; // a backend's hold on what it runs on: a GL context, a GPU, nothing
struct wp_texture;  // of a GL context (texture.h of the gl layer)
struct wp_surfaces; // textures of a GL context (surfaces.h of the backend layer)
struct wp_exec;   // a plan made ready to run on a device: memory, programs

struct wp_device_info {
    char name[128];    // "llvmpipe (LLVM 15.0.6, 256 bits)", "reference interpreter"
    bool software;     // a GPU interface without a GPU behind it
    int max_surface;   // the most quads along one side of a surface; 0: memory alone limits
    const char *timer; // what run() measures with: "GL_TIME_ELAPSED", "monotonic clock"
    bool wall;         // `timer` is the computer's clock, not the device's own
    size_t cache;      // bytes of the largest cache; 0: not known
    int threads;       // of the computer, that set_threads() may choose from; 0: none
};

// For one quad of a level.
struct wp_counts {
    double operations; // multiply-adds
    double fetches;    // of a quad
};

// One of the ways in which a backend can execute plans, taken by name (--variant).
struct wp_variant {
    const char *name;    // "hybrid"
    const char *summary; // one line for `info`
    // False where the variant cannot execute such a plan, and `why` says so. NULL: it can all.
    bool (*supports)(const struct wp_plan *plan, char *why, size_t why_size);
    // The same for a device, whatever the plan. prepare() fails there with
    // WP_ERROR_UNAVAILABLE.
    bool (*runs_on)(const struct wp_device *device, char *why, size_t why_size);
    // For what runs all passes of a level in one operation: what it computes and reads for a quad
    // of such a scheme, halos included. NULL: what the scheme counts.
    struct wp_counts (*counts)(const struct wp_scheme *scheme);
    bool smears; // a value that is not finite reaches farther than the wavelet does
};

// Work that no transform can beat on a device, measured beside transforms.
struct wp_ceiling {
    const char *name;      // "copy"
    const char *summary;   // one line
    double bytes;          // read and written, per sample of the image
    double fetches;        // of a quad, per quad of the image
    double fill;           // quads that render passes write, per quad of the image
    enum wp_precision precision; // of transforms that it stands beside
};

// What one run does to memory, by a model: what an operation reads more than once comes from
// memory once, and nothing stays in a cache from one operation to the next.
struct wp_cost {
    double bytes;   // read and written
    double fetches; // of a quad
    double fill;    // quads that render passes write
};

// Of a plan whose operations are all executed as they stand; `fill` counts those of LEVEL
// operations too.
struct wp_cost wp_plan_cost(const struct wp_plan *plan);

struct wp_backend {
    const char *name;
    const char *summary; // one line for `info`
    // Its programs take minutes to compile where no GPU is behind the device, so checks of
    // everything leave it out there unless it is asked for.
    bool slow_in_software;

    // It takes the transform alone from a plan: every scheme and form of it runs the same.
    bool schemeless;
    // As the variants' `counts`, of a backend without variants.
    struct wp_counts (*scheme_counts)(const struct wp_scheme *scheme);
    // Its load() and store() take quads apart on the host, through the plan's ports.
    bool packs;
    // It can keep samples in 16 bits.
    bool half;

    // Opens device number `index`, or any for -1. `quiet` turns the error into a log line of
    // level verbose: for probing. NULL on failure, after WP_ERROR_UNAVAILABLE where not quiet;
    // `reason`, of `reason_size` bytes, says why in both cases. A GL backend's device holds a
    // context and makes it current in every call below.
    struct wp_device *(*open)(int index, bool quiet, char *reason, size_t reason_size);
    void (*close)(struct wp_device *device);
    void (*describe)(const struct wp_device *device, struct wp_device_info *info);
    // How many of its threads what is prepared from now on shares its work among; 0: all. NULL
    // where there are none.
    void (*set_threads)(struct wp_device *device, int threads);
    // Facts for a report ("driver", "580.65"), strings that live during the call; may be NULL.
    void (*facts)(const struct wp_device *device,
                  void (*add)(void *user, const char *key, const char *value), void *user);

    // Ended by a NULL name, the default first; NULL where there is one way only.
    const struct wp_variant *variants;

    // Makes a plan ready: allocates surfaces, builds programs. The plan must outlive the
    // result. With a variant that is one of the backend's and supports the plan; with NULL as
    // the backend thinks best. NULL after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL.
    struct wp_exec *(*prepare)(struct wp_device *device, const struct wp_plan *plan,
                               const struct wp_variant *variant);
    // The variant that was taken; the member is NULL where `variants` is.
    const struct wp_variant *(*variant)(const struct wp_exec *exec);

    // Ended by a NULL name; NULL where there are none.
    const struct wp_ceiling *ceilings;
    // Makes a ceiling's work ready, for an image of width x height samples; run() and
    // release() take the result, load() and store() do not.
    struct wp_exec *(*prepare_ceiling)(struct wp_device *device, const struct wp_ceiling *ceiling,
                                       int width, int height);
    // The most planes that may go through a plan together (wp_plan_params.stack). NULL: one.
    int (*stack_max)(const struct wp_device *device, const struct wp_plan *plan);
    // Reads the planes of floats, one behind the other, through the plan's load ports; they are
    // there on return.
    bool (*load)(struct wp_exec *exec, const float *plane);
    // Runs every operation to its end; `seconds` (may be NULL) gets the time they took, on
    // the device's own timer where it has one that can be trusted.
    bool (*run)(struct wp_exec *exec, double *seconds);
    // Runs `count` of the device's execs one after the other, timed together, so that what the
    // timer itself costs does not count. NULL where it costs nothing.
    bool (*run_all)(struct wp_exec *const exec[], int count, double *seconds);
    // What it computes and reads for a quad of the first level of the forward transform or the
    // last one of the inverse, halos that are computed more than once included. NULL: what the
    // plan's scheme counts.
    struct wp_counts (*counts)(const struct wp_exec *exec);
    // What a run does to memory for every plane. NULL: reads and writes every level's samples once.
    struct wp_cost (*cost)(const struct wp_exec *exec);
    // Gives the texts of the shaders that the operations run, in their order; one that serves
    // several comes again for each. NULL: there are none.
    void (*shaders)(const struct wp_exec *exec, void (*add)(void *user, const char *text),
                    void *user);
    // Writes the planes of floats through the plan's store ports.
    bool (*store)(struct wp_exec *exec, float *plane);

    // In place of load and store, of the first plane: copies the coefficients of a level, from 1 on, or the pixels, for
    // level 0, from or to a texture of quads in the device's context; quad (0, 0) is read at the
    // texel (x, y), and written at (0, 0). Of plans that have a level. NULL: both are.
    bool (*read_quads)(struct wp_exec *exec, int level, const struct wp_texture *from, int x,
                       int y);
    bool (*write_quads)(struct wp_exec *exec, int level, const struct wp_texture *to);

    // The rest is NULL for a backend without GL textures. What lies on the surfaces may be
    // drawn on and read in place of load and store.
    //
    // The textures, and the plan that runs on them, whose ports tell where things lie. NULL
    // where the exec's textures are not 2-D ones of quads side by side.
    const struct wp_surfaces *(*surfaces)(const struct wp_exec *exec,
                                          const struct wp_plan **plan);
    // Runs one operation of that plan, as run() does with all of them.
    bool (*step)(struct wp_exec *exec, int op, double *seconds);

    void (*release)(struct wp_exec *exec); // never NULL
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
