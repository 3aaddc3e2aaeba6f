// The sides of all planes that are shown: of a colour image three of the same parameters, one for
// each of red, green and blue; else one. All functions need the viewer's context to be current and
// leave it so.
#ifndef WP_SIDES_H
#define WP_SIDES_H

#include "channel.h"
#include "side.h"

struct wp_viewer;

struct wp_sides {
    struct wp_side *of[WP_COLOURS]; // the viewer's side first
    int count;                      // that are made; 1 before
};

struct wp_sides wp_viewer_sides(struct wp_viewer *v, enum wp_view_ab ab);

// The same for readers: how many, and one of them.
int wp_viewer_planes(const struct wp_viewer *v, enum wp_view_ab ab);
const struct wp_side *wp_viewer_side(const struct wp_viewer *v, enum wp_view_ab ab, int plane);

// What a plane of A is called: "red", of one plane the channel, "gray" where there is nothing else.
const char *wp_viewer_plane_name(const struct wp_viewer *v, int plane);

// As the functions of side.h, for all of them, of which the first has the times of all.
void wp_sides_let_go(struct wp_sides sides);
void wp_sides_destroy(struct wp_sides sides);
bool wp_sides_forward(struct wp_sides sides);
bool wp_sides_edit(struct wp_sides sides, const struct wp_view_edit *edit);
bool wp_sides_inverse(struct wp_sides sides);
bool wp_sides_step(struct wp_sides sides, enum wp_direction direction, int count, double *seconds);

// Coefficients, one plane behind the other. The caller frees them.
float *wp_sides_read_coefficients(struct wp_sides sides);

#endif
