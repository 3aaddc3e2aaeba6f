// The configurations to measure: the cross product of the values of all axes.
#ifndef WP_AXES_H
#define WP_AXES_H

#include "registry.h"

// Values of --include, as bits. UPLOAD and DOWNLOAD add transfers to the time of a transform; MAP
// and COMPILE add rows; OVERLAPPED overlaps transfers and transforms; TILED runs from and to the
// host's memory in tiles.
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

// Values as on the command line: names separated by commas, or "all"; for sizes and levels numbers and
// ranges. NULL: the default; for levels_z `levels`, or as many as fit.
struct wp_bench_axes {
    const char *wavelet, *scheme, *form, *backend, *variant, *size, *levels, *levels_z;
    const char *direction, *include, *threads, *planes, *reversible;
    const char *field[WP_FIELD_DYADIC]; // by enum wp_field
    int device; // device number of the backend, or WP_DEVICE_ANY
};

struct wp_bench_config {
    const struct wp_backend_choice *backend;
    const struct wp_variant *variant; // NULL: the default of the backend
    struct wp_description params;
    unsigned includes; // bits of WP_INCLUDE_TIMED
    int threads;       // on the CPU; 0: the default
    bool wall;         // uses the clock of the computer, not the timer of the device
};

// Configurations, grouped by size, and the objects that they point to.
struct wp_bench_set {
    int count;
    struct wp_bench_config *config;
    int backend_count;
    struct wp_backend_choice **backend; // open
    int wavelet_count;
    struct wp_wavelet **wavelet;
    unsigned requested;     // bits of enum wp_bench_include that add rows
    int skipped;            // number of unsupported combinations,
    char skipped_why[256];  // and the reason of the first one
};

// Adds the cross product, without configurations that the set already has. Skips unsupported
// combinations: too many levels for a size, a border that the wavelet or size does not support, a
// variant or backend that does not support the transform, the precision or the planes; for "all"
// schemes also those that equal another one. With `optional` skips backends that are not available.
// False after WP_ERROR_USAGE (also if no configuration is left), WP_ERROR_FILE or
// WP_ERROR_UNAVAILABLE.
bool wp_bench_set_add(struct wp_bench_set *set, const struct wp_bench_axes *axes, bool optional);
// Whether two configurations have the same size.
bool wp_bench_same_size(const struct wp_bench_config *a, const struct wp_bench_config *b);
void wp_bench_set_free(struct wp_bench_set *set); // accepts {0}, leaves {0}

#endif
