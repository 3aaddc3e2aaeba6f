// Schemes: groupings of a wavelet's lifting steps into passes with barriers between them.
//
// A scheme is derived from the wavelet as follows: list the elementary lifting matrices T_P
// (predict) and S_U (update) of all axes, group them into blocks according to the scheme, and
// multiply each block out. Source: Barina et al. 2017, sections 2, 4 and 5, extended from two axes
// to three.
#ifndef WP_SCHEME_H
#define WP_SCHEME_H

#include "lifting.h"
#include "laurent.h"

// Sets of axes, bit a for axis a of lifting.h: horizontal, vertical, and the depth of a volume.
enum wp_axis {
    WP_AXIS_H = 1 << WP_X,
    WP_AXIS_V = 1 << WP_Y,
    WP_AXIS_BOTH = WP_AXIS_H | WP_AXIS_V,
    WP_AXIS_D = 1 << WP_Z,
    WP_AXIS_ALL = WP_AXIS_BOTH | WP_AXIS_D,
};

char wp_axis_letter(enum wp_axis axis); // of a single axis: 'H', 'V', 'D'

// Which lifting steps are multiplied into one block.
enum wp_grouping {
    WP_GROUP_STEP, // one predict or update: lifting
    WP_GROUP_PAIR, // one pair of predict and update: polyconvolution
    WP_GROUP_ALL,  // all steps: convolution
};

// Which axes are multiplied into one block.
enum wp_fusion {
    WP_FUSE_NONE,  // one axis per block: x|y|z
    WP_FUSE_PLANE, // x and y, then z: xy|z
    WP_FUSE_ALL,   // xyz
};

// A kind of scheme, a row of wp_scheme_kinds. docs/architecture.md describes how to add one.
struct wp_scheme_kind {
    const char *name, *alias; // "nonsep-lifting", "ns-lift"
    enum wp_fusion fusion;
    enum wp_grouping grouping;
    const char *summary;        // one sentence
    const char *volume_summary; // NULL, or a different one for volumes
};

enum {
    WP_SCHEME_SEP_CONVOLUTION,
    WP_SCHEME_SEP_POLYCONVOLUTION,
    WP_SCHEME_SEP_LIFTING,
    WP_SCHEME_NONSEP_CONVOLUTION,
    WP_SCHEME_NONSEP_POLYCONVOLUTION,
    WP_SCHEME_NONSEP_LIFTING,
    WP_SCHEME_KINDS, // of images, for which PLANE and ALL are the same; volumes also have:
    WP_SCHEME_PLANAR_CONVOLUTION = WP_SCHEME_KINDS,
    WP_SCHEME_PLANAR_POLYCONVOLUTION,
    WP_SCHEME_PLANAR_LIFTING,
    WP_SCHEME_VOLUME_KINDS
};

extern const struct wp_scheme_kind wp_scheme_kinds[WP_SCHEME_VOLUME_KINDS];

// Finds a kind by name or alias, including those of volumes. NULL if it does not exist.
const struct wp_scheme_kind *wp_scheme_kind_named(const char *name);

// The kind for images that is equal to this kind within slices of a volume.
const struct wp_scheme_kind *wp_scheme_kind_of_slices(const struct wp_scheme_kind *kind);

// Finds a kind of images (dims 2) or volumes (3). NULL after WP_ERROR_USAGE, with a suggestion.
const struct wp_scheme_kind *wp_scheme_kind_find(const char *name, int dims);

// Kind number `number` of images or volumes in the order of lists, for volumes x|y|z, xy|z, xyz.
// NULL after the last one.
const struct wp_scheme_kind *wp_scheme_kind_at(int dims, int number);

const char *wp_scheme_kind_summary(const struct wp_scheme_kind *kind, int dims);

// Treatment of the constants of filters (section 5): P = P0 + P1 and U = U0 + U1, where P0 and U0
// are the taps at position 0, which read only the quad itself and need no barrier.
enum wp_form {
    WP_FORM_SHADER, // optimized for render passes: constants are applied at the end of a pass
    WP_FORM_BLOCK,  // optimized for kernels that exchange samples on chip: constants are applied
                    // before and after the core of a pass; the form for OpenCL of the paper
    WP_FORM_PLAIN,  // not optimized: constants remain in the matrices
    WP_FORM_COUNT
};

extern const char *const wp_form_names[WP_FORM_COUNT]; // "optimized", "block", "plain"

// The absolute gain of a band relative to the normalization jpeg2000 (1 for jpeg2000); error bounds
// scale with it. `component` as in laurent.h; one level of the axes in `axes` (bit a for axis a).
double wp_norm_gain(const struct wp_wavelet *wavelet, enum wp_norm norm, unsigned axes,
                    unsigned component);

// An elementary lifting step with a constant filter. It reads only one quad or octet, in registers.
struct wp_constant {
    bool update;       // S_U0, else T_P0
    enum wp_axis axis; // a single axis
    int pair;          // from 0
    double c;
};

// quad[destination] += c * quad[source], of components.
struct wp_statement {
    int destination, source;
    double c;
};

enum { WP_STATEMENTS_MAX = WP_COMPONENTS_MAX / 2 }; // per constant

// A lifting matrix that was multiplied into a core.
struct wp_factor {
    bool update;       // S_U, else T_P
    enum wp_axis axis; // a single axis
    int pair;          // from 0: steps 2 * pair and 2 * pair + 1 of the lifting program
    bool reduced;      // without its filter's constant: U1 or P1
};

enum {
    WP_FACTORS_MAX = WP_DIMS_MAX * WP_STEPS_MAX, // per scheme: every step along every axis
    WP_PASSES_MAX = WP_FACTORS_MAX               // each has at least one
};

// The computation between two barriers: `before` on the loaded quad or octet, `core` over
// neighbors, `after` on the result. In WP_FORM_SHADER `before` is used only if the core reads no
// neighbors, because a render pass cannot change a neighbor before it reads it.
struct wp_pass {
    char label[1024];  // "S^H_U1(2) T^H_P(1)", applied from right to left, as in the paper
    int before_count, after_count, factor_count;
    struct wp_constant before[WP_DIMS_MAX]; // of one step
    struct wp_constant after[WP_FACTORS_MAX];
    struct wp_matrix core;
    struct wp_factor factor[WP_FACTORS_MAX]; // of core, in time order
    struct wp_reach reach;                   // of core
    // Reversible schemes: `round` is added to these components (bit c for component c), which are
    // then rounded down.
    unsigned rounded;
    double round;
};

struct wp_scheme_params {
    const struct wp_wavelet *wavelet;
    const struct wp_scheme_kind *kind;
    enum wp_form form;
    enum wp_direction direction;
    enum wp_norm norm;
    int dims;          // 2 or 3; 0 means 2
    enum wp_axis axes; // 0: all; without axes of one sample
    bool reversible;   // for separable lifting of images: every pass is one step and rounds
};

struct wp_scheme {
    struct wp_wavelet wavelet; // of the forward transform
    struct wp_lifting lifting; // the program that is grouped; its border rule is not used
    const struct wp_scheme_kind *kind;
    enum wp_form form;
    enum wp_direction direction;
    int dims;                  // 2: passes work on quads; 3: on octets
    enum wp_axis axes;
    bool redundant;            // components are bands of one sample, not samples of a quad; positions
                               // are samples at the distance of a level's taps (redundant.h)
    unsigned components;       // redundant: bit c is set if passes read or compute component c
    char name[96];             // "cdf97/nonsep-lifting/optimized"
    const char *note;          // NULL, or a remark on this combination
    int pass_count;            // the paper's "steps"
    struct wp_pass *pass;
    // Gains of the components: of the input of the first pass (inverse) and of the output of the
    // last (forward). Not counted as operations. Quads use the first four.
    double scale_in[WP_COMPONENTS_MAX], scale_out[WP_COMPONENTS_MAX];
};

// Maximum number of terms of a pass, 100 MB.
#define WP_SCHEME_TERMS_MAX 4194304.0

// The maximum number of terms per pass, even if it exceeds the limit: a measure of the time and
// memory of a scheme. 0 if memory is exhausted.
double wp_scheme_terms(const struct wp_scheme_params *params);

// The caller destroys the result. NULL after WP_ERROR_TOO_LARGE if a pass has too many terms or
// memory is exhausted.
struct wp_scheme *wp_scheme_create(const struct wp_scheme_params *params);
void wp_scheme_destroy(struct wp_scheme **scheme); // accepts NULL, clears the pointer

// The statements of a constant for the scheme's direction. Returns their number: two for quads,
// four for octets.
int wp_scheme_statements(const struct wp_scheme *scheme, const struct wp_constant *constant,
                         struct wp_statement statement[WP_STATEMENTS_MAX]);

// Operations by the counting rule of Table 1: terms of the cores and statements of the constants.
int wp_pass_operations(const struct wp_pass *pass);
int wp_scheme_operations(const struct wp_scheme *scheme);
int wp_scheme_fetches(const struct wp_scheme *scheme); // quads read per quad, all passes

// The combined support of all passes, in quads; `fetches` is not set.
struct wp_reach wp_scheme_reach(const struct wp_scheme *scheme);

// The product of all passes with their constants, without scaling: equal for all schemes of a
// wavelet and direction. The caller frees it and has to check wp_matrix_failed().
struct wp_matrix wp_scheme_product(const struct wp_scheme *scheme);

// The product of the passes from number `first` on, which maps the input of that pass to the
// result. The identity if `first` is pass_count.
struct wp_matrix wp_scheme_product_from(const struct wp_scheme *scheme, int first);

#endif
