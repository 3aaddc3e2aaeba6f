#include "image_io.h"
#include "png_memory.h"

#include <assert.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

#include "memory.h"

struct job {
    const struct wp_image *image;
    const char *path;
    FILE *stream;
    int depth;
    const struct wp_write_params *params;
    png_structp png;
    png_infop info;
    float *values;
    unsigned char *samples;
};

static void write_bytes(png_structp png, png_bytep from, size_t count)
{
    const struct job *job = png_get_io_ptr(png);
    if (fwrite(from, 1, count, job->stream) != count)
        png_error(png, "write error");
}

static void flush_nothing(png_structp png)
{
    (void)png; // committing the output flushes
}

static void on_error(png_structp png, const char *message)
{
    const struct job *job = png_get_error_ptr(png);
    if (!ferror(job->stream))
        wp_fail(WP_ERROR_FILE, "cannot write %s (%s)", job->path, message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, const char *message)
{
    const struct job *job = png_get_error_ptr(png);
    wp_log(WP_LOG_VERBOSE, "%s: %s", job->path, message);
}

// Clamped and rounded; what is not a number becomes 0. 16 bits are big endian in PNG.
static void quantize(const float *values, size_t count, int depth, unsigned char *samples)
{
    const float maximum = depth == 16 ? 65535.0F : 255.0F;
    for (size_t i = 0; i < count; i++) {
        const float value = values[i] > 0.0F ? values[i] < 1.0F ? values[i] : 1.0F : 0.0F;
        const unsigned sample = (unsigned)(value * maximum + 0.5F);
        if (depth == 16) {
            samples[2 * i] = (unsigned char)(sample >> 8);
            samples[2 * i + 1] = (unsigned char)(sample & 255);
        } else {
            samples[i] = (unsigned char)sample;
        }
    }
}

// Leaves through longjmp() on errors of libpng, so nothing here may change and be used after.
static void encode(const struct job *job)
{
    static const int colours[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    // Clearly faster than the default of 6, for files a few per cent larger.
    enum { COMPRESSION = 4 };
    const struct wp_image *image = job->image;
    png_structp png = job->png;
    png_set_write_fn(png, (void *)(uintptr_t)job, write_bytes, flush_nothing);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, COMPRESSION);
    png_set_IHDR(png, job->info, (png_uint_32)image->width, (png_uint_32)image->height, job->depth,
                 colours[image->planes], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (job->params->note) {
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char *)(uintptr_t)job->params->key,
                         .text = (char *)(uintptr_t)job->params->note};
        png_set_text(png, job->info, &text, 1); // which makes a copy
    }
    png_write_info(png, job->info);
    for (size_t y = 0; y < (size_t)image->height; y++) {
        wp_image_interleave_row(image, y, job->values);
        quantize(job->values, (size_t)image->width * (size_t)image->planes, job->depth,
                 job->samples);
        png_write_row(png, job->samples);
    }
    png_write_end(png, NULL);
}

static bool encode_guarded(const struct job *job)
{
    if (setjmp(png_jmpbuf(job->png)))
        return ferror(job->stream) != 0;
    encode(job);
    return true;
}

bool wp_write_png(const struct wp_image *image, const char *path, FILE *stream,
                  const struct wp_write_params *params)
{
    assert(image->depth == 1);
    struct job job = {.image = image, .path = path, .stream = stream, .params = params,
                      .depth = params->depth ? params->depth : 8};
    const size_t row = (size_t)image->width * (size_t)image->planes;
    job.values = wp_allocate(row, sizeof *job.values, "a row of a PNG");
    job.samples = job.values ? wp_allocate(row, 2, "a row of a PNG") : NULL;
    bool ok = job.samples != NULL;
    if (ok) {
        job.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning, NULL,
                                             wp_png_allocate, wp_png_free);
        job.info = job.png ? png_create_info_struct(job.png) : NULL;
        ok = job.info ? encode_guarded(&job) : wp_fail(WP_ERROR_INTERNAL, "libpng does not start");
        png_destroy_write_struct(&job.png, &job.info);
    }
    free(job.values);
    free(job.samples);
    return ok;
}
