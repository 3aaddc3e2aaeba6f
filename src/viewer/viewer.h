// The interactive viewer, in a window or without a display.
#ifndef WP_VIEWER_H
#define WP_VIEWER_H

#include "image.h"
#include "log.h"
#include "reconstruction.h"
#include "text.h"
#include "wavepass.h"

#include <stdbool.h>

// How a file is shown as a pyramid of tiles (pyramid_run.h): coefficients directly, an image after
// it has been transformed.
enum wp_pyramid_source { WP_PYRAMID_NONE, WP_PYRAMID_COEFFICIENTS, WP_PYRAMID_IMAGE };

struct wp_viewer_params {
    const char *const *file; // paths of images, for wp_image_read()
    int file_count;
    struct wp_transform_params transform; // parameters of A; size and layout are ignored
    struct wp_read_params read; // WP_VOLUME_YES also loads image or frame sequences as volumes
    const char *kspace;         // not NULL: show a reconstruction of this file instead of images
    struct wp_reconstruction_options reconstruct; // for kspace
    enum wp_pyramid_source pyramid;           // how the only file is shown as a pyramid
    double memory;                        // limit in bytes for a pyramid
    bool memory_named;                    // the user set `memory`
    const char *cost;                     // of `transform.tree` "best" (wavepass_packets.h), or NULL
    const char *channel;                  // one of wp_channel_words, or NULL
    const char *state, *events;           // file names, or NULL
    const char *screenshot;               // output file for the last frame; implies no window
    int width, height;                    // of the window or the screenshot; 0: 1280x800
    int frames;                           // minimum number of frames before the screenshot
    double ui_scale;                      // 0: 1
    bool bare;                            // show only the canvas
    bool overwrite;                       // `screenshot` may exist
    const char *shaders;                  // directory to read the viewer's shaders from
    // Redirects errors: appends them to `text` instead of printing them. NULL restores the default.
    void (*capture)(struct wp_text *text);
};

// Runs until the window is closed, or until all events and frames are processed. Returns the exit
// code.
enum wp_error wp_viewer_run(const struct wp_viewer_params *params);

// Returns how to show a file as a pyramid: coefficients in tiles, and files that need more than
// `limit` bytes in memory (0: no limit known) or exceed the texture size and can be read in
// regions. Does not report errors.
enum wp_pyramid_source wp_viewer_pyramid_source(const char *path, const struct wp_read_params *read,
                                                double limit);

// The reason why this build has no viewer, or NULL.
extern const char *const wp_viewer_missing;

// Key bindings ("Ctrl+R") with labels for the manual, of the image viewer or of reconstructions.
// Returns false after the last one.
bool wp_viewer_key(bool reconstructs, int number, const char **keys, const char **label);

#endif
