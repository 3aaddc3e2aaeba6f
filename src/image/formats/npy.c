// NPY files: magic number, version, length, and a Python dictionary as text; samples follow.
// Format: numpy.lib.format, versions 1.0 to 3.0.
#include "npy.h"

#include "elements.h"
#include "bytes.h"
#include "memory.h"
#include "output.h"
#include "rows_io.h"
#include "sidecar_path.h"
#include "xmemory.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct header {
    char type[16];
    bool fortran; // the first axis varies fastest
    int axes;
    unsigned long long shape[WP_NPY_AXES];
};

struct type {
    enum wp_sample_type type; // for complex values, of their parts
    bool big_endian, complex;
};

// A position in the header's text.
struct cursor {
    const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && isspace((unsigned char)*cursor->at))
        cursor->at++;
}
// Skips `word` if it is next.
static bool accept(struct cursor *cursor, const char *word)
{
    skip_space(cursor);
    const size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

// Parses a string in single or double quotes, without escapes.
static bool parse_string(struct cursor *cursor, char *text, size_t capacity)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"'))
        return false;
    const char *start = cursor->at + 1;
    const char *end = memchr(start, *cursor->at, (size_t)(cursor->end - start));
    if (!end || (size_t)(end - start) >= capacity)
        return false;
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = '\0';
    cursor->at = end + 1;
    return true;
}

static bool parse_number(struct cursor *cursor, unsigned long long *value)
{
    skip_space(cursor);
    const char *start = cursor->at;
    // 18 digits fit 64 bits.
    for (*value = 0; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at) &&
                     cursor->at - start < 18;
         cursor->at++)
        *value = *value * 10 + (unsigned long long)(*cursor->at - '0');
    const bool found = cursor->at > start;
    if (found && cursor->at < cursor->end && *cursor->at == 'L') // a long of Python 2
        cursor->at++;
    return found;
}

static bool parse_shape(struct cursor *cursor, struct header *header)
{
    if (!accept(cursor, "("))
        return false;
    for (header->axes = 0; !accept(cursor, ")"); header->axes++) {
        if (header->axes == WP_NPY_AXES || !parse_number(cursor, &header->shape[header->axes]))
            return false;
        if (!accept(cursor, ",")) {
            header->axes++;
            return accept(cursor, ")");
        }
    }
    return true;
}

static bool parse_dictionary(struct cursor cursor, struct header *header)
{
    bool have_type = false, have_order = false, have_shape = false;
    if (!accept(&cursor, "{"))
        return false;
    while (!accept(&cursor, "}")) {
        char key[32];
        if (!parse_string(&cursor, key, sizeof key) || !accept(&cursor, ":"))
            return false;
        if (strcmp(key, "descr") == 0) {
            have_type = parse_string(&cursor, header->type, sizeof header->type);
        } else if (strcmp(key, "fortran_order") == 0) {
            header->fortran = accept(&cursor, "True");
            have_order = header->fortran || accept(&cursor, "False");
        } else if (strcmp(key, "shape") == 0) {
            have_shape = parse_shape(&cursor, header);
        } else {
            return false;
        }
        if (!accept(&cursor, ","))
            return accept(&cursor, "}") && have_type && have_order && have_shape;
    }
    return have_type && have_order && have_shape;
}

// Parses the first bytes of a file; `*at` is then the offset of the samples. False after
// WP_ERROR_FILE.
static bool parse_header(const struct wp_source *source, struct header *header, size_t *at)
{
    enum { MAGIC = 6, VERSION = MAGIC, LENGTH = 8 };
    const unsigned char *data = source->data;
    if (!wp_source_needs(source, LENGTH + 4))
        return false;
    const unsigned version = data[VERSION];
    if (version < 1 || version > 3)
        return wp_source_fail(source, "not supported (NPY version %u)", version);
    size_t length = (size_t)(data[LENGTH] | data[LENGTH + 1] << 8);
    if (version > 1)
        length |= (size_t)data[LENGTH + 2] << 16 | (size_t)data[LENGTH + 3] << 24;
    const size_t start = LENGTH + (version > 1 ? 4 : 2);
    if (!wp_source_needs(source, (unsigned long long)start + length))
        return false;
    const char *text = (const char *)data + start;
    *at = start + length;
    if (!parse_dictionary((struct cursor){text, text + length}, header))
        return wp_source_fail(source, "damaged NPY, or not a plain array of up to %d axes",
                              WP_NPY_AXES);
    return true;
}

// Parses "<f4" and similar. False, without a message, if the type is unknown.
static bool find_type(const char *type, struct type *found)
{
    static const struct {
        const char *name;
        enum wp_sample_type type;
        bool complex;
    } known[] = {
        {"u1", WP_SAMPLE_U8, false},   {"u2", WP_SAMPLE_U16, false}, {"u4", WP_SAMPLE_U32, false},
        {"u8", WP_SAMPLE_U64, false},  {"i1", WP_SAMPLE_I8, false},  {"i2", WP_SAMPLE_I16, false},
        {"i4", WP_SAMPLE_I32, false},  {"i8", WP_SAMPLE_I64, false}, {"f2", WP_SAMPLE_F16, false},
        {"f4", WP_SAMPLE_F32, false},  {"f8", WP_SAMPLE_F64, false}, {"b1", WP_SAMPLE_BOOL, false},
        {"c8", WP_SAMPLE_F32, true},   {"c16", WP_SAMPLE_F64, true},
    };
    if (!type[0] || !strchr("<>=|", type[0]))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type + 1, known[i].name) == 0) {
            const bool host = type[0] == '=' && wp_host_big_endian();
            *found = (struct type){known[i].type, type[0] == '>' || host, known[i].complex};
            return true;
        }
    }
    return false;
}

// ---- Arrays -------------------------------------------------------------------------------

struct wp_npy {
    struct wp_npy_info info;
    struct wp_samples samples;
    bool fortran;
    unsigned char *data;
};

// The product of the axes; 0 after an error.
static size_t count_values(const struct wp_source *source, const struct header *header)
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

static bool find_array(const struct wp_source *head, struct wp_npy *npy, size_t *at, size_t *size)
{
    struct header header = {0};
    if (head->size < 6 || memcmp(head->data, "\x93NUMPY", 6) != 0)
        return wp_source_fail(head, "not an NPY file");
    if (!parse_header(head, &header, at))
        return false;
    struct type type;
    if (!find_type(header.type, &type))
        return wp_source_fail(head, "not supported (NPY of type '%s')", header.type);
    npy->samples = (struct wp_samples){.type = type.type, .big_endian = type.big_endian};
    const size_t bytes = wp_samples_bytes(type.type);
    npy->info.is_complex = type.complex;
    npy->info.rounds = bytes > sizeof(float) || (bytes == sizeof(float) &&
                                                 type.type != WP_SAMPLE_F32);
    snprintf(npy->info.type, sizeof npy->info.type, "%s", header.type);
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
           find_array(&head, npy, at, size);
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

bool wp_npy_peek(const char *path, struct wp_npy_info *info)
{
    struct wp_bytes *bytes = wp_bytes_open(path, false);
    struct wp_npy npy = {0};
    size_t at = 0, size = 0;
    const bool ok = bytes && read_header(bytes, &npy, &at, &size);
    *info = npy.info;
    wp_bytes_close(&bytes);
    return ok;
}

bool wp_npy_get_info(const struct wp_source *head, struct wp_npy_info *info,
                     unsigned long long *total)
{
    struct wp_npy npy = {0};
    size_t at = 0, size = 0;
    if (!find_array(head, &npy, &at, &size))
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
    const bool ok = find_array(&source, npy, &at, &values) &&
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
static void get_line(const struct wp_npy *npy, size_t from, size_t step, enum wp_element type,
                     void *values, size_t count)
{
    float *to = values;
    const size_t part = wp_samples_bytes(npy->samples.type), value = value_bytes(npy);
    const unsigned char *data = npy->data + from * value;
    if (!npy->info.is_complex) {
        if (type == WP_ELEMENT_F64)
            wp_samples_convert_f64(&npy->samples, data, step * value, values, count);
        else
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
    wp_npy_get_as(npy, WP_ELEMENT_F32, to);
}

void wp_npy_get_as(const struct wp_npy *npy, enum wp_element type, void *to)
{
    const size_t bytes = wp_elements[type].bytes;
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
        get_line(npy, first, step, type, (char *)to + line * width * parts * bytes, width);
    }
}

// ---- Images and volumes -------------------------------------------------------------------

static bool find_samples(const struct wp_source *source, const char *name,
                         struct wp_samples *samples)
{
    struct type type;
    const bool known = find_type(name, &type);
    if (known && !type.complex) {
        *samples = wp_samples_of(source, type.type, type.big_endian, false, 0);
        return true;
    }
    if (known)
        return wp_source_fail(source,
                              "complex samples (NPY of type '%s'), not an image or volume\n"
                              "hint: save their magnitude, or both parts, as float32",
                              name);
    return wp_source_fail(source,
                          "not supported (NPY of type '%s')\n"
                          "hint: save it as bool, an integer of 8 to 64 bits, float16, float32 or "
                          "float64",
                          name);
}

// Finds the meaning of the axes.
static bool find_shape(const struct wp_source *source, const struct header *header,
                       struct wp_raster_layout *shape)
{
    const unsigned long long *sides = header->shape;
    const int axes = header->axes;
    const bool volumes = source->volume != WP_VOLUME_NO;
    const unsigned long long last = axes > 0 ? sides[axes - 1] : 0;
    const bool planes = last >= 1 && last <= WP_IMAGE_MAX_PLANES;
    shape->depth = 1;
    if (axes == 2 || (axes == 3 && planes && source->volume != WP_VOLUME_YES)) {
        shape->height = sides[0];
        shape->width = sides[1];
        shape->planes = axes == 3 ? (int)last : 1;
        shape->plane_axis = axes == 3 && last == 1;
        return wp_source_check_size(source, shape->width, shape->height);
    }
    if (volumes && (axes == 3 || (axes == 4 && planes))) {
        shape->depth = sides[0];
        shape->height = sides[1];
        shape->width = sides[2];
        shape->planes = axes == 4 ? (int)last : 1;
        shape->slice_axis = sides[0] == 1;
        shape->plane_axis = axes == 4 && last == 1;
        return wp_source_check_volume(source, shape->width, shape->height, shape->depth);
    }
    if (axes == 3 && last > WP_IMAGE_MAX_PLANES)
        return wp_source_fail(source,
                              "a volume of %llux%llux%llu, not an image\n"
                              "hint: the shape must be (height, width) or (height, width, 1..%d)",
                              sides[2], sides[1], sides[0], WP_IMAGE_MAX_PLANES);
    return wp_source_fail(source,
                          "not an image%s (an NPY of %d axes%s)\n"
                          "hint: the shape must be %s(height, width) or (height, width, 1..%d)%s",
                          volumes ? " or volume" : "", axes,
                          axes == 3 || (volumes && axes == 4)
                              ? " and an unsupported number of planes"
                              : "",
                          volumes ? "(depth, height, width), " : "", WP_IMAGE_MAX_PLANES,
                          axes == 3 ? ""
                                    : "; 'forward' with the option axes transforms axes of any "
                                      "array");
}

// No plane is alpha: NPY does not describe its planes, and coefficients have none.
bool wp_npy_layout(const struct wp_source *head, struct wp_raster_layout *layout)
{
    struct header header = {0};
    size_t at = 0;
    *layout = (struct wp_raster_layout){0};
    if (!parse_header(head, &header, &at) || !find_samples(head, header.type, &layout->samples) ||
        !find_shape(head, &header, layout))
        return false;
    layout->offset = at;
    layout->fortran = header.fortran;
    return true;
}

// ---- Writing ------------------------------------------------------------------------------

void wp_npy_write_header(FILE *stream, const char *type, int axes, const size_t *shape)
{
    char shape_text[24 * WP_NPY_AXES] = "", text[sizeof shape_text + 80];
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

bool wp_npy_write(const char *path, bool overwrite, int axes, const size_t *shape,
                  enum wp_element type, const void *values, struct wp_output **first)
{
    struct wp_output *output = wp_output_open(path, overwrite);
    size_t count = 1;
    if (!output)
        return false;
    for (int i = 0; i < axes; i++)
        count *= shape[i];
    wp_output_on_replace(output, wp_sidecar_path_remove);
    FILE *stream = wp_output_stream(output);
    errno = 0;
    wp_npy_write_header(stream, type == WP_ELEMENT_F64 ? "f8" : "f4", axes, shape);
    if (fwrite(values, wp_elements[type].bytes, count, stream) == count && !ferror(stream))
        return wp_output_commit_pair(&output, first);
    wp_output_discard(&output);
    return wp_fail(wp_error_of_errno(), "cannot write %s (%s)", path,
                   errno ? strerror(errno) : "write error");
}

void wp_write_npy_header(FILE *stream, const struct wp_image *shape, enum wp_stored stored)
{
    static const char *const types[WP_STORED_COUNT] = {
        [WP_STORED_FLOAT] = "f4", [WP_STORED_U8] = "u1",  [WP_STORED_U16] = "u2",
        [WP_STORED_I8] = "i1",    [WP_STORED_I16] = "i2", [WP_STORED_I32] = "i4",
        [WP_STORED_F16] = "f2",
    };
    const struct {
        int length;
        bool present;
    } axis[] = {
        {shape->depth, shape->depth > 1 || shape->origin.slice_axis},
        {shape->height, true},
        {shape->width, true},
        {shape->planes, shape->planes > 1 || shape->origin.plane_axis},
    };
    size_t lengths[WP_NPY_AXES];
    int axes = 0;
    for (size_t i = 0; i < sizeof axis / sizeof *axis; i++)
        if (axis[i].present)
            lengths[axes++] = (size_t)axis[i].length;
    wp_npy_write_header(stream, types[stored], axes, lengths);
}
