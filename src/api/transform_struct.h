// A transform as the files of this folder have it, transform_*.c. Others see wavepass.h, the program
// transform.h.
#ifndef WP_TRANSFORM_STRUCT_H
#define WP_TRANSFORM_STRUCT_H

#include "execute.h"
#include "textures.h"
#include "transform.h"
#include "tiled_exec.h"

#include <stdatomic.h>

struct wp_transform {
    atomic_flag busy; // a call uses it
    struct wp_backend_choice choice;
    bool shares_device; // of another transform's device
    struct wp_gl *external_context; // the caller's context in which it runs, or NULL
    struct wp_wavelet wavelet;
    struct wp_description description;
    int planes; // of a call
    int depth;  // slices of a plane; those of the description are of a group
    int threads; // of the CPU; 0: all
    const struct wp_variant *variant; // NULL: the backend's choice
    // What a chooser may give up where `capture` is not NULL, and what it then goes back to.
    void (*capture)(struct wp_text *text);
    const struct wp_scheme_kind *default_kind;
    const struct wp_variant *default_variant;
    enum wp_form default_form;
    bool fell_back;
    bool on_buffers; // of the caller's
    struct wp_transform_info info;
    bool described; // info has the variant and the counts of what was run
    char name[96];
    // One direction is ready at a time, so that memory for one is enough.
    struct wp_description ready; // what `chain`, or `tiled`, were made of
    enum wp_element samples, coefficients; // of the call that is under way
    struct wp_exec_chain chain;
    struct wp_tiled_exec *tiled; // where the device cannot take the whole; NULL: it can
    struct wp_exec *second; // as the one of `chain`, of every other item; NULL: there is none
    void *stream; // the caller's
};

// ---- transform_params.c

// Names, sizes and levels: all that takes no device. False after an error.
bool wp_transform_read(const struct wp_transform_params *given, struct wp_transform *transform);
int wp_transform_group_depth(const struct wp_transform *transform); // slices

// ---- transform_info.c

// Sets the threads that were asked for. Whether the backend has any to be set.
bool wp_transform_set_threads(struct wp_transform *transform);
// Fills the information in, but for what only a run tells. False after an error.
bool wp_transform_fill_info(struct wp_transform *transform);

// ---- transform_lock.c

// Every public function that changes a transform, or reads what another call changes, begins with
// lock(). False after WP_ERROR_USAGE: NULL, or another call uses it. unlock() returns `ok`.
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
// For groups of so many slices. False after an error.
bool wp_transform_prepare(struct wp_transform *transform, enum wp_direction direction, int depth);
void wp_transform_release(struct wp_transform *transform);
// Planes go together there, and one at a time on textures: what was made ready for the other goes.
void wp_transform_use_buffers(struct wp_transform *transform, bool on);

// ---- transform_operands.c

// A side of a call, with all distances filled in.
struct wp_transform_operand {
    unsigned texture; // its name, or 0
    unsigned buffer;  // likewise
    struct wp_operand memory;
    struct wp_view *band; // its bands, to be freed
    bool cuda;
};

// Fill the sides in. False after an error; bands are to be freed in any case.
bool wp_transform_check_operand(const struct wp_transform *transform, const struct wp_memory *given,
                             bool coefficients, struct wp_transform_operand *operand);
bool wp_transform_check_pixels(const struct wp_transform *transform, const struct wp_pixels *image,
                               const struct wp_memory *coefficients,
                               struct wp_transform_operand *pixels, struct wp_transform_operand *bands);
bool wp_transform_check_elements(const struct wp_transform *transform,
                                 const struct wp_pixels *image,
                                 const struct wp_pixels *coefficients,
                                 struct wp_transform_operand *pixels, struct wp_transform_operand *bands);
// Whether what comes out is written once, the two go together, and the backend has such memory.
bool wp_transform_check_apart(const struct wp_transform *transform,
                              const struct wp_transform_operand *operand);
bool wp_transform_check_operands(const struct wp_transform *transform,
                              const struct wp_transform_operand *from,
                              const struct wp_transform_operand *to);
bool wp_transform_check_cuda(const struct wp_transform *transform);
bool wp_transform_check_buffer(const struct wp_transform *transform);

#endif
