// The settings of the viewer: one flat struct, and one table of its members for state files,
// scripts and the command palette.
#ifndef WP_VIEW_STATE_H
#define WP_VIEW_STATE_H

#include "bands.h"
#include "description.h"
#include "packet_tree.h"
#include "reconstruction.h"
#include "text.h"
#include "ui.h"

#include <stdbool.h>
#include <stddef.h>

struct json_t;

enum wp_view_mode {
    WP_VIEW_MOSAIC,
    WP_VIEW_TREE,
    WP_VIEW_BAND,
    WP_VIEW_MIXED,
    WP_VIEW_ORIGINAL,
    WP_VIEW_RECONSTRUCTION,
    WP_VIEW_PASS, // the surface that the timeline has selected
    WP_VIEW_MODES
};

// Values are those of display.frag.
enum wp_view_scale { WP_SCALE_SIGNED, WP_SCALE_ABSOLUTE, WP_SCALE_LOG, WP_SCALES };
enum wp_view_map { WP_MAP_DIVERGING, WP_MAP_VIRIDIS, WP_MAP_CIVIDIS, WP_MAP_GRAY, WP_MAPS };

// The value of full brightness: the range of each band, the largest range of all bands, or 1.
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

// Metrics of the difference A - B; values are those of display.frag.
enum wp_view_metric { WP_VIEW_E, WP_VIEW_AE, WP_VIEW_SE, WP_VIEW_RAE, WP_VIEW_RSE,
                      WP_VIEW_METRICS };

// Views of the quads between two passes: interleaved as in the image, as four planes, or both.
enum wp_quads_view { WP_QUADS_BOTH, WP_QUADS_INTERLEAVED, WP_QUADS_PLANES, WP_QUADS_VIEWS };

// Values are those of edit.frag.
enum wp_threshold { WP_THRESHOLD_NONE, WP_THRESHOLD_HARD, WP_THRESHOLD_SOFT, WP_THRESHOLD_GARROTE,
                    WP_THRESHOLDS };

// Panes of the canvas for a volume: slices along each axis, and a fourth one.
enum wp_slice_pane { WP_PANE_Z, WP_PANE_FOURTH, WP_PANE_Y, WP_PANE_X, WP_SLICE_PANES };

// Contents of the fourth pane: the bands of a level in slices along the axis of the active pane, a
// maximum intensity projection, or the bands as a cube.
enum wp_fourth { WP_FOURTH_BANDS, WP_FOURTH_MIP, WP_FOURTH_CUBE, WP_FOURTHS };

extern const char *const wp_slice_pane_names[WP_SLICE_PANES]; // "z", "fourth", "y", "x"
extern const char *const wp_fourth_names[WP_FOURTHS];
extern const char *const wp_axis_words[WP_DIMS_MAX];          // "x", "y", "z"
extern const char *const *const wp_view_mode_names;
extern const char *const wp_view_scale_names[WP_SCALES];
extern const char *const wp_view_map_names[WP_MAPS];
extern const char *const wp_view_range_names[WP_RANGES];
extern const char *const wp_compare_names[WP_COMPARES];
extern const char *const wp_view_metric_names[WP_VIEW_METRICS]; // "E", "AE", …
extern const char *const wp_quads_view_names[WP_QUADS_VIEWS];
extern const char *const wp_threshold_names[WP_THRESHOLDS];

enum { WP_VIEW_WAVELET_SIZE = 512 };

// Trees of wavelet packets: all nodes are split, the best basis, the tree of the decimated bank, or
// one that was edited.
enum wp_basis { WP_BASIS_FULL, WP_BASIS_BEST, WP_BASIS_WAVELET, WP_BASIS_EDITED, WP_BASES };
extern const char *const wp_basis_names[WP_BASES];

struct wp_basis_view {
    int basis;
    bool measured;           // the cost of each node is known, not only for the best basis
    char cost[32];           // as --cost
    char tree[WP_NODE_TREE]; // edited, of `levels` levels
};

// Settings of one of the two transforms that can be compared.
struct wp_instance_view {
    char wavelet[WP_VIEW_WAVELET_SIZE]; // name or path for wp_wavelet_find()
    int scheme;                         // index into wp_scheme_kinds
    bool plain;
    char backend[16];
    char variant[32];                   // of the backend; "": its default
    int precision;                      // enum wp_precision
    bool reversible;                    // integer lifting; only for images
    int bank;                           // enum wp_bank; redundant ones only for images
    int file;                           // index into the list of files
};

struct wp_view_state {
    union {
        struct { struct wp_instance_view a, b; };
        struct wp_instance_view view[2]; // by enum wp_view_ab
    };
    // Settings of a reconstruction. It uses the wavelet and levels of A.
    struct wp_weights weights;
    bool keep; // new weights continue from the current image
    int levels, border, norm, direction;
    bool adjoint;
    int channel;       // enum wp_channel; gray images only have the default, rgb
    int levels_z, gop; // of volumes; levels_z -1: `levels`, or as many as fit; gop 0: all slices

    int mode, level, band; // level and band of the selected subband
    struct wp_basis_view packets;
    char node[WP_NODE_NAME];  // the selected node of packets; "": the image
    // By number of a node: factors, and thresholds (negative: `limit`), of its leaves.
    double node_gains[WP_NODES_MAX], node_limits[WP_NODES_MAX];
    double x, y, zoom;     // center in view coordinates; pixels per unit
    double z;              // of a volume
    bool fit;              // fits the image to the window; x, y and zoom are ignored

    int scale, map, range;
    double gain, offset;
    bool grid, values;

    int cross[WP_DIMS_MAX]; // crosshair of a volume, in samples; -1: the middle
    int pane;               // the active pane: enum wp_slice_pane
    bool single;            // only the active pane is shown
    bool crosshair, radiological;
    int fourth, mip;        // mip: the axis
    bool behind;            // the cube is shown from its far corner
    int slab;               // slices of the projection, centered at the crosshair; 0: all
    double rate;            // slices per second while playing
    int shows[WP_DIMS_MAX]; // content of slices along an axis: 0: `mode`, else 1 + a mode

    int compare;
    int metric;   // of the difference
    double split; // of the wipe: 0..1 of the canvas
    bool live;    // both transforms run in every frame
    bool flipped; // B is shown

    char zeroed[512];   // zeroed subbands: "HL1 HH2"
    int kept;           // number of subbands kept, coarsest first; -1: all
    int threshold;
    double limit;       // of the subbands without one of their own
    // By level and enum wp_band, in the orthonormal norm: factors, and thresholds (negative: `limit`).
    double gains[WP_MAX_LEVELS + 1][WP_OCTET_BANDS], limits[WP_MAX_LEVELS + 1][WP_OCTET_BANDS];
    bool directions;    // the sliders of a level are those of its subbands
    int method;         // of denoising, index into wp_denoise_methods
    double sigma;       // standard deviation of the noise; 0: estimated
    bool impulse;       // one coefficient of 1 in the selected band, else zeros
    int impulse_x, impulse_y, impulse_z;

    bool signal;        // a row of the image and its bands are shown below the canvas
    int signal_row, signal_shift; // the row, -1: the middle one; samples by which it is moved

    int op;             // timeline: operations done; 0: the loaded input
    bool before;        // show the input of the last operation
    int quads;          // enum wp_quads_view
    bool playing;

    bool panels, times; // times: measured times are shown
    int inspector;      // enum wp_inspector
    double side[2];     // width of the left and right panel, in lines of text
    bool fold[2];
    bool large;         // the right panel replaces the canvas
    int theme;
    double ui_scale;
};

// Widths of panels, in lines of text: the defaults and the limits.
#define WP_LEFT_WIDTH 18.0
#define WP_RIGHT_WIDTH 21.5
#define WP_NARROWEST 8.0
#define WP_WIDEST 200.0

enum wp_inspector { WP_INSPECT_PIXEL, WP_INSPECT_PASS, WP_INSPECT_MATRIX, WP_INSPECT_SHADER,
                    WP_INSPECT_DIAGRAM, WP_INSPECT_SCALES, WP_INSPECTORS };
extern const char *const wp_inspector_names[WP_INSPECTORS];

// The number of operations done in the state that the timeline shows.
static inline int wp_pass_shown(const struct wp_view_state *state)
{
    return state->before && state->op > 0 ? state->op - 1 : state->op;
}

void wp_view_state_reset(struct wp_view_state *state);
void wp_view_reset_gains(struct wp_view_state *state);
void wp_view_reset_limits(struct wp_view_state *state);

// Set and get a setting by its name ("gain", "a.wavelet") as text. False after WP_ERROR_USAGE.
bool wp_view_state_set(struct wp_view_state *state, const char *name, const char *value);
bool wp_view_state_get(const struct wp_view_state *state, const char *name, struct wp_text *value);

// The name of setting number `number`, and its help (or NULL), for lists; NULL after the last one.
const char *wp_view_field(int number, const char **help);

// Read and write a JSON file. Reading sets the members that are present, and also reads
// screenshots, which have the JSON text as metadata under wp_view_state_key. False after
// WP_ERROR_FILE or WP_ERROR_USAGE, with the state unchanged.
bool wp_view_state_read(const char *path, struct wp_view_state *state);
bool wp_view_state_write(const char *path, const struct wp_view_state *state);
extern const char wp_view_state_key[];
char *wp_view_state_note(const struct wp_view_state *state); // the caller frees it

// Writes a file and frees the value. False after an error.
bool wp_write_json(const char *path, struct json_t *value, int digits);

// Whether a subband is in `zeroed`; `names` are those of the subbands.
bool wp_view_is_zeroed(const struct wp_view_state *state, const char *const *names, int level,
                       enum wp_band band);
void wp_view_set_zeroed(struct wp_view_state *state, const char *const *names, int level,
                        enum wp_band band, bool zeroed);

// Preferences stored between sessions: panel widths and collapsed panels. Only used with a window,
// so that screenshots do not depend on them. Errors of reading are logged with level verbose;
// preferences are written if they have changed.
void wp_preferences_read(struct wp_view_state *state);
void wp_preferences_write(const struct wp_view_state *state);

#endif
