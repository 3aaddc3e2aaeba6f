// Polyphase matrices over Laurent polynomials, and operation counts.
//
// Rows and columns are the components of a quad, 2x2 samples, or of an octet, 2x2x2: bit a of a
// component is set if it is odd along axis a. For quads, and for the first four of an octet:
// 0 even x even y, 1 odd x even y, 2 even x odd y, 3 odd x odd y. Column vectors: y = M x.
#ifndef WP_POLYPHASE_H
#define WP_POLYPHASE_H

#include "laurent.h"

enum {
    WP_COMPONENTS = 4, // of a quad
    WP_COMPONENTS_MAX = 8,
};

// The caller frees matrices with wp_matrix_free(); failures are as in laurent.h.
struct wp_matrix {
    int components; // rows and columns: 2, 4 or 8; the polynomials beyond them are 0
    struct wp_poly at[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX];
};

// Matrices in one call must have the same number of components.
struct wp_matrix wp_matrix_identity(int components);
struct wp_matrix wp_matrix_multiply(const struct wp_matrix *a, const struct wp_matrix *b);
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

// The maximum difference of two matrices' entries at `points` pseudo-random triples of complex
// numbers of modulus 1, generated from `seed`.
double wp_matrix_distance(const struct wp_matrix *a, const struct wp_matrix *b, int points,
                          unsigned seed);

#endif
