// What the window is about: transforms of images and volumes (frame.c), or a reconstruction
// (solver_scene.c). Menu, popups, panes, tiles and pictures are the same for both.
#ifndef WP_VIEWER_SCENE_H
#define WP_VIEWER_SCENE_H

#include <stdbool.h>

struct json_t;
struct wp_rect_f;
struct wp_text;
struct wp_viewer;

struct wp_scene {
    // From the state to textures and figures, before the interface.
    void (*update)(struct wp_viewer *v);
    // Panels around the canvas, each in its place (layout.c); NULL where there is none.
    void (*left)(struct wp_viewer *v, struct wp_rect_f r);
    void (*right)(struct wp_viewer *v, struct wp_rect_f r);
    void (*bottom)(struct wp_viewer *v, struct wp_rect_f r);
    void (*status)(struct wp_viewer *v, struct wp_rect_f r);
    // What is drawn on the canvas, over the tiles.
    void (*overlay)(struct wp_viewer *v);
    // The command that makes what is on view. False after an error: there is none.
    bool (*command)(const struct wp_viewer *v, struct wp_text *text);
    // Ctrl+S: the file's suffix is .npy unless a script says another. False after an error.
    bool (*save)(struct wp_viewer *v, const char *path, bool overwrite);
    // For scripts, more than there is of every scene; NULL for nothing.
    struct json_t *(*facts)(const struct wp_viewer *v);
};

extern const struct wp_scene wp_scene_transforms, wp_scene_solver;

#endif
