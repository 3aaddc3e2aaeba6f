// What the files of the viewer share: its one struct, and who does what.
#ifndef WP_VIEWER_STRUCT_H
#define WP_VIEWER_STRUCT_H

#include "image.h"
#include "measure.h"
#include "screen.h"
#include "side.h"
#include "ui.h"
#include "view_state.h"
#include "viewer.h"
#include "y4m.h"

#include <time.h>

enum wp_view_ab { WP_A, WP_B };

struct wp_view_file {
    char *path;
    time_t seconds; // when the file was last changed, as it was read
    long nanoseconds;
};

// One plane of an image, on the host and on the GPU.
struct wp_view_source {
    int file, channel; // file -1: none
    bool stale;        // to be read again
    int failed;        // 1 + the file that could not be read, where none is there
    int width, height;
    float *samples;
    struct wp_texture quads;
    int colours;       // planes without alpha of the image
    int source_bits;   // of the image
    struct wp_plane plane;
};

// A rectangle of the canvas that shows one band, image or surface.
struct wp_tile {
    float x, y, unit;    // left, top, and side of a sample, in the view's coordinates
    int width, height;   // samples
    struct wp_quads quads[2]; // of A and B; b.texture is NULL where there is no B
    int component;       // 0..3: of each quad; 4: all four, where they lie in the image
    int stride_log;      // -1, or of the mixed-band layout (display.frag)
    bool low_only;       // there: component 0, else the other three
    bool picture;        // not signed
    int level, band;     // level 0: an image
    float low, high;     // what is black and white, or as far from zero as can be shown
};

enum { WP_TILES_MAX = 4 * WP_MAX_LEVELS };

struct wp_rect_f {
    float x, y, width, height;
};

// What was computed for the state.
struct wp_view_results {
    struct wp_measure band[WP_MAX_LEVELS + 1][WP_BAND_COUNT]; // of A as edited
    struct wp_measure original;
    struct wp_measure loss;     // image of A - original
    bool has_loss;              // and `kept`: they could be measured
    struct wp_measure shown;    // A - B of what the canvas shows
    bool has_shown;
    double kept;                // share of coefficients of A that are not zero
    struct wp_histogram histogram;
    int histogram_step;         // it is of every such row
    struct wp_measure selected; // what the histogram is of
    bool has_histogram;
    int of_level, of_band, of_mode; // what it is of
    // What `shown` is of: the mode, how many tiles, level and band of the first.
    int of_shown, of_tiles, of_tile[2];
    unsigned of_versions[2];
};

enum { WP_TIMELINE_MAX = 600, WP_PLOT = 120 };

enum wp_popup { WP_POPUP_NONE, WP_POPUP_HELP, WP_POPUP_PALETTE, WP_POPUP_PROMPT };

struct wp_viewer {
    const struct wp_viewer_params *params;
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
    struct wp_side side[2];
    struct wp_side_params tried[2]; // what failed is not tried again
    unsigned tried_version[2];
    bool ready[2];
    bool lost[2];                   // the device is to fail (script.h)
    unsigned versions;              // counts what was computed
    unsigned computed[2];           // version of each side's coefficients
    unsigned edited[2], inverted[2], measured;
    bool changed;                   // since it was measured, by more than running again
    struct wp_edit edit;
    struct wp_meter meter;
    struct wp_view_results results;
    char compare_note[256];         // why B is what it is, or cannot be compared

    // Timeline: what the surfaces hold, and times of each operation.
    struct { unsigned version; int op, direction; bool valid; } stepped;
    double op_seconds[WP_TIMELINE_MAX];
    float plot[2][WP_PLOT];         // seconds while live, a ring
    int plot_at;

    // The canvas of the latest frame.
    struct wp_rect_f canvas, pane[2];
    int panes;
    struct wp_tile tile[WP_TILES_MAX];
    int tiles;
    float view_width, view_height;  // extent in view coordinates
    bool has_hover;
    float hover_x, hover_y;         // pixels
    int hover_tile, hover_px, hover_py; // sample of a tile; tile -1: none
    bool pinned;
    float hover_value[2][WP_COMPONENTS];
    bool hover_has[2][WP_COMPONENTS]; // there is such a value

    // Interface.
    enum wp_popup popup;
    bool popup_opened;              // in this frame
    char typed[512];
    int choice;                     // line of the palette
    struct wp_text notice;
    enum wp_log_level notice_level;
    double notice_until;
    struct wp_text captured;        // errors on their way into the notice
    struct wp_text shader_error;    // of the files as they are now
    struct wp_text clipboard;
    void (*set_clipboard)(struct wp_viewer *viewer, const char *text);
    void (*set_full_screen)(struct wp_viewer *viewer, bool full);
    bool full_screen;
    bool shift_down, ctrl_down, left_down, right_down, wipe_grabbed, moved, press_on_canvas;
    float press_x, press_y, mouse_x, mouse_y;
    double press_time;
    double now, dt;                 // seconds of the viewer's clock
    double next_play, next_watch, next_measure;
    char screenshot[4096];          // to be written after this frame; "" for none
    bool screenshot_whole;
    bool quit, dirty;
    long frames_drawn;
};

// compute.c: brings sources, sides and results up to date with the state.
void wp_viewer_compute(struct wp_viewer *v);
// Reads A's file before there is a context. False after an error.
bool wp_viewer_read_first(struct wp_viewer *v);
void wp_viewer_release(struct wp_viewer *v);   // all of compute.c's textures
bool wp_viewer_comparing(const struct wp_viewer *v);
void wp_viewer_reload(struct wp_viewer *v);    // images are read again
// The next file, or the next frame of one that has frames (step 1). False where there is none.
bool wp_viewer_next(struct wp_viewer *v, int step);

// tiles.c: what the canvas shows.
void wp_viewer_make_tiles(struct wp_viewer *v);
// Adds the measurements of a tile, of A or of A - B: one, or in the mixed-band layout one a
// band.
void wp_tile_request(const struct wp_tile *tile, bool difference,
                     struct wp_measure_request *request, int *count);

// colours.c: 256 colours a row, a row for each enum wp_view_map.
bool wp_colours_create(struct wp_gl *gl, struct wp_texture *maps);

// canvas.c
void wp_canvas_layout(struct wp_viewer *v, struct wp_rect_f canvas);
void wp_canvas_draw(struct wp_viewer *v);          // the GPU's part, below the interface
void wp_canvas_overlay(struct wp_viewer *v);       // captions, lines, numbers
void wp_canvas_hover(struct wp_viewer *v);         // what lies under the pointer
void wp_canvas_zoom(struct wp_viewer *v, double factor, float x, float y);
void wp_canvas_pan(struct wp_viewer *v, float dx, float dy);
void wp_canvas_to_screen(const struct wp_viewer *v, int pane, double x, double y, float *px,
                         float *py);

// frame.c: one frame of the interface and the canvas on v->screen.
void wp_viewer_frame(struct wp_viewer *v);
void wp_viewer_notice(struct wp_viewer *v, enum wp_log_level level, const char *format, ...)
    WP_PRINTF(3, 4);
// Between these, errors become a notice in the window.
void wp_viewer_catch(struct wp_viewer *v);
void wp_viewer_caught(struct wp_viewer *v);

// panels.c, inspector.c, timeline.c, popups.c
void wp_panel_menu(struct wp_viewer *v, float *height);
void wp_panel_controls(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_inspector(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_timeline(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_status(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_popups(struct wp_viewer *v);

// viewer.c: images and shaders that have changed on disk are read again.
void wp_viewer_watch(struct wp_viewer *v);

// input.c: what windows and scripts send.
void wp_viewer_mouse_move(struct wp_viewer *v, float x, float y);
void wp_viewer_mouse_button(struct wp_viewer *v, int button, bool down);
void wp_viewer_wheel(struct wp_viewer *v, float notches);
void wp_viewer_key_event(struct wp_viewer *v, int key, bool down);
void wp_viewer_character(struct wp_viewer *v, unsigned character);
void wp_viewer_drop(struct wp_viewer *v, const char *path);
bool wp_viewer_resize(struct wp_viewer *v, int width, int height);
// Adds a file to the list, unless it is there; its number.
int wp_viewer_add_file(struct wp_viewer *v, const char *path);
// Takes a file out of the list, which neither side shows; B goes on with A's. The others get other
// numbers.
void wp_viewer_remove_file(struct wp_viewer *v, int file);

// command.c
bool wp_viewer_edited(const struct wp_viewer *v); // coefficients were changed by hand
// The command that makes the coefficients on view. False after an error: there is none.
bool wp_viewer_command(const struct wp_viewer *v, struct wp_text *text);
bool wp_viewer_save_coefficients(struct wp_viewer *v, const char *path, bool overwrite);
bool wp_viewer_save_screenshot(struct wp_viewer *v, const char *path, bool whole,
                               bool overwrite);
bool wp_viewer_write_facts(struct wp_viewer *v, const char *path);

// window.c, or a stub that says why there is none. open() makes v->gl; loop() runs until the
// window is closed, and calls step() where there is something to draw; close() comes last.
bool wp_window_open(struct wp_viewer *v, int width, int height);
bool wp_window_loop(struct wp_viewer *v, bool (*step)(struct wp_viewer *v));
void wp_window_close(struct wp_viewer *v);

extern const unsigned char wp_font_data[], wp_font_mono[];
extern const unsigned long wp_font_data_size, wp_font_mono_size;

#endif
