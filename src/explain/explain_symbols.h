// Matrices in the symbols of Barina et al. 2017, derived from the factors of a pass.
//
// Steps along different axes commute, so a core is the Kronecker product of one 2x2 matrix per
// axis, and each entry is a product of one entry of each: V* P is V in z_n times P in z_m. A symbol
// is a letter, a digit (1: without its constant term), the lifting pair in brackets if there are
// several, and a star for the vertical axis, two for the third: "U1(2)*". For volumes, whose
// matrices are wide, the pair is included only if a pass has several.
#ifndef WP_EXPLAIN_SYMBOLS_H
#define WP_EXPLAIN_SYMBOLS_H

#include "factor.h"
#include "scheme.h"
#include "text.h"

struct wp_wavelet;

enum { WP_SYMBOLS_MAX = 3 * WP_MAX_PAIRS + 4 };

// The definition of a symbol without stars.
struct wp_symbol {
    char name[24];
    struct wp_poly filter;     // for predict and update steps: in z_m
    struct wp_text expression; // for others: "P(1) U(1) + 1"
};

struct wp_symbols {
    int components;
    bool numbered; // symbols include the lifting pair
    struct wp_text cell[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX]; // "0", "1", "P", "V* P"
    int count;
    struct wp_symbol symbol[WP_SYMBOLS_MAX]; // in order of dependency
};

// Creates the symbols of the core of a pass.
void wp_symbols_create(struct wp_symbols *symbols, const struct wp_scheme *scheme,
                       const struct wp_pass *pass);
void wp_symbols_free(struct wp_symbols *symbols);

// Whether an entry has a symbol with exactly this number of stars.
bool wp_symbols_starred(const struct wp_symbols *symbols, size_t stars);

// Markup of symbols and labels ("S^H_U1(2)").
struct wp_markup {
    const char *sub, *sub_end, *super, *super_end;
};

extern const struct wp_markup wp_markup_tex, wp_markup_html;

// Adds "P1(2)* U + 1" as P_{1}^{(2)*} U + 1.
void wp_symbols_mark_up(struct wp_text *out, const char *expression,
                        const struct wp_markup *markup);

// Factors a wavelet's filters. free() the result. NULL after WP_ERROR_USAGE.
struct wp_factoring *wp_explain_factor(const struct wp_wavelet *wavelet);

#endif
