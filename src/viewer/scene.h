// What the window is about: transforms of images and volumes (frame.c), a reconstruction
// (solver_scene.c), or an image that is too large to be there as a whole (pyramid_scene.c). Menu,
// popups, panes, tiles and pictures are the same for all.
#ifndef WP_VIEWER_SCENE_H
#define WP_VIEWER_SCENE_H

#include <stdbool.h>

struct json_t;
struct wp_rect_f;
struct wp_text;
struct wp_viewer;

enum wp_scene_kind { WP_SCENE_TRANSFORMS, WP_SCENE_SOLVER, WP_SCENE_PYRAMID };

struct wp_scene {
    enum wp_scene_kind kind;
    // Reads what an error of the command is told by, before there is a window; begins, in its
    // context; ends what is in it; and the rest. NULL for nothing.
    bool (*open)(struct wp_viewer *v);
    bool (*start)(struct wp_viewer *v);
    void (*release)(struct wp_viewer *v);
    void (*close)(struct wp_viewer *v);
    // Of what goes on beside the window, NULL for nothing: looks after files, now and then; whether
    // there is something that a frame should show; whether it has come to rest; gives it up, and
    // false where there was nothing; reads files again.
    void (*watch)(struct wp_viewer *v);
    bool (*has_news)(struct wp_viewer *v);
    bool (*is_steady)(const struct wp_viewer *v);
    bool (*cancel)(struct wp_viewer *v);
    void (*reload)(struct wp_viewer *v);
    // From the state to textures and figures, before the interface.
    void (*update)(struct wp_viewer *v);
    // Panels around the canvas, each in its place (layout.c); NULL where there is none.
    void (*left)(struct wp_viewer *v, struct wp_rect_f r);
    void (*right)(struct wp_viewer *v, struct wp_rect_f r);
    void (*bottom)(struct wp_viewer *v, struct wp_rect_f r);
    void (*status)(struct wp_viewer *v, struct wp_rect_f r);
    // The left button is held, on the canvas: moves what it was pressed on. False: nothing of the
    // scene's own. NULL for that.
    bool (*drag)(struct wp_viewer *v);
    // What is drawn on the canvas, over the tiles.
    void (*overlay)(struct wp_viewer *v);
    // The command that makes what is on view. False after an error: there is none.
    bool (*command)(const struct wp_viewer *v, struct wp_text *text);
    // Ctrl+S: the file's suffix is .npy unless a script says another. False after an error.
    bool (*save)(struct wp_viewer *v, const char *path, bool overwrite);
    // For scripts, more than there is of every scene; NULL for nothing.
    struct json_t *(*facts)(const struct wp_viewer *v);
};

extern const struct wp_scene wp_scene_transforms, wp_scene_solver, wp_scene_pyramid;

#endif
