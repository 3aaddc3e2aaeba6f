// A schedule's surfaces as textures, and transfers between them and the caller's memory. Planes
// that are transformed at once are stacked vertically in each texture; even and odd slices of a
// volume are layers of two textures. Shared by the backends on OpenGL. Every function except
// create() makes the context current.
#ifndef WP_SURFACES_H
#define WP_SURFACES_H

#include "context.h"
#include "pixel_pack.h"
#include "schedule.h"
#include "texture.h"

struct wp_surfaces {
    struct wp_gl *gl;
    const struct wp_schedule *schedule;
    int count;
    int halves;                 // textures per surface: 1, for volumes 2
    struct wp_texture *texture; // `halves` per surface
    struct wp_targets *targets; // volumes: framebuffers
    float *strip;               // rows to copy to a texture
    int strip_quads;            // its size; also that of rows to copy from a texture
    struct wp_pixel_pack pack;  // for pixels
};

// The context must be current, and the schedule must outlive the surfaces. False after
// WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL; the struct is then {0}.
bool wp_surfaces_create(struct wp_gl *gl, const struct wp_schedule *schedule,
                        struct wp_surfaces *surfaces);
void wp_surfaces_destroy(struct wp_surfaces *surfaces); // accepts {0}, resets to {0}

// Volumes: the first layer of a slice of a surface; the even slice of octet z is 2 z.
struct wp_layer wp_surfaces_slice(const struct wp_surfaces *surfaces, int surface, int slice);

// Distance in layers of slices of the same parity.
int wp_surfaces_step(const struct wp_surfaces *surfaces, int surface);

// Execute the schedule's loads or stores and wait for the GPU. Floats are packed into quads on the
// host (wp_transfer_load(), wp_transfer_store()), pixels on the GPU (pixel_pack.h).
bool wp_surfaces_load(struct wp_surfaces *surfaces, const struct wp_operand *from);
bool wp_surfaces_store(struct wp_surfaces *surfaces, const struct wp_operand *to);

// Likewise for one plane, from and to a channel of a texture; asynchronous.
bool wp_surfaces_load_texture(const struct wp_surfaces *surfaces, const struct wp_texture *from,
                              int channel);
bool wp_surfaces_store_texture(const struct wp_surfaces *surfaces, const struct wp_texture *to,
                               int channel);

// The host's part of load and store, without the copies to and from textures.
bool wp_surfaces_pack(const struct wp_surfaces *surfaces, const struct wp_operand *from);
bool wp_surfaces_unpack(const struct wp_surfaces *surfaces, const struct wp_operand *to);

#endif
