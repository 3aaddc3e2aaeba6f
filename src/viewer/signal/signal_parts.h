// Computation of the bands of a row. Internal to this folder.
#ifndef WP_VIEWER_SIGNAL_PARTS_H
#define WP_VIEWER_SIGNAL_PARTS_H

#include "signal_view.h"

// Computes v->signal.of[ab] from the row of the state, if its source has changed. Errors are notices.
void wp_signal_update_row(struct wp_viewer *v, int ab);

#endif
