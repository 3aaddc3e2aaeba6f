// Laurent polynomials in up to three variables with real coefficients.
//
// A term c * z_m^-m z_n^-n z_o^-o of a filter reads the sample (quad, octet) at (x + m, y + n,
// z + o). Notation of Barina et al. 2017, section 2, extended by a third axis. The variables are in
// the order of the axes of lifting.h; polynomials for images do not contain z_o.
#ifndef WP_LAURENT_H
#define WP_LAURENT_H

#include <complex.h>
#include <stdbool.h>

enum { WP_VARIABLES = 3 };

struct wp_term {
    int at[WP_VARIABLES]; // m, n, o
    double c;
};

// Does it read position 0 along every axis?
bool wp_term_is_local(const struct wp_term *term);

// A polynomial: terms sorted by o, then n, then m, with distinct positions and nonzero
// coefficients. {0} is the polynomial 0. The caller frees the result of every function with
// wp_poly_free(). If memory is exhausted, a result is `failed` and has no terms, and so are all
// results computed from it.
struct wp_poly {
    int count;
    bool failed;
    struct wp_term *term;
};

struct wp_poly wp_poly_monomial(const struct wp_term *term); // 0 if c is 0
void wp_poly_free(struct wp_poly *a); // resets it to 0

// Like terms are combined. A term that cancels up to rounding errors (1e-12 of the sum of the
// magnitudes) is removed, so that the number of terms is that of exact arithmetic.
struct wp_poly wp_poly_add(const struct wp_poly *a, const struct wp_poly *b);
struct wp_poly wp_poly_multiply(const struct wp_poly *a, const struct wp_poly *b);

bool wp_poly_is_one(const struct wp_poly *a);

// The term at a position, or NULL.
const struct wp_term *wp_poly_find(const struct wp_poly *a, const int at[WP_VARIABLES]);

// The value at (z_m, z_n, z_o), which must not be zero.
double complex wp_poly_evaluate(const struct wp_poly *a, const double complex z[WP_VARIABLES]);

// ---- polyphase matrices ----

// Polyphase matrices over Laurent polynomials, and operation counts.
//
// Rows and columns are the components of a quad, 2x2 samples, or of an octet, 2x2x2: bit a of a
// component is set if it is odd along axis a. For quads, and for the first four of an octet:
// 0 even x even y, 1 odd x even y, 2 even x odd y, 3 odd x odd y. Column vectors: y = M x.

enum {
    WP_COMPONENTS = 4, // of a quad
    WP_COMPONENTS_MAX = 8,
};

// The caller frees matrices with wp_matrix_free(); failures are as above.
struct wp_matrix {
    int components; // rows and columns: 2, 4 or 8; the polynomials beyond them are 0
    struct wp_poly at[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX];
};

// Matrices in one call must have the same number of components.
struct wp_matrix wp_matrix_identity(int components);
void wp_matrix_free(struct wp_matrix *a);
bool wp_matrix_failed(const struct wp_matrix *a); // has an entry that failed

// a = b a.
void wp_matrix_apply(struct wp_matrix *a, const struct wp_matrix *b);

// The matrix for quads or octets from one 2x2 matrix for each of `dims` axes, whose polynomials
// contain only the variable of that axis: their product in any order.
struct wp_matrix wp_matrix_of_axes(const struct wp_matrix axis[], int dims);

bool wp_matrix_is_identity(const struct wp_matrix *a);
bool wp_matrix_is_local(const struct wp_matrix *a); // only constants: reads its own group

// Multiply-adds: all terms of all entries, except diagonal entries that are exactly 1 (the counting
// rule of Table 1 of Barina et al. 2017).
int wp_matrix_operations(const struct wp_matrix *a);

// The positions that a matrix reads around a quad or octet, always including its own: their number
// and their bounding box (low <= 0 <= high; by axis, in quads or octets).
struct wp_reach {
    int low[WP_VARIABLES], high[WP_VARIABLES];
    int fetches;
};

struct wp_reach wp_matrix_reach(const struct wp_matrix *a);

// The components that it computes, whose rows are not 0, and those that it reads: bit c for
// component c.
unsigned wp_matrix_rows(const struct wp_matrix *a);
unsigned wp_matrix_columns(const struct wp_matrix *a);

// The maximum difference of two matrices' entries at `points` pseudo-random triples of complex
// numbers of modulus 1, generated from `seed`.
double wp_matrix_distance(const struct wp_matrix *a, const struct wp_matrix *b, int points,
                          unsigned seed);

#endif
