// Sources of kernels that are compiled at run time (cuda_kernel.h), and their users: the variant
// `made`, patches of images of u8, u16 or f16 samples, and kernels for rare layouts of volumes.
#ifndef WP_CUDA_JIT_H
#define WP_CUDA_JIT_H

#include "cuda_bank.h"
#include "cuda_elements.h"

struct wp_batch_types;
struct wp_variant;
struct wp_redundant;
struct wp_description;
struct wp_device;
struct wp_exec;
struct wp_operand;
struct wp_text;

// Threads per block of kernels of images; columns per lane of strips.
enum { WP_CUDA_JIT_THREADS = 128, WP_CUDA_JIT_COLUMNS = 4 };

// Parameters of a kernel of `made`, for one wavelet: patches (cuda_patch.cuh), or streaming strips
// (cuda_lifting.cuh) if the reach of steps is long.
struct wp_cuda_geometry {
    int patch;    // row pairs of a patch; 0: a streaming strip
    bool by_row;  // a patch finds rows at edges one by one, which needs fewer registers
    int resident; // minimum blocks per multiprocessor, which limits registers; 0: no limit
    // Only for strips:
    int ahead;    // row pairs fetched ahead
    int unroll;   // row pairs per iteration of the unrolled loop
    int most;     // maximum row pairs per warp
};

// How a kernel for u8, u16 or f16 samples is compiled.
struct wp_cuda_typed_tuning {
    int rows;    // row pairs per warp; 0: no kernel
    int columns; // per lane
    bool by_row; // see struct wp_cuda_geometry
};

struct wp_cuda_jit_call {
    unsigned char args[512]; // the only argument of the kernel
    unsigned grid[3], block[2];
};

// Parameters of a kernel of volumes. Strings are copied.
struct wp_cuda_jit_params {
    const char *name;     // for messages: "volume, wp_shape<…>"
    const char *header;   // that defines `function`: "cuda_stream_z.cuh"
    const char *arguments; // type of the only argument of the kernel
    const char *function; // __device__ function template with its template arguments
    int threads;          // per block
    int resident;         // minimum blocks per multiprocessor; 0: any
    int bytes;            // of dynamic shared memory per block
};

// One kernel on each device: a static variable, initialized with {0}.
enum { WP_CUDA_JIT_DEVICES = 64 };
struct wp_cuda_jit_slot {
    const struct wp_cuda_kernel *kernel[WP_CUDA_JIT_DEVICES];
};

#ifdef __cplusplus
extern "C" {
#endif

// Rows of the row buffer of a strip, even and odd ones; a lane has WP_CUDA_JIT_COLUMNS of each in
// registers.
int wp_cuda_ring_rows(const struct wp_cuda_level *level);
// Lanes of a warp that compute results. Less than 1 if the reach of the wavelet is too large.
int wp_cuda_strip_lanes(const struct wp_cuda_level *level);

// Set arguments and grid; the device runs `blocks` blocks at once.
void wp_cuda_prepare_call(const struct wp_cuda_level *level,
                          const struct wp_cuda_geometry *geometry, int blocks,
                          struct wp_cuda_jit_call *call);
void wp_cuda_prepare_typed_call(const struct wp_cuda_level *level,
                                const struct wp_cuda_elements *elements,
                                const struct wp_cuda_typed_tuning *tuning,
                                struct wp_cuda_jit_call *call);
// True if the arithmetic of the kernel supports the scale of the elements.
bool wp_cuda_typed_scale_fits(const struct wp_cuda_level *level,
                              const struct wp_cuda_elements *elements);

// Returns the kernel for the current device, compiled by the first call; it stays loaded until the
// process exits. NULL if it cannot be compiled, after a note; the caller then launches another
// kernel. Thread safe.
const struct wp_cuda_kernel *wp_cuda_jit_get(struct wp_cuda_jit_slot *slot,
                                             const struct wp_cuda_jit_params *params);

// The number of blocks that the device runs at once, at least 1.
int wp_cuda_jit_resident(const struct wp_cuda_kernel *kernel);

// Launches blocks of 32 x `warps` threads. Returns a cudaError_t.
int wp_cuda_jit_launch(const struct wp_cuda_kernel *kernel, const unsigned grid[3], unsigned warps,
                       const void *argument, void *stream);

#ifdef __cplusplus
}
#endif

// The files that sources may include, by name.
struct wp_cuda_include {
    const char *name, *text;
};
enum { WP_CUDA_INCLUDES = 31 };
extern const struct wp_cuda_include wp_cuda_includes[WP_CUDA_INCLUDES];

// Appends `struct steps_here`, the lifting steps of a level for wp_jit_shape (cuda_shape.cuh), with
// the taps of the level in floats, or of the program `exact` in doubles.
void wp_cuda_add_steps(const struct wp_cuda_level *level, const struct wp_lifting *exact,
                       struct wp_text *text);

// Append the source of a kernel named WP_CUDA_PROGRAM_KERNEL. `wide`: all bands can be accessed
// four elements at a time.
#define WP_CUDA_PROGRAM_KERNEL "wp_jit_kernel"
void wp_cuda_add_program(const struct wp_cuda_level *level, bool wide,
                         const struct wp_cuda_geometry *geometry, struct wp_text *text);
void wp_cuda_jit_add_program(const struct wp_cuda_jit_params *params, struct wp_text *text);
// For the variant `batch`: a kernel of the levels from number `first` on, with `planes` images per
// block; `dense` has bit 0 set for samples without gaps, bit 1 for coefficients. The others compute
// one level of images in tiles, and `levels` levels of signals in parts.
void wp_cuda_batch_add_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                               int first, int planes, int dense, struct wp_text *text);
void wp_cuda_batch_add_tile_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                                    struct wp_text *text);
// Likewise, with a border of PyWavelets.
struct wp_batch_border;
void wp_cuda_batch_add_border_program(const struct wp_exec *exec,
                                      const struct wp_batch_types *types,
                                      const struct wp_batch_border *border, int dense,
                                      struct wp_text *text);
void wp_cuda_batch_add_part_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                                    int levels, struct wp_text *text);
// For a type and a level. False if there is none.
bool wp_cuda_typed_add_program(enum wp_element type, const struct wp_cuda_level *level,
                               struct wp_text *text);

// Parameters for the steps of a level, as measured.
struct wp_cuda_geometry wp_cuda_jit_geometry(const struct wp_cuda_level *level, bool wide);

// Removes the limit of registers after the compiler could not meet it, and sets `by_row`, which
// needs fewer. Returns false if there was no limit.
bool wp_cuda_jit_relax(struct wp_cuda_geometry *geometry);

// Returns false and the reason if the rows or the reach of a wavelet exceed the limits of a warp.
bool wp_cuda_jit_covers(const struct wp_cuda_level *level, const char *name, char *why,
                        size_t why_size);

// Sets exec->method_state to `size` bytes of zeros. Returns a cudaError_t: cudaErrorNotSupported
// after WP_ERROR_UNAVAILABLE if kernels cannot be compiled.
int wp_cuda_jit_create_state(struct wp_exec *exec, size_t size);
// The result of compiling kernels of an exec, as a cudaError_t, likewise. Frees the reason.
int wp_cuda_jit_result(const struct wp_exec *exec, bool ok, struct wp_text *why);

// Functions of the struct wp_cuda_method of `made`.
int wp_cuda_jit_prepare(struct wp_exec *exec);
int wp_cuda_jit_run_level(const struct wp_exec *exec, const struct wp_cuda_level *level);
void wp_cuda_jit_release(struct wp_exec *exec);
size_t wp_cuda_jit_scratch(const struct wp_exec *exec);

// Functions of the struct wp_cuda_method of `batch` (cuda_batch.c). wp_cuda_batch_covers() returns
// false and the reason if images are not supported; `level` has the steps.
bool wp_cuda_batch_covers(const struct wp_cuda_level *level,
                          const struct wp_description *description, char *why, size_t why_size);
bool wp_cuda_batch_keeps(const struct wp_exec *exec, int level);
int wp_cuda_batch_prepare(struct wp_exec *exec);
int wp_cuda_batch_run(const struct wp_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to);
void wp_cuda_batch_release(struct wp_exec *exec);

// Kernels of redundant banks (cuda_bank_program.c). The program is that of one kernel for types of
// its first input, other inputs, the first output, other outputs, and the operand `other`
// (cuda_bank.h). wp_cuda_bank_place() sets the blocks in the arguments of a launch; `at_once`: blocks
// that the device runs at once.
struct wp_bank_shape wp_cuda_bank_shape(const struct wp_redundant *bank, enum wp_bank_kind kind,
                                        unsigned axes, int dilation, bool wide);
void wp_cuda_bank_add_program(const struct wp_redundant *bank, enum wp_bank_kind kind,
                              unsigned axes, const struct wp_bank_shape *shape,
                              const enum wp_element types[5], struct wp_text *text);
void wp_cuda_bank_place(const struct wp_redundant *bank, const struct wp_bank_shape *shape,
                        unsigned axes, int at_once, struct wp_bank_args *args, unsigned grid[3],
                        unsigned block[2]);

// Functions of the struct wp_cuda_method of `redundant` (cuda_bank.c).
size_t wp_cuda_bank_scratch(const struct wp_exec *exec);
int wp_cuda_bank_prepare(struct wp_exec *exec);
int wp_cuda_bank_run(const struct wp_exec *exec, const struct wp_operand *from,
                     const struct wp_operand *to);
void wp_cuda_bank_release(struct wp_exec *exec);

// Begins the source of a kernel of `batch`, or one like it, with the type of its arguments,
// `threads` per block and `resident` blocks per multiprocessor.
void wp_cuda_batch_add_head(const struct wp_exec *exec, const struct wp_batch_types *types,
                            const char *header, const char *arguments, int threads, int resident,
                            struct wp_text *text);

// Functions of the struct wp_cuda_method of `packets` (cuda_packets.c). wp_cuda_packets_covers()
// returns false and the reason if a description is not supported; `level` has the steps. The program
// is that of launch `number`, from 0 in the order of execution; `dense`: images of the input have no
// gaps, which matters only if they fit a block.
bool wp_cuda_packets_covers(const struct wp_cuda_level *level,
                            const struct wp_description *description, char *why, size_t why_size);
void wp_cuda_packets_add_program(const struct wp_exec *exec, const struct wp_batch_types *types,
                                 int number, bool dense, struct wp_text *text);
size_t wp_cuda_packets_scratch(const struct wp_exec *exec);
int wp_cuda_packets_prepare(struct wp_exec *exec);
int wp_cuda_packets_run(const struct wp_exec *exec, const struct wp_operand *from,
                        const struct wp_operand *to);
void wp_cuda_packets_release(struct wp_exec *exec);
// wp_backend.packets()
bool wp_cuda_packets(const struct wp_device *device, const struct wp_description *description,
                     const struct wp_variant *variant);

// The blocks of `batch` for images with a border of PyWavelets (cuda_batch_border.c).
struct wp_batch_border {
    int planes, share;    // images of a block, and threads of each
    int threads, resident; // of a block, and blocks per multiprocessor
    int pitch, rows, bytes; // of an image in shared memory, and the shared memory of a block
};
// False if an image does not fit a block. `level` has the steps.
bool wp_cuda_batch_find_border(const struct wp_cuda_level *level,
                               const struct wp_description *description,
                               struct wp_batch_border *border);
// wp_backend.borders()
bool wp_cuda_borders(const struct wp_device *device, const struct wp_description *description,
                     const struct wp_variant *variant, enum wp_location location);

// Creates the kernel for level 0 of `exec`, whose samples have the type of `elements`. NULL if no
// shape covers the level, or if the kernel cannot be compiled, after a note.
struct wp_cuda_typed_kernel *wp_cuda_typed_kernel_create(const struct wp_exec *exec,
                                                         const struct wp_cuda_elements *elements);
void wp_cuda_typed_kernel_destroy(struct wp_cuda_typed_kernel *kernel); // accepts NULL

// Launches the level that the kernel was created for, with the samples in `elements` instead of
// level->plane. Returns a cudaError_t.
int wp_cuda_typed_kernel_run(const struct wp_cuda_typed_kernel *kernel,
                             const struct wp_cuda_level *level,
                             const struct wp_cuda_elements *elements);

#endif
