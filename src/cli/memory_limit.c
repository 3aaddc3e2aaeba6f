#include "run.h"

#include "command.h"
#include "memory.h"

#include <ctype.h>
#include <string.h>

const struct wp_option wp_options_memory[] = {
    {.name = "memory",
     .kind = WP_OPTION_TEXT,
     .value = "SIZE",
     .help = "memory limit for images, for example 64M; larger images are processed in row strips "
             "(default a quarter of the computer's memory)"},
    {0},
};

// Parses "64M", "1.5G" or "4096".
static bool parse_bytes(const char *text, double *bytes)
{
    static const char units[] = "KMG";
    char number[32];
    const size_t length = strlen(text);
    const char *unit =
        length > 0 ? strchr(units, toupper((unsigned char)text[length - 1])) : NULL;
    const size_t digits = length - (unit && *unit ? 1 : 0);
    if (digits == 0 || digits >= sizeof number)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!wp_parse_double(number, bytes) || *bytes < 1)
        return false;
    for (const char *u = units; unit && *unit && u <= unit; u++)
        *bytes *= 1024;
    return true;
}

bool wp_memory_limit(const char *memory, struct wp_memory_limit *limit)
{
    *limit = (struct wp_memory_limit){.bytes = wp_memory_total() / 4, .given = memory};
    return !memory || parse_bytes(memory, &limit->bytes) ||
           wp_fail(WP_ERROR_USAGE, "--memory: '%s' is not a number of bytes, with or without K, M "
                                   "or G", memory);
}

double wp_memory_of_image(const struct wp_image *shape)
{
    return 2.0 * shape->width * shape->height * shape->depth * shape->planes *
           (double)sizeof(float);
}

bool wp_memory_choose(const struct wp_memory_limit *limit, double bytes, const char *name,
                      const char *why, bool *strips)
{
    const double machine = wp_memory_total();
    char needed[WP_NUMBER_SIZE], given[WP_NUMBER_SIZE];
    *strips = limit->bytes > 0 && bytes > limit->bytes;
    if (!*strips || !why)
        return true;
    *strips = false;
    if (limit->given)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "%s needs %s, more than --memory (%s), and cannot be processed in row "
                       "strips: %s", name, wp_format_bytes(needed, bytes),
                       wp_format_bytes(given, limit->bytes), why);
    if (bytes > machine)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "%s needs %.1f GiB, the machine has %.1f, and it cannot be processed in row "
                       "strips: %s", name, bytes / 0x1p30, machine / 0x1p30, why);
    wp_log(WP_LOG_VERBOSE, "%s is processed as a whole: %s", name, why);
    return true;
}
