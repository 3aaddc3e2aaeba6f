// The format: a line "YUV4MPEG2 W640 H480 C420jpeg …", then for each frame a line "FRAME …" and
// its planes, luma first. Described in the manual page yuv4mpeg(5) of mjpegtools.
#include "y4m.h"

#include "image_io.h"
#include "memory.h"
#include "text.h"
#include "xmemory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024 };

struct wp_y4m {
    FILE *stream;
    char *name;
    int width, height;
    size_t luma, rest;         // samples of a frame: luma, and what is skipped
    int rate[2];               // frames a second, as a fraction; 0 over 0: not known
    int bits;                  // 8..16, above 8 two bytes a sample, the low one first
    double black, white;       // sample values
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

static bool fail(const struct wp_y4m *y4m, const char *what)
{
    return wp_fail(WP_ERROR_FILE, "%s: %s", y4m->name, what);
}

// A line without its end; false at the end of the stream or where it is too long.
static bool read_line(FILE *stream, char line[LINE_SIZE])
{
    if (!fgets(line, LINE_SIZE, stream))
        return false;
    const size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n')
        return false;
    line[length - 1] = '\0';
    return true;
}

// Chroma samples for each luma sample, as twice their number: "420jpeg" 1, "mono" 0.
static int chroma_halves(const char *space)
{
    static const struct {
        const char *begins;
        int halves;
    } spaces[] = {{"mono", 0}, {"420", 1}, {"422", 2}, {"444", 4}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strncmp(space, spaces[i].begins, strlen(spaces[i].begins)) == 0)
            return strstr(space, "alpha") ? spaces[i].halves + 2 : spaces[i].halves;
    return -1;
}

// Depth of a colour space such as "420p10" or "mono12".
static int depth_of(const char *space)
{
    static const char *const suffixes[] = {"9", "10", "12", "14", "16"};
    const size_t length = strlen(space);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t own = strlen(suffixes[i]);
        if (length > own + 3 && strcmp(space + length - own, suffixes[i]) == 0 &&
            (space[length - own - 1] == 'p' || strncmp(space, "mono", 4) == 0))
            return atoi(suffixes[i]);
    }
    return 8;
}

// "30000:1001"; changes `word`.
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
            return fail(y4m, "no width");
        if (word[0] == 'H' && !wp_parse_int(word + 1, &y4m->height))
            return fail(y4m, "no height");
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
        return y4m->width >= 0 && y4m->height >= 0 ? false : fail(y4m, "a negative size");
    const int halves = chroma_halves(space);
    if (halves < 0)
        return wp_fail(WP_ERROR_FILE, "%s: colour space '%s' is not known", y4m->name, space);
    y4m->bits = depth_of(space);
    // ITU-R BT.601: 8-bit luma goes from 16 to 235.
    const double step = (double)(1 << (y4m->bits - 8));
    y4m->black = full ? 0 : 16 * step;
    y4m->white = full ? (double)((1 << y4m->bits) - 1) : 235 * step;
    const size_t w = (size_t)y4m->width, h = (size_t)y4m->height;
    const size_t half_w = (w + 1) / 2, half_h = (h + 1) / 2;
    y4m->luma = w * h;
    y4m->rest = halves == 0   ? 0
                : halves == 1 ? 2 * half_w * half_h
                : halves == 2 ? 2 * half_w * h
                              : (size_t)halves / 2 * w * h;
    return true;
}

// Takes the stream over.
static struct wp_y4m *open_stream(FILE *stream, const char *name)
{
    struct wp_y4m *y4m = wp_xcalloc(1, sizeof *y4m);
    char line[LINE_SIZE];
    y4m->name = wp_xstrdup(name);
    y4m->stream = stream;
    if (!(read_line(stream, line) ? parse_header(y4m, line)
                                  : fail(y4m, "not a YUV4MPEG2 stream")))
        wp_y4m_destroy(&y4m);
    return y4m;
}

struct wp_y4m *wp_y4m_open(const char *path)
{
    const char *file = wp_y4m_file(path);
    const bool standard = strcmp(file, "-") == 0;
    FILE *stream = standard ? stdin : fopen(file, "rb");
    if (!stream) {
        wp_fail(WP_ERROR_FILE, "%s: %s", file, strerror(errno));
        return NULL;
    }
    return open_stream(stream, standard ? "standard input" : file);
}

void wp_y4m_destroy(struct wp_y4m **slot)
{
    struct wp_y4m *y4m = *slot;
    *slot = NULL;
    if (!y4m)
        return;
    if (y4m->stream && y4m->stream != stdin)
        fclose(y4m->stream);
    free(y4m->name);
    free(y4m);
}

// Reads and forgets: a pipe cannot seek.
static bool skip(FILE *stream, size_t bytes)
{
    unsigned char buffer[4096];
    while (bytes > 0) {
        const size_t part = bytes < sizeof buffer ? bytes : sizeof buffer;
        if (fread(buffer, 1, part, stream) != part)
            return false;
        bytes -= part;
    }
    return true;
}

static bool read_luma(struct wp_y4m *y4m, float *plane)
{
    const size_t size = y4m->bits > 8 ? 2 : 1, width = (size_t)y4m->width;
    unsigned char *row = wp_allocate(width, size, "a row of a frame");
    bool ok = row != NULL;
    for (int y = 0; y < y4m->height && ok; y++) {
        ok = fread(row, size, width, y4m->stream) == width || fail(y4m, "a frame is truncated");
        for (size_t x = 0; x < width && ok; x++) {
            const int sample = size == 1 ? row[x] : row[2 * x] | row[2 * x + 1] << 8;
            plane[(size_t)y * width + x] =
                (float)((sample - y4m->black) / (y4m->white - y4m->black));
        }
    }
    free(row);
    return ok && (skip(y4m->stream, y4m->rest * size) || fail(y4m, "a frame is truncated"));
}

// Leaves the stream behind the line that begins a frame. False at the end, with `end` set, and
// after an error.
static bool begin_frame(struct wp_y4m *y4m, bool *end)
{
    char line[LINE_SIZE];
    const int first = fgetc(y4m->stream);
    *end = first == EOF;
    if (*end)
        return false;
    ungetc(first, y4m->stream);
    return (read_line(y4m->stream, line) && strncmp(line, "FRAME", 5) == 0) ||
           fail(y4m, "no frame where one should begin");
}

static int source_bits(const struct wp_y4m *y4m)
{
    return y4m->bits > 8 ? 16 : 8;
}

struct wp_image *wp_y4m_next(struct wp_y4m *y4m, bool *end)
{
    if (!begin_frame(y4m, end))
        return NULL;
    struct wp_image *image = wp_image_create(y4m->width, y4m->height, 1, false);
    if (image && !read_luma(y4m, image->plane[0]))
        wp_image_destroy(&image);
    if (image)
        image->source_bits = source_bits(y4m);
    return image;
}

// How many frames there are; lines may differ, so they are walked through. False after an error.
static bool count_frames(struct wp_y4m *y4m, unsigned long long *count)
{
    const size_t bytes = (y4m->luma + y4m->rest) * (y4m->bits > 8 ? 2 : 1);
    const long start = ftell(y4m->stream);
    bool end;
    for (*count = 0; begin_frame(y4m, &end); ++*count)
        if (!skip(y4m->stream, bytes))
            return wp_fail(WP_ERROR_FILE, "%s: frame %llu is truncated", y4m->name, *count + 1);
    return end && fseek(y4m->stream, start, SEEK_SET) == 0;
}

static struct wp_image *read_frames(const struct wp_source *source, struct wp_y4m *y4m)
{
    unsigned long long frames;
    if (!count_frames(y4m, &frames) ||
        !wp_source_check_volume(source, (unsigned long long)y4m->width,
                                (unsigned long long)y4m->height, frames))
        return NULL;
    struct wp_image *image =
        wp_image_create_volume(y4m->width, y4m->height, (int)frames, 1, false);
    if (!image)
        return NULL;
    image->source_bits = source_bits(y4m);
    // Black and white are no ends of the stored range.
    wp_source_tell(source, &(struct wp_samples){
                               .type = y4m->bits > 8 ? WP_SAMPLE_U16 : WP_SAMPLE_U8});
    image->geometry = (struct wp_geometry){.frames = true, .rate = {y4m->rate[0], y4m->rate[1]}};
    bool end;
    for (unsigned long long z = 0; image && z < frames; z++)
        if (!begin_frame(y4m, &end) || !read_luma(y4m, image->plane[0] + z * y4m->luma))
            wp_image_destroy(&image);
    return image;
}

struct wp_image *wp_read_y4m(const struct wp_source *source)
{
    FILE *stream = fmemopen((void *)(uintptr_t)source->data, source->size, "r");
    if (!stream) {
        wp_fail(WP_ERROR_TOO_LARGE, "no memory to read %s", source->name);
        return NULL;
    }
    struct wp_y4m *y4m = open_stream(stream, source->name);
    struct wp_image *image = y4m ? read_frames(source, y4m) : NULL;
    wp_y4m_destroy(&y4m);
    return image;
}

// Limited range, what lies beyond black and white included as far as 8 bits go.
static unsigned char luma_of(float value)
{
    const float luma = 16.0F + 219.0F * value;
    if (isnan(luma))
        return 16;
    return luma <= 0.0F ? 0 : luma >= 255.0F ? 255 : (unsigned char)(luma + 0.5F);
}

bool wp_write_y4m(const struct wp_image *image, FILE *stream)
{
    const size_t width = (size_t)image->width, height = (size_t)image->height;
    unsigned char *row = wp_allocate(width, 1, "a row of a frame");
    if (!row)
        return false;
    fprintf(stream, "YUV4MPEG2 W%d H%d F%d:%d Ip A0:0 Cmono\n", image->width, image->height,
            image->geometry.rate[0], image->geometry.rate[1]);
    const float *from = image->plane[0];
    for (size_t y = 0; y < height * (size_t)image->depth && !ferror(stream); y++, from += width) {
        if (y % height == 0)
            fputs("FRAME\n", stream);
        for (size_t x = 0; x < width; x++)
            row[x] = luma_of(from[x]);
        fwrite(row, 1, width, stream);
    }
    free(row);
    return true;
}
