// A schedule's surfaces as textures, and transfers between them and the caller's memory. Planes
// that are transformed at once are in columns of each texture, one below the other; even and odd
// slices of a volume are layers of two textures. Shared by the backends on OpenGL. Every function
// except create() makes the context current.
#ifndef WP_SURFACES_H
#define WP_SURFACES_H

#include "context.h"
#include "elements.h"
#include "operand.h"
#include "program.h"
#include "schedule.h"
#include "text.h"
#include "texture.h"

// ---- words of integers and halves, converted by the GPU (pixel_pack.c) ----

// Transfers of integers and halves between the caller's memory and the GPU. A texture of 32-bit
// words has the samples of a slice in the caller's format; shaders convert from and to floats
// (shaders/pixel_pack.glsl). Values of numbers are looked up in a table that the host computes,
// so that they are bit-identical to the host's, whatever the precision of the GPU's division. Every
// function requires the context to be current.

// Supported types, as bits of wp_backend.elements.
enum { WP_PIXEL_PACK_ELEMENTS = 1 << WP_ELEMENT_F16 | 1 << WP_ELEMENT_U8 | 1 << WP_ELEMENT_U16 };

struct wp_pixel_pack {
    struct wp_texture texture;
    struct wp_texture counts;  // numbers of lost samples
    struct wp_texture table;   // value of each number, 256 per row
    unsigned *strip;           // words of some rows of texels
    // The format:
    struct wp_operand pixels;
    struct wp_element_scale scale;
    int size[2];  // samples of a plane along x and y
    int channels; // number of interleaved planes, else 1
    int group;    // number of planes one after the other that are packed together, else 1
    int row;      // words per row
    int bits;     // log2 of the texture's width
};

// Creates the textures for a description's image, unless that has floats.
bool wp_pixel_pack_create(struct wp_pixel_pack *pack, struct wp_gl *gl,
                          const struct wp_description *description);

// Prepares for pixels of such an image. False after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL;
// textures that were created are reused by later calls.
bool wp_pixel_pack_prepare(struct wp_pixel_pack *pack, struct wp_gl *gl,
                           const struct wp_description *description,
                           const struct wp_operand *pixels);
void wp_pixel_pack_destroy(struct wp_pixel_pack *pack); // accepts {0}, resets to {0}

// Adds the functions for a shader that reads words, writes them, or counts lost samples, and
// defines GROUP if planes are packed together: the rows of all of them are those of one image.
enum wp_pixel_pack_act { WP_PIXEL_PACK_READ, WP_PIXEL_PACK_WRITE, WP_PIXEL_PACK_COUNT };
void wp_pixel_pack_emit(const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act,
                        struct wp_text *source);

// Sets the uniforms of such a program.
void wp_pixel_pack_set(const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act,
                       struct wp_program *program);

// The texture that it writes.
const struct wp_texture *wp_pixel_pack_target(const struct wp_pixel_pack *pack,
                                              enum wp_pixel_pack_act act);

// The number of planes that the functions below process together.
int wp_pixel_pack_planes(const struct wp_pixel_pack *pack);

// Copies a slice of these planes, from number `plane` on, to the texture, or waits and copies
// it from the texture and adds the counts to pixels.lost.
void wp_pixel_pack_load(const struct wp_pixel_pack *pack, int plane, int z);
bool wp_pixel_pack_store(const struct wp_pixel_pack *pack, int plane, int z);

// Are lost samples to be counted?
bool wp_pixel_pack_counts(const struct wp_pixel_pack *pack);

// ---- transfers of quads (transfer_gl.c) ----

// Transfers between surfaces and a texture with an array of samples or coefficients in one channel,
// in the layout of host memory: row 0 of the array is row 0 of texels. Every function requires the
// context to be current.

// wp_transfer_load() and wp_transfer_store() for a complete transfer of quads. Quad (0, 0) is at
// (x, y) of the transfer in a 2-D texture, or in the transfer's layer. False after
// WP_ERROR_INTERNAL.
bool wp_transfer_load_texture(struct wp_gl *gl, const struct wp_description *description,
                              const struct wp_transfer *transfer, const struct wp_texture *from,
                              int channel, const struct wp_texture *to);
bool wp_transfer_store_texture(struct wp_gl *gl, const struct wp_description *description,
                               const struct wp_transfer *transfer, const struct wp_texture *from,
                               const struct wp_texture *to, int channel);

// Loads from a plane of packed words: the transfer's slice (slice `slice` of the image, -1: zeros)
// to a 2-D texture or a layer, where the plane begins at texel `at`. Planes that are packed
// together are all loaded; they are placed as in `stack`.
bool wp_transfer_load_packed(struct wp_gl *gl, const struct wp_description *description,
                             const struct wp_transfer *transfer, const struct wp_pixel_pack *pack,
                             int channel, int slice, const struct wp_layer *to, const int at[2],
                             const struct wp_stack *stack);

// Writes packed words, or the counts of lost samples, from `count` stores of one slice. Their
// layers are in one texture, counted from from->layer; the first plane begins at texel `at`, the
// others follow as in `stack`.
bool wp_transfer_store_packed(struct wp_gl *gl, const struct wp_transfer transfer[], int count,
                              const struct wp_layer *from, const int at[2],
                              const struct wp_stack *stack, const struct wp_pixel_pack *pack,
                              enum wp_pixel_pack_act act);

// ---- surfaces (surfaces.c) ----

struct wp_surfaces {
    struct wp_gl *gl;
    const struct wp_schedule *schedule;
    int count;
    int halves;                 // textures per surface: 1, for volumes 2
    int rows;                   // planes per column of a texture
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

// The planes in a texture of a surface.
struct wp_stack wp_surfaces_stack(const struct wp_surfaces *surfaces, int surface);

// Volumes: the first layer of a slice of a surface; the even slice of octet z is 2 z.
struct wp_layer wp_surfaces_slice(const struct wp_surfaces *surfaces, int surface, int slice);

// Distance in layers of slices of the same parity.
int wp_surfaces_step(const struct wp_surfaces *surfaces, int surface);

// Execute the schedule's loads or stores and wait for the GPU. Floats are packed into quads on the
// host (wp_transfer_load(), wp_transfer_store()), integers and halves on
// the GPU (pixel_pack.c).
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
