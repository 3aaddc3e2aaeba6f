// The state of the viewer, shared by its files.
#ifndef WP_VIEWER_STRUCT_H
#define WP_VIEWER_STRUCT_H

#include "canvas.h"
#include "input.h"
#include "instance.h"
#include "screen.h"
#include "signal_view.h"
#include "slice_view.h"
#include "sources.h"
#include "ui.h"
#include "view_state.h"
#include "viewer.h"
#include "wavelet_list.h"

// Measurements of the current state.
struct wp_view_results {
    struct wp_measure band[WP_MAX_LEVELS + 1][WP_OCTET_BANDS]; // of A after edits
    struct wp_measure original;
    unsigned of_original;       // version of the samples of `original`
    struct wp_measure image;    // inverse of A's coefficients if they are an impulse
    struct wp_measure loss;     // image of A - original
    bool has_loss;              // loss and nonzero_share are valid
    struct wp_measure shown;    // A - B of the tiles on the canvas
    bool has_shown;
    double nonzero_share;       // of A's coefficients
    struct wp_histogram histogram[WP_COLOURS];
    int histogram_step;         // only every such row is counted
    struct wp_measure selected; // of the histogram's samples, all planes
    struct wp_measure selected_plane[WP_COLOURS];
    int planes;                 // number of planes in `histogram`
    bool has_histogram;
    int of_histogram[4];        // level, band, mode and 2 * op, + 1 for the input of the operation
    bool of_image;
    // Source of `shown`: the mode; number of tiles, level and band of the first tile; versions.
    int of_shown[4];
    unsigned of_versions[2], of_slices;
};

enum { WP_TIMELINE_MAX = 600, WP_PLOT = 120 };

enum wp_popup {
    WP_POPUP_NONE,
    WP_POPUP_HELP,
    WP_POPUP_PALETTE,
    WP_POPUP_PROMPT,
    WP_POPUP_WAVELETS,
    WP_POPUP_GO_TO,
};

// True if the popup has a text field.
static inline bool wp_popup_has_field(enum wp_popup popup)
{
    return popup != WP_POPUP_NONE && popup != WP_POPUP_HELP;
}

struct wp_viewer {
    const struct wp_viewer_params *params;
    const struct wp_scene *scene;   // transforms, solver or pyramid
    struct wp_solver_view *solver;  // of a reconstruction, or NULL
    struct wp_pyramid_canvas *pyramid; // of a pyramid, or NULL
    struct wp_gl *gl;
    struct wp_screen screen;
    struct wp_texture maps;         // color maps (view_shaders.h)
    bool windowed;
    bool strict;                    // before the first frame: errors are not caught as notices
    struct wp_view_state state, drawn; // drawn: of the latest frame
    struct wp_view_file *file;
    int file_count;

    struct wp_devices devices;
    struct wp_y4m *video;           // frames of `video_file` read so far
    int video_file;
    struct wp_view_source first;    // A's, read before the window opens; then empty
    struct wp_view_source source[2];
    struct wp_instance instance[2][WP_COLOURS]; // by plane (sources.h)
    struct wp_instance_params tried[2];         // parameters that failed, not tried again
    unsigned tried_version[2];
    bool ready[2];
    bool lost[2];                   // simulate the loss of the device (script.h)
    unsigned versions;              // counter for the versions below
    unsigned computed[2];           // version of the coefficients
    unsigned edited[2], inverted[2], measured;
    bool dragged;                   // edits changed while the left button is held
    bool quick[2];                  // the image is by wp_instance_inverse_quick()
    bool changed;                   // parameters or edits changed since the last measurement
    struct wp_view_edit edit[2];
    struct {                        // the edited tree of packets, its levels, and axes of its nodes
        char text[WP_NODE_TREE];
        int levels;
        unsigned axes;
    } tree;
    bool denoises;                  // thresholds are to be found (edits.h)
    double noise;                   // standard deviation that was used for that; 0: none
    struct wp_meter meter;
    struct wp_view_results results;
    char compare_note[256];         // why B uses its backend, or cannot be compared

    // Timeline: contents of the surfaces, and times of the operations.
    struct { unsigned version; int op, direction; bool valid; } stepped;
    double op_seconds[WP_TIMELINE_MAX];
    float plot[2][WP_PLOT];         // ring buffer of seconds in live mode
    int plot_at;

    // The canvas of the latest frame.
    struct wp_rect_f canvas;
    struct wp_pane pane[WP_PANES_MAX];
    int panes;
    bool volume;                    // slices of a volume are shown
    struct wp_slices slices;
    struct wp_signal signal;        // a row of the image, below the canvas
    struct wp_tile tile[WP_TILES_MAX];
    int tiles;
    bool covered;                   // hidden by a panel
    struct wp_texture computed_canvas; // wp_view_computes(): pixels of reduced images
    bool folded[2];                 // left and right panel: folded by the user or for lack of space
    float view_width, view_height;  // extent in view coordinates
    bool has_hover;                 // mouse_x and mouse_y are known
    int hover_pane;                 // under the pointer, or nearest to it
    int hover_tile, hover_px, hover_py; // sample of a tile; tile -1: none
    bool pinned;
    float hover_value[2][WP_COLOURS][WP_COMPONENTS];
    bool hover_has[2][WP_COMPONENTS]; // hover_value is valid

    // Interface.
    enum wp_popup popup;
    bool popup_opened;              // in this frame
    char typed[512];
    int choice;                     // selected line of the palette or wavelet list
    struct wp_wavelet_list list;
    struct wp_text notice;
    enum wp_log_level notice_level;
    double notice_until;
    struct wp_text captured;        // errors not yet shown as a notice
    struct wp_text shader_error;    // of the current shader files
    struct wp_text clipboard;
    void (*set_clipboard)(struct wp_viewer *viewer, const char *text); // callbacks of the window
    const char *(*get_clipboard)(struct wp_viewer *viewer);
    void (*set_full_screen)(struct wp_viewer *viewer, bool full);
    bool full_screen;
    bool shift_down, ctrl_down, left_down, right_down, middle_down;
    bool wipe_grabbed, moved, press_on_canvas;
    bool left_held;                 // left button, also if pressed outside the canvas
    float press_x, press_y, mouse_x, mouse_y;
    double press_time;
    float wheel;                    // fraction of a slice not yet scrolled
    double now, dt;                 // seconds on the viewer's clock
    double next_play, next_watch, next_measure;
    bool expects_result;            // a worker thread will deliver a result soon
    bool hidden;                    // this frame is laid out but not displayed
    char screenshot[4096];          // path, written after this frame; "": no screenshot
    bool screenshot_window;
    struct wp_queue queue;
    struct wp_redraw redraw;
    bool quit, dirty;
    long frames_drawn;
};

struct json_t;

// What the window shows: transforms of images and volumes (frame.c), a reconstruction
// (solver_scene.c), or a pyramid of an image that exceeds memory (pyramid_scene.c). Menu, popups,
// panes, tiles and screenshots are shared.
enum wp_scene_kind { WP_SCENE_TRANSFORMS, WP_SCENE_SOLVER, WP_SCENE_PYRAMID };

struct wp_scene {
    enum wp_scene_kind kind;
    // Life cycle, each may be NULL: open() reads files before the window exists, so that errors are
    // reported on the command line; start() and release() run in the window's context.
    bool (*open)(struct wp_viewer *v);
    bool (*start)(struct wp_viewer *v);
    void (*release)(struct wp_viewer *v);
    void (*close)(struct wp_viewer *v);
    // Background work, each may be NULL: watch() polls files for changes; has_updates() is true if
    // a new frame is needed; is_steady() is true if no work is pending; cancel() stops the work,
    // false if none was running; reload() reads files again.
    void (*watch)(struct wp_viewer *v);
    bool (*has_updates)(struct wp_viewer *v);
    bool (*is_steady)(const struct wp_viewer *v);
    bool (*cancel)(struct wp_viewer *v);
    void (*reload)(struct wp_viewer *v);
    // Updates textures and measurements from the state, before the interface is drawn.
    void (*update)(struct wp_viewer *v);
    // Panels around the canvas (frame.c); NULL: no panel.
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

// Shows a notice in the window: an error, or the result of an action.
void wp_viewer_notice(struct wp_viewer *v, enum wp_log_level level, const char *format, ...)
    WP_PRINTF(3, 4);

// Copies text to the clipboard, also to the window's if there is a window.
void wp_viewer_copy(struct wp_viewer *v, const char *text);

// Errors between these calls are shown as a notice.
void wp_viewer_catch(struct wp_viewer *v);
void wp_viewer_caught(struct wp_viewer *v);

// Updates sources, instances and results.
void wp_viewer_update(struct wp_viewer *v);
void wp_viewer_release(struct wp_viewer *v); // destroys everything created by updates

// Draws one frame, interface and canvas, to v->screen.
void wp_viewer_frame(struct wp_viewer *v);

#endif
