// The optional part of the backend interface for OpenGL: transforms on textures and buffers in the
// caller's context, and single operations. Every function makes that context current.
#ifndef WP_BACKEND_GL_H
#define WP_BACKEND_GL_H

#include "backend.h"
#include "context.h"
#include "schedule.h"
#include "texture.h"

struct wp_surfaces; // surfaces.h

struct wp_backend_gl {
    // Creates a device that uses a context of the caller, which must outlive it. NULL with the
    // reason if the backend does not support the context, as from open().
    struct wp_device *(*borrow)(struct wp_gl *gl, char *reason, size_t reason_size);

    // The textures of an exec, and the schedule whose transfers define the positions in them. The
    // caller may draw to and read from them instead of load and store. NULL if they are not 2-D
    // textures of interleaved quads, or for redundant banks of elements (schedule.h). The member is
    // NULL if this holds for all variants.
    const struct wp_surfaces *(*surfaces)(const struct wp_exec *exec,
                                          const struct wp_schedule **schedule);
    // Runs one operation of that schedule. NULL: not supported.
    bool (*step)(struct wp_exec *exec, int op, double *seconds);

    // Instead of load and store, for plane 0 of a description with levels: copy the coefficients of
    // a level, from 1 on, or for level 0 the pixels, from or to a texture of quads; for levels of
    // redundant banks of elements (schedule.h), without the low band of levels before the last.
    // Quad (0, 0) is read from texel (x, y), and written to (0, 0). NULL: both are not supported.
    bool (*read_quads)(struct wp_exec *exec, int level, const struct wp_texture *from, int x,
                       int y);
    bool (*write_quads)(struct wp_exec *exec, int level, const struct wp_texture *to);

    // Instead of load and store, for descriptions of one plane: samples or coefficients as one
    // array, in a channel of a texture at least as large. Asynchronous.
    bool (*load_texture)(struct wp_exec *exec, const struct wp_texture *from, int channel);
    bool (*store_texture)(struct wp_exec *exec, const struct wp_texture *to, int channel);

    // A forward transform with levels reads the caller's texture of quads, from texel (0, 0) on,
    // instead of load(), until the next call. NULL releases the texture, which is required before
    // it is destroyed. False after WP_ERROR_UNAVAILABLE. NULL: not supported.
    bool (*read_from)(struct wp_exec *exec, const struct wp_texture *image);

    // Instead of load, run and store: runs in place on the caller's buffer, asynchronously. The
    // first plane begins at float `first`, the others at a distance of `plane_stride` floats, both
    // multiples of WP_BUFFER_ALIGN. floats() returns the minimum stride; the input and the output
    // of a plane are before float `end` of it. band_at() returns the position of a band in a plane,
    // for level 0 of the samples. NULL: not supported.
    bool (*run_on)(struct wp_exec *exec, unsigned buffer, size_t first, size_t plane_stride);
    size_t (*floats)(const struct wp_exec *exec, size_t *end);
    void (*band_at)(const struct wp_exec *exec, int level, enum wp_band band, size_t *first,
                    ptrdiff_t stride[WP_DIMS_MAX]);

    // The seconds on the host's clock that the latest run used to map textures to another API and
    // to unmap them. NULL: textures are not mapped.
    void (*handover)(const struct wp_exec *exec, double *map, double *unmap);
};

#endif
