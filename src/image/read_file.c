// From a path to an image: loads the bytes, tells the kind of file, calls its reader.
#include "image_io.h"

#include "memory.h"
#include "pattern.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool starts_with(const struct wp_source *source, const char *magic, size_t length)
{
    return source->size >= length && memcmp(source->data, magic, length) == 0;
}

#define STARTS_WITH(source, magic) starts_with(source, magic, sizeof(magic) - 1)

static bool match_png(const struct wp_source *source)
{
    return STARTS_WITH(source, "\x89PNG");
}

static bool match_jpeg(const struct wp_source *source)
{
    return STARTS_WITH(source, "\xff\xd8\xff");
}

// 'P', one of `kinds`, and white space or a comment.
static bool match_netpbm(const struct wp_source *source, const char *kinds)
{
    return source->size >= 3 && source->data[0] == 'P' && source->data[1] != '\0' &&
           strchr(kinds, source->data[1]) && (isspace(source->data[2]) || source->data[2] == '#');
}

static bool match_pnm(const struct wp_source *source)
{
    return match_netpbm(source, "2356");
}

static bool match_pfm(const struct wp_source *source)
{
    return match_netpbm(source, "Ff");
}

static bool match_hdr(const struct wp_source *source)
{
    return STARTS_WITH(source, "#?RADIANCE\n") || STARTS_WITH(source, "#?RGBE\n");
}

static bool match_npy(const struct wp_source *source)
{
    return STARTS_WITH(source, "\x93NUMPY");
}

// Version 42, and 43 for BigTIFF.
static bool match_tiff(const struct wp_source *source)
{
    return STARTS_WITH(source, "II*\0") || STARTS_WITH(source, "MM\0*") ||
           STARTS_WITH(source, "II+\0") || STARTS_WITH(source, "MM\0+");
}

// TGA has no magic and comes last.
static const struct {
    bool (*match)(const struct wp_source *source);
    struct wp_image *(*read)(const struct wp_source *source);
} kinds[] = {
    {match_png, wp_read_png},   {match_jpeg, wp_read_jpeg}, {match_pnm, wp_read_pnm},
    {match_pfm, wp_read_pfm},   {match_hdr, wp_read_hdr},   {match_npy, wp_read_npy},
    {match_tiff, wp_read_tiff}, {wp_match_bmp, wp_read_bmp}, {wp_match_tga, wp_read_tga},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

// KIND_COUNT after an error.
static int find_kind(const struct wp_source *source)
{
    int kind = 0;
    while (kind < KIND_COUNT && !kinds[kind].match(source))
        kind++;
    if (kind == KIND_COUNT) {
        if (source->size == 0)
            wp_source_fail(source, "empty file");
        else
            wp_source_fail(source, "not an image of a known kind\nhint: reads %s", WP_IMAGE_READS);
    }
    return kind;
}

struct wp_image *wp_image_parse(const struct wp_source *source)
{
    const int kind = find_kind(source);
    return kind < KIND_COUNT ? kinds[kind].read(source) : NULL;
}

// Reads until `size` bytes are there or the file ends. False after an error.
static bool read_up_to(int file, const char *name, unsigned char *data, size_t size, size_t *have)
{
    while (*have < size) {
        const ssize_t got = read(file, data + *have, size - *have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return wp_fail(WP_ERROR_FILE, "cannot read %s (%s)", name, strerror(errno));
        if (got == 0)
            break;
        *have += (size_t)got;
    }
    return true;
}

// A regular file's size is known; a pipe is read in doubling pieces. The kind is told from the
// first piece, so that an endless stream of something else ends there. The data is for free(),
// NULL after an error.
static unsigned char *load(int file, const char *name, size_t *size)
{
    enum { FIRST = 65536 };
    struct stat info;
    const bool known = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    size_t capacity = known ? (size_t)info.st_size : FIRST;
    unsigned char *data = wp_allocate(capacity, 1, name);
    *size = 0;
    if (!data)
        return NULL;
    bool ok = read_up_to(file, name, data, capacity < FIRST ? capacity : FIRST, size) &&
              find_kind(&(struct wp_source){name, data, *size}) < KIND_COUNT &&
              read_up_to(file, name, data, capacity, size);
    while (ok && !known && *size == capacity) {
        unsigned char *larger = wp_allocate(capacity, 2, name);
        if (larger) {
            memcpy(larger, data, *size);
            capacity *= 2;
        }
        free(data);
        data = larger;
        ok = data && read_up_to(file, name, data, capacity, size);
    }
    if (!ok) {
        free(data);
        data = NULL;
    }
    return data;
}

// -1 after an error.
static int open_to_read(const char *path)
{
    const int file = open(path, O_RDONLY);
    struct stat info;
    if (file < 0) {
        if (errno == ENOENT)
            wp_fail(WP_ERROR_FILE, "%s: no such file", path);
        else
            wp_fail(WP_ERROR_FILE, "cannot read %s (%s)", path, strerror(errno));
    } else if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
        wp_fail(WP_ERROR_FILE, "%s: is a directory", path);
        close(file);
        return -1;
    }
    return file;
}

struct wp_image *wp_image_read(const char *path)
{
    const char *pattern = wp_pattern_of_path(path);
    if (pattern)
        return wp_pattern_create(pattern);
    const bool from_stdin = strcmp(path, "-") == 0;
    const int file = from_stdin ? STDIN_FILENO : open_to_read(path);
    if (file < 0)
        return NULL;
    struct wp_source source = {from_stdin ? "standard input" : path, NULL, 0};
    unsigned char *data = load(file, source.name, &source.size);
    source.data = data;
    if (!from_stdin)
        close(file);
    struct wp_image *image = data ? wp_image_parse(&source) : NULL;
    free(data);
    return image;
}

struct wp_image *wp_image_read_counted(const char *path, size_t *nonfinite)
{
    struct wp_image *image = wp_image_read(path);
    if (!image)
        return NULL;
    wp_log(WP_LOG_VERBOSE, "read: %dx%d, %d plane%s", image->width, image->height, image->planes,
           image->planes == 1 ? "" : "s");
    *nonfinite = wp_image_count_nonfinite(image);
    if (*nonfinite)
        wp_log(WP_LOG_WARNING, "%s: %zu value%s not finite (NaN or infinite); carried through",
               path, *nonfinite, *nonfinite == 1 ? " is" : "s are");
    return image;
}
