// The bands of all groups of slices, by their rows.
#ifndef WP_EDIT_BANDS_H
#define WP_EDIT_BANDS_H

#include "edit.h"
#include "operand.h"

// What a group has of a band.
struct wp_edit_piece {
    struct wp_band_grid grid;
    double unit; // wp_edit_unit()
};

struct wp_edit_band {
    char name[WP_BAND_NAME_SIZE];
    struct wp_subband subband;         // in a whole group
    struct wp_edit_piece whole, last;   // last: of a last group that has fewer slices
    size_t rows;                        // of all groups together
};

struct wp_edit_bands {
    const struct wp_edit_target *target;
    int groups; // whole ones
    int count;
    struct wp_edit_band *band; // as wp_subband_count() counts: the low one first
};

// Frees nothing of the target. False after WP_ERROR_TOO_LARGE.
bool wp_edit_bands_make(const struct wp_edit_target *target, struct wp_edit_bands *bands);
void wp_edit_bands_free(struct wp_edit_bands *bands); // accepts {0}

// A row of coefficients: at[0], at[step], …
struct wp_edit_row {
    float *at;
    int count;
    ptrdiff_t step;
    double unit;
};

struct wp_edit_row wp_edit_row(const struct wp_edit_bands *bands, int band, int plane, size_t row);

// The number of the band that is called like the first `length` bytes of `name`, or -1 after
// WP_ERROR_USAGE.
int wp_edit_bands_find(const struct wp_edit_bands *bands, const char *name, size_t length);

// Coefficients of a band in one plane.
double wp_edit_band_samples(const struct wp_edit_bands *bands, int band);

#endif
