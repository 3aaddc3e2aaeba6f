// The image, which is a pattern or a picture, the channel to be transformed, and the pictures of
// image, coefficients, inverse and intermediate results.
#include "page.h"
#include "page_internal.h"

#include "channel.h"
#include "log.h"
#include "memory.h"
#include "operand.h"
#include "pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 3, PICTURE_BYTES = 4, SIDE_MAX = 4096 };

// Displayed range: samples up to `black` are black, from `white` on white; NaN is black.
struct range {
    float black, white;
};

// Planes of `width` samples per row, with `step` floats between samples and `plane` floats between
// planes, and a picture of the same width: RGBA, 4 bytes per pixel, one plane in gray or three as
// red, green and blue.
struct painting {
    const float *samples;
    int planes; // 1 or COLOURS
    ptrdiff_t step, plane;
    int width;
    unsigned char *picture;
};

// ---- samples and pixels ----

// Rounds to 0..255; NaN becomes 0, because its comparisons are false.
static inline uint32_t byte_of(float value, float scale, float offset)
{
    const float scaled = value * scale + offset;
    const float least = scaled > 0 ? scaled : 0;
    return (uint32_t)(least < 255.5F ? least : 255.5F);
}

// Pixels are written as words with red in the lowest byte (WebAssembly is little-endian).
static const uint32_t opaque = 0xff000000;

static inline uint32_t gray_of(uint32_t byte)
{
    return opaque | byte * 0x010101;
}

// Called with a constant step, so that the compiler can vectorize the loop.
static inline void paint_gray(uint32_t *restrict to, const float *restrict from, ptrdiff_t step,
                              int count, float scale, float offset)
{
    for (int i = 0; i < count; i++)
        to[i] = gray_of(byte_of(from[i * step], scale, offset));
}

static inline void paint_colour(uint32_t *restrict to, const float *restrict red,
                                const float *restrict green, const float *restrict blue,
                                ptrdiff_t step, int count, float scale, float offset)
{
    for (int i = 0; i < count; i++)
        to[i] = opaque | byte_of(red[i * step], scale, offset) |
                byte_of(green[i * step], scale, offset) << 8 |
                byte_of(blue[i * step], scale, offset) << 16;
}

// Draws a rectangle of the picture.
static void paint(const struct painting *p, int x, int y, int width, int height, struct range range)
{
    const float scale = 255 / (range.white - range.black), offset = .5F - range.black * scale;
    for (int row = y; row < y + height; row++) {
        const ptrdiff_t at = (ptrdiff_t)row * p->width + x;
        const float *from = p->samples + at * p->step;
        uint32_t *to = (uint32_t *)(void *)p->picture + at;
        const float *green = from + p->plane, *blue = green + p->plane;
        if (p->planes == 1 && p->step == 1)
            paint_gray(to, from, 1, width, scale, offset);
        else if (p->planes == 1)
            paint_gray(to, from, p->step, width, scale, offset);
        else if (p->step == 1)
            paint_colour(to, from, green, blue, 1, width, scale, offset);
        else
            paint_colour(to, from, green, blue, p->step, width, scale, offset);
    }
}

// True if a picture has no colors.
static bool is_gray(const unsigned char *picture, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++, picture += PICTURE_BYTES)
        if (picture[0] != picture[1] || picture[0] != picture[2])
            return false;
    return true;
}

// Reads the first `planes` colors of a picture as planes of 0..1, one after the other. Alpha is
// ignored.
static void read_picture(const unsigned char *picture, size_t pixels, int planes, float *samples)
{
    const uint32_t *from = (const uint32_t *)(const void *)picture;
    for (int p = 0; p < planes; p++)
        for (size_t i = 0; i < pixels; i++)
            samples[(size_t)p * pixels + i] = (float)(from[i] >> 8 * p & 255) * (1 / 255.F);
}

// ---- the image ----

static struct {
    struct wp_image *source; // 1 or 3 planes
    enum wp_channel channel; // to be transformed
    struct wp_image *image;  // the selected channel, or the source itself for all channels
    struct {
        unsigned char *bytes; // RGBA
        int width, height;
    } picture; // the latest that was read or drawn
} page;

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
    memcpy(image->plane[0], source->plane[0], wp_image_samples(source) * (size_t)source->planes *
                                                  sizeof *image->plane[0]);
    wp_image_select_channel(image, page.channel, "the image");
    page.image = image;
    return true;
}

static bool set_image(struct wp_image *source)
{
    if (!source)
        return false;
    drop_image();
    if (source != page.source)
        wp_image_destroy(&page.source);
    page.source = source;
    const bool complete = apply_channel();
    page_set_image(page.image);
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
        page.picture.bytes =
            wp_allocate((size_t)width * (size_t)height, PICTURE_BYTES, "a picture");
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
    const int planes = gray_too && is_gray(page.picture.bytes, pixels) ? 1 : COLOURS;
    struct wp_image *source = page.source;
    if (!pixels)
        return wp_fail(WP_ERROR_USAGE, "there is no picture");
    if (!source || source->width != width || source->height != height || source->planes != planes)
        source = wp_image_create(width, height, planes, false);
    if (source)
        read_picture(page.picture.bytes, pixels, planes, source->plane[0]);
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

int page_is_coloured(void)
{
    return page.source && page.source->planes > 1;
}

// ---- pictures ----

// Describes a picture of planes of the given size; `picture` is NULL if it could not be allocated.
static struct painting begin_picture(const float *samples_of, int width, int height, ptrdiff_t step)
{
    struct painting picture = {
        .samples = samples_of,
        .planes = page_image()->planes,
        .step = step,
        .plane = (ptrdiff_t)width * height * step,
        .width = width,
        .picture = page_picture(width, height),
    };
    return picture;
}

static const unsigned char *draw_plain(const float *from)
{
    const struct painting picture = begin_picture(from, page_width(), page_height(), 1);
    if (picture.picture)
        paint(&picture, 0, 0, page_width(), page_height(), (struct range){0, 1});
    return picture.picture;
}

const unsigned char *page_draw_image(void)
{
    return page_image() ? draw_plain(page_image()->plane[0]) : NULL;
}

const unsigned char *page_draw_inverse(int number)
{
    const struct page_transform *transform = page_find_transform(number, 1);
    if (!transform || (!transform->is_current && !page_inverse(number)))
        return NULL;
    return draw_plain(transform->result);
}

const unsigned char *page_draw_bands(int number, double gain)
{
    const float *from = page_coefficients(number);
    if (!from)
        return NULL;
    const int bands_width = page_bands_width(number), bands_height = page_bands_height(number);
    const struct painting picture = begin_picture(from, bands_width, bands_height, 1);
    const struct range details = {(float)(-.5 / gain), (float)(.5 / gain)};
    const struct wp_subband low =
        wp_subband_describe(&page_find_transform(number, 0)->description, 0);
    const int width = low.grid.size[0], height = low.grid.size[1];
    if (!picture.picture)
        return NULL;
    paint(&picture, 0, 0, width, height, (struct range){0, 1});
    paint(&picture, width, 0, bands_width - width, height, details);
    paint(&picture, 0, height, bands_width, bands_height - height, details);
    return picture.picture;
}

const unsigned char *page_draw_band(int number, int index, double gain)
{
    const float *from = page_coefficients(number);
    if (!from)
        return NULL;
    const struct page_transform *transform = page_find_transform(number, 0);
    const struct wp_description *d = &transform->description;
    if (index < 0 || index >= wp_subband_count(d)) {
        wp_fail(WP_ERROR_USAGE, "there is no band %d", index);
        return NULL;
    }
    // Bands of redundant banks have complete rows of the array.
    const struct wp_band_grid grid = wp_subband_describe(d, index).grid;
    struct painting picture =
        begin_picture(from + (size_t)grid.first[WP_Y] * (size_t)page_bands_width(number),
                      grid.size[WP_X], grid.size[WP_Y], 1);
    const struct range range = index ? (struct range){(float)(-.5 / gain), (float)(.5 / gain)}
                                     : (struct range){0, 1};
    picture.plane = (ptrdiff_t)page_elements(transform, true);
    if (picture.picture)
        paint(&picture, 0, 0, grid.size[WP_X], grid.size[WP_Y], range);
    return picture.picture;
}

const unsigned char *page_draw_step(int component, double black, double white)
{
    struct wp_rect domain;
    const float *quads = page_step_quads(&domain);
    if (!quads)
        return NULL;
    const struct painting picture =
        begin_picture(quads + component, domain.width, domain.height, 4);
    if (picture.picture)
        paint(&picture, 0, 0, domain.width, domain.height,
              (struct range){(float)black, (float)white});
    return picture.picture;
}
