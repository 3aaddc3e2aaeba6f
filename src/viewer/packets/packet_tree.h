// Trees of wavelet packets (packets.h) in the viewer, and their nodes by number. The root has the
// number 0, and the children of node n have the numbers 4 n + 1 (a), + 2 (v), + 3 (h), + 4 (d), so
// a number does not depend on the tree, nor on the size of the image. Images of one row or column
// have only a and d.
#ifndef WP_PACKET_TREE_H
#define WP_PACKET_TREE_H

#include "packets.h"

// Limits of the viewer, of 5 levels.
enum {
    WP_NODE_LEVELS = 5,
    WP_LEAVES_MAX = 1024,
    WP_NODES_MAX = 1365,                    // of all levels
    WP_NODE_TREE = WP_NODES_MAX - WP_LEAVES_MAX + 1, // bytes of a tree
    WP_NODE_NAME = WP_NODE_LEVELS + 1       // bytes of a name
};

// The number of a node's name of `length` bytes, "" for the root; -1 if it is not a name.
int wp_node_find(const char *name, size_t length);
void wp_node_name(int number, char name[WP_NODE_NAME]);
int wp_node_of(const struct wp_description *description, const struct wp_packet *packet);
int wp_node_parent(int number); // -1 of the root

// Finds a node, in a leaf of the tree or above it. False if the tree does not have it.
bool wp_tree_find(const struct wp_description *description, int number, struct wp_packet *packet,
                  bool *split);

// The nodes that a description's tree splits, and a tree that splits these nodes, as far as their
// ancestors are split, too, for the levels of a description.
void wp_tree_read(const struct wp_description *description, bool split[WP_NODES_MAX]);
void wp_tree_write(const struct wp_description *description, const bool split[WP_NODES_MAX],
                   char tree[WP_NODE_TREE]);

// The tree of the decimated bank, which splits only low-pass nodes.
void wp_tree_write_wavelet(const struct wp_description *description, char tree[WP_NODE_TREE]);

#endif
