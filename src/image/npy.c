#include "npy.h"

#include "bytes.h"
#include "memory.h"
#include "npy_header.h"
#include "xmemory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct wp_npy {
    struct wp_npy_info info;
    struct wp_samples samples;
    bool fortran;
    unsigned char *data;
};

// The product of the axes; 0 after an error.
static size_t count_values(const struct wp_source *source, const struct wp_npy_header *header)
{
    unsigned long long count = 1;
    for (int i = 0; i < header->axes; i++) {
        if (header->shape[i] == 0) {
            wp_source_fail(source, "the array is empty (axis %d has length 0)", i);
            return 0;
        }
        // A value has at most 16 bytes.
        if (header->shape[i] > SIZE_MAX / 16 / count) {
            wp_source_fail(source, "the array is too large for the address space");
            return 0;
        }
        count *= header->shape[i];
    }
    return (size_t)count;
}

static size_t value_bytes(const struct wp_npy *npy)
{
    return wp_samples_bytes(npy->samples.type) * (npy->info.is_complex ? 2 : 1);
}

static bool parse_header(const struct wp_source *head, struct wp_npy *npy, size_t *at,
                         size_t *size)
{
    struct wp_npy_header header = {0};
    if (head->size < 6 || memcmp(head->data, "\x93NUMPY", 6) != 0)
        return wp_source_fail(head, "not an NPY file");
    if (!wp_npy_parse_header(head, &header, at))
        return false;
    struct wp_npy_type type;
    if (!wp_npy_find_type(header.type, &type))
        return wp_source_fail(head, "not supported (NPY of type '%s')", header.type);
    npy->samples = (struct wp_samples){.type = type.type, .big_endian = type.big_endian};
    npy->info.is_complex = type.complex;
    npy->fortran = header.fortran;
    npy->info.axes = header.axes;
    for (int i = 0; i < header.axes; i++)
        npy->info.shape[i] = (size_t)header.shape[i];
    const size_t count = count_values(head, &header);
    *size = count * value_bytes(npy);
    return count > 0;
}

static bool read_header(struct wp_bytes *bytes, struct wp_npy *npy, size_t *at, size_t *size)
{
    struct wp_source head = {.name = wp_bytes_name(bytes)};
    return wp_bytes_peek(bytes, WP_BYTES_PEEK, &head.data, &head.size) &&
           parse_header(&head, npy, at, size);
}

// Reads the values. If the size of the file is known and wrong, fails without reading.
static bool read_values(struct wp_bytes *bytes, struct wp_npy *npy, size_t at, size_t size)
{
    const struct wp_source source = {.name = wp_bytes_name(bytes)};
    unsigned long long total;
    unsigned char more;
    size_t got = 0;
    const bool known = wp_bytes_size(bytes, &total);
    if (known && total - at != size)
        return wp_source_fail(&source, "%llu bytes of samples, but the header requires %zu",
                              total - at, size);
    npy->data = wp_allocate(size, 1, source.name);
    if (!npy->data || !wp_bytes_skip(bytes, at, &got) ||
        !wp_bytes_read(bytes, npy->data, size, &got))
        return false;
    if (got < size)
        return wp_source_fail(&source, "%zu bytes of samples, but the header requires %zu", got,
                              size);
    if (!wp_bytes_read(bytes, &more, 1, &got))
        return false;
    return got == 0 || wp_source_fail(&source, "more bytes than the header requires (%zu)", size);
}

struct wp_npy *wp_npy_read(const char *path, struct wp_npy_info *info)
{
    struct wp_bytes *bytes = wp_bytes_open(path, false);
    size_t at = 0, size = 0;
    if (!bytes)
        return NULL;
    struct wp_npy *npy = wp_xcalloc(1, sizeof *npy);
    if (!read_header(bytes, npy, &at, &size) || !read_values(bytes, npy, at, size))
        wp_npy_destroy(&npy);
    else
        *info = npy->info;
    wp_bytes_close(&bytes);
    return npy;
}

bool wp_npy_get_info(const struct wp_source *head, struct wp_npy_info *info,
                     unsigned long long *total)
{
    struct wp_npy npy = {0};
    size_t at = 0, size = 0;
    if (!parse_header(head, &npy, &at, &size))
        return false;
    *info = npy.info;
    *total = (unsigned long long)at + size;
    return true;
}

struct wp_npy *wp_npy_read_samples(const char *name, unsigned char *data, size_t size)
{
    const struct wp_source source = {.name = name, .data = data, .size = size};
    struct wp_npy *npy = wp_xcalloc(1, sizeof *npy);
    size_t at = 0, values = 0;
    npy->data = data;
    const bool ok = parse_header(&source, npy, &at, &values) &&
                    (size - at == values ||
                     wp_source_fail(&source, "%zu bytes of samples, but the header requires %zu",
                                    size - at, values));
    if (ok)
        memmove(data, data + at, values);
    else
        wp_npy_destroy(&npy);
    return npy;
}

void wp_npy_destroy(struct wp_npy **slot)
{
    struct wp_npy *npy = *slot;
    *slot = NULL;
    if (!npy)
        return;
    free(npy->data);
    free(npy);
}

// Converts a line along the last axis; `from` and `step` are in values.
static void get_line(const struct wp_npy *npy, size_t from, size_t step, float *to, size_t count)
{
    const size_t part = wp_samples_bytes(npy->samples.type), value = value_bytes(npy);
    const unsigned char *data = npy->data + from * value;
    if (!npy->info.is_complex) {
        wp_samples_convert(&npy->samples, data, step * value, to, count);
        return;
    }
    if (step == 1) {
        wp_samples_convert(&npy->samples, data, part, to, 2 * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        wp_samples_convert(&npy->samples, data + i * step * value, part, to + 2 * i, 2);
}

void wp_npy_get(const struct wp_npy *npy, float *to)
{
    const int axes = npy->info.axes;
    const size_t *shape = npy->info.shape;
    const size_t width = axes > 0 ? shape[axes - 1] : 1, parts = npy->info.is_complex ? 2 : 1;
    size_t lines = 1;
    for (int i = 0; i < axes - 1; i++)
        lines *= shape[i];
    for (size_t line = 0; line < lines; line++) {
        // In Fortran order the first axis has step 1.
        size_t first = line * width, step = 1;
        if (npy->fortran) {
            size_t index = line;
            size_t weight = lines;
            first = 0;
            step = lines;
            for (int i = axes - 2; i >= 0; i--) {
                weight /= shape[i];
                first += index % shape[i] * weight;
                index /= shape[i];
            }
        }
        get_line(npy, first, step, to + line * width * parts, width);
    }
}

void wp_npy_write_header(FILE *stream, const char *type, int axes, const size_t *shape)
{
    char shape_text[96] = "", text[192];
    int at = 0;
    for (int i = 0; i < axes; i++)
        at += snprintf(shape_text + at, sizeof shape_text - (size_t)at, "%s%zu",
                       i > 0 ? ", " : "", shape[i]);
    const char order = type[1] == '1' ? '|' : wp_host_big_endian() ? '>' : '<';
    const int length = snprintf(text, sizeof text,
                                "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s%s), }",
                                order, type, shape_text, axes == 1 ? "," : "");
    // The magic number, version 1.0, the length in two bytes, the text, padding and a line feed:
    // a multiple of 64 bytes.
    enum { FIXED = 10, ALIGNMENT = 64 };
    const int total = (FIXED + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const int text_size = total - FIXED;
    fwrite("\x93NUMPY\1\0", 1, 8, stream);
    fputc(text_size & 255, stream);
    fputc(text_size >> 8, stream);
    fprintf(stream, "%-*s\n", text_size - 1, text);
}
