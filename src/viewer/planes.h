// Labels on the polyphase planes between two passes.
#ifndef WP_VIEWER_PLANES_H
#define WP_VIEWER_PLANES_H

struct wp_viewer;

void wp_planes_overlay(struct wp_viewer *v);

#endif
