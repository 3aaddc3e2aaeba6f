#include "channels.h"

#include "memory.h"
#include "viewer_struct.h"

#include <stdlib.h>

int wp_viewer_planes(const struct wp_viewer *v, enum wp_view_ab ab)
{
    return v->more[ab][0].backend ? WP_COLOURS : 1;
}

const struct wp_instance *wp_viewer_instance(const struct wp_viewer *v, enum wp_view_ab ab,
                                             int plane)
{
    return plane > 0 ? &v->more[ab][plane - 1] : &v->instance[ab];
}

const char *wp_viewer_plane_name(const struct wp_viewer *v, int plane)
{
    const int colours = v->source[WP_A].colours;
    const enum wp_channel channel =
        wp_channel_or_first((enum wp_channel)v->source[WP_A].channel, colours);
    if (wp_viewer_planes(v, WP_A) > 1)
        return wp_channel_names[WP_CHANNEL_FIRST + plane];
    if (colours <= 1)
        return wp_channel_names[WP_CHANNEL_LUMA];
    return colours == WP_COLOURS && channel != WP_CHANNEL_LUMA ? wp_channel_names[channel]
                                                               : wp_channel_words[channel];
}

struct wp_channels wp_viewer_channels(struct wp_viewer *v, enum wp_view_ab ab)
{
    struct wp_channels channels = {.of = {&v->instance[ab]}, .count = wp_viewer_planes(v, ab)};
    for (int p = 1; p < WP_COLOURS; p++)
        channels.of[p] = &v->more[ab][p - 1];
    return channels;
}

void wp_channels_unbind(struct wp_channels channels)
{
    for (int p = 0; p < channels.count; p++)
        wp_instance_unbind(channels.of[p]);
}

void wp_channels_destroy(struct wp_channels channels)
{
    for (int p = 0; p < WP_COLOURS; p++)
        wp_instance_destroy(channels.of[p]);
}

// Adds the times of all planes to the first instance.
static bool run(struct wp_channels channels, enum wp_direction direction,
                bool (*transform)(struct wp_instance *instance))
{
    bool ok = true;
    for (int p = 0; p < channels.count && ok; p++)
        ok = transform(channels.of[p]);
    for (int p = 1; p < channels.count; p++)
        channels.of[0]->seconds[direction] += channels.of[p]->seconds[direction];
    return ok;
}

bool wp_channels_forward(struct wp_channels channels)
{
    return run(channels, WP_FORWARD, wp_instance_forward);
}

bool wp_channels_edit(struct wp_channels channels, const struct wp_view_edit *edit)
{
    bool ok = true;
    for (int p = 0; p < channels.count && ok; p++)
        ok = wp_instance_edit(channels.of[p], edit);
    return ok;
}

bool wp_channels_inverse(struct wp_channels channels)
{
    return run(channels, WP_INVERSE, wp_instance_inverse);
}

bool wp_channels_step(struct wp_channels channels, enum wp_direction direction, int count,
                      double *seconds)
{
    if (!wp_instance_step(channels.of[0], direction, count, seconds))
        return false;
    const bool adds = seconds && channels.count > 1;
    double *more = adds ? wp_allocate((size_t)count + 1, sizeof *more, "times") : NULL;
    bool ok = !adds || more;
    for (int p = 1; p < channels.count && ok; p++) {
        ok = wp_instance_step(channels.of[p], direction, count, more);
        for (int op = 0; op < count && more; op++)
            seconds[op] += more[op];
    }
    free(more);
    return ok;
}

float *wp_channels_read_coefficients(struct wp_channels channels)
{
    const struct wp_plane *plane = &channels.of[0]->plane;
    const size_t samples = (size_t)plane->width * (size_t)plane->height * (size_t)plane->depth;
    float *planes = wp_allocate(samples * (size_t)channels.count, sizeof *planes, "coefficients");
    bool ok = planes != NULL;
    for (int p = 0; p < channels.count && ok; p++)
        ok = wp_instance_read_coefficients(channels.of[p], planes + (size_t)p * samples);
    if (!ok) {
        free(planes);
        planes = NULL;
    }
    return planes;
}
