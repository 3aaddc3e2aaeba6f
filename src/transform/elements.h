// Element types of samples: names, sizes, and conversion from and to floats and doubles.
#ifndef WP_ELEMENTS_H
#define WP_ELEMENTS_H

#include "wavepass_operand.h"

#include <stdbool.h>

struct wp_element_kind {
    const char *name; // "u8"
    size_t bytes;
    float largest; // largest integer; 0 for floats
};

extern const struct wp_element_kind wp_elements[WP_ELEMENT_COUNT];

enum { WP_ELEMENTS_ALL = (1 << WP_ELEMENT_COUNT) - 1 }; // bits of all types

// Scaling of integers.
struct wp_element_scale {
    float one;     // the integer that represents 1
    float largest; // the largest integer that is written; 0 for floats
};

// The scaling of an array for a transform, reversible or not.
struct wp_element_scale wp_operand_scale(const struct wp_operand *array, bool reversible);

// Integers can represent values from range[0] to range[1]; others are counted as lost.
void wp_element_range(struct wp_element_scale scale, float range[2]);

// Adds to the counts of lost samples; thread-safe.
void wp_lost_add(struct wp_lost *lost, size_t outside, size_t no_number);

// The address of a sample `at` samples after the first one.
void *wp_operand_at(const struct wp_operand *array, ptrdiff_t at);

// Copies `n` elements of 1, 2 or 8 bytes; the steps are in elements.
void wp_elements_copy(size_t bytes, void *to, ptrdiff_t to_step, const void *from,
                      ptrdiff_t from_step, size_t n);

// Functions, by type, that convert `n` samples at distances of `step` to contiguous floats, and
// back (rules in wavepass_operand.h). The arrays must not overlap.
struct wp_element_rows {
    void (*read[WP_ELEMENT_COUNT])(float *to, const void *from, ptrdiff_t step,
                                   struct wp_element_scale scale, int n);
    void (*write[WP_ELEMENT_COUNT])(void *to, ptrdiff_t step, const float *from,
                                    struct wp_element_scale scale, int n);
};

// Likewise from and to doubles.
struct wp_element_rows_f64 {
    void (*read[WP_ELEMENT_COUNT])(double *to, const void *from, ptrdiff_t step,
                                   struct wp_element_scale scale, int n);
    void (*write[WP_ELEMENT_COUNT])(void *to, ptrdiff_t step, const double *from,
                                    struct wp_element_scale scale, int n);
};

extern const struct wp_element_rows wp_element_rows; // for all processors
extern const struct wp_element_rows_f64 wp_element_rows_f64;

// Convert `n` samples of an array along x, from sample `at` on, to contiguous floats or doubles,
// and back, using these functions. Writing adds to array->lost.
void wp_operand_read(const struct wp_element_rows *rows, float *to, const struct wp_operand *array,
                    ptrdiff_t at, bool reversible, int n);
void wp_operand_write(const struct wp_element_rows *rows, const struct wp_operand *array,
                     ptrdiff_t at, const float *from, bool reversible, int n);
void wp_operand_read_f64(const struct wp_element_rows_f64 *rows, double *to,
                         const struct wp_operand *array, ptrdiff_t at, bool reversible, int n);
void wp_operand_write_f64(const struct wp_element_rows_f64 *rows, const struct wp_operand *array,
                          ptrdiff_t at, const double *from, bool reversible, int n);

#endif
