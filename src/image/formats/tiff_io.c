#include "tiff_io.h"

#include "log.h"

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

static void log_warnings(struct wp_tiff_errors *errors)
{
    for (; errors->logged < errors->warnings && !errors->hold; errors->logged++)
        wp_log(errors->warning[errors->logged].level, "%s: %s", errors->name,
               errors->warning[errors->logged].text);
}

// Unknown tags are logged at level verbose, since private tags of other programs are harmless.
// After WP_TIFF_WARNINGS different warnings, all are suppressed.
static void on_warning(const char *module, const char *format, va_list args)
{
    struct wp_tiff_errors *errors = current;
    (void)module;
    if (!errors || errors->warnings == WP_TIFF_WARNINGS)
        return;
    char *text = errors->warning[errors->warnings].text;
    vsnprintf(text, WP_TIFF_MESSAGE, format, args);
    for (int i = 0; i < errors->warnings; i++)
        if (strcmp(errors->warning[i].text, text) == 0)
            return;
    errors->warning[errors->warnings++].level =
        strstr(format, "Unknown field") ? WP_LOG_VERBOSE : WP_LOG_WARNING;
    log_warnings(errors);
}

void wp_tiff_errors_begin(struct wp_tiff_errors *errors)
{
    if (!errors->hold)
        errors->message[0] = '\0';
    errors->out_of_memory = false;
    errno = 0;
    errors->on_error = TIFFSetErrorHandler(on_error);
    errors->on_error_ext = TIFFSetErrorHandlerExt(NULL);
    errors->on_warning = TIFFSetWarningHandler(on_warning);
    errors->on_warning_ext = TIFFSetWarningHandlerExt(NULL);
    current = errors;
}

void wp_tiff_errors_end(struct wp_tiff_errors *errors)
{
    current = NULL;
    TIFFSetErrorHandler(errors->on_error);
    TIFFSetErrorHandlerExt(errors->on_error_ext);
    TIFFSetWarningHandler(errors->on_warning);
    TIFFSetWarningHandlerExt(errors->on_warning_ext);
}

static int ignore_close(thandle_t handle)
{
    (void)handle; // the file belongs to the caller
    return 0;
}

void wp_tiff_errors_release(struct wp_tiff_errors *errors)
{
    errors->hold = false;
    log_warnings(errors);
}

// ---- Reading ------------------------------------------------------------------------------

// Never returns -1, as libtiff's manual requires: libtiff 4.5 would add it to an address from which
// it clears memory.
static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t count)
{
    struct wp_tiff *t = handle;
    const unsigned long long end = t->at + (unsigned long long)count;
    if (end > t->source.size && end > t->missing)
        t->missing = end;
    if (t->at >= t->source.size)
        return 0;
    const size_t rest = t->source.size - (size_t)t->at;
    const size_t part = (size_t)count < rest ? (size_t)count : rest;
    const size_t done = wp_bytes_read_at(t->bytes, to, part, t->at);
    t->truncated = t->truncated || done < part;
    t->at += done;
    t->read += done;
    return (tmsize_t)done;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t count)
{
    (void)handle, (void)from, (void)count;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    struct wp_tiff *t = handle;
    const unsigned long long base = whence == SEEK_CUR   ? t->at
                                    : whence == SEEK_END ? t->source.size
                                                         : 0;
    return t->at = base + offset;
}

static toff_t get_size(thandle_t handle)
{
    const struct wp_tiff *t = handle;
    return t->source.size;
}

void wp_tiff_begin(struct wp_tiff *t)
{
    t->errors.name = t->source.name;
    wp_tiff_errors_begin(&t->errors);
}

void wp_tiff_end(struct wp_tiff *t)
{
    wp_tiff_errors_end(&t->errors);
}

static TIFF *open_source(struct wp_tiff *t, const char *mode)
{
    // The name would be repeated in libtiff's messages.
    return TIFFClientOpen("file", mode, t, read_bytes, write_nothing, seek, ignore_close, get_size,
                          NULL, NULL);
}

// Reports a file that libtiff cannot open, possibly because of a size that is not supported.
static bool fail_to_open(const struct wp_tiff *t)
{
    struct wp_tiff retry = {.source = t->source, .bytes = t->bytes};
    uint32_t width = 1, height = 1;
    TIFF *tiff = open_source(&retry, "rhm"); // 'h': only the header
    if (tiff) {
        TIFFReadDirectory(tiff); // errors are ignored
        TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
        TIFFClose(tiff);
    }
    return wp_source_check_size(&t->source, width, height) ? wp_tiff_fail(t) : false;
}

bool wp_tiff_open(struct wp_tiff *t, const char *mode)
{
    t->tiff = open_source(t, mode);
    return t->tiff || fail_to_open(t);
}

void wp_tiff_close(struct wp_tiff *t)
{
    if (t->tiff)
        TIFFClose(t->tiff);
    wp_bytes_close(&t->bytes);
}

bool wp_tiff_fail(const struct wp_tiff *t)
{
    if (t->errors.out_of_memory)
        return wp_fail(WP_ERROR_TOO_LARGE, "%s: %s", t->source.name, t->errors.message);
    if (t->truncated)
        return wp_source_fail(&t->source, "was changed while it was read");
    if (t->missing > t->source.size)
        return wp_source_needs(&t->source, t->missing);
    return wp_source_fail(&t->source, "damaged TIFF (%s)",
                          t->errors.message[0] ? t->errors.message : "no usable directory");
}

// An offset that is missing is 0 in libtiff, where the file's header is. It may also be missing
// because memory was exhausted.
bool wp_tiff_has(const struct wp_tiff *t, bool tiled, uint32_t index)
{
    enum { HEADER = 8 };
    if (TIFFGetStrileOffset(t->tiff, index) >= HEADER &&
        TIFFGetStrileByteCount(t->tiff, index) > 0)
        return true;
    return t->errors.out_of_memory
               ? wp_tiff_fail(t)
               : wp_source_fail(&t->source, "damaged TIFF (%s %u is not in the file)",
                                tiled ? "tile" : "strip", index + 1);
}

uint16_t wp_tiff_get16(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

// ---- Writing ------------------------------------------------------------------------------

static tmsize_t read_stream(thandle_t handle, void *to, tmsize_t count)
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

static tmsize_t write_stream(thandle_t handle, void *from, tmsize_t count)
{
    if (handle == reserved.stream) {
        reserved.at += (off_t)count;
        reserved.end = reserved.at > reserved.end ? reserved.at : reserved.end;
        return count;
    }
    return (tmsize_t)fwrite(from, 1, (size_t)count, handle);
}

static toff_t seek_stream(thandle_t handle, toff_t offset, int whence)
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

static toff_t get_stream_size(thandle_t handle)
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
    return TIFFClientOpen("file", mode, stream, read_stream, write_stream, seek_stream,
                          ignore_close, get_stream_size, NULL, NULL);
}

void wp_tiff_set_samples(TIFF *tiff, int width, int height, int planes, bool alpha,
                         enum wp_stored stored)
{
    const bool small = stored == WP_STORED_U8 || stored == WP_STORED_I8;
    const bool medium = stored == WP_STORED_U16 || stored == WP_STORED_I16;
    const bool is_unsigned = stored == WP_STORED_U8 || stored == WP_STORED_U16;
    const int colours = planes >= 3 ? 3 : 1;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)height);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, planes);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, small ? 8 : medium ? 16 : 32);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
                 stored == WP_STORED_FLOAT ? SAMPLEFORMAT_IEEEFP
                 : is_unsigned             ? SAMPLEFORMAT_UINT
                                           : SAMPLEFORMAT_INT);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 colours == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    if (planes > colours) {
        const uint16_t kind = alpha ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
}
