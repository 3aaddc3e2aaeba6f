#include "packet_tree.h"

#include <string.h>

static const char letters[] = "avhd"; // by enum wp_band

enum { CHILDREN = 4 };

int wp_node_find(const char *name, size_t length)
{
    int number = 0;
    if (length > WP_NODE_LEVELS)
        return -1;
    for (size_t i = 0; i < length; i++) {
        const char *letter = name[i] ? strchr(letters, name[i]) : NULL;
        if (!letter)
            return -1;
        number = CHILDREN * number + 1 + (int)(letter - letters);
    }
    return number;
}

void wp_node_name(int number, char name[WP_NODE_NAME])
{
    int length = 0;
    for (int n = number; n > 0; n = wp_node_parent(n))
        length++;
    name[length] = '\0';
    for (int n = number; n > 0; n = wp_node_parent(n))
        name[--length] = letters[(n - 1) % CHILDREN];
}

int wp_node_of(const struct wp_description *d, const struct wp_packet *packet)
{
    char name[WP_PACKET_NAME_SIZE];
    wp_packet_name(d, packet, name);
    return wp_node_find(name, strlen(name));
}

int wp_node_parent(int number)
{
    return number > 0 ? (number - 1) / CHILDREN : -1;
}

bool wp_tree_find(const struct wp_description *d, int number, struct wp_packet *packet,
                  bool *split)
{
    struct wp_packet_walk walk = {.description = d};
    while (wp_packet_next(&walk)) {
        if (wp_node_of(d, &walk.node) != number)
            continue;
        *packet = walk.node;
        *split = walk.split;
        return true;
    }
    return false;
}

void wp_tree_read(const struct wp_description *d, bool split[WP_NODES_MAX])
{
    struct wp_packet_walk walk = {.description = d};
    memset(split, 0, WP_NODES_MAX * sizeof *split);
    while (wp_packet_next(&walk))
        split[wp_node_of(d, &walk.node)] = walk.split;
}

// Writes the digits of a node and its descendants; the end of the text.
static char *write_node(const struct wp_description *d, const bool split[WP_NODES_MAX],
                        const struct wp_packet *node, char *digit)
{
    if (node->level == wp_description_levels(d))
        return digit;
    const bool is_split = split[wp_node_of(d, node)];
    *digit++ = is_split ? '1' : '0';
    for (int c = 0; is_split && c < wp_packet_children(d); c++) {
        const struct wp_packet child = wp_packet_child(d, node, c);
        digit = write_node(d, split, &child, digit);
    }
    return digit;
}

void wp_tree_write(const struct wp_description *d, const bool split[WP_NODES_MAX],
                   char tree[WP_NODE_TREE])
{
    const struct wp_packet root = wp_packet_root(d);
    *write_node(d, split, &root, tree) = '\0';
}

void wp_tree_write_wavelet(const struct wp_description *d, char tree[WP_NODE_TREE])
{
    bool split[WP_NODES_MAX] = {false};
    for (int level = 0, low = 0; level < WP_NODE_LEVELS; level++, low = CHILDREN * low + 1)
        split[low] = true;
    wp_tree_write(d, split, tree);
}
