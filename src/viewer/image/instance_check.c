// What the viewer does not support.
#include "instance.h"

#include <stdio.h>

bool wp_instance_check_volume(int bank)
{
    return bank != WP_BANK_PACKETS ||
           wp_fail(WP_ERROR_USAGE, "the viewer does not support bank '%s' for volumes\nhint: bank "
                   "'%s', '%s' or '%s'", wp_bank_names[bank], wp_bank_names[WP_BANK_DECIMATED],
                   wp_bank_names[WP_BANK_UNDECIMATED], wp_bank_names[WP_BANK_STARLET]);
}

bool wp_instance_check_memory(const struct wp_description *d, int planes, double bytes,
                              double limit)
{
    const int levels = wp_description_levels(d), depth = wp_description_depth(d);
    char needed[WP_NUMBER_SIZE], most[WP_NUMBER_SIZE], along_z[16] = " pixels";
    if (depth > 1)
        snprintf(along_z, sizeof along_z, "x%d", depth);
    return limit <= 0 || bytes <= limit ||
           wp_fail(WP_ERROR_TOO_LARGE,
                   "bank '%s' needs %s for %d level%s of %dx%d%s in %d channel%s, more than the "
                   "limit of %s\nhint: %sone channel, or --memory",
                   wp_bank_names[d->bank], wp_format_bytes(needed, bytes), levels,
                   WP_PLURAL(levels), d->size[WP_X], d->size[WP_Y], along_z, planes,
                   WP_PLURAL(planes), wp_format_bytes(most, limit),
                   wp_description_is_redundant(d) ? "fewer levels, " : "");
}
