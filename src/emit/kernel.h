// What one invocation computes, as a list in the order of its execution. Passes and tiles are made
// into such lists, dialects write them.
#ifndef WP_KERNEL_H
#define WP_KERNEL_H

#include "emit_tile.h"

enum { WP_LOADED = -1 };

// A number that an invocation holds: a component of a texel that was loaded, or of a quad as a step
// made it. Tiles assign to each once. A pass has but one step: it changes the quad that it makes,
// and, before, the one loaded from (0, 0).
struct wp_value {
    int component;
    int at[2]; // column and row: tiles count from the first that they hold, passes from their own
    int layer; // of the texel, where components are loaded; else 0
    int step;  // that made it, or WP_LOADED
};

// c * value. `beside` is not 0 for that of the lane so many columns further on, which it has put
// into `slot`.
struct wp_operand {
    double c;
    struct wp_value value;
    int beside, slot;
};

enum wp_instruction_kind {
    WP_NOTE,       // what follows, for readers
    WP_LOAD,       // texels: lanes, all of a column; blocks, those of a row; passes, one
    WP_LOAD_PAIRS, // the same row for two fragments side by side, which share it
    WP_SCALE,      // a quad's components, each by its operand's c
    WP_BEGIN,      // the quad that a pass makes: with an operand that which was loaded
    WP_ADD,        // its one operand to the value, in place
    WP_SUM,        // the value is the sum of the operands
    WP_SEND,       // the value into its slot, for the lanes beside
    WP_BARRIER,    // all lanes have come so far
    WP_RETIRE,     // lanes of the halo are done
    WP_WRITE,      // the operands are the components of the texel `value`
    WP_INSTRUCTIONS
};

struct wp_instruction {
    enum wp_instruction_kind kind;
    int first, count; // operands
    struct wp_value value;
    int index;        // of the slot that is sent to, or of the texel among those written
    bool scaled;      // what is loaded or written is multiplied by its gain
    // What is noted, of the scheme: a pass's label, or a constant.
    const char *note;
    const struct wp_constant *constant;
    // Of two fragments the left one loads the first `own` texels of its row, the right one, whose
    // row begins `step` texels later, the last `own` of its own, in an order turned by `turn`.
    int own, step, turn;
};

enum wp_shape { WP_SHAPE_PASS, WP_SHAPE_LANES, WP_SHAPE_BLOCK, WP_SHAPES };

struct wp_kernel {
    enum wp_shape shape;
    const struct wp_scheme *scheme;
    int pass;            // WP_SHAPE_PASS
    struct wp_tile tile; // the others
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
    struct wp_operand *operand;
    // For want of memory something is missing: then nothing more is added, and what is added last
    // goes into `spare`.
    bool failed;
    struct wp_instruction spare;
};

// Of a scheme that is to outlive them. They can be `failed`; to be freed in any case.
void wp_kernel_of_pass(const struct wp_scheme *scheme, int pass, struct wp_kernel *kernel);
void wp_kernel_of_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                       struct wp_kernel *kernel);
void wp_kernel_free(struct wp_kernel *kernel);

// Adds an instruction, to be changed until the next is added, and operands to the last one.
struct wp_instruction *wp_kernel_add(struct wp_kernel *kernel, enum wp_instruction_kind kind);
void wp_kernel_add_operand(struct wp_kernel *kernel, double c, struct wp_value value);
// One row of a pass's core: a sum over the quads it reads, their places relative to the one that is
// made. Taking the components of a quad together keeps partial sums small, since their weights
// largely cancel for smooth images; component after component would lose one decimal digit in the
// larger cores. Returns the index of the first operand.
int wp_kernel_add_row(struct wp_kernel *kernel, const struct wp_pass *pass, int row);

#endif
