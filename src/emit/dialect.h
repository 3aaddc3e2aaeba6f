// A generated language: all that the emitter has to ask it.
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

// How a kernel of a shape is written. NULL for what the language hasn't.
struct wp_shape_words {
    void (*begin)(const struct wp_writer *w);
    void (*write[WP_INSTRUCTIONS])(const struct wp_writer *w, const struct wp_instruction *i);
};

struct wp_dialect {
    const char *version;                // the first line
    const char *extension[WP_FEATURES]; // a line for each bit of enum wp_feature, or NULL
    const char *precision;              // lines
    const struct wp_shape_words *shape; // [WP_SHAPES]
    const char *end;                    // of the function that `begin` began
    const char *component;              // letters of a vector's; of either quad of an octet
    const char *number_end;             // behind one of 32 bits
    const char *floor, *make_vector;    // as calls begin: "floor("
    const char *cell_of_tier;           // the tier's shared memory, of tiles that have several
};

#endif
