/// @file
/// Denoising of images, signals and volumes: a transform, thresholds for its details, and the
/// inverse.
///
///     const struct wp_transform_params size = WP_TRANSFORM_PARAMS(.width = 640, .height = 480);
///     const struct wp_denoise_params params = WP_DENOISE_PARAMS(.transform = &size);
///     if (wp_denoise(&params, WP_ARRAY(noisy), WP_ARRAY(clean)))
///         ...
///
/// Noise is additive and white: each sample has independent noise of the same standard deviation,
/// sigma. Errors and threads are as in wavepass.h; thresholds are computed by the threads of the
/// host.
#ifndef WAVEPASS_DENOISE_H
#define WAVEPASS_DENOISE_H

#include "wavepass.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WP_SHIFTS_ALL = -1, ///< wp_denoise_params.shifts: all of them
};

/// Parameters of denoising. Members that are 0 or NULL have their default; initialize the others
/// with WP_DENOISE_PARAMS().
///
/// **Methods** determine the threshold t of each subband of each plane. X^2 is the mean of its
/// squared coefficients minus sigma^2, and n the number of its coefficients, in the orthonormal
/// norm:
///
///     "bayes"   t = sigma^2 / X, infinite if X^2 <= 0: BayesShrink (Chang, Yu, Vetterli 2000)
///     "sure"    t of the least risk by Stein's unbiased estimate, among the magnitudes up to sigma
///               sqrt(2 ln n); in sparse subbands, whose mean square is at most sigma^2 (1 +
///               log2(n)^1.5 / sqrt(n)), t = sigma sqrt(2 ln n): the hybrid scheme of SureShrink
///               (Donoho, Johnstone 1995)
///     "visu"    t = sigma sqrt(2 ln N) for the N samples of the plane, as extended for shifts:
///               VisuShrink (Donoho, Johnstone 1994)
///
/// **Rules**. Coefficients x with |x| <= t become 0, and others
///
///     "hard"    x
///     "soft"    x - t sign(x)
///     "garrote" x - t^2 / x
///
/// **Cycle spinning.** The transform is not invariant to shifts, so its errors depend on the
/// position of edges. With `shifts` n > 1 the result is the mean of n results for the image at
/// different positions (Coifman, Donoho 1995), each with its own thresholds; sigma is estimated in
/// the first one, the image as it is. Position i has bits 0, r, 2 r, ... of i along x, 1, r + 1,
/// ... along y and so on as a number m for r axes, and is shifted by 11 m modulo 2^levels; so the
/// first 2^(r k) positions are all those modulo 2^k. The border extends the image at its new ends
/// by reflection (x[-k] = x[k]), or periodically if it is a periodic one.
///
/// **Redundant banks** are invariant to shifts, so they are computed at one position. A subband of
/// "undecimated" has the coefficients of all shifts, and one threshold for them: if thresholds do
/// not depend on coefficients ("visu" with a given sigma) and the border is periodic, the result is
/// that of WP_SHIFTS_ALL. "starlet" has one subband per level, for all directions. Redundant banks
/// need the memory of a plane for each subband.
///
/// **Packets** have the best basis of each plane, or of Y for its colors, unless `transform` has a
/// tree: that of the least error of thresholds of 3 sigma (wavepass_packets.h, Donoho, Johnstone
/// 1994), found in the first shift, in which the low-pass node of each level is split. Defaults are
/// wavelet "cdf97", and at most 4 levels, as pywt.dwtn_max_level() allows. sigma is estimated in one
/// level of the decimated bank.
struct wp_denoise_params {
    size_t struct_size; ///< sizeof(struct wp_denoise_params), so that the struct can grow
    /// The size, planes and batch, and the transform. Defaults that differ from those of
    /// wp_transform_create(): wavelet "haar", border "symmetric" or, for wavelets that do not
    /// support it, "pywt-symmetric" (for bank "undecimated", "periodic" after the image was
    /// extended by reflection by the support of the filters; for packets "periodic"), backend
    /// "cpu", and three levels fewer than pywt.dwtn_max_level() of PyWavelets returns, at least 1.
    /// Norm and layout have no effect. `gop`, reversible transforms, adjoints, start_level and
    /// current_context are rejected.
    const struct wp_transform_params *transform;
    const char *method; ///< "bayes" (default), "sure" or "visu"
    const char *rule;   ///< "soft" (default), "hard" or "garrote"
    const char *color;  ///< "planes" (default): each plane by itself; "ycbcr": three planes are
                        ///< red, green and blue, which are converted to Y, Cb and Cr (ITU-R BT.601)
    double sigma;       ///< of the noise, in units of the samples; 0: estimated in each plane, as
                        ///< the median magnitude of the details along all axes in the first level,
                        ///< without zeros, over 0.6745; for "starlet", whose finest subband
                        ///< has edges of all directions, in the first level of Haar
    bool per_level;     ///< sigma is estimated in each level, for noise that is not white
    int shifts;         ///< of cycle spinning; 0: 16; 1: no cycle spinning; WP_SHIFTS_ALL.
                        ///< Redundant banks reject other numbers than 0, 1 and WP_SHIFTS_ALL
    /// NULL, or called for each subband of each plane with sigma and the threshold of the first
    /// shift, before wp_denoise_run() returns. `plane` counts those of all entries of the batch.
    void (*on_band)(void *user, int plane, const struct wp_band_info *band, double sigma,
                    double threshold);
    void *user; ///< for `on_band`
    /// NULL, or sigma of each level from the finest one on, all positive, for noise that is not
    /// white. wp_denoise_create() copies it. A band with several levels has that of the largest
    /// one. Rejected with `sigma`, `per_level` and packets.
    const double *level_sigma;
    int level_sigmas; ///< of `level_sigma`: the number of levels
};

/// Parameters with the given members, as WP_TRANSFORM_PARAMS().
#define WP_DENOISE_PARAMS(...) {.struct_size = sizeof(struct wp_denoise_params), __VA_ARGS__}

struct wp_denoiser; ///< opaque

/// Creates a denoiser for any number of images. NULL after an error of wp_transform_create(), or
/// WP_ERROR_USAGE.
WP_API struct wp_denoiser *wp_denoise_create(const struct wp_denoise_params *params);
/// Destroys a denoiser and sets the pointer to NULL; accepts NULL.
WP_API void wp_denoise_destroy(struct wp_denoiser **denoiser);

/// Denoises an operand in the host's memory, of any element type and strides, to another one or to
/// itself. Computes in floats. Values that are not finite make the samples near them so, too. Not
/// to be called by two threads at the same time for one denoiser. False after an error of
/// wp_transform_forward().
WP_API bool wp_denoise_run(struct wp_denoiser *denoiser, const struct wp_operand *noisy,
                           const struct wp_operand *clean);

/// Creates a denoiser, runs it and destroys it.
WP_API bool wp_denoise(const struct wp_denoise_params *params, const struct wp_operand *noisy,
                       const struct wp_operand *clean);

#ifdef __cplusplus
}
#endif

#endif
