// Color maps.
#ifndef WP_VIEWER_COLOURS_H
#define WP_VIEWER_COLOURS_H

#include "texture.h"

// Creates a texture with one row of 256 colors for each enum wp_view_map.
bool wp_colours_create(struct wp_gl *gl, struct wp_texture *maps);

#endif
