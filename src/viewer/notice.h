// What the window says of errors and of what was done.
#ifndef WP_VIEWER_NOTICE_H
#define WP_VIEWER_NOTICE_H

#include "log.h"

struct wp_viewer;

void wp_viewer_notice(struct wp_viewer *v, enum wp_log_level level, const char *format, ...)
    WP_PRINTF(3, 4);

// To the clipboard, the window's if there is one.
void wp_viewer_copy(struct wp_viewer *v, const char *text);

// Between these, errors become a notice in the window.
void wp_viewer_catch(struct wp_viewer *v);
void wp_viewer_caught(struct wp_viewer *v);

#endif
