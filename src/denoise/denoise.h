// Denoising for the other layers of the program, in addition to wavepass_denoise.h.
#ifndef WP_DENOISE_H
#define WP_DENOISE_H

#include "edit.h"
#include "wavepass_denoise.h"

// The words of the parameters.
enum { WP_DENOISE_METHODS = 3 };
extern const char *const wp_denoise_methods[WP_DENOISE_METHODS]; // "bayes", …
extern const enum wp_edit_rule wp_denoise_rules[WP_DENOISE_METHODS];
enum wp_denoise_color { WP_DENOISE_PLANES, WP_DENOISE_YCBCR, WP_DENOISE_COLORS };
extern const char *const wp_denoise_colors[WP_DENOISE_COLORS]; // "planes", "ycbcr"

// The forward transform, for its facts.
struct wp_transform *wp_denoise_transform(const struct wp_denoiser *denoiser);

// Replaces on_band and user of the parameters.
void wp_denoise_report_to(struct wp_denoiser *denoiser,
                          void (*on_band)(void *user, int plane, const struct wp_band_info *band,
                                          double sigma, double threshold),
                          void *user);

// The number of shifts. 1 for redundant banks.
int wp_denoise_shifts(const struct wp_denoiser *denoiser);

// Bytes that the first call of wp_denoise_run() allocates, without those of the backend.
double wp_denoise_bytes(const struct wp_denoiser *denoiser);

#endif
