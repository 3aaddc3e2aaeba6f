// Decides which side panels fit into the window.
#ifndef WP_PANEL_LAYOUT_H
#define WP_PANEL_LAYOUT_H

struct wp_viewer;

enum { WP_LEFT, WP_RIGHT };
#define WP_STRIP 2.0F // width of a collapsed panel, in lines of text

// Sets v->folded for a window `width` lines of text wide. If there is not enough space, the right
// panel is collapsed first, then the left one.
void wp_panel_layout_choose(struct wp_viewer *v, float width);

// Collapses or expands a panel. Collapses the other one if both do not fit.
void wp_panel_layout_fold(struct wp_viewer *v, int panel);

#endif
