// What OpenGL can have of a backend beside the calls of backend.h: transforms on textures of a
// context that stays the caller's, and single steps. Every function makes that context current.
#ifndef WP_BACKEND_GL_H
#define WP_BACKEND_GL_H

#include "backend.h"
#include "context.h"
#include "plan.h"
#include "texture.h"

struct wp_surfaces; // surfaces.h

struct wp_backend_gl {
    // A device on a context that stays the caller's; close() leaves the context alone. NULL with
    // the reason where the backend cannot work there, as from open().
    struct wp_device *(*borrow)(struct wp_gl *gl, char *reason, size_t reason_size);

    // The textures that an exec computes on, and the plan whose ports tell where things lie there;
    // what lies on them may be drawn on and read in place of load and store. NULL where its
    // textures are not 2-D ones of quads side by side. The member is NULL where no variant has any.
    const struct wp_surfaces *(*surfaces)(const struct wp_exec *exec,
                                          const struct wp_plan **plan);
    // Runs one operation of that plan, as run() does with all of them. NULL: there are no steps.
    bool (*step)(struct wp_exec *exec, int op, double *seconds);

    // In place of load and store, of the first plane, where there is a level: copies the
    // coefficients of a level, from 1 on, or the pixels, for level 0, from or to a texture of
    // quads; quad (0, 0) is read at the texel (x, y), and written at (0, 0). NULL: both are.
    bool (*read_quads)(struct wp_exec *exec, int level, const struct wp_texture *from, int x,
                       int y);
    bool (*write_quads)(struct wp_exec *exec, int level, const struct wp_texture *to);

    // In place of load and store, of a description of one plane: samples or coefficients as one
    // array in a channel of a texture of that size or a larger one. They do not wait.
    bool (*load_texture)(struct wp_exec *exec, const struct wp_texture *from, int channel);
    bool (*store_texture)(struct wp_exec *exec, const struct wp_texture *to, int channel);

    // Has a forward transform with a level read the caller's texture of quads, from its texel
    // (0, 0) on, in place of load(), until another is named; NULL lets go of it, which has to be
    // done before it is destroyed. False after WP_ERROR_UNAVAILABLE. NULL: it cannot.
    bool (*read_from)(struct wp_exec *exec, const struct wp_texture *image);

    // In place of load, run and store: runs on the caller's buffer, in which the first of the
    // description's planes begins at float `first`, a multiple of WP_BUFFER_ALIGN, and the others
    // such a multiple `apart`, which is at least `floats`; not waited for. The two sides of a plane
    // lie there as band_at() returns of a level's band, of level 0 the samples, and end behind float
    // `end`. NULL: it cannot.
    bool (*run_on)(struct wp_exec *exec, unsigned buffer, size_t first, size_t apart);
    size_t (*floats)(const struct wp_exec *exec, size_t *end);
    void (*band_at)(const struct wp_exec *exec, int level, enum wp_band band, size_t *first,
                  ptrdiff_t step[WP_DIMS_MAX]);

    // What the latest run took to hand the textures over to another interface and back, on the
    // computer's clock. NULL: nothing is handed over.
    void (*handover)(const struct wp_exec *exec, double *map, double *unmap);
};

#endif
