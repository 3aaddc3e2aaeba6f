// Notices in the window: errors and results of actions.
#ifndef WP_VIEWER_NOTICE_H
#define WP_VIEWER_NOTICE_H

#include "log.h"

struct wp_viewer;

void wp_viewer_notice(struct wp_viewer *v, enum wp_log_level level, const char *format, ...)
    WP_PRINTF(3, 4);

// Copies text to the clipboard, also to the window's if there is a window.
void wp_viewer_copy(struct wp_viewer *v, const char *text);

// Errors between these calls are shown as a notice.
void wp_viewer_catch(struct wp_viewer *v);
void wp_viewer_caught(struct wp_viewer *v);

#endif
