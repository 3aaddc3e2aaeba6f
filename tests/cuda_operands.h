// Where a call's image or coefficients lie in memory, in every way that a view can say it.
#ifndef WP_TEST_CUDA_OPERANDS_H
#define WP_TEST_CUDA_OPERANDS_H

#include "description.h"
#include "wavepass.h"

#include <stdbool.h>
#include <stddef.h>

enum { BANDS_MAX = 1 + 3 * WP_MAX_LEVELS, GAP = 37 };

// Where the views of a side lie in its memory.
enum kind {
    DENSE,        // an array without gaps
    PITCHED,      // rows at multiples of 16 bytes, with gaps
    SHIFTED,      // the same, beginning at a multiple of 8 bytes
    ODD,          // rows at any floats
    STRIDED,      // gaps between columns, too
    PIXELS,       // samples of all planes beside each other
    MALLAT_BANDS, // views of bands inside an array without gaps
    BANDS,        // each as PITCHED
    BANDS_ODD,    // each as ODD
    BANDS_SOME,   // each in another way
    KIND_COUNT
};

extern const char *const kind_names[KIND_COUNT];

struct spot {
    size_t at;
    ptrdiff_t step[2], plane;
    int size[2];
    int origin[2]; // in an array without gaps that has all bands
};

struct side {
    enum kind kind;
    int planes, count;
    struct spot spot[BANDS_MAX];
    size_t floats; // to the end, with a gap behind
    struct wp_view view[BANDS_MAX];
};

// The low corner of a band in an array without gaps.
void band_origin(const struct wp_band_info *info, const int size[2], int origin[2]);

void place_side(const struct wp_transform *t, enum kind kind, const int size[2], int planes,
                struct side *side);
void move_side(struct side *side, size_t floats);
struct wp_memory memory_of(struct side *side, float *base);

// Quiet NaNs, no two of them alike nearby: read by mistake they show, and so do writes.
void fill_pattern(float *memory, size_t floats, unsigned seed);

// Planes without gaps, put where a side has them.
void put_planes(const struct side *side, const int size[2], const float *planes, float *memory);

// False after a report that says where the first difference is.
bool compare(const char *name, const char *what, const struct side *side, const float *got,
             const float *wanted, size_t floats);

#endif
