// The surfaces of a schedule of planes in a buffer, and transfers between it and the caller's
// memory. Every function except create() makes the context current.
#ifndef WP_PLANES_H
#define WP_PLANES_H

#include "buffer.h"
#include "context.h"
#include "emit_tile.h"
#include "surfaces.h"
#include "program.h"
#include "schedule.h"
#include "texture.h"

enum { WP_PLANES_LAYERS_MAX = 65535 }; // of workgroups; the minimum limit in OpenGL

struct wp_planes {
    struct wp_gl *gl;
    const struct wp_schedule *schedule;
    struct wp_buffer buffer;     // all surfaces
    size_t plane_stride;         // distance in floats of planes of a stack in a caller's buffer; 0:
                                 // the planes of each surface are contiguous
    size_t max_range;            // maximum number of bytes that shaders can access
    struct wp_buffer_part *part; // one per surface, with all planes of the stack or all slices
    float *strip;                // rows to copy to or from the buffer
    size_t strip_count;          // its size in floats
    struct wp_texture quads;     // scratch: a level of a texture transfer
    struct wp_pixel_pack pack;   // for packed pixels
};

// The context must be current, and the schedule must outlive the planes. False after
// WP_ERROR_TOO_LARGE; the struct is then {0}.
bool wp_planes_create(struct wp_gl *gl, const struct wp_schedule *schedule,
                      struct wp_planes *planes);
void wp_planes_destroy(struct wp_planes *planes); // accepts {0}, resets to {0}

// Execute the schedule's loads or stores and wait for the GPU.
bool wp_planes_load(const struct wp_planes *planes, const struct wp_operand *from);
bool wp_planes_store(const struct wp_planes *planes, const struct wp_operand *to);

// The host's part of load and store.
bool wp_planes_pack(const struct wp_planes *planes, const struct wp_operand *from);
bool wp_planes_unpack(const struct wp_planes *planes, const struct wp_operand *to);

// Floats of a surface per plane of the stack, or per slice.
size_t wp_planes_stride(const struct wp_surface *surface);

// Distance in floats of a surface's planes of the stack.
size_t wp_planes_plane_stride(const struct wp_planes *planes, const struct wp_surface *surface);

// Sets the ranges of one plane's surfaces in a caller's buffer; returns the total number of floats.
size_t wp_planes_lay_out(const struct wp_planes *planes, struct wp_buffer_part *part);

// wp_backend_gl.band_at.
void wp_planes_operand(const struct wp_planes *planes, int level, enum wp_band band, size_t *first,
                       ptrdiff_t step[WP_DIMS_MAX]);

// wp_backend_gl.read_quads and write_quads; asynchronous.
bool wp_planes_read_quads(const struct wp_planes *planes, int level,
                          const struct wp_texture *from, int x, int y);
bool wp_planes_write_quads(const struct wp_planes *planes, int level,
                           const struct wp_texture *to);

// wp_backend_gl.load_texture and store_texture.
bool wp_planes_load_texture(struct wp_planes *planes, const struct wp_texture *from, int channel);
bool wp_planes_store_texture(struct wp_planes *planes, const struct wp_texture *to, int channel);

// Transfers of pixels between the caller's memory and the samples; the GPU converts from and to
// floats. Both functions make the context current and wait. False after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL.
bool wp_planes_load_pixels(struct wp_planes *planes, const struct wp_operand *from);
bool wp_planes_store_pixels(struct wp_planes *planes, const struct wp_operand *to);

// Sets the uniform `uniform` of a redundant bank's shader to the strides of a surface in samples: of a
// row, a band and a slice (or plane).
void wp_planes_set_layout(const struct wp_planes *planes, int surface, struct wp_program *program,
                          const char *uniform);

// The slices of a volume that one dispatch processes: as many as shaders of the device can access
// in the buffers that it reads and writes.
struct wp_slice_range {
    int first, end;                       // slices first..end-1 are written
    struct wp_buffer_part source, result; // the ranges that are read and written
    int step[4];                          // slice_step of shaders/slices.glsl
};

// The range for `count` slices of an operation from number `first` on. `reach` is the support along
// z, {0} if the operation does not transform z. False if a part is larger than shaders can access.
bool wp_slice_range_find(const struct wp_planes *planes, const struct wp_op *op,
                         const struct wp_lines_reach *reach, int first, int count,
                         struct wp_slice_range *range);

// The maximum number of slices for all dispatches of an operation, even if it transforms z. 0 after
// WP_ERROR_TOO_LARGE.
int wp_slice_range_max(const struct wp_planes *planes, const struct wp_op *op,
                       const struct wp_lines_reach *reach);

#endif
