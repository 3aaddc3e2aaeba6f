#include "channel.h"

#include "suggest.h"
#include "text.h"

#include <string.h>

const char *const wp_channel_words[WP_CHANNEL_WORDS] = {
    "rgb", "luma", "0", "1", "2", "3", "red", "green", "blue",
};
const char *const wp_channel_names[WP_CHANNELS] = {"rgb", "gray", "red", "green", "blue", "3"};

bool wp_channel_find(const char *word, enum wp_channel *channel)
{
    const int found = wp_name_find("channel", word, wp_channel_words, WP_CHANNEL_WORDS,
                                   "there are ");
    if (found >= 0)
        *channel = (enum wp_channel)(found < WP_CHANNELS ? found
                                                         : found - WP_CHANNELS + WP_CHANNEL_FIRST);
    return found >= 0;
}

bool wp_channel_is_of(enum wp_channel channel, int colours)
{
    if (channel == WP_CHANNEL_RGB)
        return colours == WP_COLOURS;
    if (channel == WP_CHANNEL_LUMA)
        return colours == WP_COLOURS || colours == 1;
    return (int)channel - WP_CHANNEL_FIRST < colours;
}

enum wp_channel wp_channel_or_first(enum wp_channel channel, int colours)
{
    return channel == WP_CHANNEL_RGB && colours != WP_COLOURS ? WP_CHANNEL_FIRST : channel;
}

bool wp_channel_check(enum wp_channel channel, int colours, const char *name)
{
    const char *word = wp_channel_words[channel], *colour = wp_channel_names[channel];
    const bool both = channel >= WP_CHANNEL_FIRST && strcmp(word, colour) != 0;
    return wp_channel_is_of(channel, colours) ||
           wp_fail(WP_ERROR_USAGE, "%s has no channel '%s'%s%s%s\nhint: it has %d plane%s%s", name,
                   word, both ? " (" : "", both ? colour : "", both ? ")" : "", colours,
                   WP_PLURAL(colours),
                      colours == 1            ? ": it is gray"
                      : colours == WP_COLOURS ? ": red, green and blue"
                                              : "; color requires three");
}

// Keeps `colours` planes from plane `first` on, and alpha.
static void keep_planes(struct wp_image *image, int first, int colours)
{
    const size_t count = wp_image_samples(image);
    const int alpha = image->alpha ? image->planes - 1 : -1;
    if (first > 0)
        memcpy(image->plane[0], image->plane[first], count * sizeof(float));
    if (alpha >= 0 && alpha != colours)
        memcpy(image->plane[colours], image->plane[alpha], count * sizeof(float));
    wp_image_shrink(image, colours + (alpha >= 0 ? 1 : 0));
}

bool wp_image_select_channel(struct wp_image *image, enum wp_channel channel, const char *name)
{
    if (!wp_channel_check(channel, wp_image_colour_planes(image), name))
        return false;
    if (channel == WP_CHANNEL_LUMA)
        wp_image_to_gray(image);
    else if (channel != WP_CHANNEL_RGB)
        keep_planes(image, (int)channel - WP_CHANNEL_FIRST, 1);
    return true;
}

bool wp_channel_shape(const char *word, const struct wp_rows_info *info, const char *name,
                      struct wp_image *shape)
{
    enum wp_channel channel = WP_CHANNEL_RGB;
    *shape = wp_rows_shape(info);
    if (!word)
        return true;
    if (!wp_channel_find(word, &channel) ||
        !wp_channel_check(channel, wp_image_colour_planes(shape), name))
        return false;
    if (channel != WP_CHANNEL_RGB)
        shape->planes = 1 + info->alpha;
    return true;
}
