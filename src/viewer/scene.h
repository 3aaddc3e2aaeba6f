// What the window shows: transforms of images and volumes (frame.c), a reconstruction
// (solver_scene.c), or a pyramid of an image that exceeds memory (pyramid_scene.c). Menu, popups,
// panes, tiles and screenshots are shared.
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
    // Life cycle, each may be NULL: open() reads files before the window exists, so that errors are
    // reported on the command line; start() and release() run in the window's context.
    bool (*open)(struct wp_viewer *v);
    bool (*start)(struct wp_viewer *v);
    void (*release)(struct wp_viewer *v);
    void (*close)(struct wp_viewer *v);
    // Background work, each may be NULL: watch() polls files for changes; has_news() is true if a
    // new frame is needed; is_steady() is true if no work is pending; cancel() stops the work,
    // false if none was running; reload() reads files again.
    void (*watch)(struct wp_viewer *v);
    bool (*has_updates)(struct wp_viewer *v);
    bool (*is_steady)(const struct wp_viewer *v);
    bool (*cancel)(struct wp_viewer *v);
    void (*reload)(struct wp_viewer *v);
    // Updates textures and measurements from the state, before the interface is drawn.
    void (*update)(struct wp_viewer *v);
    // Panels around the canvas (layout.c); NULL: no panel.
    void (*left)(struct wp_viewer *v, struct wp_rect_f r);
    void (*right)(struct wp_viewer *v, struct wp_rect_f r);
    void (*bottom)(struct wp_viewer *v, struct wp_rect_f r);
    void (*status)(struct wp_viewer *v, struct wp_rect_f r);
    // Handles a drag of the left button on the canvas. False: not handled. May be NULL.
    bool (*drag)(struct wp_viewer *v);
    // Draws over the tiles of the canvas.
    void (*overlay)(struct wp_viewer *v);
    // Appends the command that computes what is shown. False after an error.
    bool (*command)(const struct wp_viewer *v, struct wp_text *text);
    // Ctrl+S. The suffix is .npy unless a script passes another one. False after an error.
    bool (*save)(struct wp_viewer *v, const char *path, bool overwrite);
    // Additional facts for scripts; may be NULL.
    struct json_t *(*facts)(const struct wp_viewer *v);
};

extern const struct wp_scene wp_scene_transforms, wp_scene_solver, wp_scene_pyramid;

#endif
