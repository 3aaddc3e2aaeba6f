// NPY files (NumPy) as arrays of numbers, for data other than images.
#ifndef WP_NPY_H
#define WP_NPY_H

#include "wavepass_operand.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { WP_NPY_AXES = 8 };

struct wp_npy_info {
    int axes;
    size_t shape[WP_NPY_AXES]; // slowest axis first; none is 0, and the size in bytes fits size_t
    bool is_complex; // real and imaginary part per value
    char type[16];   // NumPy's name, "<f4"
    bool rounds;     // floats of 32 bits do not represent all values of the type
};

struct wp_npy;

// Reads a file; "-" is stdin. Its size must match the header exactly. NULL after WP_ERROR_FILE or
// WP_ERROR_TOO_LARGE.
struct wp_npy *wp_npy_read(const char *path, struct wp_npy_info *info);
// Reads only the header of a file that is not stdin. False after WP_ERROR_FILE.
bool wp_npy_peek(const char *path, struct wp_npy_info *info);
void wp_npy_destroy(struct wp_npy **npy); // accepts NULL, clears the pointer

// Gets all values in C order (last axis fastest), complex ones as pairs. Integers are not scaled.
void wp_npy_get(const struct wp_npy *npy, float *to);
// Likewise as f32 or f64; complex ones only as f32.
void wp_npy_get_as(const struct wp_npy *npy, enum wp_element type, void *to);

struct wp_source; // image_io.h

// Gets the shape of an array, and the size of its file in bytes, from the first bytes. False after
// WP_ERROR_FILE.
bool wp_npy_get_info(const struct wp_source *head, struct wp_npy_info *info,
                     unsigned long long *total);

// Like wp_npy_read(), from memory; takes ownership of `data`, also if it fails. NULL after
// WP_ERROR_FILE.
struct wp_npy *wp_npy_read_samples(const char *name, unsigned char *data, size_t size);

// Writes a header. `type` is "f4", "i4", "c8", "u1" or similar. The caller then writes the values
// in C order and the host's byte order.
void wp_npy_write_header(FILE *stream, const char *type, int axes, const size_t *shape);

struct wp_output; // output.h

// Writes values of type f32 or f64 in C order. `first` is an output that is committed together with the file, see
// wp_output_commit_pair(); it may point to NULL. False after WP_ERROR_FILE.
bool wp_npy_write(const char *path, bool overwrite, int axes, const size_t *shape,
                  enum wp_element type, const void *values, struct wp_output **first);

#endif
