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
    struct timespec modified; // when it was read
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

const char *wp_base_name(const char *path); // without its folder

// Adds a file to the list, if it is not in it. Returns its number.
int wp_viewer_add_file(struct wp_viewer *v, const char *path);

// Selects the next file, or the next frame of a video (step 1). Does nothing without files.
void wp_viewer_next(struct wp_viewer *v, int step);

// Reads A's file, before the context exists. False after an error.
bool wp_viewer_read_first(struct wp_viewer *v);

// Reads the file of A or B if it has changed. On failure the state is reset to the current source,
// and files that are not images are removed from the list.
void wp_viewer_update_source(struct wp_viewer *v, enum wp_view_ab ab);

// The source of A or B; B shares A's source if it has the same file.
struct wp_view_source *wp_viewer_source(struct wp_viewer *v, enum wp_view_ab ab);

// The sample value that A displays as white.
float wp_viewer_peak(const struct wp_viewer *v);

void wp_viewer_free_source(struct wp_view_source *source); // also its textures

// The number of planes, and created instances, of A or B: three with equal parameters for the red,
// green and blue planes of a color image, otherwise one.
int wp_viewer_planes(const struct wp_viewer *v, enum wp_view_ab ab);

// The name of a plane of A: "red" for one of several; for a single plane its channel, or "gray" if
// there is only one.
const char *wp_viewer_plane_name(const struct wp_viewer *v, int plane);

void wp_viewer_destroy_instances(struct wp_viewer *v, enum wp_view_ab ab);

// The schedule of A in the timeline's direction, or NULL.
const struct wp_schedule *wp_viewer_schedule(struct wp_viewer *v);

// Coefficients of A, one plane after the other. The caller frees them.
float *wp_viewer_read_coefficients(struct wp_viewer *v);

#endif
