// Files without a header: a line with the value of --raw, and the data. The line is also a name of
// numbered files.
#include "fuzz.h"

#include "frames.h"
#include "fuzz_image.h"
#include "raw.h"

#include <stdlib.h>
#include <string.h>

static void read_raw(const char *line, const uint8_t *data, size_t size)
{
    struct wp_raw raw;
    const bool good = wp_raw_parse(line, WP_VALUES_AUTO, &raw);
    fuzz_check_result(good);
    if (!good)
        return;
    const struct wp_source source = {
        .name = "input", .data = data, .size = size, .volume = WP_VOLUME_EITHER};
    if (wp_raw_check(&raw, source.name, size)) {
        struct wp_image *image = wp_read_raw(&source, &raw);
        FUZZ_CHECK(!image || wp_image_samples(image) == raw.layout.width * raw.layout.height *
                                                              raw.layout.depth);
        fuzz_check_result(image);
        wp_image_destroy(&image);
    } else {
        fuzz_check_result(false);
    }
}

static void name_frames(const char *line)
{
    if (!wp_frames_is_sequence(line))
        return;
    char *one = wp_frames_name(line, 1), *other = wp_frames_name(line, 23456);
    FUZZ_CHECK(strcmp(one, other) != 0);
    free(one);
    free(other);
}

void fuzz(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    char *line = fuzz_text(data, length);
    read_raw(line, end ? end + 1 : data + size, end ? size - length - 1 : 0);
    name_frames(line);
    free(line);
}
