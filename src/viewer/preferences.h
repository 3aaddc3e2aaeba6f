// Preferences stored between sessions: panel widths and collapsed panels. Only used with a window,
// so that screenshots do not depend on them.
#ifndef WP_PREFERENCES_H
#define WP_PREFERENCES_H

struct wp_view_state;

// Reads stored preferences. Errors are logged with level verbose.
void wp_preferences_read(struct wp_view_state *state);

// Writes preferences if they have changed.
void wp_preferences_write(const struct wp_view_state *state);

#endif
