// Writes OpenEXR: scan lines of float or half channels, compressed with ZIP.
#include "exr.h"
#include "image_io.h"

#include <errno.h>
#include <string.h>

struct job {
    struct wp_exr exr;
    FILE *stream;
    const struct wp_image *image;
    enum wp_stored stored;
    exr_result_t (*compress)(exr_encode_pipeline_t *encoder); // OpenEXR's routine
};

static int64_t write_bytes(exr_const_context_t context, void *user, const void *from,
                           uint64_t count, uint64_t at, exr_stream_error_func_ptr_t error)
{
    struct job *job = user;
    if (fseeko(job->stream, (off_t)at, SEEK_SET) == 0 &&
        fwrite(from, 1, (size_t)count, job->stream) == count)
        return (int64_t)count;
    error(context, EXR_ERR_WRITE_IO, "%s", strerror(errno));
    return -1;
}

static exr_result_t write_header(struct job *job)
{
    const exr_context_t context = job->exr.context;
    const struct wp_image *image = job->image;
    int part;
    exr_result_t result = exr_add_part(context, "", EXR_STORAGE_SCANLINE, &part);
    if (result == EXR_ERR_SUCCESS)
        result = exr_initialize_required_attr_simple(context, 0, image->width, image->height,
                                                     EXR_COMPRESSION_ZIP);
    for (int p = 0; p < image->planes && result == EXR_ERR_SUCCESS; p++)
        result = exr_add_channel(context, 0, wp_exr_channel(image->planes, p),
                                 job->stored == WP_STORED_F16 ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT,
                                 EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    return result == EXR_ERR_SUCCESS ? exr_write_header(context) : result;
}

// Readers take a chunk as uncompressed if its size is the uncompressed size, but OpenEXR 3.1.5
// stores compressed data of exactly that size. Stores such chunks uncompressed.
static exr_result_t compress(exr_encode_pipeline_t *encoder)
{
    const struct job *job = encoder->encoding_user_data;
    const exr_result_t result = job->compress(encoder);
    if (result == EXR_ERR_SUCCESS && encoder->compressed_bytes >= encoder->packed_bytes) {
        memcpy(encoder->compressed_buffer, encoder->packed_buffer, (size_t)encoder->packed_bytes);
        encoder->compressed_bytes = (size_t)encoder->packed_bytes;
    }
    return result;
}

static int plane_of(const struct wp_image *image, const char *name)
{
    int plane = 0;
    while (plane + 1 < image->planes && strcmp(wp_exr_channel(image->planes, plane), name) != 0)
        plane++;
    return plane;
}

static exr_result_t write_chunk(struct job *job, exr_encode_pipeline_t *encoder, int y)
{
    const exr_context_t context = job->exr.context;
    const struct wp_image *image = job->image;
    exr_chunk_info_t chunk;
    exr_result_t result = exr_write_scanline_chunk_info(context, 0, y, &chunk);
    if (result == EXR_ERR_SUCCESS)
        result = y == 0 ? exr_encoding_initialize(context, 0, &chunk, encoder)
                        : exr_encoding_update(context, 0, &chunk, encoder);
    for (int c = 0; c < encoder->channel_count && result == EXR_ERR_SUCCESS; c++) {
        exr_coding_channel_info_t *channel = &encoder->channels[c];
        const int plane = plane_of(image, channel->channel_name);
        channel->encode_from_ptr =
            (const uint8_t *)(image->plane[plane] + (size_t)y * (size_t)image->width);
        channel->user_data_type = EXR_PIXEL_FLOAT;
        channel->user_bytes_per_element = sizeof(float);
        channel->user_pixel_stride = sizeof(float);
        channel->user_line_stride = (int32_t)(sizeof(float) * (size_t)image->width);
    }
    if (result == EXR_ERR_SUCCESS && y == 0) {
        result = exr_encoding_choose_default_routines(context, 0, encoder);
        job->compress = encoder->compress_fn;
        encoder->encoding_user_data = job;
        encoder->compress_fn = compress; // not NULL for ZIP
    }
    return result == EXR_ERR_SUCCESS ? exr_encoding_run(context, 0, encoder) : result;
}

static exr_result_t write_image(struct job *job)
{
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t lines = 1;
    exr_result_t result = write_header(job);
    if (result == EXR_ERR_SUCCESS)
        result = exr_get_scanlines_per_chunk(job->exr.context, 0, &lines);
    for (int y = 0; y < job->image->height && result == EXR_ERR_SUCCESS; y += lines)
        result = write_chunk(job, &encoder, y);
    if (encoder.context)
        exr_encoding_destroy(job->exr.context, &encoder);
    return result;
}

bool wp_write_exr(const struct wp_image *image, const char *path, FILE *stream,
                  enum wp_stored stored)
{
    struct job job = {.stream = stream, .image = image, .stored = stored};
    exr_context_initializer_t initializer = wp_exr_initializer(&job.exr);
    initializer.user_data = &job;
    initializer.write_fn = write_bytes;
    if (image->planes % 2 == 0 && !image->alpha)
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold %d planes without alpha (EXR has Y or R, G, B, and A)\n"
                       "hint: use .npy or .tiff",
                       path, image->planes);
    exr_result_t result =
        exr_start_write(&job.exr.context, path, EXR_WRITE_FILE_DIRECTLY, &initializer);
    if (result == EXR_ERR_SUCCESS)
        result = write_image(&job);
    const exr_result_t closed = exr_finish(&job.exr.context);
    result = result == EXR_ERR_SUCCESS ? closed : result;
    if (result == EXR_ERR_SUCCESS || ferror(stream))
        return true;
    return wp_fail(result == EXR_ERR_OUT_OF_MEMORY ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE,
                   "cannot write %s (%s)", path,
                   job.exr.code ? job.exr.message : exr_get_default_error_message(result));
}
