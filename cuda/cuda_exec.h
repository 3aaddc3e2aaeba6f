// The CUDA backend's own structs: devices, transforms made ready, and the methods that do them.
#ifndef WP_CUDA_EXEC_H
#define WP_CUDA_EXEC_H

#include "backend.h"
#include "cuda_elements.h"
#include "cuda_internal.h"

#include <cuda_runtime_api.h>

struct wp_device {
    int number;
    struct cudaDeviceProp properties;
    cudaStream_t way[2]; // from the device, and to it
    bool guard; // canaries around every buffer: $WAVEPASS_CUDA_GUARD is set and not 0
};

// Device memory with, where the device guards, a zone of canaries at both ends.
struct wp_cuda_buffer {
    float *data;    // what was asked for; NULL: none
    size_t floats;
    void *memory;   // what was allocated
};

enum { WP_CUDA_BUFFERS_MAX = 12 };

// Events around work in the default stream.
struct wp_cuda_timer {
    cudaEvent_t start, stop;
};

cudaError_t wp_cuda_timer_create(struct wp_cuda_timer *timer);
void wp_cuda_timer_destroy(struct wp_cuda_timer *timer); // accepts {0}
cudaError_t wp_cuda_timer_begin(const struct wp_cuda_timer *timer);
// Waits for what was done since; `seconds` may be NULL.
cudaError_t wp_cuda_timer_end(const struct wp_cuda_timer *timer, double *seconds);

// Memory of the host that the device reaches, for what is on its way.
struct wp_cuda_staging {
    void *data;
    cudaEvent_t passed; // behind the copy that it was in last
};

// A side of a transform whose elements are not floats, on the device as the caller has them.
struct wp_cuda_typed {
    struct wp_cuda_elements elements; // without data where they are floats
    struct wp_cuda_lost *lost;        // on the device
    struct wp_cuda_typed_kernel *kernel; // of the level next to the samples; NULL: they are converted
    bool direct; // the next call goes through `kernel`
    struct wp_cuda_staging staging[2];    // made when they are first needed
};

// All launches of a transform in its own memory, as one (cuda_graph.c).
struct wp_cuda_graph {
    int runs; // that were asked for, of the same elements
    // Whether a level takes or makes the samples' elements, and then what they stand for.
    bool direct;
    struct wp_element_scale scale;
    cudaGraphExec_t ready; // NULL: none, and levels are launched one by one
};

struct wp_cuda_method;

struct wp_exec {
    const struct wp_device *device;
    struct wp_description description; // with the wavelet replaced by the exec's own copy
    struct wp_wavelet wavelet;
    const struct wp_variant *variant;
    const struct wp_cuda_method *method; // its `own`
    const char *name;
    int levels; // how many `level` has
    struct wp_cuda_level *level;
    float *plane;        // the samples, slice by slice
    float *coefficients; // every band in a rectangle of its own, or the plane of the mixed layout
    float *between;      // LL bands that are inputs of a next level; NULL where there is none
    float *scratch;      // NULL where the method needs none
    struct wp_cuda_typed typed[2]; // of the coefficients, of the samples
    void *own;           // the method's: see its prepare
    int pitch;           // of `plane` and of coefficients in the mixed layout
    ptrdiff_t slice;     // floats from one of their slices to the next
    struct wp_cuda_timer timer;
    struct wp_cuda_graph graph;
    // Behind what was put into a caller's stream last; NULL where nothing was (cuda_device_pointer.c).
    cudaEvent_t there;
    int buffers;
    struct wp_cuda_buffer buffer[WP_CUDA_BUFFERS_MAX];
};

// How a variant runs: its `own`. Functions return a cudaError_t and work on the current device,
// run() in the stream of the levels.
struct wp_cuda_method {
    int (*run)(const struct wp_exec *exec);
    int turn;   // in which it is tried where nobody names one, from 1 on; 0: never
    int turn_loose; // that of large images whose wavelet has fewer taps than its kernel; 0: the same
    int window; // pairs that its tiles can look at, of `supports`
    struct wp_cuda_tile tile; // for the kernels of tiles
    enum wp_cuda_convolution convolution;
    int scheme; // index into wp_scheme_kinds
    // The floats of exec->scratch that it wants, when all else of the levels is set. NULL: none.
    size_t (*scratch)(const struct wp_exec *exec);
    bool volumes; // takes more than one slice
    bool rounds;  // takes reversible descriptions
    // Levels of volumes that go together at least, where wp_cuda_blocks_run() and
    // wp_cuda_temporal_run() cover them. 0: none.
    int blocks, timeline;
    // False where it cannot do a description of the slices that it takes, and why. NULL: it can.
    bool (*supports)(const struct wp_variant *variant, const struct wp_description *description,
                     char *why, size_t why_size);
    // Finds samples and bands through the levels alone, whatever their pitch, and reads and writes
    // no float beside them.
    bool borrows;
    bool patches; // images go as those of `patches` do
    // May be NULL; sets exec->own. Where the computer's memory is short: cudaErrorMemoryAllocation;
    // after a WP_ERROR_UNAVAILABLE of its own, cudaErrorNotSupported.
    int (*prepare)(struct wp_exec *exec);
    void (*release)(struct wp_exec *exec);
};

// Zero-filled (NaN where the device guards), for whatever stream. False after WP_ERROR_TOO_LARGE that names the bytes;
// 0 floats are no memory. release() frees it with the exec.
bool wp_cuda_allocate(struct wp_exec *exec, float **memory, size_t floats, const char *what);

// False after WP_ERROR_INTERNAL where something wrote beside a buffer.
bool wp_cuda_check_guards(const struct wp_exec *exec);
void wp_cuda_free_buffers(struct wp_exec *exec);
// As the members of struct wp_backend.
bool wp_cuda_pin(struct wp_device *device, void *memory, size_t bytes);
void wp_cuda_unpin(struct wp_device *device, void *memory);
bool wp_cuda_reaches(const struct wp_device *device, const void *memory);

bool wp_cuda_fail(cudaError_t error, const char *what); // WP_ERROR_INTERNAL

// cuda_device.c
struct wp_device *wp_cuda_open(int index, bool quiet, char *reason, size_t reason_size);
void wp_cuda_close(struct wp_device *device);
void wp_cuda_describe(const struct wp_device *device, struct wp_device_info *info);
void wp_cuda_facts(const struct wp_device *device,
                   void (*add)(void *user, const char *key, const char *value), void *user);

// cuda_levels.c: a level's steps, border and reach; and all levels of an exec with their memory.
void wp_cuda_set_steps(struct wp_cuda_level *level, const struct wp_lifting *lifting);
bool wp_cuda_make_levels(struct wp_exec *exec); // false after WP_ERROR_TOO_LARGE
bool wp_cuda_make_memory(struct wp_exec *exec);
size_t wp_cuda_samples(const struct wp_exec *exec); // floats of exec->plane
void wp_cuda_set_levels(struct wp_exec *exec); // to the memory that was made, as it left them
void wp_cuda_set_stream(const struct wp_exec *exec, void *stream); // of all levels

// Offsets of bands in memory that is not there yet: counted by a first walk with base NULL.
struct wp_cuda_arena {
    float *base;
    size_t used;
};
// A rectangle, or its slices, for a band of that size.
struct wp_cuda_band wp_cuda_arena_band(struct wp_cuda_arena *arena, const int size[WP_DIMS_MAX]);

// cuda_backend.c: an exec with the levels of a description, without memory or method. NULL after
// WP_ERROR_INTERNAL or WP_ERROR_TOO_LARGE.
struct wp_exec *wp_cuda_exec_create(struct wp_device *device,
                                    const struct wp_description *description, const char *name);
void wp_cuda_exec_destroy(struct wp_exec *exec); // accepts NULL

// cuda_methods.c. The variants, the default first; `own` of each is a struct wp_cuda_method.
extern const struct wp_variant wp_cuda_variants[];
// Each level in and out, but for what stays on the chip between levels of one launch.
struct wp_cost wp_cuda_cost(const struct wp_exec *exec);
// The fastest that can compute a description, as measured (docs/results), or the next one `behind`
// another. NULL behind the last.
const struct wp_variant *wp_cuda_choose(const struct wp_device *device,
                                        const struct wp_description *description,
                                        const struct wp_variant *behind);
// Whether the level next to the samples is computed by `patches`, which have kernels for other types.
bool wp_cuda_supports_typed(const struct wp_exec *exec);
// Launches all levels in the stream that they name. And false, after the WP_ERROR_INTERNAL of one
// that failed.
cudaError_t wp_cuda_launch(const struct wp_exec *exec);
bool wp_cuda_fail_launch(const struct wp_exec *exec, cudaError_t error);

// cuda_graph.c: as wp_cuda_launch(), of the exec's own memory in the default stream; when it is run
// again and is small, by one launch. What that takes is made beforehand by the first of these, which
// never fails.
void wp_cuda_graph_make(struct wp_exec *exec);
cudaError_t wp_cuda_graph_launch(const struct wp_exec *exec);
void wp_cuda_graph_free(struct wp_exec *exec); // accepts an exec without one

// cuda_transfer.c: what lies in one piece for the exec: the samples, all coefficients of the mixed
// layout, or a band.
struct wp_cuda_part {
    int level; // of the band; 0: all
    enum wp_band band;
    struct wp_view theirs;
    struct wp_cuda_band ours; // samples of a row lie side by side
    int size[WP_DIMS_MAX];
};

// Of one side of a transform: its samples, or else its coefficients.
int wp_cuda_parts(const struct wp_exec *exec, bool samples);
// Without the caller's.
struct wp_cuda_part wp_cuda_device_part(const struct wp_exec *exec, bool samples, int index);
struct wp_cuda_part wp_cuda_get_part(const struct wp_exec *exec, const struct wp_operand *operand,
                                     bool samples, int index);
bool wp_cuda_part_is_empty(const struct wp_cuda_part *part);

// All parts of a side, from a caller's memory or to it, through a stream of their own to the end.
// Of an image with bands in rectangles, where `within` is not NULL, what of them is within alone.
bool wp_cuda_exchange(const struct wp_exec *exec, const struct wp_operand *operand, bool samples,
                      bool to_device, const struct wp_sample_rect *within);
// A part, where the caller's memory is the device's: put into a stream. A cudaError_t.
int wp_cuda_copy_part(const struct wp_cuda_part *part, bool to_ours, void *stream);

// cuda_typed.c: what a side whose elements are not floats has; false after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL. Then as load(), expect() and store() of struct wp_backend have it.
bool wp_cuda_make_typed(struct wp_exec *exec);
void wp_cuda_release_typed(struct wp_exec *exec);
bool wp_cuda_load_typed(struct wp_exec *exec, const struct wp_pixels *from);
void wp_cuda_expect_typed(struct wp_exec *exec, const struct wp_pixels *to);
bool wp_cuda_store_typed(struct wp_exec *exec, const struct wp_pixels *to);

// cuda_typed_copy.c: between such a side and the caller's memory on the host. Put into a stream; what
// does not lie side by side there is waited for. False after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL.
bool wp_cuda_copy_typed(const struct wp_exec *exec, struct wp_cuda_typed *typed,
                        const struct wp_pixels *theirs, bool to_device, cudaStream_t stream);
void wp_cuda_release_staging(struct wp_cuda_typed *typed);

// cuda_device_pointer.c: as the member of struct wp_backend. What is loaded into the exec's memory next waits
// on the device for what was put into streams; and freeing it does on the host.
bool wp_cuda_transform_device(struct wp_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, void *stream);
bool wp_cuda_device_pointer_wait(const struct wp_exec *exec);
void wp_cuda_device_pointer_end(struct wp_exec *exec);

// cuda_planar.c: any level of a volume, x and y first and then z where it has them all; and the
// scratch that the levels of an exec want for that, or where the others march.
int wp_cuda_planar_run(const struct wp_cuda_level *level);
size_t wp_cuda_planar_scratch(const struct wp_exec *exec);
size_t wp_cuda_stream_z_scratch(const struct wp_exec *exec);

// cuda_packed_lowpass.c: volumes of the mixed layout whose deeper levels write and read rectangles first,
// in so many floats of scratch; 0: they do not. Levels are run by `run`, the woven ones at once.
size_t wp_cuda_packed_lowpass_scratch(const struct wp_exec *exec);
int wp_cuda_packed_lowpass_run(const struct wp_exec *exec, float *scratch,
                        int (*run)(const struct wp_cuda_level *level, int count));

// cuda_schemes.c: prepare and release of a method that runs a scheme's passes, and one level of it.
int wp_cuda_schemes_prepare(struct wp_exec *exec);
void wp_cuda_schemes_release(struct wp_exec *exec);
int wp_cuda_schemes_run_level(const struct wp_exec *exec, const struct wp_cuda_level *level);

// cuda_ceilings.c: as the members of wp_backend_bench.
extern const struct wp_ceiling wp_cuda_ceilings[];
struct wp_ceiling_run_state *wp_cuda_ceiling_prepare(struct wp_device *device,
                                                const struct wp_ceiling *ceiling, int width,
                                                int height);
bool wp_cuda_ceiling_run(struct wp_ceiling_run_state *const work[], int count, double *seconds);
// What it reads and what it writes: images of floats on the device, or, where it is true, cudaArray_ts
// of quads.
bool wp_cuda_ceiling_buffers(const struct wp_ceiling_run_state *work, void *side[2]);
void wp_cuda_ceiling_release(struct wp_ceiling_run_state *work);

#endif
