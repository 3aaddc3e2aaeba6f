// Reads Radiance pictures (RGBE): a text header, then rows of red, green, blue, and a common
// exponent. Format: G. Ward, "Real Pixels", Graphics Gems II, 1991. stb_image is not used, since
// some of its releases loop forever on damaged rows.
#include "image_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "orientation.h"

// Reads a line without its LF or CR LF, truncated to the capacity of `line`. False at the end of
// the file.
static bool read_line(const struct wp_source *source, size_t *at, char *line, size_t capacity)
{
    size_t length = 0;
    for (; *at < source->size && source->data[*at] != '\n'; ++*at)
        if (length + 1 < capacity)
            line[length++] = (char)source->data[*at];
    line[length - (length > 0 && line[length - 1] == '\r' ? 1 : 0)] = '\0';
    return (*at)++ < source->size;
}

struct shape {
    unsigned long long width, height; // of the stored rows
    int orientation;
};

// Parses "-Y 5 +X 9": five rows of nine pixels, Y upwards, X to the right; any signs, either order.
static bool parse_shape(const char *line, struct shape *shape)
{
    char sign[2], axis[2], end;
    if (sscanf(line, "%c%c %12llu %c%c %12llu%c", &sign[0], &axis[0], &shape->height, &sign[1],
               &axis[1], &shape->width, &end) != 6 ||
        !strchr("+-", sign[0]) || !strchr("+-", sign[1]))
        return false;
    const bool by_rows = axis[0] == 'Y' && axis[1] == 'X';
    if (!by_rows && (axis[0] != 'X' || axis[1] != 'Y'))
        return false;
    const bool down = sign[by_rows ? 0 : 1] == '-', right = sign[by_rows ? 1 : 0] == '+';
    // The orientation of EXIF for the first row and column.
    shape->orientation = by_rows ? (down ? (right ? 1 : 2) : (right ? 4 : 3))
                                 : (down ? (right ? 5 : 6) : (right ? 8 : 7));
    return true;
}

// Parses the header and advances `*at` to the pixels. FORMAT is optional: the default is RGBE.
static bool read_header(const struct wp_source *source, size_t *at, struct shape *shape)
{
    static const char format[] = "FORMAT=";
    char line[128];
    while (read_line(source, at, line, sizeof line) && line[0])
        if (strncmp(line, format, sizeof format - 1) == 0 &&
            strcmp(line + sizeof format - 1, "32-bit_rle_rgbe") != 0)
            return wp_source_fail(source, "not supported (HDR of %s)", line);
    if (!read_line(source, at, line, sizeof line) || !parse_shape(line, shape))
        return wp_source_fail(source,
                              "damaged HDR (needs a size such as -Y HEIGHT +X WIDTH)");
    return wp_source_check_size(source, shape->width, shape->height);
}

// Unpacks a row: its four components follow each other, each in packets: a count up to 128 and as
// many bytes, or a count plus 128 and a byte to repeat.
static bool unpack_row(const struct wp_source *source, size_t *at, size_t width,
                       unsigned char *pixels)
{
    for (size_t component = 0; component < 4; component++) {
        for (size_t x = 0; x < width;) {
            if (!wp_source_needs(source, (unsigned long long)*at + 2))
                return false;
            const unsigned code = source->data[(*at)++];
            const bool repeat = code > 128;
            const size_t count = repeat ? code - 128 : code;
            if (count == 0 || count > width - x)
                return wp_source_fail(source, "damaged HDR (bad run at byte %zu)", *at - 1);
            if (!wp_source_needs(source, (unsigned long long)*at + (repeat ? 1 : count)))
                return false;
            for (size_t i = 0; i < count; i++, x++)
                pixels[x * 4 + component] = source->data[repeat ? *at : *at + i];
            *at += repeat ? 1 : count;
        }
    }
    return true;
}

// Packed rows start with 2, 2 and the width.
static bool is_packed(const struct wp_source *source, size_t at, size_t width)
{
    const unsigned char *data = source->data + at;
    return source->size - at >= 4 && width >= 8 && width < 32768 && data[0] == 2 && data[1] == 2 &&
           ((size_t)data[2] << 8 | data[3]) == width;
}

// Reads a row of plain pixels, or of the older run lengths: a pixel 1, 1, 1, N repeats the previous
// pixel N times, or N * 256 times immediately after another such pixel, and so on.
static bool read_pixels(const struct wp_source *source, size_t *at, size_t width,
                        unsigned char *pixels)
{
    enum { MOST_SHIFT = 24 };
    int shift = 0;
    for (size_t x = 0; x < width;) {
        if (!wp_source_needs(source, (unsigned long long)*at + 4))
            return false;
        const unsigned char *pixel = source->data + *at;
        *at += 4;
        if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
            memcpy(pixels + 4 * x++, pixel, 4);
            shift = 0;
            continue;
        }
        const unsigned long long count =
            shift > MOST_SHIFT ? 0 : (unsigned long long)pixel[3] << shift;
        if (x == 0 || count == 0 || count > width - x)
            return wp_source_fail(source, "damaged HDR (bad run at byte %zu)", *at - 4);
        for (const size_t end = x + (size_t)count; x < end; x++)
            memcpy(pixels + 4 * x, pixels + 4 * (x - 1), 4);
        shift += 8;
    }
    return true;
}

static bool read_rows(const struct wp_source *source, size_t at, struct wp_image *image,
                      unsigned char *pixels)
{
    const size_t width = (size_t)image->width;
    for (int y = 0; y < image->height; y++) {
        if (at < source->size && is_packed(source, at, width)) {
            at += 4;
            if (!unpack_row(source, &at, width, pixels))
                return false;
        } else if (!read_pixels(source, &at, width, pixels)) {
            return false;
        }
        for (size_t x = 0; x < width; x++) {
            const unsigned char *pixel = pixels + x * 4;
            // Mantissas are fractions of 256; exponents have a bias of 128; exponent 0 is black.
            const float unit = pixel[3] ? ldexpf(1.0F, pixel[3] - (128 + 8)) : 0.0F;
            for (int p = 0; p < 3; p++)
                image->plane[p][(size_t)y * width + x] = (float)pixel[p] * unit;
        }
    }
    return true;
}

// The smallest number of bytes of a row: one pixel, and runs of the older kind.
static unsigned long long least_row(unsigned long long width)
{
    return 4 * (width < 2 ? 1 : width <= 256 ? 2 : width <= 65536 ? 3 : 4);
}

struct wp_image *wp_read_hdr(const struct wp_source *source)
{
    size_t at = 0;
    struct shape shape;
    if (!read_header(source, &at, &shape) ||
        !wp_source_needs(source, at + shape.height * least_row(shape.width)))
        return NULL;
    if (source->facts)
        strcpy(source->facts->type, "8 bits, common exponent");
    struct wp_image *image = wp_image_create((int)shape.width, (int)shape.height, 3, false);
    unsigned char *pixels =
        image ? wp_allocate((size_t)shape.width, 4, "a row of an HDR file") : NULL;
    if (!pixels || !read_rows(source, at, image, pixels))
        wp_image_destroy(&image);
    free(pixels);
    return wp_image_orient(image, shape.orientation);
}
