// Files without a header: samples from an offset on, x fastest. Internal to this layer.
#ifndef WP_RAW_H
#define WP_RAW_H

#include "rows_io.h"

struct wp_raw {
    const char *text; // the format, for messages
    struct wp_raster_layout layout;
    unsigned long long bytes; // of the file
};

// Parses a format as described at wp_read_params.raw. `text` must outlive the result. False after
// WP_ERROR_USAGE.
bool wp_raw_parse(const char *text, enum wp_values values, struct wp_raw *raw);

// Fails unless the file's size matches.
bool wp_raw_check(const struct wp_raw *raw, const char *name, unsigned long long size);

struct wp_image *wp_read_raw(const struct wp_source *source, const struct wp_raw *raw);

#endif
