// Where the samples or the coefficients of a transform lie in a caller's memory.
#ifndef WP_OPERAND_H
#define WP_OPERAND_H

#include "description.h"
#include "wavepass_view.h"

// One side of a transform: an array of the description's size, of samples or of coefficients in its
// layout; or coefficients with a view for each band.
struct wp_operand {
    struct wp_view array;
    const struct wp_view *band; // NULL, or wp_subband_count() of them; `array` is not looked at then
    struct wp_pixels pixels; // in place of both, where it has data: an array of samples, or of
                             // coefficients, of the description's type of these
};

// An array without gaps, planes one behind the other.
struct wp_operand wp_operand_dense(const struct wp_description *description, float *data);
// The same for what is only read.
struct wp_operand wp_operand_const(const struct wp_description *description, const float *data);

// Band views of a description: LL of the last level first, then HL, LH and HH of each level from
// the last one to the first. Of no level there is one, the samples. Of a volume LLL, then those of
// HLL, LHL, HHL, LLH, … that the axes of the level have.
int wp_subband_count(const struct wp_description *description);
int wp_subband_number(const struct wp_description *description, int level, enum wp_band band);

// The other way: level and band of view number `index`, of a dyadic description.
int wp_subband_at(const struct wp_description *description, int index, enum wp_band *band);

// What band number `index` is, of any description; those of a spatial-temporal one go through the
// plane's for the low band along z, then for the high ones from the last level to the first.
struct wp_subband {
    const char *letters; // "HL", "HLL", "HL.H"
    enum wp_band band;   // bit a where it is high along axis a
    int level, level_z;  // the same but for a spatial-temporal one
    struct wp_band_grid grid;
};
struct wp_subband wp_subband_describe(const struct wp_description *description, int index);

// "HL2", "HLL1", "HL2.H1".
enum { WP_BAND_NAME_SIZE = 16 };
void wp_subband_name(const struct wp_subband *band, char name[WP_BAND_NAME_SIZE]);

// A band of a level, from 1 on, in a place that holds coefficients; LL is there at the last one
// alone. Level 0: the samples, of a place that holds those.
struct wp_view wp_operand_band(const struct wp_description *description,
                             const struct wp_operand *operand, int level, enum wp_band band, int plane);

// The same of a place whose `pixels` have data.
struct wp_pixels wp_operand_pixels(const struct wp_description *description,
                                 const struct wp_operand *operand, int level, enum wp_band band);

// Where `from` and `to` share memory, or may.
bool wp_operand_overlaps(const struct wp_description *description, const struct wp_operand *from,
                       const struct wp_operand *to);

// False where two samples of a view may be the same float, or lie before `data`. `size` is of a
// plane.
bool wp_view_is_sound(const struct wp_view *view, const int size[WP_DIMS_MAX], int planes);

// True where two such views certainly share no float: one lies behind the other, or side by side in
// rows of one length. Views that only happen not to meet may get false.
bool wp_views_are_apart(const struct wp_view *a, const int size_a[WP_DIMS_MAX],
                        const struct wp_view *b, const int size_b[WP_DIMS_MAX], int planes);

#endif
