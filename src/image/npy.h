// NumPy's array files as plain arrays of numbers, for what is no image.
#ifndef WP_NPY_H
#define WP_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WP_NPY_AXES = 4 };

struct wp_npy_info {
    int axes;
    size_t shape[WP_NPY_AXES]; // the slowest first; none is 0, and their product fits
    bool is_complex; // two parts a value
};

struct wp_npy;

// Reads a file; "-" is stdin. It must have exactly the bytes that its header says. NULL after
// WP_ERROR_FILE or WP_ERROR_TOO_LARGE.
struct wp_npy *wp_npy_read(const char *path, struct wp_npy_info *info);
void wp_npy_destroy(struct wp_npy **npy); // accepts NULL, clears the pointer

// All values, the last axis fastest whatever the file's order; of complex ones both parts. As they
// are stored: integers are not scaled.
void wp_npy_get(const struct wp_npy *npy, float *to);

// `type` is "f4", "i4", "c8", "u1" or the like. The values follow in the host's byte order, the last axis fastest.
void wp_npy_write_header(FILE *stream, const char *type, int axes, const size_t *shape);

#endif
