// A plan's surfaces as textures, and the way between them and planes on the host: the planes of a
// stack lie one below the other in every texture; even and odd slices of a volume lie one behind
// the other in a texture each. Shared by the backends that run on OpenGL; every function but
// create() makes the context current.
#ifndef WP_SURFACES_H
#define WP_SURFACES_H

#include "context.h"
#include "pixel_pack.h"
#include "plan.h"
#include "texture.h"

struct wp_surfaces {
    struct wp_gl *gl;
    const struct wp_plan *plan;
    int count;
    int halves;                 // textures of a surface: 1, of a volume 2
    struct wp_texture *texture; // so many a surface
    struct wp_targets *targets; // volumes: for what is drawn
    float *strip;               // rows on their way to a texture
    int strip_quads;            // how many fit; of those on their way back, too
    struct wp_pixel_pack pack;      // for pixels
};

// With the context current; the plan must outlive the result. False after WP_ERROR_TOO_LARGE or
// WP_ERROR_INTERNAL, with {0} left.
bool wp_surfaces_create(struct wp_gl *gl, const struct wp_plan *plan,
                        struct wp_surfaces *surfaces);
void wp_surfaces_destroy(struct wp_surfaces *surfaces); // accepts {0}, leaves {0}

// Of a volume: where slice `slice` of surface number `surface` begins; an octet's even one is 2 z.
struct wp_layer wp_surfaces_slice(const struct wp_surfaces *surfaces, int surface, int slice);

// Layers from one slice of a surface to the next one of the same texture, two slices on.
int wp_surfaces_step(const struct wp_surfaces *surfaces, int surface);

// Through the plan's load and store ports. Both wait for the GPU. Pixels become floats on it.
bool wp_surfaces_load(struct wp_surfaces *surfaces, const struct wp_operand *from);
bool wp_surfaces_store(struct wp_surfaces *surfaces, const struct wp_operand *to);

// The same for one plane, from and to a channel of a texture; they do not wait.
bool wp_surfaces_load_texture(const struct wp_surfaces *surfaces, const struct wp_texture *from,
                              int channel);
bool wp_surfaces_store_texture(const struct wp_surfaces *surfaces, const struct wp_texture *to,
                               int channel);

// What these do on the host: the quads are made and thrown away, or written as they are.
bool wp_surfaces_pack(const struct wp_surfaces *surfaces, const struct wp_operand *from);
bool wp_surfaces_unpack(const struct wp_surfaces *surfaces, const struct wp_operand *to);

#endif
