#include "pattern.h"

#include "font.h"
#include "log.h"
#include "suggest.h"
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

// cos(pi (x²/W + y²/H)) around the center pixel: along x the frequency is x/W cycles per pixel,
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

// 4x4 discs on mid-gray, each half dark and half light. The edge between the halves rotates by 22.5
// degrees from disc to disc, so that each direction occurs in both polarities. Edges are
// anti-aliased over one pixel.
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
    const size_t slice = (size_t)image->width * (size_t)image->height;
    const size_t middle = (size_t)(image->depth / 2) * slice;
    at(image, 0, image->width / 2, image->height / 2)[middle] = 1.0F;
}

// Lines of dark text on a light background, larger from line to line, until the image is full.
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
        // Repeat the sentence up to the right border.
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
    const unsigned rotation = (unsigned)(old >> 59);
    return mixed >> rotation | mixed << ((32 - rotation) & 31);
}

static void draw_noise(struct wp_image *image, int seed)
{
    uint64_t state = (uint64_t)(int64_t)seed;
    next_random(&state); // mixes the seed: small seeds differ only in their low bits
    const size_t count = wp_image_samples(image);
    for (size_t i = 0; i < count; i++)
        image->plane[0][i] = (float)(next_random(&state) >> 8) * 0x1p-24F;
}

// Hue is the direction from the center, brightness the zone plate.
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

// A ball with surfaces in every direction, anti-aliased over one voxel.
static void draw_ball(struct wp_image *image, int seed)
{
    (void)seed;
    // Axes of one sample slice the ball through its center and do not limit the radius.
    const int sides[] = {image->width, image->height, image->depth};
    double radius = INFINITY;
    for (int i = 0; i < 3; i++)
        radius = sides[i] > 1 ? fmin(radius, 0.42 * sides[i]) : radius;
    float *to = image->plane[0];
    for (int z = 0; z < image->depth; z++) {
        for (int y = 0; y < image->height; y++) {
            for (int x = 0; x < image->width; x++) {
                const double dx = x + 0.5 - 0.5 * image->width, dy = y + 0.5 - 0.5 * image->height;
                const double dz = z + 0.5 - 0.5 * image->depth;
                *to++ = (float)clamp01(radius - sqrt(dx * dx + dy * dy + dz * dz) + 0.5);
            }
        }
    }
}

// The modified Shepp-Logan phantom of a head: sums of ellipsoids in a cube of -1..1, y upwards.
// Values, and x and y: P. Toft, "The Radon Transform: Theory and Implementation", 1996, pages 199
// and 200, after L. Shepp and B. Logan, "The Fourier Reconstruction of a Head Section", 1974.
// z: M. Schabel's phantom3d (MATLAB Central, 2005), without its second rotation of two ellipsoids
// about z, so that the slice at z = 0 has Toft's angles.
static const struct {
    double value;
    double axis[3], centre[3];
    double degrees; // rotation about z, counterclockwise
} head[] = {
    {1.0, {0.69, 0.92, 0.81}, {0.0, 0.0, 0.0}, 0.0},
    {-0.8, {0.6624, 0.874, 0.78}, {0.0, -0.0184, 0.0}, 0.0},
    {-0.2, {0.11, 0.31, 0.22}, {0.22, 0.0, 0.0}, -18.0},
    {-0.2, {0.16, 0.41, 0.28}, {-0.22, 0.0, 0.0}, 18.0},
    {0.1, {0.21, 0.25, 0.41}, {0.0, 0.35, -0.15}, 0.0},
    {0.1, {0.046, 0.046, 0.05}, {0.0, 0.1, 0.25}, 0.0},
    {0.1, {0.046, 0.046, 0.05}, {0.0, -0.1, 0.25}, 0.0},
    {0.1, {0.046, 0.023, 0.05}, {-0.08, -0.605, 0.0}, 0.0},
    {0.1, {0.023, 0.023, 0.02}, {0.0, -0.606, 0.0}, 0.0},
    {0.1, {0.023, 0.046, 0.02}, {0.06, -0.605, 0.0}, 0.0},
};
enum { HEAD_PARTS = sizeof head / sizeof head[0] };

// The position of a sample's center in -1..1.
static double coordinate(int at_index, int side)
{
    return (2.0 * at_index + 1.0) / side - 1.0;
}

static void draw_shepp_logan(struct wp_image *image, int seed)
{
    (void)seed;
    double cosine[HEAD_PARTS], sine[HEAD_PARTS];
    for (int i = 0; i < HEAD_PARTS; i++) {
        cosine[i] = cos(head[i].degrees * pi / 180.0);
        sine[i] = sin(head[i].degrees * pi / 180.0);
    }
    float *to = image->plane[0];
    for (int z = 0; z < image->depth; z++) {
        for (int y = 0; y < image->height; y++) {
            for (int x = 0; x < image->width; x++) {
                double sum = 0.0;
                for (int i = 0; i < HEAD_PARTS; i++) {
                    const double *centre = head[i].centre, *axis = head[i].axis;
                    const double dx = coordinate(x, image->width) - centre[0];
                    const double dy = -coordinate(y, image->height) - centre[1];
                    const double c = (coordinate(z, image->depth) - centre[2]) / axis[2];
                    const double a = (dx * cosine[i] + dy * sine[i]) / axis[0];
                    const double b = (dy * cosine[i] - dx * sine[i]) / axis[1];
                    sum += a * a + b * b + c * c <= 1.0 ? head[i].value : 0.0;
                }
                *to++ = (float)clamp01(sum);
            }
        }
    }
}

// A zone plate in space and time: cos(pi (x²/W + y²/H + t²/D)). The rings are at rest in the middle
// frame and move faster towards the first and the last frame, up to half a period per frame.
static void draw_moving_zone_plate(struct wp_image *image, int seed)
{
    (void)seed;
    float *to = image->plane[0];
    for (int t = 0; t < image->depth; t++) {
        const double dt = t - image->depth / 2;
        for (int y = 0; y < image->height; y++) {
            const double dy = y - image->height / 2;
            for (int x = 0; x < image->width; x++) {
                const double dx = x - image->width / 2;
                *to++ = (float)(0.5 + 0.5 * cos(pi * (dx * dx / image->width +
                                                      dy * dy / image->height +
                                                      dt * dt / image->depth)));
            }
        }
    }
    image->geometry.frames = image->depth > 1;
}

static const struct {
    struct wp_pattern about;
    int planes;
    bool supports_volumes;
    bool seeded;
    void (*draw)(struct wp_image *image, int seed);
} patterns[] = {
    {{"zone-plate", "every frequency and direction, up to Nyquist at the border"}, 1, false, false,
     draw_zone_plate},
    {{"edges", "steps in 16 directions"}, 1, false, false, draw_edges},
    {{"gradient", "a ramp from the top left to the bottom right corner"}, 1, false, false,
     draw_gradient},
    {{"impulse", "one pixel of 1 in the middle"}, 1, true, false, draw_impulse},
    {{"text", "lines of text in growing sizes"}, 1, false, false, draw_text},
    {{"noise", "uniform random values; noise:WxH:SEED sets the seed"}, 1, true, true, draw_noise},
    {{"color", "a zone plate in all hues, RGB"}, 3, false, false, draw_color},
    {{"ball", "a solid ball, ball:WxHxD; a disc if D is 1"}, 1, true, false, draw_ball},
    {{"shepp-logan", "a head of ellipsoids, shepp-logan:WxHxD"}, 1, true, false, draw_shepp_logan},
    {{"moving-zone-plate", "a zone plate in space and time, moving-zone-plate:WxHxD"}, 1, true,
     false, draw_moving_zone_plate},
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

// Returns -1 after an error.
static int find_pattern(const char *name)
{
    const char *names[PATTERN_COUNT];
    for (int i = 0; i < PATTERN_COUNT; i++)
        names[i] = patterns[i].about.name;
    return wp_name_find("pattern", name, names, PATTERN_COUNT, "there are ");
}

// Ends `text` at its first 'x' and returns the part after it, or NULL if it has none.
static char *split_size(char *text)
{
    char *cross = strchr(text, 'x');
    if (!cross)
        return NULL;
    *cross = '\0';
    return cross + 1;
}

static bool parse_side(const char *text, int *side)
{
    return wp_parse_int(text, side) && *side >= 1 && *side <= WP_PATTERN_SIDE_MAX;
}

// Parses "WxH" or, if `supports_volumes`, "WxHxD"; changes `text`.
static bool parse_size(char *text, bool supports_volumes, int *width, int *height, int *depth)
{
    char *second = split_size(text);
    char *third = second && supports_volumes ? split_size(second) : NULL;
    return second && parse_side(text, width) && parse_side(second, height) &&
           (!third || parse_side(third, depth));
}

// Ends `text` at its first colon and returns the part after it, or NULL if it has none.
static char *split(char *text)
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
    return wp_pattern_create_as(text, WP_VOLUME_EITHER);
}

struct wp_image *wp_pattern_create_as(const char *text, enum wp_volume volume)
{
    char name[128];
    if (snprintf(name, sizeof name, "%s", text) >= (int)sizeof name) {
        wp_fail(WP_ERROR_USAGE, "unknown pattern '%s'", text);
        return NULL;
    }
    char *size = split(name), *seed_text = split(size);
    const int number = find_pattern(name);
    if (number < 0)
        return NULL;
    const bool supports_volumes = patterns[number].supports_volumes;
    int width = DEFAULT_SIDE, height = DEFAULT_SIDE, depth = 1, seed = 0;
    if (size && !parse_size(size, supports_volumes, &width, &height, &depth)) {
        wp_fail(WP_ERROR_USAGE,
                "pattern '%s': bad size (WIDTHxHEIGHT%s, each 1 to %d)\nhint: pattern:%s:640x480",
                text, supports_volumes && volume != WP_VOLUME_NO ? " or WIDTHxHEIGHTxDEPTH" : "",
                WP_PATTERN_SIDE_MAX, name);
        return NULL;
    }
    if (seed_text && (!patterns[number].seeded || !wp_parse_int(seed_text, &seed))) {
        wp_fail(WP_ERROR_USAGE, "pattern '%s': %s", text,
                patterns[number].seeded ? "the seed must be an integer"
                                        : "this pattern has no seed");
        return NULL;
    }
    if (depth > 1 && volume == WP_VOLUME_NO) {
        wp_fail(WP_ERROR_USAGE, "pattern '%s': a volume of %dx%dx%d, not an image", text, width,
                height, depth);
        return NULL;
    }
    struct wp_image *image =
        wp_image_create_volume(width, height, depth, patterns[number].planes, false);
    if (image)
        patterns[number].draw(image, seed);
    return image;
}
