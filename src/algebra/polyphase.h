// Polyphase matrices over Laurent polynomials, and operation counts.
//
// Rows and columns are the components of a quad, 2x2 samples, or of an octet, 2x2x2: bit a of a
// component is set where it is odd along axis a. So of a quad, and of the first four of an octet:
// 0 even x even y, 1 odd x even y, 2 even x odd y, 3 odd x odd y. Column vectors: y = M x.
#ifndef WP_POLYPHASE_H
#define WP_POLYPHASE_H

#include "laurent.h"

enum {
    WP_COMPONENTS = 4, // of a quad
    WP_COMPONENTS_MAX = 8,
};

// Owns its polynomials; see laurent.h for who frees what, and what happens where memory is short.
struct wp_matrix {
    int components; // rows and columns: 2, 4 or 8; the polynomials beyond them are 0
    struct wp_poly at[WP_COMPONENTS_MAX][WP_COMPONENTS_MAX];
};

// Of two matrices in one call both have as many components.
struct wp_matrix wp_matrix_identity(int components);
struct wp_matrix wp_matrix_multiply(const struct wp_matrix *a, const struct wp_matrix *b);
void wp_matrix_free(struct wp_matrix *a);
bool wp_matrix_failed(const struct wp_matrix *a); // an entry is

// a = b a.
void wp_matrix_apply(struct wp_matrix *a, const struct wp_matrix *b);

// Of quads or octets, from one of 2x2 for each of `dims` axes, whose polynomials have the variable of
// that axis alone: what all of them do together, in any order.
struct wp_matrix wp_matrix_of_axes(const struct wp_matrix axis[], int dims);

bool wp_matrix_is_identity(const struct wp_matrix *a);
bool wp_matrix_is_local(const struct wp_matrix *a); // constants only: reads its own group

// Multiply-adds: every term of every entry, a diagonal entry exactly equal to 1 not counted
// (the rule behind Table 1 of Barina et al. 2017).
int wp_matrix_operations(const struct wp_matrix *a);

// What a matrix reads around a quad or octet: the distinct positions, its own always among them,
// and the box that holds them (low <= 0 <= high; by axis, in quads or octets).
struct wp_reach {
    int low[WP_VARIABLES], high[WP_VARIABLES];
    int fetches;
};

struct wp_reach wp_matrix_reach(const struct wp_matrix *a);

// The largest difference of two matrices' entries at `points` pseudo-random triples of complex
// numbers of modulus 1, from `seed`.
double wp_matrix_distance(const struct wp_matrix *a, const struct wp_matrix *b, int points,
                          unsigned seed);

#endif
