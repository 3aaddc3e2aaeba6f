// Reads the formats of Netpbm.
#include "rows_io.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

// ---- PNM: P1 to P6, bits, gray and color, as text and binary ---------------------------------

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

// ---- PAM ----------------------------------------------------------------------------------

// P7: header lines "WORD VALUE" up to ENDHDR, then samples as in P5 and P6.
// https://netpbm.sourceforge.net/doc/pam.html

static const struct {
    const char *name;
    int planes;
    bool alpha;
} types[] = {
    {"BLACKANDWHITE", 1, false}, {"BLACKANDWHITE_ALPHA", 2, true},
    {"GRAYSCALE", 1, false},     {"GRAYSCALE_ALPHA", 2, true},
    {"RGB", 3, false},           {"RGB_ALPHA", 4, true},
};
enum { TYPES = sizeof types / sizeof types[0], LINE_SIZE = 256 };

struct pam_header {
    int width, height, depth, maximum;
    char type[LINE_SIZE];
};

// Reads a line without surrounding white space. False if it has no end.
static bool read_line(const struct wp_source *source, size_t *at, char line[LINE_SIZE])
{
    size_t length = 0;
    for (; *at < source->size && source->data[*at] != '\n'; ++*at)
        if (length + 1 < LINE_SIZE && (length > 0 || !isspace(source->data[*at])))
            line[length++] = (char)source->data[*at];
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    line[length] = '\0';
    return (*at)++ < source->size;
}

static bool parse_line(char *line, struct pam_header *header)
{
    const size_t length = strcspn(line, " \t");
    char *value = line + length + strspn(line + length, " \t");
    const struct {
        const char *word;
        int *number;
    } numbers[] = {{"WIDTH", &header->width},
                   {"HEIGHT", &header->height},
                   {"DEPTH", &header->depth},
                   {"MAXVAL", &header->maximum}};
    line[length] = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(line, numbers[i].word) == 0)
            return wp_parse_int(value, numbers[i].number) && *numbers[i].number >= 0;
    if (strcmp(line, "TUPLTYPE") == 0)
        snprintf(header->type, sizeof header->type, "%s", value);
    return true;
}

// False if the header is damaged or longer than the available bytes.
static bool read_pam_header(const struct wp_source *source, size_t *at, struct pam_header *header)
{
    char line[LINE_SIZE];
    *header = (struct pam_header){.width = -1, .height = -1, .depth = -1, .maximum = -1};
    while (read_line(source, at, line)) {
        if (strcmp(line, "ENDHDR") == 0)
            return header->width >= 0 && header->height >= 0 && header->depth >= 1 &&
                   header->maximum >= 1 && header->maximum <= 65535;
        if (line[0] != '#' && !parse_line(line, header))
            return false;
    }
    return false;
}

// Determines whether the last plane is alpha: by type or, if that is unknown, by the number of
// planes. False after an error.
static bool find_alpha(const struct wp_source *source, const struct pam_header *header, bool *alpha)
{
    *alpha = header->depth % 2 == 0;
    for (int i = 0; i < TYPES; i++)
        if (strcmp(header->type, types[i].name) == 0) {
            *alpha = types[i].alpha;
            return header->depth == types[i].planes ||
                   wp_source_fail(source, "damaged PAM (TUPLTYPE %s has %d samples, DEPTH is %d)",
                                  header->type, types[i].planes, header->depth);
        }
    if (strncmp(header->type, "CMYK", 4) == 0)
        return wp_source_fail(source, "not supported (PAM of TUPLTYPE %.32s)", header->type);
    return header->depth <= WP_IMAGE_MAX_PLANES ||
           wp_source_fail(source, "not supported (PAM of %d samples per pixel)", header->depth);
}

bool wp_pam_layout(const struct wp_source *head, struct wp_raster_layout *layout)
{
    size_t at = 3;
    struct pam_header header;
    bool alpha;
    *layout = (struct wp_raster_layout){0};
    if (!read_pam_header(head, &at, &header))
        return true;
    if (!wp_source_check_size(head, (unsigned long long)header.width,
                              (unsigned long long)header.height) ||
        !find_alpha(head, &header, &alpha))
        return false;
    *layout = (struct wp_raster_layout){
        .width = (unsigned long long)header.width,
        .height = (unsigned long long)header.height,
        .depth = 1,
        .offset = at,
        .planes = header.depth,
        .alpha = alpha,
        .bounded = true,
        .samples = wp_samples_of(head, header.maximum > 255 ? WP_SAMPLE_U16 : WP_SAMPLE_U8, true,
                                 true, (float)header.maximum),
    };
    return true;
}

// ---- PFM ----------------------------------------------------------------------------------

// Portable float maps: "Pf" (gray) or "PF" (color), width, height, and a scale that is negative for
// little endian; then rows of floats from the bottom to the top. The magnitude of the scale is
// ignored, so that values are not changed.

// Parses the scale, and one white space character or CR LF that ends the header.
static bool read_scale(const struct wp_source *source, size_t *at, double *scale)
{
    size_t i = *at;
    while (i < source->size && isspace(source->data[i]))
        i++;
    char word[32];
    size_t length = 0;
    while (i < source->size && !isspace(source->data[i]) && length + 1 < sizeof word)
        word[length++] = (char)source->data[i++];
    word[length] = '\0';
    const bool cr_lf =
        i + 1 < source->size && source->data[i] == '\r' && source->data[i + 1] == '\n';
    *at = i + (cr_lf ? 2 : 1);
    return i < source->size && isspace(source->data[i]) && wp_parse_double(word, scale) &&
           *scale != 0.0;
}

bool wp_pfm_layout(const struct wp_source *head, struct wp_raster_layout *layout)
{
    size_t at = 2;
    double scale;
    *layout = (struct wp_raster_layout){
        .depth = 1, .planes = head->data[1] == 'F' ? 3 : 1, .bottom_up = true};
    if (!wp_source_number(head, &at, UINT32_MAX, &layout->width) ||
        !wp_source_number(head, &at, UINT32_MAX, &layout->height) ||
        !read_scale(head, &at, &scale)) {
        layout->width = 0;
        return true;
    }
    layout->offset = at;
    layout->samples =
        (struct wp_samples){.type = WP_SAMPLE_F32, .big_endian = scale > 0.0, .peak = 1};
    return wp_source_check_size(head, layout->width, layout->height);
}
