// Types of samples: what they are called, how they become floats and how floats become them.
#ifndef WP_ELEMENTS_H
#define WP_ELEMENTS_H

#include "wavepass_view.h"

#include <stdbool.h>

struct wp_element_kind {
    const char *name; // "u8"
    size_t bytes;
    float largest; // of integers, the smallest being 0; of floats 0
};

extern const struct wp_element_kind wp_elements[WP_ELEMENT_COUNT];

enum { WP_ELEMENTS_ALL = (1 << WP_ELEMENT_COUNT) - 1 }; // a bit each

// What integers stand for.
struct wp_element_scale {
    float one;     // which is 1 as a float
    float largest; // that is written
};

// Of a transform that is reversible or not.
struct wp_element_scale wp_pixels_scale(const struct wp_pixels *pixels, bool reversible);

// Below range[0] and above range[1] a value is lost, of integers.
void wp_pixels_range(struct wp_element_scale scale, float range[2]);

// Adds to what is lost, beside other threads.
void wp_pixels_lose(struct wp_pixels_lost *lost, size_t outside, size_t no_number);

// Sample `at` (in samples) from the first.
void *wp_pixels_at(const struct wp_pixels *pixels, ptrdiff_t at);

// Copies `n` elements of 1 or 2 bytes that are so many elements apart.
void wp_elements_copy(size_t bytes, void *to, ptrdiff_t to_step, const void *from,
                      ptrdiff_t from_step, size_t n);

// Between `n` samples that are `step` apart and floats side by side, as wavepass_view.h says; by
// type. The two share no memory.
struct wp_element_rows {
    void (*read[WP_ELEMENT_COUNT])(float *to, const void *from, ptrdiff_t step,
                                   struct wp_element_scale scale, int n);
    void (*write[WP_ELEMENT_COUNT])(void *to, ptrdiff_t step, const float *from,
                                    struct wp_element_scale scale, int n);
};

extern const struct wp_element_rows wp_element_rows; // for every processor

// Between floats side by side and `n` pixels along x from sample `at` on, of a transform that is
// reversible or not, by any of these.
void wp_pixels_read(const struct wp_element_rows *rows, float *to, const struct wp_pixels *pixels,
                    ptrdiff_t at, bool reversible, int n);
void wp_pixels_write(const struct wp_element_rows *rows, const struct wp_pixels *pixels,
                     ptrdiff_t at, const float *from, bool reversible, int n);

#endif
