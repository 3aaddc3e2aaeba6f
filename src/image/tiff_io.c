#include "tiff_io.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local struct wp_tiff_errors *current;

// The first message is the cause, those that follow are its consequences.
static void on_error(const char *module, const char *format, va_list args)
{
    (void)module;
    if (current && !current->message[0])
        vsnprintf(current->message, sizeof current->message, format, args);
}

void wp_tiff_errors_begin(struct wp_tiff_errors *errors)
{
    errors->message[0] = '\0';
    errors->error = TIFFSetErrorHandler(on_error);
    errors->error_ext = TIFFSetErrorHandlerExt(NULL);
    errors->warning = TIFFSetWarningHandler(NULL);
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
