// Cycle spinning: planes at different positions, extended at their ends, and the mean of results.
// Internal to this layer.
#ifndef WP_SPIN_H
#define WP_SPIN_H

#include "bands.h"

#include <stdbool.h>

struct wp_spin {
    int size[WP_DIMS_MAX];   // of a plane
    int margin[WP_DIMS_MAX]; // samples by which planes are extended at both ends
    int extent[WP_DIMS_MAX]; // of a shifted one: size + margins + the largest shift, unless it wraps
    int planes;
    bool wraps; // shifts are circular; otherwise ends are reflected: x[-k] = x[k]
    int shifts;
    int levels[WP_DIMS_MAX];
    bool by_rows; // without `image`: the rows of shifted planes are computed one by one
    float *plane; // planes of `size` without gaps
    float *sum;   // likewise: of results
    float *image; // planes of `extent` without gaps: shifted ones, and then their results
};

// The number of different positions for levels along each axis (at most INT_MAX), and one of them
// (wavepass_denoise.h).
int wp_spin_count(const int levels[WP_DIMS_MAX]);
void wp_spin_shift(int number, const int levels[WP_DIMS_MAX], int shift[WP_DIMS_MAX]);

// Sets `extent` from size, margin, wraps, shifts and levels.
void wp_spin_extend(struct wp_spin *spin);
// The samples of a plane of `plane`.
size_t wp_spin_plane(const struct wp_spin *spin);
// The samples of all arrays.
double wp_spin_samples(const struct wp_spin *spin);
// Allocates the arrays. False after WP_ERROR_TOO_LARGE; free them also then.
bool wp_spin_allocate(struct wp_spin *spin);
void wp_spin_free(struct wp_spin *spin);

// Writes `plane` at a position to `image`.
void wp_spin_shift_out(struct wp_spin *spin, int number);
// Adds `image`, a result at that position, over the number of shifts to `sum`; the first position
// replaces it.
void wp_spin_add(struct wp_spin *spin, int number);

// Likewise for a row of `extent` of a shifted plane. `first` has the position of the plane's first
// sample in it, of wp_spin_position(). A row that has no samples of the plane is not added.
void wp_spin_position(const struct wp_spin *spin, int number, int first[WP_DIMS_MAX]);
void wp_spin_shift_row(const struct wp_spin *spin, const int first[WP_DIMS_MAX], int plane, int y,
                       int z, float *to);
void wp_spin_add_row(const struct wp_spin *spin, const int first[WP_DIMS_MAX], bool replaces,
                     int plane, int y, int z, const float *from);

#endif
