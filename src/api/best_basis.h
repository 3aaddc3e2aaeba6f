// The best basis of wavelet packets (wavepass_packets.h): costs of the nodes of all levels, from
// the full tree of each level, and from the last level on the decision whether a node is split.
#ifndef WP_BEST_BASIS_H
#define WP_BEST_BASIS_H

#include "packets.h"
#include "wavepass_packets.h"

// Splits "norm:1" into a name and a parameter; NULL is "shannon". False after WP_ERROR_USAGE, also
// if the cost does not exist.
enum { WP_COST_NAME_SIZE = 32 };
bool wp_packet_cost_parse(const char *text, char name[WP_COST_NAME_SIZE],
                          struct wp_packet_cost *cost);

struct wp_basis_search {
    const struct wp_packet_cost *cost;
    const struct wp_description *description; // of the transform; `tree` is ignored
    int planes;   // all share the tree
    bool wide;    // coefficients are doubles, else floats
    // Writes the coefficients of the full tree of a level (0: the samples) in the norm orthonormal,
    // plane after plane without gaps. False after an error, which ends the search.
    bool (*transform)(void *user, int level, void *coefficients);
    void *user;
    // NULL, or gets the cost of each node, the levels one after the other from the root on, nodes
    // of a level in preorder.
    double *costs;
};

// The tree of minimal cost. False after WP_ERROR_USAGE, WP_ERROR_TOO_LARGE or an error of
// transform().
bool wp_basis_search(const struct wp_basis_search *search, char tree[WP_TREE_SIZE]);

#endif
