// A dialect: how the emitter writes kernels in one language.
#ifndef WP_DIALECT_H
#define WP_DIALECT_H

#include "kernel.h"

enum { WP_FEATURES = 1 };

struct wp_dialect;

struct wp_writer {
    const struct wp_dialect *dialect;
    const struct wp_kernel *kernel;
    const struct wp_emit_target *target;
    struct wp_text *out;
};

// How kernels of a shape are written. NULL for unsupported shapes and instructions.
struct wp_shape_words {
    void (*begin)(const struct wp_writer *w);
    void (*write[WP_INSTRUCTIONS])(const struct wp_writer *w, const struct wp_instruction *i);
};

struct wp_dialect {
    const char *version;                // the first line
    const char *extension[WP_FEATURES]; // a line for each bit of enum wp_feature, or NULL
    const char *precision;              // lines
    const struct wp_shape_words *shape; // [WP_SHAPES]
    const char *end;                    // end of the function
    const char *component; // letters of a vector's components, for both quads of octets
    const char *number_end;             // suffix of 32-bit numbers
    const char *floor, *make_vector;    // beginnings of calls: "floor("
    const char *cell_of_tier;           // the tier's shared memory, for tiles with several tiers
};

#endif
