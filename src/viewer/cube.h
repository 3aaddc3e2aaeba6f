// The subbands of a volume as a solid cube: the lowpass band at the front corner, seven octants per
// level around it, drawn on three faces.
#ifndef WP_CUBE_H
#define WP_CUBE_H

#include <stdbool.h>

struct wp_viewer;
struct wp_pane;

// Adds tiles for the visible faces. Each tile is a slice of its band at the crosshair. Seen from
// behind, the front corner is the all-highpass band of the selected level.
void wp_cube_add(struct wp_viewer *v, struct wp_pane *pane);

#endif
