// OpenEXR with the C API. Reads one image of half, float or uint channels, in scan lines or tiles.
// Writes scan lines of float or half channels, compressed with ZIP.
// https://openexr.com/en/latest/OpenEXRCoreAPI.html
#include "image_io.h"
#include "memory.h"

#include <errno.h>
#include <openexr.h>
#include <stdlib.h>
#include <string.h>

struct exr {
    exr_context_t context;
    exr_result_t code; // of the first error
    char message[160];
};

// The user data of a context cannot be read in its error handler: while OpenEXR writes, it holds a
// lock that exr_get_user_data() acquires too.
static _Thread_local struct exr *current;

static void on_error(exr_const_context_t context, exr_result_t code, const char *message)
{
    struct exr *exr = current;
    (void)context;
    if (exr->code != EXR_ERR_SUCCESS)
        return;
    exr->code = code;
    snprintf(exr->message, sizeof exr->message, "%s", message ? message : "unknown");
}

// An initializer for a context. From then on, OpenEXR errors of this thread are stored in `exr`.
static exr_context_initializer_t make_initializer(struct exr *exr)
{
    current = exr;
    return (exr_context_initializer_t){
        .size = sizeof(exr_context_initializer_t),
        .error_handler_fn = on_error,
        .zip_level = -2, // the library's default
        .dwa_quality = -1.0F,
    };
}

// The name of a plane's channel: "Y", "A" of up to 2 planes; else "R", "G", "B", "A".
static const char *channel_of(int planes, int plane)
{
    static const char *const names[] = {"R", "G", "B", "A"};
    return planes >= 3 ? names[plane] : plane == 0 ? "Y" : "A";
}

// ---- Reading ------------------------------------------------------------------------------

struct job {
    struct exr exr;
    const struct wp_source *source;
    exr_attr_box2i_t window;
    const exr_attr_chlist_t *channels;
    struct wp_image *image;
    const char *selected[WP_IMAGE_MAX_PLANES]; // channel of each plane
    int planes;
    struct wp_samples samples;
    float *unread; // receives a chunk's samples of channels that are not read
};

static int64_t read_bytes(exr_const_context_t context, void *user, void *to, uint64_t count,
                          uint64_t at, exr_stream_error_func_ptr_t error)
{
    const struct job *job = user;
    (void)context, (void)error;
    const uint64_t size = job->source->size, left = at < size ? size - at : 0;
    const size_t part = (size_t)(count < left ? count : left);
    memcpy(to, job->source->data + (part ? at : 0), part);
    return (int64_t)part;
}

static int64_t get_size(exr_const_context_t context, void *user)
{
    (void)context;
    const struct job *job = user;
    return (int64_t)job->source->size;
}

static const char compression_attribute[] = "'compression'"; // as in OpenEXR's messages

// Reports OpenEXR's first message or, without one, the error code.
static bool fail(const struct job *job, exr_result_t code)
{
    const struct exr *exr = &job->exr;
    const exr_result_t first = exr->code ? exr->code : code;
    const char *message = exr->code ? exr->message : exr_get_default_error_message(code);
    if (first == EXR_ERR_OUT_OF_MEMORY)
        return wp_fail(WP_ERROR_TOO_LARGE, "%s: not enough memory to read an EXR",
                       job->source->name);
    if (first == EXR_ERR_READ_IO)
        return wp_source_fail(job->source, "truncated (an EXR of %zu bytes)", job->source->size);
    // Compression methods of later versions are reported as unknown attribute values.
    const bool unknown = first == EXR_ERR_FEATURE_NOT_IMPLEMENTED ||
                         strstr(message, compression_attribute) || strstr(message, "file version");
    return wp_source_fail(job->source, unknown ? "not supported (EXR: %s)" : "damaged EXR (%s)",
                          message);
}

static bool check(const struct job *job, exr_result_t code)
{
    return code == EXR_ERR_SUCCESS || fail(job, code);
}

static const exr_attr_chlist_entry_t *find_channel(const struct job *job, const char *name)
{
    for (int i = 0; i < job->channels->num_channels; i++)
        if (strcmp(job->channels->entries[i].name.str, name) == 0)
            return &job->channels->entries[i];
    return NULL;
}

// Lists the names of all channels, or of those that are not read, separated by commas.
static const char *list_channels(const struct job *job, bool unread, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < job->channels->num_channels && length < size; i++) {
        const char *name = job->channels->entries[i].name.str;
        bool read = false;
        for (int p = 0; p < job->planes; p++)
            read = read || strcmp(job->selected[p], name) == 0;
        if (!unread || !read)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                                       name);
    }
    return text;
}

// Selects R, G, B or Y, with A if present, or the only channel. False after an error.
static bool select_channels(struct job *job)
{
    char names[120];
    const bool alpha = find_channel(job, "A");
    const int colours = find_channel(job, "R") && find_channel(job, "G") && find_channel(job, "B")
                            ? 3
                        : find_channel(job, "Y") ? 1
                                                 : 0;
    job->planes = colours + (alpha ? 1 : 0);
    for (int p = 0; p < job->planes && colours; p++)
        job->selected[p] = channel_of(job->planes, p);
    if (!colours) {
        job->planes = 1;
        job->selected[0] =
            job->channels->num_channels > 0 ? job->channels->entries[0].name.str : "";
        if (job->channels->num_channels != 1)
            return wp_source_fail(job->source,
                                  "not supported (EXR with channels %s; needs R, G, B, or Y, or "
                                  "one channel)",
                                  list_channels(job, false, names, sizeof names));
    }
    for (int p = 0; p < job->planes; p++) {
        const exr_attr_chlist_entry_t *channel = find_channel(job, job->selected[p]);
        if (channel->x_sampling != 1 || channel->y_sampling != 1)
            return wp_source_fail(job->source, "not supported (EXR whose channel %s is subsampled)",
                                  job->selected[p]);
    }
    if (list_channels(job, true, names, sizeof names)[0])
        wp_log(WP_LOG_WARNING, "%s: these channels are not read: %s", job->source->name, names);
    return true;
}

static void set_type(struct job *job)
{
    const exr_pixel_type_t type = find_channel(job, job->selected[0])->pixel_type;
    job->samples = wp_samples_of(job->source,
                                 type == EXR_PIXEL_UINT   ? WP_SAMPLE_U32
                                 : type == EXR_PIXEL_HALF ? WP_SAMPLE_F16
                                                          : WP_SAMPLE_F32,
                                 false, false, 0);
    wp_image_set_samples(job->image, job->source, &job->samples);
}

// OpenEXR converts integers to floats without scaling.
static void scale_samples(const struct job *job)
{
    const size_t count = wp_image_samples(job->image) * (size_t)job->planes;
    for (size_t i = 0; i < count && job->samples.maximum > 0; i++)
        job->image->plane[0][i] /= job->samples.maximum;
}

static void log_data_window(const struct job *job, const exr_attr_box2i_t *display)
{
    const exr_attr_box2i_t *data = &job->window;
    if (memcmp(data, display, sizeof *data) != 0)
        wp_log(WP_LOG_VERBOSE,
               "%s: reading the data window, from column %d, row %d to %d, %d; the display window "
               "is from %d, %d to %d, %d",
               job->source->name, data->min.x, data->min.y, data->max.x, data->max.y,
               display->min.x, display->min.y, display->max.x, display->max.y);
}

static unsigned long long extent(int32_t least, int32_t most)
{
    return most < least ? 0 : (unsigned long long)((int64_t)most - least + 1);
}

// Checks the size of the file against the smallest one possible: an entry in the offset table and a
// header per chunk. The ratio of all compression methods but DWA is at most that of deflate.
static bool check_size(struct job *job)
{
    enum { CHUNK = 16, MOST = 1032, WORD = 2 };
    const exr_const_context_t context = job->exr.context;
    const unsigned long long width = extent(job->window.min.x, job->window.max.x);
    const unsigned long long height = extent(job->window.min.y, job->window.max.y);
    exr_compression_t compression;
    int32_t chunks;
    if (!wp_source_check_size(job->source, width, height) ||
        !check(job, exr_get_compression(context, 0, &compression)) ||
        !check(job, exr_get_chunk_count(context, 0, &chunks)))
        return false;
    // OpenEXR 3.1.5 decodes some of these files incorrectly and fails for others.
    if (compression == EXR_COMPRESSION_B44 || compression == EXR_COMPRESSION_B44A)
        return wp_source_fail(job->source, "not supported (EXR with B44 compression)");
    const bool lossy =
        compression == EXR_COMPRESSION_DWAA || compression == EXR_COMPRESSION_DWAB;
    const unsigned long long bytes =
        width * height * (unsigned)job->planes * WORD / (lossy ? MOST * 64 : MOST);
    return wp_source_needs(job->source, (unsigned long long)chunks * CHUNK + bytes);
}

// Fails for unknown compression methods, for which OpenEXR would use another one.
static bool check_compression(struct job *job)
{
    if (job->exr.code && strstr(job->exr.message, compression_attribute))
        return fail(job, job->exr.code);
    job->exr.code = EXR_ERR_SUCCESS; // OpenEXR ignores other invalid attributes
    return true;
}

static bool read_header(struct job *job, exr_storage_t *storage)
{
    const exr_const_context_t context = job->exr.context;
    exr_attr_box2i_t display;
    int parts;
    if (!check_compression(job) || !check(job, exr_get_count(context, &parts)) ||
        !check(job, exr_get_storage(context, 0, storage)))
        return false;
    if (*storage != EXR_STORAGE_SCANLINE && *storage != EXR_STORAGE_TILED)
        return wp_source_fail(job->source, "not supported (deep EXR)");
    if (parts > 1)
        wp_log(WP_LOG_WARNING, "%s: an EXR with %d parts; only the first is read",
               job->source->name, parts);
    if (!check(job, exr_get_data_window(context, 0, &job->window)) ||
        !check(job, exr_get_display_window(context, 0, &display)) ||
        !check(job, exr_get_channels(context, 0, &job->channels)) || !select_channels(job) ||
        !check_size(job))
        return false;
    log_data_window(job, &display);
    job->image = wp_image_create((int)extent(job->window.min.x, job->window.max.x),
                                 (int)extent(job->window.min.y, job->window.max.y), job->planes,
                                 job->planes % 2 == 0);
    if (job->image)
        set_type(job);
    return job->image;
}

// Decodes a chunk whose first pixel is (x, y) of the image.
static bool decode(struct job *job, exr_decode_pipeline_t *decoder, const exr_chunk_info_t *chunk,
                   int x, int y)
{
    const exr_const_context_t context = job->exr.context;
    const size_t width = (size_t)job->image->width;
    if (!check(job, exr_decoding_initialize(context, 0, chunk, decoder)))
        return false;
    for (int c = 0; c < decoder->channel_count; c++) {
        exr_coding_channel_info_t *channel = &decoder->channels[c];
        float *to = job->unread; // some decoders of 3.1.5 crash if a channel has no destination
        for (int p = 0; p < job->planes; p++)
            if (strcmp(channel->channel_name, job->selected[p]) == 0)
                to = job->image->plane[p] + (size_t)y * width + x;
        channel->decode_to_ptr = (uint8_t *)to;
        channel->user_data_type = EXR_PIXEL_FLOAT;
        channel->user_bytes_per_element = sizeof(float);
        channel->user_pixel_stride = sizeof(float);
        channel->user_line_stride = (int32_t)(sizeof(float) * width);
    }
    return check(job, exr_decoding_choose_default_routines(context, 0, decoder)) &&
           check(job, exr_decoding_run(context, 0, decoder));
}

// Uses a new decoder for each chunk, since compressed and uncompressed chunks, which need different
// routines, can alternate.
static bool read_chunk(struct job *job, const exr_chunk_info_t *chunk, int x, int y)
{
    exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
    const int width = job->image->width, height = job->image->height;
    if (chunk->width < 0 || chunk->height < 0 || chunk->width > width - x ||
        chunk->height > height - y)
        return wp_source_fail(job->source, "damaged EXR (a chunk exceeds the image)");
    const bool ok = decode(job, &decoder, chunk, x, y);
    if (decoder.context)
        exr_decoding_destroy(job->exr.context, &decoder);
    return ok;
}

// Allocates `unread` for chunks of that many rows.
static bool allocate_unread(struct job *job, int lines)
{
    const int height = job->image->height;
    if (job->channels->num_channels == job->planes)
        return true;
    job->unread = wp_allocate((size_t)job->image->width * (size_t)(lines < height ? lines : height),
                              sizeof *job->unread, "channels of an EXR");
    return job->unread;
}

static bool read_rows(struct job *job)
{
    exr_chunk_info_t chunk;
    int32_t lines;
    if (!check(job, exr_get_scanlines_per_chunk(job->exr.context, 0, &lines)))
        return false;
    bool ok = (lines > 0 || wp_source_fail(job->source, "damaged EXR (chunks without rows)")) &&
              allocate_unread(job, lines);
    for (int y = 0; y < job->image->height && ok; y += lines)
        ok = check(job, exr_read_scanline_chunk_info(job->exr.context, 0, job->window.min.y + y,
                                                     &chunk)) &&
             read_chunk(job, &chunk, 0, y);
    return ok;
}

// Reads the tiles of level 0.
static bool read_tiles(struct job *job)
{
    exr_chunk_info_t chunk;
    int32_t width, height;
    if (!check(job, exr_get_tile_sizes(job->exr.context, 0, 0, 0, &width, &height)))
        return false;
    bool ok = ((width > 0 && height > 0) ||
               wp_source_fail(job->source, "damaged EXR (empty tiles)")) &&
              allocate_unread(job, height);
    for (int64_t y = 0; y < job->image->height && ok; y += height)
        for (int64_t x = 0; x < job->image->width && ok; x += width)
            ok = check(job, exr_read_tile_chunk_info(job->exr.context, 0, (int)(x / width),
                                                     (int)(y / height), 0, 0, &chunk)) &&
                 read_chunk(job, &chunk, (int)x, (int)y);
    return ok;
}

struct wp_image *wp_read_exr(const struct wp_source *source)
{
    struct job job = {.source = source};
    exr_context_initializer_t initializer = make_initializer(&job.exr);
    exr_storage_t storage;
    initializer.user_data = &job;
    initializer.read_fn = read_bytes;
    initializer.size_fn = get_size;
    initializer.flags = EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    bool ok = check(&job, exr_start_read(&job.exr.context, "EXR", &initializer)) &&
              read_header(&job, &storage) &&
              (storage == EXR_STORAGE_TILED ? read_tiles : read_rows)(&job);
    exr_finish(&job.exr.context);
    free(job.unread);
    if (ok)
        scale_samples(&job);
    else
        wp_image_destroy(&job.image);
    return job.image;
}

// ---- Writing ------------------------------------------------------------------------------

struct output {
    struct exr exr;
    FILE *stream;
    const struct wp_image *image;
    enum wp_stored stored;
    exr_result_t (*compress)(exr_encode_pipeline_t *encoder); // OpenEXR's routine
};

static int64_t write_bytes(exr_const_context_t context, void *user, const void *from,
                           uint64_t count, uint64_t at, exr_stream_error_func_ptr_t error)
{
    struct output *output = user;
    if (fseeko(output->stream, (off_t)at, SEEK_SET) == 0 &&
        fwrite(from, 1, (size_t)count, output->stream) == count)
        return (int64_t)count;
    error(context, EXR_ERR_WRITE_IO, "%s", strerror(errno));
    return -1;
}

static exr_result_t write_header(struct output *output)
{
    const exr_context_t context = output->exr.context;
    const struct wp_image *image = output->image;
    int part;
    exr_result_t result = exr_add_part(context, "", EXR_STORAGE_SCANLINE, &part);
    if (result == EXR_ERR_SUCCESS)
        result = exr_initialize_required_attr_simple(context, 0, image->width, image->height,
                                                     EXR_COMPRESSION_ZIP);
    for (int p = 0; p < image->planes && result == EXR_ERR_SUCCESS; p++)
        result = exr_add_channel(context, 0, channel_of(image->planes, p),
                                 output->stored == WP_STORED_F16 ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT,
                                 EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    return result == EXR_ERR_SUCCESS ? exr_write_header(context) : result;
}

// Readers take a chunk as uncompressed if its size is the uncompressed size, but OpenEXR 3.1.5
// stores compressed data of exactly that size. Stores such chunks uncompressed.
static exr_result_t compress(exr_encode_pipeline_t *encoder)
{
    const struct output *output = encoder->encoding_user_data;
    const exr_result_t result = output->compress(encoder);
    if (result == EXR_ERR_SUCCESS && encoder->compressed_bytes >= encoder->packed_bytes) {
        memcpy(encoder->compressed_buffer, encoder->packed_buffer, (size_t)encoder->packed_bytes);
        encoder->compressed_bytes = (size_t)encoder->packed_bytes;
    }
    return result;
}

static int plane_of(const struct wp_image *image, const char *name)
{
    int plane = 0;
    while (plane + 1 < image->planes && strcmp(channel_of(image->planes, plane), name) != 0)
        plane++;
    return plane;
}

static exr_result_t write_chunk(struct output *output, exr_encode_pipeline_t *encoder, int y)
{
    const exr_context_t context = output->exr.context;
    const struct wp_image *image = output->image;
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
        output->compress = encoder->compress_fn;
        encoder->encoding_user_data = output;
        encoder->compress_fn = compress; // not NULL for ZIP
    }
    return result == EXR_ERR_SUCCESS ? exr_encoding_run(context, 0, encoder) : result;
}

static exr_result_t write_image(struct output *output)
{
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t lines = 1;
    exr_result_t result = write_header(output);
    if (result == EXR_ERR_SUCCESS)
        result = exr_get_scanlines_per_chunk(output->exr.context, 0, &lines);
    for (int y = 0; y < output->image->height && result == EXR_ERR_SUCCESS; y += lines)
        result = write_chunk(output, &encoder, y);
    if (encoder.context)
        exr_encoding_destroy(output->exr.context, &encoder);
    return result;
}

bool wp_write_exr(const struct wp_image *image, const char *path, FILE *stream,
                  enum wp_stored stored)
{
    struct output output = {.stream = stream, .image = image, .stored = stored};
    exr_context_initializer_t initializer = make_initializer(&output.exr);
    initializer.user_data = &output;
    initializer.write_fn = write_bytes;
    if (image->planes % 2 == 0 && !image->alpha)
        return wp_fail(WP_ERROR_FILE,
                       "%s cannot hold %d planes without alpha (EXR has Y or R, G, B, and A)\n"
                       "hint: use .npy or .tiff",
                       path, image->planes);
    exr_result_t result =
        exr_start_write(&output.exr.context, path, EXR_WRITE_FILE_DIRECTLY, &initializer);
    if (result == EXR_ERR_SUCCESS)
        result = write_image(&output);
    const exr_result_t closed = exr_finish(&output.exr.context);
    result = result == EXR_ERR_SUCCESS ? closed : result;
    if (result == EXR_ERR_SUCCESS || ferror(stream))
        return true;
    return wp_fail(result == EXR_ERR_OUT_OF_MEMORY ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE,
                   "cannot write %s (%s)", path,
                   output.exr.code ? output.exr.message : exr_get_default_error_message(result));
}
