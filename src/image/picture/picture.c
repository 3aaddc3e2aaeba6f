#include "picture.h"
#include "picture_internal.h"

#include "font.h"
#include "memory.h"
#include "text.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The level of zero, exact in an 8-bit file (1/255 per step), with 127 steps on both sides.
#define GRAY (128.0F / 255.0F)
#define GRAY_RANGE (127.0F / 255.0F)

// The share of a band's values that may saturate; more for details, which have long tails.
#define LL_EXCESS 0.001
#define DETAIL_EXCESS 0.02

// Details below this share of LL's magnitude are rounding errors of zero.
#define ZERO_SHARE 1e-5F

// Heights of lines of text in pixels, for a picture of 512x512, and their minimum.
#define NAME_HEIGHT 20.0F
#define NAME_LEAST 13.0F
#define TEXT_HEIGHT 13.0F
#define TEXT_LEAST 11.5F

// The largest share of a band that its label may cover.
#define LABEL_SHARE 0.13

// Narrower pictures, in pixels, have no caption.
#define CAPTION_LEAST_WIDTH 256

// ---- Ranges -------------------------------------------------------------------------------

enum { BINS = 1 << 16 };

// The values of one band in all color planes.
struct sample {
    const struct wp_image *image;
    struct wp_band_view view;
    float floor; // 0 or more: only magnitudes above it; negative: signed values
};

// Maps floats to integers in the same order: inverts the bits of negative floats, and sets the sign
// bit of the others.
static uint32_t order_key(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000U;
}

static float order_value(uint32_t key)
{
    const uint32_t bits = key >> 31 ? key & 0x7FFFFFFFU : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Builds a histogram of the upper halves of the keys or, if `upper` is 0 or more, of the lower
// halves of the keys with that upper half. Returns the number of values counted.
static size_t count_keys(const struct sample *sample, int32_t upper, size_t *bins)
{
    const struct wp_band_view *view = &sample->view;
    const int planes = wp_image_colour_planes(sample->image);
    size_t counted = 0;
    memset(bins, 0, BINS * sizeof *bins);
    for (int p = 0; p < planes; p++) {
        for (int y = 0; y < view->height; y++) {
            const float *row = sample->image->plane[p] + view->offset + y * view->step_y;
            for (int x = 0; x < view->width; x++) {
                float value = row[x * view->step_x];
                if (!isfinite(value))
                    continue;
                if (sample->floor >= 0.0F) {
                    value = fabsf(value);
                    if (value <= sample->floor)
                        continue;
                }
                const uint32_t key = order_key(value);
                if (upper >= 0 && key >> 16 != (uint32_t)upper)
                    continue;
                bins[upper < 0 ? key >> 16 : key & 0xFFFF]++;
                counted++;
            }
        }
    }
    return counted;
}

// Finds the bin of the value of rank *rank, which becomes the rank within that bin.
static uint32_t find_bin(const size_t *bins, size_t *rank)
{
    uint32_t bin = 0;
    while (bin < BINS - 1 && *rank >= bins[bin])
        *rank -= bins[bin++];
    return bin;
}

// The quantile of the sample at the fraction `excess` (from_top: counted from the largest value),
// by radix selection in two passes. 0 for an empty sample.
static float sample_quantile(const struct sample *sample, double excess, bool from_top,
                             size_t *bins)
{
    const size_t count = count_keys(sample, -1, bins);
    if (count == 0)
        return 0.0F;
    const size_t excluded = (size_t)(excess * (double)count);
    size_t rank = from_top ? count - 1 - excluded : excluded;
    const uint32_t upper = find_bin(bins, &rank);
    count_keys(sample, (int32_t)upper, bins);
    return order_value(upper << 16 | find_bin(bins, &rank));
}

// ---- Values -------------------------------------------------------------------------------

// Draws a band as center + (value - zero) * gain, clamped to 0..1.
static void draw_band(struct wp_image *picture, const struct wp_image *coefficients,
                      const struct wp_band_view *view, float zero, float gain, float centre)
{
    const int sources = wp_image_colour_planes(coefficients);
    for (int p = 0; p < picture->planes; p++) {
        const float *source = coefficients->plane[p < sources ? p : sources - 1];
        for (int y = 0; y < view->height; y++) {
            const ptrdiff_t row = view->offset + y * view->step_y;
            for (int x = 0; x < view->width; x++) {
                const ptrdiff_t at = row + x * view->step_x;
                const float level = centre + (source[at] - zero) * gain;
                picture->plane[p][at] = fminf(fmaxf(level, 0.0F), 1.0F);
            }
        }
    }
}

static struct wp_band_view ll_view(const struct wp_image *image,
                                   const struct wp_picture_params *params)
{
    if (params->levels > 0)
        return wp_band_view(image->width, image->height, params->levels, WP_BAND_LL,
                            params->layout);
    return (struct wp_band_view){image->width, image->height, 0, 1, image->width};
}

float wp_picture_low(struct wp_image *picture, const struct wp_image *coefficients,
                     const struct wp_band_view *view, size_t *bins)
{
    const struct sample sample = {coefficients, *view, -1.0F};
    const float low = sample_quantile(&sample, LL_EXCESS, false, bins);
    const float high = sample_quantile(&sample, LL_EXCESS, true, bins);
    // Halves, since the difference of two floats may overflow.
    const float half = high / 2.0F - low / 2.0F;
    if (half >= FLT_MIN) // so that the gain is finite
        draw_band(picture, coefficients, view, low / 2.0F + high / 2.0F, 0.5F / half, 0.5F);
    else
        draw_band(picture, coefficients, view, low, 0.0F, GRAY);
    return fmaxf(ZERO_SHARE * fmaxf(fabsf(low), fabsf(high)), FLT_MIN);
}

void wp_picture_detail(struct wp_image *picture, const struct wp_image *coefficients,
                       const struct wp_band_view *view, float floor, size_t *bins)
{
    const struct sample sample = {coefficients, *view, floor};
    const float scale = sample_quantile(&sample, DETAIL_EXCESS, true, bins);
    draw_band(picture, coefficients, view, 0.0F, scale > 0.0F ? GRAY_RANGE / scale : 0.0F, GRAY);
}

static void draw_values(struct wp_image *picture, const struct wp_image *coefficients,
                        const struct wp_picture_params *params, size_t *bins)
{
    const struct wp_band_view ll = ll_view(coefficients, params);
    const float floor = wp_picture_low(picture, coefficients, &ll, bins);
    for (int level = 1; level <= params->levels; level++) {
        for (enum wp_band band = WP_BAND_HL; band < WP_BAND_COUNT; band++) {
            const struct wp_band_view view = wp_band_view(
                coefficients->width, coefficients->height, level, band, params->layout);
            wp_picture_detail(picture, coefficients, &view, floor, bins);
        }
    }
}

size_t *wp_picture_bins(void)
{
    return wp_allocate(BINS, sizeof(size_t), "a histogram");
}

static bool is_finite_at(const struct wp_image *image, size_t at)
{
    for (int p = 0; p < wp_image_colour_planes(image); p++)
        if (!isfinite(image->plane[p][at]))
            return false;
    return true;
}

void wp_picture_mark_nonfinite(struct wp_image *picture, const struct wp_image *coefficients)
{
    const size_t count = wp_image_samples(coefficients);
    for (size_t i = 0; i < count; i++)
        if (!is_finite_at(coefficients, i))
            for (int p = 0; p < picture->planes; p++)
                picture->plane[p][i] = p == 0 ? 1.0F : 0.0F;
}

// ---- Outlines and text --------------------------------------------------------------------

struct rectangle {
    int x, y, width, height;
};

// Blends `value` into all planes. The rectangle is inside the picture.
static void fill(struct wp_image *picture, struct rectangle area, float value, float share)
{
    for (int p = 0; p < picture->planes; p++) {
        for (int y = area.y; y < area.y + area.height; y++) {
            float *row = picture->plane[p] + (size_t)y * (size_t)picture->width;
            for (int x = area.x; x < area.x + area.width; x++)
                row[x] = row[x] * (1.0F - share) + value * share;
        }
    }
}

static void draw_text(struct wp_image *picture, int x, int y, float height, const char *text,
                      float value)
{
    for (int p = 0; p < picture->planes; p++)
        wp_font_draw(picture->plane[p], picture->width, picture->height, x, y, height, text,
                     value);
}

// The scale of lines and text, 1 for 512x512. It grows less than proportionally, since large
// pictures are displayed reduced, but on larger screens.
static float drawing_scale(int width, int height)
{
    return powf((float)width * (float)height / (512.0F * 512.0F), 0.375F);
}

// Like drawing_scale(), but at least 1, the smallest scale at which text is readable.
static float text_scale(int width, int height)
{
    return fmaxf(drawing_scale(width, height), 1.0F);
}

// Double lines, dark and light, visible on any content; thicker for level 1.
bool wp_picture_split(struct wp_image *picture, int width, int height, const int first[2],
                      const int size[2], int level)
{
    const int w = size[WP_X], h = size[WP_Y], left = first[WP_X], top = first[WP_Y];
    const int x = left + w - w / 2, y = top + h - h / 2;
    const int half = (int)ceilf(drawing_scale(width, height) * (level == 1 ? 1.0F : 0.5F));
    if (w < 32 * half || h < 32 * half)
        return false;
    fill(picture, (struct rectangle){x - half, top, half, h}, 0.0F, 1.0F);
    fill(picture, (struct rectangle){left, y - half, w, half}, 0.0F, 1.0F);
    fill(picture, (struct rectangle){x, top, half, h}, 1.0F, 1.0F);
    fill(picture, (struct rectangle){left, y, w, half}, 1.0F, 1.0F);
    return true;
}

void wp_picture_outlines(struct wp_image *picture, int width, int height, int levels)
{
    bool drawn = true;
    for (int level = 1; level <= levels && drawn; level++) {
        const int first[2] = {0};
        const int size[] = {wp_level_size(width, level - 1), wp_level_size(height, level - 1)};
        drawn = wp_picture_split(picture, width, height, first, size, level);
    }
}

// A name and up to two smaller lines below it; an empty line ends the label.
enum { LABEL_LINES = 3, LABEL_LINE_SIZE = 80 };

struct label {
    char line[LABEL_LINES][LABEL_LINE_SIZE];
    float line_height[LABEL_LINES];
    int inset;         // distance of the box from the band's border and its line
    int margin;        // between the box and the text
    int width, height; // of the box
};

// Sets the sizes. `full` is the picture's text scale, `scale` that of this label.
static void label_measure(struct label *label, float full, float scale)
{
    label->inset = 1 + (int)ceilf(1.5F * full);
    label->margin = (int)ceilf(3.0F * scale);
    label->width = 0;
    float height = 0.0F;
    for (int i = 0; i < LABEL_LINES && label->line[i][0]; i++) {
        label->line_height[i] = scale * (i == 0 ? NAME_HEIGHT : TEXT_HEIGHT);
        height += label->line_height[i];
        const int width = wp_font_width(label->line[i], label->line_height[i]);
        label->width = width > label->width ? width : label->width;
    }
    label->width += 2 * label->margin;
    label->height = (int)ceilf(height) + label->margin;
}

// True if the label fits the band and covers at most LABEL_SHARE of it.
static bool label_fits(const struct label *label, const struct wp_band_view *view)
{
    return label->width + 2 * label->inset <= view->width &&
           label->height + 2 * label->inset <= view->height &&
           (double)label->width * label->height <=
               LABEL_SHARE * (double)view->width * view->height;
}

// Draws the label in the top left corner of the area that begins at (x, y).
static void label_draw(struct wp_image *picture, const struct label *label, int x, int y)
{
    x += label->inset;
    y += label->inset;
    fill(picture, (struct rectangle){x, y, label->width, label->height}, 0.0F, 0.75F);
    float top = (float)y;
    for (int i = 0; i < LABEL_LINES && label->line[i][0]; i++) {
        draw_text(picture, x + label->margin, (int)lrintf(top), label->line_height[i],
                  label->line[i], 1.0F);
        top += label->line_height[i];
    }
}

// From the longest to the shortest; each is tried from full size down to its least share of it.
enum label_form { LABEL_ONE_LINE, LABEL_TWO_LINES, LABEL_CONTENT, LABEL_NAME, LABEL_FORMS };

static const struct {
    float least_share, least_height; // of the smallest text: share of full size, pixels
} label_forms[LABEL_FORMS] = {
    [LABEL_ONE_LINE] = {0.6F, TEXT_LEAST},
    [LABEL_TWO_LINES] = {0.6F, TEXT_LEAST},
    [LABEL_CONTENT] = {0.6F, TEXT_LEAST},
    [LABEL_NAME] = {0.0F, NAME_LEAST},
};

static const struct {
    const char *filter, *content;
} band_texts[WP_BAND_COUNT] = {
    [WP_BAND_LL] = {"low-pass in x and y", "smaller image"},
    [WP_BAND_HL] = {"high-pass in x", "vertical edges"},
    [WP_BAND_LH] = {"high-pass in y", "horizontal edges"},
    [WP_BAND_HH] = {"high-pass in x and y", "diagonals"},
};

static struct label band_label(int level, enum wp_band band, enum label_form form, float full,
                               float scale)
{
    struct label label = {0};
    const char *filter = band_texts[band].filter, *content = band_texts[band].content;
    snprintf(label.line[0], LABEL_LINE_SIZE, "%s%d", wp_band_names[band], level);
    if (form == LABEL_ONE_LINE)
        snprintf(label.line[1], LABEL_LINE_SIZE, "%s · %s", filter, content);
    else if (form != LABEL_NAME)
        snprintf(label.line[1], LABEL_LINE_SIZE, "%s",
                 form == LABEL_TWO_LINES ? filter : content);
    if (form == LABEL_TWO_LINES)
        snprintf(label.line[2], LABEL_LINE_SIZE, "%s", content);
    label_measure(&label, full, scale);
    return label;
}

// Draws labels of the same form and size in all bands of a level, if they fit all of them.
static bool draw_level_labels(struct wp_image *picture, int width, int height, int level,
                              enum wp_band first, enum label_form form, float full,
                              float scale)
{
    for (int drawing = 0; drawing < 2; drawing++) {
        for (enum wp_band band = first; band < WP_BAND_COUNT; band++) {
            const struct wp_band_view view =
                wp_band_view(width, height, level, band, WP_LAYOUT_MALLAT);
            const struct label label = band_label(level, band, form, full, scale);
            if (drawing)
                label_draw(picture, &label, (int)(view.offset % width),
                           (int)(view.offset / width));
            else if (!label_fits(&label, &view))
                return false;
        }
    }
    return true;
}

static void draw_mallat_labels(struct wp_image *picture, int width, int height, int levels)
{
    const float full = text_scale(width, height);
    for (int level = 1; level <= levels; level++) {
        const enum wp_band first = level == levels ? WP_BAND_LL : WP_BAND_HL;
        bool drawn = false;
        for (enum label_form form = 0; form < LABEL_FORMS && !drawn; form++) {
            const float letters = form == LABEL_NAME ? NAME_HEIGHT : TEXT_HEIGHT;
            const float least = fmaxf(label_forms[form].least_share * full,
                                      label_forms[form].least_height / letters);
            for (float scale = full; scale >= least && !drawn; scale *= 0.9F)
                drawn = draw_level_labels(picture, width, height, level, first, form, full,
                                          scale);
        }
    }
}

void wp_picture_name(struct wp_image *picture, const struct wp_band_view *view, const char *name)
{
    const float full = text_scale(picture->width, picture->height);
    bool drawn = false;
    for (float scale = full; scale >= NAME_LEAST / NAME_HEIGHT && !drawn; scale *= 0.9F) {
        struct label label = {0};
        snprintf(label.line[0], LABEL_LINE_SIZE, "%s", name);
        label_measure(&label, full, scale);
        drawn = label_fits(&label, view);
        if (drawn)
            label_draw(picture, &label, (int)(view->offset % picture->width),
                       (int)(view->offset / picture->width));
    }
}

// In the mixed layout coefficients of all bands are interleaved: one label describes it.
static void draw_mixed_label(struct wp_image *picture, int width, int height, int levels)
{
    const struct wp_band_view all = {.width = width, .height = height};
    struct label label = {0};
    snprintf(label.line[0], LABEL_LINE_SIZE, "mixed-band layout");
    snprintf(label.line[1], LABEL_LINE_SIZE, "LL%d where x and y are multiples of %lld,",
             levels, 1LL << levels);
    snprintf(label.line[2], LABEL_LINE_SIZE, "details between");
    const float full = text_scale(width, height);
    label_measure(&label, full, full);
    if (label_fits(&label, &all))
        label_draw(picture, &label, 0, 0);
}

struct caption {
    const char *text; // NULL: no caption
    int width, margin;
    float line_height;
};

static struct caption caption_of(const char *text, int width, int height)
{
    const float scale = text_scale(width, height);
    return (struct caption){
        .text = width < CAPTION_LEAST_WIDTH ? NULL : text,
        .width = width,
        .margin = (int)ceilf(6.0F * scale),
        .line_height = scale * TEXT_HEIGHT,
    };
}

// Breaks the caption at spaces into lines that fit and, unless `picture` is NULL, draws them from
// row `top` on. A word longer than a line is clipped. Returns the strip's height.
static int caption_draw(struct wp_image *picture, const struct caption *caption, int top)
{
    struct wp_text line = {0};
    float height = 0.0F;
    for (const char *rest = caption->text; rest && *rest;) {
        size_t fitting = 0;
        for (size_t end = 0; rest[end];) {
            end += strspn(rest + end, " ");
            end += strcspn(rest + end, " ");
            wp_text_clear(&line);
            wp_text_add(&line, "%.*s", (int)end, rest);
            if (fitting > 0 && wp_font_width(line.data, caption->line_height) >
                                 caption->width - 2 * caption->margin)
                break;
            fitting = end;
        }
        wp_text_clear(&line);
        wp_text_add(&line, "%.*s", (int)fitting, rest);
        if (picture)
            draw_text(picture, caption->margin, top + caption->margin + (int)lrintf(height),
                      caption->line_height, line.data, 0.0F);
        height += caption->line_height;
        rest += fitting + strspn(rest + fitting, " ");
    }
    wp_text_free(&line);
    return height > 0.0F ? (int)ceilf(height) + 2 * caption->margin : 0;
}

int wp_picture_caption_height(const char *text, int width, int height)
{
    const struct caption caption = caption_of(text, width, height);
    return caption_draw(NULL, &caption, 0);
}

void wp_picture_caption(struct wp_image *picture, const char *text, int top)
{
    const struct caption caption = caption_of(text, picture->width, top);
    const int strip = picture->height - top;
    fill(picture, (struct rectangle){0, top, picture->width, strip}, 1.0F, 1.0F);
    caption_draw(picture, &caption, top);
}

// ---- The picture --------------------------------------------------------------------------

struct wp_image *wp_picture_begin(const struct wp_image *coefficients, const char *caption,
                                  bool nonfinite, size_t **bins)
{
    const int width = coefficients->width, height = coefficients->height;
    const int planes = wp_image_colour_planes(coefficients) == 3 || nonfinite ? 3 : 1;
    const int strip = wp_picture_caption_height(caption, width, height);
    struct wp_image *picture = wp_image_create(width, height + strip, planes, false);
    *bins = picture ? wp_picture_bins() : NULL;
    if (!*bins)
        wp_image_destroy(&picture);
    return picture;
}

struct wp_image *wp_picture_create(const struct wp_image *coefficients,
                                   const struct wp_picture_params *params)
{
    assert(coefficients->depth == 1);
    const int width = coefficients->width, height = coefficients->height;
    const bool nonfinite = wp_image_count_nonfinite(coefficients) > 0;
    size_t *bins;
    struct wp_image *picture =
        wp_picture_begin(coefficients, params->caption, nonfinite, &bins);
    if (!picture)
        return NULL;
    draw_values(picture, coefficients, params, bins);
    free(bins);
    if (nonfinite)
        wp_picture_mark_nonfinite(picture, coefficients);

    if (params->layout == WP_LAYOUT_MALLAT)
        wp_picture_outlines(picture, width, height, params->levels);
    if (params->labels && params->levels > 0) {
        if (params->layout == WP_LAYOUT_MALLAT)
            draw_mallat_labels(picture, width, height, params->levels);
        else
            draw_mixed_label(picture, width, height, params->levels);
    }
    wp_picture_caption(picture, params->caption, height);
    return picture;
}
