// A dialect: how the emitter writes kernels in one language.
#ifndef WP_DIALECT_H
#define WP_DIALECT_H

#include "kernel.h"

struct wp_dialect;

enum { WP_FEATURES = 1 };

struct wp_writer {
    const struct wp_dialect *dialect;
    const struct wp_kernel *kernel;
    const struct wp_emit_target *target;
    struct wp_text *out;
};

// How kernels of a shape are written. NULL for unsupported shapes and instructions.
struct wp_shape_words {
    void (*begin)(const struct wp_writer *w);
    void (*write[WP_INSTRUCTIONS])(const struct wp_writer *w, const struct wp_instruction *i);
};

struct wp_dialect {
    const char *version;                // the first line
    const char *extension[WP_FEATURES]; // a line for each bit of enum wp_feature, or NULL
    const char *precision;              // lines
    const struct wp_shape_words *shape; // [WP_SHAPES]
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
