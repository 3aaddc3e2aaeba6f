// The sides of all planes that are shown: of a colour image three of the same parameters, one for
// each of red, green and blue; else one. All functions need the viewer's context to be current and
// leave it so.
#ifndef WP_CHANNELS_H
#define WP_CHANNELS_H

#include "channel.h"
#include "instance.h"

struct wp_viewer;

struct wp_channels {
    struct wp_instance *of[WP_COLOURS]; // the viewer's side first
    int count;                      // that are made; 1 before
};

struct wp_channels wp_viewer_channels(struct wp_viewer *v, enum wp_view_ab ab);

// The same for readers: how many, and one of them.
int wp_viewer_planes(const struct wp_viewer *v, enum wp_view_ab ab);
const struct wp_instance *wp_viewer_instance(const struct wp_viewer *v, enum wp_view_ab ab, int plane);

// What a plane of A is called: "red", of one plane the channel, "gray" where there is nothing else.
const char *wp_viewer_plane_name(const struct wp_viewer *v, int plane);

// As the functions of instance.h, for all of them, of which the first has the times of all.
void wp_channels_unbind(struct wp_channels channels);
void wp_channels_destroy(struct wp_channels channels);
bool wp_channels_forward(struct wp_channels channels);
bool wp_channels_edit(struct wp_channels channels, const struct wp_view_edit *edit);
bool wp_channels_inverse(struct wp_channels channels);
bool wp_channels_step(struct wp_channels channels, enum wp_direction direction, int count, double *seconds);

// Coefficients, one plane behind the other. The caller frees them.
float *wp_channels_read_coefficients(struct wp_channels channels);

#endif
