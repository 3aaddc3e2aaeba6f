// Reads portable float maps: "Pf" (gray) or "PF" (color), width, height, and a scale that is
// negative for little endian; then rows of floats from the bottom to the top. The magnitude of the
// scale is ignored, so that values are not changed.
#include "rows_io.h"

#include <ctype.h>
#include <string.h>

#include "text.h"

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
