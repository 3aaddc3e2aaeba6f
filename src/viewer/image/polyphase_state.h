// The state of each polyphase component between two passes: which lifting steps have been applied.
#ifndef WP_POLYPHASE_STATE_H
#define WP_POLYPHASE_STATE_H

#include "schedule.h"
#include "text.h"

#include <stdbool.h>

struct wp_polyphase_state {
    enum wp_direction direction;
    int level, component;
    bool begins; // no step of this level has been applied
    bool ends;   // all steps have
    struct {
        bool split;    // the level is transformed along this axis
        int done, all; // predictions if the component is odd along the axis, else updates; for
                       // the inverse those undone
        bool part;     // a step is applied in part (optimized schemes apply constants early)
    } axis[2];
    bool details;  // signed details
};

extern const char *const wp_polyphase_names[WP_COMPONENTS];  // "even x, even y", …
extern const char *const wp_polyphase_columns[WP_COMPONENTS]; // "even even", …: x, then y

// The state after `ops` operations of a schedule of passes; 0: after loading.
struct wp_polyphase_state wp_polyphase_state_after(const struct wp_schedule *schedule,
                                                   enum wp_direction direction, int ops,
                                                   int component);

// Appends lines: the component, with the band's name if it is complete, then the steps along x and
// y; or `brief` lines: "odd even", "x pred. 1/2", "y upd. 1/2".
void wp_polyphase_state_describe(const struct wp_polyphase_state *state, bool brief,
                                 struct wp_text *text);

#endif
