// Reads NIfTI-1 and NIfTI-2: single files, and pairs FILE.hdr and FILE.img, with or without gzip.
#include "nifti_header.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "slices_io.h"
#include "text.h"
#include "xmemory.h"

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
    struct wp_nifti_header header;
    struct layout layout;
    char *image_path; // second file of a pair, or NULL
};

bool wp_match_nifti(const struct wp_source *source)
{
    const unsigned char *data = source->data;
    if (wp_stream_is_zipped(source) || (source->size >= 4 && wp_nifti_is_size(data)))
        return true;
    return source->size >= WP_NIFTI_HEADER && (memcmp(data + WP_NIFTI_MAGIC, "n+1", 4) == 0 ||
                                               memcmp(data + WP_NIFTI_MAGIC, "ni1", 4) == 0);
}

static bool find_samples(const struct wp_source *source, const struct wp_nifti_header *header,
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

static bool find_shape(const struct wp_source *source, const struct wp_nifti_header *header,
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
static bool find_layout(const struct wp_source *source, const struct wp_nifti_header *header,
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
static void read_geometry(const struct wp_nifti_header *header, const struct layout *layout,
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
        !wp_nifti_read_header(&n->stream, &n->header) ||
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

static struct wp_image *decode(struct nifti *n)
{
    const struct layout *layout = &n->layout;
    struct wp_image *image = wp_image_create_volume((int)layout->width, (int)layout->height,
                                                    (int)layout->depth, 1, false);
    if (!image)
        return NULL;
    fill_facts(n);
    image->origin = wp_samples_origin(&layout->samples);
    read_geometry(&n->header, layout, &image->geometry);
    if (!read_samples(&n->stream, layout, image->plane[0], wp_image_samples(image)) ||
        !end_nifti(n))
        wp_image_destroy(&image);
    return image;
}

struct wp_image *wp_read_nifti(const struct wp_source *source)
{
    struct nifti n = {0};
    struct wp_image *image =
        open_nifti(&n, source, wp_bytes_of(source)) ? decode(&n) : NULL;
    close_nifti(&n);
    return image;
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

// Finds out whether the file is a volume, from its first bytes. False after an error.
static bool has_slices(const struct wp_source *head, bool *found)
{
    struct wp_stream stream;
    struct wp_nifti_header header;
    struct layout layout = {0};
    const bool ok = wp_stream_open(&stream, head) && wp_nifti_read_header(&stream, &header) &&
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
    struct nifti *n = wp_xcalloc(1, sizeof *n);
    struct wp_source file = *head;
    file.size = (size_t)size;
    struct wp_bytes *input = *bytes;
    *bytes = NULL;
    if (!open_nifti(n, &file, input)) {
        close_slices(n);
        return false;
    }
    fill_facts(n);
    struct wp_slices_info info = {.width = (int)n->layout.width,
                                  .height = (int)n->layout.height,
                                  .depth = (int)n->layout.depth,
                                  .origin = wp_samples_origin(&n->layout.samples)};
    read_geometry(&n->header, &n->layout, &info.geometry);
    *slices = wp_slices_create_reader(head->name, &info, &reader, n);
    return true;
}
