// Complex images, volumes and k-space: arrays in memory, and their files.
#ifndef WP_COMPLEX_ARRAY_H
#define WP_COMPLEX_ARRAY_H

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

#endif
