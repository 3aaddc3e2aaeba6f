// The backend interface. A backend opens devices, prepares descriptions on them and executes them.
// Optional parts are in struct wp_backend_bench (below) and struct wp_backend_gl (backend_gl.h).
// Backends are listed in the registry (registry.h).
#ifndef WP_BACKEND_H
#define WP_BACKEND_H

#include "axis_map.h"
#include "operand.h"

// A rectangle of an image: from[a] <= index < to[a] along axis a (x or y), and the coefficients at
// these positions. `from` is a multiple of 2^levels.
struct wp_sample_rect {
    int from[2], to[2];
};

// Each backend defines both structs for itself; other layers only pass pointers to them.
struct wp_device; // an open device of a backend: a GL context, a GPU, or threads
struct wp_exec;   // a description prepared for a device: memory and programs

struct wp_device_info {
    char name[128];    // "llvmpipe (LLVM 15.0.6, 256 bits)", "reference interpreter"
    bool software;     // a GPU interface implemented in software
    int max_surface;   // maximum number of quads along x or y; 0: limited only by memory
    const char *timer; // the timer that run() uses: "GL_TIME_ELAPSED", "monotonic clock"
    bool wall;         // `timer` is the host's clock, not a timer of the device
    size_t cache;      // bytes of the largest cache; 0: unknown
    int threads;       // maximum of set_threads(); 0: not supported
};

// Costs per quad of a level (per octet for volumes).
struct wp_counts {
    double operations; // multiply-adds
    double fetches;    // quads read
};

// An implementation variant of a backend, selected by name (--variant).
struct wp_variant {
    const char *name;         // "hybrid"
    const char *summary;      // one line for `info`
    const void *private_data; // of the backend
    // False if the variant does not support a description; `why` is then the reason, or "" after
    // WP_ERROR_TOO_LARGE if memory was exhausted. NULL: supports all.
    bool (*supports)(const struct wp_variant *variant, const struct wp_description *description,
                     char *why, size_t why_size);
    // False if the variant does not run on a device; prepare() then fails with
    // WP_ERROR_UNAVAILABLE. NULL: runs on all.
    bool (*runs_on)(const struct wp_variant *variant, const struct wp_device *device, char *why,
                    size_t why_size);
    // Costs of a scheme, recomputed halos included, for variants that run all passes of a level in
    // one operation. {0} if memory was exhausted. NULL: the counts of the scheme.
    struct wp_counts (*counts)(const struct wp_variant *variant, const struct wp_scheme *scheme);
    bool batches; // as wp_backend.batches; plans with other variants pass one plane at a time
    bool spreads_nonfinite; // infinities and NaNs affect more samples than the wavelet's support
};

struct wp_backend_bench;
struct wp_backend_gl;

struct wp_backend {
    const char *name;
    const char *summary; // one line for `info`
    // Without a GPU its programs take minutes to compile, so that checks of all backends skip it
    // unless it is requested by name.
    bool slow_in_software;
    bool schemeless;         // the result and the speed do not depend on the scheme and form
    bool schemeless_volumes; // likewise, only for more than one slice, and for redundant banks
    bool half;               // supports WP_PRECISION_F16
    bool reversible;         // supports reversible descriptions
    unsigned banks;          // supported redundant banks: bit b for wp_bank b
    bool flat_banks;         // these have no levels along z
    // Runs slices without levels along z together, so that plans pass planes as slices, unless a
    // variant without `batches` is selected.
    bool batches;
    // Types other than floats that wp_operand.type of samples and of coefficients may have: bit e
    // for wp_element e. Plans convert all others from and to floats. With F64 in both the backend
    // computes in double precision if wp_description_arithmetic() is F64; plans then convert all
    // others from and to doubles.
    unsigned elements;
    unsigned coefficients;
    // If both have f64: computes a description in doubles, and otherwise lacks f64? NULL: any.
    bool (*wide)(const struct wp_description *description);

    // Opens device number `index`, or any for -1. NULL after WP_ERROR_UNAVAILABLE, or if `quiet`
    // after a log line of level verbose; `reason` then has the reason. If memory was exhausted,
    // `reason` is "" and the error WP_ERROR_TOO_LARGE. The device of a GL backend has a context,
    // which the functions below make current.
    struct wp_device *(*open)(int index, bool quiet, char *reason, size_t reason_size);
    void (*close)(struct wp_device *device);
    void (*describe)(const struct wp_device *device, struct wp_device_info *info);
    // Does prepare() accept this description with a border of PyWavelets, of all planes, and all
    // with fewer planes, for operands at a location? Else, and if prepare() fails, plans compute it
    // from other descriptions (src/plan/borders.c). `variant`: NULL for any. NULL: none.
    bool (*borders)(const struct wp_device *device, const struct wp_description *description,
                    const struct wp_variant *variant, enum wp_location location);
    // Does prepare() accept this description of wavelet packets? Else, and if prepare() fails, plans
    // compute it level by level (src/plan/packets.c). `variant`: NULL for any. NULL: none.
    bool (*packets)(const struct wp_device *device, const struct wp_description *description,
                    const struct wp_variant *variant);
    // Sets the number of threads of later prepare() calls; 0: all. NULL: not supported.
    void (*set_threads)(struct wp_device *device, int threads);

    // Terminated by a NULL name, the default first. NULL: no variants.
    const struct wp_variant *variants;

    // The maximum of wp_description.planes. NULL: 1.
    int (*planes_max)(const struct wp_device *device, const struct wp_description *description);

    // Allocates memory and builds programs for a dyadic description that wp_description_check()
    // accepts (plans split others). `variant` is one of the backend's that supports it,
    // or NULL: default. NULL after WP_ERROR_TOO_LARGE, WP_ERROR_UNAVAILABLE or WP_ERROR_INTERNAL.
    struct wp_exec *(*prepare)(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant);
    // The variant in use. NULL if `variants` is NULL.
    const struct wp_variant *(*variant)(const struct wp_exec *exec);

    // Copies the input planes to the device; `from` may be changed after return.
    bool (*load)(struct wp_exec *exec, const struct wp_operand *from);
    // Announces, before run(), the operand of the next store(), so that run() can write the planes
    // in its format. Optional for the caller. NULL: not used.
    void (*expect)(struct wp_exec *exec, const struct wp_operand *to);
    // Runs the transform and waits for its end. `seconds` (or NULL) receives its time, measured by
    // the device's timer if that is reliable.
    bool (*run)(struct wp_exec *exec, double *seconds);
    // Copies the output planes from the device.
    bool (*store)(struct wp_exec *exec, const struct wp_operand *to);
    // Like store(), for images, but writes only the samples or coefficients in `rect`. NULL:
    // not supported.
    bool (*store_rect)(struct wp_exec *exec, const struct wp_operand *to,
                       const struct wp_sample_rect *rect);
    // Load, run and store in one call, directly on the caller's memory, which the operands may
    // share. NULL: not supported.
    bool (*transform)(struct wp_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds);

    // Like transform(), on device memory: enqueues the work in `stream`, a handle of the device's
    // API (NULL: its default stream), after all earlier calls for this exec in any stream, and
    // returns without waiting. False after WP_ERROR_USAGE if an operand is not on the device.
    // NULL: device memory is not supported.
    bool (*transform_device)(struct wp_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, void *stream);

    // For borders of PyWavelets and adjoints on device memory, all six NULL if transform_device is.
    // Allocates uninitialized memory of the device; NULL after WP_ERROR_TOO_LARGE. free_memory()
    // waits for work that uses it, and accepts NULL.
    void *(*allocate_memory)(struct wp_device *device, size_t bytes);
    void (*free_memory)(struct wp_device *device, void *memory);
    // wp_axis_maps_apply() on device memory, in the order of a stream, like transform_device().
    // `maps` outlives the work; maps->on_device is NULL at first, and memory of allocate_memory()
    // that map() may keep there, such as copies of the entries; the owner of the maps frees it.
    bool (*map)(struct wp_device *device, struct wp_axis_maps *maps, const struct wp_operand *from,
                const struct wp_operand *to, void *stream);
    // For memory that calls in several streams use in turn: mark_stream() sets a mark after the
    // work of a stream, and wait_for_mark() makes another stream wait for it. *mark is NULL at
    // first, for which wait_for_mark() does nothing. free_mark() waits on the host, and accepts
    // NULL.
    bool (*mark_stream)(struct wp_device *device, void **mark, void *stream);
    bool (*wait_for_mark)(struct wp_device *device, void *mark, void *stream);
    void (*free_mark)(struct wp_device *device, void *mark);

    // Input, output and scratch are separate memory (if levels > 0), so that load(), run() and
    // store() of two execs can run concurrently, in one thread each. For one exec, load() may run
    // concurrently with store(), but neither with run().
    bool overlaps;
    // Pins host memory until unpin(), so that the device copies it faster and concurrently with
    // other copies. The memory must consist of full pages (wp_allocate_pages()). False without an
    // error if it cannot be pinned; copies then still work. NULL: no benefit.
    bool (*pin)(struct wp_device *device, void *memory, size_t bytes);
    void (*unpin)(struct wp_device *device, void *memory);
    // Is host memory at an address accessible by the device (pinned here or by the caller)? NULL:
    // makes no difference.
    bool (*can_access)(const struct wp_device *device, const void *memory);

    void (*release)(struct wp_exec *exec); // accepts NULL

    const struct wp_backend_bench *bench;
    const struct wp_backend_gl *gl; // backend_gl.h
};

// Does the backend run this description identically for every scheme and form?
bool wp_backend_is_schemeless(const struct wp_backend *backend,
                              const struct wp_description *description);

// A benchmark that bounds the speed of transforms on a device, for example a copy.
struct wp_ceiling {
    const char *name;      // "copy"
    const char *summary;   // one line
    double bytes;          // read and written, per sample of the image
    double fetches;        // quads read, per quad of the image
    double fill;           // quads written by render passes, per quad of the image
    enum wp_precision precision; // of the transforms that it bounds
    const void *private_data;    // of the backend
};

struct wp_ceiling_run_state; // a ceiling prepared for a device

// Memory traffic of one run, according to a model: an operation reads each sample from memory once,
// and caches keep nothing between operations.
struct wp_cost {
    double bytes;   // read and written
    double fetches; // quads read
    double fill;    // quads written by render passes
};

// Functions of a backend for benchmarks. Members may be NULL unless stated otherwise.
struct wp_backend_bench {
    // Calls `add` for facts for a report ("driver", "580.65"). Strings are valid during that call.
    void (*facts)(const struct wp_device *device,
                  void (*add)(void *user, const char *key, const char *value), void *user);

    // Terminated by a NULL name. If not NULL, the next three functions are not NULL.
    const struct wp_ceiling *ceilings;
    // For an image of width x height samples.
    struct wp_ceiling_run_state *(*ceiling_prepare)(struct wp_device *device,
                                                    const struct wp_ceiling *ceiling, int width,
                                                    int height);
    // Runs `count` ceilings of one device in sequence and times them as a group.
    bool (*ceiling_run)(struct wp_ceiling_run_state *const states[], int count, double *seconds);
    void (*ceiling_release)(struct wp_ceiling_run_state *state);

    // Runs `count` execs of one device in sequence and times them as a group, which excludes the
    // overhead of the timer. NULL: the timer has no overhead.
    bool (*run_all)(struct wp_exec *const exec[], int count, double *seconds);
    // Costs of the first forward or the last inverse level, recomputed halos included. NULL: the
    // counts of the description's scheme.
    struct wp_counts (*counts)(const struct wp_exec *exec);
    // Memory traffic of a run, all planes. NULL: reads and writes the samples of each level once.
    struct wp_cost (*cost)(const struct wp_exec *exec);
    // Approximate bytes of device memory of a description. NULL: three times the planes.
    double (*bytes)(const struct wp_description *description);
    // Calls `add` for the shader source of each operation, in their order; repeats source that
    // operations share.
    void (*shaders)(const struct wp_exec *exec, void (*add)(void *user, const char *text),
                    void *user);
    // The host's part of load(), deinterleaving samples for the device, and of store(), without
    // the device. NULL: none.
    bool (*pack)(const struct wp_exec *exec, const struct wp_operand *from);
    bool (*unpack)(const struct wp_exec *exec, const struct wp_operand *to);
};

#endif
