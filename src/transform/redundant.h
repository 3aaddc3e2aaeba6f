// Redundant filter banks: the filters of their levels and what a level does with them, computed
// from a description. Backends compute this program and derive no filters of their own.
//
// c[l] is the low band after l levels and c[0] the samples. A filter of level l has taps that are
// s = 2^(start + l - 1) samples apart, along each of the transformed axes, on samples that are
// extended beyond their ends. `start` is start_level of the description, 0 by default: the samples
// are then the low band of that many levels before.
//
//     undecimated    band b of level l is c[l-1] filtered by a low or a high filter along each
//                    axis; c[l] is the one with only low filters. The inverse is the average of the
//                    inverses of all decimated transforms that a level contains (pywt.iswt), and
//                    exact: with the synthesis filters g of the wavelet, along each axis
//                    x[n] = 1/2 sum over k of g_low[k] low[n - k s] + g_high[k] high[n - k s].
//     starlet        c[l] is c[l-1] filtered by the B3 spline (1, 4, 6, 4, 1)/16 along each axis,
//                    and W of level l is c[l-1] - c[l]. The inverse is the sum of all bands.
//                    (J.-L. Starck, J. Fadili and F. Murtagh, The undecimated wavelet decomposition
//                    and its reconstruction, IEEE Trans. Image Processing 16(2), 2007.)
//
// Borders. "periodic": circular convolution, of any size, with every wavelet. high[n] is at sample
// n + s, as in pywt.swt(). "symmetric": whole-sample mirrored, for wavelets whose filters are
// symmetric about a sample, and the starlet; of any size. high[n] is at sample n, so that bands are
// mirrored, too, and the inverse extends them like the samples. Haar's filters are symmetric about
// half a sample, so that its bands have no such extension.
//
// Levels: until the taps of the next one would be at least as far apart as the longest axis is
// long, ceil(log2(n)) - start.
//
// Norms, per axis and level: the gain of the low filter at DC and of the high filter at the Nyquist
// frequency, for wavelets with a gain of 2 there in the norm "jpeg2000"; the starlet has one norm.
//
//     norm           low      high     PyWavelets
//     jpeg2000       1        2
//     orthonormal    1        1        swt(norm=True), up to the sign of high; for orthogonal
//                                      wavelets a tight frame, whose adjoint is its inverse (MODWT)
//     none           zeta     2/zeta
//     pywt           sqrt(2)  sqrt(2)  swt(norm=False), number for number with periodic borders
#ifndef WP_REDUNDANT_H
#define WP_REDUNDANT_H

#include "description.h"

// result[n] = sum of tap[i] x[n + (first + i) s], with taps s apart.
struct wp_redundant_filter {
    int first, count; // 1..WP_BANK_TAPS_MOST
    double tap[WP_BANK_TAPS_MOST];
};

// What a level computes. c is the input of the level, and then its result, which is the input of
// the next one, forward from the samples, inverse from the low band of the last level. F is the
// filter along all axes of the bank; for band b along axis a filter[b >> a & 1].
enum wp_level_rule {
    WP_LEVEL_SPLIT,      // band b = F_b c; c = band 0
    WP_LEVEL_JOIN,       // c = sum of F_b band b, where band 0 is c
    WP_LEVEL_DIFFERENCE, // band = c - F c; c = F c
    WP_LEVEL_SUM,        // c = c + band
    // The adjoints of these two, in this order.
    WP_LEVEL_MERGE,      // c = F (c - band) + band
    WP_LEVEL_REPEAT      // band = c
};

struct wp_redundant {
    enum wp_level_rule rule;
    enum wp_extension extension; // WP_EXTEND_MIRROR or WP_EXTEND_WRAP, of all inputs of filters
    unsigned axes;               // bit a: levels transform axis a
    int levels;                  // forward 1, 2, ... `levels`, inverse from `levels` to 1
    int start;                   // levels before the first one
    struct wp_redundant_filter filter[2]; // low and high; only low for the starlet
    // The input of the transform is divided by the weights of its samples, its output multiplied
    // with them: wp_redundant_weight(). If A is a symmetric filter with mirrored borders,
    // A^T = D A D^-1, where D has the weights; between two levels they cancel.
    bool weighted;
};

// Computes the filters and rules of a redundant bank. The description has levels, and
// wp_description_check() accepts it. Returns false after WP_ERROR_TOO_LARGE.
bool wp_redundant_make(const struct wp_description *description, struct wp_redundant *bank);

// The passes of a level, the same for all levels, as a scheme with `redundant` set; the kind is that
// of the description, or chosen by the number of samples that a pass reads. Component b is band b;
// a pass computes the components whose rows are not 0. Convolutions are products of the filters, the
// other schemes blocks of the wavelet's lifting steps. The starlet has its band in component `axes`,
// and in other passes than the last one there what this one adds. The caller destroys it. NULL after
// WP_ERROR_TOO_LARGE, or WP_ERROR_USAGE if the adjoint of a wavelet has no lifting steps.
struct wp_scheme *wp_redundant_scheme(const struct wp_description *description);

// The kind of that scheme. NULL after WP_ERROR_TOO_LARGE.
const struct wp_scheme_kind *wp_redundant_kind(const struct wp_description *description);

// The distance of the taps of a level, from 1 on.
static inline int wp_redundant_dilation(const struct wp_redundant *bank, int level)
{
    return 1 << (bank->start + level - 1);
}

// The weight along an axis of sample i of n: 1/2 at both ends, of more than one sample; else 1.
// That of a sample is the product of those along the axes of the bank.
static inline double wp_redundant_weight(int i, int n)
{
    return n > 1 && (i == 0 || i == n - 1) ? 0.5 : 1;
}

// The gain of a filter of the decimated bank with a norm, relative to the norm jpeg2000.
double wp_filter_gain(const struct wp_wavelet *wavelet, enum wp_norm norm, bool synthesis,
                      bool high);

#endif
