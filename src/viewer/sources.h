// Where samples come from: the list of files, and of each side the planes of one of them.
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
    time_t seconds; // when the file was last changed, as it was read
    long nanoseconds;
};

// The planes of an image that are shown, on the host and on the GPU; or of a volume, on the host.
struct wp_view_source {
    int file, channel; // file -1: none
    bool stale;        // to be read again
    int failed;        // 1 + the file that could not be read, where none is there
    int width, height, depth; // depth 1: an image
    struct wp_geometry geometry;
    int planes;        // 1 or WP_COLOURS
    float *samples;    // one plane behind the other
    struct wp_texture quads[WP_COLOURS];
    int colours;       // planes without alpha of the image
    struct wp_origin origin; // of the image
    struct wp_file_facts facts; // of an image, not of a frame: {0}
    struct wp_plane plane[WP_COLOURS];
};

// Adds a file to the list, unless it is there; its number.
int wp_viewer_add_file(struct wp_viewer *v, const char *path);

// The next file, or the next frame of one that has frames (step 1). False where there is none.
bool wp_viewer_next(struct wp_viewer *v, int step);
void wp_viewer_reload(struct wp_viewer *v); // images are read again

// Reads A's file before there is a context. False after an error.
bool wp_viewer_read_first(struct wp_viewer *v);

// Reads the file of a side where it is not the one that is there. Where that fails the state
// goes back to what is shown, and a file that cannot be read is no longer in the list.
void wp_viewer_update_source(struct wp_viewer *v, enum wp_view_ab ab);

// What a side works on: B on the same plane as A where it is the same file.
struct wp_view_source *wp_viewer_source(struct wp_viewer *v, enum wp_view_ab ab);

// The value that is white in A's picture.
float wp_viewer_peak(const struct wp_viewer *v);

void wp_viewer_free_sources(struct wp_viewer *v); // their textures, too

#endif
