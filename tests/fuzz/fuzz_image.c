#include "fuzz_image.h"

#include "fuzz.h"
#include "image_io.h"
#include "rows.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

struct wp_image *fuzz_parse(const unsigned char *data, size_t size, enum wp_volume volume)
{
    struct wp_file_facts facts = {0};
    const struct wp_source source = {
        .name = "input", .data = data, .size = size, .volume = volume, .facts = &facts};
    struct wp_image *image = wp_image_parse(&source);
    FUZZ_CHECK(!image || facts.format);
    return image;
}

bool fuzz_same_samples(const struct wp_image *a, const struct wp_image *b)
{
    return a->width == b->width && a->height == b->height && a->depth == b->depth &&
           a->planes == b->planes &&
           memcmp(a->plane[0], b->plane[0],
                  wp_image_samples(a) * (size_t)a->planes * sizeof *a->plane[0]) == 0;
}

static void check_image(const struct wp_image *image, enum wp_volume volume, bool is_video)
{
    FUZZ_CHECK(image->width >= 1 && image->height >= 1 && image->depth >= 1);
    FUZZ_CHECK(image->depth == 1 || volume != WP_VOLUME_NO);
    FUZZ_CHECK(image->planes >= 1 && image->planes <= WP_IMAGE_MAX_PLANES);
    FUZZ_CHECK(!image->alpha || image->planes > 1);
    const int bits = image->origin.bits;
    FUZZ_CHECK(bits == 8 || bits == 16 || bits == 32 || bits == 64);
    // Integers are fractions of their largest value; video has values below black (0) and above
    // white (1).
    for (size_t i = 0;
         bits < 32 && !is_video && i < wp_image_samples(image) * (size_t)image->planes; i++)
        FUZZ_CHECK(image->plane[0][i] >= 0 && image->plane[0][i] <= 1);
}

// Reads an image row by row; NULL after an error.
static struct wp_image *read_rows(struct wp_rows *rows)
{
    const struct wp_rows_info *info = wp_rows_info(rows);
    const size_t width = (size_t)info->width, planes = (size_t)info->planes;
    struct wp_image *image =
        wp_image_create(info->width, info->height, info->planes, info->alpha);
    float *row = wp_xcalloc(width * planes, sizeof *row);
    for (size_t y = 0; image && y < (size_t)info->height; y++) {
        if (!wp_rows_read(rows, row, 1)) {
            wp_image_destroy(&image);
            break;
        }
        for (size_t p = 0; p < planes; p++)
            memcpy(image->plane[p] + y * width, row + p * width, width * sizeof *row);
    }
    free(row);
    return image;
}

static void check_rows(const unsigned char *data, size_t size, enum wp_volume volume,
                       const struct wp_image *expected)
{
    struct wp_rows *rows;
    const char *why;
    fuzz_forget_errors();
    const bool ok = wp_rows_open(fuzz_file(FUZZ_SLOTS - 1, data, size),
                                 &(struct wp_read_params){.volume = volume}, &rows, &why);
    FUZZ_CHECK(!ok || !rows == (why != NULL));
    if (ok && !rows)
        return;
    struct wp_image *image = ok ? read_rows(rows) : NULL;
    fuzz_check_result(image);
    FUZZ_CHECK(!expected == !image && (!expected || fuzz_same_samples(expected, image)));
    wp_image_destroy(&image);
    wp_rows_close(&rows);
}

struct wp_image *fuzz_read_twice(const unsigned char *data, size_t size, enum wp_volume volume)
{
    fuzz_forget_errors();
    struct wp_image *image = fuzz_parse(data, size, volume);
    fuzz_check_result(image);
    check_rows(data, size, volume, image);
    fuzz_forget_errors();
    if (!image)
        return NULL;
    check_image(image, volume, size > 3 && memcmp(data, "YUV", 3) == 0);
    struct wp_image *again = fuzz_parse(data, size, volume);
    FUZZ_CHECK(again && fuzz_same_samples(image, again));
    wp_image_destroy(&again);
    return image;
}
