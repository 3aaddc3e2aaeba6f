// TIFF images and pages.
#include "fuzz.h"

#include "fuzz_image.h"

#include <math.h>
#include <string.h>
#include <tiffio.h>

static void no_message(const char *module, const char *format, va_list args)
{
    (void)module, (void)format, (void)args;
}

void fuzz_set_up(void)
{
    TIFFSetErrorHandler(no_message);
    TIFFSetWarningHandler(no_message);
}

static unsigned get(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    TIFFGetFieldDefaulted(tiff, tag, &value);
    return value;
}

// Whether the file has the bytes of the image in order.
static bool is_plain(TIFF *tiff)
{
    return !TIFFIsTiled(tiff) && get(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_NONE &&
           get(tiff, TIFFTAG_BITSPERSAMPLE) == 8 &&
           get(tiff, TIFFTAG_FILLORDER) == FILLORDER_MSB2LSB &&
           (get(tiff, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_MINISBLACK ||
            get(tiff, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_RGB) &&
           get(tiff, TIFFTAG_SAMPLEFORMAT) <= SAMPLEFORMAT_UINT &&
           get(tiff, TIFFTAG_ORIENTATION) == ORIENTATION_TOPLEFT &&
           get(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG;
}

// Each pixel has the value at its position in its strip.
static void check_strips(TIFF *tiff, const uint8_t *data, size_t size, const struct wp_image *image)
{
    uint32_t rows = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    const uint32_t height = (uint32_t)image->height;
    rows = rows < height ? rows : height;
    const size_t row_bytes = (size_t)image->width * (size_t)image->planes;
    for (uint32_t y = 0; y < height; y++) {
        const uint64_t at = TIFFGetStrileOffset(tiff, y / rows) + y % rows * row_bytes;
        FUZZ_CHECK(at >= 8 && at <= size && row_bytes <= size - at);
        for (size_t i = 0; i < row_bytes; i++) {
            const size_t planes = (size_t)image->planes;
            const float value =
                image->plane[i % planes][y * (size_t)image->width + i / planes];
            FUZZ_CHECK(fabsf(value - (float)data[at + i] / 255) < 1e-6F);
        }
    }
}

void fuzz(const uint8_t *data, size_t size)
{
    struct wp_image *image = NULL;
    if (size > 2 && (memcmp(data, "II", 2) == 0 || memcmp(data, "MM", 2) == 0))
        image = fuzz_read_twice(data, size, WP_VOLUME_NO);
    TIFF *tiff = image ? TIFFOpen(fuzz_file(0, data, size), "rm") : NULL;
    if (tiff && is_plain(tiff))
        check_strips(tiff, data, size, image);
    if (tiff)
        TIFFClose(tiff);
    if (image) {
        struct wp_image *pages = fuzz_read_twice(data, size, WP_VOLUME_EITHER);
        wp_image_destroy(&pages);
    }
    wp_image_destroy(&image);
}
