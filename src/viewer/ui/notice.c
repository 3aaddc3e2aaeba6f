#include "viewer_struct.h"

#include <stdarg.h>

void wp_viewer_notice(struct wp_viewer *v, enum wp_log_level level, const char *format, ...)
{
    static const double SECONDS = 8;
    struct wp_text text = {0}; // the arguments may be of the current notice
    va_list args;
    va_start(args, format);
    wp_text_add_list(&text, format, args);
    va_end(args);
    wp_text_free(&v->notice);
    v->notice = text;
    v->notice_level = level;
    v->notice_until = v->now + SECONDS;
    v->dirty = true;
}

void wp_viewer_catch(struct wp_viewer *v)
{
    wp_text_clear(&v->captured);
    if (!v->strict)
        v->params->capture(&v->captured);
}

void wp_viewer_caught(struct wp_viewer *v)
{
    if (!v->strict)
        v->params->capture(NULL);
    if (v->captured.length)
        wp_viewer_notice(v, WP_LOG_ERROR, "%s", wp_text_get(&v->captured));
}

void wp_viewer_copy(struct wp_viewer *v, const char *text)
{
    wp_text_clear(&v->clipboard);
    wp_text_add(&v->clipboard, "%s", text);
    if (v->set_clipboard)
        v->set_clipboard(v, text);
}
