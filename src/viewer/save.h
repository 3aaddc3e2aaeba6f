// What leaves the viewer: the command for a view, coefficients, pictures, facts for tests.
#ifndef WP_VIEWER_SAVE_H
#define WP_VIEWER_SAVE_H

#include "text.h"

#include <stdbool.h>

struct wp_viewer;

// A space, and a word as a shell takes it.
void wp_viewer_add_word(struct wp_text *text, const char *word);

// The same of an input: "./-a.png" for -a.png, which would be an option.
void wp_viewer_add_input(struct wp_text *text, const char *path);

bool wp_viewer_edited(const struct wp_viewer *v); // coefficients were changed by hand

// The command that makes the coefficients on view. False after an error: there is none.
bool wp_viewer_command(const struct wp_viewer *v, struct wp_text *text);
bool wp_viewer_save_coefficients(struct wp_viewer *v, const char *path, bool overwrite);
bool wp_viewer_save_screenshot(struct wp_viewer *v, const char *path, bool whole, bool overwrite);
// Adds the options that the files are read with.
void wp_viewer_add_read_options(const struct wp_viewer *v, struct wp_text *text);

bool wp_viewer_write_facts(struct wp_viewer *v, const char *path);

#endif
