// Schemes: ways to group a wavelet's lifting steps into passes with a barrier between them.
//
// Every scheme is derived from the wavelet by one walk: list the elementary lifting matrices
// T_P (predict) and S_U (update) of all axes, group them into blocks as the scheme says,
// multiply each block out. Source: Barina et al. 2017, sections 2, 4 and 5; what is said there of
// two axes holds for three.
#ifndef WP_SCHEME_H
#define WP_SCHEME_H

#include "lifting.h"
#include "polyphase.h"

// Sets of axes, bit a for axis a of lifting.h: horizontal, vertical, and the depth of a volume.
enum wp_axis {
    WP_AXIS_H = 1 << WP_X,
    WP_AXIS_V = 1 << WP_Y,
    WP_AXIS_BOTH = WP_AXIS_H | WP_AXIS_V,
    WP_AXIS_D = 1 << WP_Z,
    WP_AXIS_ALL = WP_AXIS_BOTH | WP_AXIS_D,
};

char wp_axis_letter(enum wp_axis axis); // of one: 'H', 'V', 'D'

// Which lifting steps are multiplied into one block.
enum wp_grouping {
    WP_GROUP_STEP, // one predict or one update: lifting
    WP_GROUP_PAIR, // one predict and update pair: polyconvolution
    WP_GROUP_ALL,  // everything: convolution
};

// Which axes are multiplied into one block.
enum wp_fusion {
    WP_FUSE_NONE,  // one each: x|y|z
    WP_FUSE_PLANE, // those of an image, then the third: xy|z
    WP_FUSE_ALL,   // xyz
};

// How a name becomes a scheme. To add one of this kind, add a line to wp_scheme_kinds.
struct wp_scheme_kind {
    const char *name, *alias; // "nonsep-lifting", "ns-lift"
    enum wp_fusion fusion;
    enum wp_grouping grouping;
    const char *summary;      // a sentence for people
    const char *of_volumes;   // the same where it is another one of three axes, else NULL
};

enum {
    WP_SCHEME_SEP_CONVOLUTION,
    WP_SCHEME_SEP_POLYCONVOLUTION,
    WP_SCHEME_SEP_LIFTING,
    WP_SCHEME_NONSEP_CONVOLUTION,
    WP_SCHEME_NONSEP_POLYCONVOLUTION,
    WP_SCHEME_NONSEP_LIFTING,
    WP_SCHEME_KINDS, // of images, where to fuse the plane is to fuse all; volumes have these too:
    WP_SCHEME_PLANAR_CONVOLUTION = WP_SCHEME_KINDS,
    WP_SCHEME_PLANAR_POLYCONVOLUTION,
    WP_SCHEME_PLANAR_LIFTING,
    WP_SCHEME_VOLUME_KINDS
};

extern const struct wp_scheme_kind wp_scheme_kinds[WP_SCHEME_VOLUME_KINDS];

// By name or alias, of volumes too. NULL where it is neither.
const struct wp_scheme_kind *wp_scheme_kind_named(const char *name);

// The kind that makes of an image what this one makes of a volume's slices: of images itself.
const struct wp_scheme_kind *wp_scheme_kind_of_slices(const struct wp_scheme_kind *kind);

// Of images (dims 2) or of volumes (3). NULL after WP_ERROR_USAGE, with a suggestion.
const struct wp_scheme_kind *wp_scheme_kind_find(const char *name, int dims);

// The kinds that images or volumes have, in the order in which people read them: of volumes
// x|y|z, xy|z, xyz. NULL from as many on as there are.
const struct wp_scheme_kind *wp_scheme_kind_at(int dims, int number);

const char *wp_scheme_kind_summary(const struct wp_scheme_kind *kind, int dims);

// What is done with the constants P0 and U0 of P = P0 + P1, U = U0 + U1 (section 5).
enum wp_form {
    WP_FORM_SHADER, // optimised for render passes: constants run at the end of a pass
    WP_FORM_BLOCK,  // optimised for kernels that exchange on chip: before and after ("OpenCL")
    WP_FORM_PLAIN,  // not optimised: the full matrices
    WP_FORM_COUNT
};

extern const char *const wp_form_names[WP_FORM_COUNT]; // "optimized", "block", "plain"

// The gain of a band over what norm jpeg2000 gives it, without sign: 1 for jpeg2000. Error bounds scale by
// it. `component` as in polyphase.h; one level of the axes of the set `axes` (bit a for axis a).
double wp_norm_gain(const struct wp_wavelet *wavelet, enum wp_norm norm, unsigned axes,
                    unsigned component);

// An elementary lifting step with a constant filter. It stays inside one quad or octet, in
// registers.
struct wp_constant {
    bool update;       // S_U0 or T_P0: the second step of a pair, or the first
    enum wp_axis axis; // one
    int pair;          // from 0
    double c;
};

// quad[destination] += c * quad[source], of components.
struct wp_statement {
    int destination, source;
    double c;
};

enum { WP_STATEMENTS_MAX = WP_COMPONENTS_MAX / 2 }; // of a constant

// A lifting matrix that was multiplied into a core.
struct wp_factor {
    bool update;       // S_U or T_P
    enum wp_axis axis; // one
    int pair;          // from 0: steps 2 * pair and 2 * pair + 1 of the lifting program
    bool reduced;      // without its filter's constant: U1 or P1
};

enum {
    WP_FACTORS_MAX = WP_DIMS_MAX * WP_STEPS_MAX, // of a scheme: every step along every axis
    WP_PASSES_MAX = WP_FACTORS_MAX               // each with one at least
};

// What runs between two barriers: `before` on the loaded quad or octet, `core` over neighbours,
// `after` on the result. In WP_FORM_SHADER a `before` stands only where core is local.
struct wp_pass {
    char label[1024];  // "S^H_U1(2) T^H_P(1)", right to left in time, as in the paper
    int before_count, after_count, factor_count;
    struct wp_constant before[WP_DIMS_MAX]; // one step's
    struct wp_constant after[WP_FACTORS_MAX];
    struct wp_matrix core;
    struct wp_factor factor[WP_FACTORS_MAX]; // of core, in time order
    struct wp_reach reach;                   // of core
    // Reversible schemes: the components (bit c for component c) to which `round` is added before
    // they are rounded down.
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
    enum wp_axis axes; // 0 means all that there are; an axis of one sample is left out
    bool reversible;   // of separable lifting of images, plain: every pass is a step, and rounds
};

struct wp_scheme {
    struct wp_wavelet wavelet; // of the forward transform
    struct wp_lifting lifting; // the program that is grouped; its border rule is not looked at
    const struct wp_scheme_kind *kind;
    enum wp_form form;
    enum wp_direction direction;
    int dims;                  // 2: passes work on quads; 3: on octets
    enum wp_axis axes;
    char name[96];             // canonical: "cdf97/nonsep-lifting/optimized"
    const char *note;          // NULL, or what a reader should know of this combination
    int pass_count;            // the paper's "steps"
    struct wp_pass *pass;
    // Component gains: of the input of the first pass (inverse), of the output of the last
    // (forward); all 1 where nothing is to be done. Not counted as operations. Of quads four.
    double scale_in[WP_COMPONENTS_MAX], scale_out[WP_COMPONENTS_MAX];
};

// What a pass is multiplied out to at most, 100 MB of terms.
#define WP_SCHEME_TERMS_MAX 4194304.0

// The terms of the pass with most of them, whether that is too many or not: what a scheme takes in
// time and memory. 0 where memory is short.
double wp_scheme_terms(const struct wp_scheme_params *params);

// Every wavelet has every scheme that is not too large. The result is the caller's; NULL after
// WP_ERROR_TOO_LARGE where it is, or where memory is short.
struct wp_scheme *wp_scheme_create(const struct wp_scheme_params *params);
void wp_scheme_destroy(struct wp_scheme **scheme); // accepts NULL, clears the pointer

// The statements of a constant, for the scheme's direction. Returns their number: two of quads,
// four of octets.
int wp_scheme_statements(const struct wp_scheme *scheme, const struct wp_constant *constant,
                         struct wp_statement statement[WP_STATEMENTS_MAX]);

// Operations by the counting rule of Table 1: terms of the cores, and the statements of each
// constant.
int wp_pass_operations(const struct wp_pass *pass);
int wp_scheme_operations(const struct wp_scheme *scheme);
int wp_scheme_fetches(const struct wp_scheme *scheme); // quads read for one, all passes

// What all passes reach together, in quads; `fetches` is not set.
struct wp_reach wp_scheme_reach(const struct wp_scheme *scheme);

// All passes multiplied out, constants included, scaling not: equal for all schemes of a
// wavelet and direction. The caller frees it, which can be wp_matrix_failed().
struct wp_matrix wp_scheme_product(const struct wp_scheme *scheme);

// The same of the passes from number `first` on: what they make of the input of that pass. The
// identity where `first` is pass_count.
struct wp_matrix wp_scheme_product_from(const struct wp_scheme *scheme, int first);

#endif
