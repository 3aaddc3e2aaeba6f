// The subbands of all groups of slices, accessed by rows.
#ifndef WP_EDIT_BANDS_H
#define WP_EDIT_BANDS_H

#include "edit.h"
#include "operand.h"

// A subband within a group.
struct wp_edit_piece {
    struct wp_band_grid grid;
    double unit; // wp_edit_unit()
};

struct wp_edit_band {
    char name[WP_BAND_NAME_SIZE];
    struct wp_subband subband;       // in a full group
    struct wp_edit_piece full, last; // in full groups; in a last group with fewer slices
    size_t rows;                     // in all groups
};

struct wp_edit_bands {
    const struct wp_edit_target *target;
    int groups; // full ones
    int count;
    struct wp_edit_band *band; // numbered as by wp_subband_count(), the lowest first
};

// Lists the bands of a target, which must outlive the list. False after WP_ERROR_TOO_LARGE.
bool wp_edit_bands_make(const struct wp_edit_target *target, struct wp_edit_bands *bands);
void wp_edit_bands_free(struct wp_edit_bands *bands); // accepts {0}

// A row of coefficients: at[0], at[step], ..., at[(count - 1) * step]; `unit` as wp_edit_unit().
struct wp_edit_row {
    float *at;
    int count;
    ptrdiff_t step;
    double unit;
};

struct wp_edit_row wp_edit_row(const struct wp_edit_bands *bands, int band, int plane, size_t row);

// Finds a band by the first `length` bytes of `name`. Returns -1 after WP_ERROR_USAGE.
int wp_edit_bands_find(const struct wp_edit_bands *bands, const char *name, size_t length);

// The number of coefficients of a band in one plane.
double wp_edit_band_samples(const struct wp_edit_bands *bands, int band);

#endif
