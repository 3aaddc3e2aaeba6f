#include "tiff_page.h"

#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A tag's value or its default; 0 if it has none.
static uint16_t get16(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

// Finds the sample type. False for types that are not supported.
static bool find_type(TIFF *tiff, struct wp_tiff_layout *layout, enum wp_sample_type *type)
{
    static const struct {
        int bits, format;
        enum wp_sample_type type;
    } known[] = {
        {8, SAMPLEFORMAT_UINT, WP_SAMPLE_U8},      {16, SAMPLEFORMAT_UINT, WP_SAMPLE_U16},
        {32, SAMPLEFORMAT_UINT, WP_SAMPLE_U32},    {64, SAMPLEFORMAT_UINT, WP_SAMPLE_U64},
        {8, SAMPLEFORMAT_INT, WP_SAMPLE_I8},       {16, SAMPLEFORMAT_INT, WP_SAMPLE_I16},
        {32, SAMPLEFORMAT_INT, WP_SAMPLE_I32},     {64, SAMPLEFORMAT_INT, WP_SAMPLE_I64},
        {16, SAMPLEFORMAT_IEEEFP, WP_SAMPLE_F16},  {32, SAMPLEFORMAT_IEEEFP, WP_SAMPLE_F32},
        {64, SAMPLEFORMAT_IEEEFP, WP_SAMPLE_F64},
    };
    const int bits = get16(tiff, TIFFTAG_BITSPERSAMPLE);
    int format = get16(tiff, TIFFTAG_SAMPLEFORMAT);
    format = format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : format;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].bits == bits && known[i].format == format) {
            *type = known[i].type;
            return true;
        }
    }
    layout->packed = (uint16_t)bits;
    *type = WP_SAMPLE_U16;
    return format == SAMPLEFORMAT_UINT && bits > 0 && bits < 16;
}

static bool is_complex(TIFF *tiff)
{
    const uint16_t format = get16(tiff, TIFFTAG_SAMPLEFORMAT);
    return format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP;
}

static bool find_samples(const struct wp_source *source, TIFF *tiff,
                         struct wp_tiff_layout *layout)
{
    enum wp_sample_type type;
    if (is_complex(tiff))
        return wp_source_fail(source, "not supported (TIFF with complex samples)");
    if (!find_type(tiff, layout, &type))
        return wp_source_fail(source,
                              "not supported (TIFF of %u-bit samples of format %u)\n"
                              "hint: save it as integers of 8, 16 or 32 bits or as float32",
                              get16(tiff, TIFFTAG_BITSPERSAMPLE),
                              get16(tiff, TIFFTAG_SAMPLEFORMAT));
    const float largest = layout->packed ? ldexpf(1, layout->packed) - 1 : 0;
    // libtiff converts to the host's byte order.
    layout->samples = wp_samples_of(source, type, wp_host_big_endian(), true, largest);
    layout->samples.bits = layout->packed;
    layout->white_is_zero = layout->white_is_zero && type != WP_SAMPLE_F16 &&
                            type != WP_SAMPLE_F32 && type != WP_SAMPLE_F64;
    return true;
}

static bool is_palette_gray(TIFF *tiff)
{
    uint16_t *red, *green, *blue;
    const int bits = get16(tiff, TIFFTAG_BITSPERSAMPLE);
    if (bits > 8 || !TIFFGetField(tiff, TIFFTAG_COLORMAP, &red, &green, &blue))
        return false;
    const size_t size = (size_t)(1 << bits) * sizeof *red;
    return memcmp(red, green, size) == 0 && memcmp(red, blue, size) == 0;
}

// Sets up conversion by libtiff: palettes, YCbCr, CMYK, CIE L*a*b* and similar.
static bool find_converted(const struct wp_source *source, TIFF *tiff, uint16_t photometric,
                           struct wp_tiff_layout *layout)
{
    char reason[1024] = "";
    if (!TIFFRGBAImageOK(tiff, reason))
        return wp_source_fail(source, "not supported (TIFF of photometric interpretation %u: %s)",
                              photometric, reason);
    layout->converted = true;
    layout->alpha = layout->separate = false;
    layout->planes = photometric == PHOTOMETRIC_PALETTE && is_palette_gray(tiff) ? 1 : 3;
    layout->samples = wp_samples_of(source, WP_SAMPLE_U8, false, true, 0);
    return true;
}

static bool check_compression(const struct wp_source *source, TIFF *tiff)
{
    static const struct {
        unsigned code;
        const char *name;
    } known[] = {{34712, "JPEG 2000"}, {34892, "lossy JPEG (DNG)"}, {50000, "Zstandard"},
                 {50001, "WebP"},      {50002, "JPEG XL"},          {52546, "JPEG XL"}};
    const uint16_t code = get16(tiff, TIFFTAG_COMPRESSION);
    if (TIFFIsCODECConfigured(code))
        return true;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].code == code)
            name = known[i].name;
    return wp_source_fail(source, "not supported (TIFF with compression %u%s%s, which this "
                                  "libtiff lacks)",
                          code, name ? ", " : "", name ? name : "");
}

// Finds a stack of ImageJ, whose slices follow a single directory, and the number of slices in its
// description.
static void find_stack(const struct wp_source *source, TIFF *tiff,
                       struct wp_tiff_layout *layout)
{
    const char *text, *images;
    unsigned count = 0;
    if (source->volume == WP_VOLUME_NO ||
        !TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) || strncmp(text, "ImageJ=", 7) != 0)
        return;
    images = strstr(text, "\nimages=");
    if (!images || sscanf(images, "\nimages=%6u", &count) != 1 || count < 2)
        return;
    layout->declared = count;
    if (!TIFFLastDirectory(tiff) || layout->packed || layout->separate || TIFFIsTiled(tiff) ||
        get16(tiff, TIFFTAG_COMPRESSION) != COMPRESSION_NONE)
        return;
    layout->slices = count;
    layout->first = TIFFGetStrileOffset(tiff, 0);
    layout->big_endian = TIFFIsBigEndian(tiff);
}

static unsigned long long slice_bytes(const struct wp_tiff_layout *layout)
{
    return (unsigned long long)layout->width * layout->height * layout->planes *
           wp_samples_bytes(layout->samples.type);
}

bool wp_tiff_read_layout(const struct wp_source *source, TIFF *tiff,
                         struct wp_tiff_layout *layout)
{
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height);
    if (!wp_source_check_size(source, layout->width, layout->height) ||
        !check_compression(source, tiff))
        return false;
    const uint16_t photometric = get16(tiff, TIFFTAG_PHOTOMETRIC);
    const bool gray =
        photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
    layout->slices = 1;
    layout->planes = get16(tiff, TIFFTAG_SAMPLESPERPIXEL);
    layout->orientation = get16(tiff, TIFFTAG_ORIENTATION);
    layout->separate = get16(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    layout->white_is_zero = photometric == PHOTOMETRIC_MINISWHITE;
    if (!gray && photometric != PHOTOMETRIC_RGB)
        return find_converted(source, tiff, photometric, layout);
    uint16_t extras = 0, *kinds = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds);
    // A last sample marked as EXTRASAMPLE_UNSPECIFIED is data.
    layout->alpha = layout->planes % 2 == 0 &&
                    (extras == 0 || kinds[extras - 1] != EXTRASAMPLE_UNSPECIFIED);
    if (layout->planes < (gray ? 1 : 3) || layout->planes > WP_IMAGE_MAX_PLANES)
        return wp_source_fail(source, "not supported (TIFF with %u samples per pixel)",
                              layout->planes);
    if (!find_samples(source, tiff, layout))
        return false;
    find_stack(source, tiff, layout);
    return true;
}

bool wp_tiff_same_kind(const struct wp_tiff_layout *a, const struct wp_tiff_layout *b)
{
    return a->width == b->width && a->height == b->height && a->planes == b->planes &&
           a->alpha == b->alpha && a->orientation == b->orientation &&
           a->samples.type == b->samples.type && a->samples.maximum == b->samples.maximum;
}

// Uncompressed data must be complete. For compressed data the ratio is limited: no compression in
// use exceeds about 32000.
bool wp_tiff_find_blocks(const struct wp_source *source, TIFF *tiff,
                         const struct wp_tiff_layout *layout, struct wp_tiff_blocks *blocks)
{
    enum { MOST_EXPANSION = 65536 };
    blocks->tiled = TIFFIsTiled(tiff) != 0;
    blocks->width = layout->width;
    if (blocks->tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &blocks->width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &blocks->height);
        blocks->bytes = TIFFTileSize(tiff);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &blocks->height);
        if (blocks->height > layout->height)
            blocks->height = layout->height;
        blocks->bytes = TIFFStripSize(tiff);
    }
    if (blocks->width == 0 || blocks->height == 0 || blocks->bytes <= 0)
        return wp_source_fail(source, "damaged TIFF (empty strips or tiles)");
    if (layout->slices > 1)
        return wp_source_needs(source, layout->first + layout->slices * slice_bytes(layout));
    const unsigned long long pixels = (unsigned long long)layout->width * layout->height;
    const unsigned long long total = layout->converted ? pixels / 8 // at least 1 bit per pixel
                                     : layout->packed
                                         ? pixels * layout->planes * layout->packed / 8
                                         : slice_bytes(layout);
    const unsigned long long largest =
        total > (unsigned long long)blocks->bytes ? total : (unsigned long long)blocks->bytes;
    return get16(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_NONE
               ? wp_source_needs(source, total)
               : wp_source_needs(source, largest / MOST_EXPANSION);
}

static size_t interleaved_planes(const struct wp_tiff_layout *layout)
{
    return layout->separate ? 1 : layout->planes;
}

// The offset of unpacked samples, which follow the block.
static size_t scratch_offset(const struct wp_tiff_blocks *blocks)
{
    return ((size_t)blocks->bytes + 1) / 2 * 2;
}

unsigned char *wp_tiff_allocate_block(const struct wp_tiff_layout *layout,
                                      const struct wp_tiff_blocks *blocks)
{
    const size_t scratch =
        layout->packed ? blocks->width * interleaved_planes(layout) * sizeof(uint16_t) : 0;
    return wp_allocate(scratch_offset(blocks) + scratch, 1, "a strip or tile of a TIFF");
}

// Unpacks samples of less than 16 bits, the most significant bit first.
static void unpack(const unsigned char *from, unsigned bits, uint16_t *to, size_t count)
{
    uint32_t buffer = 0;
    unsigned have = 0;
    for (size_t i = 0; i < count; i++) {
        for (; have < bits; have += 8)
            buffer = buffer << 8 | *from++;
        have -= bits;
        to[i] = (uint16_t)(buffer >> have & ((1U << bits) - 1));
        buffer &= (1U << have) - 1;
    }
}

// Gets `count` pixels of a row, unpacked to `scratch` if necessary.
static const unsigned char *samples_of(const struct wp_tiff_layout *layout,
                                       const unsigned char *from, unsigned char *scratch,
                                       size_t count)
{
    if (!layout->packed)
        return from;
    unpack(from, layout->packed, (uint16_t *)(void *)scratch, count * interleaved_planes(layout));
    return scratch;
}

static size_t row_bytes(const struct wp_tiff_layout *layout, size_t width)
{
    const size_t samples = width * interleaved_planes(layout);
    return layout->packed ? (samples * layout->packed + 7) / 8
                          : samples * wp_samples_bytes(layout->samples.type);
}

// Converts samples of plane `p`, `step` bytes apart. If white is zero, a sample v becomes
// minimum + maximum - v of its integer type.
static void convert(const struct wp_tiff_layout *layout, const struct wp_samples *samples, int p,
                    const unsigned char *from, size_t step, float *to, size_t count)
{
    if (!layout->white_is_zero || p > 0) {
        wp_samples_convert(samples, from, step, to, count);
        return;
    }
    const bool is_signed = samples->type >= WP_SAMPLE_I8 && samples->type <= WP_SAMPLE_I64;
    const int bits = layout->packed ? layout->packed : 8 * (int)wp_samples_bytes(samples->type);
    const double sum = is_signed ? -1 : ldexp(1, bits) - 1;
    const double divisor = samples->maximum > 0 ? (double)samples->maximum : 1;
    wp_samples_convert_scaled(samples, -1 / divisor, sum / divisor, from, step, to, count);
}

void wp_tiff_convert_row(const struct wp_tiff_layout *layout, unsigned char *data,
                         const struct wp_tiff_blocks *blocks, struct wp_image *row_image)
{
    const unsigned char *from =
        samples_of(layout, data, data + scratch_offset(blocks), layout->width);
    const size_t bytes = wp_samples_bytes(layout->samples.type);
    for (int p = 0; p < row_image->planes; p++)
        convert(layout, &layout->samples, p, from + (size_t)p * bytes,
                (size_t)row_image->planes * bytes, row_image->plane[p], layout->width);
}

// Converts the block at (x, y), to plane `p` or, if samples are interleaved, to all planes.
static void convert_block(const struct wp_tiff_layout *layout, const struct wp_tiff_blocks *blocks,
                          unsigned char *data, uint32_t x, uint32_t y, int p,
                          const struct wp_tiff_page *page)
{
    const size_t bytes = wp_samples_bytes(layout->samples.type);
    const size_t planes = interleaved_planes(layout);
    const uint32_t right = layout->width - x < blocks->width ? layout->width : x + blocks->width;
    const uint32_t bottom =
        layout->height - y < blocks->height ? layout->height : y + blocks->height;
    for (uint32_t row = y; row < bottom; row++) {
        const unsigned char *from =
            samples_of(layout, data + (size_t)(row - y) * row_bytes(layout, blocks->width),
                       data + scratch_offset(blocks), right - x);
        for (size_t i = 0; i < planes; i++) {
            float *to = page->image->plane[(size_t)p + i] + page->first +
                        (size_t)(row - page->top) * layout->width + x;
            convert(layout, &layout->samples, p + (int)i, from + i * bytes, planes * bytes, to,
                    right - x);
        }
    }
}

// Reads and decodes a block. False after an error.
static bool read_block(const struct wp_tiff_view *view, TIFF *tiff,
                       const struct wp_tiff_errors *errors, const struct wp_tiff_blocks *blocks,
                       uint32_t index, unsigned char *data)
{
    if (!wp_tiff_view_has(view, tiff, errors, blocks->tiled, index))
        return false;
    if ((blocks->tiled ? TIFFReadEncodedTile : TIFFReadEncodedStrip)(tiff, index, data,
                                                                     blocks->bytes) >= 0)
        return true;
    wp_tiff_view_report(view, errors);
    return false;
}

bool wp_tiff_read_block_row(const struct wp_tiff_view *view, TIFF *tiff,
                            const struct wp_tiff_errors *errors,
                            const struct wp_tiff_layout *layout,
                            const struct wp_tiff_blocks *blocks, uint32_t y, unsigned char *data,
                            const struct wp_tiff_page *page)
{
    const int passes = layout->separate ? layout->planes : 1;
    for (int p = 0; p < passes; p++) {
        for (uint32_t x = 0; x < layout->width; x += blocks->width) {
            const uint16_t sample = (uint16_t)p;
            const uint32_t index = blocks->tiled ? TIFFComputeTile(tiff, x, y, 0, sample)
                                                 : TIFFComputeStrip(tiff, y, sample);
            if (!read_block(view, tiff, errors, blocks, index, data))
                return false;
            convert_block(layout, blocks, data, x, y, p, page);
        }
    }
    return true;
}

static void convert_raster(const struct wp_tiff_layout *layout, const uint32_t *raster,
                           const struct wp_tiff_page *page)
{
    const size_t count = (size_t)layout->width * layout->height;
    for (int p = 0; p < layout->planes; p++) {
        float *to = page->image->plane[p] + page->first;
        for (size_t i = 0; i < count; i++) {
            const unsigned char sample = (unsigned char)(raster[i] >> (8 * p));
            wp_samples_convert(&layout->samples, &sample, 1, to + i, 1);
        }
    }
}

// Reads a page that libtiff converts; a pixel has red in its lowest byte, then green, blue, alpha.
static bool read_converted(const struct wp_tiff_view *view, TIFF *tiff,
                           const struct wp_tiff_errors *errors,
                           const struct wp_tiff_layout *layout, const struct wp_tiff_page *page)
{
    char reason[1024] = "";
    TIFFRGBAImage convert;
    uint32_t *raster = wp_allocate((size_t)layout->width * layout->height, sizeof *raster,
                                   "a TIFF whose colors are converted");
    if (!raster)
        return false;
    bool ok = TIFFRGBAImageBegin(&convert, tiff, 1, reason);
    if (ok) {
        convert.req_orientation = convert.orientation; // wp_image_orient() handles it
        ok = TIFFRGBAImageGet(&convert, raster, layout->width, layout->height);
        TIFFRGBAImageEnd(&convert);
    }
    if (ok)
        convert_raster(layout, raster, page);
    else if (reason[0] && !errors->message[0])
        wp_source_fail(view->source,
                       "not supported (TIFF of photometric interpretation %u and %u-bit samples)",
                       get16(tiff, TIFFTAG_PHOTOMETRIC), get16(tiff, TIFFTAG_BITSPERSAMPLE));
    else
        wp_tiff_view_report(view, errors);
    free(raster);
    return ok;
}

bool wp_tiff_decode_page(const struct wp_tiff_view *view, TIFF *tiff,
                         const struct wp_tiff_errors *errors, const struct wp_tiff_page *page)
{
    struct wp_tiff_layout layout = {0};
    struct wp_tiff_blocks blocks;
    if (!wp_tiff_read_layout(view->source, tiff, &layout) ||
        !wp_tiff_find_blocks(view->source, tiff, &layout, &blocks))
        return false;
    if (layout.converted)
        return read_converted(view, tiff, errors, &layout, page);
    unsigned char *data = wp_tiff_allocate_block(&layout, &blocks);
    bool ok = data;
    for (uint32_t y = 0; y < layout.height && ok; y += blocks.height)
        ok = wp_tiff_read_block_row(view, tiff, errors, &layout, &blocks, y, data, page);
    free(data);
    return ok;
}

bool wp_tiff_read_slice(const struct wp_tiff_view *view, const struct wp_tiff_layout *layout,
                        unsigned z, const struct wp_tiff_page *page)
{
    const size_t bytes = (size_t)layout->width * layout->planes *
                         wp_samples_bytes(layout->samples.type);
    struct wp_samples samples = layout->samples;
    samples.big_endian = layout->big_endian;
    unsigned char *row = wp_allocate(bytes, 1, "a row of a TIFF");
    bool ok = row;
    for (uint32_t y = 0; y < layout->height && ok; y++) {
        const unsigned long long at = layout->first + z * slice_bytes(layout) + y * bytes;
        ok = wp_tiff_view_read_at(view, at, row, bytes) ||
             wp_source_fail(view->source, "was changed while it was read");
        for (int p = 0; p < layout->planes && ok; p++) {
            float *to = page->image->plane[p] + page->first + (size_t)y * layout->width;
            convert(layout, &samples, p, row + (size_t)p * wp_samples_bytes(samples.type),
                    layout->planes * wp_samples_bytes(samples.type), to, layout->width);
        }
    }
    free(row);
    return ok;
}
