#include "bytes.h"

#include "decoder.h"
#include "xmemory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = WP_BYTES_PEEK };

struct wp_bytes {
    char *name;
    int file;                   // -1 if `data` has all bytes
    struct wp_decoder *decoder; // the process that writes to `file`, or NULL
    unsigned char *buffer;      // NULL if `data` belongs to the caller
    const unsigned char *data;
    size_t at, have; // read position and number of bytes in `data`
    bool known;      // `size` is valid
    unsigned long long size;
    struct stat opened; // when the file was opened
};

static struct wp_bytes *create(const char *name, int file)
{
    struct wp_bytes *bytes = wp_xcalloc(1, sizeof *bytes);
    bytes->name = wp_xstrdup(name);
    bytes->file = file;
    return bytes;
}

// Returns -1 after an error.
static int open_to_read(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (file < 0) {
        if (errno == ENOENT)
            wp_fail(WP_ERROR_FILE, "%s: no such file", path);
        else
            wp_fail(wp_error_of_errno(), "cannot read %s (%s)", path, strerror(errno));
    } else if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
        wp_fail(WP_ERROR_FILE, "%s: is a directory", path);
        close(file);
        return -1;
    }
    return file;
}

static struct wp_bytes *open_file(const char *path)
{
    const bool standard = strcmp(path, "-") == 0;
    const int file = standard ? STDIN_FILENO : open_to_read(path);
    if (file < 0)
        return NULL;
    struct wp_bytes *bytes = create(standard ? "standard input" : path, file);
    bytes->buffer = wp_xcalloc(BUFFER_SIZE, 1);
    bytes->data = bytes->buffer;
    bytes->known = fstat(file, &bytes->opened) == 0 && S_ISREG(bytes->opened.st_mode);
    bytes->size = bytes->known ? (unsigned long long)bytes->opened.st_size : 0;
    return bytes;
}

// Replaces the file by the output of a video decoder.
static bool decode(struct wp_bytes *bytes, const char *path)
{
    int file = -1;
    bytes->decoder = wp_decoder_start(path, &file);
    if (!bytes->decoder)
        return false;
    if (bytes->file > STDIN_FILENO)
        close(bytes->file);
    bytes->file = file;
    bytes->at = bytes->have = 0;
    bytes->known = false;
    return true;
}

// Returns the part of the path after `prefix`, or NULL if the path does not begin with it.
static const char *after_prefix(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 ? path + length : NULL;
}

// Opens the file of "y4m:PATH" and checks its magic number.
static struct wp_bytes *open_y4m(const char *path)
{
    static const char magic[] = "YUV4MPEG2";
    const unsigned char *head;
    size_t size;
    struct wp_bytes *bytes = open_file(path);
    if (bytes && !(wp_bytes_peek(bytes, WP_BYTES_MAGIC, &head, &size) &&
                   ((size >= sizeof magic - 1 && memcmp(head, magic, sizeof magic - 1) == 0) ||
                    wp_fail(WP_ERROR_FILE, "%s: not a YUV4MPEG2 stream", bytes->name))))
        wp_bytes_close(&bytes);
    return bytes;
}

struct wp_bytes *wp_bytes_open(const char *path, bool videos)
{
    if (after_prefix(path, "y4m:"))
        return open_y4m(after_prefix(path, "y4m:"));
    const char *named = videos ? after_prefix(path, "video:") : NULL;
    const char *file = named ? named : path;
    const bool standard = strcmp(file, "-") == 0;
    const unsigned char *head;
    size_t size;
    struct wp_bytes *bytes = open_file(file);
    bool ok = bytes != NULL;
    if (ok && videos && !standard)
        ok = wp_bytes_peek(bytes, WP_BYTES_MAGIC, &head, &size) &&
             (!(named || wp_decoder_matches(head, size)) || decode(bytes, file));
    if (!ok)
        wp_bytes_close(&bytes);
    return bytes;
}

struct wp_bytes *wp_bytes_of(const struct wp_source *source)
{
    struct wp_bytes *bytes = create(source->name, -1);
    bytes->data = source->data;
    bytes->have = source->size;
    bytes->known = true;
    bytes->size = source->size;
    return bytes;
}

void wp_bytes_close(struct wp_bytes **slot)
{
    struct wp_bytes *bytes = *slot;
    *slot = NULL;
    if (!bytes)
        return;
    if (bytes->file > STDIN_FILENO)
        close(bytes->file);
    wp_decoder_destroy(&bytes->decoder);
    free(bytes->buffer);
    free(bytes->name);
    free(bytes);
}

const char *wp_bytes_name(const struct wp_bytes *bytes)
{
    return bytes->name;
}

int wp_bytes_file(const struct wp_bytes *bytes)
{
    return bytes->decoder ? -1 : bytes->file;
}

size_t wp_bytes_read_at(const struct wp_bytes *bytes, void *to, size_t count,
                        unsigned long long at)
{
    size_t done = 0;
    errno = 0;
    if (bytes->file < 0) {
        const size_t rest = at < bytes->have ? bytes->have - (size_t)at : 0;
        done = count < rest ? count : rest;
        memcpy(to, bytes->data + at, done);
        return done;
    }
    while (done < count) {
        const ssize_t got =
            pread(bytes->file, (unsigned char *)to + done, count - done, (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        done += got > 0 ? (size_t)got : 0;
        errno = 0;
    }
    return done;
}

bool wp_bytes_size(const struct wp_bytes *bytes, unsigned long long *size)
{
    *size = bytes->size;
    return bytes->known;
}

bool wp_bytes_unchanged(const struct wp_bytes *bytes)
{
    const struct stat *opened = &bytes->opened;
    struct stat current;
    return fstat(bytes->file, &current) == 0 && current.st_size == opened->st_size &&
           current.st_mtim.tv_sec == opened->st_mtim.tv_sec &&
           current.st_mtim.tv_nsec == opened->st_mtim.tv_nsec;
}

// Reads at most `count` bytes, until at least `least` are read or the file ends.
// False after an error.
static bool read_up_to(struct wp_bytes *bytes, unsigned char *to, size_t count, size_t least,
                       size_t *have)
{
    *have = 0;
    while (*have < least) {
        const ssize_t got = read(bytes->file, to + *have, count - *have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return wp_fail(wp_error_of_errno(), "cannot read %s (%s)", bytes->name,
                           strerror(errno));
        if (got == 0)
            return !bytes->decoder || wp_decoder_finish(bytes->decoder);
        *have += (size_t)got;
    }
    return true;
}

bool wp_bytes_peek(struct wp_bytes *bytes, size_t least, const unsigned char **data, size_t *size)
{
    size_t got = 0;
    const size_t have = bytes->have;
    if (bytes->buffer && have < least &&
        !read_up_to(bytes, bytes->buffer + have, BUFFER_SIZE - have, least - have, &got))
        return false;
    bytes->have += got;
    *data = bytes->data;
    *size = bytes->have;
    return true;
}

bool wp_bytes_read(struct wp_bytes *bytes, void *to, size_t count, size_t *got)
{
    unsigned char *target = to;
    for (*got = 0; *got < count;) {
        const size_t available = bytes->have - bytes->at, left = count - *got;
        size_t part = available < left ? available : left;
        if (available > 0) {
            memcpy(target + *got, bytes->data + bytes->at, part);
            bytes->at += part;
        } else if (bytes->file >= 0 && left >= BUFFER_SIZE) {
            if (!read_up_to(bytes, target + *got, left, left, &part))
                return false;
        } else if (bytes->file >= 0) {
            bytes->at = 0;
            if (!read_up_to(bytes, bytes->buffer, BUFFER_SIZE, 1, &bytes->have))
                return false;
            if (bytes->have > 0)
                continue;
        }
        if (part == 0)
            break;
        *got += part;
    }
    return true;
}

bool wp_bytes_skip(struct wp_bytes *bytes, size_t count, size_t *got)
{
    unsigned char skipped[4096];
    for (*got = 0; *got < count;) {
        size_t part = count - *got < sizeof skipped ? count - *got : sizeof skipped;
        if (!wp_bytes_read(bytes, skipped, part, &part))
            return false;
        if (part == 0)
            break;
        *got += part;
    }
    return true;
}
