// From the state to textures and figures.
#ifndef WP_VIEWER_UPDATE_H
#define WP_VIEWER_UPDATE_H


struct wp_viewer;

// Brings sources, sides and results up to date with the state.
void wp_viewer_update(struct wp_viewer *v);

void wp_viewer_release(struct wp_viewer *v); // all that it has made

#endif
