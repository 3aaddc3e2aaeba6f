// Checks and text parsing shared by the readers of files.
#include "image_io.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

struct wp_source wp_source_of(const char *name, const struct wp_read_params *params)
{
    return (struct wp_source){.name = name,
                              .volume = params->volume,
                              .values = params->values,
                              .volume_number = params->volume_number,
                              .facts = params->facts,
                              .wide = params->wide};
}

bool wp_source_begins(const struct wp_source *source, const char *magic)
{
    const size_t length = strlen(magic);
    return source->size >= length && memcmp(source->data, magic, length) == 0;
}

bool wp_source_fail(const struct wp_source *source, const char *format, ...)
{
    char reason[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return wp_fail(WP_ERROR_FILE, "%s: %s", source->name, reason);
}

bool wp_source_needs(const struct wp_source *source, unsigned long long bytes)
{
    if (source->needs)
        *source->needs = bytes;
    if (source->size >= bytes)
        return true;
    if (source->needs)
        return wp_fail_silently(WP_ERROR_FILE);
    return wp_source_fail(source, "truncated (needs %llu bytes, has %zu)", bytes, source->size);
}

bool wp_source_check_size(const struct wp_source *source, unsigned long long width,
                          unsigned long long height)
{
    if (width == 0 || height == 0)
        return wp_source_fail(source, "empty image (%llux%llu)", width, height);
    if (width > WP_IMAGE_MAX_SIDE || height > WP_IMAGE_MAX_SIDE)
        return wp_source_fail(source, "image too large (%llux%llu; the limit is %d per side)",
                              width, height, WP_IMAGE_MAX_SIDE);
    return true;
}

bool wp_source_check_volume(const struct wp_source *source, unsigned long long width,
                            unsigned long long height, unsigned long long depth)
{
    if (depth == 1)
        return wp_source_check_size(source, width, height);
    if (width == 0 || height == 0 || depth == 0)
        return wp_source_fail(source, "empty volume (%llux%llux%llu)", width, height, depth);
    if (width > WP_IMAGE_MAX_SIDE || height > WP_IMAGE_MAX_SIDE || depth > WP_IMAGE_MAX_SIDE)
        return wp_source_fail(source, "volume too large (%llux%llux%llu; the limit is %d per side)",
                              width, height, depth, WP_IMAGE_MAX_SIDE);
    if (source->volume == WP_VOLUME_NO)
        return wp_source_fail(source, "a volume of %llux%llux%llu, not an image", width, height,
                              depth);
    return true;
}

void wp_source_space(const struct wp_source *source, size_t *at)
{
    const unsigned char *data = source->data;
    size_t i = *at;
    while (i < source->size && (isspace(data[i]) || data[i] == '#')) {
        if (data[i] == '#')
            while (i + 1 < source->size && data[i] != '\n')
                i++;
        i++;
    }
    *at = i;
}

bool wp_source_number(const struct wp_source *source, size_t *at, unsigned long long most,
                      unsigned long long *value)
{
    const unsigned char *data = source->data;
    size_t i = *at;
    wp_source_space(source, &i);
    if (i >= source->size || !isdigit(data[i]))
        return false;
    unsigned long long number = 0;
    for (; i < source->size && isdigit(data[i]); i++) {
        number = number * 10 + (unsigned long long)(data[i] - '0');
        if (number > most)
            return false;
    }
    *at = i;
    *value = number;
    return true;
}
