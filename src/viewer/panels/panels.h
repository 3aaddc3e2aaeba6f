// Panels around the canvas: panels.c, inspector.c, scales.c, popups.c.
#ifndef WP_VIEWER_PANELS_H
#define WP_VIEWER_PANELS_H

#include "viewer_struct.h"

void wp_panel_menu(struct wp_viewer *v, float *height);
void wp_panel_controls(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_inspector(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_timeline(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_slices(struct wp_viewer *v); // a slider below each pane
void wp_panel_scales(struct wp_viewer *v); // a tab of the inspector
void wp_panel_status(struct wp_viewer *v, struct wp_rect_f r);
void wp_panel_popups(struct wp_viewer *v);

// Shared parts of panels: a button of an action, wavelet and channel selection, a slider for
// doubles, display settings, status line.
void wp_panel_button(struct wp_viewer *v, const char *label, const char *action);
void wp_panel_wavelet(struct wp_viewer *v, int ab);
void wp_panel_channel(struct wp_viewer *v);
void wp_panel_slide(const char *label, double *value, float least, float most, bool logarithmic,
                    const char *format);
void wp_panel_display(struct wp_view_state *s);
void wp_panel_status_line(struct wp_rect_f r, const char *text);

#endif
