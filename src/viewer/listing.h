// What there is to read and copy of a transform: matrix, shader, diagram.
#ifndef WP_VIEWER_LISTING_H
#define WP_VIEWER_LISTING_H

#include "plan.h"
#include "text.h"

#include <stdbool.h>

struct wp_viewer;

// The operation that the timeline is about: the one done last, else the first. NULL: none.
const struct wp_op *wp_current_op(struct wp_viewer *v);

// The text of the inspector's tab. False where it has none, or after an error.
bool wp_listing_text(struct wp_viewer *v, struct wp_text *text);

// The diagram of A's scheme as SVG. False where there is none, or after an error.
bool wp_listing_diagram(struct wp_viewer *v, struct wp_text *svg);

#endif
