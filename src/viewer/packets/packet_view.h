// Wavelet packets on the canvas: the tree and its edits by hand, the selected node, tiles of
// leaves, and lines and names over them.
#ifndef WP_PACKET_VIEW_H
#define WP_PACKET_VIEW_H

#include "canvas.h"
#include "instance_packets.h"

struct json_t;

// True if A has packets.
bool wp_packets_shown(const struct wp_viewer *v);

// ---- The tree.

// Adapts an edited tree to a new number of levels, and discards that of an image with other axes of
// more than one sample.
void wp_packets_update_tree(struct wp_viewer *v);
// The tree that A or B is to have. B has the tree of A, if A has packets.
struct wp_basis_view wp_packets_basis(const struct wp_viewer *v, enum wp_view_ab ab);
// Appends the options of the tree to a command.
void wp_packets_add_options(const struct wp_viewer *v, struct wp_text *text);
// Actions: the next tree; splits the selected node, or joins what is below it.
void wp_packets_cycle_basis(struct wp_viewer *v);
void wp_packets_split(struct wp_viewer *v);

// ---- The selected node.

struct wp_node_facts {
    struct wp_packet node;
    bool split;
    int leaves;      // of the node, 1 of a leaf
    int first;       // number of the first one
    double share;    // of the energy of all coefficients, after edits, in the norm orthonormal
    bool has_costs;  // the costs below are known
    double cost, children; // of struct wp_node_costs
};

// False if the tree does not have the node.
bool wp_packets_describe(const struct wp_viewer *v, int number, struct wp_node_facts *facts);
int wp_packets_selected(const struct wp_viewer *v); // its number
void wp_packets_update_selection(struct wp_viewer *v); // makes it a node of the tree
void wp_packets_select(struct wp_viewer *v, int number);
// Arrow keys: the previous or next leaf, or node of the level; the parent; the first child.
void wp_packets_arrow(struct wp_viewer *v, int direction);
// Child number `band` of the selected node, or of its parent if it is a leaf.
void wp_packets_select_child(struct wp_viewer *v, int band);

// ---- Edits of leaves: the product of the gains of a leaf and the nodes above it, and the
// threshold of the nearest of these that has one.

void wp_packets_find_edit(const struct wp_viewer *v, enum wp_view_ab ab, struct wp_view_edit *edit);
void wp_packets_zero(struct wp_viewer *v); // action: toggles the gain of the selected node
void wp_packets_set_limit(struct wp_viewer *v, int leaf, double limit);
// Sets an impulse in the leaf under the pointer, or the first one of the selected node.
void wp_packets_set_impulse(struct wp_viewer *v);

// ---- Measurements and the canvas.

// Statistics of leaves, and the number of nonzero coefficients and of all.
void wp_packets_measure(struct wp_viewer *v, long long *nonzero);
// Appends requests of A - B, for the coefficients that are shown of each plane.
void wp_packets_request_difference(const struct wp_viewer *v, struct wp_measure_request *request,
                                   int *count);
// Requests of A for the coefficients of the selected node, one per plane; of the image for all.
void wp_packets_request_node(const struct wp_viewer *v, struct wp_measure_request *request);
// Makes tiles of the leaves, in mode 'band' those of the selected node. False in other modes, for
// other banks, and if the tree is only the root.
bool wp_packets_make_tiles(struct wp_viewer *v);
// Draws the tree, names, and the nodes that are selected and under the pointer, over such tiles.
void wp_packets_overlay(const struct wp_viewer *v);
// Appends the facts of the node under the pointer, or of the selected one.
void wp_packets_add_status(const struct wp_viewer *v, struct wp_text *text);
struct json_t *wp_packets_facts(const struct wp_viewer *v); // for scripts

// Panels: the tree in 'controls', and rows of sliders for the selected node and those above it.
void wp_panel_packets(struct wp_viewer *v);
void wp_panel_node_scales(struct wp_viewer *v);

#endif
