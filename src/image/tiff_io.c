#include "tiff_io.h"

#include "log.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
static bool is_news(struct wp_tiff_messages *messages, const char *text)
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

// Tags that libtiff does not know are what other programs keep for themselves: no harm.
static void on_warning(const char *module, const char *format, va_list args)
{
    char text[sizeof current->message];
    (void)module;
    if (!current)
        return;
    vsnprintf(text, sizeof text, format, args);
    if (is_news(current->messages, text))
        wp_log(strstr(format, "Unknown field") ? WP_LOG_VERBOSE : WP_LOG_WARNING, "%s: %s",
               current->name, text);
}

void wp_tiff_errors_begin(struct wp_tiff_errors *errors, const char *name,
                          struct wp_tiff_messages *messages)
{
    errors->message[0] = '\0';
    errors->is_short = false;
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

// Where the stream would be, and its end, if all had been written.
static _Thread_local struct {
    FILE *stream;
    off_t at, end;
} room;

void wp_tiff_begin_memory(FILE *stream)
{
    fseeko(stream, 0, SEEK_END);
    room.at = room.end = ftello(stream);
    room.stream = stream;
}

bool wp_tiff_end_memory(void)
{
    FILE *stream = room.stream;
    room.stream = NULL;
    if (fflush(stream) == 0 && ftruncate(fileno(stream), room.end) == 0 &&
        fseeko(stream, room.end, SEEK_SET) == 0)
        return true;
    if (current && !current->message[0])
        snprintf(current->message, sizeof current->message, "%s", strerror(errno));
    return false;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count)
{
    if (handle == room.stream) {
        room.at += (off_t)count;
        room.end = room.at > room.end ? room.at : room.end;
        return count;
    }
    return (tmsize_t)fwrite(from, 1, (size_t)count, handle);
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    FILE *stream = handle;
    if (stream == room.stream) {
        room.at = (off_t)offset + (whence == SEEK_END ? room.end : whence == SEEK_CUR ? room.at : 0);
        return (toff_t)room.at;
    }
    return fseeko(stream, (off_t)offset, whence) == 0 ? (toff_t)ftello(stream) : (toff_t)-1;
}

static int close_nothing(thandle_t handle)
{
    (void)handle; // the stream belongs to the output
    return 0;
}

static toff_t get_size(thandle_t handle)
{
    FILE *stream = handle;
    if (stream == room.stream)
        return (toff_t)room.end;
    const off_t at = ftello(stream);
    fseeko(stream, 0, SEEK_END);
    const off_t size = ftello(stream);
    fseeko(stream, at, SEEK_SET);
    return (toff_t)size;
}

TIFF *wp_tiff_open_stream(FILE *stream, const char *mode)
{
    return TIFFClientOpen("file", mode, stream, read_bytes, write_bytes, seek, close_nothing,
                          get_size, NULL, NULL);
}
