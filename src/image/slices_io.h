// Slices of a file that is open. Internal to this layer.
#ifndef WP_SLICES_IO_H
#define WP_SLICES_IO_H

#include "bytes.h"
#include "raw.h"
#include "slices.h"

// Samples of one plane that lie one after another.
struct wp_slices_layout {
    unsigned long long width, height, depth, offset; // in bytes
    struct wp_samples samples;
};

// What a NPY holds, by its first bytes; depth 0 where it is not such a volume. False after an error.
bool wp_npy_layout(const struct wp_source *head, struct wp_slices_layout *layout);

// Takes `*bytes`, of which none was read, over and clears the pointer where its slices come one after
// another; else it gives NULL and leaves them. False after an error.
bool wp_slices_of(struct wp_bytes **bytes, enum wp_volume volume, const struct wp_raw *raw,
                  struct wp_slices **slices);

#endif
