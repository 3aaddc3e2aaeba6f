#include "image_io.h"
#include "png_memory.h"

#include "elements.h"
#include "memory.h"

#include <assert.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct wp_image *image;
    const char *path;
    FILE *stream;
    int depth;
    const struct wp_write_params *params;
    png_structp png;
    png_infop info;
    unsigned char *samples;
    float *scaled; // a row divided by the image's peak; NULL if that is 1
};

static void write_bytes(png_structp png, png_bytep from, size_t count)
{
    const struct job *job = png_get_io_ptr(png);
    if (fwrite(from, 1, count, job->stream) != count)
        png_error(png, "write error");
}

static void ignore_flush(png_structp png)
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

// Fills a row with pixels, copied or converted from floats (clamped and rounded).
static void fill_row(const struct job *job, size_t y)
{
    const struct wp_image *image = job->image;
    const size_t width = (size_t)image->width, planes = (size_t)image->planes;
    struct wp_operand row = {.data = job->samples,
                            .type = job->depth == 16 ? WP_ELEMENT_U16 : WP_ELEMENT_U8,
                            .stride = {(ptrdiff_t)planes}};
    const size_t bytes = wp_elements[row.type].bytes;
    assert(!image->pixels.data || image->pixels.type == row.type);
    for (size_t p = 0; p < planes; p++) {
        if (!image->pixels.data) {
            const float *from = image->plane[p] + y * width;
            for (size_t x = 0; x < width && job->scaled; x++)
                job->scaled[x] = from[x] / image->origin.peak;
            wp_operand_write(&wp_element_rows, &row, (ptrdiff_t)p, job->scaled ? job->scaled : from,
                            false, image->width);
            continue;
        }
        const unsigned char *from = wp_image_at(image, (int)p, y * width);
        for (size_t x = 0; x < width; x++)
            memcpy(job->samples + (x * planes + p) * bytes, from + x * bytes, bytes);
    }
}

// Errors of libpng leave this function through longjmp(); it changes no variables used afterwards.
static void encode(const struct job *job)
{
    static const int colours[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    // Considerably faster than the default, 6, for files that are a few percent larger.
    enum { COMPRESSION = 4 };
    const struct wp_image *image = job->image;
    png_structp png = job->png;
    png_set_write_fn(png, (void *)(uintptr_t)job, write_bytes, ignore_flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, COMPRESSION);
    png_set_IHDR(png, job->info, (png_uint_32)image->width, (png_uint_32)image->height, job->depth,
                 colours[image->planes], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (job->params->note) {
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char *)(uintptr_t)job->params->key,
                         .text = (char *)(uintptr_t)job->params->note};
        png_set_text(png, job->info, &text, 1); // copies the text
    }
    png_write_info(png, job->info);
    // PNG stores big-endian samples.
    if (job->depth == 16 && !wp_host_big_endian())
        png_set_swap(png);
    for (size_t y = 0; y < (size_t)image->height; y++) {
        fill_row(job, y);
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
    job.samples = wp_allocate(row, 2, "a row of a PNG");
    const bool scales = image->origin.peak > 1 && !image->pixels.data;
    job.scaled = scales ? wp_allocate((size_t)image->width, sizeof *job.scaled, "a row of a PNG")
                        : NULL;
    bool ok = job.samples && (job.scaled || !scales);
    if (ok) {
        job.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning, NULL,
                                             wp_png_allocate, wp_png_free);
        job.info = job.png ? png_create_info_struct(job.png) : NULL;
        ok = job.info ? encode_guarded(&job)
                      : wp_fail(WP_ERROR_INTERNAL, "cannot initialize libpng");
        png_destroy_write_struct(&job.png, &job.info);
    }
    free(job.scaled);
    free(job.samples);
    return ok;
}
