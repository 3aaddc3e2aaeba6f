#include "slices.h"

#include "memory.h"
#include "output.h"
#include "slices_io.h"
#include "xmemory.h"
#include "y4m.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct wp_slices {
    struct wp_slices_info info;
    char *name;
    struct wp_y4m *y4m;     // or
    struct wp_bytes *bytes; // samples of this kind:
    struct wp_samples samples;
    unsigned char *row; // as they are stored
    int next;           // slice
};

static struct wp_slices *create(const char *name)
{
    struct wp_slices *slices = wp_xcalloc(1, sizeof *slices);
    slices->name = wp_xstrdup(name);
    return slices;
}

static struct wp_slices *slices_of_y4m(struct wp_bytes *bytes)
{
    struct wp_slices *slices = create(wp_bytes_name(bytes));
    slices->y4m = wp_y4m_create(bytes);
    if (!slices->y4m) {
        wp_slices_close(&slices);
        return NULL;
    }
    const struct wp_y4m_info info = wp_y4m_info(slices->y4m);
    slices->info = (struct wp_slices_info){
        .width = info.width,
        .height = info.height,
        .source_bits = info.source_bits,
        .geometry = info.geometry,
    };
    return slices;
}

static bool is_whole(const struct wp_bytes *bytes, const struct wp_source *head,
                     const struct wp_slices_layout *layout)
{
    struct wp_source source = *head;
    unsigned long long size;
    if (!wp_bytes_size(bytes, &size))
        return true;
    source.size = (size_t)size;
    return wp_source_needs(&source, layout->offset + layout->width * layout->height *
                                                         layout->depth *
                                                         wp_samples_bytes(layout->samples.type));
}

static struct wp_slices *slices_of_samples(struct wp_bytes *bytes,
                                           const struct wp_slices_layout *layout)
{
    struct wp_slices *slices = create(wp_bytes_name(bytes));
    size_t got;
    slices->bytes = bytes;
    slices->samples = layout->samples;
    slices->info = (struct wp_slices_info){
        .width = (int)layout->width,
        .height = (int)layout->height,
        .depth = (int)layout->depth,
        .source_bits = wp_samples_bits(layout->samples.type),
    };
    slices->row = wp_xcalloc((size_t)layout->width, wp_samples_bytes(layout->samples.type));
    if (!wp_bytes_skip(bytes, (size_t)layout->offset, &got))
        wp_slices_close(&slices);
    return slices;
}

static bool begins(const struct wp_source *head, const char *magic)
{
    const size_t length = strlen(magic);
    return head->size >= length && memcmp(head->data, magic, length) == 0;
}

static bool find_layout(struct wp_bytes *bytes, struct wp_source *head, const struct wp_raw *raw,
                        struct wp_slices_layout *layout)
{
    unsigned long long size;
    *layout = (struct wp_slices_layout){0};
    if (!raw)
        return !begins(head, "\x93NUMPY") ||
               (wp_bytes_peek(bytes, WP_BYTES_PEEK, &head->data, &head->size) &&
                wp_npy_layout(head, layout));
    // Of a pipe only its end tells that there is no more.
    if (!wp_bytes_size(bytes, &size))
        return true;
    *layout = (struct wp_slices_layout){raw->width, raw->height, raw->depth, raw->offset,
                                        raw->samples};
    return wp_raw_check(raw, head->name, size) &&
           wp_source_check_volume(head, raw->width, raw->height, raw->depth);
}

bool wp_slices_of(struct wp_bytes **bytes, enum wp_volume volume, const struct wp_raw *raw,
                  struct wp_slices **slices)
{
    struct wp_slices_layout layout;
    struct wp_bytes *taken = *bytes;
    struct wp_source head = {.name = wp_bytes_name(taken), .volume = volume};
    *slices = NULL;
    if (!wp_bytes_peek(taken, WP_BYTES_MAGIC, &head.data, &head.size))
        return false;
    if (!raw && begins(&head, "YUV4MPEG2")) {
        *bytes = NULL;
        *slices = slices_of_y4m(taken);
        return *slices != NULL;
    }
    if (!find_layout(taken, &head, raw, &layout))
        return false;
    if (layout.depth < 2)
        return true;
    if (!is_whole(taken, &head, &layout))
        return false;
    *bytes = NULL;
    *slices = slices_of_samples(taken, &layout);
    return *slices != NULL;
}

void wp_slices_close(struct wp_slices **slot)
{
    struct wp_slices *slices = *slot;
    *slot = NULL;
    if (!slices)
        return;
    wp_y4m_destroy(&slices->y4m);
    wp_bytes_close(&slices->bytes);
    free(slices->row);
    free(slices->name);
    free(slices);
}

const struct wp_slices_info *wp_slices_info(const struct wp_slices *slices)
{
    return &slices->info;
}

const char *wp_slices_name(const struct wp_slices *slices)
{
    return slices->name;
}

static bool read_samples(struct wp_slices *slices, float *to)
{
    const size_t width = (size_t)slices->info.width;
    const size_t size = wp_samples_bytes(slices->samples.type);
    size_t got;
    for (int y = 0; y < slices->info.height; y++, to += width) {
        if (!wp_bytes_read(slices->bytes, slices->row, width * size, &got))
            return false;
        if (got < width * size)
            return wp_fail(WP_ERROR_FILE, "%s: truncated in slice %d of %d", slices->name,
                           slices->next + 1, slices->info.depth);
        wp_samples_convert(&slices->samples, slices->row, size, to, width);
    }
    return true;
}

static bool read_next(struct wp_slices *slices, float *to, bool *end)
{
    if (slices->y4m)
        return wp_y4m_begin(slices->y4m, end) && (*end || wp_y4m_read(slices->y4m, to));
    *end = slices->next == slices->info.depth;
    return *end || read_samples(slices, to);
}

bool wp_slices_read(struct wp_slices *slices, float *to, int count, int *got)
{
    const size_t samples = (size_t)slices->info.width * (size_t)slices->info.height;
    bool end = false;
    for (*got = 0; *got < count; ++*got, slices->next++, to += samples) {
        if (slices->next == INT_MAX)
            return wp_fail(WP_ERROR_FILE, "%s: more than %d slices", slices->name, INT_MAX);
        if (!read_next(slices, to, &end))
            return false;
        if (end)
            break;
    }
    return true;
}

struct wp_slices_output {
    struct wp_slices_info info;
    char *path;
    struct wp_output *file;
    bool y4m;
};

static bool has_suffix(const char *path, const char *suffix)
{
    const size_t length = strlen(path), own = strlen(suffix);
    return length > own && strcasecmp(path + length - own, suffix) == 0;
}

bool wp_slices_can_write(const char *path, enum wp_content content)
{
    struct stat info;
    const bool y4m = content == WP_CONTENT_PICTURE && has_suffix(path, ".y4m");
    return (y4m || has_suffix(path, ".npy")) && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

// How many slices there are is said at the end: the header of a NPY takes the same bytes for any
// number.
static void write_header(struct wp_slices_output *output)
{
    FILE *stream = wp_output_stream(output->file);
    const struct wp_slices_info *info = &output->info;
    if (output->y4m)
        wp_write_y4m_header(stream, info->width, info->height, info->geometry.rate);
    else
        wp_write_npy_header(stream, info->width, info->height, info->depth, 1);
}

struct wp_slices_output *wp_slices_create(const char *path, const struct wp_slices_info *info,
                                          const struct wp_write_params *params)
{
    if (!wp_image_write_check_volume(path, 1, info->depth > 1 ? info->depth : 2, params))
        return NULL;
    struct wp_slices_output *output = wp_xcalloc(1, sizeof *output);
    output->info = *info;
    output->info.depth = 0;
    output->y4m = has_suffix(path, ".y4m");
    output->path = wp_xstrdup(path);
    output->file = wp_output_open(path, params->overwrite);
    if (output->file)
        write_header(output);
    else
        wp_slices_discard(&output);
    return output;
}

bool wp_slices_write(struct wp_slices_output *output, const float *from, int count)
{
    FILE *stream = wp_output_stream(output->file);
    const size_t samples = (size_t)output->info.width * (size_t)output->info.height;
    if (output->y4m) {
        if (!wp_write_y4m_frames(stream, from, output->info.width, output->info.height, count))
            return false;
    } else {
        fwrite(from, sizeof *from, samples * (size_t)count, stream);
    }
    output->info.depth += count;
    // The disk takes it now, beside the work on what follows; the end would wait for all of it.
    if (fflush(stream) == 0)
        (void)fdatasync(fileno(stream));
    return !ferror(stream) || wp_fail(WP_ERROR_FILE, "cannot write %s (%s)", output->path,
                                      errno ? strerror(errno) : "write error");
}

bool wp_slices_commit(struct wp_slices_output **slot)
{
    struct wp_slices_output *output = *slot;
    FILE *stream = wp_output_stream(output->file);
    const bool ok = output->y4m || fseek(stream, 0, SEEK_SET) == 0 ||
                    wp_fail(WP_ERROR_FILE, "cannot write %s (%s)", output->path, strerror(errno));
    if (ok && !output->y4m)
        write_header(output);
    const bool there = ok && wp_output_commit(&output->file);
    wp_slices_discard(slot);
    return there;
}

void wp_slices_discard(struct wp_slices_output **slot)
{
    struct wp_slices_output *output = *slot;
    *slot = NULL;
    if (!output)
        return;
    wp_output_discard(&output->file);
    free(output->path);
    free(output);
}
