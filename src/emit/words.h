// What dialects write alike: names of values, sums, notes. Names are written into an array of
// WP_NAME characters, which is returned.
#ifndef WP_PIXEL_PACK_H
#define WP_PIXEL_PACK_H

#include "dialect.h"

enum { WP_NAME = 48 };

bool wp_has_octets(const struct wp_writer *w);

// "even" or "odd": the slice of an octet that a component is of.
const char *wp_half_of(int component);

const struct wp_kernel_term *wp_kernel_terms_of(const struct wp_writer *w, const struct wp_instruction *i);

// A texel's variable. Passes: q_0_0, q_m1_2 for (-1, 2), q for the result, of octets even_0_0_0 and
// odd; tiles: q0_5, or s1_0_2 of component 1; steps along z: s5 of slice 5, s5_0 as made by step 0.
const char *wp_texel_name(const struct wp_writer *w, char name[WP_NAME], const struct wp_value *v);

// A number's: a component of these, or in tiles g0_5_2 as made by step 2.
const char *wp_value_name(const struct wp_writer *w, char name[WP_NAME], const struct wp_value *v);

// The sign, and "c * " but for one.
void wp_write_factor(const struct wp_writer *w, double c, const char *plus, const char *minus);

// "a", "c * a": never a product with one.
void wp_write_product(const struct wp_writer *w, const struct wp_kernel_term *o, const char *plus,
                      const char *minus);

// Of what rounds: "floor(" before a sum, what is added and ")" behind it.
void wp_open_floor(const struct wp_writer *w, const struct wp_instruction *i);
void wp_close_floor(const struct wp_writer *w, const struct wp_instruction *i);

// All operands of an instruction.
void wp_write_products(const struct wp_writer *w, const struct wp_instruction *i);

// "vec4(r0_5_2, …)" of them.
void wp_write_texel(const struct wp_writer *w, const struct wp_instruction *i);

// Whole lines, of a struct wp_shape_words.
void wp_write_note(const struct wp_writer *w, const struct wp_instruction *i);
void wp_write_sum(const struct wp_writer *w, const struct wp_instruction *i);
void wp_write_send(const struct wp_writer *w, const struct wp_instruction *i);
void wp_write_retire(const struct wp_writer *w, const struct wp_instruction *i);

// Of lanes: the one that holds the first column of results, counted with the room before lane 0.
int wp_first_writer(const struct wp_kernel *kernel);

#endif
