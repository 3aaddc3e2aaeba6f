#include "image_io.h"
#include "png_memory.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

// All that decoding changes lives here, not in locals, which longjmp() may leave undefined.
struct job {
    const struct wp_source *source;
    size_t at;
    bool failed; // the error has been reported
    png_structp png;
    png_infop info;
    struct wp_image *image;
    unsigned char *pixels; // a row, or all rows of an interlaced file
};

static void read_bytes(png_structp png, png_bytep to, size_t count)
{
    struct job *job = png_get_io_ptr(png);
    if (job->source->size - job->at < count) {
        wp_source_needs(job->source, (unsigned long long)job->at + count);
        job->failed = true;
        png_error(png, "truncated");
    }
    memcpy(to, job->source->data + job->at, count);
    job->at += count;
}

static void on_error(png_structp png, const char *message)
{
    struct job *job = png_get_error_ptr(png);
    if (!job->failed)
        wp_source_fail(job->source, "damaged PNG (%s)", message);
    job->failed = true;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, const char *message)
{
    const struct job *job = png_get_error_ptr(png);
    wp_log(WP_LOG_VERBOSE, "%s: %s", job->source->name, message);
}

// Deflate makes 1032 bytes of one at best, so a size that needs more than that is a lie, and
// it is found before memory is allocated for it.
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

// libpng's own message about a size is "Invalid IHDR data".
static bool check_header(const struct wp_source *source)
{
    enum { END_OF_SIZE = 24 };
    return wp_source_needs(source, END_OF_SIZE) &&
           wp_source_check_size(source, load32(source->data + 16), load32(source->data + 20));
}

// Leaves through longjmp() on errors of libpng.
static bool decode(struct job *job)
{
    png_structp png = job->png;
    png_set_read_fn(png, job, read_bytes);
    png_set_user_limits(png, WP_IMAGE_MAX_SIDE, WP_IMAGE_MAX_SIDE);
    png_read_info(png, job->info);
    const unsigned width = png_get_image_width(png, job->info);
    const unsigned height = png_get_image_height(png, job->info);
    if (!check_size(job->source, width, height,
                    (unsigned long long)png_get_channels(png, job->info) *
                        png_get_bit_depth(png, job->info)))
        return false;
    png_set_expand(png); // palettes, less than 8 bits, a transparent colour
    const int sweeps = png_set_interlace_handling(png);
    png_read_update_info(png, job->info);

    const int planes = png_get_channels(png, job->info);
    const int bits = png_get_bit_depth(png, job->info);
    const size_t row_bytes = png_get_rowbytes(png, job->info);
    job->image = wp_image_create((int)width, (int)height, planes, planes % 2 == 0);
    if (!job->image)
        return false;
    job->image->source_bits = bits;
    // The sweeps of an interlaced file fill in what the earlier ones left.
    const size_t rows = sweeps > 1 ? height : 1;
    job->pixels = wp_allocate(rows, row_bytes, "the rows of a PNG");
    if (!job->pixels)
        return false;
    const struct wp_samples samples = {
        bits == 16 ? WP_SAMPLE_U16 : WP_SAMPLE_U8, true, bits == 16 ? 65535.0F : 255.0F};
    wp_source_tell(job->source, &samples);
    for (int sweep = 1; sweep <= sweeps; sweep++) {
        for (unsigned y = 0; y < height; y++) {
            unsigned char *row = job->pixels + (sweeps > 1 ? y * row_bytes : 0);
            png_read_row(png, row, NULL);
            if (sweep == sweeps)
                wp_samples_convert_row(&samples, row, job->image, y);
        }
    }
    png_read_end(png, NULL);
    return true;
}

static bool decode_guarded(struct job *job)
{
    if (setjmp(png_jmpbuf(job->png)))
        return false;
    return decode(job);
}

struct wp_image *wp_read_png(const struct wp_source *source)
{
    if (!check_header(source))
        return NULL;
    struct job job = {.source = source};
    job.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning, NULL,
                                       wp_png_allocate, wp_png_free);
    job.info = job.png ? png_create_info_struct(job.png) : NULL;
    bool ok = false;
    if (job.info)
        ok = decode_guarded(&job);
    else
        wp_fail(WP_ERROR_INTERNAL, "libpng does not start");
    png_destroy_read_struct(&job.png, &job.info, NULL);
    free(job.pixels);
    if (!ok)
        wp_image_destroy(&job.image);
    return job.image;
}
