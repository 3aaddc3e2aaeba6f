// What each component of the quads between two passes holds by then: which samples it has taken the
// place of, and which lifting steps were done on them.
#ifndef WP_POLYPHASE_STATE_H
#define WP_POLYPHASE_STATE_H

#include "plan.h"
#include "text.h"

#include <stdbool.h>

struct wp_polyphase_state {
    enum wp_direction direction;
    int level, component;
    bool begins; // nothing was done at this level yet
    bool ends;   // all was
    struct {
        bool split;    // the level takes this axis apart
        int done, all; // predictions where the component is odd along it, else updates; of the
                       // inverse those undone
        bool part;     // of another one a part (the constants of optimised schemes run early)
    } axis[2];
    bool details;  // signed, about zero
};

extern const char *const wp_polyphase_names[WP_COMPONENTS];  // "even x, even y", …
extern const char *const wp_polyphase_columns[WP_COMPONENTS]; // "even even", …: x, then y

// After so many operations of a plan of passes; 0 is what was loaded.
struct wp_polyphase_state wp_polyphase_state_after(const struct wp_plan *plan, enum wp_direction direction, int ops,
                               int component);

// Lines: the component with the band's name where it is one, then what was done along x and y.
void wp_polyphase_state_describe(const struct wp_polyphase_state *state, struct wp_text *text);
// The same lines in a few letters: "odd even", "x pred. 1/2", "y upd. 1/2".
void wp_polyphase_state_abbreviate(const struct wp_polyphase_state *state, struct wp_text *text);

#endif
