// Operands of a description: views of their bands, and checks of their memory.
#ifndef WP_OPERAND_H
#define WP_OPERAND_H

#include "elements.h"
#include "subbands.h"

#include <stdint.h>

// An array of samples without gaps, one plane after the other; of coefficients, unless they are
// more (wp_description_extent()).
struct wp_operand wp_operand_dense(const struct wp_description *description, float *data);
// An array of coefficients without gaps.
struct wp_operand wp_operand_coefficients(const struct wp_description *description, float *data);
// Likewise, for arrays that are only read.
struct wp_operand wp_operand_const(const struct wp_description *description, const float *data);

// The operand advanced by `count` strides of a dimension. `bands` receives its bands, if it has
// any.
struct wp_operand wp_operand_advance(const struct wp_operand *operand, int dimension,
                                     ptrdiff_t count, struct wp_operand *bands);

// A band of a level, from 1 on, of an operand with coefficients; LL exists only at the last level.
// Level 0: the samples, of an operand with samples.
struct wp_operand wp_operand_band(const struct wp_description *description,
                                  const struct wp_operand *operand, int level, enum wp_band band,
                                  int plane);

// The extents of an array of samples or of coefficients: x, y, z and planes.
void wp_operand_extents(const struct wp_description *description, bool coefficients,
                        int size[WP_DIMENSIONS]);

// Do `from` and `to`, of a transform in the description's direction, share memory? May return true
// for arrays that are only interleaved.
bool wp_operand_overlaps(const struct wp_description *description, const struct wp_operand *from,
                         const struct wp_operand *to);

// The first byte of a view and the one after its last; strides may be negative. False if the
// distance exceeds PTRDIFF_MAX. `size` has the extents of all dimensions, each at least 1.
struct wp_operand_extent {
    uintptr_t first, end;
};
bool wp_operand_extent(const struct wp_operand *array, const int size[WP_DIMENSIONS],
                       struct wp_operand_extent *extent);

// False if two samples of an array may be at the same address: strides do not nest.
bool wp_operand_is_sound(const struct wp_operand *array, const int size[WP_DIMENSIONS]);

// True if two arrays certainly share no byte: one follows the other in memory, or they are of one
// type and next to each other in rows of one pitch. Arrays that are disjoint in other ways may
// return false. Strides of 0 are allowed.
bool wp_operands_are_apart(const struct wp_operand *a, const int size_a[WP_DIMENSIONS],
                           const struct wp_operand *b, const int size_b[WP_DIMENSIONS]);

#endif
