// The header of NumPy's files. Internal to this layer.
#ifndef WP_NPY_HEADER_H
#define WP_NPY_HEADER_H

#include "image_io.h"
#include "npy.h"

struct wp_npy_header {
    char type[16];
    bool fortran; // the first axis varies fastest
    int axes;
    unsigned long long shape[WP_NPY_AXES];
};

// From the first bytes of a file; leaves `*at` at the samples. False after WP_ERROR_FILE.
bool wp_npy_parse_header(const struct wp_source *source, struct wp_npy_header *header, size_t *at);

// What an array will be, by its first bytes, and how many bytes it takes with its header. False
// after WP_ERROR_FILE.
bool wp_npy_look(const struct wp_source *head, struct wp_npy_info *info,
                 unsigned long long *whole);

// wp_npy_read() of bytes in memory, which it takes over. NULL after WP_ERROR_FILE; they are gone
// then as well.
struct wp_npy *wp_npy_read_samples(const char *name, unsigned char *data, size_t size);

struct wp_npy_type {
    enum wp_sample_type type; // of complex numbers: of their parts
    bool big_endian, complex;
};

// Parses "<f4" and the like. False, without a message, for an unknown type.
bool wp_npy_find_type(const char *type, struct wp_npy_type *found);

#endif
