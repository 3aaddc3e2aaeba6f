// Text of a transform to read and copy: matrix, shader, diagram.
#ifndef WP_VIEWER_LISTING_H
#define WP_VIEWER_LISTING_H

#include "schedule.h"
#include "text.h"

#include <stdbool.h>

struct wp_viewer;

// The latest operation executed by the timeline, or the first one. NULL without operations.
const struct wp_op *wp_current_op(struct wp_viewer *v);

// Appends the text of the inspector's tab. False if it has no text, or after an error.
bool wp_listing_text(struct wp_viewer *v, struct wp_text *text);

// Appends the diagram of A's scheme as SVG. False if there is none, or after an error.
bool wp_listing_diagram(struct wp_viewer *v, struct wp_text *svg);

#endif
