// The interface of backends: what computes a description. To execute is enough; what benchmarks
// and OpenGL want of one stands in tables beside, which may be NULL. To add a backend, write one
// in a folder of its own and add a row to the registry (registry.h).
#ifndef WP_BACKEND_H
#define WP_BACKEND_H

#include "operand.h"

// Of an image's samples those with from[a] <= a sample's place < to[a] along x and y, `from` being a
// multiple of 2^levels; and of its bands what these become.
struct wp_within {
    int from[2], to[2];
};

struct wp_device; // a backend's hold on what it runs on: a GL context, a GPU, nothing
struct wp_exec;   // a description made ready to run on a device: memory, programs

struct wp_device_info {
    char name[128];    // "llvmpipe (LLVM 15.0.6, 256 bits)", "reference interpreter"
    bool software;     // a GPU interface without a GPU behind it
    int max_surface;   // the most quads along one side of a surface; 0: memory alone limits
    const char *timer; // what run() measures with: "GL_TIME_ELAPSED", "monotonic clock"
    bool wall;         // `timer` is the computer's clock, not the device's own
    size_t cache;      // bytes of the largest cache; 0: not known
    int threads;       // of the computer, that set_threads() may choose from; 0: none
};

// For one quad of a level, of a volume for an octet.
struct wp_counts {
    double operations; // multiply-adds
    double fetches;    // of a quad
};

// One of the ways in which a backend can compute, taken by name (--variant).
struct wp_variant {
    const char *name;    // "hybrid"
    const char *summary; // one line for `info`
    const void *own;     // the backend's data of this variant
    // False where the variant cannot compute such a description, and `why` says so; "" after
    // WP_ERROR_TOO_LARGE, where there is no memory to find out. NULL: it can all.
    bool (*supports)(const struct wp_variant *variant, const struct wp_description *description,
                     char *why, size_t why_size);
    // The same for a device, whatever the description. prepare() fails there with
    // WP_ERROR_UNAVAILABLE.
    bool (*runs_on)(const struct wp_variant *variant, const struct wp_device *device, char *why,
                    size_t why_size);
    // For what runs all passes of a level in one operation: what it computes and reads for a quad
    // of such a scheme, halos included; {0} where memory is short. NULL: what the scheme counts.
    struct wp_counts (*counts)(const struct wp_variant *variant, const struct wp_scheme *scheme);
    bool smears; // a value that is not finite reaches farther than the wavelet does
};

struct wp_backend_bench;
struct wp_backend_gl;

struct wp_backend {
    const char *name;
    const char *summary; // one line for `info`
    // Its programs take minutes to compile where no GPU is behind the device, so checks of
    // everything leave it out there unless it is asked for.
    bool slow_in_software;
    bool schemeless;         // runs every scheme and form alike
    bool schemeless_volumes; // does so where there is more than one slice
    bool half;               // can keep samples in 16 bits
    bool rounds;             // takes reversible descriptions
    // Bit wp_element e: takes places whose samples are of that type (wp_operand.pixels), of
    // descriptions that say so. Others become floats before, and of floats after (execute.h).
    unsigned elements;
    unsigned coefficients; // likewise of theirs

    // Opens device number `index`, or any for -1. `quiet` turns the error into a log line of
    // level verbose: for probing. NULL on failure, after WP_ERROR_UNAVAILABLE where not quiet;
    // `reason`, of `reason_size` bytes, says why in both cases; it is "" where memory is short,
    // after WP_ERROR_TOO_LARGE. A GL backend's device holds a context and makes it current in every
    // call below.
    struct wp_device *(*open)(int index, bool quiet, char *reason, size_t reason_size);
    void (*close)(struct wp_device *device);
    void (*describe)(const struct wp_device *device, struct wp_device_info *info);
    // How many of its threads what is prepared from now on shares its work among; 0: all. NULL
    // where there are none.
    void (*set_threads)(struct wp_device *device, int threads);

    // Ended by a NULL name, the default first; NULL where there is one way only.
    const struct wp_variant *variants;

    // The most planes that may go through together (wp_description.planes). NULL: one.
    int (*planes_max)(const struct wp_device *device, const struct wp_description *description);

    // Makes a dyadic description ready that wp_description_check() accepts (others come in stages,
    // execute.h): allocates, builds programs.
    // With a variant that is one of the backend's and supports it; with NULL as the backend thinks
    // best. NULL after WP_ERROR_TOO_LARGE, WP_ERROR_UNAVAILABLE or WP_ERROR_INTERNAL.
    struct wp_exec *(*prepare)(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant);
    // The variant that was taken; the member is NULL where `variants` is.
    const struct wp_variant *(*variant)(const struct wp_exec *exec);

    // Brings the planes that go in to the device; they are there on return.
    bool (*load)(struct wp_exec *exec, const struct wp_operand *from);
    // Tells, before run(), where store() will bring the planes: it is then given the same. For what
    // can make them at once as they are wanted there; may be left out. NULL: no use for it.
    void (*expect)(struct wp_exec *exec, const struct wp_operand *to);
    // Computes to the end; `seconds` (may be NULL) gets the time it took, on the device's own timer
    // where it has one that can be trusted.
    bool (*run)(struct wp_exec *exec, double *seconds);
    // Brings the planes back.
    bool (*store)(struct wp_exec *exec, const struct wp_operand *to);
    // The same of an image, of what is within alone; the rest of the place stays as it is. NULL:
    // there is no such way.
    bool (*store_within)(struct wp_exec *exec, const struct wp_operand *to,
                         const struct wp_within *within);
    // The three in one, for backends that can work on a caller's memory where it lies; the two
    // places may share it. NULL: load, run and store.
    bool (*transform)(struct wp_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds);

    // The same on memory of the device itself, which the two places may share: put into `stream`, a
    // handle of the device's interface or NULL for its default one, and not waited for. It runs
    // behind what this exec was given before, in whatever stream. False after WP_ERROR_USAGE where
    // a place is not on the device. NULL: a caller's memory is the host's.
    bool (*transform_device)(struct wp_exec *exec, const struct wp_operand *from,
                            const struct wp_operand *to, void *stream);

    // What goes in, what comes out and what is between have memory of their own, where there is a
    // level: two execs are enough for the three calls to go on at once, in a thread each. Of one
    // exec load() may do so beside store(), and neither beside run().
    bool overlaps;
    // Lets the device reach memory of the host by itself until unpin(): it is copied faster then,
    // and beside other copies. Its pages must be its own (wp_allocate_pages()). False where that
    // cannot be, without an error; it is copied all the same. NULL: nothing is gained.
    bool (*pin)(struct wp_device *device, void *memory, size_t bytes);
    void (*unpin)(struct wp_device *device, void *memory);
    // Whether it does reach memory of the host at an address, by whoever's doing. NULL where it
    // makes no difference.
    bool (*reaches)(const struct wp_device *device, const void *memory);

    void (*release)(struct wp_exec *exec); // accepts NULL

    const struct wp_backend_bench *bench;
    const struct wp_backend_gl *gl; // backend_gl.h
};

// Whether a backend runs such a description alike for every scheme and form.
bool wp_backend_is_schemeless(const struct wp_backend *backend,
                              const struct wp_description *description);

// Work that no transform can beat on a device, measured beside transforms.
struct wp_ceiling {
    const char *name;      // "copy"
    const char *summary;   // one line
    double bytes;          // read and written, per sample of the image
    double fetches;        // of a quad, per quad of the image
    double fill;           // quads that render passes write, per quad of the image
    enum wp_precision precision; // of transforms that it stands beside
    const void *own;       // the backend's data of this ceiling
};

struct wp_ceiling_run_state; // a ceiling made ready on a device

// What one run does to memory, by a model: what an operation reads more than once comes from
// memory once, and nothing stays in a cache from one operation to the next.
struct wp_cost {
    double bytes;   // read and written
    double fetches; // of a quad
    double fill;    // quads that render passes write
};

// What benchmarks want to know of a backend. Members may be NULL but where one says otherwise.
struct wp_backend_bench {
    // Facts for a report ("driver", "580.65"), strings that live during the call.
    void (*facts)(const struct wp_device *device,
                  void (*add)(void *user, const char *key, const char *value), void *user);

    // Ended by a NULL name. With them come the three functions below.
    const struct wp_ceiling *ceilings;
    // For an image of width x height samples.
    struct wp_ceiling_run_state *(*ceiling_prepare)(struct wp_device *device,
                                               const struct wp_ceiling *ceiling, int width,
                                               int height);
    // `count` of a device one after the other, timed together.
    bool (*ceiling_run)(struct wp_ceiling_run_state *const work[], int count, double *seconds);
    void (*ceiling_release)(struct wp_ceiling_run_state *work);

    // Runs `count` of the device's execs one after the other, timed together, so that what the
    // timer itself costs does not count. NULL where it costs nothing.
    bool (*run_all)(struct wp_exec *const exec[], int count, double *seconds);
    // What it computes and reads for a quad of the first level of the forward transform or the
    // last one of the inverse, halos that are computed more than once included. NULL: what the
    // description's scheme counts.
    struct wp_counts (*counts)(const struct wp_exec *exec);
    // What a run does to memory for every plane. NULL: reads and writes every level's samples once.
    struct wp_cost (*cost)(const struct wp_exec *exec);
    // Bytes on the device for such a description, about. NULL: three planes' for each.
    double (*bytes)(const struct wp_description *description);
    // Gives the texts of the shaders that the operations run, in their order; one that serves
    // several comes again for each.
    void (*shaders)(const struct wp_exec *exec, void (*add)(void *user, const char *text),
                    void *user);
    // What load() does on the host to take a caller's samples apart for the device, and store() to
    // put them together, without the device. NULL where they do nothing of the kind.
    bool (*pack)(const struct wp_exec *exec, const struct wp_operand *from);
    bool (*unpack)(const struct wp_exec *exec, const struct wp_operand *to);
};

#endif
