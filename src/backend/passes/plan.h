// Plans: a transform flattened into operations on surfaces of quads, for the backends that run
// passes or a level at a time. How such a backend computes a description is its own affair: it
// makes a plan by one of the planners below and executes it.
//
// A surface is an array of quads (RGBA texels). A plan names the surfaces, how the host's
// plane gets into them and out again (ports), and the operations between.
//
// Volumes. A surface has depth then: what is at (x, y, z) is an octet, a quad of an even slice and
// the quad of the odd slice behind it. Even slices and odd ones are arrays of their own, so that a
// slice is what an image is. What is said of x and y of an image holds of z, too; members that tell
// of it are 0 of an image. An axis that a level does not take apart has octets all the same, of two
// neighbours along it that are both low.
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

#include "backend.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_rect {
    int x, y, width, height;
};

// Octets along z, or slices, of a volume; they may begin below zero.
struct wp_span {
    int first, count;
};

struct wp_surface {
    int width, height; // in texels: of quads, where nothing else is said
    int depth;         // of a volume's: octets along z
    int layers;        // tiled plans: how many such texels lie behind each other; else 0
    bool planes;       // its layers hold samples, not quads, one layer after the other
    int slices;        // plans of slices: how many such surfaces lie behind each other; else 0
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
    // and tiled plans have this kind
    WP_OP_LEVEL,
    // Tiled plans of volumes: slices of the destination = all lifting steps along z, of slices of
    // the source, texel by texel
    WP_OP_DEPTH,
    WP_OP_KINDS
};

// Slices that an operation takes one after the other, as they lie in a surface: `first`, and from
// one to the next.
struct wp_slice_run {
    int first, step;
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
    int source_z, destination_z;     // volumes: likewise along z
    struct wp_span octets;           // volumes: to compute along z
    int depth;                       // volumes: samples of the level along z
    unsigned split;                  // GATHER: axes that the level before took apart; SPREAD: that
                                     // this one does. Bit a for axis a
    enum wp_input input;             // LEVEL
    int low;                         // LEVEL: where `input` reads it, else -1
    int slices;                      // LEVEL of plans of slices, and of tiled ones of volumes: so
                                     // many, each like an image
    // Plans of slices:
    bool along_z;                    // goes along z; along x and y where there is a scheme
    int source_step, destination_step; // slices of the surface from one of the level's to the next
    // Tiled plans of volumes:
    struct wp_slice_run from, to;       // in source and destination; DEPTH: samples along z
    int layers;                      // DEPTH: texels of each slice; `domain` is of one
};

// Of a band of a level (0: of the samples; see wp_operand_band()) every `every`th along each axis,
// from `first` on.
struct wp_transfer_band {
    int level;
    enum wp_band band;
    int first[WP_DIMS_MAX], every[WP_DIMS_MAX];
};

enum { WP_TRANSFERS_PER_LEVEL = 4 }; // at most, of those that load or of those that store

// How a plane on the host and a surface exchange quads; of a volume those of slice after slice.
struct wp_transfer {
    int surface, layer;
    int x, y;                    // where quad (0, 0) lies in the surface
    bool planes;                 // samples of band[0] are exchanged, not quads; those beyond
                                 // the band are loaded as zero
    struct wp_rect domain;       // quads exchanged, in the level's numbering
    int width, height;           // samples of the level
    enum wp_extension extension; // of what lies beyond them (loading only)
    // What the components are, of odd slices those from 4 on; one that is not used loads as 0, is
    // not stored.
    struct wp_transfer_band band[WP_OCTET_BANDS];
    bool used[WP_OCTET_BANDS];
    // Volumes:
    int z;                       // where octet 0 along z lies in the surface
    struct wp_span octets;       // exchanged along z
    int depth;                   // samples of the level along z
    int slice;                   // that wp_transfer_load() and wp_transfer_store() are to exchange, counted
                                 // like samples of the level
};

struct wp_plan {
    struct wp_description description; // with the wavelet replaced by the plan's own copy
    struct wp_wavelet wavelet;
    enum wp_extension extension; // along all axes
    struct wp_scheme *scheme[WP_AXIS_ALL + 1]; // by axes; NULL where no level needs it
    int surface_count, op_count, load_count, store_count;
    struct wp_surface *surface;
    struct wp_op *op;
    struct wp_transfer *load, *store;
};

// The planners. Each takes a description that wp_description_check() accepts; else NULL after its
// error, or where memory is short after WP_ERROR_TOO_LARGE. The result is the caller's.

// An operation a pass, and gathers or spreads between levels: the papers' schemes, of volumes too.
struct wp_plan *wp_plan_passes(const struct wp_description *description);

// A plan of the same transform with one operation a level. Its surfaces have no margin: quad
// (0, 0) lies at (0, 0) in each, and what reads them extends them. Surface 0 holds the pixels,
// surface l the coefficients of level l; what the inverse makes of them is pixels or component 0
// of surface l - 1. Of a volume they hold octets, for programs that know the levels by themselves:
// its operations tell of slices alone.
struct wp_plan *wp_plan_fused(const struct wp_description *description);

// The same for programs that write 2x2 quads at a time. Surfaces have layers. Layer c of
// coefficients holds component c of 2x2 quads a texel: what is written together lies together,
// and layer 0 is the next level's quads, without a gather. What the inverse makes are such quads,
// written in their place; or, where `split`, quad k of every 2x2 into layer k, for programs that
// write the same place of every layer. Heights are even: 2x2 texels that
// are written together end within.
//
// Volumes, which are to be split, have these layers for every slice. A level is such an operation
// on each slice, then one along z; coefficients low along z are even slices, high ones odd slices.
// The inverse goes through x and y first, too. Where a level takes z apart and nothing else, texels
// stay the quads that they were.
struct wp_plan *wp_plan_tiled(const struct wp_description *description, bool split);

// A fused plan whose surfaces are planes, for programs that read and write single samples: the
// pixels are one, coefficients four. Rows have an even number of pairs of samples and planes an
// even number of rows, so that whole quads can be written where an image ends in half of one.
struct wp_plan *wp_plan_planes(const struct wp_description *description);

// A plan of planes of a volume, without ports. Every slice of a surface is a plane of samples or,
// of a level that goes along x and y, four of coefficients; that of the samples is number 0, of a
// level's coefficients the level's. Along z coefficients lie as the transform in place leaves them,
// slices of low and high ones in turn. `apart`: a level goes along z in an operation of its own, the
// last one forward and the first one of the inverse, by way of a surface between.
struct wp_plan *wp_plan_slices(const struct wp_description *description, bool apart);

void wp_plan_destroy(struct wp_plan **plan); // accepts NULL, clears the pointer

// A port of all quads of a level without a margin, at the origin of whatever surface; level 0 is of
// the samples. It extends nothing: what is missing of the last quads repeats the edge, and of
// coefficients is zero.
struct wp_transfer wp_transfer_of_level(const struct wp_description *description, int level);

// The slices that a port exchanges, and whether it uses any component there: an image is slice 0.
struct wp_span wp_transfer_slices(const struct wp_transfer *transfer, bool loads);
bool wp_transfer_uses(const struct wp_transfer *transfer, int slice);

// The slice of the level that `port->slice` is or, beyond these, repeats; -1 where it is zero.
int wp_transfer_slice(const struct wp_transfer *transfer);

// Fills `quads` (rows * domain.width * 4 floats, of planes one float) from rows first_row... of
// the port's domain (0 is domain.y) of plane number `plane` of a place.
void wp_transfer_load(const struct wp_description *description, const struct wp_transfer *transfer,
                  const struct wp_operand *from, int plane, int first_row, int rows, float *quads);

// The other way; samples beyond the level's size are dropped.
void wp_transfer_store(const struct wp_description *description, const struct wp_transfer *transfer,
                   const float *quads, int first_row, int rows, const struct wp_operand *to,
                   int plane);

// Texels that an operation computes; of an octet two.
double wp_op_texels(const struct wp_op *op);

// Of a plan whose operations are all executed as they stand; `fill` counts those of LEVEL
// operations too.
struct wp_cost wp_plan_cost(const struct wp_plan *plan);

#endif
