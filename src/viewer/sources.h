// Sources of samples: the list of files, and the planes shown in A and B.
#ifndef WP_VIEWER_SOURCES_H
#define WP_VIEWER_SOURCES_H

#include "channel.h"
#include "image.h"
#include "instance.h"
#include "y4m.h"

#include <time.h>

struct wp_viewer;

struct wp_view_file {
    char *path;
    time_t seconds; // modification time when it was read
    long nanoseconds;
};

// The displayed planes. Images are in host memory and in textures, volumes only in host memory.
struct wp_view_source {
    int file, channel; // file -1: none
    bool stale;        // must be read again
    int failed;        // 1 + number of the file that could not be read, without a source
    int width, height, depth; // depth 1: an image
    struct wp_geometry geometry;
    int planes;        // 1 or WP_COLOURS
    float *samples;    // one plane after the other
    struct wp_texture quads[WP_COLOURS];
    int colours;       // planes of the image, without alpha
    struct wp_origin origin; // of the image
    struct wp_file_facts facts; // {0} for frames
    struct wp_plane plane[WP_COLOURS];
};

// Copies samples as quads to the top left corner of a texture. False after an error.
bool wp_quads_upload(const float *samples, int width, int height, const struct wp_texture *texture);

// Adds a file to the list, if it is not in it. Returns its number.
int wp_viewer_add_file(struct wp_viewer *v, const char *path);

// Selects the next file, or the next frame of a video (step 1). False without files.
bool wp_viewer_next(struct wp_viewer *v, int step);
void wp_viewer_reload(struct wp_viewer *v); // reads images again

// Reads A's file, before the context exists. False after an error.
bool wp_viewer_read_first(struct wp_viewer *v);

// Reads the file of A or B if it has changed. On failure the state is reset to the current source,
// and files that are not images are removed from the list.
void wp_viewer_update_source(struct wp_viewer *v, enum wp_view_ab ab);

// The source of A or B; B shares A's source if it has the same file.
struct wp_view_source *wp_viewer_source(struct wp_viewer *v, enum wp_view_ab ab);

// The sample value that A displays as white.
float wp_viewer_peak(const struct wp_viewer *v);

void wp_viewer_free_sources(struct wp_viewer *v); // also frees their textures

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

// The schedule of A in the timeline's direction, or NULL.
const struct wp_schedule *wp_viewer_schedule(struct wp_viewer *v);

// Coefficients, one plane after the other. The caller frees them.
float *wp_channels_read_coefficients(struct wp_channels channels);

#endif
