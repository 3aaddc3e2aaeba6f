// Reads a file: loads it, detects its format, and calls the reader.
#include "image_io.h"

#include "decoder.h"
#include "memory.h"
#include "npz.h"
#include "pattern.h"
#include "raw.h"
#include "slices_io.h"
#include "stream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// 'P', one of the characters in `kinds`, and white space or a comment.
static bool match_netpbm(const struct wp_source *source, const char *kinds)
{
    return source->size >= 3 && source->data[0] == 'P' && source->data[1] != '\0' &&
           strchr(kinds, source->data[1]) && (isspace(source->data[2]) || source->data[2] == '#');
}

static bool match_text_or_bitmap_pnm(const struct wp_source *source)
{
    return match_netpbm(source, "1234");
}

static bool match_pnm(const struct wp_source *source)
{
    return match_netpbm(source, "56");
}

static bool match_pam(const struct wp_source *source)
{
    return wp_source_begins(source, "P7\n") || wp_source_begins(source, "P7\r\n");
}

static bool match_pfm(const struct wp_source *source)
{
    return match_netpbm(source, "Ff");
}

static bool match_hdr(const struct wp_source *source)
{
    return wp_source_begins(source, "#?RADIANCE\n") || wp_source_begins(source, "#?RADIANCE\r\n") ||
           wp_source_begins(source, "#?RGBE\n") || wp_source_begins(source, "#?RGBE\r\n");
}

static bool match_fits(const struct wp_source *source)
{
    return wp_stream_begins(source, WP_FITS_MAGIC);
}

// TGA has no magic number and must be last.
static const struct {
    const char *name;
    const char *magic;                             // or
    bool (*match)(const struct wp_source *source); // if magic is NULL
    struct wp_image *(*read)(const struct wp_source *source);
    wp_rows_opener *rows;     // NULL: not supported
    wp_slices_opener *slices; // NULL: not supported
    // Instead of `read` and `rows`: finds the offsets of rows; and the message for a damaged
    // header.
    wp_raster_layout_finder *layout;
    const char *damaged;
} kinds[] = {
    {"PNG", "\x89PNG", .read = wp_read_png, .rows = wp_png_rows},
    {"JPEG", "\xff\xd8\xff", .read = wp_read_jpeg},
    {"PNM", .match = match_text_or_bitmap_pnm, .read = wp_read_pnm},
    {"PNM", .match = match_pnm, .layout = wp_pnm_layout,
     .damaged = "damaged PNM (needs width, height, and a maximum of 1 to 65535)"},
    {"PAM", .match = match_pam, .layout = wp_pam_layout,
     .damaged = "damaged PAM (needs lines WIDTH, HEIGHT, DEPTH, MAXVAL of 1 to 65535, and ENDHDR)"},
    {"PFM", .match = match_pfm, .layout = wp_pfm_layout,
     .damaged = "damaged PFM (needs width, height, and a scale other than 0)"},
    {"HDR", .match = match_hdr, .read = wp_read_hdr},
    {"NPY", "\x93NUMPY", .layout = wp_npy_layout},
    {"TIFF", .match = wp_match_tiff, .read = wp_read_tiff, .rows = wp_tiff_rows,
     .slices = wp_tiff_slices},
    {"EXR", "\x76\x2f\x31\x01", .read = wp_read_exr},
    {"Y4M", "YUV4MPEG2", .read = wp_read_y4m, .slices = wp_y4m_slices},
    {"BMP", .match = wp_match_bmp, .read = wp_read_bmp},
    {"FITS", .match = match_fits, .read = wp_read_fits},
    {"NIfTI", .match = wp_match_nifti, .read = wp_read_nifti, .slices = wp_nifti_slices},
    {"TGA", .match = wp_match_tga, .read = wp_read_tga},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static struct wp_image *read_kind(const struct wp_source *source, int kind)
{
    return kinds[kind].layout ? wp_read_raster(source, kinds[kind].layout, kinds[kind].damaged)
                              : kinds[kind].read(source);
}

// Returns KIND_COUNT, without a message, for an unknown format.
static int match_kind(const struct wp_source *source)
{
    int kind = 0;
    while (kind < KIND_COUNT && !(kinds[kind].magic ? wp_source_begins(source, kinds[kind].magic)
                                                    : kinds[kind].match(source)))
        kind++;
    return kind;
}

// Returns KIND_COUNT after an error.
static int find_kind(const struct wp_source *source)
{
    const int kind = match_kind(source);
    if (kind == KIND_COUNT) {
        if (source->size == 0)
            wp_source_fail(source, "empty file");
        else if (wp_source_begins(source, "PK\3\4"))
            wp_source_fail(source, "a ZIP archive, not an image"
                                   "\nhint: an NPZ archive must be named FILE.npz");
        else if (source->volume == WP_VOLUME_NO)
            wp_source_fail(source, "unknown image format\nhint: reads %s", WP_IMAGE_READS);
        else
            wp_source_fail(source,
                           "unknown format of image or volume\n"
                           "hint: reads volumes from %s, and images from %s",
                           WP_VOLUME_READS, WP_IMAGE_READS);
    }
    return kind;
}

struct wp_image *wp_image_parse(const struct wp_source *source)
{
    const int kind = find_kind(source);
    if (kind == KIND_COUNT)
        return NULL;
    if (source->facts)
        source->facts->format = kinds[kind].name;
    if (source->volume_number > 0 && kinds[kind].read != wp_read_nifti) {
        wp_source_fail(source, "a volume can be selected only in NIfTI, but this is %s",
                       kinds[kind].name);
        return NULL;
    }
    return read_kind(source, kind);
}

// Finds the number of bytes to read from a stream, from its first bytes, so that reading does not
// wait for the end of a pipe. If the format does not report it, the limit is larger than any
// image. False after an error.
static bool find_limit(const struct wp_source *head, const struct wp_raw *raw,
                       unsigned long long *most)
{
    struct wp_source trial = *head;
    const int kind = raw ? KIND_COUNT : find_kind(head);
    *most = raw ? raw->bytes + 1 : 1ULL << 32; // one more, to detect files that are too long
    if (kind == KIND_COUNT)
        return raw;
    if (!kinds[kind].layout)
        return true;
    unsigned long long needs = 0;
    trial.facts = NULL;
    trial.needs = &needs;
    struct wp_image *image = read_kind(&trial, kind);
    if (needs > 0)
        *most = needs;
    const bool ok = image || needs > head->size;
    wp_image_destroy(&image);
    return ok;
}

// Doubles the buffer, up to `most` bytes. NULL after an error.
static unsigned char *enlarge(unsigned char *data, size_t size, unsigned long long most,
                              size_t *capacity, const char *name)
{
    *capacity = 2ULL * *capacity < most ? 2 * *capacity : (size_t)most;
    unsigned char *larger = wp_allocate(*capacity, 1, name);
    if (larger)
        memcpy(larger, data, size);
    free(data);
    return larger;
}

// Loads a file to source->data; source->name is set. A regular file is read at its size, a pipe
// with a buffer that doubles. The format is detected first, so that an endless stream of another
// format is not read. Returns the data, for free(), or NULL after an error.
static unsigned char *load(struct wp_bytes *bytes, const struct wp_raw *raw,
                           struct wp_source *source)
{
    enum { FIRST = 65536 };
    unsigned long long most;
    const bool known = wp_bytes_size(bytes, &most);
    if (known && raw && !wp_raw_check(raw, source->name, most))
        return NULL;
    size_t capacity = known ? (size_t)most : FIRST, got = 0;
    unsigned char *data = wp_allocate(capacity, 1, source->name);
    if (!data)
        return NULL;
    source->data = data;
    size_t *size = &source->size;
    bool ok = wp_bytes_read(bytes, data, capacity < FIRST ? capacity : FIRST, size);
    if (known)
        ok = ok && (raw || find_kind(source) < KIND_COUNT) &&
             wp_bytes_read(bytes, data + *size, capacity - *size, &got);
    else
        ok = ok && find_limit(source, raw, &most);
    *size += got;
    while (ok && !known && *size == capacity && *size < most) {
        data = enlarge(data, *size, most, &capacity, source->name);
        ok = data && wp_bytes_read(bytes, data + *size, capacity - *size, &got);
        *size += ok ? got : 0;
    }
    if (!ok) {
        free(data);
        data = NULL;
    }
    source->data = data;
    return data;
}

static struct wp_image *read_bytes(struct wp_bytes *bytes, const struct wp_read_params *params,
                                   const struct wp_raw *raw)
{
    struct wp_source source = wp_source_of(wp_bytes_name(bytes), params);
    unsigned char *data = load(bytes, raw, &source);
    struct wp_image *image = !data ? NULL
                             : raw ? wp_read_raw(&source, raw)
                                   : wp_image_parse(&source);
    free(data);
    return image;
}

// The header's path if `path` is the image of a NIfTI pair, else NULL. The caller frees it.
static char *header_of_pair(const char *path, const struct wp_read_params *params)
{
    char *header = params->raw ? NULL : wp_nifti_header_path(path);
    if (header && access(header, F_OK) != 0) {
        free(header);
        header = NULL;
    }
    return header;
}

static const char no_rows[] = "this file format is read as a whole";

static bool open_layout(struct wp_bytes **bytes, const struct wp_source *head,
                        unsigned long long size, const struct wp_raster_layout *layout,
                        struct wp_rows **rows, const char **why)
{
    struct wp_source file = *head;
    file.size = (size_t)size;
    if (layout->width == 0 || layout->depth > 1 || layout->fortran) {
        *why = no_rows;
        return true;
    }
    return wp_source_needs(&file, wp_raster_layout_end(layout)) &&
           wp_layout_rows(bytes, &file, layout, rows);
}

static bool open_rows(struct wp_bytes **bytes, const struct wp_read_params *params,
                      const struct wp_raw *raw, struct wp_rows **rows, const char **why)
{
    struct wp_source head = wp_source_of(wp_bytes_name(*bytes), params);
    struct wp_raster_layout layout = {0};
    unsigned long long size;
    if (!wp_bytes_size(*bytes, &size)) {
        *why = "it is not a regular file";
        return true;
    }
    if (raw)
        return wp_raw_check(raw, head.name, size) &&
               open_layout(bytes, &head, size, &raw->layout, rows, why);
    if (!wp_bytes_peek(*bytes, WP_BYTES_PEEK, &head.data, &head.size))
        return false;
    if (params->volume != WP_VOLUME_NO && wp_decoder_matches(head.data, head.size)) {
        *why = "a video has frames";
        return true;
    }
    const int kind = find_kind(&head);
    if (kind == KIND_COUNT)
        return false;
    if (head.facts)
        head.facts->format = kinds[kind].name;
    if (kinds[kind].layout)
        return kinds[kind].layout(&head, &layout) &&
               open_layout(bytes, &head, size, &layout, rows, why);
    if (!kinds[kind].rows) {
        *why = no_rows;
        return true;
    }
    head.size = (size_t)size; // the size of the file
    return kinds[kind].rows(bytes, &head, rows, why);
}

// Finds the layout of uncompressed slices; depth 0 if there are none. False after an error.
static bool find_slices(struct wp_bytes *bytes, struct wp_source *head, int kind,
                        const struct wp_raw *raw, struct wp_raster_layout *layout)
{
    unsigned long long size;
    const bool known = wp_bytes_size(bytes, &size);
    *layout = (struct wp_raster_layout){0};
    // For a pipe of raw samples, only its end shows that it has no more bytes.
    if (raw && known)
        *layout = raw->layout;
    if (raw)
        return !known ||
               (wp_raw_check(raw, head->name, size) &&
                wp_source_check_volume(head, layout->width, layout->height, layout->depth));
    if (kind == KIND_COUNT || kinds[kind].layout != wp_npy_layout)
        return true;
    if (!wp_bytes_peek(bytes, WP_BYTES_PEEK, &head->data, &head->size) ||
        !wp_npy_layout(head, layout))
        return false;
    if (layout->depth < 2 || layout->planes != 1 || layout->fortran)
        layout->depth = 0;
    struct wp_source file = *head;
    file.size = (size_t)size;
    return layout->depth == 0 || !known || wp_source_needs(&file, wp_raster_layout_end(layout));
}

// Opens a file for reading by slices, as wp_slices_opener; Y4M only with `streams`.
static bool open_slices(struct wp_bytes **bytes, const struct wp_read_params *params,
                        const struct wp_raw *raw, bool streams, struct wp_slices **slices)
{
    struct wp_raster_layout layout;
    struct wp_bytes *input = *bytes;
    struct wp_source head = wp_source_of(wp_bytes_name(input), params);
    unsigned long long size;
    const bool known = wp_bytes_size(input, &size);
    *slices = NULL;
    if (!wp_bytes_peek(input, known && !raw ? WP_BYTES_PEEK : WP_BYTES_MAGIC, &head.data,
                       &head.size))
        return false;
    const int kind = raw ? KIND_COUNT : match_kind(&head);
    if (kind < KIND_COUNT && head.facts)
        head.facts->format = kinds[kind].name;
    if (kind < KIND_COUNT && kinds[kind].slices &&
        (kinds[kind].slices == wp_y4m_slices ? streams : known))
        return kinds[kind].slices(bytes, &head, size, slices);
    if (!find_slices(input, &head, kind, raw, &layout))
        return false;
    if (layout.depth < 2)
        return true;
    *bytes = NULL;
    *slices = wp_layout_slices(input, &head, &layout);
    return *slices;
}

// Reads the image, by rows or slices if the file supports it. NULL after an error.
static struct wp_image *read_image(struct wp_bytes **bytes, const struct wp_read_params *params,
                                   const struct wp_raw *raw)
{
    struct wp_rows *rows = NULL;
    struct wp_slices *slices = NULL;
    const char *why = NULL;
    struct wp_image *image = NULL;
    // The standard input may not be at its start.
    const bool parts = params->volume_number == 0 && wp_bytes_file(*bytes) > STDIN_FILENO;
    if (parts && !open_rows(bytes, params, raw, &rows, &why))
        return NULL;
    if (parts && !rows && params->volume != WP_VOLUME_NO &&
        !open_slices(bytes, params, raw, false, &slices))
        return NULL;
    image = rows     ? wp_rows_read_image(rows)
            : slices ? wp_slices_read_image(slices)
                     : read_bytes(*bytes, params, raw);
    wp_rows_close(&rows);
    wp_slices_close(&slices);
    return image;
}

// Opens the file's slices, if `slices` is not NULL and the format supports it, or reads the image.
static void open_file(const char *path, const struct wp_read_params *params,
                      const struct wp_raw *raw, struct wp_slices **slices, struct wp_image **image)
{
    struct wp_bytes *bytes = wp_bytes_open(path, !raw && params->volume != WP_VOLUME_NO);
    if (bytes && (!slices || open_slices(&bytes, params, raw, true, slices)) && bytes)
        *image = read_image(&bytes, params, raw);
    wp_bytes_close(&bytes);
}

struct wp_image *wp_read_file(const char *path, const struct wp_read_params *params,
                              struct wp_slices **slices)
{
    struct wp_raw raw;
    struct wp_image *image = NULL;
    if (params->raw && !wp_raw_parse(params->raw, params->values, &raw))
        return NULL;
    const char *pattern = params->raw ? NULL : wp_pattern_of_path(path);
    if (params->facts)
        *params->facts = (struct wp_file_facts){.format = pattern ? "pattern" : "raw"};
    if (pattern)
        image = wp_pattern_create_as(pattern, params->volume);
    else if (!params->raw && wp_npz_names_array(path))
        image = wp_read_npz(path, params);
    else {
        char *header = header_of_pair(path, params);
        open_file(header ? header : path, params, params->raw ? &raw : NULL, slices, &image);
        free(header);
    }
    return image;
}

bool wp_rows_open(const char *path, const struct wp_read_params *params, struct wp_rows **rows,
                  const char **why)
{
    struct wp_raw raw;
    *rows = NULL;
    *why = NULL;
    if (params->raw && !wp_raw_parse(params->raw, params->values, &raw))
        return false;
    if (params->facts)
        *params->facts = (struct wp_file_facts){.format = "raw"};
    if (!params->raw && wp_pattern_of_path(path))
        *why = "a built-in image is generated as a whole";
    else if (!params->raw && wp_npz_names_array(path))
        *why = "an array of an NPZ is read as a whole";
    else if (access(path, F_OK) != 0) // possibly an image sequence
        *why = "it is not a regular file";
    if (*why)
        return true;
    char *header = header_of_pair(path, params);
    struct wp_bytes *bytes = wp_bytes_open(header ? header : path, false);
    free(header);
    const bool ok = bytes && open_rows(&bytes, params, params->raw ? &raw : NULL, rows, why);
    wp_bytes_close(&bytes);
    return ok;
}
