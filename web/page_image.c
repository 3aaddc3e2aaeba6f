// The image: a pattern or a picture, and the channel to be transformed.
#include "page.h"
#include "page_internal.h"

#include "channel.h"
#include "log.h"
#include "memory.h"
#include "paint.h"
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 4096 };

static struct {
    struct wp_image *source; // 1 or 3 planes
    enum wp_channel channel; // to be transformed
    struct wp_image *image;  // the selected channel, or the source itself for all channels
    struct {
        unsigned char *bytes; // RGBA
        int width, height;
    } picture; // the latest that was read or drawn
} page;

const struct wp_image *page_image(void)
{
    return page.image;
}

size_t page_plane_samples(void)
{
    return (size_t)page.image->width * (size_t)page.image->height;
}

size_t page_all_samples(void)
{
    return page_plane_samples() * (size_t)page.image->planes;
}

int page_width(void)
{
    return page.image ? page.image->width : 0;
}

int page_height(void)
{
    return page.image ? page.image->height : 0;
}

static void drop_image(void)
{
    if (page.image != page.source)
        wp_image_destroy(&page.image);
    page.image = NULL;
}

// Sets the image to the channel of the source; to the source itself if memory is exhausted.
static bool apply_channel(void)
{
    const struct wp_image *source = page.source;
    struct wp_image *image = NULL;
    drop_image();
    page.image = page.source;
    if (page.channel == WP_CHANNEL_RGB || source->planes == 1)
        return true;
    image = wp_image_create(source->width, source->height, source->planes, false);
    if (!image)
        return false;
    memcpy(image->plane[0], source->plane[0],
           page_plane_samples() * (size_t)source->planes * sizeof *image->plane[0]);
    wp_image_select_channel(image, page.channel, "the image");
    page.image = image;
    return true;
}

static bool set_image(struct wp_image *source)
{
    const int width = page_width(), height = page_height();
    const int planes = page.image ? page.image->planes : 0;
    if (!source)
        return false;
    drop_image();
    if (source != page.source)
        wp_image_destroy(&page.source);
    page.source = source;
    const bool complete = apply_channel();
    page_invalidate_views(page_width() == width && page_height() == height &&
                          page.image->planes == planes);
    return complete;
}

unsigned char *page_picture(int width, int height)
{
    const bool fits = width == page.picture.width && height == page.picture.height;
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
        wp_fail(WP_ERROR_TOO_LARGE, "%dx%d pixels are too many (at most %d a side)", width, height,
                SIDE_MAX);
        return NULL;
    }
    if (!fits) {
        free(page.picture.bytes);
        page.picture.width = page.picture.height = 0;
        page.picture.bytes = wp_allocate((size_t)width * (size_t)height, PAINT_BYTES, "a picture");
    }
    if (page.picture.bytes) {
        page.picture.width = width;
        page.picture.height = height;
    }
    return page.picture.bytes;
}

int page_capture(int gray_too)
{
    const int width = page.picture.width, height = page.picture.height;
    const size_t pixels = (size_t)width * (size_t)height;
    const int planes =
        gray_too && paint_is_gray(page.picture.bytes, pixels) ? 1 : PAINT_COLOURS;
    struct wp_image *source = page.source;
    if (!pixels)
        return wp_fail(WP_ERROR_USAGE, "there is no picture");
    if (!source || source->width != width || source->height != height || source->planes != planes)
        source = wp_image_create(width, height, planes, false);
    if (source)
        paint_read(page.picture.bytes, pixels, planes, source->plane[0]);
    return set_image(source);
}

int page_pattern(const char *text)
{
    return set_image(wp_pattern_create(text));
}

int page_channel(const char *word)
{
    return wp_channel_find(word, &page.channel) && (!page.source || set_image(page.source));
}

int page_planes(void)
{
    return page.image ? page.image->planes : 0;
}

int page_is_coloured(void)
{
    return page.source && page.source->planes > 1;
}

float *page_pixels(void)
{
    return page.image ? page.image->plane[0] : NULL;
}
