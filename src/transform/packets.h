// Wavelet packets: a level splits low and high bands alike. The nodes form a tree, whose root is
// the image; a node is split into one child for each combination of low-pass and high-pass along
// the transformed axes, as by one level of the decimated bank. The leaves are the coefficients, in
// an array of the size of the image: the children of a node divide its rectangle, low-pass first
// along each axis, so that a leaf of level L is one of 2^L x 2^L rectangles of (nearly) equal size.
//
// A tree is a text with a digit for each node above the last level, in preorder, children in the
// order of enum wp_band (LL, HL, LH, HH): '1' for a node that is split, followed by its children,
// '0' for a leaf. "11000" is two levels of an image of which only LL is split twice. NULL is the
// full tree.
#ifndef WP_PACKETS_H
#define WP_PACKETS_H

#include "description.h"

enum {
    WP_PACKET_TREE_MOST = 8191,    // digits of a tree, more than the 5461 of an image of 7 levels
    WP_PACKET_LEAVES_MOST = 65536, // 16 levels of a signal, 8 of an image, 5 of a volume
    WP_PACKET_NAME_SIZE = 40
};

struct wp_packet {
    int level;                   // 0: the root
    unsigned index[WP_DIMS_MAX]; // along each axis in natural order: bit `level` - l is set if level
                                 // l is high-pass
    struct wp_band_grid grid;    // its coefficients, or those of its descendants
};

// The axes that levels transform (bit a: axis a), and the children of a node, numbered in the order
// of enum wp_band: 2 for a signal, 4 for an image.
unsigned wp_packet_axes(const struct wp_description *description);
int wp_packet_children(const struct wp_description *description);

struct wp_packet wp_packet_root(const struct wp_description *description);
struct wp_packet wp_packet_child(const struct wp_description *description,
                                 const struct wp_packet *parent, int child);

// Visits all nodes of a tree in preorder; start with {.description = d}. Each call sets `node`, and
// `split` if it is split. False at the end.
struct wp_packet_walk {
    const struct wp_description *description;
    struct wp_packet node;
    bool split;
    const char *left; // digits that were not read
    bool begun;
    unsigned char child[WP_MAX_LEVELS + 1]; // at each level from 1 on, the number of the child
};
bool wp_packet_next(struct wp_packet_walk *walk);

// Leaves in preorder, which is the order of wp_subband_describe().
int wp_packet_leaves(const struct wp_description *description);
struct wp_packet wp_packet_leaf(const struct wp_description *description, int index);

// The leaf that has the coefficient at a position of the array.
struct wp_packet wp_packet_at(const struct wp_description *description, const int at[WP_DIMS_MAX]);

// The name of a node as in PyWavelets, "" for the root: for each level 'a' (low-pass) or 'd' of
// signals; 'a', 'h', 'v' or 'd' of images, where 'h' is high-pass along y and 'v' along x; and of
// volumes three letters 'a' or 'd', along z, y and x.
void wp_packet_name(const struct wp_description *description, const struct wp_packet *packet,
                    char name[WP_PACKET_NAME_SIZE]);

// Converts the index of a node along an axis from natural order to the order of frequency, and
// back. Decimation reverses the frequencies of high bands, so the order is that of a Gray code.
unsigned wp_packet_frequency(unsigned index);
unsigned wp_packet_natural(unsigned frequency);

// The largest number of levels of a set of axes (bit a: axis a). _even() stops when an axis of more
// than one sample has fewer than two samples in a node or, with periodic borders, an odd number;
// _limit() also stops at WP_PACKET_LEAVES_MOST leaves. 0 without such an axis.
int wp_packet_levels_even(const struct wp_description *description, unsigned axes);
int wp_packet_levels_limit(const struct wp_description *description, unsigned axes);

#endif
