// Controls of packets: the tree, the selected node, and its sliders.
#include "packet_view.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- The tree and the selected node.

// The costs without a number, and common numbers of the others.
static void choose_cost(struct wp_basis_view *basis)
{
    static const char *const costs[] = {"shannon", "log-energy", "norm:1", "threshold:0.1",
                                        "error:0.1"};
    enum { COSTS = sizeof costs / sizeof *costs };
    const char *list[COSTS + 1];
    int count = 0, now = -1;
    for (; count < COSTS; count++) {
        list[count] = costs[count];
        now = strcmp(basis->cost, costs[count]) == 0 ? count : now;
    }
    if (now < 0) { // one that was set by --cost
        now = count;
        list[count++] = basis->cost;
    }
    if (wp_ui_combo("Cost", &now, list, count))
        snprintf(basis->cost, sizeof basis->cost, "%s", costs[now < COSTS ? now : 0]);
    wp_ui_tooltip("What the best basis makes least (--cost). The setting 'cost' takes other "
                  "numbers.");
}

void wp_panel_packets(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    const int number = wp_packets_selected(v);
    struct wp_node_facts f;
    wp_ui_combo("Tree", &s->packets.basis, wp_basis_names,
                s->packets.tree[0] ? WP_BASES : WP_BASIS_EDITED);
    wp_ui_tooltip("full: all nodes are split. best: the best basis. wavelet: the nodes that the "
                  "decimated bank splits. edited: by hand (/).");
    choose_cost(&s->packets);
    if (!wp_packets_describe(v, number, &f))
        return;
    wp_ui_label("Node", "%s", number > 0 ? s->node : "image");
    wp_ui_label("Leaves", "%d", f.leaves);
    wp_ui_label("Energy", "%.4g %%", 100 * f.share);
    if (f.has_costs)
        wp_ui_label("Cost", "%.5g", f.cost);
    if (f.has_costs && !isnan(f.children))
        wp_ui_label("If split", "%.5g", f.children);
    if (number == 0)
        return;
    if (wp_ui_button(f.split ? "Join###split" : "Split###split"))
        wp_packets_split(v);
    wp_ui_same_line();
    bool zeroed = s->node_gains[number] == 0;
    if (wp_ui_check("Zero###zero node", &zeroed))
        wp_packets_zero(v);
}

// ---- Sliders.

static const float NAME = 3.2F, GAP = 0.6F; // as in scales.c

static void slide_gain(struct wp_viewer *v, const char *name, int number, float width)
{
    double *gain = &v->state.node_gains[number];
    float value = (float)*gain;
    char id[32];
    snprintf(id, sizeof id, "gain %s", name);
    switch (wp_ui_slide_cell(id, width, &value, 0, 4, false, "%.2f")) {
    case WP_UI_SAME: break;
    case WP_UI_CHANGED: *gain = round((double)value * 1000) / 1000; break;
    case WP_UI_RESET: *gain = 1; break;
    }
}

// The threshold that is shown is that of the nearest node above that has one.
static void slide_limit(struct wp_viewer *v, const char *name, int number, float width)
{
    struct wp_view_state *s = &v->state;
    int from = number;
    while (from > 0 && s->node_limits[from] < 0)
        from = wp_node_parent(from);
    const bool none = s->threshold == WP_THRESHOLD_NONE;
    float value = (float)(none ? 0 : from > 0 ? s->node_limits[from] : s->limit);
    char id[32];
    snprintf(id, sizeof id, "threshold %s", name);
    switch (wp_ui_slide_cell(id, width, &value, 0, 2 * wp_viewer_peak(v), true, "%.3g")) {
    case WP_UI_SAME: break;
    case WP_UI_CHANGED:
        if (none) { // the first threshold does not change other nodes
            wp_view_reset_limits(s);
            s->threshold = WP_THRESHOLD_SOFT;
            s->limit = 0;
        }
        s->node_limits[number] = round((double)value * 1e5) / 1e5;
        break;
    case WP_UI_RESET: s->node_limits[number] = -1; break;
    }
}

void wp_panel_node_scales(struct wp_viewer *v)
{
    const float em = wp_ui_em(), width = 0.5F * (wp_ui_width_left() - (NAME + GAP) * em);
    int path[WP_NODE_LEVELS], count = 0;
    for (int n = wp_packets_selected(v); n > 0; n = wp_node_parent(n))
        path[count++] = n;
    if (count == 0) {
        wp_ui_text(WP_UI_DIM | WP_UI_WRAPPED, "Select a node by a click, or by the keys 1 to 4.");
        return;
    }
    wp_ui_text(WP_UI_DIM, "Node");
    wp_ui_at(NAME * em);
    wp_ui_text(WP_UI_DIM, "Gain");
    wp_ui_at((NAME + GAP) * em + width);
    wp_ui_text(WP_UI_DIM, "Threshold");
    // From the first level to the selected node. Gains of a leaf are multiplied.
    while (count-- > 0) {
        char name[WP_NODE_NAME];
        wp_node_name(path[count], name);
        wp_ui_cell_text(count == 0 ? WP_UI_TEXT : WP_UI_DIM, name);
        wp_ui_at(NAME * em);
        slide_gain(v, name, path[count], width);
        wp_ui_at((NAME + GAP) * em + width);
        slide_limit(v, name, path[count], width);
    }
}
