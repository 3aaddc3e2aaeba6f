// What one invocation computes, as a list in the order of its execution. Passes and tiles are made
// into such lists, dialects write them.
#ifndef WP_KERNEL_H
#define WP_KERNEL_H

#include "emit_strip.h"

enum { WP_LOADED = -1 };

// A number that an invocation holds: a component of a texel that was loaded, or of a quad as a step
// made it; components from 4 on are of the odd slice's quad of an octet. Tiles assign to each once.
// A pass has but one step: it changes the quad or octet that it makes, and, before, the one loaded
// from (0, 0, 0).
struct wp_value {
    int component;
    int at[WP_DIMS_MAX]; // column, row, octets along z: tiles count from the first that they hold,
                         // passes from their own
    int layer; // of the texel, where components are loaded; else 0
    int step;  // that made it, or WP_LOADED
};

// c * value. `beside` is not 0 for that of the lane so many columns further on, which it has put
// into `slot`.
struct wp_kernel_term {
    double c;
    struct wp_value value;
    int beside, slot;
};

enum wp_instruction_kind {
    WP_NOTE,       // what follows, for readers
    WP_LOAD,       // texels: lanes, all of a column; blocks, those of a row; passes, the one that
                   // the operand's component is of
    WP_SHARE,      // the texel `value` from a fragment's neighbour along axis `index`: fragments at
                   // even places send the first operand, those at odd ones the second
    WP_SCALE,      // a quad's components, each by its operand's c
    WP_BEGIN,      // a quad that a pass makes: with an operand that which was loaded
    WP_ADD,        // its one operand to the value, in place
    WP_SUM,        // the value is the sum of the operands
    WP_SEND,       // the value into its slot, for the lanes beside
    WP_BARRIER,    // all lanes have come so far
    WP_RETIRE,     // lanes of the halo are done
    WP_WRITE,      // the operands are the components of the texel `value`
    WP_MIRROR,     // the texel `value` has the operands for components in the first strip of a row,
                   // or for index 1 in the last one
    // Of what goes through the slices of a volume. Values here are whole quads that it keeps from
    // slice to slice: that of a chain's state `step` in row at[1], as it was `layer` ago.
    WP_SLICES,     // what follows is done for slice after slice
    WP_PARITY,     // for even slices what follows, or for index 1 for odd ones
    WP_ARRIVE,     // the value is now the quad of the operands; what it was before moves up
    WP_LIFT,       // the same with the sum of the operands
    WP_RESULT,     // where the slice `index` before this one is to be written, what follows
    WP_STORE,      // writes its one operand there
    WP_END,        // ends what one of SLICES, PARITY and RESULT began
    WP_INSTRUCTIONS
};

struct wp_instruction {
    enum wp_instruction_kind kind;
    int first, count; // operands
    struct wp_value value;
    int index;        // of the slot that is sent to, or of the texel among those written
    bool scaled;      // what is loaded or written is multiplied by its gain
    bool rounded;     // SUM: `round` is added, and the value is the floor of that
    double round;
    // What is noted, of the scheme: a pass's label, or a constant.
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

// Lifting along z of slices that come one by one: even samples as they arrive (state 0), odd ones
// (1), and what each step makes of them. A state of sample j is there once slice j + delay came.
struct wp_chain {
    int count;
    struct wp_chain_state {
        bool odd;                          // what it is of
        const struct wp_lifting_step *step; // NULL: as they arrive
        int base, other;                   // the states that the step adds to, and reads
        int delay, first;                  // it is made of slices from j + first (not above 0) on
        int life;                          // it is read until slice j + life came
    } state[WP_CHAIN_STATES];
    int final[2];     // the states that are results, of even and odd samples
    int lead;         // slices that come before the first result, which is even
    int late[2];      // and behind the end, where that is even or odd
    bool forward;
    int rows, top;    // of quads in each slice, and the first one's number
};

struct wp_kernel {
    enum wp_shape shape;
    const struct wp_scheme *scheme; // of PASS, LANES and BLOCK
    int pass;            // WP_SHAPE_PASS
    struct wp_tile tile; // LANES and BLOCK
    struct wp_strip_shape walk; // WALK
    struct wp_chain chain; // LINES, LANES that march, and WALK, whose slices are rows
    const struct wp_lifting *lifting; // WP_SHAPE_DEPTH: values are whole texels, `at` their slices
                                      // from the first that may be read
    // Texels of tiles, along x and y: where the first invocation or workgroup loads from, how many
    // it holds, where the next one begins, likewise what it writes. Lanes load and write quads,
    // blocks quads on the one side and a component of 2x2 quads a texel, bands, on the other.
    bool loads_bands;
    int load_first[2], load_size[2], load_step[2], write_step[2];
    int room;  // lanes beyond the ends, on both sides together, that others may read
    int slots; // floats that a lane exchanges, at most at a time
    struct wp_tile_counts counts;

    int instruction_count, instruction_room;
    struct wp_instruction *instruction;
    int operand_count, operand_room;
    struct wp_kernel_term *operand;
    // For want of memory something is missing: then nothing more is added, and what is added last
    // goes into `spare`.
    bool failed;
    struct wp_instruction spare;
};

// Of a scheme that is to outlive them. They can be `failed`; to be freed in any case.
void wp_kernel_of_pass(const struct wp_scheme *scheme, int pass, struct wp_kernel *kernel);
void wp_kernel_of_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                       struct wp_kernel *kernel);
void wp_kernel_of_lines(const struct wp_lifting *lifting, struct wp_kernel *kernel);
void wp_kernel_of_strip(const struct wp_lifting *lifting, const struct wp_strip_shape *walk,
                       struct wp_kernel *kernel);
void wp_kernel_of_depth(const struct wp_lifting *lifting, struct wp_kernel *kernel);
void wp_kernel_free(struct wp_kernel *kernel);

// How many of the newest values of a state are read.
int wp_chain_names(const struct wp_chain_state *state);

// For a kernel that goes through slices: begin() stands before what makes a slice; for either
// parity an arrive() with four operands for each row, and lift(); end().
void wp_kernel_begin_slices(struct wp_kernel *kernel, const struct wp_lifting *lifting, int top,
                            int rows);
void wp_kernel_arrive(struct wp_kernel *kernel, int parity, int row);
void wp_kernel_lift(struct wp_kernel *kernel, int parity);
void wp_kernel_end_slices(struct wp_kernel *kernel);

// Adds an instruction, to be changed until the next is added, and operands to the last one.
struct wp_instruction *wp_kernel_add(struct wp_kernel *kernel, enum wp_instruction_kind kind);
void wp_kernel_add_operand(struct wp_kernel *kernel, double c, struct wp_value value);
// One row of a pass's core: a sum over the quads it reads, their places relative to the one that is
// made. Taking the components of a quad together keeps partial sums small, since their weights
// largely cancel for smooth images; component after component would lose one decimal digit in the
// larger cores. Returns the index of the first operand.
int wp_kernel_add_row(struct wp_kernel *kernel, const struct wp_pass *pass, int row);
// What a reversible pass does to that sum.
void wp_kernel_round(struct wp_instruction *sum, const struct wp_pass *pass, int row);

#endif
