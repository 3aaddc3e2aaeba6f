// Tiles of leaves, lines and names over them, and facts of nodes as text.
#include "packet_view.h"

#include "json_value.h"
#include "viewer_struct.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

// ---- Tiles.

// The root of what is shown: the selected node, or the image.
static struct wp_packet shown_root(const struct wp_viewer *v)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    struct wp_packet node = wp_packet_root(d);
    bool split;
    if (v->state.mode == WP_VIEW_BAND)
        wp_tree_find(d, wp_packets_selected(v), &node, &split);
    return node;
}

static bool contains(const struct wp_band_grid *outer, const struct wp_band_grid *inner)
{
    bool inside = true;
    for (int a = WP_X; a <= WP_Y; a++)
        inside = inside && inner->first[a] >= outer->first[a] &&
                 inner->first[a] + inner->size[a] <= outer->first[a] + outer->size[a];
    return inside;
}

// The range of a leaf, or the largest one of all but the lowest.
static void set_range(const struct wp_viewer *v, const struct wp_instance_packets *p, int leaf,
                      struct wp_tile *tile)
{
    const struct wp_measure *m = &p->measure[leaf];
    const bool single = v->state.impulse;
    tile->picture = leaf == 0;
    if (v->state.range == WP_RANGE_FIXED)
        return;
    if (tile->picture) {
        const bool wide = m->most > m->least;
        tile->low = wide ? (float)m->least : 0;
        tile->high = wide ? (float)m->most : tile->high;
        return;
    }
    tile->high = (float)wp_measure_spread(m, single);
    for (int i = 1; i < p->leaves && v->state.range == WP_RANGE_ALL; i++)
        tile->high = fmaxf(tile->high, (float)wp_measure_spread(&p->measure[i], single));
}

static void add_leaf(struct wp_viewer *v, int number, const struct wp_packet *root)
{
    static const char *const names[WP_COMPONENTS] = {"node", "", "", ""};
    const struct wp_instance *a = v->instance[WP_A];
    const struct wp_packet *leaf = &a->packets->leaf[number];
    const int x = leaf->grid.first[WP_X], y = leaf->grid.first[WP_Y];
    const float unit[] = {1, 1};
    struct wp_tile *tile = wp_tile_add(v, (float)(x - root->grid.first[WP_X]),
                                       (float)(y - root->grid.first[WP_Y]), unit,
                                       leaf->grid.size[WP_X], leaf->grid.size[WP_Y]);
    if (!tile)
        return;
    tile->level = leaf->level;
    tile->band = number;
    tile->component = 0;
    tile->names = names;
    wp_node_name(wp_node_of(&a->description, leaf), tile->node);
    for (int ab = WP_A; ab <= (wp_viewer_shows_both(v) ? WP_B : WP_A); ab++)
        for (int p = 0; p < tile->planes; p++)
            tile->quads[ab][p] =
                (struct wp_quads){&v->instance[ab][p].packets->texture, x, y};
    set_range(v, a->packets, number, tile);
}

bool wp_packets_make_tiles(struct wp_viewer *v)
{
    const struct wp_instance_packets *p = v->instance[WP_A]->packets;
    const int mode = v->state.mode;
    if (!wp_packets_shown(v) || p->leaf[0].level == 0 ||
        (mode != WP_VIEW_MOSAIC && mode != WP_VIEW_BAND))
        return false;
    const struct wp_packet root = shown_root(v);
    v->tiles = 0;
    v->view_width = v->view_height = 0;
    for (int i = 0; i < p->leaves; i++)
        if (contains(&root.grid, &p->leaf[i].grid))
            add_leaf(v, i, &root);
    return true;
}

// ---- The overlay.

struct frame {
    float x, y, width, height; // on the screen
};

static struct frame frame_of(const struct wp_pane *pane, const struct wp_packet *root,
                             const struct wp_packet *node)
{
    struct frame f;
    const double x = node->grid.first[WP_X] - root->grid.first[WP_X];
    const double y = node->grid.first[WP_Y] - root->grid.first[WP_Y];
    wp_pane_to_screen(pane, x, y, &f.x, &f.y);
    f.width = (float)((double)node->grid.size[WP_X] * pane->zoom);
    f.height = (float)((double)node->grid.size[WP_Y] * pane->zoom);
    return f;
}

// The lines between the children of a node; those of outer levels are thicker.
static void draw_split(const struct wp_pane *pane, const struct wp_description *d,
                       const struct wp_packet *root, const struct wp_packet *node)
{
    static const float thickness[WP_NODE_LEVELS] = {5, 3.5F, 2.5F, 1.5F, 1};
    const struct frame all = frame_of(pane, root, node);
    const float wide = thickness[node->level];
    const unsigned axes = wp_packet_axes(d);
    const struct wp_packet last = wp_packet_child(d, node, wp_packet_children(d) - 1);
    const struct frame high = frame_of(pane, root, &last);
    if (fminf(all.width, all.height) < 3 * wide)
        return;
    if (axes >> WP_X & 1)
        wp_ui_draw_rect(high.x - 0.5F * wide, all.y, wide, all.height, WP_UI_BLACK, 0.85F);
    if (axes >> WP_Y & 1)
        wp_ui_draw_rect(all.x, high.y - 0.5F * wide, all.width, wide, WP_UI_BLACK, 0.85F);
}

// The name of a leaf, if it fits.
static void draw_name(const struct frame *f, const char *name)
{
    const float em = wp_ui_em();
    if (f->width > wp_ui_text_width(name) + 1.3F * em && f->height > 1.9F * em)
        wp_canvas_label(f->x + 3, f->y + 3, WP_UI_WHITE, "%s", name);
}

// A node that is selected or under the pointer. The name of one that is split is in the middle,
// because those of its leaves are in the corners.
static void draw_marked(const struct frame *f, const char *name, bool split, bool selected)
{
    const enum wp_ui_colour colour = selected ? WP_UI_ACCENT : WP_UI_WARNING;
    const float em = wp_ui_em(), width = wp_ui_text_width(name) + 0.7F * em;
    wp_ui_draw_frame(f->x, f->y, f->width, f->height, colour, selected ? 3.0F : 2.0F);
    if (split)
        wp_canvas_label(floorf(f->x + 0.5F * (f->width - width)),
                        floorf(f->y + 0.5F * f->height - 0.65F * em), colour, "%s", name);
    else
        wp_canvas_label(f->x + 3, f->y + 3, colour, "%s", name);
}

static void draw_overlay(const struct wp_viewer *v, const struct wp_pane *pane)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    const struct wp_tile *hover = v->hover_tile >= 0 ? &v->tile[v->hover_tile] : NULL;
    const struct wp_packet root = shown_root(v);
    const int levels = wp_description_levels(d), selected = wp_packets_selected(v);
    // From the last level on, so that outer lines are above inner ones.
    for (int level = levels - 1; level >= 0; level--) {
        struct wp_packet_walk walk = {.description = d};
        while (wp_packet_next(&walk))
            if (walk.split && walk.node.level == level &&
                contains(&root.grid, &walk.node.grid))
                draw_split(pane, d, &root, &walk.node);
    }
    for (int pass = 0; pass < 2; pass++) { // names, then frames above them
        struct wp_packet_walk walk = {.description = d};
        while (wp_packet_next(&walk)) {
            char name[WP_PACKET_NAME_SIZE];
            wp_packet_name(d, &walk.node, name);
            const bool is_selected = selected > 0 && wp_node_of(d, &walk.node) == selected;
            const bool is_hovered = hover && hover->node[0] && strcmp(hover->node, name) == 0;
            const struct frame f = frame_of(pane, &root, &walk.node);
            if (!contains(&root.grid, &walk.node.grid))
                continue;
            const bool is_marked = is_hovered || (is_selected && walk.node.level > root.level);
            if (pass == 0 && !walk.split && !is_marked)
                draw_name(&f, name);
            if (pass == 1 && is_marked)
                draw_marked(&f, name, walk.split, is_selected);
        }
    }
}

void wp_packets_overlay(const struct wp_viewer *v)
{
    for (int p = 0; p < v->panes && v->tiles > 0 && v->tile[0].node[0]; p++) {
        const struct wp_rect_f *r = &v->pane[p].r;
        wp_ui_clip(r->x, r->y, r->width, r->height);
        draw_overlay(v, &v->pane[p]);
        wp_ui_unclip();
    }
}

// ---- Facts.

// The node under the pointer, or the selected one; -1: none.
static int described(const struct wp_viewer *v)
{
    const struct wp_tile *tile = v->hover_tile >= 0 ? &v->tile[v->hover_tile] : NULL;
    if (tile && tile->node[0])
        return wp_node_find(tile->node, strlen(tile->node));
    return wp_packets_selected(v) > 0 ? wp_packets_selected(v) : -1;
}

void wp_packets_add_status(const struct wp_viewer *v, struct wp_text *text)
{
    struct wp_node_facts f;
    const int number = wp_packets_shown(v) ? described(v) : -1;
    char name[WP_NODE_NAME];
    if (number < 0 || !wp_packets_describe(v, number, &f))
        return;
    wp_node_name(number, name);
    if (text->length == 0)
        wp_text_add(text, "%s", name);
    wp_text_add(text, "   level %d, %dx%d, energy %.3g %%", f.node.level, f.node.grid.size[WP_X],
                f.node.grid.size[WP_Y], 100 * f.share);
    if (f.has_costs)
        wp_text_add(text, ", cost %.4g", f.cost);
    if (f.has_costs && !isnan(f.children))
        wp_text_add(text, " (split %.4g)", f.children);
    wp_text_add(text, "   ");
}

json_t *wp_packets_facts(const struct wp_viewer *v)
{
    const struct wp_instance *a = v->instance[WP_A];
    struct wp_node_facts f;
    if (!wp_packets_shown(v) || !wp_packets_describe(v, wp_packets_selected(v), &f))
        return json_null();
    return json_pack("{s:s, s:s, s:i, s:i, s:[i,i], s:b, s:f, s:o, s:o}", "tree",
                     a->description.tree ? a->description.tree : "", "node", v->state.node, "nodes",
                     a->packets->leaves, "level", f.node.level, "size", f.node.grid.size[WP_X],
                     f.node.grid.size[WP_Y], "split", (int)f.split, "share", f.share, "cost",
                     f.has_costs ? wp_json_number(f.cost) : json_null(), "children",
                     f.has_costs ? wp_json_number(f.children) : json_null());
}
