// Which of the panels beside the canvas there is room for.
#ifndef WP_PANEL_LAYOUT_H
#define WP_PANEL_LAYOUT_H

struct wp_viewer;

enum { WP_LEFT, WP_RIGHT };
#define WP_STRIP 2.0F // width of a folded one, in lines of text

// Sets v->folded for a window of so many lines of text: where it is too narrow for both, the right
// one folds, then the left one.
void wp_panel_layout_choose(struct wp_viewer *v, float width);

// Folds a panel, or opens it: where there is no room for both, the other one folds.
void wp_panel_layout_fold(struct wp_viewer *v, int side);

#endif
