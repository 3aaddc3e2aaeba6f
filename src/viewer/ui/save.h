// Output of the viewer: commands, coefficients, screenshots, and facts for tests.
#ifndef WP_VIEWER_SAVE_H
#define WP_VIEWER_SAVE_H

#include "schedule.h"
#include "text.h"

#include <stdbool.h>

struct wp_viewer;

// Appends an option and a word, quoted for a shell, if it is not NULL.
void wp_viewer_add_option(struct wp_text *text, const char *option, const char *word);

// Appends a path, quoted for a shell, with "./" before a path that would be read as an option.
void wp_viewer_add_input(struct wp_text *text, const char *path);

bool wp_viewer_edited(const struct wp_viewer *v); // the coefficients have edits

// Appends the command that computes what is shown. False after an error.
bool wp_viewer_command(const struct wp_viewer *v, struct wp_text *text);
bool wp_viewer_save_coefficients(struct wp_viewer *v, const char *path, bool overwrite);
bool wp_viewer_save_screenshot(struct wp_viewer *v, const char *path, bool full_window,
                               bool overwrite);
// Writes the diagram of A's scheme as SVG. False if there is none, or after an error.
bool wp_viewer_save_diagram(struct wp_viewer *v, const char *path, bool overwrite);
// Appends the options for reading the input file.
void wp_viewer_add_read_options(const struct wp_viewer *v, struct wp_text *text);

bool wp_viewer_write_facts(struct wp_viewer *v, const char *path);

// The latest operation executed by the timeline, or the first one. NULL without operations.
const struct wp_op *wp_current_op(struct wp_viewer *v);

// Appends the text of the inspector's tab. False if it has no text, or after an error.
bool wp_listing_text(struct wp_viewer *v, struct wp_text *text);

#endif
