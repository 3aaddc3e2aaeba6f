// Complex images, volumes and k-space: arrays in memory, and their files.
#ifndef WP_KSPACE_H
#define WP_KSPACE_H

#include "image.h"

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

// size[0]*size[1]*size[2] samples per coil, x fastest, coils slowest, no padding. An image has
// size[2] == 1. `value` is aligned to WP_FFT_ALIGNMENT bytes.
struct wp_complex_array {
    int size[3];
    int coils; // 1 for a single coil or an image
    float complex *value;
};

// Limits of files: samples per side, and samples of all coils.
#define WP_COMPLEX_MAX_SIDE 131072
#define WP_COMPLEX_MAX_SAMPLES (1ULL << 40)

// Creates an array of zeros. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_complex_create(const int size[3], int coils);
void wp_complex_destroy(struct wp_complex_array **array); // accepts NULL, clears the pointer
size_t wp_complex_samples(const struct wp_complex_array *array); // of one coil

// Reads NPY of complex64 or complex128 (axes (y, x), (z, y, x) or (coils, z, y, x)), or BART's .cfl
// with .hdr: by either name or, if no file has that name, without the suffix. BART's dimensions
// readout, phase 1, phase 2 and coils are x, y, z and coils; all others must be 1. NULL after
// WP_ERROR_FILE, also if a value is not finite.
struct wp_complex_array *wp_complex_read(const char *path);

// Writes by the suffix: .npy of complex64 ("-" for stdout), or .cfl with .hdr. Existing files are
// replaced. False after WP_ERROR_FILE.
bool wp_complex_can_write(const char *path); // true for such a suffix
bool wp_complex_write(const char *path, const struct wp_complex_array *array);

// Convert k-space between DC at index 0 with the image's origin at sample 0, and the convention of
// BART (fft2c), which has both at n/2 of every axis: move the samples, and shift their phases so
// that the image is unchanged.
void wp_complex_centre(struct wp_complex_array *kspace);   // 0 -> n/2
void wp_complex_uncentre(struct wp_complex_array *kspace); // n/2 -> 0

// Move DC from index 0 to n/2 along every axis, or back, in place. Items have `bytes` bytes, x
// fastest.
void wp_centre(void *items, size_t bytes, const int size[3]);
void wp_uncentre(void *items, size_t bytes, const int size[3]);

// ---- sampling masks: which samples of k-space are measured ----

// size[0]*size[1]*size[2] values, x fastest, DC at index 0.
struct wp_mask {
    int size[3];
    unsigned char *sampled; // 0 or 1
};

enum wp_mask_kind {
    WP_MASK_DENSITY, // random phase encodes, with a density that decreases with the frequency
    WP_MASK_LINES,   // Cartesian lines: as density along y, complete along the other axes
    WP_MASK_RADIAL,  // spokes through DC, rounded to the grid
    WP_MASK_POISSON, // Poisson disc sampling of variable density
    WP_MASK_KIND_COUNT
};

extern const char *const wp_mask_kind_names[WP_MASK_KIND_COUNT]; // "density", "lines", …

// Creates a mask of about one sample in `rate`; the same on every machine for the same seed. The
// readout, x, is fully sampled in volumes and for lines. NULL after WP_ERROR_USAGE or
// WP_ERROR_TOO_LARGE.
struct wp_mask *wp_mask_create(enum wp_mask_kind kind, const int size[3], double rate,
                               unsigned long long seed);
void wp_mask_destroy(struct wp_mask **mask); // accepts NULL, clears the pointer

// Reads NPY of bool, uint8 or float, values 0 or 1. A mask without the axis x applies to each x.
// `centred`: DC is at n/2. NULL after an error, also if all values are 0.
struct wp_mask *wp_mask_read(const char *path, const int size[3], bool centred);

// Writes NPY of uint8; for volumes without the axis x if the mask is the same for each x. Replaces
// an existing file. False after an error.
bool wp_mask_write(const char *path, const struct wp_mask *mask, bool centred);

// The mask of samples that are not 0 in at least one coil. NULL after WP_ERROR_TOO_LARGE.
struct wp_mask *wp_mask_of(const struct wp_complex_array *kspace);

size_t wp_mask_count(const struct wp_mask *mask);
double wp_mask_rate(const struct wp_mask *mask); // all samples over measured ones

// ---- simulated MRI acquisition: from an image to k-space ----

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
