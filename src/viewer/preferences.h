// What windows keep from one to the next: how wide panels are, and which are folded. Without a
// window nothing is read or written, so that pictures do not depend on what was before.
#ifndef WP_PREFERENCES_H
#define WP_PREFERENCES_H

struct wp_view_state;

// Takes what was kept. What cannot be read is a message of level verbose.
void wp_preferences_read(struct wp_view_state *state);

// Writes it where it differs from what was there.
void wp_preferences_write(const struct wp_view_state *state);

#endif
