// Reads PAM, Netpbm's P7: header lines "WORD VALUE" up to ENDHDR, then samples as in P5 and P6.
// https://netpbm.sourceforge.net/doc/pam.html
#include "rows_io.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

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

struct header {
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

static bool parse_line(char *line, struct header *header)
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
static bool read_header(const struct wp_source *source, size_t *at, struct header *header)
{
    char line[LINE_SIZE];
    *header = (struct header){.width = -1, .height = -1, .depth = -1, .maximum = -1};
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
static bool find_alpha(const struct wp_source *source, const struct header *header, bool *alpha)
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
    struct header header;
    bool alpha;
    *layout = (struct wp_raster_layout){0};
    if (!read_header(head, &at, &header))
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
