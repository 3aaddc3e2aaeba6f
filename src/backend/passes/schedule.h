// Schedules: a transform as a list of operations on surfaces of quads, for the backends that run
// one pass or one level at a time. A backend makes a schedule with one of the schedulers below and
// executes it.
//
// A surface is an array of quads (RGBA texels). A schedule has the sizes of its surfaces, transfers
// between the caller's planes and surfaces, and the operations in their order.
//
// Volumes. A surface has a depth. Its element (x, y, z) is an octet: a quad of slice 2z and the
// quad of slice 2z+1 at the same position. Even and odd slices are separate arrays, so that a slice
// has the format of an image. Members for the z axis are 0 for images. Octets along an axis that a
// level does not transform consist of two neighbors, both of the low band.
//
// Planes. A schedule describes one plane. A backend that transforms several at once gives each a
// surface of that size, or a part of a surface.
//
// Borders. The input of each level is extended by the support of all its passes, by exact mirroring
// or wrapping of samples. Each pass then computes a domain that includes the support of the passes
// after it. Only loads, gathers and spreads handle borders. Constants that a pass applies early
// (scheme.h) are applied to the margin, too; mirroring an intermediate result would be wrong.
#ifndef WP_SCHEDULE_H
#define WP_SCHEDULE_H

#include "backend.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_rect {
    int x, y, width, height;
};

// A range of octets or of slices along z; `first` may be negative.
struct wp_span {
    int first, count;
};

struct wp_surface {
    int width, height; // in texels, by default quads
    int depth;         // volumes: octets along z
    int layers;        // tiled schedules: number of layers of this size; else 0
    bool planes;       // layers have samples, not quads
    int slices;        // schedules of slices: number of slices of this size; else 0
};

enum wp_op_kind {
    // destination = pass of source; reads source at the quad's position plus the core's offsets
    WP_OP_PASS,
    // destination = quads from the samples in component 0 of the source (the LL band)
    WP_OP_GATHER,
    // component 0 of destination = the samples in the source's quads; other components are not
    // changed
    WP_OP_SPREAD,
    // destination = all passes of the scheme, on extended quads of the level; in fused and tiled
    // schedules
    WP_OP_LEVEL,
    // Tiled schedules of volumes: slices of the destination = all lifting steps along z on slices
    // of the source, for each texel
    WP_OP_DEPTH,
    WP_OP_KINDS
};

// A sequence of slices in a surface: number `first`, then every step-th.
struct wp_slice_run {
    int first, step;
};

// Input of the operations of a fused or tiled schedule. With planes, layers are components.
enum wp_input {
    WP_INPUT_QUADS,  // quads of `source`
    WP_INPUT_LOW,    // quads formed from the samples in component 0 of `source`
    // Tiled schedules:
    WP_INPUT_BANDS,     // layer c of `source` has component c of 2x2 quads per texel
    WP_INPUT_BANDS_LOW, // likewise, but component 0 is from the quads of `low`: quad k of each 2x2
                        // quads in layer k
};

struct wp_op {
    enum wp_op_kind kind;
    int level;                       // 1 is the finest
    const struct wp_scheme *scheme;  // PASS, LEVEL; NULL if it transforms neither x nor y
    int pass;                        // WP_OP_PASS: index into scheme->pass
    int source, destination;         // surfaces
    int source_x, source_y;          // position of quad (or sample) (0, 0) in the source
    int destination_x, destination_y;// position of quad (0, 0) in the destination
    struct wp_rect domain;           // quads to compute; may begin at negative positions
    struct wp_rect interior;         // GATHER, SPREAD: quads that need no extension
    enum wp_extension extension;     // GATHER, SPREAD, LEVEL: along both axes
    int width, height;               // samples of the level
    int dilation;                    // PASS of redundant banks: the distance of taps; else 0
    int source_z, destination_z;     // volumes: the same along z
    struct wp_span octets;           // volumes: octets along z to compute
    int depth;                       // volumes: samples of the level along z
    unsigned split;                  // GATHER: the axes that the previous level transformed,
                                     // SPREAD: that this level transforms; bit a for axis a
    enum wp_input input;             // LEVEL
    int low;                         // LEVEL: surface of the low band for `input`, else -1
    int slices; // LEVEL of volumes, in schedules of slices and tiled schedules: the
                // number of slices, each like an image
    // Schedules of slices:
    bool along_z;                    // transforms along z; and along x and y if `scheme` is set
    int source_step, destination_step; // distance in the surface of consecutive slices of the level
    // Tiled schedules of volumes:
    struct wp_slice_run from, to;       // in source and destination; DEPTH: samples along z
    int layers;                      // DEPTH: layers per slice; `domain` is that of one layer
};

// A subsampled band of a level (level 0: the samples; see wp_operand_band()): along each axis every
// every[a]-th sample from first[a] on.
struct wp_transfer_band {
    int level;
    enum wp_band band;
    int first[WP_DIMS_MAX], every[WP_DIMS_MAX];
};

enum { WP_TRANSFERS_PER_LEVEL = 4 }; // maximum number of loads, and of stores

// A transfer of quads between a plane in the caller's memory and a surface; for volumes, by slices.
struct wp_transfer {
    int surface, layer;
    int x, y;                    // position of quad (0, 0) in the surface
    bool aligned;                // redundant banks: an element has band c of a sample in component
                                 // c, not the samples of a quad; nothing is extended
    bool planes;                 // transfers samples of band[0], not quads; samples outside the
                                 // band are loaded as zero
    struct wp_rect domain;       // quads to transfer, in quads of the level
    int width, height;           // samples of the level
    enum wp_extension extension; // outside the level's samples (only for loads)
    // The components, from 4 on those of odd slices. Unused ones are loaded as 0 and not stored.
    struct wp_transfer_band band[WP_OCTET_BANDS];
    bool used[WP_OCTET_BANDS];
    // Volumes:
    int z;                       // position of octet 0 along z in the surface
    struct wp_span octets;       // to transfer, along z
    int depth;                   // samples of the level along z
    int slice;                   // for wp_transfer_load() and wp_transfer_store(), in samples of
                                 // the level along z
};

struct wp_schedule {
    struct wp_description description; // its wavelet is the member below
    struct wp_wavelet wavelet;
    enum wp_extension extension; // along all axes
    bool weighted;               // wp_redundant.weighted
    struct wp_scheme *scheme[WP_AXIS_ALL + 1]; // by set of axes; NULL if no level uses it
    int surface_count, op_count, load_count, store_count;
    struct wp_surface *surface;
    struct wp_op *op;
    struct wp_transfer *load, *store;
};

// The schedulers. NULL after an error of wp_description_check(), or WP_ERROR_TOO_LARGE if memory
// was exhausted. The caller destroys the result.

// One operation per pass, with a gather or spread between levels: the schemes of the papers. Each
// level adds a surface; its passes alternate between that one and one that is free. Forward, level
// 1 loads the samples, and the last pass of each level leaves its coefficients in a surface until
// they are stored; the inverse loads the coefficients of each level.
struct wp_schedule *wp_schedule_passes(const struct wp_description *description);

// One operation per level. Surfaces have no margin: quad (0, 0) is at (0, 0), and the operations
// that read them extend them. Surface 0 has the pixels, surface l the coefficients of level l; the
// output of an inverse level is the pixels or component 0 of surface l - 1. For volumes, surfaces
// have octets and operations are for slices only; the backend processes z itself.
struct wp_schedule *wp_schedule_fused(const struct wp_description *description);

// Like wp_schedule_fused(), for programs that write 2x2 quads at a time. Surfaces have layers.
// Layer c of the coefficients has component c of 2x2 quads per texel, so that quads written at once
// are adjacent and layer 0 is the input of the next level, without a gather. The output of the
// inverse is such quads at their positions; or, if `split`, quad k of each 2x2 quads in layer k,
// for programs that write the same position in every layer. Heights are even, so that 2x2 texels do
// not cross the end of the surface.
//
// Volumes, which require `split`, have these layers for each slice. A level is one such operation
// on all slices and one along z, also for the inverse in this order; even slices are low along z,
// odd ones high. Texels of a level that only transforms z have the quads of its input.
struct wp_schedule *wp_schedule_tiled(const struct wp_description *description, bool split);

// A fused schedule whose surfaces are planes of samples: one for the pixels, four for coefficients.
// Rows have an even number of sample pairs and planes an even number of rows, so that complete
// quads can be written at the right and bottom edges.
struct wp_schedule *wp_schedule_planes(const struct wp_description *description);

// A schedule of planes for a volume, without transfers. Each slice of a surface is a plane of
// samples or, for a level that transforms x and y, four planes of coefficients. Surface 0 has the
// samples, surface l the coefficients of level l. Along z, low and high coefficients alternate, as
// in-place lifting stores them. `separate_z`: a level transforms z in a separate operation, forward
// after x and y and inverse before them, with an additional surface in between.
struct wp_schedule *wp_schedule_slices(const struct wp_description *description, bool separate_z);

// Redundant banks with levels: one operation per pass. The elements of a surface are samples at the
// same position, each with all bands, or layers of samples if `planes`; layers are the components of
// the scheme that are used, in their order. Surface 0 has the samples in component 0, surface l the
// bands of level l, of which the next level reads component 0; inverse passes replace it. Slices
// without levels along z are planes: the caller passes operands through wp_schedule_operand().
struct wp_schedule *wp_schedule_redundant(const struct wp_description *description, bool planes);
bool wp_schedule_is_redundant(const struct wp_description *description);

// The layer of a band in such planes.
int wp_schedule_layer(const struct wp_scheme *scheme, enum wp_band band);

// The operand for a schedule of this description: itself, or one whose planes are the slices.
enum { WP_SCHEDULE_BANDS = 3 * WP_MAX_LEVELS + 1 };
struct wp_operand wp_schedule_operand(const struct wp_description *description,
                                      const struct wp_operand *operand,
                                      struct wp_operand bands[WP_SCHEDULE_BANDS]);

void wp_schedule_destroy(struct wp_schedule **schedule); // accepts NULL, clears the pointer

// A transfer of all quads of a level without margin, at the origin of a surface; level 0: samples.
// Incomplete quads at the edges repeat the last sample, or for coefficients are padded with zero.
struct wp_transfer wp_transfer_of_level(const struct wp_description *description, int level);

// The slices of a transfer, and whether it uses any component of a slice. An image is slice 0.
struct wp_span wp_transfer_slices(const struct wp_transfer *transfer, bool loads);
bool wp_transfer_uses(const struct wp_transfer *transfer, int slice);

// The slice of the level that `transfer->slice` is extended from; -1: zero.
int wp_transfer_slice(const struct wp_transfer *transfer);

// Fills `quads` (rows * domain.width * 4 floats, for planes 1 float) from rows first_row... of the
// transfer's domain (row 0 is domain.y), from plane number `plane` of the operand.
void wp_transfer_load(const struct wp_description *description, const struct wp_transfer *transfer,
                      const struct wp_operand *from, int plane, int first_row, int rows,
                      float *quads);

// The opposite direction; samples outside the level are discarded.
void wp_transfer_store(const struct wp_description *description, const struct wp_transfer *transfer,
                       const float *quads, int first_row, int rows, const struct wp_operand *to,
                       int plane);

// The same for operands of type F64 and quads of doubles.
void wp_transfer_load_f64(const struct wp_description *description,
                          const struct wp_transfer *transfer, const struct wp_operand *from,
                          int plane, int first_row, int rows, double *quads);
void wp_transfer_store_f64(const struct wp_description *description,
                           const struct wp_transfer *transfer, const double *quads, int first_row,
                           int rows, const struct wp_operand *to, int plane);

// Texels that an operation computes; an octet has two.
double wp_op_texels(const struct wp_op *op);

// The cost of executing all operations of a schedule; `fill` includes LEVEL operations.
struct wp_cost wp_schedule_cost(const struct wp_schedule *schedule);

#endif
