// Structs of the CUDA backend (devices, prepared transforms, methods) and functions of its files.
#ifndef WP_CUDA_EXEC_H
#define WP_CUDA_EXEC_H

#include "backend.h"
#include "cuda_elements.h"
#include "cuda_internal.h"

#include <cuda_runtime_api.h>

struct wp_device {
    int number;
    struct cudaDeviceProp properties;
    cudaStream_t copy_stream[2]; // [0] from the device, [1] to it
    bool guard; // put canaries around every buffer: $WAVEPASS_CUDA_GUARD is set and not 0
};

// Device memory. If the device has `guard`, a zone of canaries precedes and follows the data.
struct wp_cuda_buffer {
    float *data;    // NULL: no memory
    size_t floats;
    void *memory;   // the allocation, zones included
};

enum { WP_CUDA_BUFFERS_MAX = 12 };

// Events that time work in the default stream.
struct wp_cuda_timer {
    cudaEvent_t start, stop;
};

cudaError_t wp_cuda_timer_create(struct wp_cuda_timer *timer);
void wp_cuda_timer_destroy(struct wp_cuda_timer *timer); // accepts {0}
cudaError_t wp_cuda_timer_begin(const struct wp_cuda_timer *timer);
// Waits for the work since wp_cuda_timer_begin() and gets its time. `seconds` may be NULL.
cudaError_t wp_cuda_timer_end(const struct wp_cuda_timer *timer, double *seconds);

// A page-locked buffer on the host for asynchronous copies.
struct wp_cuda_staging {
    void *data;
    cudaEvent_t copied; // recorded after the last copy from or to `data`
};

// An operand of a transform whose elements are not floats, in device memory in its own type.
struct wp_cuda_typed {
    struct wp_cuda_elements elements; // without data if the elements are floats
    struct wp_cuda_lost *lost;        // in device memory
    struct wp_cuda_typed_kernel *kernel; // of the level next to the samples; NULL: convert them
    bool direct; // the next run uses `kernel`
    struct wp_cuda_staging staging[2];   // created when first needed
};

// All launches of a transform in its own memory, captured as one graph (cuda_graph.c).
struct wp_cuda_graph {
    int runs; // with the same elements, up to the one that creates the graph
    // True if a kernel reads or writes the elements of the samples directly, with this scale.
    bool direct;
    struct wp_element_scale scale;
    cudaGraphExec_t ready; // NULL: levels are launched one by one
};

struct wp_cuda_method;

struct wp_exec {
    const struct wp_device *device;
    struct wp_description description; // its wavelet is the member `wavelet`
    struct wp_wavelet wavelet;
    const struct wp_variant *variant;
    const struct wp_cuda_method *method; // the private data of `variant`
    const char *name;
    int levels; // number of entries of `level`
    struct wp_cuda_level *level;
    float *plane;        // the samples, slice by slice
    float *coefficients; // one rectangle per band, or the plane of the mixed layout
    float *between;      // LL bands that are the input of the next level; NULL if there are none
    float *scratch;      // NULL if the method needs none
    struct wp_cuda_typed typed[2]; // [0] the coefficients, [1] the samples
    void *method_state;  // private data of the method, set by its prepare()
    bool dense; // arrays without gaps, coefficients in one array, as callers have them
    int pitch;           // floats between rows of `plane` and of coefficients in one array
    ptrdiff_t slice;     // floats between their slices
    struct wp_cuda_timer timer;
    struct wp_cuda_graph graph;
    // The latest work in a caller's stream (cuda_device_pointer.c): an event after it, or the default
    // stream, in which an event is recorded when it is needed. Initially NULL and false: none.
    cudaEvent_t stream_event;
    bool in_default_stream;
    int buffers;
    struct wp_cuda_buffer buffer[WP_CUDA_BUFFERS_MAX];
};

// How a variant runs; its private data. Functions return a cudaError_t and use the current device;
// run() and run_level() launch in the stream of the levels.
struct wp_cuda_method {
    int (*run)(const struct wp_exec *exec); // NULL: run_level() for each level
    int (*run_level)(const struct wp_exec *exec, const struct wp_cuda_level *level);
    int priority;   // order in which variants are tried by default, from 1; 0: never
    int priority_loose; // for large images, if the wavelet does not use all taps of its shape;
                        // 0: the same
    int priority_batch; // for batches, slices without levels along z; 0: the same
    int priority_narrow; // for single images of 16 bits and their coefficients; 0: the same
    int tile_pairs; // number of pairs that a tile can read; checked by `supports`
    struct wp_cuda_tile tile; // for tile kernels
    enum wp_cuda_convolution convolution;
    int scheme; // index into wp_scheme_kinds
    // The number of floats of exec->scratch, computed when the levels are set. NULL: 0.
    size_t (*scratch)(const struct wp_exec *exec);
    bool volumes; // supports more than one slice
    bool rounds;  // supports reversible descriptions
    // Minimum number of levels per launch of wp_cuda_blocks_run() and wp_cuda_temporal_run() for
    // volumes. 0: the kernel is not used.
    int blocks, temporal;
    // Returns false and the reason if a description is not supported. NULL: all are.
    bool (*supports)(const struct wp_variant *variant, const struct wp_description *description,
                     char *why, size_t why_size);
    // Kernels find samples and bands only through the levels, with any pitch, and access no float
    // outside them, so that levels may refer to the caller's memory.
    bool borrows;
    // Runs all levels on operands in device memory, with any strides and alignment and of the types
    // that execs keep as they are (wp_cuda_is_native()). NULL: the functions above.
    int (*run_operands)(const struct wp_exec *exec, const struct wp_operand *from,
                        const struct wp_operand *to);
    // True if it keeps LL of a level (from 0), which is not the last, in exec->between. NULL: of all.
    bool (*keeps)(const struct wp_exec *exec, int level);
    bool wide; // supports f64
    bool redundant; // computes redundant banks, instead of the decimated one
    bool packets;   // likewise packets
    bool borders; // supports those of PyWavelets
    bool patches; // images run as those of the variant `patches`
    // Sets exec->method_state. May be NULL. Returns cudaErrorMemoryAllocation if host memory is
    // exhausted, and cudaErrorNotSupported after it reported WP_ERROR_UNAVAILABLE.
    int (*prepare)(struct wp_exec *exec);
    void (*release)(struct wp_exec *exec);
};

// Allocates device memory that is zeroed (NaN if the device has `guard`) and can be used in any
// stream; 0 floats allocate nothing. It is freed with the exec. Returns false after
// WP_ERROR_TOO_LARGE, whose message names `label`.
bool wp_cuda_allocate(struct wp_exec *exec, float **memory, size_t floats, const char *label);

// Reports an error of an allocation, WP_ERROR_TOO_LARGE if memory was exhausted. Returns false.
bool wp_cuda_fail_allocation(cudaError_t error, size_t bytes, const char *label);
// Fills memory with NaN, to find accesses to what was never written, and waits.
cudaError_t wp_cuda_fill_unset(void *memory, size_t bytes);

// Returns false after WP_ERROR_INTERNAL if a canary was overwritten.
bool wp_cuda_check_guards(const struct wp_exec *exec);
void wp_cuda_free_buffers(struct wp_exec *exec);

// The type in which kernels access the samples, or the coefficients: the operand's own, if the
// method has kernels for it, so that the exec has no floats for them, or f32.
enum wp_element wp_cuda_operand_type(const struct wp_exec *exec, bool samples);
bool wp_cuda_is_native(const struct wp_exec *exec, bool samples); // that type is not f32
// The size of the array of samples, or of coefficients, along an axis.
int wp_cuda_extent(const struct wp_exec *exec, bool samples, int axis);
// The samples, or the coefficients, in the exec's own memory, for method->run_operands().
struct wp_operand wp_cuda_own_operand(const struct wp_exec *exec, bool samples);

bool wp_cuda_fail(cudaError_t error, const char *label); // WP_ERROR_INTERNAL

// cuda_levels.c: steps, border and reach of a level; all levels of an exec and their memory.
void wp_cuda_set_steps(struct wp_cuda_level *level, const struct wp_lifting *lifting);
bool wp_cuda_make_levels(struct wp_exec *exec); // false after WP_ERROR_TOO_LARGE
// Allocates the exec's own memory; for methods that borrow any strides only what lies between
// levels. wp_cuda_require_operands() allocates samples and coefficients, unless they exist. False
// after WP_ERROR_TOO_LARGE.
bool wp_cuda_make_memory(struct wp_exec *exec);
bool wp_cuda_require_operands(struct wp_exec *exec);
size_t wp_cuda_samples(const struct wp_exec *exec); // floats of exec->plane
void wp_cuda_set_levels(struct wp_exec *exec); // to the exec's own memory
void wp_cuda_set_stream(const struct wp_exec *exec, void *stream); // of all levels

// Assigns offsets in one allocation. If `base` is NULL, only counts the size in `used`.
struct wp_cuda_arena {
    float *base;
    size_t used;
};
// Appends an array of that size, with one row after another and one slice after another.
struct wp_cuda_band wp_cuda_arena_band(struct wp_cuda_arena *arena, const int size[WP_DIMS_MAX]);

// cuda_backend.c: creates an exec with the levels of a description, without memory and method.
// NULL after WP_ERROR_INTERNAL or WP_ERROR_TOO_LARGE.
struct wp_exec *wp_cuda_exec_create(struct wp_device *device,
                                    const struct wp_description *description, const char *name);
void wp_cuda_exec_destroy(struct wp_exec *exec); // accepts NULL

// cuda_methods.c: the variants, default first. The private data of each is a wp_cuda_method.
extern const struct wp_variant wp_cuda_variants[];
// Memory traffic of a run: each launch reads and writes the samples of its first level once.
struct wp_cost wp_cuda_cost(const struct wp_exec *exec);
// The fastest variant that supports a description, as measured (docs/results), or the one to try
// after the variant `after`. NULL after the last. "gmem" supports all descriptions except for the
// borders of PyWavelets.
const struct wp_variant *wp_cuda_choose(const struct wp_device *device,
                                        const struct wp_description *description,
                                        const struct wp_variant *after);
// True if a variant computes the description in doubles, whatever its element types are.
bool wp_cuda_is_wide(const struct wp_description *description);
// True if `patches`, which has kernels for other types, computes the level next to the samples.
bool wp_cuda_supports_typed(const struct wp_exec *exec);
// wp_cuda_launch() launches all levels in their stream. wp_cuda_fail_launch() reports
// WP_ERROR_INTERNAL for a failed launch and returns false.
cudaError_t wp_cuda_launch(const struct wp_exec *exec);
bool wp_cuda_fail_launch(const struct wp_exec *exec, cudaError_t error);

// cuda_graph.c: wp_cuda_launch() for the exec's own memory in the default stream. Small transforms
// that run again are launched as one graph, which wp_cuda_graph_make() creates before; it never
// fails.
void wp_cuda_graph_make(struct wp_exec *exec);
cudaError_t wp_cuda_graph_launch(const struct wp_exec *exec);
void wp_cuda_graph_free(struct wp_exec *exec); // does nothing without a graph

// cuda_transfer.c: an array that is contiguous in the exec's memory: the samples, all coefficients
// of the mixed layout, or one band.
struct wp_cuda_part {
    int level; // of the band; 0: the array is not a band
    enum wp_band band;
    struct wp_operand caller;    // in the caller's memory
    struct wp_cuda_band internal; // in the exec's; samples of a row are contiguous
    int size[WP_DIMS_MAX];
};

// The number of parts of the samples, or of the coefficients.
int wp_cuda_parts(const struct wp_exec *exec, bool samples);
// A part without `caller`.
struct wp_cuda_part wp_cuda_device_part(const struct wp_exec *exec, bool samples, int index);
struct wp_cuda_part wp_cuda_get_part(const struct wp_exec *exec, const struct wp_operand *operand,
                                     bool samples, int index);
bool wp_cuda_part_is_empty(const struct wp_cuda_part *part);

// Copies all parts from or to the caller's memory in a stream of the device, and waits. If `within`
// is not NULL, copies only this section of an image whose bands are rectangles.
bool wp_cuda_exchange(const struct wp_exec *exec, const struct wp_operand *operand, bool samples,
                      bool to_device, const struct wp_sample_rect *within);
// Copies a part on the device, asynchronously in a stream, and converts it from or to the type of
// part->caller; integers of reversible transforms represent themselves. Returns a cudaError_t.
int wp_cuda_copy_part(const struct wp_exec *exec, const struct wp_cuda_part *part, bool to_internal,
                      void *stream);

// cuda_typed.c: creates the operands whose elements are not floats; false after WP_ERROR_TOO_LARGE
// or WP_ERROR_INTERNAL. The others are load(), expect() and store() of struct wp_backend for them.
bool wp_cuda_make_typed(struct wp_exec *exec);
void wp_cuda_release_typed(struct wp_exec *exec);
bool wp_cuda_load_typed(struct wp_exec *exec, const struct wp_operand *from);
void wp_cuda_expect_typed(struct wp_exec *exec, const struct wp_operand *to);
bool wp_cuda_store_typed(struct wp_exec *exec, const struct wp_operand *to);

// cuda_device_pointer.c: transform_device() of struct wp_backend. _wait() makes the next load wait,
// on the device, for the work in callers' streams; _end() waits on the host.
bool wp_cuda_transform_device(struct wp_exec *exec, const struct wp_operand *from,
                             const struct wp_operand *to, void *stream);
bool wp_cuda_device_pointer_wait(struct wp_exec *exec);
void wp_cuda_device_pointer_end(struct wp_exec *exec);
// Selects the device for a call on the caller's memory; `before` is the one to select at its end.
cudaError_t wp_cuda_select(const struct wp_device *device, int *before);
// False after WP_ERROR_USAGE if kernels of the device cannot access the memory, whose name is
// `name`.
bool wp_cuda_check_pointer(const struct wp_device *device, const void *data, const char *name);

// cuda_plan_memory.c: members of struct wp_backend for borders.
void *wp_cuda_allocate_memory(struct wp_device *device, size_t bytes);
void wp_cuda_free_memory(struct wp_device *device, void *memory);
bool wp_cuda_map(struct wp_device *device, struct wp_axis_maps *maps,
                 const struct wp_operand *from, const struct wp_operand *to, void *stream);
bool wp_cuda_mark_stream(struct wp_device *device, void **mark, void *stream);
bool wp_cuda_wait_for_mark(struct wp_device *device, void *mark, void *stream);
void wp_cuda_free_mark(struct wp_device *device, void *mark);

// cuda_volume.c: runs any level of a volume, in one pass or (all axes) in two. The others return
// the floats of scratch for all levels, and for those that cannot be streamed along z.
int wp_cuda_planar_run(const struct wp_cuda_level *level);
size_t wp_cuda_planar_scratch(const struct wp_exec *exec);
size_t wp_cuda_stream_z_scratch(const struct wp_exec *exec);

// cuda_volume.c: volumes of the mixed layout whose deeper levels use rectangles in scratch
// memory, which are interleaved at the end. Returns its size in floats; 0: not used. `run` runs
// one level.
size_t wp_cuda_packed_lowpass_scratch(const struct wp_exec *exec);
int wp_cuda_packed_lowpass_run(const struct wp_exec *exec, float *scratch,
                        int (*run)(const struct wp_cuda_level *level, int count));

// cuda_schemes.c: prepare() and release() of a method that runs the passes of a scheme, and one
// level of it.
int wp_cuda_schemes_prepare(struct wp_exec *exec);
void wp_cuda_schemes_release(struct wp_exec *exec);
int wp_cuda_schemes_run_level(const struct wp_exec *exec, const struct wp_cuda_level *level);

// cuda_ceilings.c: members of struct wp_backend_bench.
extern const struct wp_ceiling wp_cuda_ceilings[];
struct wp_ceiling_run_state *wp_cuda_ceiling_prepare(struct wp_device *device,
                                                const struct wp_ceiling *ceiling, int width,
                                                int height);
bool wp_cuda_ceiling_run(struct wp_ceiling_run_state *const state[], int count, double *seconds);
// Gets the input and the output. Returns false if they are images of floats in device memory, true
// if they are cudaArray_t of quads.
bool wp_cuda_ceiling_buffers(const struct wp_ceiling_run_state *state, void *buffer[2]);
void wp_cuda_ceiling_release(struct wp_ceiling_run_state *state);

#endif
