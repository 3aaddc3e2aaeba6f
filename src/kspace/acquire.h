// Simulated MRI acquisition: from an image to k-space.
#ifndef WP_ACQUIRE_H
#define WP_ACQUIRE_H

#include "complex_array.h"
#include "image.h"
#include "mask.h"

// Centers the first plane of an image or volume in an array of zeros; `size` must be at least the
// size of the image on every axis. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_complex_pad(const struct wp_image *image, const int size[3]);

// Reduces an image to `size` by cropping its k-space, and returns the magnitude. `array` is
// replaced by its k-space. NULL after an error.
struct wp_image *wp_coarser_image(struct wp_complex_array *array, const int size[3]);

// Divides the first plane by its largest magnitude.
void wp_scale_to_peak(struct wp_image *image);

// The magnitudes of a coil, as an image. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_complex_magnitude(const struct wp_complex_array *array, int coil);

// Transforms every coil in place: to k-space if `forward`, else to an image. False after an error.
bool wp_complex_transform(struct wp_complex_array *array, bool forward, int threads);

// Adds Gaussian noise with the standard deviation `sigma` in the real and in the imaginary part.
// It depends only on the seed.
void wp_complex_add_noise(struct wp_complex_array *array, double sigma,
                          unsigned long long seed);

// Zeroes samples that are not in the mask.
void wp_complex_mask(struct wp_complex_array *kspace, const struct wp_mask *mask);

// Simulates the sensitivities of coils in a ring around the image: smooth in magnitude and phase,
// with a sum of squares of 1 everywhere. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_coil_maps(const int size[3], int coils);

// The product of an image and each coil's sensitivity. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_coil_images(const struct wp_complex_array *image,
                                        const struct wp_complex_array *maps);

// Draws, from left to right with values in 0..1, the mask and the logarithm of k-space's magnitude
// (four decades), with DC in the center and for volumes in the plane of y and z; and the magnitude
// of the zero-filled reconstruction, its middle slice. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_kspace_picture(const struct wp_complex_array *kspace,
                                   const struct wp_mask *mask);

// Draw only the mask or the logarithm; of a volume, as a volume. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_mask_picture(const struct wp_mask *mask);
struct wp_image *wp_kspace_logarithm(const struct wp_complex_array *kspace);

#endif
