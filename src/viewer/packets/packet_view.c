// The tree, the selected node, and edits.
#include "packet_view.h"

#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool wp_packets_shown(const struct wp_viewer *v)
{
    return v->ready[WP_A] && v->instance[WP_A]->packets;
}

static const struct wp_description *description(const struct wp_viewer *v)
{
    return &v->instance[WP_A]->description;
}

// ---- The tree.

void wp_packets_update_tree(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_view_source *source = &v->source[WP_A];
    if (source->file < 0 || source->depth > 1)
        return;
    const int size[WP_DIMS_MAX] = {source->width, source->height, 1};
    const int most = wp_instance_levels_most(&v->instance[WP_A]->wavelet, WP_BANK_PACKETS,
                                             s->border, size);
    struct wp_description d = {.bank = WP_BANK_PACKETS, .size = {size[WP_X], size[WP_Y]},
                               .tree = s->packets.tree, .levels = v->tree.levels};
    const int levels = s->levels < most ? s->levels : most;
    if (levels == 0) // the image itself is shown, and the tree is kept
        return;
    const struct wp_description next = {.size = {size[WP_X], size[WP_Y]}, .levels = levels};
    const unsigned axes = wp_packet_axes(&next);
    // A tree that was just set is for the new levels and axes.
    const bool kept = d.levels > 0 && s->packets.tree[0] &&
                      strcmp(s->packets.tree, v->tree.text) == 0;
    if (kept && axes != v->tree.axes) {
        s->packets.tree[0] = '\0';
        s->packets.basis = s->packets.basis == WP_BASIS_EDITED ? WP_BASIS_FULL : s->packets.basis;
        wp_viewer_notice(v, WP_LOG_WARNING, "the edited tree is discarded: this image has other "
                         "axes of more than one sample");
    } else if (kept && levels != d.levels) {
        bool split[WP_NODES_MAX];
        wp_tree_read(&d, split);
        d.levels = levels;
        wp_tree_write(&d, split, s->packets.tree);
    }
    v->tree.axes = axes;
    v->tree.levels = levels;
    memcpy(v->tree.text, s->packets.tree, sizeof v->tree.text);
}

struct wp_basis_view wp_packets_basis(const struct wp_viewer *v, enum wp_view_ab ab)
{
    const struct wp_view_state *s = &v->state;
    const struct wp_instance *a = v->instance[WP_A];
    struct wp_basis_view basis = {.basis = s->packets.basis, .measured = ab == WP_A};
    const char *tree = s->packets.tree;
    if (s->view[ab].bank != WP_BANK_PACKETS)
        return (struct wp_basis_view){0};
    memcpy(basis.cost, s->packets.cost, sizeof basis.cost);
    if (ab == WP_B && wp_packets_shown(v)) {
        basis.basis = a->description.tree ? WP_BASIS_EDITED : WP_BASIS_FULL;
        tree = a->packets->tree;
    }
    if (basis.basis == WP_BASIS_EDITED && !tree[0])
        basis.basis = WP_BASIS_FULL;
    if (basis.basis == WP_BASIS_EDITED)
        memcpy(basis.tree, tree, sizeof basis.tree);
    return basis;
}

void wp_packets_add_options(const struct wp_viewer *v, struct wp_text *text)
{
    const struct wp_instance *a = v->instance[WP_A];
    if (!a->packets || !a->description.tree)
        return;
    if (a->params.packets.basis == WP_BASIS_BEST)
        wp_text_add(text, " --tree best --cost %s", a->params.packets.cost);
    else
        wp_text_add(text, " --tree %s", a->packets->tree);
}

static bool require(struct wp_viewer *v)
{
    if (!wp_packets_shown(v))
        wp_viewer_notice(v, WP_LOG_WARNING, "trees are for the bank 'packets' (Ctrl+K)");
    return wp_packets_shown(v);
}

void wp_packets_cycle_basis(struct wp_viewer *v)
{
    struct wp_basis_view *basis = &v->state.packets;
    if (require(v))
        basis->basis = (basis->basis + 1) % (basis->tree[0] ? WP_BASES : WP_BASIS_EDITED);
}

void wp_packets_split(struct wp_viewer *v)
{
    const int number = wp_packets_selected(v);
    struct wp_node_facts facts;
    bool split[WP_NODES_MAX];
    if (!require(v) || !wp_packets_describe(v, number, &facts))
        return;
    if (number == 0) {
        wp_viewer_notice(v, WP_LOG_WARNING, "select a node by a click, or by the keys 1 to 4");
        return;
    }
    if (!facts.split && facts.node.level == description(v)->levels) {
        wp_viewer_notice(v, WP_LOG_WARNING, "node %s is of the last level (L: more levels; Up: the "
                         "parent, to join it)", v->state.node);
        return;
    }
    wp_tree_read(description(v), split);
    split[number] = !split[number];
    wp_tree_write(description(v), split, v->state.packets.tree);
    v->state.packets.basis = WP_BASIS_EDITED;
    v->pinned = false;
}

// ---- The selected node.

int wp_packets_selected(const struct wp_viewer *v)
{
    const int number = wp_node_find(v->state.node, strlen(v->state.node));
    return number > 0 ? number : 0;
}

void wp_packets_select(struct wp_viewer *v, int number)
{
    wp_node_name(number, v->state.node);
}

// Is a leaf the node, or below it?
static bool is_below(const struct wp_packet *leaf, const struct wp_packet *node)
{
    const int more = leaf->level - node->level;
    return more >= 0 && leaf->index[WP_X] >> more == node->index[WP_X] &&
           leaf->index[WP_Y] >> more == node->index[WP_Y];
}

static double energy_of(const struct wp_instance_packets *p, int leaf)
{
    return p->measure[leaf].squares * p->unit[leaf] * p->unit[leaf];
}

bool wp_packets_describe(const struct wp_viewer *v, int number, struct wp_node_facts *facts)
{
    const struct wp_instance_packets *p = v->instance[WP_A]->packets;
    double energy = 0, all = 0;
    *facts = (struct wp_node_facts){.first = -1};
    if (!wp_tree_find(description(v), number, &facts->node, &facts->split))
        return false;
    for (int i = 0; i < p->leaves; i++) {
        all += energy_of(p, i);
        if (!is_below(&p->leaf[i], &facts->node))
            continue;
        energy += energy_of(p, i);
        facts->first = facts->first < 0 ? i : facts->first;
        facts->leaves++;
    }
    facts->share = all > 0 ? energy / all : 0;
    facts->has_costs = p->costs.known;
    facts->cost = p->costs.cost[number];
    facts->children = p->costs.children[number];
    return true;
}

void wp_packets_update_selection(struct wp_viewer *v)
{
    struct wp_packet node;
    bool split;
    int number = wp_packets_selected(v);
    while (number > 0 && !wp_tree_find(description(v), number, &node, &split))
        number = wp_node_parent(number);
    wp_packets_select(v, number);
}

// The next leaf, or from a node that is split the next node of its level, cyclically.
static void select_next(struct wp_viewer *v, int step)
{
    const int selected = wp_packets_selected(v);
    int list[WP_NODES_MAX], count = 0, now = 0;
    struct wp_packet node;
    bool split;
    if (!wp_tree_find(description(v), selected, &node, &split))
        return;
    struct wp_packet_walk walk = {.description = description(v)};
    while (wp_packet_next(&walk)) {
        if (split && selected > 0 ? walk.node.level != node.level : walk.split)
            continue;
        list[count] = wp_node_of(description(v), &walk.node);
        now = list[count] == selected ? count : now;
        count++;
    }
    wp_packets_select(v, list[(now + step + count) % count]);
}

void wp_packets_select_child(struct wp_viewer *v, int band)
{
    const struct wp_description *d = description(v);
    struct wp_packet node;
    bool split;
    int number = wp_packets_selected(v);
    if (band >= wp_packet_children(d) || !wp_tree_find(d, number, &node, &split))
        return;
    number = split ? number : wp_node_parent(number);
    if (number < 0 || !wp_tree_find(d, number, &node, &split))
        return;
    const struct wp_packet child = wp_packet_child(d, &node, band);
    wp_packets_select(v, wp_node_of(d, &child));
    v->pinned = false;
}

void wp_packets_arrow(struct wp_viewer *v, int direction)
{
    enum { LEFT, RIGHT, UP, DOWN };
    struct wp_packet node;
    bool split = false;
    const int number = wp_packets_selected(v);
    switch (direction) {
    case LEFT: select_next(v, -1); return;
    case RIGHT: select_next(v, 1); return;
    case UP: wp_packets_select(v, number > 0 ? wp_node_parent(number) : 0); return;
    case DOWN: break;
    }
    if (wp_tree_find(description(v), number, &node, &split) && split)
        wp_packets_select_child(v, 0);
}

// ---- Edits.

// The first leaf of the selected node of A or B, or of the nearest node above it that the tree has.
static int first_leaf(const struct wp_viewer *v, const struct wp_instance *of)
{
    struct wp_packet node;
    bool split;
    int number = wp_packets_selected(v), leaf = 0;
    while (!wp_tree_find(&of->description, number, &node, &split))
        number = wp_node_parent(number);
    while (!is_below(&of->packets->leaf[leaf], &node))
        leaf++;
    return leaf;
}

void wp_packets_find_edit(const struct wp_viewer *v, enum wp_view_ab ab, struct wp_view_edit *edit)
{
    const struct wp_view_state *s = &v->state;
    const struct wp_instance *of = v->instance[ab];
    for (int i = 0; i < of->packets->leaves; i++) {
        double gain = 1, limit = -1;
        for (int n = wp_node_of(&of->description, &of->packets->leaf[i]); n > 0;
             n = wp_node_parent(n)) {
            gain *= s->node_gains[n];
            limit = limit < 0 ? s->node_limits[n] : limit;
        }
        const bool dropped = s->kept >= 0 && i >= s->kept;
        edit->leaf_gain[i] = dropped ? 0 : gain;
        edit->leaf_limit[i] =
            i == 0 || s->threshold == WP_THRESHOLD_NONE ? 0 : limit < 0 ? s->limit : limit;
        edit->any = edit->any || edit->leaf_gain[i] != 1;
    }
    if (edit->impulse)
        edit->band = first_leaf(v, of);
}

void wp_packets_zero(struct wp_viewer *v)
{
    const int number = wp_packets_selected(v);
    if (number > 0)
        v->state.node_gains[number] = v->state.node_gains[number] == 0;
    else
        wp_viewer_notice(v, WP_LOG_WARNING, "select a node by a click, or by the keys 1 to 4");
}

void wp_packets_set_limit(struct wp_viewer *v, int leaf, double limit)
{
    const struct wp_instance_packets *p = v->instance[WP_A]->packets;
    v->state.node_limits[wp_node_of(description(v), &p->leaf[leaf])] = limit;
}

void wp_packets_set_impulse(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const struct wp_tile *tile = v->hover_tile >= 0 ? &v->tile[v->hover_tile] : NULL;
    struct wp_node_facts facts;
    if (tile && tile->node[0]) {
        memcpy(s->node, tile->node, sizeof s->node);
        s->impulse_x = v->hover_px;
        s->impulse_y = v->hover_py;
    } else if (wp_packets_describe(v, wp_packets_selected(v), &facts)) {
        const struct wp_packet *leaf = &v->instance[WP_A]->packets->leaf[facts.first];
        wp_packets_select(v, wp_node_of(description(v), leaf));
        s->impulse_x = leaf->grid.size[WP_X] / 2;
        s->impulse_y = leaf->grid.size[WP_Y] / 2;
    }
}

// ---- Measurements.

void wp_packets_measure(struct wp_viewer *v, long long *nonzero)
{
    struct wp_instance_packets *p = v->instance[WP_A]->packets;
    wp_instance_packets_measure(v->instance[WP_A], wp_viewer_planes(v, WP_A));
    for (int i = 0; i < p->leaves; i++)
        *nonzero += p->measure[i].nonzero;
}

// The selected node, or the image.
static struct wp_packet selected_node(const struct wp_viewer *v)
{
    struct wp_packet node;
    bool split;
    return wp_tree_find(description(v), wp_packets_selected(v), &node, &split)
               ? node : wp_packet_root(description(v));
}

// Appends requests of A, or of A - B, for the coefficients of a node of each plane.
static void add_requests(const struct wp_viewer *v, bool difference, const struct wp_packet *node,
                         struct wp_measure_request *request, int *count)
{
    const int x = node->grid.first[WP_X], y = node->grid.first[WP_Y];
    for (int p = 0; p < wp_viewer_planes(v, WP_A); p++) {
        const struct wp_instance *a = &v->instance[WP_A][p], *b = &v->instance[WP_B][p];
        request[(*count)++] = (struct wp_measure_request){
            .a = {&a->packets->texture, x, y},
            .b = {difference ? &b->packets->texture : NULL, x, y},
            .width = node->grid.size[WP_X], .height = node->grid.size[WP_Y]};
    }
}

void wp_packets_request_difference(const struct wp_viewer *v, struct wp_measure_request *request,
                                   int *count)
{
    const struct wp_packet node = v->state.mode == WP_VIEW_BAND ? selected_node(v)
                                                                : wp_packet_root(description(v));
    add_requests(v, true, &node, request, count);
}

void wp_packets_request_node(const struct wp_viewer *v, struct wp_measure_request *request)
{
    const struct wp_packet node = selected_node(v);
    int count = 0;
    add_requests(v, false, &node, request, &count);
}
