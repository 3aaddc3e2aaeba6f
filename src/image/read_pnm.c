// Reads Netpbm's P1 to P6: bits, gray and color, as text and binary. read_pam.c reads PAM.
#include "rows_io.h"

#include <ctype.h>
#include <string.h>

struct header {
    struct wp_raster_layout layout;
    unsigned long long maximum;
    bool plain, bits; // text; black and white
};

// Reads samples as text, interleaved.
static bool read_plain(const struct wp_source *source, const struct header *header,
                       struct wp_image *image)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    const float scale = (float)header->maximum / image->origin.peak;
    size_t at = (size_t)header->layout.offset;
    for (size_t i = 0; i < pixels; i++) {
        for (int p = 0; p < image->planes; p++) {
            unsigned long long value;
            if (!wp_source_number(source, &at, header->maximum, &value))
                return wp_source_fail(source,
                                      "damaged PNM (sample %zu is missing or not a number up to "
                                      "%llu)",
                                      i * (size_t)image->planes + (size_t)p + 1, header->maximum);
            image->plane[p][i] = (float)value / scale;
        }
    }
    return true;
}

// Reads bits as text: digits with optional white space. 1 is black.
static bool read_plain_bits(const struct wp_source *source, const struct header *header,
                            struct wp_image *image)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    size_t at = (size_t)header->layout.offset;
    for (size_t i = 0; i < pixels; i++, at++) {
        wp_source_space(source, &at);
        if (at >= source->size || (source->data[at] != '0' && source->data[at] != '1'))
            return wp_source_fail(source, "damaged PNM (sample %zu is missing or not 0 or 1)",
                                  i + 1);
        image->plane[0][i] = source->data[at] == '0' ? 1.0F : 0.0F;
    }
    return true;
}

static size_t bytes_of_bits(const struct header *header) // of a row
{
    return ((size_t)header->layout.width + 7) / 8;
}

// Reads packed bits, the most significant first; rows begin at a byte. 1 is black.
static bool read_bits(const struct wp_source *source, const struct header *header,
                      struct wp_image *image)
{
    const unsigned char *row = source->data + header->layout.offset;
    float *to = image->plane[0];
    for (int y = 0; y < image->height; y++, row += bytes_of_bits(header))
        for (int x = 0; x < image->width; x++)
            *to++ = row[x / 8] >> (7 - x % 8) & 1 ? 0.0F : 1.0F;
    return true;
}

// Skips the white space character after the last number; a comment there is skipped to its end.
static bool end_header(const struct wp_source *source, size_t *at)
{
    const unsigned char *data = source->data;
    if (*at < source->size && data[*at] == '#')
        while (*at < source->size && data[*at] != '\n' && data[*at] != '\r')
            ++*at;
    return *at < source->size && isspace(data[(*at)++]);
}

// Parses the header of any PNM. False if it is damaged or longer than the available bytes.
static bool parse_header(const struct wp_source *source, struct header *header)
{
    size_t at = 2;
    const char kind = (char)source->data[1];
    struct wp_raster_layout *layout = &header->layout;
    *header = (struct header){.maximum = 1, .plain = kind < '4', .bits = strchr("14", kind)};
    *layout = (struct wp_raster_layout){
        .depth = 1, .planes = strchr("36", kind) ? 3 : 1, .bounded = true};
    if (!wp_source_number(source, &at, UINT32_MAX, &layout->width) ||
        !wp_source_number(source, &at, UINT32_MAX, &layout->height) ||
        (!header->bits && !wp_source_number(source, &at, 65535, &header->maximum)) ||
        header->maximum == 0 || !end_header(source, &at))
        return false;
    layout->offset = at;
    layout->line_feed = !header->plain && at < source->size && source->data[at - 1] == '\r' &&
                        source->data[at] == '\n';
    layout->samples = wp_samples_of(source, header->maximum > 255 ? WP_SAMPLE_U16 : WP_SAMPLE_U8,
                                    true, true, (float)header->maximum);
    return true;
}

bool wp_pnm_layout(const struct wp_source *head, struct wp_raster_layout *layout)
{
    struct header header;
    const bool ok = parse_header(head, &header);
    *layout = ok ? header.layout : (struct wp_raster_layout){0};
    return !ok || wp_source_check_size(head, layout->width, layout->height);
}

// The minimum size of the file: samples as text are a digit and, except bits and the last one, a
// space.
static unsigned long long least_end(const struct header *header)
{
    const struct wp_raster_layout *layout = &header->layout;
    const unsigned long long samples = layout->width * layout->height * (unsigned)layout->planes;
    return layout->offset + (!header->bits   ? 2 * samples - 1
                             : header->plain ? samples
                                             : layout->height * bytes_of_bits(header));
}

static bool read_samples(const struct wp_source *source, const struct header *header,
                         struct wp_image *image)
{
    return !header->bits   ? read_plain(source, header, image)
           : header->plain ? read_plain_bits(source, header, image)
                           : read_bits(source, header, image);
}

struct wp_image *wp_read_pnm(const struct wp_source *source)
{
    struct header header;
    const struct wp_raster_layout *layout = &header.layout;
    if (!parse_header(source, &header)) {
        wp_source_fail(source, "damaged PNM (needs width, height%s)",
                       header.bits ? "" : ", and a maximum of 1 to 65535");
        return NULL;
    }
    if (!wp_source_check_size(source, layout->width, layout->height) ||
        !wp_source_needs(source, least_end(&header)))
        return NULL;
    struct wp_image *image =
        wp_image_create((int)layout->width, (int)layout->height, layout->planes, false);
    if (!image)
        return NULL;
    wp_image_set_samples(image, source, &layout->samples);
    if (!read_samples(source, &header, image))
        wp_image_destroy(&image);
    return image;
}
