#include "tiff_view.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Returns the number of bytes read; fewer than `count` if the file was truncated or on errors.
static size_t read_at(const struct wp_tiff_view *view, unsigned long long at, unsigned char *to,
                      size_t count)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t got = pread(view->file, to + done, count - done, (off_t)(at + done));
        if (got <= 0 && !(got < 0 && errno == EINTR))
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return done;
}

bool wp_tiff_view_read_at(const struct wp_tiff_view *view, unsigned long long at, unsigned char *to,
                          size_t count)
{
    if (view->file >= 0)
        return read_at(view, at, to, count) == count;
    if (at > view->source->size || count > view->source->size - at)
        return false;
    memcpy(to, view->source->data + at, count);
    return true;
}

// Never returns -1, as libtiff's manual requires: libtiff 4.5 would add it to an address from which
// it clears memory.
static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t count)
{
    struct wp_tiff_view *view = handle;
    const unsigned long long end = view->at + (unsigned long long)count;
    if (end > view->source->size && end > view->missing)
        view->missing = end;
    if (view->at >= view->source->size)
        return 0;
    const size_t rest = view->source->size - (size_t)view->at;
    const size_t got = (size_t)count < rest ? (size_t)count : rest;
    if (view->file < 0)
        memcpy(to, view->source->data + view->at, got);
    const size_t done = view->file < 0 ? got : read_at(view, view->at, to, got);
    view->truncated = view->truncated || done < got;
    view->at += done;
    view->read += done;
    return (tmsize_t)done;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count)
{
    (void)handle, (void)from, (void)count;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    struct wp_tiff_view *view = handle;
    const unsigned long long base = whence == SEEK_CUR   ? view->at
                                    : whence == SEEK_END ? view->source->size
                                                         : 0;
    return view->at = base + offset;
}

static int ignore_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t get_size(thandle_t handle)
{
    const struct wp_tiff_view *view = handle;
    return view->source->size;
}

TIFF *wp_tiff_view_open(struct wp_tiff_view *view, const char *mode)
{
    // The name would be repeated in libtiff's messages.
    return TIFFClientOpen("file", mode, view, read_bytes, write_bytes, seek, ignore_close,
                          get_size, NULL, NULL);
}

void wp_tiff_view_report(const struct wp_tiff_view *view, const struct wp_tiff_errors *errors)
{
    if (errors->out_of_memory)
        wp_fail(WP_ERROR_TOO_LARGE, "%s: %s", view->source->name, errors->message);
    else if (view->truncated)
        wp_source_fail(view->source, "was changed while it was read");
    else if (view->missing > view->source->size)
        wp_source_needs(view->source, view->missing);
    else
        wp_source_fail(view->source, "damaged TIFF (%s)",
                       errors->message[0] ? errors->message : "no usable directory");
}

// Reports a file that libtiff cannot open, possibly because of a size that is not supported.
void wp_tiff_view_report_unopened(const struct wp_tiff_view *view,
                                  const struct wp_tiff_errors *errors)
{
    struct wp_tiff_view retry = {.source = view->source, .file = view->file};
    uint32_t width = 1, height = 1;
    TIFF *tiff = wp_tiff_view_open(&retry, "rhm"); // 'h': only the header
    if (tiff) {
        TIFFReadDirectory(tiff); // errors are ignored
        TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
        TIFFClose(tiff);
    }
    if (wp_source_check_size(view->source, width, height))
        wp_tiff_view_report(view, errors);
}

// An offset that is missing is 0 in libtiff, where the file's header is. It may also be missing
// because memory was exhausted.
bool wp_tiff_view_has(const struct wp_tiff_view *view, TIFF *tiff,
                      const struct wp_tiff_errors *errors, bool tiled, uint32_t index)
{
    enum { HEADER = 8 };
    if (TIFFGetStrileOffset(tiff, index) >= HEADER && TIFFGetStrileByteCount(tiff, index) > 0)
        return true;
    if (errors->out_of_memory) {
        wp_tiff_view_report(view, errors);
        return false;
    }
    return wp_source_fail(view->source, "damaged TIFF (%s %u is not in the file)",
                          tiled ? "tile" : "strip", index + 1);
}
