// Pages of tiles: a part of a page equals that part of the complete page.
#include "fuzz.h"

#include "tiff_tiles.h"
#include "xmemory.h"

#include <stdlib.h>
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

enum { LARGE = 1 << 20 }; // samples

static void check_page(struct wp_tiles *tiles, int number)
{
    const struct wp_tiles_page page = *wp_tiles_page(tiles, number);
    const size_t width = (size_t)page.width, height = (size_t)page.height;
    FUZZ_CHECK(width >= 1 && height >= 1 && page.planes >= 1 && page.name[0]);
    if (width > LARGE / height)
        return;
    float *complete = wp_xcalloc(width * height, sizeof *complete);
    float *part = wp_xcalloc(width * height, sizeof *part);
    fuzz_forget_errors();
    const bool ok = wp_tiles_read(tiles, number, page.planes - 1, 0, 0, page.width, page.height,
                                  complete, width);
    fuzz_check_result(ok);
    // The lower right quarter.
    const int x = page.width / 2, y = page.height / 2;
    const size_t columns = width - (size_t)x;
    fuzz_forget_errors();
    const bool read = wp_tiles_read(tiles, number, page.planes - 1, x, y, page.width - x,
                                    page.height - y, part, columns);
    fuzz_check_result(read);
    FUZZ_CHECK(read || !ok);
    for (size_t row = 0; ok && row < height - (size_t)y; row++)
        FUZZ_CHECK(memcmp(part + row * columns, complete + (row + (size_t)y) * width + (size_t)x,
                          columns * sizeof *part) == 0);
    free(complete);
    free(part);
}

void fuzz(const uint8_t *data, size_t size)
{
    fuzz_forget_errors();
    struct wp_tiles *tiles = wp_tiles_open(fuzz_file(0, data, size));
    fuzz_check_result(tiles);
    for (int i = 0; tiles && i < wp_tiles_pages(tiles); i++)
        check_page(tiles, i);
    wp_tiles_close(&tiles);
}
