// Images of all formats, from memory.
#include "fuzz.h"

#include "fuzz_image.h"
#include "image_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Formats that store floats restore them exactly.
static void write_and_read(const struct wp_image *image, const char *name)
{
    FILE *stream = fopen(fuzz_file(1, "", 0), "w+b");
    FUZZ_CHECK(stream && wp_write_rows(image, name, stream, WP_STORED_FLOAT));
    FUZZ_CHECK(fflush(stream) == 0 && !ferror(stream) && fseek(stream, 0, SEEK_END) == 0);
    const long size = ftell(stream);
    unsigned char *data = malloc((size_t)size);
    rewind(stream);
    FUZZ_CHECK(data && fread(data, 1, (size_t)size, stream) == (size_t)size);
    fclose(stream);
    struct wp_image *again = fuzz_parse(data, (size_t)size, WP_VOLUME_NO);
    FUZZ_CHECK(again && fuzz_same_samples(image, again));
    wp_image_destroy(&again);
    free(data);
}

// 8-bit formats restore samples to half a step.
static void encode_and_read(const struct wp_image *image)
{
    size_t size;
    unsigned char *data = wp_image_encode_png(image, &size);
    FUZZ_CHECK(data);
    struct wp_image *again = fuzz_parse(data, size, WP_VOLUME_NO);
    FUZZ_CHECK(again && again->planes == image->planes && again->alpha == image->alpha);
    for (int p = 0; p < image->planes; p++)
        for (size_t i = 0; i < wp_image_samples(image); i++) {
            const float expected = fminf(fmaxf(image->plane[p][i], 0), 1);
            FUZZ_CHECK(fabsf(again->plane[p][i] - expected) < 0.501F / 255);
        }
    wp_image_destroy(&again);
    free(data);
}

static bool has_alpha_of_png(const struct wp_image *image)
{
    return image->alpha == (image->planes % 2 == 0);
}

static void check_writers(const struct wp_image *image)
{
    // One of the writers, chosen by the hash.
    switch (wp_image_hash(image) % 4) {
    case 0: write_and_read(image, "out.npy"); break;
    case 1:
        if (image->planes % 2)
            write_and_read(image, "out.pfm");
        break;
    case 2: write_and_read(image, "out.tiff"); break;
    case 3:
        if (image->origin.bits == 8 && has_alpha_of_png(image))
            encode_and_read(image);
        break;
    }
}

static bool is_tiff(const uint8_t *data, size_t size)
{
    return size > 2 && (memcmp(data, "II", 2) == 0 || memcmp(data, "MM", 2) == 0);
}

void fuzz(const uint8_t *data, size_t size)
{
    struct wp_image *image = fuzz_read_twice(data, size, WP_VOLUME_NO);
    struct wp_image *volume = fuzz_read_twice(data, size, WP_VOLUME_EITHER);
    // Pages after the first may be missing.
    FUZZ_CHECK(!image || volume || is_tiff(data, size));
    if (image && wp_image_samples(image) < 1 << 12)
        check_writers(image);
    wp_image_destroy(&image);
    wp_image_destroy(&volume);
}

#ifdef WP_FUZZ

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// Mutations rarely pass checksums: for most inputs those of a PNG are corrected.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    enum { MAGIC = 8, AROUND = 12 };
    size = LLVMFuzzerMutate(data, size, most);
    if (size < MAGIC || memcmp(data, "\x89PNG", 4) != 0 || seed % 8 == 0)
        return size;
    for (size_t at = MAGIC; size - at >= AROUND && get32(data + at) <= size - at - AROUND;) {
        const uint32_t length = get32(data + at);
        const uLong sum = crc32(crc32(0, NULL, 0), data + at + 4, length + 4);
        for (int i = 0; i < 4; i++)
            data[at + 8 + length + (unsigned)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += length + AROUND;
    }
    return size;
}

#endif
