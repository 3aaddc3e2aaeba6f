// struct wp_transform, and the functions that the files transform_*.c share. Internal to this
// layer.
#ifndef WP_TRANSFORM_STRUCT_H
#define WP_TRANSFORM_STRUCT_H

#include "execute.h"
#include "textures.h"
#include "transform.h"
#include "tiled_exec.h"

#include <stdatomic.h>

struct wp_transform {
    atomic_flag busy; // a call is running
    struct wp_backend_choice choice;
    bool shares_device;             // `choice` belongs to another transform
    struct wp_gl *external_context; // the caller's OpenGL context in which it runs, or NULL
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes;  // per call
    int depth;   // slices per plane; the description has those of one group
    int threads; // of the CPU; 0: all
    const struct wp_variant *variant; // NULL: the backend's default
    // If `capture` is not NULL, a chooser changed the defaults, which are the fallback.
    void (*capture)(struct wp_text *text);
    const struct wp_scheme_kind *default_kind;
    const struct wp_variant *default_variant;
    enum wp_form default_form;
    bool fell_back;
    bool on_buffers; // `chain` works on a buffer of the caller
    struct wp_transform_info info;
    bool described;  // `info` has the variant and the counts of the first run
    char name[96];
    // Only one direction is prepared at a time, to save memory.
    struct wp_description ready;           // of `chain` or `tiled`
    enum wp_element samples, coefficients; // element types of the running call
    struct wp_exec_chain chain;
    struct wp_tiled_exec *tiled; // instead of `chain`, for images too large for the device; or NULL
    struct wp_exec *second;      // of every other item (wp_transform_begin_items()), or NULL
    void *stream;                // CUDA stream of the caller
    struct wp_operand *bands;    // of the running call, one per subband; NULL before the first
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

// ---- transform_lock.c

// Public functions that change a transform, or read members that others change, begin with lock().
// False after WP_ERROR_USAGE: `transform` is NULL or used by another call. unlock() returns `ok`.
bool wp_transform_lock(struct wp_transform *transform);
bool wp_transform_unlock(struct wp_transform *transform, bool ok);
// False after WP_ERROR_USAGE.
bool wp_transform_check_null(const struct wp_transform *transform);

// Calls wp_textures_enter() for the context of a locked transform.
void wp_transform_enter(const struct wp_transform *transform, bool dispatches,
                        struct wp_textures_scope *scope);

// ---- transform_ready.c

bool wp_transform_is_ready(const struct wp_transform *transform, enum wp_direction direction,
                           int depth);
// Prepares `chain` or `tiled` for groups of `depth` slices. False after an error.
bool wp_transform_prepare(struct wp_transform *transform, enum wp_direction direction, int depth);
void wp_transform_release(struct wp_transform *transform);
// Switches between a buffer of the caller and other memory; releases the resources prepared for the
// previous one.
void wp_transform_use_buffers(struct wp_transform *transform, bool on);

// ---- transform_operands.c

// Check the caller's operands for the direction of the description, and set `from` and `to` to them
// with all strides filled in. They are valid until the next call. False after an error.
bool wp_transform_check_operands(struct wp_transform *transform,
                                 const struct wp_operand *given_from,
                                 const struct wp_operand *given_to, struct wp_operand *from,
                                 struct wp_operand *to);
// The backend and the decomposition support the location. False after WP_ERROR_USAGE.
bool wp_transform_check_cuda(const struct wp_transform *transform);
bool wp_transform_check_buffer(const struct wp_transform *transform);

#endif
