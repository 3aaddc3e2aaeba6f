#include "orientation.h"
#include "png_memory.h"
#include "rows_io.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "xmemory.h"

// The state of decoding. It is not in local variables, since longjmp() may leave those undefined.
struct job {
    struct wp_source source; // with the size of the file, and its first bytes
    struct wp_bytes *bytes;
    unsigned long long at;
    bool failed; // the error has been reported
    png_structp png;
    png_infop info;
    int planes, bits, passes; // more than one pass if the file is interlaced
    size_t most; // limit of a single allocation by libpng, in bytes
    size_t row_bytes;
    struct wp_samples samples;
    unsigned char *pixels; // a row, or all rows of an interlaced file
};

static void read_bytes(png_structp png, png_bytep to, size_t count)
{
    struct job *job = png_get_io_ptr(png);
    size_t got = 0;
    const bool ok = wp_bytes_read(job->bytes, to, count, &got);
    if (ok && got < count && job->source.size >= job->at + count)
        wp_source_fail(&job->source, "truncated while it was read (at byte %llu)", job->at + got);
    else if (ok && got < count)
        wp_source_needs(&job->source, job->at + count);
    if (got < count) {
        job->failed = true;
        png_error(png, "truncated");
    }
    job->at += count;
}

// Limits allocations, since libpng allocates the stated size of a text or profile before reading
// it. libpng's own limit for chunks only warns.
static png_voidp allocate_bounded(png_structp png, png_alloc_size_t size)
{
    const struct job *job = png_get_mem_ptr(png);
    return size <= job->most ? wp_xmalloc(size) : NULL;
}

static void on_error(png_structp png, const char *message)
{
    struct job *job = png_get_error_ptr(png);
    if (!job->failed)
        wp_source_fail(&job->source, "damaged PNG (%s)", message);
    job->failed = true;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, const char *message)
{
    const struct job *job = png_get_error_ptr(png);
    wp_log(WP_LOG_VERBOSE, "%s: %s", job->source.name, message);
}

// Rejects sizes that need more pixels than the file can hold, before memory is allocated. The
// ratio of deflate is at most 1032.
static bool check_size(const struct wp_source *source, unsigned long long width,
                       unsigned long long height, unsigned long long bits)
{
    enum { DEFLATE_MOST = 1032 };
    return wp_source_check_size(source, width, height) &&
           wp_source_needs(source, (width * bits + 7) / 8 * height / DEFLATE_MOST);
}

static unsigned long long load32(const unsigned char *from)
{
    return (unsigned long long)from[0] << 24 | (unsigned long long)from[1] << 16 |
           (unsigned long long)from[2] << 8 | from[3];
}

// Checks the size before libpng, whose message would be "Invalid IHDR data".
static bool check_header(const struct wp_source *source)
{
    enum { END_OF_SIZE = 24 };
    return wp_source_needs(source, END_OF_SIZE) &&
           wp_source_check_size(source, load32(source->data + 16), load32(source->data + 20));
}

static bool has_gray_palette(const struct job *job)
{
    png_colorp palette = NULL;
    int count = 0;
    if (!png_get_PLTE(job->png, job->info, &palette, &count) ||
        png_get_color_type(job->png, job->info) != PNG_COLOR_TYPE_PALETTE)
        return false;
    for (int i = 0; i < count; i++)
        if (palette[i].red != palette[i].green || palette[i].red != palette[i].blue)
            return false;
    return true;
}

// Errors of libpng leave this function, and read_row(), through longjmp().
static bool read_header(struct job *job)
{
    png_structp png = job->png;
    png_set_read_fn(png, job, read_bytes);
    png_set_user_limits(png, WP_IMAGE_MAX_SIDE, WP_IMAGE_MAX_SIDE);
    png_read_info(png, job->info);
    if (!check_size(&job->source, png_get_image_width(png, job->info),
                    png_get_image_height(png, job->info),
                    (unsigned long long)png_get_channels(png, job->info) *
                        png_get_bit_depth(png, job->info)))
        return false;
    png_set_expand(png); // palettes, less than 8 bits, a transparent color
    if (has_gray_palette(job))
        png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, -1, -1);
    job->passes = png_set_interlace_handling(png);
    png_read_update_info(png, job->info);
    job->planes = png_get_channels(png, job->info);
    job->bits = png_get_bit_depth(png, job->info);
    job->row_bytes = png_get_rowbytes(png, job->info);
    // Rows in libpng have up to eight bytes per pixel.
    const size_t rows = (1 << 20) + 16 * (size_t)png_get_image_width(png, job->info);
    job->most = job->most > rows ? job->most : rows;
    const bool wide = job->bits == 16;
    job->samples = wp_samples_of(&job->source, wide ? WP_SAMPLE_U16 : WP_SAMPLE_U8, true, true, 0);
    return true;
}

// Reads all rows of an interlaced file, in which each pass adds pixels to the rows.
static void read_passes(const struct job *job)
{
    const size_t height = png_get_image_height(job->png, job->info);
    for (int pass = 0; pass < job->passes; pass++)
        for (size_t y = 0; y < height; y++)
            png_read_row(job->png, job->pixels + y * job->row_bytes, NULL);
}

// Reads row `y`, the next one, to row `row` of an image.
static bool read_row(const struct job *job, size_t y, const struct wp_image *image, size_t row)
{
    const bool interlaced = job->passes > 1;
    if (!interlaced)
        png_read_row(job->png, job->pixels, NULL);
    else if (y == 0)
        read_passes(job);
    wp_samples_convert_row(&job->samples, job->pixels + (interlaced ? y * job->row_bytes : 0),
                           image, row);
    if (y + 1 == png_get_image_height(job->png, job->info))
        png_read_end(job->png, job->info);
    return true;
}

static bool read_header_guarded(struct job *job)
{
    return setjmp(png_jmpbuf(job->png)) ? false : read_header(job);
}

static bool read_row_guarded(const struct job *job, size_t y, const struct wp_image *image,
                             size_t row)
{
    return setjmp(png_jmpbuf(job->png)) ? false : read_row(job, y, image, row);
}

static bool begin(struct job *job)
{
    if (!check_header(&job->source))
        return false;
    enum { MIN_LIMIT = 8000000 };
    job->most = job->source.size > MIN_LIMIT ? job->source.size : MIN_LIMIT;
    job->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, job, on_error, on_warning, job,
                                        allocate_bounded, wp_png_free);
    job->info = job->png ? png_create_info_struct(job->png) : NULL;
    if (!job->info)
        return wp_fail(WP_ERROR_INTERNAL, "cannot initialize libpng");
    return read_header_guarded(job);
}

static bool allocate_pixels(struct job *job)
{
    const size_t rows = job->passes > 1 ? png_get_image_height(job->png, job->info) : 1;
    job->pixels = wp_allocate(rows, job->row_bytes, "the rows of a PNG");
    return job->pixels;
}

static void end(struct job *job)
{
    png_destroy_read_struct(&job->png, &job->info, NULL);
    wp_bytes_close(&job->bytes);
    free(job->pixels);
}

static struct wp_rows_info info_of(const struct job *job)
{
    return (struct wp_rows_info){
        .width = (int)png_get_image_width(job->png, job->info),
        .height = (int)png_get_image_height(job->png, job->info),
        .planes = job->planes,
        .alpha = job->planes % 2 == 0,
        .origin = wp_samples_origin(&job->samples),
    };
}

// The orientation in the eXIf chunk; 1 if libpng has not read one.
static int find_orientation(const struct job *job)
{
    png_bytep exif = NULL;
    png_uint_32 size = 0;
    const bool found = png_get_eXIf_1(job->png, job->info, &size, &exif) != 0;
    return found ? wp_orientation_of_exif(exif, size) : 1;
}

struct wp_image *wp_read_png(const struct wp_source *source)
{
    struct job job = {.source = *source, .bytes = wp_bytes_of(source)};
    struct wp_image *image = NULL;
    if (begin(&job)) {
        const struct wp_rows_info info = info_of(&job);
        image = wp_image_create(info.width, info.height, info.planes, info.alpha);
    }
    if (image) {
        wp_image_set_samples(image, source, &job.samples);
        bool ok = allocate_pixels(&job);
        for (size_t y = 0, height = (size_t)image->height; y < height && ok; y++)
            ok = read_row_guarded(&job, y, image, y);
        if (!ok)
            wp_image_destroy(&image);
    }
    image = wp_image_orient(image, image ? find_orientation(&job) : 1);
    end(&job);
    return image;
}

static bool read_next(void *state, int y, const struct wp_image *image, size_t row)
{
    return read_row_guarded(state, (size_t)y, image, row);
}

static void close_reader(void *state)
{
    end(state);
    free(state);
}

// Finds the eXIf chunk, which may follow the pixels, without decoding. Returns its orientation; 1
// if there is none or the file is damaged.
static int find_orientation_of_file(const struct wp_bytes *bytes)
{
    enum { MAGIC = 8, OVERHEAD = 12, MOST = 65535 };
    unsigned char start[8], exif[MOST];
    for (unsigned long long at = MAGIC;
         wp_bytes_read_at(bytes, start, sizeof start, at) == sizeof start;) {
        const unsigned long long size = load32(start);
        if (memcmp(start + 4, "eXIf", 4) == 0 && size <= MOST)
            return wp_bytes_read_at(bytes, exif, (size_t)size, at + 8) == size
                       ? wp_orientation_of_exif(exif, (size_t)size)
                       : 1;
        at += OVERHEAD + size;
    }
    return 1;
}

bool wp_png_rows(struct wp_bytes **bytes, const struct wp_source *head, struct wp_rows **rows,
                 const char **why)
{
    static const struct wp_rows_reader reader = {.read = read_next, .close = close_reader};
    enum { INTERLACE = 28, HEADER_END = 29, STATE = 1 << 16 };
    if (head->size < HEADER_END || head->data[INTERLACE] != 0) {
        *why = "an interlaced PNG cannot be read by rows";
        return true;
    }
    if (find_orientation_of_file(*bytes) != 1) {
        *why = "a PNG with an orientation is not stored in row order";
        return true;
    }
    struct job *job = wp_xcalloc(1, sizeof *job);
    *job = (struct job){.source = *head, .bytes = *bytes};
    *bytes = NULL;
    if (!begin(job) || !allocate_pixels(job)) {
        close_reader(job);
        return false;
    }
    const struct wp_rows_info info = info_of(job);
    wp_source_fill_facts(head, &job->samples);
    // Memory: two rows in libpng, one here, and the state of zlib.
    *rows = wp_rows_create_reader(job->bytes, &info, 3 * job->row_bytes + STATE, &reader, job);
    return true;
}

// ---- Text: chunks of type tEXt -------------------------------------------------------------

enum { SIGNATURE = 8, HEADER = 8, CHECKSUM = 4, MAX_NOTE = 1 << 20 };

// Reads a chunk of `size` bytes and returns its text if its keyword is `key`, else NULL.
static char *read_text(FILE *stream, size_t size, const char *key)
{
    char *chunk = wp_xcalloc(size + 1, 1);
    char *text = NULL;
    if (fread(chunk, 1, size, stream) == size && strlen(key) < size && strcmp(chunk, key) == 0)
        text = wp_xstrdup(chunk + strlen(key) + 1);
    free(chunk);
    return text;
}

static char *find_text(FILE *stream, const char *key)
{
    static const unsigned char signature[SIGNATURE] = "\x89PNG\r\n\x1a\n";
    unsigned char bytes[HEADER];
    if (fread(bytes, 1, SIGNATURE, stream) != SIGNATURE ||
        memcmp(bytes, signature, SIGNATURE) != 0)
        return NULL;
    char *text = NULL;
    while (!text && fread(bytes, 1, HEADER, stream) == HEADER) {
        const unsigned long long size = load32(bytes);
        const bool is_text = memcmp(bytes + 4, "tEXt", 4) == 0 && size <= MAX_NOTE;
        if (is_text)
            text = read_text(stream, size, key);
        if (fseek(stream, (long)(is_text ? 0 : size) + CHECKSUM, SEEK_CUR) != 0)
            break;
    }
    return text;
}

char *wp_image_read_note(const char *path, const char *key)
{
    FILE *stream = fopen(path, "rb");
    if (!stream && errno == ENOMEM)
        wp_xmemory_end(); // other errors count as a missing file
    char *text = stream ? find_text(stream, key) : NULL;
    if (stream)
        fclose(stream);
    return text;
}
