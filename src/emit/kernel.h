// A kernel: the operations of one invocation as a list of instructions in order of execution.
// Passes and tiles are compiled to kernels, dialects write them.
#ifndef WP_KERNEL_H
#define WP_KERNEL_H

#include "emit_tile.h"

struct wp_dialect;

enum { WP_LOADED = -1 };

// A number of an invocation: a component of a texel that was loaded, or of a quad that a step
// computed. Components from 4 on are those of the odd slice's quad of an octet. In tiles each value
// is assigned once. A pass has one step, which changes the resulting quad or octet and before that
// the one loaded from (0, 0, 0).
struct wp_value {
    int component;
    int at[WP_DIMS_MAX]; // column, row, octets along z: in tiles counted from the first one of the
                         // invocation, in passes relative to the result
    int layer; // of the texel, if components are loaded; else 0
    int step;  // that computed it, or WP_LOADED
};

// The product c * value. If `lane_offset` is not 0, it is the value that the lane at this offset
// has stored in `slot`.
struct wp_kernel_term {
    double c;
    struct wp_value value;
    int lane_offset, slot;
};

enum wp_instruction_kind {
    WP_NOTE,       // a comment about the following instructions
    WP_LOAD,       // texels: lanes, all of a column; blocks, those of a row; passes, the one of the
                   // operand
    WP_SHARE,      // the texel `value` from the neighbor along axis `index`: fragments with even
                   // coordinates send the first operand, those with odd ones the second
    WP_SCALE,      // multiplies a quad's components, each with its operand's c
    WP_BEGIN,      // declares a quad that a pass computes, with an operand as a copy of it
    WP_ADD,        // adds its operand to the value in place
    WP_SUM,        // the value is the sum of the operands
    WP_SEND,       // stores the value in its slot, for other lanes
    WP_BARRIER,    // waits for all lanes
    WP_RETIRE,     // lanes of the halo return
    WP_WRITE,      // writes the texel `value` with the operands as components
    WP_MIRROR,     // the texel `value` has the operands as components in the first strip of a row,
                   // or for index 1 in the last one
    // For kernels that stream through the slices of a volume. Values are quads that are stored
    // between slices: state `step` of a chain in row at[1], `layer` values ago.
    WP_SLICES,     // begins a loop over slices
    WP_PARITY,     // begins a block for even slices, or for index 1 for odd ones
    WP_ARRIVE,     // sets the value to the quad of the operands; previous values become older
    WP_LIFT,       // sets the value to the sum of the operands; previous values become older
    WP_RESULT,     // begins a block for the case that the slice `index` slices ago is written
    WP_STORE,      // writes its operand to that slice
    WP_END,        // ends a loop or block of SLICES, PARITY or RESULT
    WP_INSTRUCTIONS
};

struct wp_instruction {
    enum wp_instruction_kind kind;
    int first, count; // operands
    struct wp_value value;
    int index;        // SEND: the slot; WRITE: the number of the texel; others: see above
    bool scaled;      // loaded or written values are multiplied by their gain
    bool rounded;     // SUM: adds `round`, and the value is the floor of that
    double round;
    // NOTE: a pass's label or a constant of the scheme.
    const char *note;
    const struct wp_constant *constant;
};

enum wp_shape {
    WP_SHAPE_PASS,
    WP_SHAPE_LANES,
    WP_SHAPE_BLOCK,
    WP_SHAPE_LINES,
    WP_SHAPE_DEPTH,
    WP_SHAPE_STRIP,
    WP_SHAPES
};

enum { WP_CHAIN_STATES = WP_STEPS_MAX + 2 };

// Lifting along z of slices that arrive one by one: even samples (state 0), odd samples (state 1),
// and the results of each step. The value of a state for sample j is available after slice j +
// delay.
struct wp_chain {
    int count;
    struct wp_chain_state {
        bool odd;                          // parity of its samples
        const struct wp_lifting_step *step; // NULL: samples as they arrive
        int base, other;                   // states that the step adds to, and reads
        int delay, first;                  // first slice that it depends on: j + first (at most 0)
        int life;                          // it is read until slice j + life arrived
    } state[WP_CHAIN_STATES];
    int final[2];     // states of the results, for even and odd samples
    int lead;         // slices before the first result, which is even
    int late[2];      // slices after the end, if that is even or odd
    bool forward;
    int rows, top;    // rows of quads per slice, and the number of the first one
};

struct wp_kernel {
    enum wp_shape shape;
    const struct wp_scheme *scheme; // PASS, LANES and BLOCK
    int pass;            // PASS
    struct wp_tile tile; // LANES and BLOCK
    struct wp_strip_shape strip; // STRIP
    struct wp_chain chain; // LINES, LANES with `along`, and STRIP, whose slices are rows
    const struct wp_lifting *lifting; // DEPTH: values are texels; `at` is their slice, counted from
                                      // the first one that may be read
    // Texels of tiles along x and y: where the first invocation or workgroup loads, how many it
    // has, and the offset of the next one for loads and writes. Lanes load and write quads. Blocks
    // load quads and write bands, with a component of 2x2 quads per texel, or the reverse
    // (loads_bands).
    bool loads_bands;
    int load_first[2], load_size[2], load_step[2], write_step[2];
    int padding;  // lanes beyond both ends, in total, that others may read
    int slots; // maximum floats per lane that are exchanged at a time
    struct wp_tile_counts counts;

    int instruction_count, instruction_capacity;
    struct wp_instruction *instruction;
    int operand_count, operand_capacity;
    struct wp_kernel_term *operand;
    // Memory was exhausted: instructions are not added any more, but written to `spare`.
    bool failed;
    struct wp_instruction spare;
};

// Compile kernels. `scheme`, `tile->along` and `lifting` must outlive them. Kernels may be
// `failed`, and must be freed in any case.
void wp_kernel_of_pass(const struct wp_scheme *scheme, int pass, struct wp_kernel *kernel);
void wp_kernel_of_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                       struct wp_kernel *kernel);
void wp_kernel_of_lines(const struct wp_lifting *lifting, struct wp_kernel *kernel);
void wp_kernel_of_strip(const struct wp_lifting *lifting, const struct wp_strip_shape *strip,
                       struct wp_kernel *kernel);
void wp_kernel_of_depth(const struct wp_lifting *lifting, struct wp_kernel *kernel);
void wp_kernel_free(struct wp_kernel *kernel);

// The number of newest values of a state that are read.
int wp_chain_names(const struct wp_chain_state *state);

// For kernels that stream through slices: begin_slices() before the instructions for a slice; for
// each parity an arrive() with four operands for each row, and lift(); end_slices().
void wp_kernel_begin_slices(struct wp_kernel *kernel, const struct wp_lifting *lifting, int top,
                            int rows);
void wp_kernel_arrive(struct wp_kernel *kernel, int parity, int row);
void wp_kernel_lift(struct wp_kernel *kernel, int parity);
void wp_kernel_end_slices(struct wp_kernel *kernel);

// Adds an instruction, which may be changed until the next one is added; adds operands to the last
// one.
struct wp_instruction *wp_kernel_add(struct wp_kernel *kernel, enum wp_instruction_kind kind);
void wp_kernel_add_operand(struct wp_kernel *kernel, double c, struct wp_value value);
// Adds the operands of one row of a pass's core, with positions relative to the result, in the
// order of quads. The weights of a quad's components largely cancel for smooth images, so partial
// sums stay small; the order of components would lose one decimal digit for large cores. Returns
// the index of the first operand.
int wp_kernel_add_row(struct wp_kernel *kernel, const struct wp_pass *pass, int row);
// Sets the rounding of that sum in a reversible pass.
void wp_kernel_round(struct wp_instruction *sum, const struct wp_pass *pass, int row);

// ---- dialects: how the emitter writes kernels in one language ----

enum { WP_FEATURES = 1 };

struct wp_writer {
    const struct wp_dialect *dialect;
    const struct wp_kernel *kernel;
    const struct wp_emit_target *target;
    struct wp_text *out;
};

// How kernels of a shape are written. NULL for unsupported instructions.
struct wp_shape_words {
    void (*begin)(const struct wp_writer *w);
    void (*write[WP_INSTRUCTIONS])(const struct wp_writer *w, const struct wp_instruction *i);
};

struct wp_dialect {
    const char *version;                // the first line
    const char *extension[WP_FEATURES]; // a line for each bit of enum wp_feature, or NULL
    const char *precision;              // lines
    const struct wp_shape_words *const *shape; // [WP_SHAPES], NULL if not supported
    const char *end;                    // end of the function
    const char *component; // letters of a vector's components, for both quads of octets
    const char *number_end;             // suffix of 32-bit numbers
    const char *floor, *make_vector;    // beginnings of calls: "floor("
    const char *cell_of_tier;           // the tier's shared memory, for tiles with several tiers
};

// ---- words of all dialects ----

// Names of values, sums, notes. Names are written to an array of WP_NAME characters, which is
// returned.

enum { WP_NAME = 48 };

bool wp_has_octets(const struct wp_writer *w);

// "even" or "odd": the slice of an octet that has a component.
const char *wp_half_of(int component);

const struct wp_kernel_term *wp_kernel_terms_of(const struct wp_writer *w,
                                                const struct wp_instruction *i);

// The variable of a texel. Passes: q_0_0, q_m1_2 for (-1, 2), q for the result; octets even_0_0_0
// and odd. Tiles: q0_5, or s1_0_2 of component 1. Steps along z: s5 of slice 5, s5_0 after step 0.
const char *wp_texel_name(const struct wp_writer *w, char name[WP_NAME], const struct wp_value *v);

// The variable of a number: a component of a texel, or in tiles g0_5_2 after step 2.
const char *wp_value_name(const struct wp_writer *w, char name[WP_NAME], const struct wp_value *v);

// Writes the sign, and "c * " unless c is 1.
void wp_write_factor(const struct wp_writer *w, double c, const char *plus, const char *minus);

// Writes "a" or "c * a".
void wp_write_product(const struct wp_writer *w, const struct wp_kernel_term *o, const char *plus,
                      const char *minus);

// For sums that round: write "floor(", and the added constant with ")".
void wp_open_floor(const struct wp_writer *w, const struct wp_instruction *i);
void wp_close_floor(const struct wp_writer *w, const struct wp_instruction *i);

// Writes the sum of all operands of an instruction.
void wp_write_products(const struct wp_writer *w, const struct wp_instruction *i);

// Writes "vec4(r0_5_2, …)" with the operands as components.
void wp_write_texel(const struct wp_writer *w, const struct wp_instruction *i);

// Write complete lines; members of struct wp_shape_words.
void wp_write_note(const struct wp_writer *w, const struct wp_instruction *i);
void wp_write_sum(const struct wp_writer *w, const struct wp_instruction *i);
void wp_write_send(const struct wp_writer *w, const struct wp_instruction *i);
void wp_write_retire(const struct wp_writer *w, const struct wp_instruction *i);

// For lanes: the number of the lane with the first column of results, including the offset.
int wp_first_writer(const struct wp_kernel *kernel);

#endif
