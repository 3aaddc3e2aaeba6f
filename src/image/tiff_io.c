#include "tiff_io.h"

#include "log.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local struct wp_tiff_errors *current;

// Keeps the first message of libtiff, the cause; later ones are consequences.
static void on_error(const char *module, const char *format, va_list args)
{
    (void)module;
    if (!current || current->message[0])
        return;
    current->out_of_memory = errno == ENOMEM;
    vsnprintf(current->message, sizeof current->message, format, args);
}

// True for messages not logged before. After WP_TIFF_MESSAGES different ones, all are suppressed.
static bool is_new(struct wp_tiff_messages *messages, const char *text)
{
    const unsigned long long hash = wp_hash(text);
    for (int i = 0; i < messages->count; i++)
        if (messages->hash[i] == hash)
            return false;
    if (messages->count == WP_TIFF_MESSAGES)
        return false;
    messages->hash[messages->count++] = hash;
    return true;
}

// Unknown tags are logged at level verbose, since private tags of other programs are harmless.
static void on_warning(const char *module, const char *format, va_list args)
{
    char text[sizeof current->message];
    (void)module;
    if (!current)
        return;
    vsnprintf(text, sizeof text, format, args);
    if (is_new(current->messages, text))
        wp_log(strstr(format, "Unknown field") ? WP_LOG_VERBOSE : WP_LOG_WARNING, "%s: %s",
               current->name, text);
}

void wp_tiff_errors_begin(struct wp_tiff_errors *errors, const char *name,
                          struct wp_tiff_messages *messages)
{
    errors->message[0] = '\0';
    errors->out_of_memory = false;
    errno = 0;
    errors->name = name;
    errors->messages = messages;
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

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t count)
{
    return (tmsize_t)fread(to, 1, (size_t)count, handle);
}

// The position and the end of the stream between wp_tiff_begin_reserve() and wp_tiff_end_reserve().
static _Thread_local struct {
    FILE *stream;
    off_t at, end;
} reserved;

void wp_tiff_begin_reserve(FILE *stream)
{
    fseeko(stream, 0, SEEK_END);
    reserved.at = reserved.end = ftello(stream);
    reserved.stream = stream;
}

bool wp_tiff_end_reserve(void)
{
    FILE *stream = reserved.stream;
    reserved.stream = NULL;
    if (fflush(stream) == 0 && ftruncate(fileno(stream), reserved.end) == 0 &&
        fseeko(stream, reserved.end, SEEK_SET) == 0)
        return true;
    if (current && !current->message[0])
        snprintf(current->message, sizeof current->message, "%s", strerror(errno));
    return false;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count)
{
    if (handle == reserved.stream) {
        reserved.at += (off_t)count;
        reserved.end = reserved.at > reserved.end ? reserved.at : reserved.end;
        return count;
    }
    return (tmsize_t)fwrite(from, 1, (size_t)count, handle);
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    FILE *stream = handle;
    if (stream == reserved.stream) {
        reserved.at = (off_t)offset + (whence == SEEK_END   ? reserved.end
                                       : whence == SEEK_CUR ? reserved.at
                                                            : 0);
        return (toff_t)reserved.at;
    }
    return fseeko(stream, (off_t)offset, whence) == 0 ? (toff_t)ftello(stream) : (toff_t)-1;
}

static int ignore_close(thandle_t handle)
{
    (void)handle; // the stream belongs to the output
    return 0;
}

static toff_t get_size(thandle_t handle)
{
    FILE *stream = handle;
    if (stream == reserved.stream)
        return (toff_t)reserved.end;
    const off_t at = ftello(stream);
    fseeko(stream, 0, SEEK_END);
    const off_t size = ftello(stream);
    fseeko(stream, at, SEEK_SET);
    return (toff_t)size;
}

TIFF *wp_tiff_open_stream(FILE *stream, const char *mode)
{
    return TIFFClientOpen("file", mode, stream, read_bytes, write_bytes, seek, ignore_close,
                          get_size, NULL, NULL);
}
