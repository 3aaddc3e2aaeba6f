// Complex images, volumes and k-space: in memory, and the files they come from and go to.
#ifndef WP_COMPLEX_ARRAY_H
#define WP_COMPLEX_ARRAY_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

// size[0]*size[1]*size[2] samples of each coil, x fastest, coils slowest, no padding; `value` is
// aligned to WP_FFT_ALIGNMENT. An image has size[2] of 1.
struct wp_complex_array {
    int size[3];
    int coils; // 1: of one coil, or an image
    float complex *value;
};

// Of files: longer sides, and more samples of all coils, are refused.
#define WP_COMPLEX_MAX_SIDE 131072
#define WP_COMPLEX_MAX_SAMPLES (1ULL << 40)

// Filled with zeros. NULL after WP_ERROR_TOO_LARGE.
struct wp_complex_array *wp_complex_create(const int size[3], int coils);
void wp_complex_destroy(struct wp_complex_array **array); // accepts NULL, clears the pointer
size_t wp_complex_samples(const struct wp_complex_array *array); // of one coil

// NPY of complex64 or complex128 (of two axes, or of three: a volume; of four: coils first), or
// BART's .cfl with its .hdr (either name, or neither's suffix, as BART has it, where no file has
// the name without it; readout, phase 1, phase 2 and coils are x, y, z and coils, no other
// dimension may have more than 1). NULL after WP_ERROR_FILE, where a value is not finite too.
struct wp_complex_array *wp_complex_read(const char *path);

// By the suffix: .npy of complex64 (- to stdout), or .cfl with its .hdr; a file that is there is
// replaced. False after WP_ERROR_FILE.
bool wp_complex_can_write(const char *path); // has such a suffix
bool wp_complex_write(const char *path, const struct wp_complex_array *array);

// Between k-space with DC at index 0, of an image whose origin is sample 0, and BART's, where both
// are at n/2 of every axis (fft2c): samples move, and their phases turn by the shift of the image,
// which itself stays as it is.
void wp_complex_centre(struct wp_complex_array *kspace);   // 0 -> n/2
void wp_complex_uncentre(struct wp_complex_array *kspace); // n/2 -> 0

#endif
