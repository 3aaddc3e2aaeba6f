// Enumerates every kind of shader that the emitter writes, for the wavelets of the table and every
// scheme, form and direction.
#ifndef EVERY_SHADER_H
#define EVERY_SHADER_H

#include "emit_tile.h"

struct shader {
    const char *group; // wavelet, scheme, form, direction, and the kind of program
    const struct wp_dialect *dialect;
    const char *stage; // file suffix: "frag", "vert", "geom", "comp", "cu"
    const char *text;
    struct wp_tile_counts counts; // of tiles and of levels along z only
};

typedef void (*shader_callback)(void *user, const struct shader *shader);

// Calls `callback` for each shader in a fixed order; the shaders of a group are consecutive.
void every_shader(shader_callback callback, void *user);

#endif
