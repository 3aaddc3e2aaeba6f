#include "image_io.h"
#include "memory.h"
#include "orientation.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

// The state of decoding. It is not in local variables, since longjmp() may leave those undefined.
struct job {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr bytes;
    struct jpeg_progress_mgr progress;
    const struct wp_source *source;
    bool warned; // a warning about damage was logged
    int orientation;
    jmp_buf on_failure;
    struct wp_image *image;
    unsigned char *row;
};

// True if the file is valid, but not supported by this build of libjpeg: more than 8 bits, ...
static bool is_unsupported(int code)
{
    static const int codes[] = {JERR_BAD_PRECISION, JERR_SOF_UNSUPPORTED, JERR_ARITH_NOTIMPL,
                                JERR_NOTIMPL,       JERR_NOT_COMPILED,    JERR_CONVERSION_NOTIMPL,
                                JERR_CCIR601_NOTIMPL};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (code == codes[i])
            return true;
    return false;
}

static _Noreturn void on_error(j_common_ptr jpeg)
{
    struct job *job = jpeg->client_data;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to read a JPEG");
    else
        wp_source_fail(job->source, is_unsupported(jpeg->err->msg_code) ? "not supported (JPEG: %s)"
                                                                        : "damaged JPEG (%s)",
                       message);
    longjmp(job->on_failure, 1);
}

// Logs the first warning (level -1): the data are damaged, but decoding continues.
static void on_message(j_common_ptr jpeg, int level)
{
    struct job *job = jpeg->client_data;
    if (level >= 0 || job->warned)
        return;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    wp_log(WP_LOG_WARNING, "%s: damaged JPEG; parts may be gray or wrong (%s)", job->source->name,
           message);
    job->warned = true;
}

// Called at the end of the data, which libjpeg has in memory completely.
static boolean fill_input(j_decompress_ptr jpeg)
{
    struct job *job = jpeg->client_data;
    wp_source_fail(job->source, "truncated (no end of the JPEG in its %zu bytes)",
                   job->source->size);
    longjmp(job->on_failure, 1);
}

static void skip_input(j_decompress_ptr jpeg, long count)
{
    if (count <= 0)
        return;
    if ((size_t)count > jpeg->src->bytes_in_buffer)
        fill_input(jpeg);
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= (size_t)count;
}

static void do_nothing(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

// Limits the number of scans: each takes time for all blocks, even if it has few bytes.
static void on_progress(j_common_ptr jpeg)
{
    enum { MOST = 500 }; // an image of four components has about 20
    struct job *job = jpeg->client_data;
    if (job->jpeg.input_scan_number <= MOST)
        return;
    wp_source_fail(job->source, "damaged JPEG (more than %d scans)", MOST);
    longjmp(job->on_failure, 1);
}

// Checks that the file has at least one bit per block of 8x8.
static bool check_size(const struct job *job)
{
    const unsigned long long width = job->jpeg.image_width, height = job->jpeg.image_height;
    return wp_source_check_size(job->source, width, height) &&
           wp_source_needs(job->source, (width / 8) * (height / 8) / 8);
}

static int find_orientation(const struct job *job)
{
    int orientation = 1;
    for (jpeg_saved_marker_ptr m = job->jpeg.marker_list; m && orientation == 1; m = m->next)
        orientation = wp_orientation_of_segment(m->data, m->data_length);
    return orientation;
}

// Converts CMYK to RGB. Files with an Adobe marker store the inks inverted.
static void convert_inks(const struct job *job)
{
    enum { INKS = 4, PLANES = 3, MOST = 255 };
    const int invert = job->jpeg.saw_Adobe_marker ? 0 : MOST;
    for (size_t x = 0; x < job->jpeg.output_width; x++)
        for (size_t i = 0; i < PLANES; i++) {
            const int ink = job->row[INKS * x + i] ^ invert;
            const int black = job->row[INKS * x + PLANES] ^ invert;
            job->row[PLANES * x + i] = (unsigned char)((ink * black + MOST / 2) / MOST);
        }
}

// Errors of libjpeg leave this function through longjmp().
static bool decode(struct job *job)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg->src = &job->bytes;
    jpeg->progress = &job->progress;
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(jpeg, TRUE);
    job->orientation = find_orientation(job);
    if (!check_size(job))
        return false;
    const bool inks = jpeg->num_components == 4, gray = jpeg->num_components == 1;
    jpeg->out_color_space = inks ? JCS_CMYK : gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(jpeg);
    const int width = (int)jpeg->output_width, height = (int)jpeg->output_height;
    job->image = wp_image_create(width, height, gray ? 1 : 3, false);
    job->row = wp_allocate((size_t)width, (size_t)jpeg->output_components, "a row of a JPEG");
    if (!job->image || !job->row)
        return false;
    const struct wp_samples samples = wp_samples_of(job->source, WP_SAMPLE_U8, false, true, 0);
    wp_image_set_samples(job->image, job->source, &samples);
    for (size_t y = 0; y < (size_t)height; y++) {
        jpeg_read_scanlines(jpeg, &job->row, 1);
        if (inks)
            convert_inks(job);
        wp_samples_convert_row(&samples, job->row, job->image, y);
    }
    jpeg_finish_decompress(jpeg);
    return true;
}

static bool decode_guarded(struct job *job)
{
    if (setjmp(job->on_failure))
        return false;
    return decode(job);
}

struct wp_image *wp_read_jpeg(const struct wp_source *source)
{
    struct job job = {
        .source = source,
        .bytes = {.next_input_byte = source->data, .bytes_in_buffer = source->size,
                  .init_source = do_nothing, .fill_input_buffer = fill_input,
                  .skip_input_data = skip_input, .resync_to_restart = jpeg_resync_to_restart,
                  .term_source = do_nothing},
        .progress = {.progress_monitor = on_progress},
    };
    job.jpeg.err = jpeg_std_error(&job.errors);
    job.errors.error_exit = on_error;
    job.errors.emit_message = on_message;
    job.jpeg.client_data = &job;
    const bool ok = decode_guarded(&job);
    struct wp_image *image = ok ? wp_image_orient(job.image, job.orientation) : NULL;
    if (!ok)
        wp_image_destroy(&job.image);
    jpeg_destroy_decompress(&job.jpeg);
    free(job.row);
    return image;
}
