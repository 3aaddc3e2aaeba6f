#include "pattern.h"

#include "font.h"
#include "log.h"
#include "names.h"
#include "text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SIDE = 512 };
static const double pi = 3.14159265358979323846;

static float *at(const struct wp_image *image, int p, int x, int y)
{
    return &image->plane[p][(size_t)y * (size_t)image->width + (size_t)x];
}

// cos(pi (x²/W + y²/H)) around the middle pixel: along x the frequency is x/W cycles a pixel,
// which reaches the Nyquist frequency at the border.
static double zone(const struct wp_image *image, int x, int y)
{
    const double dx = x - image->width / 2, dy = y - image->height / 2;
    return 0.5 + 0.5 * cos(pi * (dx * dx / image->width + dy * dy / image->height));
}

static void draw_zone_plate(struct wp_image *image, int seed)
{
    (void)seed;
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            *at(image, 0, x, y) = (float)zone(image, x, y);
}

static double clamp01(double value)
{
    return value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
}

// 4x4 discs on mid grey, each of a dark and a light half. The edge between them turns by 22.5
// degrees from disc to disc, a full circle in all: each direction in both polarities. Edges
// are as sharp as pixels allow without steps in slanted ones.
static void draw_edges(struct wp_image *image, int seed)
{
    (void)seed;
    const int cells = 4;
    const double cell_width = (double)image->width / cells;
    const double cell_height = (double)image->height / cells;
    const double radius = 0.42 * fmin(cell_width, cell_height);
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const int column = (int)(x / cell_width), row = (int)(y / cell_height);
            const double dx = x + 0.5 - (column + 0.5) * cell_width;
            const double dy = y + 0.5 - (row + 0.5) * cell_height;
            const double angle = 2.0 * pi * (row * cells + column) / (cells * cells);
            const double inside = clamp01(radius - hypot(dx, dy) + 0.5);
            const double light = clamp01(dx * cos(angle) + dy * sin(angle) + 0.5);
            *at(image, 0, x, y) = (float)(0.5 + inside * (light - 0.5) * 0.8);
        }
    }
}

static void draw_gradient(struct wp_image *image, int seed)
{
    (void)seed;
    const double right = image->width > 1 ? image->width - 1 : 1;
    const double bottom = image->height > 1 ? image->height - 1 : 1;
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            *at(image, 0, x, y) = (float)((x / right + y / bottom) / 2.0);
}

static void draw_impulse(struct wp_image *image, int seed)
{
    (void)seed;
    *at(image, 0, image->width / 2, image->height / 2) = 1.0F;
}

// Dark lines on light ground, the larger the lower, until the image is full.
static void draw_text(struct wp_image *image, int seed)
{
    (void)seed;
    static const char sentence[] = "Sphinx of black quartz, judge my vow 0123456789";
    enum { SMALLEST = 9, MARGIN = 8 };
    const float paper = 0.95F, ink = 0.05F;
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            *at(image, 0, x, y) = paper;
    float height = SMALLEST;
    for (int y = MARGIN; y < image->height; y += (int)height, height *= 1.25F) {
        height = fminf(height, WP_FONT_MAX_HEIGHT / 1.25F);
        // The sentence again and again, up to the right border.
        for (int x = MARGIN; x < image->width;) {
            wp_font_draw(image->plane[0], image->width, image->height, x, y, height, sentence, ink);
            x += wp_font_width(sentence, height) + (int)height;
        }
    }
}

// PCG: M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms
// for Random Number Generation", 2014; the XSH-RR 64/32 member.
static uint32_t next_random(uint64_t *state)
{
    const uint64_t old = *state;
    *state = old * 6364136223846793005ULL + 1442695040888963407ULL;
    const uint32_t mixed = (uint32_t)((old >> 18 ^ old) >> 27);
    const unsigned turn = (unsigned)(old >> 59);
    return mixed >> turn | mixed << ((32 - turn) & 31);
}

static void draw_noise(struct wp_image *image, int seed)
{
    uint64_t state = (uint64_t)(int64_t)seed;
    next_random(&state); // small seeds differ in their low bits only, which this spreads
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            *at(image, 0, x, y) = (float)(next_random(&state) >> 8) * 0x1p-24F;
}

// Hue is the direction from the middle, brightness the zone plate.
static void draw_color(struct wp_image *image, int seed)
{
    (void)seed;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const double hue = atan2((2.0 * y + 1.0) / image->height - 1.0,
                                     (2.0 * x + 1.0) / image->width - 1.0);
            const double value = zone(image, x, y);
            for (int p = 0; p < 3; p++)
                *at(image, p, x, y) =
                    (float)(value * clamp01(0.5 + cos(hue - 2.0 * pi / 3.0 * p)));
        }
    }
}

static const struct {
    struct wp_pattern about;
    int planes;
    bool seeded;
    void (*draw)(struct wp_image *image, int seed);
} patterns[] = {
    {{"zone-plate", "every frequency and direction, up to Nyquist at the border"}, 1, false,
     draw_zone_plate},
    {{"edges", "steps in 16 directions"}, 1, false, draw_edges},
    {{"gradient", "a ramp from the top left to the bottom right corner"}, 1, false, draw_gradient},
    {{"impulse", "one pixel of 1 in the middle"}, 1, false, draw_impulse},
    {{"text", "lines of text in growing sizes"}, 1, false, draw_text},
    {{"noise", "uniform random values; noise:WxH:SEED for others"}, 1, true, draw_noise},
    {{"color", "a zone plate in all hues, RGB"}, 3, false, draw_color},
};
enum { PATTERN_COUNT = sizeof patterns / sizeof patterns[0] };

int wp_pattern_count(void)
{
    return PATTERN_COUNT;
}

const struct wp_pattern *wp_pattern_get(int number)
{
    return number >= 0 && number < PATTERN_COUNT ? &patterns[number].about : NULL;
}

// -1 after an error.
static int find_pattern(const char *name)
{
    const char *names[PATTERN_COUNT];
    for (int i = 0; i < PATTERN_COUNT; i++)
        names[i] = patterns[i].about.name;
    return wp_name_find("pattern", name, names, PATTERN_COUNT, "there are ");
}

// "WxH"; changes `text`.
static bool parse_size(char *text, int *width, int *height)
{
    char *cross = strchr(text, 'x');
    if (!cross)
        return false;
    *cross = '\0';
    return wp_parse_int(text, width) && wp_parse_int(cross + 1, height) && *width >= 1 &&
           *width <= WP_PATTERN_SIDE_MAX && *height >= 1 && *height <= WP_PATTERN_SIDE_MAX;
}

// Cuts `text` at the next colon. The part behind it, or NULL.
static char *cut(char *text)
{
    char *colon = text ? strchr(text, ':') : NULL;
    if (!colon)
        return NULL;
    *colon = '\0';
    return colon + 1;
}

const char *wp_pattern_of_path(const char *path)
{
    static const char prefix[] = "pattern:";
    return strncmp(path, prefix, sizeof prefix - 1) == 0 ? path + sizeof prefix - 1 : NULL;
}

struct wp_image *wp_pattern_create(const char *text)
{
    char name[128];
    if (snprintf(name, sizeof name, "%s", text) >= (int)sizeof name) {
        wp_fail(WP_ERROR_USAGE, "unknown pattern '%s'", text);
        return NULL;
    }
    char *size = cut(name), *seed_text = cut(size);
    const int number = find_pattern(name);
    if (number < 0)
        return NULL;
    int width = DEFAULT_SIDE, height = DEFAULT_SIDE, seed = 0;
    if (size && !parse_size(size, &width, &height)) {
        wp_fail(WP_ERROR_USAGE,
                "pattern '%s': bad size (WIDTHxHEIGHT, each 1 to %d)\nhint: pattern:%s:640x480",
                text, WP_PATTERN_SIDE_MAX, name);
        return NULL;
    }
    if (seed_text && (!patterns[number].seeded || !wp_parse_int(seed_text, &seed))) {
        wp_fail(WP_ERROR_USAGE, "pattern '%s': %s", text,
                patterns[number].seeded ? "bad seed (a whole number)" : "takes no seed");
        return NULL;
    }
    struct wp_image *image = wp_image_create(width, height, patterns[number].planes, false);
    if (image)
        patterns[number].draw(image, seed);
    return image;
}
