// The interactive viewer, in a window or without a display.
#ifndef WP_VIEWER_H
#define WP_VIEWER_H

#include "image.h"
#include "log.h"
#include "reconstruction.h"
#include "text.h"
#include "wavepass.h"

#include <stdbool.h>

// Of coefficients (pyramid_file.h), or of an image, of which they are made first.
enum wp_pyramid_of { WP_PYRAMID_NONE, WP_PYRAMID_COEFFICIENTS, WP_PYRAMID_IMAGE };

struct wp_viewer_params {
    const char *const *file; // images, as wp_image_read() takes them
    int file_count;
    struct wp_transform_params transform; // of A; size and layout don't count
    struct wp_read_params read; // WP_VOLUME_YES: also what could be images or frames one by one
    const char *kspace;                   // not NULL: a reconstruction of this file, no images
    struct wp_reconstruction_options reconstruct; // then
    enum wp_pyramid_of pyramid;           // the one file is seen as a pyramid of tiles
    double memory;                        // bytes that a pyramid takes at most,
    bool memory_named;                    // where somebody has said it
    const char *channel;                  // one of wp_channel_words, or NULL
    const char *state, *events;           // files, or NULL
    const char *screenshot;               // without a display, the last frame goes here
    int width, height;                    // of window or picture; 0: 1280x800
    int frames;                           // at least this many before the screenshot
    double ui_scale;                      // 0: 1
    bool bare;                            // nothing but the canvas
    bool overwrite;                       // the screenshot
    const char *shaders;                  // directory to read the viewer's shaders from
    // From here on errors are added to `text` and not shown; NULL ends that.
    void (*capture)(struct wp_text *text);
};

// Runs until the window is closed, or until the events and frames are done. The exit code.
enum wp_error wp_viewer_run(const struct wp_viewer_params *params);

// Whether a file is to be seen so: coefficients in tiles, and what takes more than `limit` bytes as a
// whole (0: nobody knows), or is wider than textures are, and can be read in parts. `read` as above.
enum wp_pyramid_of wp_viewer_pyramid_of(const char *path, const struct wp_read_params *read,
                                        double limit);

// Why this build has no viewer, or NULL.
extern const char *const wp_viewer_missing;

// Keys ("Ctrl+R") of images and volumes, or of reconstructions, and what they do, for the manual.
// False behind the last.
bool wp_viewer_key(bool reconstructs, int number, const char **keys, const char **label);

#endif
