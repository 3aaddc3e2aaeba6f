// Matrices in the symbols of Barina et al. 2017, derived from the factors of a pass.
//
// All steps along one axis commute with all steps along another, so a core is the Kronecker product
// of 2x2 matrices, one an axis, and every entry a product of one entry of each: V* P stands for V
// in z_n times P in z_m. A symbol is a letter, a digit (1: without its constant), the lifting pair
// in brackets where there is more than one, and a star for the vertical axis, two for the third:
// "U1(2)*". Volumes, whose matrices are wide, have the pair where a pass has more than one.
#ifndef WP_EXPLAIN_SYMBOLS_H
#define WP_EXPLAIN_SYMBOLS_H

#include "scheme.h"
#include "text.h"

enum { WP_SYMBOLS_MAX = 3 * WP_MAX_PAIRS + 4 };

// What a symbol without a star means.
struct wp_symbol {
    char name[24];
    struct wp_poly filter;     // of predict and update steps: in z_m
    struct wp_text expression; // of the others: "P(1) U(1) + 1"
};

struct wp_symbols {
    int components;
    bool numbered; // with their lifting pair
    struct wp_text cell[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX]; // "0", "1", "P", "V* P"
    int count;
    struct wp_symbol symbol[WP_SYMBOLS_MAX]; // each stands behind those that it uses
};

// The core of a pass.
void wp_symbols_create(struct wp_symbols *symbols, const struct wp_scheme *scheme,
                       const struct wp_pass *pass);
void wp_symbols_free(struct wp_symbols *symbols);

// True where some symbol of the entries has so many stars.
bool wp_symbols_starred(const struct wp_symbols *symbols, size_t stars);

// How a symbol or a label ("S^H_U1(2)") is marked up.
struct wp_markup {
    const char *sub, *sub_end, *super, *super_end;
};

extern const struct wp_markup wp_markup_tex, wp_markup_html;

// "P1(2)* U + 1" as P_{1}^{(2)*} U + 1.
void wp_symbols_mark_up(struct wp_text *out, const char *expression,
                        const struct wp_markup *markup);

#endif
