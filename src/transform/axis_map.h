// Linear maps along axes, as sparse matrices: extensions of a signal at its ends, crops, and the
// transposes of both. With them the border modes of PyWavelets follow from the periodic transform.
//
// A level along an axis of n samples with filters of length F (wp_wavelet.window) is R P E. E
// extends the signal to an even length, P is the periodic transform of that length, R takes
// b = floor((n + F - 1) / 2) coefficients of each band. Our periodic low-pass coefficient m reads
// samples 2m - F/2 + 1 .. 2m + F/2, PyWavelets' coefficient k reads 2k + 2 - F .. 2k + 1. So
// k = m - c with c = floor(F / 4) coefficients before the first one, which keeps the supports of
// all that are taken within the extended signal: E[i] = x[i + 1 - F/2 - 2c].
//
// The inverse needs no border: it is the periodic one of 2b samples, of which sample F/2 - 1 is
// x[0]. "pywt-periodization" extends an odd size by one sample, which the inverse drops.
#ifndef WP_AXIS_MAP_H
#define WP_AXIS_MAP_H

#include "bands.h"
#include "lifting.h"
#include "wavepass_operand.h"

#include <stdbool.h>

// A matrix of `to` rows and `from` columns. Rows run..run+count-1 are the columns from `source` on,
// with weight 1. The other rows, in their order, are sums: row number i of them has the entries
// begin[i]..begin[i+1]-1, possibly none.
struct wp_axis_map {
    int from, to; // samples of the input and the output
    int run, count, source;
    int *begin;
    struct wp_axis_entry {
        int from;
        double weight;
    } *entry;
};

// n samples as they are.
struct wp_axis_map wp_axis_map_identity(int n);

// The extension of n samples to `length`: row i is sample i + shift, by the rule of a border of
// PyWavelets. One sample is constant for "pywt-reflect" and "pywt-antireflect", which PyWavelets
// rejects. False after WP_ERROR_TOO_LARGE.
bool wp_axis_map_extend(struct wp_axis_map *map, enum wp_border border, int n, int shift,
                        int length);

// Row i is column i + shift, or 0 if there is none: a crop, or an embedding in zeros.
bool wp_axis_map_shift(struct wp_axis_map *map, int from, int shift, int to);

// n samples as they are, except that the first and the last one are multiplied; one
// sample by both.
bool wp_axis_map_ends(struct wp_axis_map *map, int n, double first, double last);

// The transpose of a map, which folds an extension back.
bool wp_axis_map_transpose(struct wp_axis_map *transpose, const struct wp_axis_map *map);

void wp_axis_map_free(struct wp_axis_map *map);

// Entries of row `row`; 1 with weight 1 for a row of the run.
int wp_axis_map_row(const struct wp_axis_map *map, int row, const struct wp_axis_entry **entry,
                    struct wp_axis_entry *one);

// A map along each axis, for all planes of an operand.
struct wp_axis_maps {
    struct wp_axis_map axis[WP_DIMS_MAX];
    int planes;
    void *on_device; // of wp_backend.map(), which see
};

void wp_axis_maps_free(struct wp_axis_maps *maps);

// Applies the maps to an operand in the host's memory, with the sizes of the maps, and writes
// another one, which must not overlap. Both have all strides filled in, and any element types; sums
// are in double precision, and samples are doubles on the way if one type is f64, else floats.
// False after WP_ERROR_TOO_LARGE.
bool wp_axis_maps_apply(const struct wp_axis_maps *maps, const struct wp_operand *from,
                        const struct wp_operand *to);

#endif
