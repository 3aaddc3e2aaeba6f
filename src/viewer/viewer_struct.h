// What the files of the viewer share: its one struct.
#ifndef WP_VIEWER_STRUCT_H
#define WP_VIEWER_STRUCT_H

#include "orientation_view.h"
#include "measure.h"
#include "redraw.h"
#include "queue.h"
#include "scene.h"
#include "screen.h"
#include "instance.h"
#include "channels.h"
#include "volume_tiles.h"
#include "sources.h"
#include "tiles.h"
#include "ui.h"
#include "view_state.h"
#include "viewer.h"
#include "wavelet_list.h"

enum { WP_PANES_MAX = 6 };

struct wp_rect_f {
    float x, y, width, height;
};

// A part of the canvas that shows tiles. An image has one, or two of the same tiles beside each
// other; a volume has up to four, each of which is a slice along an axis; a reconstruction has six
// (solver_view.h).
struct wp_pane {
    struct wp_rect_f r, bar; // on the screen; what lies below it, of no height where nothing does
    int first, tiles;        // of the viewer's
    struct wp_slice_orientation orientation;
    float extent[2];         // across and down, in view coordinates
    double x, y, zoom;       // in the middle, and pixels for one unit
    bool b;                  // of two, the one that shows B
    bool alone;              // always all of it: zoom and centre are its own
    bool solid;              // its tiles lie on the faces of a cube
    int number;              // of a volume: enum wp_slice_pane
    int mode;                // of a slice: enum wp_view_mode
};

// What was computed for the state.
struct wp_view_results {
    struct wp_measure band[WP_MAX_LEVELS + 1][WP_OCTET_BANDS]; // of A as edited
    struct wp_measure original;
    unsigned of_original;       // version of the samples that it is of
    struct wp_measure image;    // of A's coefficients, while they are an impulse
    struct wp_measure loss;     // image of A - original
    bool has_loss;              // and `kept`: they could be measured
    struct wp_measure shown;    // A - B of what the canvas shows
    bool has_shown;
    double kept;                // share of coefficients of A that are not zero
    struct wp_histogram histogram[WP_COLOURS];
    int histogram_step;         // it is of every such row
    struct wp_measure selected; // what the histogram is of, of all planes
    struct wp_measure selected_plane[WP_COLOURS];
    int planes;                 // of them
    bool has_histogram;
    int of_level, of_band, of_mode; // what it is of
    int of_step;                // of the timeline: 2 op, and 1 for before it
    bool of_image;
    // What `shown` is of: the mode, how many tiles, level and band of the first.
    int of_shown, of_tiles[3];
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

// What is typed goes into it.
static inline bool wp_popup_has_field(enum wp_popup popup)
{
    return popup != WP_POPUP_NONE && popup != WP_POPUP_HELP;
}

struct wp_viewer {
    const struct wp_viewer_params *params;
    const struct wp_scene *scene;   // what all this is about
    struct wp_solver_view *solver;  // a reconstruction, or NULL
    struct wp_pyramid_canvas *pyramid; // an image in tiles, or NULL
    struct wp_gl *gl;
    struct wp_screen screen;
    struct wp_texture maps;         // colour maps (colours.c)
    bool windowed;
    bool strict;                    // errors are errors, not notices: before the first frame
    struct wp_view_state state, drawn; // drawn: as of the latest frame
    struct wp_view_file *file;
    int file_count;

    struct wp_devices devices;
    struct wp_y4m *video;           // the frames of a file, as far as they were read
    int video_file;
    struct wp_view_source first;    // A's, read before there is a window; then without samples
    struct wp_view_source source[2];
    struct wp_instance instance[2];         // of the first plane
    struct wp_instance more[2][WP_COLOURS - 1]; // of the others, where there are (channels.h)
    struct wp_instance_params tried[2]; // what failed is not tried again
    unsigned tried_version[2];
    bool ready[2];
    bool lost[2];                   // the device is to fail (script.h)
    unsigned versions;              // counts what was computed
    unsigned computed[2];           // version of each side's coefficients
    unsigned edited[2], inverted[2], measured;
    bool changed;                   // since it was measured, by more than running again
    struct wp_view_edit edit;
    struct wp_meter meter;
    struct wp_view_results results;
    char compare_note[256];         // why B is what it is, or cannot be compared

    // Timeline: what the surfaces hold, and times of each operation.
    struct { unsigned version; int op, direction; bool valid; } stepped;
    double op_seconds[WP_TIMELINE_MAX];
    float plot[2][WP_PLOT];         // seconds while live, a ring
    int plot_at;

    // The canvas of the latest frame.
    struct wp_rect_f canvas;
    struct wp_pane pane[WP_PANES_MAX];
    int panes;
    bool volume;                    // slices are shown
    struct wp_slices slices;
    struct wp_tile tile[WP_TILES_MAX];
    int tiles;
    bool covered;                   // by a panel
    bool folded[2];                 // the left and the right panel are, whoever has wished it
    float view_width, view_height;  // extent in view coordinates
    bool has_hover;
    float hover_x, hover_y;         // pixels
    int hover_pane;                 // the one under the pointer, or nearest to it
    int hover_tile, hover_px, hover_py; // sample of a tile; tile -1: none
    bool pinned;
    float hover_value[2][WP_COLOURS][WP_COMPONENTS];
    bool hover_has[2][WP_COMPONENTS]; // there is such a value

    // Interface.
    enum wp_popup popup;
    bool popup_opened;              // in this frame
    char typed[512];
    int choice;                     // line of the palette, or of the wavelets
    struct wp_wavelet_list list;
    struct wp_text notice;
    enum wp_log_level notice_level;
    double notice_until;
    struct wp_text captured;        // errors on their way into the notice
    struct wp_text shader_error;    // of the files as they are now
    struct wp_text clipboard;
    void (*set_clipboard)(struct wp_viewer *viewer, const char *text); // the window's
    const char *(*get_clipboard)(struct wp_viewer *viewer);
    void (*set_full_screen)(struct wp_viewer *viewer, bool full);
    bool full_screen;
    bool shift_down, ctrl_down, left_down, right_down, middle_down, wipe_grabbed, moved, press_on_canvas;
    bool held;                      // the left button, wherever it was pressed
    float press_x, press_y, mouse_x, mouse_y;
    double press_time;
    float wheel;                    // of a slice, not yet gone
    double now, dt;                 // seconds of the viewer's clock
    double next_play, next_watch, next_measure;
    bool awaits;                    // something comes from beside the window soon
    bool unseen;                    // nothing looks at the pixels of this frame
    char screenshot[4096];          // to be written after this frame; "" for none
    bool screenshot_whole;
    struct wp_queue queue;
    struct wp_redraw pace;
    bool quit, dirty;
    long frames_drawn;
};

#endif
