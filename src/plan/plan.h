// Plans: a transform flattened into operations on surfaces of quads.
//
// A surface is an array of quads (RGBA texels). A plan names the surfaces, how the host's
// plane gets into them and out again (ports), and the operations between. Backends execute
// plans; they know nothing of wavelets.
//
// Planes of an image may go through a plan together: all of it tells of one, and a backend that
// takes several gives each a surface of its own of that size, or a part of one.
//
// Borders. The input of each level is extended by as many quads as all passes of the level
// reach together, with the exact mirror or wrap of single samples. Every pass then computes a
// domain grown by the reach of the passes after it. So no pass but the one that extends ever
// treats a border, the interior is never slowed by one, and the constants that run early
// (scheme.h) are right in the margin too, where mirroring an intermediate would be wrong.
#ifndef WP_PLAN_H
#define WP_PLAN_H

#include "bands.h"
#include "scheme.h"

#include <stdbool.h>
#include <stddef.h>

enum wp_border { WP_BORDER_SYMMETRIC, WP_BORDER_PERIODIC, WP_BORDER_COUNT };

extern const char *const wp_border_names[WP_BORDER_COUNT]; // "symmetric", "periodic"

// What backends keep samples in between steps; fragment shaders compute with 32 bits in any case.
enum wp_precision { WP_PRECISION_F32, WP_PRECISION_F16, WP_PRECISION_COUNT };

extern const char *const wp_precision_names[WP_PRECISION_COUNT]; // "f32", "f16"
size_t wp_precision_bytes(enum wp_precision precision);          // of a sample: 4, 2

enum { WP_MAX_LEVELS = 31 };

struct wp_plan_params {
    const struct wp_wavelet *wavelet;
    const struct wp_scheme_kind *kind;
    enum wp_form form; // shader or plain; fused plans take block, too
    enum wp_direction direction;
    enum wp_norm norm;
    enum wp_border border;
    enum wp_layout layout; // of the coefficients on the host
    enum wp_precision precision; // F16 for backends with `half` (backend.h) alone
    int levels;            // 0..wp_plan_levels_max(); 0 copies
    int width, height;     // of the image plane
    int stack;             // planes of an image that go through it together; 0 is 1. Others than 1
                           // for backends with `stack_max` (backend.h) alone
};

// The planes that go through it together, 1 for 0.
int wp_plan_stack(const struct wp_plan_params *params);

// Where plane `index` begins among those that lie one behind the other on the host, in floats.
size_t wp_plan_plane_start(const struct wp_plan_params *params, int index);

// How an axis goes on beyond its samples 0..n-1. Indices are those of interleaved samples.
enum wp_extension {
    WP_EXTEND_MIRROR, // whole-sample symmetric: x[-k] = x[k], x[n-1+k] = x[n-1-k]
    WP_EXTEND_WRAP,   // periodic
    WP_EXTEND_CLAMP,  // repeats the edge: the missing partner of a WP_SYMMETRY_LOCAL wavelet
    WP_EXTEND_ZERO,   // the same in the coefficients: its detail is zero
};

// The sample that stands at index i, or -1 for zero. n >= 1. Every extension but CLAMP keeps
// the parity of the index.
int wp_extend(enum wp_extension extension, int i, int n);

struct wp_rect {
    int x, y, width, height;
};

struct wp_surface {
    int width, height; // in texels: of quads, where nothing else is said
    int layers;        // tiled plans: how many such texels lie behind each other; else 0
    bool planes;       // its layers hold samples, not quads, one layer after the other
};

enum wp_op_kind {
    // destination = pass of source; reads source at the quad's place plus the core's offsets
    WP_OP_PASS,
    // destination = quads made of the samples in component 0 of the source (the LL band)
    WP_OP_GATHER,
    // component 0 of destination = the samples that the source's quads hold; the other
    // components stay
    WP_OP_SPREAD,
    // destination = all passes of the scheme in one, of the level's extended quads: fused
    // and tiled plans have this kind alone
    WP_OP_LEVEL,
};

// What the operations of a fused or tiled plan read. With planes, layers are components.
enum wp_input {
    WP_INPUT_QUADS,  // `source` holds the quads
    WP_INPUT_LOW,    // the quads are made of the samples in component 0 of `source`
    // Tiled plans:
    WP_INPUT_BANDS,     // layer c of `source` holds component c of 2x2 quads a texel
    WP_INPUT_BANDS_LOW, // the same but for component 0, whose 2x2 samples the quads of `low`
                        // hold; quad k of every 2x2 of them lies in layer k
};

struct wp_op {
    enum wp_op_kind kind;
    int level;                       // 1 is the finest
    const struct wp_scheme *scheme;  // WP_OP_PASS
    int pass;                        // WP_OP_PASS: index into scheme->pass
    int source, destination;         // surfaces
    int source_x, source_y;          // where quad (or sample) (0, 0) lies in the source
    int destination_x, destination_y;// where quad (0, 0) lies in the destination
    struct wp_rect domain;           // quads to compute; may begin below zero
    struct wp_rect interior;         // GATHER, SPREAD: the part that needs no extension
    enum wp_extension extension;     // GATHER, SPREAD, LEVEL: along both axes
    int width, height;               // samples of the level
    enum wp_input input;             // LEVEL
    int low;                         // LEVEL: where `input` reads it, else -1
};

// How a plane on the host and a surface exchange quads.
struct wp_port {
    int surface, layer;
    int x, y;                    // where quad (0, 0) lies in the surface
    bool planes;                 // samples of band[0] are exchanged, not quads; those beyond
                                 // the band are loaded as zero
    struct wp_rect domain;       // quads exchanged, in the level's numbering
    int width, height;           // samples of the level
    enum wp_extension extension; // of what lies beyond them (loading only)
    struct wp_band_view band[WP_BAND_COUNT]; // where the components lie in the plane
    bool used[WP_BAND_COUNT];    // a component that is not used loads as 0, is not stored
};

struct wp_plan {
    struct wp_plan_params params; // with the wavelet replaced by the plan's own copy
    struct wp_wavelet wavelet;
    struct wp_scheme *scheme[WP_AXIS_BOTH + 1]; // by axes; NULL where no level needs it
    int surface_count, op_count, load_count, store_count;
    struct wp_surface *surface;
    struct wp_op *op;
    struct wp_port *load, *store;
};

// The most levels for a size under a border: wp_levels_max() for symmetric; for periodic as
// many as keep every axis even (or 1).
int wp_plan_levels_max(int width, int height, enum wp_border border);
// False after WP_ERROR_USAGE where that is 0 for more than one sample.
bool wp_plan_takes_levels(int width, int height, enum wp_border border);
// False after WP_ERROR_USAGE where size, levels, border and wavelet do not go together.
bool wp_plan_check(const struct wp_plan_params *params);

// NULL after WP_ERROR_USAGE: too many levels, an odd size under periodic borders, symmetric
// borders for a wavelet that is not symmetric. The result is the caller's.
struct wp_plan *wp_plan_create(const struct wp_plan_params *params);

// A plan of the same transform with one operation a level. Its surfaces have no margin: quad
// (0, 0) lies at (0, 0) in each, and what reads them extends them. Surface 0 holds the pixels,
// surface l the coefficients of level l; what the inverse makes of them is pixels or component 0
// of surface l - 1. Any form of the scheme. Fails as wp_plan_create() does.
struct wp_plan *wp_plan_create_fused(const struct wp_plan_params *params);

// The same for programs that write 2x2 quads at a time. Surfaces have layers. Layer c of
// coefficients holds component c of 2x2 quads a texel: what is written together lies together,
// and layer 0 is the next level's quads, without a gather. What the inverse makes are such quads,
// written in their place; or, where `split`, quad k of every 2x2 into layer k, for programs that
// write the same place of every layer. Heights are even: 2x2 texels that
// are written together end within.
struct wp_plan *wp_plan_create_tiled(const struct wp_plan_params *params, bool split);

// A fused plan whose surfaces are planes, for programs that read and write single samples: the
// pixels are one, coefficients four. Rows have an even number of pairs of samples and planes an
// even number of rows, so that whole quads can be written where an image ends in half of one.
struct wp_plan *wp_plan_create_planes(const struct wp_plan_params *params);

void wp_plan_destroy(struct wp_plan **plan); // accepts NULL, clears the pointer

// Fills `quads` (rows * domain.width * 4 floats, of planes one float) from rows first_row... of
// the port's domain (0 is domain.y) of a width x height plane of floats.
void wp_port_load(const struct wp_port *port, const float *plane, int first_row, int rows,
                  float *quads);

// The other way; samples beyond the level's size are dropped.
void wp_port_store(const struct wp_port *port, const float *quads, int first_row, int rows,
                   float *plane);

#endif
