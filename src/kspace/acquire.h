// From an image to what a scanner would have measured of it.
#ifndef WP_ACQUIRE_H
#define WP_ACQUIRE_H

#include "complex_array.h"
#include "image.h"
#include "mask.h"

// The first plane of an image or volume in the middle of zeros, so that it has `size`, of which no
// side may be less than its own. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_complex_pad(const struct wp_image *image, const int size[3]);

// What lies around zero frequency: k-space of an image of `size` samples, of which no side may be
// more than its own, with the same brightness. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_complex_crop(const struct wp_complex_array *kspace, const int size[3]);

// The image that `array` is, coarser: the magnitude of that k-space. The array becomes its k-space.
// NULL after an error.
struct wp_image *wp_coarser_image(struct wp_complex_array *array, const int size[3]);

// Divides the first plane by its largest magnitude.
void wp_scale_to_peak(struct wp_image *image);

// The magnitudes of a coil as an image. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_complex_magnitude(const struct wp_complex_array *array, int coil);

// Every coil, between image and k-space. `forward`: to k-space. False after an error.
bool wp_complex_transform(struct wp_complex_array *array, bool forward, int threads);

// Gaussian, the same for the same seed; `deviation` of the real part and of the imaginary one.
void wp_complex_add_noise(struct wp_complex_array *array, double deviation,
                          unsigned long long seed);

// Zero where nothing was measured.
void wp_complex_mask(struct wp_complex_array *kspace, const struct wp_mask *mask);

// Sensitivities of coils in a ring around the image: smooth, in magnitude and phase, and their
// squares add up to 1 everywhere. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_coil_maps(const int size[3], int coils);

// What each coil sees of an image. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_coil_images(const struct wp_complex_array *image,
                                        const struct wp_complex_array *maps);

#endif
