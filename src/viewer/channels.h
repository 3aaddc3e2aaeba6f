// The instances of all planes that are shown: three with equal parameters for the red, green and
// blue planes of a color image, otherwise one. All functions require the viewer's context to be
// current and leave it current.
#ifndef WP_CHANNELS_H
#define WP_CHANNELS_H

#include "channel.h"
#include "instance.h"

struct wp_viewer;

struct wp_channels {
    struct wp_instance *of[WP_COLOURS]; // starts with wp_viewer.instance
    int count;                          // created instances; 1 before
};

struct wp_channels wp_viewer_channels(struct wp_viewer *v, enum wp_view_ab ab);

// Read-only access: the number of planes, and the instance of a plane.
int wp_viewer_planes(const struct wp_viewer *v, enum wp_view_ab ab);
const struct wp_instance *wp_viewer_instance(const struct wp_viewer *v, enum wp_view_ab ab,
                                             int plane);

// The name of a plane of A: "red" for one of several; for a single plane its channel, or "gray" if
// there is only one.
const char *wp_viewer_plane_name(const struct wp_viewer *v, int plane);

// Like the functions of instance.h, for all planes. The first instance gets the sum of the times.
void wp_channels_unbind(struct wp_channels channels);
void wp_channels_destroy(struct wp_channels channels);
bool wp_channels_forward(struct wp_channels channels);
bool wp_channels_edit(struct wp_channels channels, const struct wp_view_edit *edit);
bool wp_channels_inverse(struct wp_channels channels);
bool wp_channels_step(struct wp_channels channels, enum wp_direction direction, int count,
                      double *seconds);

// Coefficients, one plane after the other. The caller frees them.
float *wp_channels_read_coefficients(struct wp_channels channels);

#endif
