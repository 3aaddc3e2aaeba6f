// The canvas: panes (panes.c) with tiles, which are rectangles of samples (tiles.c), and drawing
// (canvas.c). Panes share zoom and center, which are in the state.
#ifndef WP_VIEWER_CANVAS_H
#define WP_VIEWER_CANVAS_H

#include "measure.h"
#include "slice_view.h"
#include "ui.h"

struct wp_viewer;

enum { WP_PANES_MAX = 6 };

struct wp_rect_f {
    float x, y, width, height;
};

static inline bool wp_rect_has(const struct wp_rect_f *r, float x, float y)
{
    return x >= r->x && y >= r->y && x < r->x + r->width && y < r->y + r->height;
}

// A pane of the canvas, with tiles. Images have one, or two of the same tiles side by side; volumes
// up to four slices; reconstructions six (solver_view.h).
struct wp_pane {
    struct wp_rect_f r, bar; // on the screen; the bar below the pane, of height 0 if absent
    int first, tiles;        // range of wp_viewer.tile
    struct wp_orientation orientation;
    float extent[2];         // across and down, in view coordinates
    double x, y, zoom;       // center in view coordinates; pixels per unit
    bool b;                  // shows B, of two panes
    bool independent;        // always shows everything, with its own zoom and center
    bool solid;              // tiles are faces of a cube
    int number;              // for volumes: enum wp_slice_pane
    int mode;                // enum wp_view_mode; for reconstructions 0
};

// The plane of a tile: the canvas, or a face of a cube. Point (x, y) is at origin + x * across + y
// * down in view coordinates.
struct wp_face {
    float origin[2], across[2], down[2];
    float shade; // brightness factor
};

// A rectangle of the canvas that shows one band, image or surface.
struct wp_tile {
    float x, y;          // top left corner on its face
    float unit[2];       // width and height of a sample on the face
    struct wp_face face;
    int width, height;   // samples
    int planes;          // 1, or WP_COLOURS, shown as red, green and blue
    struct wp_quads quads[2][WP_COLOURS]; // of A and B; B's textures are NULL without B
    int component;       // 0..3: one of each quad; 4: all four, interleaved
    int stride_log;      // for the mixed-band layout (display.frag), else -1
    bool low_only;       // in that layout: component 0, else the other three
    bool picture;        // unsigned: low..high is shown as black..white
    int level, band;     // level 0: an image
    const char *const *names; // of bands, by enum wp_band
    struct wp_sample_map to_b[2]; // from samples of A to those of B; {0} in both: equal
    float low, high;     // displayed range; signed samples: -high..high
    bool element;        // `component` of each sample, between passes of a redundant bank
    bool per_component;  // each component has its own style:
    struct wp_tile_style {
        bool picture;
        float low, high;
    } style[WP_COMPONENTS];

    // For slices (volume_tiles.c):
    bool single;         // one sample per texel: the first component, or three for color
    struct wp_orientation orientation;
    int at[WP_DIMS_MAX]; // first sample in the array; along the axis the slice
    int origin[WP_DIMS_MAX], shift[WP_DIMS_MAX]; // sample i is at origin + (i << shift)
};

enum { WP_TILES_MAX = 1024 };

// True if A and B are shown.
bool wp_viewer_comparing(const struct wp_viewer *v);

void wp_viewer_make_tiles(struct wp_viewer *v); // for an image

// Where the timeline of a redundant bank is. False in other modes, and for decimated banks.
struct wp_pass_point;
bool wp_viewer_pass_point(struct wp_viewer *v, struct wp_pass_point *point);

// Why a view mode does not apply to the source and the bank of A; NULL if it does.
const char *wp_viewer_lacks_mode(const struct wp_viewer *v, int mode);

// Adds a tile with the range of an image, 0..peak. NULL if it is empty or the tile limit is
// reached.
struct wp_tile *wp_tile_add(struct wp_viewer *v, float x, float y, const float unit[2], int width,
                            int height);
// Set the displayed range of a band, or of an image.
void wp_tile_set_range(const struct wp_viewer *v, struct wp_tile *tile);
void wp_tile_set_picture_range(const struct wp_viewer *v, struct wp_tile *tile, bool wide);

// Names of the components of a tile's quads: subbands, or parities for images and between passes.
const char *const *wp_tile_names(const struct wp_tile *tile);

// The component of a quad that a sample of a tile belongs to.
int wp_tile_component(const struct wp_tile *tile, int x, int y);

// Finds quad and component of a sample of a tile, of A or B. Returns false if it belongs to another
// level.
bool wp_tile_locate(const struct wp_tile *tile, int ab, int x, int y, int quad[2], int *component);

// Reads width x height quads of a plane of A or B, from quad (x, y), with four samples each. Texels
// of slices have the samples of all planes.
void wp_tile_read(const struct wp_tile *tile, int ab, int plane, int x, int y, int width,
                  int height, float *quads);

// Appends the band or component of a sample, `gap`, and its position in the band, image or volume.
void wp_tile_name_sample(const struct wp_tile *tile, int x, int y, const char *gap,
                         struct wp_text *text);

// Appends measurement requests of a tile, of A or of A - B: one per plane, or one per band and
// plane in the mixed-band layout, grouped by plane.
void wp_tile_request(const struct wp_tile *tile, bool difference,
                     struct wp_measure_request *request, int *count);

// True if the bands of A and B do not correspond, because one is a starlet, or the mixed layout.
bool wp_viewer_compares_images(const struct wp_viewer *v);

// True if both A and B are on the canvas.
bool wp_viewer_shows_both(const struct wp_viewer *v);

// Sets positions and views of the panes; for images also creates them.
void wp_panes_lay_out(struct wp_viewer *v, struct wp_rect_f canvas);

// The range of tiles of the active pane, or of all panes.
void wp_panes_active(const struct wp_viewer *v, int *first, int *end);

// The pane under a point, or the nearest one.
int wp_pane_at(const struct wp_viewer *v, float x, float y);

// Screen position of the view's origin, rounded, so that image pixels at zoom 1 are screen pixels.
void wp_pane_origin(const struct wp_pane *pane, double *x, double *y);
void wp_pane_to_screen(const struct wp_pane *pane, double x, double y, float *px, float *py);
void wp_pane_to_view(const struct wp_pane *pane, float px, float py, double *x, double *y);

// The view coordinates of a pane's corners, `inset` pixels inside of it.
void wp_pane_range(const struct wp_pane *pane, float inset, double from[2], double to[2]);

// Converts a point on a tile's face to the screen.
void wp_face_to_screen(const struct wp_pane *pane, const struct wp_face *face, float x, float y,
                       float *px, float *py);

// Zooms about the point (x, y) of the screen.
void wp_panes_zoom(struct wp_viewer *v, double factor, float x, float y);
// Pans the pane where the button was pressed.
void wp_panes_pan(struct wp_viewer *v, float dx, float dy);
void wp_panes_centre(struct wp_viewer *v);

void wp_canvas_draw(struct wp_viewer *v);    // draws the tiles, below the interface
void wp_canvas_overlay(struct wp_viewer *v); // captions, lines, numbers
void wp_canvas_hover(struct wp_viewer *v);   // finds the sample under the pointer

// Captions (captions.c), of wp_canvas_overlay(): A and B with their difference, the line of the
// wipe, and for slices the crosshair, names, patient directions and the active pane.
void wp_canvas_captions(struct wp_viewer *v);
void wp_canvas_wipe(struct wp_viewer *v);
void wp_canvas_slice_marks(const struct wp_viewer *v, const struct wp_pane *pane);

// Text on a dark background.
void wp_canvas_label(float x, float y, enum wp_ui_colour colour, const char *format, ...)
    WP_PRINTF(4, 5);
int wp_lines_of(const char *text); // number of lines

#endif
