// struct wp_transform, and the functions that the files transform_*.c share. Internal to this
// layer.
#ifndef WP_TRANSFORM_STRUCT_H
#define WP_TRANSFORM_STRUCT_H

#include "plan.h"
#include "textures.h"
#include "transform.h"

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
    struct wp_transform_info info;
    bool described; // `info` has the variant and the counts of the first run
    char name[96];
    struct wp_plan *plan;   // of the latest problem, to save memory; or NULL
    struct wp_exec *second; // of every other item (wp_transform_begin_items()), or NULL
    struct wp_text text;    // of wp_transform_describe()
    void *stream;             // CUDA stream of the caller
    struct wp_operand *bands; // of the running call, one per subband; NULL before the first
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

// Plans a problem of the description's direction, with element types, locations and the number of
// slices of the problem, if the latest plan is another's. False after an error.
bool wp_transform_plan(struct wp_transform *transform, struct wp_problem problem);
void wp_transform_release(struct wp_transform *transform);

// ---- transform_operands.c

// Check the caller's operands for the direction of the description, and set `from` and `to` to them
// with all strides filled in. They are valid until the next call. False after an error.
bool wp_transform_check_operands(struct wp_transform *transform,
                                 const struct wp_operand *given_from,
                                 const struct wp_operand *given_to, struct wp_operand *from,
                                 struct wp_operand *to);
// Likewise, but only the types and locations.
bool wp_transform_check_kinds(const struct wp_transform *transform, const struct wp_operand *from,
                              const struct wp_operand *to);
// The backend and the decomposition support the location. False after WP_ERROR_USAGE.
bool wp_transform_check_cuda(const struct wp_transform *transform);
bool wp_transform_check_buffer(const struct wp_transform *transform);

#endif
