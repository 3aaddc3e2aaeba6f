#include "image_io.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nifti.h"
#include "slices_io.h"
#include "stream.h"
#include "xmemory.h"

// A header that is there as a whole.
struct header {
    unsigned char data[WP_NIFTI_HEADER];
    bool big;
};

struct layout {
    struct wp_samples samples;
    unsigned long long width, height, depth;
    unsigned long long start; // of the samples
    bool frames;
    double slope, intercept; // of slope 0: values as they are stored
};

static uint32_t load(const unsigned char *from, int bytes, bool big)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | from[big ? i : bytes - 1 - i];
    return value;
}

static int get16(const struct header *header, int at)
{
    const int value = (int)load(header->data + at, 2, header->big);
    return value - (value & 0x8000 ? 0x10000 : 0);
}

static float get_float(const struct header *header, int at)
{
    const uint32_t bits = load(header->data + at, 4, header->big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// NIfTI-2 says 540.
static bool is_header_size(const unsigned char *data)
{
    for (int big = 0; big <= 1; big++)
        if (load(data, 4, big) == WP_NIFTI_HEADER || load(data, 4, big) == 540)
            return true;
    return false;
}

bool wp_match_nifti(const struct wp_source *source)
{
    const unsigned char *data = source->data;
    if (wp_stream_is_zipped(source) || (source->size >= 4 && is_header_size(data)))
        return true;
    return source->size >= WP_NIFTI_HEADER && (memcmp(data + WP_NIFTI_MAGIC, "n+1", 4) == 0 ||
                                               memcmp(data + WP_NIFTI_MAGIC, "ni1", 4) == 0);
}

// Leaves the stream behind it.
static bool read_header(struct wp_stream *stream, struct header *header)
{
    const struct wp_source *source = stream->source;
    unsigned char *data = header->data;
    enum { SIZE = 4 };
    if (!wp_stream_needs(stream, WP_NIFTI_HEADER) || !wp_stream_read(stream, data, SIZE))
        return false;
    if (stream->zipped && !is_header_size(data))
        return wp_source_fail(source, "a gzip of something else than NIfTI\nhint: unpack it");
    if (!wp_stream_read(stream, data + SIZE, WP_NIFTI_HEADER - SIZE))
        return false;
    header->big = load(data, SIZE, true) <= USHRT_MAX;
    const unsigned size = load(data, SIZE, header->big);
    if (size == 540)
        return wp_source_fail(source, "not supported (NIfTI-2)\nhint: save it as NIfTI-1");
    if (size != WP_NIFTI_HEADER)
        return wp_source_fail(source, "damaged NIfTI (a header of %u bytes, not %d)", size,
                              WP_NIFTI_HEADER);
    const unsigned char *magic = data + WP_NIFTI_MAGIC;
    if (memcmp(magic, "ni1", 4) == 0)
        return wp_source_fail(source, "the header of a pair of NIfTI files\n"
                                      "hint: save both as one .nii");
    if (memcmp(magic, "n+1", 4) != 0)
        return wp_source_fail(source, "damaged NIfTI, or Analyze 7.5 (its magic is not 'n+1')");
    return true;
}

static bool find_samples(const struct wp_source *source, const struct header *header,
                         struct wp_samples *samples)
{
    static const struct {
        int code;
        enum wp_sample_type type;
        float maximum;
    } known[] = {
        {2, WP_SAMPLE_U8, 255.0F},    {4, WP_SAMPLE_I16, 1.0F},  {8, WP_SAMPLE_I32, 1.0F},
        {16, WP_SAMPLE_F32, 1.0F},    {64, WP_SAMPLE_F64, 1.0F}, {256, WP_SAMPLE_I8, 1.0F},
        {512, WP_SAMPLE_U16, 65535.0F},
    };
    const int code = get16(header, WP_NIFTI_TYPE);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].code == code) {
            *samples = (struct wp_samples){known[i].type, header->big, known[i].maximum};
            return true;
        }
    }
    return wp_source_fail(source,
                          "not supported (NIfTI of type %d)\n"
                          "hint: save it as 8 or 16-bit integers, int32, float32 or float64",
                          code);
}

// Sides of the axes in use; 1 for others.
static bool find_sides(const struct wp_source *source, const struct header *header,
                       int side[WP_NIFTI_LENGTHS])
{
    const int axes = get16(header, WP_NIFTI_DIM);
    if (axes < 1 || axes > WP_NIFTI_MOST_AXES)
        return wp_source_fail(source, "damaged NIfTI (%d axes)", axes);
    for (int i = 1; i < WP_NIFTI_LENGTHS; i++) {
        side[i] = i <= axes ? get16(header, WP_NIFTI_DIM + 2 * i) : 1;
        if (side[i] < 0 || (side[i] == 0 && i > 3))
            return wp_source_fail(source, "damaged NIfTI (%d samples along axis %d)", side[i], i);
    }
    return true;
}

static bool find_shape(const struct wp_source *source, const struct header *header,
                       struct layout *layout)
{
    int side[WP_NIFTI_LENGTHS];
    if (!find_sides(source, header, side))
        return false;
    for (int i = 5; i < WP_NIFTI_LENGTHS; i++)
        if (side[i] > 1)
            return wp_source_fail(source, "not supported (NIfTI with %d samples along axis %d)",
                                  side[i], i);
    if (side[4] > 1 && side[3] > 1)
        return wp_source_fail(source,
                              "a series of %d volumes of %dx%dx%d, of which one cannot be selected"
                              "\nhint: save one as a separate file",
                              side[4], side[1], side[2], side[3]);
    layout->width = (unsigned long long)side[1];
    layout->height = (unsigned long long)side[2];
    layout->frames = side[4] > 1;
    layout->depth = (unsigned long long)(layout->frames ? side[4] : side[3]);
    return wp_source_check_volume(source, layout->width, layout->height, layout->depth);
}

// Sizes come first, so that an absurd header is named as such.
static bool find_layout(const struct wp_source *source, const struct header *header,
                        struct layout *layout)
{
    if (!find_shape(source, header, layout) || !find_samples(source, header, &layout->samples))
        return false;
    const float start = get_float(header, WP_NIFTI_OFFSET);
    const float least = WP_NIFTI_HEADER + WP_NIFTI_EXTENSIONS;
    if (!(start >= least && start <= 0x1p31F) || start != floorf(start))
        return wp_source_fail(source, "damaged NIfTI (samples begin at byte %g)", (double)start);
    layout->start = (unsigned long long)start;
    layout->slope = (double)get_float(header, WP_NIFTI_SLOPE);
    layout->intercept = (double)get_float(header, WP_NIFTI_INTER);
    if (layout->slope == 1.0 && layout->intercept == 0.0)
        layout->slope = 0.0;
    // Without a slope the intercept means nothing, whatever it is.
    return layout->slope == 0.0 || (isfinite(layout->slope) && isfinite(layout->intercept)) ||
           wp_source_fail(source, "damaged NIfTI (slope %g, intercept %g)", layout->slope,
                          layout->intercept);
}

// Millimetres of the file's unit of length; what it does not name is taken for that.
static double millimetres(int units)
{
    const int length = units & 7;
    return length == WP_NIFTI_METRE ? 1e3 : length == WP_NIFTI_MICRON ? 1e-3 : 1.0;
}

// `count` numbers times `unit`. False where one is not finite.
static bool get_floats(const struct header *header, int at, double unit, int count, float *numbers)
{
    bool finite = true;
    for (int i = 0; i < count; i++) {
        numbers[i] = (float)((double)get_float(header, at + 4 * i) * unit);
        finite = finite && isfinite(numbers[i]);
    }
    return finite;
}

// Frames a second from the seconds of one, to a microsecond.
static void set_rate(double seconds, int rate[2])
{
    const double microseconds = seconds * 1e6;
    if (!(microseconds >= 1.0 && microseconds <= INT_MAX))
        return;
    int a = 1000000, b = (int)lround(microseconds);
    rate[0] = a;
    rate[1] = b;
    while (b != 0) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    rate[0] /= a;
    rate[1] /= a;
}

// What is not finite counts as not there.
static void read_geometry(const struct header *header, const struct layout *layout,
                          struct wp_geometry *geometry)
{
    const int units = header->data[WP_NIFTI_UNITS];
    const double unit = millimetres(units);
    float size[3], quaternion[3], offset[3], rows[12];
    geometry->qfac = get_float(header, WP_NIFTI_PIXDIM) < 0.0F ? -1.0F : 1.0F;
    if (get_floats(header, WP_NIFTI_QUATERN, 1.0, 3, quaternion) &&
        get_floats(header, WP_NIFTI_QOFFSET, unit, 3, offset) && get16(header, WP_NIFTI_QFORM)) {
        geometry->qform_code = get16(header, WP_NIFTI_QFORM);
        memcpy(geometry->quaternion, quaternion, sizeof quaternion);
        memcpy(geometry->offset, offset, sizeof offset);
    }
    if (get_floats(header, WP_NIFTI_SROW, unit, 12, rows) && get16(header, WP_NIFTI_SFORM)) {
        geometry->sform_code = get16(header, WP_NIFTI_SFORM);
        memcpy(geometry->sform, rows, sizeof rows);
    }
    const bool sized = get_floats(header, WP_NIFTI_PIXDIM + 4, unit, 3, size);
    // Ones of no unit and no place are what writers put there that do not know.
    const bool ones = size[0] == 1.0F && size[1] == 1.0F && size[2] == 1.0F;
    const bool placed = (units & 7) || geometry->qform_code || geometry->sform_code;
    geometry->has_size = sized && (placed || !ones) && size[0] > 0.0F && size[1] > 0.0F &&
                         size[2] > 0.0F;
    for (int i = 0; i < 3 && geometry->has_size; i++)
        geometry->size[i] = (double)size[i];
    geometry->frames = layout->frames;
    const int time = units & 56;
    const double second = time == WP_NIFTI_MSEC ? 1e-3 : time == WP_NIFTI_USEC ? 1e-6 : 1.0;
    if (layout->frames)
        set_rate((double)get_float(header, WP_NIFTI_PIXDIM + 16) * second, geometry->rate);
}

static bool read_samples(struct wp_stream *stream, const struct layout *layout, float *to,
                         size_t count)
{
    enum { PIECE = 8192 };
    unsigned char piece[PIECE * 8];
    const size_t bytes = wp_samples_bytes(layout->samples.type);
    for (size_t at = 0; at < count; at += PIECE) {
        const size_t part = count - at < PIECE ? count - at : PIECE;
        if (!wp_stream_read(stream, piece, part * bytes))
            return false;
        if (layout->slope != 0.0)
            wp_samples_convert_scaled(&layout->samples, layout->slope, layout->intercept, piece,
                                      to + at, part);
        else
            wp_samples_convert(&layout->samples, piece, bytes, to + at, part);
    }
    return true;
}

static void tell(const struct wp_stream *stream, const struct layout *layout)
{
    struct wp_file_facts *facts = stream->source->facts;
    wp_source_tell(stream->source, &layout->samples);
    if (!facts)
        return;
    facts->zipped = stream->zipped;
    facts->slope = layout->slope;
    facts->intercept = layout->slope != 0.0 ? layout->intercept : 0.0;
    if (layout->slope != 0.0)
        facts->maximum = 0.0;
}

static int source_bits(const struct layout *layout)
{
    const int bits = wp_samples_bits(layout->samples.type);
    return layout->slope != 0.0 && bits < 32 ? 32 : bits;
}

// Leaves the stream at the samples' first byte.
static bool begin(struct wp_stream *stream, struct header *header, struct layout *layout)
{
    if (!read_header(stream, header) || !find_layout(stream->source, header, layout))
        return false;
    const unsigned long long bytes = layout->width * layout->height * layout->depth *
                                     wp_samples_bytes(layout->samples.type);
    return wp_stream_needs(stream, layout->start + bytes);
}

static struct wp_image *decode(struct wp_stream *stream)
{
    struct header header;
    struct layout layout = {0};
    if (!begin(stream, &header, &layout))
        return NULL;
    struct wp_image *image = wp_image_create_volume((int)layout.width, (int)layout.height,
                                                    (int)layout.depth, 1, false);
    if (!image)
        return NULL;
    tell(stream, &layout);
    image->source_bits = source_bits(&layout);
    read_geometry(&header, &layout, &image->geometry);
    if (!wp_stream_skip(stream, layout.start - WP_NIFTI_HEADER) ||
        !read_samples(stream, &layout, image->plane[0], wp_image_samples(image)) ||
        !wp_stream_end(stream))
        wp_image_destroy(&image);
    return image;
}

struct wp_image *wp_read_nifti(const struct wp_source *source)
{
    struct wp_stream stream;
    struct wp_image *image = wp_stream_open(&stream, source) ? decode(&stream) : NULL;
    wp_stream_close(&stream);
    return image;
}

// A file whose slices are read one after another.
struct slices {
    struct wp_source source;
    struct wp_stream stream;
    struct header header;
    struct layout layout;
};

static bool read_slice(void *own, int number, float *to, bool *end)
{
    struct slices *s = own;
    *end = (unsigned long long)number == s->layout.depth;
    return *end ? wp_stream_end(&s->stream)
                : read_samples(&s->stream, &s->layout, to,
                               (size_t)(s->layout.width * s->layout.height));
}

static void close_slices(void *own)
{
    struct slices *s = own;
    wp_stream_close(&s->stream);
    free(s);
}

static bool open_slices(struct slices *s, struct wp_bytes *bytes)
{
    return wp_stream_open_bytes(&s->stream, &s->source, bytes) &&
           begin(&s->stream, &s->header, &s->layout) &&
           wp_stream_skip(&s->stream, s->layout.start - WP_NIFTI_HEADER);
}

// By the first bytes, which have the header. False after an error.
static bool has_slices(const struct wp_source *head, bool *found)
{
    struct wp_stream stream;
    struct header header;
    struct layout layout = {0};
    const bool ok = wp_stream_open(&stream, head) && read_header(&stream, &header) &&
                    find_layout(head, &header, &layout);
    wp_stream_close(&stream);
    *found = layout.depth > 1;
    return ok;
}

bool wp_nifti_slices(struct wp_bytes **bytes, const struct wp_source *head, unsigned long long size,
                     struct wp_slices **slices)
{
    static const struct wp_slices_reader reader = {read_slice, close_slices};
    bool found = false;
    if (!wp_match_nifti(head))
        return true;
    if (!has_slices(head, &found))
        return false;
    if (!found)
        return true;
    struct slices *s = wp_xcalloc(1, sizeof *s);
    s->source = *head;
    s->source.size = (size_t)size;
    struct wp_bytes *taken = *bytes;
    *bytes = NULL;
    if (!open_slices(s, taken)) {
        close_slices(s);
        return false;
    }
    struct wp_slices_info info = {.width = (int)s->layout.width,
                                  .height = (int)s->layout.height,
                                  .depth = (int)s->layout.depth,
                                  .source_bits = source_bits(&s->layout)};
    read_geometry(&s->header, &s->layout, &info.geometry);
    *slices = wp_slices_create_reader(head->name, &info, &reader, s);
    return true;
}
