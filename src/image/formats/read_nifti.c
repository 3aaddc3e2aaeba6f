// Reads NIfTI-1 and NIfTI-2: single files, and pairs FILE.hdr and FILE.img, with or without gzip.
#include "nifti.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "slices_io.h"
#include "stream.h"
#include "text.h"
#include "xmemory.h"

// ---- Header -------------------------------------------------------------------------------

// A header of NIfTI-1 or NIfTI-2, decoded.
struct header {
    int version;  // 1 or 2
    bool big;     // byte order of header and samples
    bool is_pair; // the samples are in a separate file, FILE.img
    size_t bytes;
    long long dim[WP_NIFTI_LENGTHS]; // number of axes, then samples along each (unused: 1)
    int type;
    double pixdim[WP_NIFTI_LENGTHS];
    double start;            // offset of the samples in bytes
    double slope, intercept; // value = slope * stored + intercept; slope 0: not scaled
    int units, qform, sform;
    double quaternion[3], offset[3], rows[12];
};

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

// True if the first four bytes of a file are the size of a header, in either byte order.
static bool is_size(const unsigned char *data)
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

static void parse_1(const struct raw_header *raw, struct header *header)
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

static void parse_2(const struct raw_header *raw, struct header *header)
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
static bool check_axes(const struct wp_source *source, struct header *header)
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
                        struct header *header)
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

// Reads the header at the start of a stream, and nothing after it. False after WP_ERROR_FILE.
static bool read_header(struct wp_stream *stream, struct header *header)
{
    const struct wp_source *source = stream->source;
    struct raw_header raw = {0};
    enum { SIZE = 4 };
    *header = (struct header){0};
    if (!wp_stream_needs(stream, WP_NIFTI_HEADER) || !wp_stream_read(stream, raw.data, SIZE))
        return false;
    if (stream->zipped && !is_size(raw.data))
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

// ---- Samples ------------------------------------------------------------------------------

struct layout {
    struct wp_samples samples;
    unsigned long long width, height, depth;
    unsigned long long start; // byte offset of the samples, or of those of the selected volume
    bool frames;
    bool more_volumes; // other volumes may follow the selected one
    double slope, intercept; // slope 0: stored values are not scaled
};

// An open file.
struct nifti {
    struct wp_source source; // the file with the samples
    struct wp_stream stream;
    struct header header;
    struct layout layout;
    char *image_path; // second file of a pair, or NULL
};

bool wp_match_nifti(const struct wp_source *source)
{
    const unsigned char *data = source->data;
    if (wp_stream_is_zipped(source) || (source->size >= 4 && is_size(data)))
        return true;
    return source->size >= WP_NIFTI_HEADER && (memcmp(data + WP_NIFTI_MAGIC, "n+1", 4) == 0 ||
                                               memcmp(data + WP_NIFTI_MAGIC, "ni1", 4) == 0);
}

static bool find_samples(const struct wp_source *source, const struct header *header,
                         struct wp_samples *samples)
{
    static const struct {
        int code;
        enum wp_sample_type type;
    } known[] = {
        {2, WP_SAMPLE_U8},     {4, WP_SAMPLE_I16},    {8, WP_SAMPLE_I32},   {16, WP_SAMPLE_F32},
        {64, WP_SAMPLE_F64},   {256, WP_SAMPLE_I8},   {512, WP_SAMPLE_U16}, {768, WP_SAMPLE_U32},
        {1024, WP_SAMPLE_I64}, {1280, WP_SAMPLE_U64},
    };
    static const struct {
        int code;
        const char *name;
    } others[] = {{1, "1-bit samples"},    {32, "complex64 samples"}, {128, "RGB samples"},
                  {1536, "float128 samples"}, {1792, "complex128 samples"},
                  {2048, "complex256 samples"}, {2304, "RGBA samples"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].code == header->type) {
            *samples = wp_samples_of(source, known[i].type, header->big, false, 0);
            return true;
        }
    }
    const char *name = NULL;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].code == header->type)
            name = others[i].name;
    if (name)
        return wp_source_fail(source, "not supported (NIfTI with %s)\n"
                                      "hint: save it as integers of 8 to 64 bits, float32 or "
                                      "float64", name);
    return wp_source_fail(source, "damaged NIfTI (samples of unknown type %d)", header->type);
}

static bool find_shape(const struct wp_source *source, const struct header *header,
                       struct layout *layout)
{
    const long long *side = header->dim;
    const int number = source->volume_number;
    for (int i = 5; i < WP_NIFTI_LENGTHS; i++)
        if (side[i] > 1)
            return wp_source_fail(source, "not supported (NIfTI with %lld samples along axis %d)",
                                  side[i], i);
    if (number == 0 && side[4] > 1 && side[3] > 1)
        return wp_source_fail(source, "a series of %lld volumes of %lldx%lldx%lld; one of them "
                                      "must be selected", side[4], side[1], side[2], side[3]);
    if (number > side[4])
        return wp_source_fail(source, "there is no volume %d (volumes are numbered 0 to %lld)",
                              number - 1, side[4] - 1);
    layout->width = (unsigned long long)side[1];
    layout->height = (unsigned long long)side[2];
    layout->frames = side[4] > 1 && number == 0;
    layout->depth = (unsigned long long)(layout->frames ? side[4] : side[3]);
    layout->more_volumes = number > 0 && number < side[4];
    return wp_source_check_volume(source, layout->width, layout->height, layout->depth);
}

// Checks sizes first, so that a damaged header is reported as damaged.
static bool find_layout(const struct wp_source *source, const struct header *header,
                        struct layout *layout)
{
    if (!find_shape(source, header, layout) || !find_samples(source, header, &layout->samples))
        return false;
    const double least =
        header->is_pair ? 0 : (double)(header->bytes + WP_NIFTI_EXTENSIONS);
    const double start = header->start == 0 ? least : header->start;
    if (!(start >= least && start <= 0x1p40) || start != floor(start))
        return wp_source_fail(source, "damaged NIfTI (samples begin at byte %g)", start);
    const unsigned long long volume = layout->width * layout->height * layout->depth *
                                      wp_samples_bytes(layout->samples.type);
    const int number = source->volume_number;
    layout->start = (unsigned long long)start + (number > 0 ? (unsigned)number - 1 : 0) * volume;
    // Without a slope the intercept is ignored. fMRIPrep writes NaN.
    layout->slope = isfinite(header->slope) ? header->slope : 0;
    layout->intercept = layout->slope != 0 ? header->intercept : 0;
    if (layout->slope == 1.0 && layout->intercept == 0.0)
        layout->slope = 0.0;
    if (layout->slope != 0.0) { // scaled by the file, not by its maximum
        layout->samples.maximum = 0;
        layout->samples.peak = 1;
    }
    return isfinite(layout->intercept) ||
           wp_source_fail(source, "damaged NIfTI (slope %g, intercept %g)", layout->slope,
                          layout->intercept);
}

// The file's unit of length in mm; unknown units count as mm.
static double mm_per_unit(int units)
{
    const int length = units & 7;
    return length == WP_NIFTI_METRE ? 1e3 : length == WP_NIFTI_MICRON ? 1e-3 : 1.0;
}

// Gets `count` numbers times `unit`. False if one is not finite.
static bool get_floats(const double *from, double unit, int count, float *numbers)
{
    bool finite = true;
    for (int i = 0; i < count; i++) {
        numbers[i] = (float)(from[i] * unit);
        finite = finite && isfinite(numbers[i]);
    }
    return finite;
}

// The frame rate for a frame duration in seconds, rounded to microseconds.
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

// Gets the geometry. Forms and sizes that are not finite are ignored.
static void read_geometry(const struct header *header, const struct layout *layout,
                          struct wp_geometry *geometry)
{
    const int units = header->units;
    const double unit = mm_per_unit(units);
    double size[3];
    float quaternion[3], offset[3], rows[12];
    geometry->qfac = header->pixdim[0] < 0.0 ? -1.0F : 1.0F;
    if (get_floats(header->quaternion, 1.0, 3, quaternion) &&
        get_floats(header->offset, unit, 3, offset) && header->qform) {
        geometry->qform_code = header->qform;
        memcpy(geometry->quaternion, quaternion, sizeof quaternion);
        memcpy(geometry->offset, offset, sizeof offset);
    }
    if (get_floats(header->rows, unit, 12, rows) && header->sform) {
        geometry->sform_code = header->sform;
        memcpy(geometry->sform, rows, sizeof rows);
    }
    bool sized = true;
    for (int i = 0; i < 3; i++) {
        size[i] = header->pixdim[i + 1] * unit;
        sized = sized && isfinite(size[i]) && size[i] > 0.0;
    }
    // Sizes of 1 without a unit or a form are defaults of writers that do not know the size.
    const bool ones = size[0] == 1.0 && size[1] == 1.0 && size[2] == 1.0;
    const bool placed = (units & 7) || geometry->qform_code || geometry->sform_code;
    geometry->has_size = sized && (placed || !ones);
    if (geometry->has_size)
        memcpy(geometry->size, size, sizeof size);
    geometry->frames = layout->frames;
    const int time = units & 56;
    const double second = time == WP_NIFTI_MSEC ? 1e-3 : time == WP_NIFTI_USEC ? 1e-6 : 1.0;
    if (layout->frames)
        set_rate(header->pixdim[4] * second, geometry->rate);
}

static bool read_samples(struct wp_stream *stream, const struct layout *layout, float *to,
                         size_t count)
{
    enum { CHUNK = 8192 };
    unsigned char piece[CHUNK * 8];
    const size_t bytes = wp_samples_bytes(layout->samples.type);
    for (size_t at = 0; at < count; at += CHUNK) {
        const size_t part = count - at < CHUNK ? count - at : CHUNK;
        if (!wp_stream_read(stream, piece, part * bytes))
            return false;
        if (layout->slope != 0.0)
            wp_samples_convert_scaled(&layout->samples, layout->slope, layout->intercept, piece,
                                      bytes, to + at, part);
        else
            wp_samples_convert(&layout->samples, piece, bytes, to + at, part);
    }
    return true;
}

static void fill_facts(const struct nifti *n)
{
    struct wp_file_facts *facts = n->source.facts;
    wp_source_fill_facts(&n->source, &n->layout.samples);
    if (!facts)
        return;
    facts->format = n->header.version == 2 ? (n->header.is_pair ? "NIfTI-2 pair" : "NIfTI-2")
                    : n->header.is_pair    ? "NIfTI-1 pair"
                                           : "NIfTI-1";
    facts->zipped = n->stream.zipped;
    facts->slope = n->layout.slope;
    facts->intercept = n->layout.slope != 0.0 ? n->layout.intercept : 0.0;
}

// "a.hdr" -> "a.img", also before ".gz". NULL for other names. The caller frees it.
static char *pair_path(const char *path, const char *from, const char *to)
{
    const size_t length = strlen(path);
    const size_t end = length > 3 && strcmp(path + length - 3, ".gz") == 0 ? 3 : 0;
    if (length < 4 + end || strncmp(path + length - end - 4, from, 4) != 0)
        return NULL;
    char *other = wp_xstrdup(path);
    memcpy(other + length - end - 4, to, 4);
    return other;
}

char *wp_nifti_header_path(const char *image)
{
    return pair_path(image, ".img", ".hdr");
}

// Continues with the second file of a pair, which has the samples.
static bool open_image(struct nifti *n)
{
    unsigned long long size;
    n->image_path = pair_path(n->source.name, ".hdr", ".img");
    if (!n->image_path)
        return wp_source_fail(&n->source, "the header of a NIfTI pair; the names of the two files "
                                          "must end in .hdr and .img");
    wp_stream_close(&n->stream);
    n->stream = (struct wp_stream){0};
    struct wp_bytes *bytes = wp_bytes_open(n->image_path, false);
    if (!bytes)
        return false;
    n->source.name = n->image_path;
    if (!wp_bytes_size(bytes, &size) ||
        !wp_bytes_peek(bytes, WP_BYTES_MAGIC, &n->source.data, &n->source.size)) {
        wp_bytes_close(&bytes);
        return wp_source_fail(&n->source, "cannot be read: it is not a regular file");
    }
    const struct wp_source head = n->source;
    n->source.size = (size_t)size;
    const bool ok = wp_stream_open_bytes(&n->stream, &head, bytes);
    n->stream.source = &n->source;
    return ok;
}

// Opens a file and positions its stream at the first sample. Takes ownership of `bytes`.
static bool open_nifti(struct nifti *n, const struct wp_source *source, struct wp_bytes *bytes)
{
    n->source = *source;
    if (!wp_stream_open_bytes(&n->stream, &n->source, bytes) ||
        !read_header(&n->stream, &n->header) ||
        !find_layout(&n->source, &n->header, &n->layout) ||
        (n->header.is_pair && !open_image(n)))
        return false;
    const struct layout *layout = &n->layout;
    const unsigned long long header = n->header.is_pair ? 0 : n->header.bytes;
    return wp_stream_needs(&n->stream,
                           layout->start + layout->width * layout->height * layout->depth *
                                               wp_samples_bytes(layout->samples.type)) &&
           wp_stream_skip(&n->stream, layout->start - header);
}

static void close_nifti(struct nifti *n)
{
    wp_stream_close(&n->stream);
    free(n->image_path);
}

static bool end_nifti(struct nifti *n)
{
    return n->layout.more_volumes || wp_stream_end(&n->stream);
}

static bool read_slice(void *state, int number, float *to, bool *end)
{
    struct nifti *n = state;
    *end = (unsigned long long)number == n->layout.depth;
    return *end ? end_nifti(n)
                : read_samples(&n->stream, &n->layout, to,
                               (size_t)(n->layout.width * n->layout.height));
}

static void close_slices(void *state)
{
    close_nifti(state);
    free(state);
}

// Takes ownership of `bytes`. NULL after an error.
static struct wp_slices *open_slices(const struct wp_source *source, struct wp_bytes *bytes)
{
    static const struct wp_slices_reader reader = {read_slice, close_slices, NULL};
    struct nifti *n = wp_xcalloc(1, sizeof *n);
    char *name = wp_xstrdup(source->name); // it may belong to the bytes, which a pair closes
    if (!open_nifti(n, source, bytes)) {
        close_slices(n);
        free(name);
        return NULL;
    }
    fill_facts(n);
    struct wp_slices_info info = {.width = (int)n->layout.width,
                                  .height = (int)n->layout.height,
                                  .depth = (int)n->layout.depth,
                                  .origin = wp_samples_origin(&n->layout.samples)};
    read_geometry(&n->header, &n->layout, &info.geometry);
    struct wp_slices *slices = wp_slices_create_reader(name, &info, &reader, n);
    free(name);
    return slices;
}

struct wp_image *wp_read_nifti(const struct wp_source *source)
{
    struct wp_slices *slices = open_slices(source, wp_bytes_of(source));
    struct wp_image *image = slices ? wp_slices_read_image(slices) : NULL;
    wp_slices_close(&slices);
    return image;
}

// Finds out whether the file is a volume, from its first bytes. False after an error.
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
    bool found = false;
    if (!has_slices(head, &found))
        return false;
    if (!found)
        return true;
    struct wp_source file = *head;
    file.size = (size_t)size;
    *slices = open_slices(&file, *bytes);
    *bytes = NULL;
    return *slices;
}
