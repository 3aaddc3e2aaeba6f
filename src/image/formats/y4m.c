// Reads and writes YUV4MPEG2: a line "YUV4MPEG2 W640 H480 C420jpeg …", then for each frame a line
// "FRAME …" and its planes, luma first. Described in yuv4mpeg(5) of mjpegtools.
#include "y4m.h"

#include "memory.h"
#include "slices_io.h"
#include "text.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024 };

struct wp_y4m {
    struct wp_bytes *bytes;
    const char *name;
    int width, height;
    size_t luma, rest;         // samples per frame: luma, and chroma and alpha, which are skipped
    int rate[2];               // frames per second, as a fraction; {0, 0}: unknown
    int bits;                  // 8..16; above 8, two bytes per sample, little endian
    double black, white;       // stored values
    float value[256];          // table for 8-bit samples
    unsigned char *row;        // a row of stored samples
};

static const char *path_of(const char *path)
{
    static const char prefix[] = "y4m:";
    return strncmp(path, prefix, sizeof prefix - 1) == 0 ? path + sizeof prefix - 1 : NULL;
}

bool wp_is_y4m(const char *path)
{
    const size_t length = strlen(path);
    return path_of(path) || (length > 4 && strcmp(path + length - 4, ".y4m") == 0);
}

const char *wp_y4m_file(const char *path)
{
    return path_of(path) ? path_of(path) : path;
}

static size_t bytes_of(const struct wp_y4m *y4m) // of a sample
{
    return y4m->bits > 8 ? 2 : 1;
}

static bool fail(const struct wp_y4m *y4m, const char *message)
{
    return wp_fail(WP_ERROR_FILE, "%s: %s", y4m->name, message);
}

// Reads a line without its line feed. False after an error: message `message` if it has no end or
// is too long.
static bool read_line(struct wp_y4m *y4m, char line[LINE_SIZE], const char *message)
{
    size_t length = 0, got;
    do {
        if (!wp_bytes_read(y4m->bytes, &line[length], 1, &got))
            return false;
        if (got == 0 || length + 1 == LINE_SIZE)
            return fail(y4m, message);
    } while (line[length++] != '\n');
    line[length - 1] = '\0';
    return true;
}

// Gets the number of samples per frame that are not luma. False for unknown color spaces.
static bool find_rest(const struct wp_y4m *y4m, const char *space, size_t *rest)
{
    static const struct {
        const char *prefix;
        size_t across, down; // luma samples per chroma sample
    } spaces[] = {{"mono", 0, 0}, {"410", 4, 4}, {"411", 4, 1}, {"420", 2, 2},
                  {"422", 2, 1},  {"440", 1, 2}, {"444", 1, 1}};
    const size_t width = (size_t)y4m->width, height = (size_t)y4m->height;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const size_t across = spaces[i].across, down = spaces[i].down;
        if (strncmp(space, spaces[i].prefix, strlen(spaces[i].prefix)) != 0)
            continue;
        *rest = across == 0 ? 0
                            : 2 * ((width + across - 1) / across) * ((height + down - 1) / down);
        *rest += strstr(space, "alpha") ? width * height : 0;
        return true;
    }
    return false;
}

// The bit depth of a color space such as "420p10" or "mono12".
static int depth_of(const char *space)
{
    static const char *const suffixes[] = {"9", "10", "12", "14", "16"};
    const size_t length = strlen(space);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t suffix_length = strlen(suffixes[i]);
        if (length > suffix_length + 3 &&
            strcmp(space + length - suffix_length, suffixes[i]) == 0 &&
            (space[length - suffix_length - 1] == 'p' || strncmp(space, "mono", 4) == 0))
            return atoi(suffixes[i]);
    }
    return 8;
}

// Parses "30000:1001"; changes `word`.
static void parse_rate(char *word, int rate[2])
{
    char *colon = strchr(word, ':');
    if (!colon)
        return;
    *colon = '\0';
    if (!wp_parse_int(word, &rate[0]) || !wp_parse_int(colon + 1, &rate[1]) || rate[0] <= 0 ||
        rate[1] <= 0)
        rate[0] = rate[1] = 0;
}

static bool parse_header(struct wp_y4m *y4m, char line[LINE_SIZE])
{
    static const char magic[] = "YUV4MPEG2";
    const char *space = "420";
    bool full = false;
    if (strncmp(line, magic, sizeof magic - 1) != 0)
        return fail(y4m, "not a YUV4MPEG2 stream");
    for (char *word = strtok(line + sizeof magic - 1, " "); word; word = strtok(NULL, " ")) {
        if (word[0] == 'W' && !wp_parse_int(word + 1, &y4m->width))
            return fail(y4m, "invalid width");
        if (word[0] == 'H' && !wp_parse_int(word + 1, &y4m->height))
            return fail(y4m, "invalid height");
        if (word[0] == 'C')
            space = word + 1;
        if (word[0] == 'F')
            parse_rate(word + 1, y4m->rate);
        full = full || strcmp(word, "XCOLORRANGE=FULL") == 0;
    }
    const struct wp_source source = {.name = y4m->name};
    if (y4m->width < 0 || y4m->height < 0 ||
        !wp_source_check_size(&source, (unsigned long long)y4m->width,
                              (unsigned long long)y4m->height))
        return y4m->width >= 0 && y4m->height >= 0 ? false : fail(y4m, "negative size");
    if (!find_rest(y4m, space, &y4m->rest))
        return wp_fail(WP_ERROR_FILE, "%s: unknown color space '%s'", y4m->name, space);
    y4m->bits = depth_of(space);
    // ITU-R BT.601: 8-bit luma is 16 (black) to 235 (white).
    const double step = (double)(1 << (y4m->bits - 8));
    y4m->black = full ? 0 : 16 * step;
    y4m->white = full ? (double)((1 << y4m->bits) - 1) : 235 * step;
    y4m->luma = (size_t)y4m->width * (size_t)y4m->height;
    return true;
}

static float value_of(const struct wp_y4m *y4m, int sample)
{
    return (float)((sample - y4m->black) / (y4m->white - y4m->black));
}

struct wp_y4m *wp_y4m_create(struct wp_bytes *bytes)
{
    static const char message[] = "not a YUV4MPEG2 stream";
    struct wp_y4m *y4m = wp_xcalloc(1, sizeof *y4m);
    char line[LINE_SIZE];
    y4m->bytes = bytes;
    y4m->name = wp_bytes_name(bytes);
    if (!read_line(y4m, line, message) || !parse_header(y4m, line)) {
        wp_y4m_destroy(&y4m);
        return NULL;
    }
    for (int i = 0; i < 256 && y4m->bits == 8; i++)
        y4m->value[i] = value_of(y4m, i);
    y4m->row = wp_xcalloc((size_t)y4m->width, bytes_of(y4m));
    return y4m;
}

struct wp_y4m *wp_y4m_open(const char *path)
{
    struct wp_bytes *bytes = wp_bytes_open(wp_y4m_file(path), false);
    return bytes ? wp_y4m_create(bytes) : NULL;
}

void wp_y4m_destroy(struct wp_y4m **slot)
{
    struct wp_y4m *y4m = *slot;
    *slot = NULL;
    if (!y4m)
        return;
    wp_bytes_close(&y4m->bytes);
    free(y4m->row);
    free(y4m);
}

static bool fail_truncated(const struct wp_y4m *y4m)
{
    return fail(y4m, "a frame is truncated");
}

bool wp_y4m_read(struct wp_y4m *y4m, float *plane)
{
    const size_t width = (size_t)y4m->width, size = bytes_of(y4m);
    const unsigned char *row = y4m->row;
    size_t got;
    for (int y = 0; y < y4m->height; y++, plane += width) {
        if (!wp_bytes_read(y4m->bytes, y4m->row, width * size, &got))
            return false;
        if (got < width * size)
            return fail_truncated(y4m);
        for (size_t x = 0; x < width && size == 1; x++)
            plane[x] = y4m->value[row[x]];
        for (size_t x = 0; x < width && size == 2; x++)
            plane[x] = value_of(y4m, row[2 * x] | row[2 * x + 1] << 8);
    }
    return wp_bytes_skip(y4m->bytes, y4m->rest * size, &got) &&
           (got == y4m->rest * size || fail_truncated(y4m));
}

bool wp_y4m_begin(struct wp_y4m *y4m, bool *end)
{
    static const char message[] = "missing FRAME header";
    char line[LINE_SIZE];
    size_t got;
    // Read the first byte of the line, or find the end of the file.
    if (!wp_bytes_read(y4m->bytes, line, 1, &got))
        return false;
    *end = got == 0;
    if (*end)
        return true;
    return (line[0] == 'F' || fail(y4m, message)) && read_line(y4m, line, message) &&
           (strncmp(line, "RAME", 4) == 0 || fail(y4m, message));
}

struct wp_y4m_info wp_y4m_info(const struct wp_y4m *y4m)
{
    return (struct wp_y4m_info){
        .width = y4m->width,
        .height = y4m->height,
        .origin = {.bits = y4m->bits > 8 ? 16 : 8, .peak = 1},
        .geometry = {.frames = true, .rate = {y4m->rate[0], y4m->rate[1]}},
    };
}

struct wp_image *wp_y4m_next(struct wp_y4m *y4m, bool *end)
{
    *end = false;
    if (!wp_y4m_begin(y4m, end) || *end)
        return NULL;
    struct wp_image *image = wp_image_create(y4m->width, y4m->height, 1, false);
    if (image && !wp_y4m_read(y4m, image->plane[0]))
        wp_image_destroy(&image);
    if (image)
        image->origin = wp_y4m_info(y4m).origin;
    return image;
}

static bool read_frame(void *state, int number, float *to, bool *end)
{
    (void)number;
    return wp_y4m_begin(state, end) && (*end || wp_y4m_read(state, to));
}

static void close_y4m(void *state)
{
    struct wp_y4m *y4m = state;
    wp_y4m_destroy(&y4m);
}

bool wp_y4m_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                   struct wp_slices **slices)
{
    static const struct wp_slices_reader reader = {read_frame, close_y4m, NULL};
    struct wp_y4m *y4m = wp_y4m_create(*bytes);
    (void)size;
    *bytes = NULL;
    if (!y4m)
        return false;
    const struct wp_y4m_info from = wp_y4m_info(y4m);
    const struct wp_slices_info info = {.width = from.width, .height = from.height,
                                        .origin = from.origin, .geometry = from.geometry};
    *slices = wp_slices_create_reader(head->name, &info, &reader, y4m);
    return true;
}

// Counts the frames; headers may differ in length, so all are read. False after an error.
static bool count_frames(struct wp_y4m *y4m, unsigned long long *count)
{
    const size_t bytes = (y4m->luma + y4m->rest) * bytes_of(y4m);
    size_t got;
    bool end;
    for (*count = 0; wp_y4m_begin(y4m, &end); ++*count) {
        if (end)
            return true;
        if (!wp_bytes_skip(y4m->bytes, bytes, &got))
            return false;
        if (got < bytes)
            return wp_fail(WP_ERROR_FILE, "%s: frame %llu is truncated", y4m->name, *count + 1);
    }
    return false;
}

static bool read_frames(struct wp_y4m *y4m, struct wp_image *image)
{
    const size_t samples = (size_t)image->width * (size_t)image->height;
    bool ok = true, end;
    for (int z = 0; z < image->depth && ok; z++)
        ok = wp_y4m_begin(y4m, &end) && wp_y4m_read(y4m, image->plane[0] + (size_t)z * samples);
    return ok;
}

// Reads the source twice, since frames are counted first.
struct wp_image *wp_read_y4m(const struct wp_source *source)
{
    unsigned long long frames = 0;
    struct wp_image *image = NULL;
    struct wp_y4m *y4m = wp_y4m_create(wp_bytes_of(source));
    if (y4m && count_frames(y4m, &frames) &&
        wp_source_check_volume(source, (unsigned long long)y4m->width,
                               (unsigned long long)y4m->height, frames)) {
        const struct wp_y4m_info info = wp_y4m_info(y4m);
        image = wp_image_create_volume(info.width, info.height, (int)frames, 1, false);
        wp_y4m_destroy(&y4m);
        y4m = image ? wp_y4m_create(wp_bytes_of(source)) : NULL;
        if (image) {
            image->origin = info.origin;
            image->geometry = info.geometry;
            // No divisor: black and white are not the limits of the stored range.
            if (source->facts)
                strcpy(source->facts->type, info.origin.bits > 8 ? "luma u16" : "luma u8");
        }
        if (image && !(y4m && read_frames(y4m, image)))
            wp_image_destroy(&image);
    }
    wp_y4m_destroy(&y4m);
    return image;
}

// Limited range; values beyond black and white are kept within 0..255.
static unsigned char luma_of(float value)
{
    const float luma = 16.0F + 219.0F * value;
    if (isnan(luma))
        return 16;
    return luma <= 0.0F ? 0 : luma >= 255.0F ? 255 : (unsigned char)(luma + 0.5F);
}

void wp_write_y4m_header(FILE *stream, int width, int height, const int rate[2])
{
    fprintf(stream, "YUV4MPEG2 W%d H%d F%d:%d Ip A0:0 Cmono\n", width, height, rate[0], rate[1]);
}

bool wp_write_y4m_frames(FILE *stream, const float *from, int width, int height, int count,
                         float peak)
{
    const size_t samples = (size_t)width * (size_t)height;
    unsigned char *frame = wp_allocate(samples, 1, "a frame");
    for (int z = 0; z < count && frame && !ferror(stream); z++, from += samples) {
        for (size_t i = 0; i < samples; i++)
            frame[i] = luma_of(peak == 1 ? from[i] : from[i] / peak);
        fputs("FRAME\n", stream);
        fwrite(frame, 1, samples, stream);
    }
    const bool ok = frame != NULL;
    free(frame);
    return ok;
}

bool wp_write_y4m(const struct wp_image *image, FILE *stream)
{
    wp_write_y4m_header(stream, image->width, image->height, image->geometry.rate);
    return wp_write_y4m_frames(stream, image->plane[0], image->width, image->height, image->depth,
                               image->origin.peak);
}
