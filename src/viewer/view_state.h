// What the viewer shows and how: everything that a user can set, in one flat struct, and one
// table of its fields that state files, scripts and the palette share.
#ifndef WP_VIEW_STATE_H
#define WP_VIEW_STATE_H

#include "bands.h"
#include "text.h"
#include "ui.h"

#include <stdbool.h>
#include <stddef.h>

enum wp_view_mode {
    WP_VIEW_MOSAIC,
    WP_VIEW_TREE,
    WP_VIEW_BAND,
    WP_VIEW_MIXED,
    WP_VIEW_ORIGINAL,
    WP_VIEW_RECONSTRUCTION,
    WP_VIEW_PASS, // a surface of the transform, as the timeline stands
    WP_VIEW_MODES
};

// As display.frag numbers them.
enum wp_view_scale { WP_SCALE_SIGNED, WP_SCALE_ABSOLUTE, WP_SCALE_LOG, WP_SCALES };
enum wp_view_map { WP_MAP_DIVERGING, WP_MAP_VIRIDIS, WP_MAP_CIVIDIS, WP_MAP_GRAY, WP_MAPS };

// What is as bright as can be: each band's own spread, the largest of all bands', or 1.
enum wp_view_range { WP_RANGE_BAND, WP_RANGE_ALL, WP_RANGE_FIXED, WP_RANGES };

enum wp_compare {
    WP_COMPARE_OFF,
    WP_COMPARE_WIPE,
    WP_COMPARE_SIDE,
    WP_COMPARE_FLIP,
    WP_COMPARE_DIFFERENCE,
    WP_COMPARE_CHECKER,
    WP_COMPARES
};

// Of the difference A - B, as display.frag numbers them.
enum wp_view_metric { WP_VIEW_E, WP_VIEW_AE, WP_VIEW_SE, WP_VIEW_RAE, WP_VIEW_RSE,
                      WP_VIEW_METRICS };

// The quads between two passes: as they lie in the image, their four components apart, or both.
enum wp_quads_view { WP_QUADS_BOTH, WP_QUADS_INTERLEAVED, WP_QUADS_PLANES, WP_QUADS_VIEWS };

enum wp_threshold { WP_THRESHOLD_NONE, WP_THRESHOLD_HARD, WP_THRESHOLD_SOFT, WP_THRESHOLDS };

// The parts of the canvas that a volume has: slices along each axis, and a fourth.
enum wp_slice_pane { WP_PANE_Z, WP_PANE_FOURTH, WP_PANE_Y, WP_PANE_X, WP_SLICE_PANES };

// What the fourth shows: the bands of a level in slices along the axis of the active pane, the
// largest values along an axis, or the bands as a cube.
enum wp_fourth { WP_FOURTH_BANDS, WP_FOURTH_MIP, WP_FOURTH_CUBE, WP_FOURTHS };

extern const char *const wp_slice_pane_names[WP_SLICE_PANES]; // "z", "fourth", "y", "x"
extern const char *const wp_fourth_names[WP_FOURTHS];
extern const char *const wp_axis_words[WP_DIMS_MAX];          // "x", "y", "z"
extern const char *const wp_view_mode_names[WP_VIEW_MODES];
extern const char *const wp_view_scale_names[WP_SCALES];
extern const char *const wp_view_map_names[WP_MAPS];
extern const char *const wp_view_range_names[WP_RANGES];
extern const char *const wp_compare_names[WP_COMPARES];
extern const char *const wp_view_metric_names[WP_VIEW_METRICS]; // "E", "AE", …
extern const char *const wp_quads_view_names[WP_QUADS_VIEWS];
extern const char *const wp_threshold_names[WP_THRESHOLDS];

enum { WP_VIEW_WAVELET_SIZE = 512 };

// One of the two transforms that can be compared.
struct wp_instance_view {
    char wavelet[WP_VIEW_WAVELET_SIZE]; // as wp_wavelet_find() takes it
    int scheme;                         // of wp_scheme_kinds; those of volumes are not of images
    bool plain;
    char backend[16];
    char variant[32];                   // of the backend; "": its own choice
    int precision;                      // enum wp_precision
    bool reversible;                    // steps round, of images
    int file;                           // of the list of files
};

// Of a reconstruction, whose wavelet and levels are A's.
struct wp_view_solver {
    double tv, wav, mu, lambda, gamma; // gamma 0: 100 times wav
    bool keep;                         // new weights go on from the image that is there
};

struct wp_view_state {
    struct wp_instance_view a, b;
    struct wp_view_solver solver;
    int levels, border, norm, direction;
    int channel;           // enum wp_channel: rgb, the default, is all that gray images have
    int levels_z, gop; // of a volume; levels_z -1: as `levels`, or what fits; gop 0: all slices

    int mode, level, band; // level and band: the selected one
    double x, y, zoom;     // view coordinates in the middle; pixels for one unit
    double z;              // of a volume
    bool fit;              // the view follows the window; x, y, zoom don't count

    int scale, map, range;
    double gain, offset;
    bool grid, values;

    int cross[WP_DIMS_MAX]; // of a volume: the sample that all slices go through; -1: the middle
    int pane;               // the active one: enum wp_slice_pane
    bool single;            // it has the canvas for itself
    bool crosshair, radiological;
    int fourth, mip;        // mip: the axis
    bool behind;            // the cube is seen from its far corner
    int slab;               // slices about the crosshair that the largest values are of; 0: all
    double rate;            // slices a second while they play
    int shows[WP_DIMS_MAX]; // what the slices along an axis show: 0 as `mode`, or 1 + a mode

    int compare;
    int metric;   // of the difference
    double split; // of the wipe: 0..1 of the canvas
    bool live;    // both transforms run in every frame
    bool flipped; // B is shown

    char zeroed[512];   // bands that are left out: "HL1 HH2"
    int kept;           // bands kept, the coarsest first; -1: all
    int threshold;
    double limit;
    bool impulse;       // one coefficient of 1 in the selected band, else zeros
    int impulse_x, impulse_y, impulse_z;

    int op;             // timeline: operations done, 0 is the loaded input
    bool before;        // what the last of them read
    int quads;          // enum wp_quads_view
    bool playing;

    bool panels, times; // times: measured ones are shown
    int inspector;      // the tab
    double left, right; // width of the panels, in lines of text
    bool fold_left, fold_right;
    bool large;         // the right one has the canvas's place
    int theme;
    double ui_scale;
};

// Widths of panels, in lines of text: as they are at first, and their limits.
#define WP_LEFT_WIDTH 18.0
#define WP_RIGHT_WIDTH 21.5
#define WP_NARROWEST 8.0
#define WP_WIDEST 200.0

enum wp_inspector { WP_INSPECT_PIXEL, WP_INSPECT_PASS, WP_INSPECT_MATRIX, WP_INSPECT_SHADER,
                    WP_INSPECT_DIAGRAM, WP_INSPECTORS };
extern const char *const wp_inspector_names[WP_INSPECTORS];

// The operations that are done in what the timeline shows.
static inline int wp_pass_shown(const struct wp_view_state *state)
{
    return state->before && state->op > 0 ? state->op - 1 : state->op;
}

void wp_view_state_reset(struct wp_view_state *state);

// A field by name ("gain", "a.wavelet"), as text. False after WP_ERROR_USAGE.
bool wp_view_state_set(struct wp_view_state *state, const char *name, const char *value);
bool wp_view_state_get(const struct wp_view_state *state, const char *name,
                       struct wp_text *value);

// Name and help of field `number`, for lists; NULL behind the last.
const char *wp_view_field_name(int number);
const char *wp_view_field_help(int number);

// A JSON object with all fields; it takes any part of it, also from a screenshot, which has it as
// a note under wp_view_state_key. False after WP_ERROR_FILE or WP_ERROR_USAGE, with the state as
// it was.
bool wp_view_state_read(const char *path, struct wp_view_state *state);
bool wp_view_state_write(const char *path, const struct wp_view_state *state);
extern const char wp_view_state_key[];
char *wp_view_state_note(const struct wp_view_state *state); // the caller frees it

// "HL1" in a list such as `zeroed`, where bands have these names.
bool wp_view_is_zeroed(const struct wp_view_state *state, const char *const *names, int level,
                       enum wp_band band);
void wp_view_set_zeroed(struct wp_view_state *state, const char *const *names, int level,
                        enum wp_band band, bool zeroed);

#endif
