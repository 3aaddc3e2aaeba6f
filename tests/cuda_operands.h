// Memory layouts of the operands of a call, one for each kind of view.
#ifndef WP_TEST_CUDA_OPERANDS_H
#define WP_TEST_CUDA_OPERANDS_H

#include "description.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

enum { BANDS_MAX = 1 + 3 * WP_MAX_LEVELS, GAP = 37 };

// Layout of the views of an operand in its memory.
enum kind {
    DENSE,        // contiguous array
    PITCHED,      // padded rows, at multiples of 16 bytes
    SHIFTED,      // as PITCHED, with a start at a multiple of 8 bytes only
    ODD,          // odd row stride and start
    STRIDED,      // gaps between columns too
    PIXELS,       // planes interleaved per pixel
    MALLAT_BANDS, // views of the bands in a contiguous Mallat array
    BANDS,        // separate bands, each as PITCHED
    BANDS_ODD,    // separate bands, each as ODD
    BANDS_SOME,   // separate bands of different kinds
    KIND_COUNT
};

extern const char *const kind_names[KIND_COUNT];

struct spot {
    size_t at;
    ptrdiff_t step[2], plane;
    int size[2];
    int origin[2]; // position in the contiguous array of all bands
};

struct operand {
    enum kind kind;
    int planes, count;
    struct spot spot[BANDS_MAX];
    size_t floats; // size of the memory, with a gap after the last sample
    struct wp_operand view[BANDS_MAX];
};

// Position of a band's first sample in a contiguous Mallat array.
void band_origin(const struct wp_band_info *info, const int size[2], int origin[2]);

void init_operand(const struct wp_transform *t, enum kind kind, const int size[2], int planes,
                  struct operand *operand);
void shift_operand(struct operand *operand, size_t floats);
struct wp_operand memory_of(struct operand *operand, float *base);

// Fills memory with quiet NaNs of different payloads, so that wrong reads and writes are detected.
void fill_pattern(float *memory, size_t floats, unsigned seed);

// Copies contiguous planes to the positions that the operand has for them.
void put_planes(const struct operand *operand, const int size[2], const float *planes,
                float *memory);

// Returns false after a report of the first difference.
bool compare(const char *name, const char *label, const struct operand *operand, const float *got,
             const float *expected, size_t floats);

#endif
