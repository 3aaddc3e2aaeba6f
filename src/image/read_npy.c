// NumPy's array files: a magic, a version, the length of a header, the header (a Python
// dictionary in text), the samples. Format: numpy.lib.format, versions 1.0 to 3.0.
#include "slices_io.h"

#include <ctype.h>
#include <string.h>

enum { MOST_AXES = 4 };

struct header {
    char type[16];
    bool fortran; // the first axis varies fastest
    int axes;
    unsigned long long shape[MOST_AXES];
};

// A cursor in the header's text.
struct cursor {
    const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && isspace((unsigned char)*cursor->at))
        cursor->at++;
}

static bool take(struct cursor *cursor, const char *word)
{
    skip_space(cursor);
    const size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

// A string in either kind of quotes, without escapes.
static bool take_string(struct cursor *cursor, char *text, size_t capacity)
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

static bool take_number(struct cursor *cursor, unsigned long long *value)
{
    skip_space(cursor);
    const char *start = cursor->at;
    // 18 digits fit 64 bits.
    for (*value = 0; cursor->at < cursor->end && isdigit((unsigned char)*cursor->at) &&
                     cursor->at - start < 18;
         cursor->at++)
        *value = *value * 10 + (unsigned long long)(*cursor->at - '0');
    return cursor->at > start;
}

static bool take_shape(struct cursor *cursor, struct header *header)
{
    if (!take(cursor, "("))
        return false;
    for (header->axes = 0; !take(cursor, ")"); header->axes++) {
        if (header->axes == MOST_AXES || !take_number(cursor, &header->shape[header->axes]))
            return false;
        if (!take(cursor, ",")) {
            header->axes++;
            return take(cursor, ")");
        }
    }
    return true;
}

static bool parse_header(struct cursor cursor, struct header *header)
{
    bool have_type = false, have_order = false, have_shape = false;
    if (!take(&cursor, "{"))
        return false;
    while (!take(&cursor, "}")) {
        char key[32];
        if (!take_string(&cursor, key, sizeof key) || !take(&cursor, ":"))
            return false;
        if (strcmp(key, "descr") == 0) {
            have_type = take_string(&cursor, header->type, sizeof header->type);
        } else if (strcmp(key, "fortran_order") == 0) {
            header->fortran = take(&cursor, "True");
            have_order = header->fortran || take(&cursor, "False");
        } else if (strcmp(key, "shape") == 0) {
            have_shape = take_shape(&cursor, header);
        } else {
            return false;
        }
        if (!take(&cursor, ","))
            return take(&cursor, "}") && have_type && have_order && have_shape;
    }
    return have_type && have_order && have_shape;
}

// The last ones are for volumes and what belongs to them, such as masks; images have scales.
static bool find_samples(const struct wp_source *source, const char *type,
                         struct wp_samples *samples)
{
    static const struct {
        const char *name;
        struct wp_samples samples;
    } known[] = {
        {"|u1", {WP_SAMPLE_U8, false, 255.0F}},   {"<u2", {WP_SAMPLE_U16, false, 65535.0F}},
        {">u2", {WP_SAMPLE_U16, true, 65535.0F}}, {"<f4", {WP_SAMPLE_F32, false, 1.0F}},
        {">f4", {WP_SAMPLE_F32, true, 1.0F}},     {"<f8", {WP_SAMPLE_F64, false, 1.0F}},
        {">f8", {WP_SAMPLE_F64, true, 1.0F}},     {"|b1", {WP_SAMPLE_BOOL, false, 1.0F}},
        {"|i1", {WP_SAMPLE_I8, false, 1.0F}},     {"<i2", {WP_SAMPLE_I16, false, 1.0F}},
        {">i2", {WP_SAMPLE_I16, true, 1.0F}},     {"<i4", {WP_SAMPLE_I32, false, 1.0F}},
        {">i4", {WP_SAMPLE_I32, true, 1.0F}},
    };
    enum { KNOWN = sizeof known / sizeof known[0], OF_IMAGES = 7 };
    const bool volumes = source->volume != WP_VOLUME_NO;
    for (size_t i = 0; i < (volumes ? KNOWN : OF_IMAGES); i++) {
        if (strcmp(type, known[i].name) == 0) {
            *samples = known[i].samples;
            return true;
        }
    }
    if (volumes && (strcmp(type, "<c8") == 0 || strcmp(type, ">c8") == 0))
        return wp_source_fail(source,
                              "complex samples (NPY of type '%s') are not read yet\n"
                              "hint: save their magnitude, or both parts, as float32",
                              type);
    return wp_source_fail(source,
                          "not supported (NPY of type '%s')\n"
                          "hint: save it as float32, float64, uint8 or uint16",
                          type);
}

// Leaves `*at` at the samples.
static bool read_header(const struct wp_source *source, struct header *header, size_t *at)
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
    if (!parse_header((struct cursor){text, text + length}, header))
        return wp_source_fail(source, "damaged NPY, or not a plain array of up to %d axes",
                              MOST_AXES);
    return true;
}

// What the axes of an array stand for.
struct shape {
    unsigned long long width, height, depth, planes;
};

static bool find_shape(const struct wp_source *source, const struct header *header,
                       struct shape *shape)
{
    const unsigned long long *sides = header->shape;
    const int axes = header->axes;
    const bool volumes = source->volume != WP_VOLUME_NO;
    const unsigned long long last = axes > 0 ? sides[axes - 1] : 0;
    const bool planes = last >= 1 && last <= WP_IMAGE_MAX_PLANES;
    *shape = (struct shape){.depth = 1, .planes = 1};
    if (axes == 2 || (axes == 3 && planes && source->volume != WP_VOLUME_YES)) {
        shape->height = sides[0];
        shape->width = sides[1];
        shape->planes = axes == 3 ? last : 1;
        return wp_source_check_size(source, shape->width, shape->height);
    }
    if (volumes && (axes == 3 || (axes == 4 && planes))) {
        shape->depth = sides[0];
        shape->height = sides[1];
        shape->width = sides[2];
        shape->planes = axes == 4 ? last : 1;
        return wp_source_check_volume(source, shape->width, shape->height, shape->depth);
    }
    if (axes == 3 && last > WP_IMAGE_MAX_PLANES)
        return wp_source_fail(source,
                              "a volume of %llux%llux%llu, not an image\n"
                              "hint: the shape must be (height, width) or (height, width, 1..%d)",
                              sides[2], sides[1], sides[0], WP_IMAGE_MAX_PLANES);
    return wp_source_fail(source,
                          "not an image%s (an NPY of %d axes%s)\n"
                          "hint: the shape must be %s(height, width) or (height, width, 1..%d)",
                          volumes ? " or volume" : "", axes,
                          axes == 3 || (volumes && axes == 4) ? " and an unfit number of planes"
                                                              : "",
                          volumes ? "(depth, height, width), " : "", WP_IMAGE_MAX_PLANES);
}

bool wp_npy_layout(const struct wp_source *head, struct wp_slices_layout *layout)
{
    struct header header = {0};
    struct shape shape;
    size_t at = 0;
    *layout = (struct wp_slices_layout){0};
    if (!read_header(head, &header, &at) || !find_samples(head, header.type, &layout->samples) ||
        !find_shape(head, &header, &shape))
        return false;
    layout->width = shape.width;
    layout->height = shape.height;
    layout->depth = shape.planes == 1 && !header.fortran ? shape.depth : 0;
    layout->offset = at;
    return true;
}

struct wp_image *wp_read_npy(const struct wp_source *source)
{
    struct header header = {0};
    size_t at = 0;
    struct wp_samples samples;
    struct shape shape;
    if (!read_header(source, &header, &at) || !find_samples(source, header.type, &samples) ||
        !find_shape(source, &header, &shape))
        return NULL;
    const size_t bytes = wp_samples_bytes(samples.type);
    if (!wp_source_needs(source, at + shape.width * shape.height * shape.depth * shape.planes *
                                          bytes))
        return NULL;
    // Arrays do not say what their planes are, and coefficients have no alpha.
    struct wp_image *image = wp_image_create_volume((int)shape.width, (int)shape.height,
                                                    (int)shape.depth, (int)shape.planes, false);
    if (!image)
        return NULL;
    image->source_bits = wp_samples_bits(samples.type);
    wp_source_tell(source, &samples);
    const unsigned char *data = source->data + at;
    const size_t w = (size_t)shape.width, h = (size_t)shape.height, d = (size_t)shape.depth;
    const size_t planes = (size_t)shape.planes;
    for (size_t row = 0; !header.fortran && row < d * h; row++)
        wp_samples_convert_row(&samples, data + row * w * planes * bytes, image, row);
    // Slices vary fastest, then rows, columns, planes.
    for (size_t p = 0; header.fortran && p < planes; p++)
        for (size_t row = 0; row < d * h; row++)
            wp_samples_convert(&samples, data + (p * w * h * d + row % h * d + row / h) * bytes,
                               h * d * bytes, image->plane[p] + row * w, w);
    return image;
}
