#include "nifti_header.h"

#include <math.h>
#include <string.h>

enum { MAX_BYTES = WP_NIFTI2_HEADER };

struct raw_header {
    unsigned char data[MAX_BYTES];
    bool big;
};

static uint64_t load(const struct raw_header *raw, int at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | raw->data[at + (raw->big ? i : bytes - 1 - i)];
    return value;
}

// Reads an integer in two's complement.
static long long get_int(const struct raw_header *raw, int at, int bytes)
{
    const uint64_t value = load(raw, at, bytes), sign = (uint64_t)1 << (8 * bytes - 1);
    return value & sign ? -(long long)(~value & (sign - 1)) - 1 : (long long)value;
}

static double get_float(const struct raw_header *raw, int at)
{
    const uint32_t bits = (uint32_t)load(raw, at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double get_double(const struct raw_header *raw, int at)
{
    const uint64_t bits = load(raw, at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_size_of(const struct raw_header *raw, int version)
{
    return load(raw, 0, 4) == (version == 1 ? WP_NIFTI_HEADER : WP_NIFTI2_HEADER);
}

bool wp_nifti_is_size(const unsigned char *data)
{
    struct raw_header raw = {0};
    memcpy(raw.data, data, 4);
    for (int big = 0; big <= 1; big++) {
        raw.big = big;
        if (is_size_of(&raw, 1) || is_size_of(&raw, 2))
            return true;
    }
    return false;
}

static void parse_1(const struct raw_header *raw, struct wp_nifti_header *header)
{
    header->type = (int)get_int(raw, WP_NIFTI_TYPE, 2);
    header->start = get_float(raw, WP_NIFTI_OFFSET);
    header->slope = get_float(raw, WP_NIFTI_SLOPE);
    header->intercept = get_float(raw, WP_NIFTI_INTER);
    header->units = raw->data[WP_NIFTI_UNITS];
    header->qform = (int)get_int(raw, WP_NIFTI_QFORM, 2);
    header->sform = (int)get_int(raw, WP_NIFTI_SFORM, 2);
    for (int i = 0; i < WP_NIFTI_LENGTHS; i++) {
        header->dim[i] = get_int(raw, WP_NIFTI_DIM + 2 * i, 2);
        header->pixdim[i] = get_float(raw, WP_NIFTI_PIXDIM + 4 * i);
    }
    for (int i = 0; i < 3; i++) {
        header->quaternion[i] = get_float(raw, WP_NIFTI_QUATERN + 4 * i);
        header->offset[i] = get_float(raw, WP_NIFTI_QOFFSET + 4 * i);
    }
    for (int i = 0; i < 12; i++)
        header->rows[i] = get_float(raw, WP_NIFTI_SROW + 4 * i);
}

static void parse_2(const struct raw_header *raw, struct wp_nifti_header *header)
{
    header->type = (int)get_int(raw, WP_NIFTI2_TYPE, 2);
    header->start = (double)get_int(raw, WP_NIFTI2_OFFSET, 8);
    header->slope = get_double(raw, WP_NIFTI2_SLOPE);
    header->intercept = get_double(raw, WP_NIFTI2_INTER);
    header->units = (int)get_int(raw, WP_NIFTI2_UNITS, 4);
    header->qform = (int)get_int(raw, WP_NIFTI2_QFORM, 4);
    header->sform = (int)get_int(raw, WP_NIFTI2_SFORM, 4);
    for (int i = 0; i < WP_NIFTI_LENGTHS; i++) {
        header->dim[i] = get_int(raw, WP_NIFTI2_DIM + 8 * i, 8);
        header->pixdim[i] = get_double(raw, WP_NIFTI2_PIXDIM + 8 * i);
    }
    for (int i = 0; i < 3; i++) {
        header->quaternion[i] = get_double(raw, WP_NIFTI2_QUATERN + 8 * i);
        header->offset[i] = get_double(raw, WP_NIFTI2_QOFFSET + 8 * i);
    }
    for (int i = 0; i < 12; i++)
        header->rows[i] = get_double(raw, WP_NIFTI2_SROW + 8 * i);
}

// Sets unused lengths to 1. As in NIfTI's reference library, a length of 0 after the first axis
// counts as 1.
static bool check_axes(const struct wp_source *source, struct wp_nifti_header *header)
{
    const long long axes = header->dim[0];
    if (axes < 1 || axes > WP_NIFTI_MOST_AXES)
        return wp_source_fail(source, "damaged NIfTI (%lld axes)", axes);
    for (int i = 1; i < WP_NIFTI_LENGTHS; i++) {
        if (i > axes || (i > 1 && header->dim[i] == 0))
            header->dim[i] = 1;
        if (header->dim[i] < 0)
            return wp_source_fail(source, "damaged NIfTI (%lld samples along axis %d)",
                                  header->dim[i], i);
    }
    return true;
}

static bool check_magic(const struct wp_source *source, const struct raw_header *raw,
                        struct wp_nifti_header *header)
{
    static const char *const names[2][2] = {{"n+1", "ni1"}, {"n+2", "ni2"}};
    const unsigned char *magic =
        raw->data + (header->version == 1 ? WP_NIFTI_MAGIC : WP_NIFTI2_MAGIC);
    const char *const *name = names[header->version - 1];
    header->is_pair = memcmp(magic, name[1], 4) == 0;
    return header->is_pair || memcmp(magic, name[0], 4) == 0 ||
           wp_source_fail(source, header->version == 1
                                      ? "damaged NIfTI, or Analyze 7.5 (its magic is not 'n+1')"
                                      : "damaged NIfTI-2 (its magic is not 'n+2')");
}

bool wp_nifti_read_header(struct wp_stream *stream, struct wp_nifti_header *header)
{
    const struct wp_source *source = stream->source;
    struct raw_header raw = {0};
    enum { SIZE = 4 };
    *header = (struct wp_nifti_header){0};
    if (!wp_stream_needs(stream, WP_NIFTI_HEADER) || !wp_stream_read(stream, raw.data, SIZE))
        return false;
    if (stream->zipped && !wp_nifti_is_size(raw.data))
        return wp_source_fail(source,
                              "the gzip file does not contain NIfTI\nhint: decompress it first");
    // Sizes are below 65536, so that the upper two bytes are 0.
    raw.big = raw.data[0] == 0 && raw.data[1] == 0;
    header->big = raw.big;
    header->version = is_size_of(&raw, 2) ? 2 : 1;
    header->bytes = header->version == 1 ? WP_NIFTI_HEADER : WP_NIFTI2_HEADER;
    if (!wp_stream_needs(stream, header->bytes) ||
        !wp_stream_read(stream, raw.data + SIZE, header->bytes - SIZE))
        return false;
    if (header->version == 1 && !is_size_of(&raw, 1))
        return wp_source_fail(source, "damaged NIfTI (a header of %u bytes, not %d)",
                              (unsigned)load(&raw, 0, 4), WP_NIFTI_HEADER);
    (header->version == 1 ? parse_1 : parse_2)(&raw, header);
    return check_magic(source, &raw, header) && check_axes(source, header);
}
