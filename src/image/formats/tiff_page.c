#include "tiff_page.h"

#include "elements.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const int bits = wp_tiff_get16(tiff, TIFFTAG_BITSPERSAMPLE);
    int format = wp_tiff_get16(tiff, TIFFTAG_SAMPLEFORMAT);
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
    const uint16_t format = wp_tiff_get16(tiff, TIFFTAG_SAMPLEFORMAT);
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
                              wp_tiff_get16(tiff, TIFFTAG_BITSPERSAMPLE),
                              wp_tiff_get16(tiff, TIFFTAG_SAMPLEFORMAT));
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
    const int bits = wp_tiff_get16(tiff, TIFFTAG_BITSPERSAMPLE);
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
    const uint16_t code = wp_tiff_get16(tiff, TIFFTAG_COMPRESSION);
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
        wp_tiff_get16(tiff, TIFFTAG_COMPRESSION) != COMPRESSION_NONE)
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

// Reads the current directory.
static bool read_layout(const struct wp_tiff *t, struct wp_tiff_layout *layout)
{
    const struct wp_source *source = &t->source;
    TIFF *tiff = t->tiff;
    *layout = (struct wp_tiff_layout){0};
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height);
    if (!wp_source_check_size(source, layout->width, layout->height) ||
        !check_compression(source, tiff))
        return false;
    const uint16_t photometric = wp_tiff_get16(tiff, TIFFTAG_PHOTOMETRIC);
    const bool gray =
        photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
    layout->slices = 1;
    layout->planes = wp_tiff_get16(tiff, TIFFTAG_SAMPLESPERPIXEL);
    layout->orientation = wp_tiff_get16(tiff, TIFFTAG_ORIENTATION);
    layout->separate = wp_tiff_get16(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
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

// True if pages can be slices of one volume.
static bool is_same_kind(const struct wp_tiff_layout *a, const struct wp_tiff_layout *b)
{
    return a->width == b->width && a->height == b->height && a->planes == b->planes &&
           a->alpha == b->alpha && a->orientation == b->orientation &&
           a->samples.type == b->samples.type && a->samples.maximum == b->samples.maximum;
}

// Finds the blocks of the current directory. Uncompressed data must be complete. For compressed
// data the ratio is limited: no compression in use exceeds about 32000.
static bool find_blocks(const struct wp_tiff *t, struct wp_tiff_layout *layout)
{
    enum { MOST_EXPANSION = 65536 };
    const struct wp_source *source = &t->source;
    struct wp_tiff_blocks *blocks = &layout->blocks;
    blocks->tiled = TIFFIsTiled(t->tiff) != 0;
    blocks->width = layout->width;
    if (blocks->tiled) {
        TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &blocks->width);
        TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &blocks->height);
        blocks->bytes = TIFFTileSize(t->tiff);
    } else {
        TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &blocks->height);
        if (blocks->height > layout->height)
            blocks->height = layout->height;
        blocks->bytes = TIFFStripSize(t->tiff);
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
    return wp_tiff_get16(t->tiff, TIFFTAG_COMPRESSION) == COMPRESSION_NONE
               ? wp_source_needs(source, total)
               : wp_source_needs(source, largest / MOST_EXPANSION);
}

// True unless the directory is a reduced copy of a page or a mask.
static bool is_page(TIFF *tiff)
{
    uint32_t kind = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &kind);
    return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

// Advances to the next directory that is a page. Returns false at the end, with *ok, and after an
// error. libtiff does not report a directory truncated before its last offset, but ends there.
static bool next_page(const struct wp_tiff *t, bool *ok)
{
    do {
        *ok = t->missing <= t->source.size && !t->truncated;
        if (*ok && TIFFLastDirectory(t->tiff))
            return false;
        if (!*ok || !TIFFReadDirectory(t->tiff)) {
            *ok = wp_tiff_fail(t);
            return false;
        }
    } while (!is_page(t->tiff));
    return true;
}

// Advances to a page that was counted before.
static bool advance(const struct wp_tiff *t)
{
    bool ok = true;
    if (next_page(t, &ok))
        return true;
    return ok ? wp_source_fail(&t->source, "was changed while it was read") : false;
}

// Compares a page with the first one.
static bool check_page(const struct wp_source *source, const struct wp_tiff_layout *layout,
                       const struct wp_tiff_layout *first, unsigned number)
{
    return is_same_kind(layout, first) ||
           wp_source_fail(source,
                          "page %u has another format than page 1 (%ux%u, %u planes of %d bits; "
                          "not %ux%u, %u of %d)",
                          number, layout->width, layout->height, layout->planes,
                          (int)wp_samples_bytes(layout->samples.type) * 8, first->width,
                          first->height, first->planes,
                          (int)wp_samples_bytes(first->samples.type) * 8);
}

bool wp_tiff_find_pages(struct wp_tiff *t, struct wp_tiff_layout *first, unsigned *pages)
{
    const struct wp_source *source = &t->source;
    bool ok = true;
    if (!read_layout(t, first) || !find_blocks(t, first))
        return false;
    for (*pages = 1; source->volume != WP_VOLUME_NO && next_page(t, &ok); ++*pages) {
        struct wp_tiff_layout layout;
        if (!read_layout(t, &layout) || !check_page(source, &layout, first, *pages + 1) ||
            !find_blocks(t, &layout))
            return false;
    }
    *pages = first->slices > 1 ? first->slices : *pages;
    if (ok && first->declared > 0 && first->declared != *pages)
        wp_log(WP_LOG_WARNING, "%s: ImageJ's description names %u images, but the file has %u",
               source->name, first->declared, *pages);
    if (!ok || !wp_source_check_volume(source, first->width, first->height, *pages))
        return false;
    return source->volume == WP_VOLUME_NO || TIFFSetDirectory(t->tiff, 0) || wp_tiff_fail(t);
}

static size_t interleaved_planes(const struct wp_tiff_layout *layout)
{
    return layout->separate ? 1 : layout->planes;
}

// The offset of unpacked samples, which follow the block.
static size_t scratch_offset(const struct wp_tiff_layout *layout)
{
    return ((size_t)layout->blocks.bytes + 1) / 2 * 2;
}

unsigned char *wp_tiff_allocate_block(const struct wp_tiff_layout *layout)
{
    const size_t scratch =
        layout->packed ? layout->blocks.width * interleaved_planes(layout) * sizeof(uint16_t) : 0;
    return wp_allocate(scratch_offset(layout) + scratch, 1, "a strip or tile of a TIFF");
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

// Copies integers of plane `p`, `step` bytes apart. If white is zero, they are inverted.
static void copy(const struct wp_tiff_layout *layout, int p, const unsigned char *from, size_t step,
                 void *to, size_t count)
{
    const uint16_t largest = layout->packed ? (uint16_t)((1U << layout->packed) - 1) : UINT16_MAX;
    wp_samples_copy(&layout->samples, from, step, to, count);
    if (!layout->white_is_zero || p > 0)
        return;
    for (size_t i = 0; i < count && layout->samples.type == WP_SAMPLE_U8; i++)
        ((uint8_t *)to)[i] = (uint8_t)(UINT8_MAX - ((uint8_t *)to)[i]);
    for (size_t i = 0; i < count && layout->samples.type == WP_SAMPLE_U16; i++)
        ((uint16_t *)to)[i] = (uint16_t)(largest - ((uint16_t *)to)[i]);
}

// The end of a block that begins at `at`, inside a part that ends at `end`.
static uint32_t end_of_block(uint32_t at, uint32_t size, uint32_t end)
{
    return end - at < size ? end : at + size;
}

// Stores the samples of the block at (x, y) that are in the part, in plane `p` or, if samples are
// interleaved, in all planes.
static void store_block(const struct wp_tiff_layout *layout, unsigned char *data, uint32_t x,
                          uint32_t y, int p, const struct wp_tiff_part *part)
{
    const size_t bytes = wp_samples_bytes(layout->samples.type);
    const size_t planes = interleaved_planes(layout);
    const uint32_t left = x > part->x ? x : part->x, top = y > part->y ? y : part->y;
    const uint32_t right = end_of_block(x, layout->blocks.width, part->x + part->width);
    const uint32_t bottom = end_of_block(y, layout->blocks.height, part->y + part->height);
    for (uint32_t row = top; row < bottom; row++) {
        const unsigned char *from =
            samples_of(layout, data + (size_t)(row - y) * row_bytes(layout, layout->blocks.width),
                       data + scratch_offset(layout), right - x) +
            (left - x) * planes * bytes;
        for (size_t i = 0; i < planes; i++) {
            const size_t at = (size_t)(row - part->y) * part->step + (left - part->x);
            void *to = (char *)part->to[(size_t)p + i] + at * wp_elements[part->type].bytes;
            if (part->type == WP_ELEMENT_F64)
                for (size_t j = 0; j < right - left; j++)
                    memcpy((double *)to + j, from + j * bytes, sizeof(double));
            else if (part->type == WP_ELEMENT_F32)
                convert(layout, &layout->samples, p + (int)i, from + i * bytes, planes * bytes, to,
                        right - left);
            else
                copy(layout, p + (int)i, from + i * bytes, planes * bytes, to, right - left);
        }
    }
}

// Reads and decodes a block. False after an error.
static bool read_block(struct wp_tiff *t, const struct wp_tiff_blocks *blocks, uint32_t index,
                       unsigned char *data)
{
    if (!wp_tiff_has(t, blocks->tiled, index))
        return false;
    if ((blocks->tiled ? TIFFReadEncodedTile : TIFFReadEncodedStrip)(t->tiff, index, data,
                                                                     blocks->bytes) < 0)
        return wp_tiff_fail(t);
    t->decoded++;
    return true;
}

bool wp_tiff_read_part(struct wp_tiff *t, const struct wp_tiff_layout *layout,
                       unsigned char *data, const struct wp_tiff_part *part)
{
    const struct wp_tiff_blocks *blocks = &layout->blocks;
    const int passes = layout->separate ? layout->planes : 1;
    const uint32_t right = part->x + part->width, bottom = part->y + part->height;
    for (uint32_t y = part->y - part->y % blocks->height; y < bottom; y += blocks->height) {
        for (int p = 0; p < passes; p++) {
            for (uint32_t x = part->x - part->x % blocks->width; part->to[p] && x < right;
                 x += blocks->width) {
                const uint16_t sample = (uint16_t)p;
                const uint32_t index = blocks->tiled ? TIFFComputeTile(t->tiff, x, y, 0, sample)
                                                     : TIFFComputeStrip(t->tiff, y, sample);
                if (!read_block(t, blocks, index, data))
                    return false;
                store_block(layout, data, x, y, p, part);
            }
        }
    }
    return true;
}

struct wp_tiff_part wp_tiff_rows_part(const struct wp_tiff_layout *layout, uint32_t y,
                                      uint32_t height, const struct wp_image *image, size_t first)
{
    struct wp_tiff_part part = {
        .y = y, .width = layout->width, .height = height, .step = layout->width};
    part.type = image->pixels.data ? image->pixels.type : WP_ELEMENT_F32;
    for (int p = 0; p < image->planes; p++)
        part.to[p] = wp_image_at(image, p, first);
    return part;
}

void wp_tiff_store_row(const struct wp_tiff_layout *layout, unsigned char *data,
                       const struct wp_image *image, size_t row)
{
    const struct wp_tiff_part part =
        wp_tiff_rows_part(layout, 0, 1, image, row * layout->width);
    store_block(layout, data, 0, 0, 0, &part);
}

static void convert_raster(const struct wp_tiff_layout *layout, const uint32_t *raster,
                           const struct wp_image *image, size_t first)
{
    const size_t count = (size_t)layout->width * layout->height;
    for (int p = 0; p < layout->planes; p++) {
        float *to = image->plane[p] + first;
        for (size_t i = 0; i < count; i++) {
            const unsigned char sample = (unsigned char)(raster[i] >> (8 * p));
            wp_samples_convert(&layout->samples, &sample, 1, to + i, 1);
        }
    }
}

// Reads a page that libtiff converts; a pixel has red in its lowest byte, then green, blue, alpha.
static bool read_converted(const struct wp_tiff *t, const struct wp_tiff_layout *layout,
                           const struct wp_image *image, size_t first)
{
    char reason[1024] = "";
    TIFFRGBAImage convert;
    uint32_t *raster = wp_allocate((size_t)layout->width * layout->height, sizeof *raster,
                                   "a TIFF whose colors are converted");
    if (!raster)
        return false;
    bool ok = TIFFRGBAImageBegin(&convert, t->tiff, 1, reason);
    if (ok) {
        convert.req_orientation = convert.orientation; // wp_image_orient() handles it
        ok = TIFFRGBAImageGet(&convert, raster, layout->width, layout->height);
        TIFFRGBAImageEnd(&convert);
    }
    if (ok)
        convert_raster(layout, raster, image, first);
    else if (reason[0] && !t->errors.message[0])
        wp_source_fail(&t->source,
                       "not supported (TIFF of photometric interpretation %u and %u-bit samples)",
                       wp_tiff_get16(t->tiff, TIFFTAG_PHOTOMETRIC),
                       wp_tiff_get16(t->tiff, TIFFTAG_BITSPERSAMPLE));
    else
        wp_tiff_fail(t);
    free(raster);
    return ok;
}

// Reads the current page.
static bool read_page(struct wp_tiff *t, const struct wp_image *image, size_t first)
{
    struct wp_tiff_layout layout;
    if (!read_layout(t, &layout) || !find_blocks(t, &layout))
        return false;
    if (layout.converted)
        return read_converted(t, &layout, image, first);
    unsigned char *data = wp_tiff_allocate_block(&layout);
    const struct wp_tiff_part part =
        wp_tiff_rows_part(&layout, 0, layout.height, image, first);
    bool ok = data && wp_tiff_read_part(t, &layout, data, &part);
    double *const wide = t->source.wide ? *t->source.wide : NULL;
    if (ok && wide) // of one plane
        ok = wp_tiff_read_part(t, &layout, data, &(struct wp_tiff_part){
            .width = part.width, .height = part.height, .to = {wide + first},
            .type = WP_ELEMENT_F64, .step = part.step});
    free(data);
    return ok;
}

// Reads slice `z` of an ImageJ stack.
static bool read_stacked(struct wp_tiff *t, const struct wp_tiff_layout *layout, unsigned z,
                         const struct wp_image *image, size_t first)
{
    const size_t bytes = (size_t)layout->width * layout->planes *
                         wp_samples_bytes(layout->samples.type);
    struct wp_samples samples = layout->samples;
    samples.big_endian = layout->big_endian;
    unsigned char *row = wp_allocate(bytes, 1, "a row of a TIFF");
    bool ok = row;
    for (uint32_t y = 0; y < layout->height && ok; y++) {
        const unsigned long long at = layout->first + z * slice_bytes(layout) + y * bytes;
        ok = wp_bytes_read_at(t->bytes, row, bytes, at) == bytes ||
             wp_source_fail(&t->source, "was changed while it was read");
        for (int p = 0; p < layout->planes && ok; p++) {
            float *to = image->plane[p] + first + (size_t)y * layout->width;
            convert(layout, &samples, p, row + (size_t)p * wp_samples_bytes(samples.type),
                    layout->planes * wp_samples_bytes(samples.type), to, layout->width);
        }
    }
    free(row);
    return ok;
}

bool wp_tiff_read_slice(struct wp_tiff *t, const struct wp_tiff_layout *layout, unsigned z,
                        const struct wp_image *image, size_t first)
{
    return layout->slices > 1 ? read_stacked(t, layout, z, image, first)
                              : (z == 0 || advance(t)) && read_page(t, image, first);
}
