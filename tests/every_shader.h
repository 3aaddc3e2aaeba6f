// Every kind of shader that the emitter writes, for the table's wavelets, every scheme, form and
// direction.
#ifndef EVERY_SHADER_H
#define EVERY_SHADER_H

#include "emit_strip.h"

struct shader {
    const char *group; // of which it is one: wavelet, scheme, form, direction, and what runs it
    const struct wp_dialect *dialect;
    const char *stage; // as names of files end: "frag", "vert", "geom", "comp", "cu"
    const char *text;
    struct wp_tile_counts counts; // of tiles and of levels along z
};

typedef void (*shader_taker)(void *user, const struct shader *shader);

// Gives all of them, those of a group one after the other, in an order that is always the same.
void every_shader(shader_taker taker, void *user);

#endif
