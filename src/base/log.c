#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void default_handler(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    if (level <= WP_LOG_WARNING)
        fprintf(stderr, "wavepass: %s: %s\n", level == WP_LOG_ERROR ? "error" : "warning", message);
}

static wp_log_handler current_handler = default_handler;
static void *current_user;
static _Thread_local enum wp_error last_error;
static _Thread_local char last_text[1024];
static _Thread_local int attempts;

void wp_log_set_handler(wp_log_handler handler, void *user)
{
    current_handler = handler ? handler : default_handler;
    current_user = user;
}

static void vlog(enum wp_log_level level, const char *format, va_list args)
{
    va_list copy;
    va_copy(copy, args);
    char small[512];
    const int length = vsnprintf(small, sizeof small, format, args);
    if (length >= (int)sizeof small) {
        char *large = malloc((size_t)length + 1);
        if (large) {
            vsnprintf(large, (size_t)length + 1, format, copy);
            current_handler(current_user, level, large);
            free(large);
            va_end(copy);
            return;
        }
    }
    va_end(copy);
    current_handler(current_user, level, small);
}

void wp_log(enum wp_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vlog(level, format, args);
    va_end(args);
}

bool wp_fail(enum wp_error kind, const char *format, ...)
{
    last_error = kind;
    va_list args;
    va_start(args, format);
    vsnprintf(last_text, sizeof last_text, format, args);
    va_end(args);
    va_start(args, format);
    vlog(attempts > 0 ? WP_LOG_VERBOSE : WP_LOG_ERROR, format, args);
    va_end(args);
    return false;
}

void wp_begin_attempt(void)
{
    attempts++;
}

void wp_end_attempt(void)
{
    attempts--;
}

bool wp_fail_silently(enum wp_error kind)
{
    last_error = kind;
    last_text[0] = '\0';
    return false;
}

enum wp_error wp_last_error(void)
{
    return last_error;
}

void wp_clear_error(void)
{
    last_error = WP_ERROR_NONE;
    last_text[0] = '\0';
}

const char *wp_last_error_text(void)
{
    return last_text;
}
