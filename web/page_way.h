// What the files of the page share: a transform of a side.
#ifndef WP_PAGE_WAY_H
#define WP_PAGE_WAY_H

#include "description.h"
#include "plan.h"

// One direction of a side. Arrays are of the first plane.
struct page_way {
    const struct wp_description *description;
    const struct wp_plan *plan; // of passes
    const float *input;         // of the transform
    const float *result;        // of the latest run, NULL before
};

// False after an error.
bool page_find_way(int number, int inverse, struct page_way *way);

// By name: one of a file (page_wavelets.c), else as wp_wavelet_find() does.
bool page_find_wavelet(const char *name, struct wp_wavelet *wavelet);

// The wavelet that was taken, without changes of its coefficients.
const struct wp_wavelet *page_own_wavelet(void);

// The quads that page_stage() has read last, row by row, and where they lie.
const float *page_stage_quads(struct wp_rect *domain);

#endif
