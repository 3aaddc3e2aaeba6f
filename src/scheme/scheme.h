// Schemes: ways to group a wavelet's lifting steps into passes with a barrier between them.
//
// Every scheme is derived from the wavelet by one walk: list the elementary lifting matrices
// T_P (predict) and S_U (update) of both axes, group them into blocks as the scheme says,
// multiply each block out. Source: Barina et al. 2017, sections 2, 4 and 5.
#ifndef WP_SCHEME_H
#define WP_SCHEME_H

#include "lifting.h"
#include "polyphase.h"

enum wp_axis { WP_AXIS_H = 1, WP_AXIS_V = 2, WP_AXIS_BOTH = 3 }; // bits

// Which lifting steps are multiplied into one block.
enum wp_grouping {
    WP_GROUP_STEP, // one predict or one update: lifting
    WP_GROUP_PAIR, // one predict and update pair: polyconvolution
    WP_GROUP_ALL,  // everything: convolution
};

// How a name becomes a scheme. To add one of this kind, add a line to wp_scheme_kinds.
struct wp_scheme_kind {
    const char *name, *alias; // "nonsep-lifting", "ns-lift"
    bool separable;           // one block an axis, or both axes in one block
    enum wp_grouping grouping;
    const char *summary;      // a sentence for people
};

enum {
    WP_SCHEME_SEP_CONVOLUTION,
    WP_SCHEME_SEP_POLYCONVOLUTION,
    WP_SCHEME_SEP_LIFTING,
    WP_SCHEME_NONSEP_CONVOLUTION,
    WP_SCHEME_NONSEP_POLYCONVOLUTION,
    WP_SCHEME_NONSEP_LIFTING,
    WP_SCHEME_KINDS
};

extern const struct wp_scheme_kind wp_scheme_kinds[WP_SCHEME_KINDS];

// By name or alias. NULL where it is neither, from _find after WP_ERROR_USAGE with a suggestion.
const struct wp_scheme_kind *wp_scheme_kind_named(const char *name);
const struct wp_scheme_kind *wp_scheme_kind_find(const char *name);

// What is done with the constants P0 and U0 of P = P0 + P1, U = U0 + U1 (section 5).
enum wp_form {
    WP_FORM_SHADER, // optimised for render passes: constants run at the end of a pass
    WP_FORM_BLOCK,  // optimised for kernels that exchange on chip: before and after ("OpenCL")
    WP_FORM_PLAIN,  // not optimised: the full matrices
    WP_FORM_COUNT
};

extern const char *const wp_form_names[WP_FORM_COUNT]; // "optimized", "block", "plain"

// The gain of a band over what norm jpeg2000 gives it: 1 for jpeg2000. Error bounds scale by
// it. `component` as in polyphase.h; one level of both axes.
double wp_norm_gain(const struct wp_wavelet *wavelet, enum wp_norm norm, int component);

// An elementary lifting step with a constant filter. It stays inside one quad, in registers.
struct wp_constant {
    bool update;       // S_U0 or T_P0: the second step of a pair, or the first
    enum wp_axis axis; // one of the two
    int pair;          // from 0
    double c;
};

// quad[destination] += c * quad[source]
struct wp_statement {
    int destination, source;
    double c;
};

// A lifting matrix that was multiplied into a core.
struct wp_factor {
    bool update;       // S_U or T_P
    enum wp_axis axis; // one of the two
    int pair;          // from 0: steps 2 * pair and 2 * pair + 1 of the lifting program
    bool reduced;      // without its filter's constant: U1 or P1
};

enum {
    WP_FACTORS_MAX = 4 * WP_MAX_PAIRS, // of a scheme: every step along both axes
    WP_PASSES_MAX = WP_FACTORS_MAX     // each with one at least
};

// What runs between two barriers: `before` on the loaded quad, `core` over the neighbours,
// `after` on the result. In WP_FORM_SHADER a `before` stands only where core is local.
struct wp_pass {
    char label[1024];  // "S^H_U1(2) T^H_P(1)", right to left in time, as in the paper
    int before_count, after_count, factor_count;
    struct wp_constant before[2]; // one step's
    struct wp_constant after[WP_FACTORS_MAX];
    struct wp_matrix core;
    struct wp_factor factor[WP_FACTORS_MAX]; // of core, in time order
    struct wp_reach reach;                   // of core
};

struct wp_scheme_params {
    const struct wp_wavelet *wavelet;
    const struct wp_scheme_kind *kind;
    enum wp_form form;
    enum wp_direction direction;
    enum wp_norm norm;
    enum wp_axis axes; // 0 means both; an axis of one sample is left out
};

struct wp_scheme {
    struct wp_wavelet wavelet; // of the forward transform
    struct wp_lifting lifting; // the program that is grouped; its border rule is not looked at
    const struct wp_scheme_kind *kind;
    enum wp_form form;
    enum wp_direction direction;
    enum wp_axis axes;
    char name[96];             // canonical: "cdf97/nonsep-lifting/optimized"
    const char *note;          // NULL, or what a reader should know of this combination
    int pass_count;            // the paper's "steps"
    struct wp_pass *pass;
    // Component gains: of the input of the first pass (inverse), of the output of the last
    // (forward); all 1 where nothing is to be done. Not counted as operations.
    double scale_in[WP_COMPONENTS], scale_out[WP_COMPONENTS];
};

// Every wavelet has every scheme. The result is the caller's; NULL after WP_ERROR_TOO_LARGE where
// memory is short.
struct wp_scheme *wp_scheme_create(const struct wp_scheme_params *params);
void wp_scheme_destroy(struct wp_scheme **scheme); // accepts NULL, clears the pointer

// The two statements of a constant, for the scheme's direction.
void wp_scheme_statements(const struct wp_scheme *scheme, const struct wp_constant *constant,
                          struct wp_statement statement[2]);

// Operations by the counting rule of Table 1: terms of the cores, two for each constant.
int wp_pass_operations(const struct wp_pass *pass);
int wp_scheme_operations(const struct wp_scheme *scheme);
int wp_scheme_fetches(const struct wp_scheme *scheme); // texels read a quad, all passes

// What all passes reach together, in quads; `fetches` is not set.
struct wp_reach wp_scheme_reach(const struct wp_scheme *scheme);

// All passes multiplied out, constants included, scaling not: equal for all schemes of a
// wavelet and direction. The caller frees it, which can be wp_matrix_failed().
struct wp_matrix wp_scheme_product(const struct wp_scheme *scheme);

// The same of the passes from number `first` on: what they make of the input of that pass. The
// identity where `first` is pass_count.
struct wp_matrix wp_scheme_product_from(const struct wp_scheme *scheme, int first);

#endif
