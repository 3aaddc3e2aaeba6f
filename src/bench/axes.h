// What is to be measured: lists and ranges of every axis, and their cross product.
#ifndef WP_AXES_H
#define WP_AXES_H

#include "registry.h"

// What --include takes, bits: the first two are added to the time of a transform, the next two ask
// for rows of their own, with the next one transforms and both ways overlap, and with the last one an image
// goes from the host's memory and back in windows.
enum wp_bench_include {
    WP_INCLUDE_UPLOAD = 1,
    WP_INCLUDE_DOWNLOAD = 2,
    WP_INCLUDE_MAP = 4,
    WP_INCLUDE_COMPILE = 8,
    WP_INCLUDE_OVERLAPPED = 16,
    WP_INCLUDE_TILED = 32,
    WP_INCLUDE_BOTH = WP_INCLUDE_UPLOAD | WP_INCLUDE_DOWNLOAD,
    WP_INCLUDE_TIMED = WP_INCLUDE_BOTH | WP_INCLUDE_OVERLAPPED | WP_INCLUDE_TILED,
};

// As on the command line: names separated by commas, "all"; sizes and levels as numbers and
// ranges too. NULL: the default; for levels_z as many as `levels`, or as fit.
struct wp_bench_axes {
    const char *wavelet, *scheme, *form, *backend, *variant, *size, *levels, *levels_z;
    const char *direction, *include, *threads, *planes, *reversible;
    const char *field[WP_FIELD_DYADIC]; // by enum wp_field
    int device; // of the backend, or WP_DEVICE_ANY
};

struct wp_bench_config {
    const struct wp_backend_choice *backend;
    const struct wp_variant *variant; // NULL: as the backend thinks best
    struct wp_description params;
    unsigned includes; // bits of WP_INCLUDE_TIMED
    int threads;       // of the host, for backends that take a number; 0: their own choice
    bool wall;         // time by the computer's clock, whatever the device has
};

// Configurations, those of one size one after the other, with what they point to.
struct wp_bench_set {
    int count;
    struct wp_bench_config *config;
    int backend_count;
    struct wp_backend_choice **backend; // open
    int wavelet_count;
    struct wp_wavelet **wavelet;
    unsigned asked;         // bits of enum wp_bench_include that ask for rows
    int left_out;           // combinations that cannot be,
    char left_out_why[256]; // and the reason of the first
};

// Adds the cross product, without what is in the set already. Combinations that cannot be are
// left out: more levels than a size has, a border that a wavelet or size does not go with, a
// variant that does not know the transform, a precision that a backend does not keep, more planes
// than go through it together; and of "all" schemes those that equal another one of the list. With
// `optional` a backend that is not available is left out, too. False after WP_ERROR_USAGE (also
// where nothing is left), WP_ERROR_FILE or WP_ERROR_UNAVAILABLE.
bool wp_bench_set_add(struct wp_bench_set *set, const struct wp_bench_axes *axes, bool optional);
// Whether both are of images or volumes of one size.
bool wp_bench_same_size(const struct wp_bench_config *a, const struct wp_bench_config *b);
void wp_bench_set_free(struct wp_bench_set *set); // accepts {0}, leaves {0}

#endif
