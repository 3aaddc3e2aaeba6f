// struct wp_transform, and the functions that the files transform_*.c share. Internal to this
// layer.
#ifndef WP_TRANSFORM_STRUCT_H
#define WP_TRANSFORM_STRUCT_H

#include "plan.h"
#include "registry.h"
#include "transform.h"

#include <stdatomic.h>

struct wp_gl; // context.h

// ---- textures and contexts (textures.c) ----

// Opens a backend by name, or for "auto" the first one that works, in the current context. The
// library may change the state of that context until wp_textures_leave(). NULL after WP_ERROR_USAGE
// or WP_ERROR_UNAVAILABLE, with the state restored.
struct wp_gl *wp_textures_open(const char *backend, struct wp_backend_choice *choice);
// Includes wp_textures_leave(). The device must be closed before, between enter() and leave().
// Accepts NULL.
void wp_textures_close(struct wp_gl *gl);

// State of the calling thread that enter() saves and leave() restores: the state of the caller's
// context if the transform runs in it, else which context is current.
struct wp_textures_scope {
    struct wp_gl *external_context;
    bool saved;
    void *current[6];
};

// `external_context` is the caller's context, or NULL. `uses_gl`: the call makes a context of the
// library current. `dispatches`: the call only dispatches on buffers of the caller, so that less
// state is saved.
void wp_textures_enter(struct wp_textures_scope *scope, struct wp_gl *external_context,
                       bool uses_gl, bool dispatches);
void wp_textures_leave(const struct wp_textures_scope *scope);

// The number of devices of a backend on OpenGL; 0 for other backends.
int wp_textures_device_count(const struct wp_backend *backend);

// ---- the transform ----

struct wp_transform {
    atomic_flag busy; // a call is running
    struct wp_backend_choice choice;
    bool shares_device;             // `choice` belongs to another transform
    struct wp_gl *external_context; // the caller's OpenGL context in which it runs, or NULL
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes;  // per call, of each entry of the batch
    int batch[WP_BATCH_DIMENSIONS]; // at least 1
    int depth;   // slices per plane; the description has those of one group
    int threads; // of the CPU; 0: all
    const struct wp_variant *variant; // NULL: the backend's default
    // If `capture` is not NULL, a chooser changed the defaults, which are the fallback.
    void (*capture)(struct wp_text *text);
    const struct wp_scheme_kind *default_kind;
    const struct wp_variant *default_variant;
    enum wp_form default_form;
    bool fell_back;
    struct wp_transform_info info;
    bool described; // `info` has the variant and the counts of the first run
    char name[96];
    char *tree;                              // of packets, or NULL
    char (*nodes)[WP_PACKET_NAME_SIZE];      // the names of packets, or NULL
    struct wp_plan *plan;   // of the latest problem, to save memory; or NULL
    struct wp_exec *second; // of every other item (wp_transform_begin_items()), or NULL
    struct wp_text text;    // of wp_transform_describe()
    void *stream;             // CUDA stream of the caller
    struct wp_operand *bands; // of the running call, one per subband, and one for those of an
                              // entry of its loops; NULL before the first
};

// ---- transform_params.c

// Resolves names, sizes and levels; needs no device. False after an error.
bool wp_transform_read(const struct wp_transform_params *given, struct wp_transform *transform);
int wp_transform_group_depth(const struct wp_transform *transform); // slices per group

// ---- transform_info.c

// Sets the number of threads of the backend. False if it has none.
bool wp_transform_set_threads(struct wp_transform *transform);
// Sets `info`, except for results of a run. False after an error.
bool wp_transform_fill_info(struct wp_transform *transform);

// Public functions that change a transform, or read members that others change, begin with lock().
// False after WP_ERROR_USAGE: `transform` is NULL or used by another call. unlock() returns `ok`.
bool wp_transform_lock(struct wp_transform *transform);
bool wp_transform_unlock(struct wp_transform *transform, bool ok);

// Calls wp_textures_enter() for the context of a locked transform.
void wp_transform_enter(const struct wp_transform *transform, bool dispatches,
                        struct wp_textures_scope *scope);

// ---- transform_run.c

// Releases the plan and the second exec.
void wp_transform_release(struct wp_transform *transform);

// ---- transform_operands.c

// Check the caller's operands for the direction of the description, and set `from` and `to` to them
// with all strides filled in. They are valid until the next call. False after an error.
bool wp_transform_check_operands(struct wp_transform *transform,
                                 const struct wp_operand *given_from,
                                 const struct wp_operand *given_to, struct wp_operand *from,
                                 struct wp_operand *to);
// Likewise, but only types, locations and strides, without a look at addresses.
bool wp_transform_read_strides(struct wp_transform *transform, const struct wp_operand *given_from,
                               const struct wp_operand *given_to, struct wp_operand *from,
                               struct wp_operand *to);
// The backend and the decomposition support the location. False after WP_ERROR_USAGE.
bool wp_transform_check_cuda(const struct wp_transform *transform);
bool wp_transform_check_buffer(const struct wp_transform *transform);

// ---- operand_overlap.c

// False after WP_ERROR_USAGE if the output would overwrite input that is read later.
bool wp_transform_check_overlap(const struct wp_transform *transform,
                                const struct wp_operand *from, const struct wp_operand *to);

// ---- transform_params.c and batch_dims.c

// The extents of all dimensions of the samples, or of subband `index`.
void wp_transform_sizes(const struct wp_transform *transform, bool coefficients,
                        int size[WP_DIMENSIONS]);
void wp_transform_band_sizes(const struct wp_transform *transform, int index,
                             struct wp_band_info *info, int size[WP_DIMENSIONS]);
bool wp_transform_has_batch(const struct wp_transform *transform); // more than one entry

// Planes and batch dimensions of a call: the planes of the plan, and loops around it.
struct wp_batch_dims {
    int planes;
    int loops;
    int count[WP_BATCH_DIMENSIONS]; // of each loop, the outermost first
};

// Fuses dimensions. Sets the strides of `from` and `to`, and of their bands, to those of the fused
// dimensions: of planes, and from WP_BATCH on of the loops. All strides must be filled in.
struct wp_batch_dims wp_batch_dims_fuse(const struct wp_transform *transform,
                                        struct wp_operand *from, struct wp_operand *to);
// Executes the plan of the transform for each entry of the loops.
bool wp_batch_dims_run(const struct wp_batch_dims *dims, const struct wp_transform *transform,
                       const struct wp_operand *from, const struct wp_operand *to,
                       struct wp_execution *execution);
// Adds the loops and, inside of them, the plan.
void wp_batch_dims_print(const struct wp_batch_dims *dims, const struct wp_plan *plan,
                         struct wp_text *text);

#endif
