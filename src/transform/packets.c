#include "packets.h"

// Of x and y only axes of more than one sample; an image of one pixel has none.
unsigned wp_packet_axes(const struct wp_description *d)
{
    unsigned axes = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        axes |= d->size[a] > 1 && (a == WP_Z ? d->levels_z : d->levels) > 0 ? 1U << a : 0U;
    return axes;
}

static int levels_of(const struct wp_description *d)
{
    return d->levels > d->levels_z ? d->levels : d->levels_z;
}

static int bits_of(unsigned axes)
{
    return (int)((axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1));
}

int wp_packet_children(const struct wp_description *d)
{
    return 1 << bits_of(wp_packet_axes(d));
}

struct wp_packet wp_packet_root(const struct wp_description *d)
{
    struct wp_packet root = {0};
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        root.grid.size[a] = d->size[a] > 1 ? d->size[a] : 1;
        root.grid.every[a] = 1;
    }
    return root;
}

struct wp_packet wp_packet_child(const struct wp_description *d, const struct wp_packet *parent,
                                 int child)
{
    const unsigned axes = wp_packet_axes(d);
    struct wp_packet node = *parent;
    node.level++;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        if (!(axes >> a & 1))
            continue;
        const int n = parent->grid.size[a], high = child & 1;
        node.index[a] = parent->index[a] << 1 | (unsigned)high;
        node.grid.size[a] = high ? n / 2 : n - n / 2;
        node.grid.first[a] += high ? n - n / 2 : 0;
        child >>= 1;
    }
    return node;
}

// The node that the numbers of children down to `level` lead to.
static struct wp_packet follow(const struct wp_description *d, const unsigned char child[],
                               int level)
{
    struct wp_packet node = wp_packet_root(d);
    for (int l = 1; l <= level; l++)
        node = wp_packet_child(d, &node, child[l]);
    return node;
}

// Without digits, nodes are split down to the last level. A tree that ends early has leaves.
static bool read_split(struct wp_packet_walk *w)
{
    if (w->node.level == levels_of(w->description))
        return false;
    if (!w->description->tree)
        return true;
    const char digit = *w->left;
    w->left += digit != '\0';
    return digit == '1';
}

bool wp_packet_next(struct wp_packet_walk *w)
{
    const struct wp_description *d = w->description;
    int level = w->node.level;
    if (!w->begun) {
        w->begun = true;
        w->left = d->tree;
        w->node = wp_packet_root(d);
    } else if (w->split) {
        w->child[level + 1] = 0;
        w->node = wp_packet_child(d, &w->node, 0);
    } else {
        while (level > 0 && w->child[level] == wp_packet_children(d) - 1)
            level--;
        if (level == 0)
            return false;
        w->child[level]++;
        w->node = follow(d, w->child, level);
    }
    w->split = read_split(w);
    return true;
}

int wp_packet_leaves(const struct wp_description *d)
{
    const int levels = levels_of(d), more = wp_packet_children(d) - 1;
    int leaves = 1;
    if (!d->tree)
        return 1 << levels * bits_of(wp_packet_axes(d));
    for (const char *digit = d->tree; *digit; digit++)
        leaves += *digit == '1' ? more : 0;
    return leaves;
}

// A leaf of a tree. Only digits are read, without the nodes before it: trees have thousands, and callers
// ask for each leaf.
static struct wp_packet tree_leaf(const struct wp_description *d, int index)
{
    const int levels = levels_of(d), children = wp_packet_children(d);
    unsigned char child[WP_MAX_LEVELS + 1] = {0};
    int level = 0;
    for (const char *digit = d->tree;; digit += *digit != '\0') {
        const bool split = *digit == '1' && level < levels;
        if (split && level + 1 < levels) {
            child[++level] = 0;
            continue;
        }
        // A leaf, or as many as children, which have no digits.
        const int leaves = split ? children : 1;
        if (split && index < leaves)
            child[++level] = (unsigned char)index;
        if (index < leaves)
            return follow(d, child, level);
        index -= leaves;
        while (level > 0 && child[level] == children - 1)
            level--;
        if (level == 0)
            return wp_packet_root(d);
        child[level]++;
    }
}

struct wp_packet wp_packet_leaf(const struct wp_description *d, int index)
{
    const int levels = levels_of(d), bits = bits_of(wp_packet_axes(d));
    struct wp_packet node = wp_packet_root(d);
    if (d->tree)
        return tree_leaf(d, index);
    for (int l = levels - 1; l >= 0; l--)
        node = wp_packet_child(d, &node, index >> l * bits & ((1 << bits) - 1));
    return node;
}

static bool has(const struct wp_packet *node, const int at[WP_DIMS_MAX])
{
    bool inside = true;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        inside = inside && at[a] >= node->grid.first[a] &&
                 at[a] < node->grid.first[a] + node->grid.size[a];
    return inside;
}

struct wp_packet wp_packet_at(const struct wp_description *d, const int at[WP_DIMS_MAX])
{
    struct wp_packet_walk walk = {.description = d};
    while (wp_packet_next(&walk) && (walk.split || !has(&walk.node, at)))
        continue;
    return walk.node;
}

void wp_packet_name(const struct wp_description *d, const struct wp_packet *node,
                    char name[WP_PACKET_NAME_SIZE])
{
    static const char image[] = "avhd";
    const unsigned axes = wp_packet_axes(d);
    size_t length = 0;
    for (int l = node->level - 1; l >= 0; l--) {
        unsigned letter = 0, place = 0;
        for (int a = 0; a < WP_DIMS_MAX; a++)
            if (axes >> a & 1)
                letter |= (node->index[a] >> l & 1) << place++;
        if (length + place >= WP_PACKET_NAME_SIZE)
            break;
        for (unsigned i = place; place != 2 && i > 0; i--)
            name[length++] = letter >> (i - 1) & 1 ? 'd' : 'a';
        if (place == 2)
            name[length++] = image[letter];
    }
    name[length] = '\0';
}

unsigned wp_packet_frequency(unsigned index)
{
    unsigned frequency = index;
    while (index >>= 1)
        frequency ^= index;
    return frequency;
}

unsigned wp_packet_natural(unsigned frequency)
{
    return frequency ^ frequency >> 1;
}

int wp_packet_levels_even(const struct wp_description *d, unsigned axes)
{
    int most = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        const int n = d->size[a];
        if (n <= 1 || !(axes >> a & 1))
            continue;
        int levels = 0;
        while (n >> (levels + 1) > 0 &&
               (d->border != WP_BORDER_PERIODIC || (n >> levels) % 2 == 0))
            levels++;
        most = most == 0 || levels < most ? levels : most;
        if (levels == 0)
            return 0;
    }
    return most;
}

// The bits of WP_PACKET_LEAVES_MOST are shared by the axes.
int wp_packet_levels_limit(const struct wp_description *d, unsigned axes)
{
    unsigned used = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        used |= d->size[a] > 1 ? axes & 1U << a : 0U;
    const int most = wp_packet_levels_even(d, used);
    const int bits = __builtin_ctz(WP_PACKET_LEAVES_MOST);
    return used && most > bits / bits_of(used) ? bits / bits_of(used) : most;
}
