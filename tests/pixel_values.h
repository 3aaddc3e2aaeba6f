// Element types, and the values of their samples by the definitions in wavepass_operand.h. The code
// is not the library's.
#ifndef WP_TEST_PIXEL_VALUES_H
#define WP_TEST_PIXEL_VALUES_H

#include "wavepass.h"

#include <stdbool.h>

struct pixel_type {
    const char *name;
    size_t bytes;
    float largest; // integer; 0 for floats
};

extern const struct pixel_type pixel_types[WP_ELEMENT_COUNT]; // all but f64

bool pixel_is_short_float(enum wp_element type); // f16 or bf16
bool pixel_is_integer(enum wp_element type);

// Of f16 and bf16: the value of an element's bits, the bits of the nearest value, and the number of
// finite values that are not negative.
float pixel_from_bits(enum wp_element type, unsigned bits);
unsigned pixel_nearest_bits(enum wp_element type, float value);
unsigned pixel_finite(enum wp_element type);

// Read and write a sample. `one` is the integer that represents 1, `largest` the largest one.
float pixel_get(enum wp_element type, const void *at, float one);
void pixel_set(enum wp_element type, void *at, float value, float one, float largest);

// Values that are rounded up and down, clamped, or not finite.
enum { PIXEL_VALUES = 1 << 17 };
void pixel_make_values(enum wp_element type, float one, float value[PIXEL_VALUES]);

#endif
