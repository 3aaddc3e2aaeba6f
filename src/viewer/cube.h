// The bands of a volume as a solid cube: the low one in the corner in front, seven octants about it
// for each level, on three faces.
#ifndef WP_CUBE_H
#define WP_CUBE_H

#include <stdbool.h>

struct wp_viewer;
struct wp_pane;

// Adds the tiles on the faces that are seen, each a slice of its band at the crosshair. From behind
// the corner in front is where all of the selected level is high.
void wp_cube_add(struct wp_viewer *v, struct wp_pane *pane);

#endif
