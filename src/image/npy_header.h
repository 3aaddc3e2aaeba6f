// The header of NPY files. Internal to this layer.
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

// Parses the first bytes of a file; `*at` is then the offset of the samples. False after
// WP_ERROR_FILE.
bool wp_npy_parse_header(const struct wp_source *source, struct wp_npy_header *header, size_t *at);

// Gets the shape of an array, and the size of its file in bytes, from the first bytes. False after
// WP_ERROR_FILE.
bool wp_npy_get_info(const struct wp_source *head, struct wp_npy_info *info,
                     unsigned long long *total);

// Like wp_npy_read(), from memory; takes ownership of `data`, also if it fails. NULL after
// WP_ERROR_FILE.
struct wp_npy *wp_npy_read_samples(const char *name, unsigned char *data, size_t size);

struct wp_npy_type {
    enum wp_sample_type type; // for complex values, of their parts
    bool big_endian, complex;
};

// Parses "<f4" and similar. False, without a message, if the type is unknown.

bool wp_npy_find_type(const char *type, struct wp_npy_type *found);

#endif
