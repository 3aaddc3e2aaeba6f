#include "tiff_io.h"

#include "log.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct wp_tiff_errors *current;

// The first message is the cause, those that follow are its consequences.
static void on_error(const char *module, const char *format, va_list args)
{
    (void)module;
    if (!current || current->message[0])
        return;
    current->is_short = errno == ENOMEM;
    vsnprintf(current->message, sizeof current->message, format, args);
}

// After so many different ones the rest is no news.
static bool is_news(struct wp_tiff_told *told, const char *text)
{
    const unsigned long long hash = wp_hash(text);
    for (int i = 0; i < told->count; i++)
        if (told->hash[i] == hash)
            return false;
    if (told->count == WP_TIFF_TOLD)
        return false;
    told->hash[told->count++] = hash;
    return true;
}

// Tags that libtiff does not know are what other programs keep for themselves: no harm.
static void on_warning(const char *module, const char *format, va_list args)
{
    char text[sizeof current->message];
    (void)module;
    if (!current)
        return;
    vsnprintf(text, sizeof text, format, args);
    if (is_news(current->told, text))
        wp_log(strstr(format, "Unknown field") ? WP_LOG_VERBOSE : WP_LOG_WARNING, "%s: %s",
               current->name, text);
}

void wp_tiff_errors_begin(struct wp_tiff_errors *errors, const char *name,
                          struct wp_tiff_told *told)
{
    errors->message[0] = '\0';
    errors->is_short = false;
    errno = 0;
    errors->name = name;
    errors->told = told;
    errors->error = TIFFSetErrorHandler(on_error);
    errors->error_ext = TIFFSetErrorHandlerExt(NULL);
    errors->warning = TIFFSetWarningHandler(on_warning);
    errors->warning_ext = TIFFSetWarningHandlerExt(NULL);
    current = errors;
}

void wp_tiff_errors_end(struct wp_tiff_errors *errors)
{
    current = NULL;
    TIFFSetErrorHandler(errors->error);
    TIFFSetErrorHandlerExt(errors->error_ext);
    TIFFSetWarningHandler(errors->warning);
    TIFFSetWarningHandlerExt(errors->warning_ext);
}
