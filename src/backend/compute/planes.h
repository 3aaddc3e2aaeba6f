// The surfaces of a plan of planes as buffers, and the way between them and the host. Every
// function but create() makes the context current.
#ifndef WP_PLANES_H
#define WP_PLANES_H

#include "buffer.h"
#include "context.h"
#include "pixel_pack.h"
#include "plan.h"
#include "texture.h"

struct wp_planes {
    struct wp_gl *gl;
    const struct wp_plan *plan;
    struct wp_buffer buffer;     // holds all surfaces
    size_t apart;                // floats from one plane of the stack to the next, on a caller's
                                 // buffer; 0: each surface has its planes side by side
    size_t reach;                // bytes of it that shaders see at a time
    struct wp_buffer_part *part; // one a surface, of all planes of the stack, or slices
    float *strip;                // rows on their way to or from a buffer
    size_t strip_count;          // how many floats fit
    struct wp_texture quads;     // of a level, on their way to or from a program's texture
    struct wp_pixel_pack pack;       // for planes_packed.h
};

// With the context current; the plan must outlive the result. False after WP_ERROR_TOO_LARGE, with
// {0} left.
bool wp_planes_create(struct wp_gl *gl, const struct wp_plan *plan, struct wp_planes *planes);
void wp_planes_destroy(struct wp_planes *planes); // accepts {0}, leaves {0}

// Through the plan's load and store ports. Both wait for the GPU.
bool wp_planes_load(const struct wp_planes *planes, const struct wp_operand *from);
bool wp_planes_store(const struct wp_planes *planes, const struct wp_operand *to);

// What these do on the host.
bool wp_planes_pack(const struct wp_planes *planes, const struct wp_operand *from);
bool wp_planes_unpack(const struct wp_planes *planes, const struct wp_operand *to);

// Floats of a surface for one plane of the stack or one slice.
size_t wp_planes_stride(const struct wp_surface *surface);

// From a surface's plane of the stack to the next.
size_t wp_planes_apart(const struct wp_planes *planes, const struct wp_surface *surface);

// Where a plane's surfaces lie on a caller's buffer; returns their floats.
size_t wp_planes_lay_out(const struct wp_planes *planes, struct wp_buffer_part *part);

// As wp_backend_gl.place.
void wp_planes_operand(const struct wp_planes *planes, int level, enum wp_band band, size_t *first,
                     ptrdiff_t step[WP_DIMS_MAX]);

// As wp_backend_gl.read_quads and write_quads; they do not wait.
bool wp_planes_read_quads(const struct wp_planes *planes, int level,
                          const struct wp_texture *from, int x, int y);
bool wp_planes_write_quads(const struct wp_planes *planes, int level,
                           const struct wp_texture *to);

// As wp_backend_gl.load_texture and store_texture.
bool wp_planes_load_texture(struct wp_planes *planes, const struct wp_texture *from, int channel);
bool wp_planes_store_texture(struct wp_planes *planes, const struct wp_texture *to, int channel);

#endif
