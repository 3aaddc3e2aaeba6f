// OpenEXR. Test files are written, and output files read, by the OpenEXR library and not by the
// code under test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image_files.h"

#include <math.h>
#include <openexr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bytes bytes;

static void check(exr_result_t result)
{
    if (result != EXR_ERR_SUCCESS)
        fail_msg("%s", exr_get_default_error_message(result));
}

struct layout {
    const char *channels; // names separated by commas, in alphabetical order
    exr_pixel_type_t type;
    exr_compression_t compression;
    exr_storage_t storage;
    int parts;
    int left, top; // data window; the display window starts at 0, 0
};

// Expected samples: sample(c, i) of channel `c` at pixel `i`, scaled.
static float channel_samples[8][PIXELS];

static void add_part(exr_context_t file, const struct layout *layout, int part)
{
    int index;
    char names[64], name[16];
    snprintf(name, sizeof name, "%d", part);
    check(exr_add_part(file, layout->parts > 1 ? name : "", layout->storage, &index));
    assert_int_equal(index, part);
    exr_attr_box2i_t data = {0}, display = {0};
    data.min.x = layout->left;
    data.min.y = layout->top;
    data.max.x = layout->left + WIDTH - 1;
    data.max.y = layout->top + HEIGHT - 1;
    display.max.x = WIDTH - 1;
    display.max.y = HEIGHT - 1;
    check(exr_initialize_required_attr(file, part, &display, &data, 1.0F,
                                       &(exr_attr_v2f_t){0}, 1.0F,
                                       EXR_LINEORDER_INCREASING_Y, layout->compression));
    snprintf(names, sizeof names, "%s", layout->channels);
    for (char *word = strtok(names, ","); word; word = strtok(NULL, ","))
        check(exr_add_channel(file, part, word, layout->type, EXR_PERCEPTUALLY_LOGARITHMIC, 1,
                              1));
    if (layout->storage == EXR_STORAGE_TILED)
        check(exr_set_tile_descriptor(file, part, 4, 2, EXR_TILE_ONE_LEVEL, EXR_TILE_ROUND_DOWN));
}

static exr_result_t (*library_compress)(exr_encode_pipeline_t *encoder);

// The library writes a chunk unpacked if compression does not change its size, which no reader can
// unpack.
static exr_result_t compress(exr_encode_pipeline_t *encoder)
{
    const exr_result_t result = library_compress(encoder);
    if (result == EXR_ERR_SUCCESS && encoder->compressed_bytes == encoder->packed_bytes)
        memcpy(encoder->compressed_buffer, encoder->packed_buffer, encoder->packed_bytes);
    return result;
}

static void write_chunk(exr_context_t file, int part, const exr_chunk_info_t *chunk,
                        exr_encode_pipeline_t *encoder, int at)
{
    static uint32_t integers[8][PIXELS];
    check(exr_encoding_initialize(file, part, chunk, encoder));
    for (int c = 0; c < encoder->channel_count; c++) {
        exr_coding_channel_info_t *channel = &encoder->channels[c];
        const bool uint = channel->data_type == EXR_PIXEL_UINT;
        for (int i = 0; i < PIXELS; i++) {
            channel_samples[c][i] = (float)sample(c, i) * (uint ? 16777216.0F : 0.25F);
            integers[c][i] = (uint32_t)sample(c, i) * 16777216U;
        }
        channel->user_data_type = uint ? EXR_PIXEL_UINT : EXR_PIXEL_FLOAT;
        channel->user_bytes_per_element = 4;
        channel->user_pixel_stride = 4;
        channel->user_line_stride = 4 * WIDTH;
        channel->encode_from_ptr =
            uint ? (const uint8_t *)(integers[c] + at) : (const uint8_t *)(channel_samples[c] + at);
    }
    check(exr_encoding_choose_default_routines(file, part, encoder));
    library_compress = encoder->compress_fn;
    encoder->compress_fn = library_compress ? compress : NULL;
    check(exr_encoding_run(file, part, encoder));
    check(exr_encoding_destroy(file, encoder));
}

static void write_part(exr_context_t file, const struct layout *layout, int part)
{
    exr_chunk_info_t chunk;
    exr_encode_pipeline_t encoder;
    if (layout->storage == EXR_STORAGE_TILED) {
        for (int y = 0; y < (HEIGHT + 1) / 2; y++) {
            for (int x = 0; x < (WIDTH + 3) / 4; x++) {
                encoder = (exr_encode_pipeline_t)EXR_ENCODE_PIPELINE_INITIALIZER;
                check(exr_write_tile_chunk_info(file, part, x, y, 0, 0, &chunk));
                write_chunk(file, part, &chunk, &encoder, y * 2 * WIDTH + x * 4);
            }
        }
        return;
    }
    for (int y = 0; y < HEIGHT && layout->storage == EXR_STORAGE_DEEP_SCANLINE; y++) {
        static const int32_t none[WIDTH]; // numbers of samples of the pixels
        check(exr_write_deep_scanline_chunk(file, part, y, "", 0, 0, none, sizeof none));
    }
    int32_t lines;
    check(exr_get_scanlines_per_chunk(file, part, &lines));
    for (int y = 0; y < HEIGHT && layout->storage == EXR_STORAGE_SCANLINE; y += lines) {
        encoder = (exr_encode_pipeline_t)EXR_ENCODE_PIPELINE_INITIALIZER;
        check(exr_write_scanline_chunk_info(file, part, layout->top + y, &chunk));
        write_chunk(file, part, &chunk, &encoder, y * WIDTH);
    }
}

static void make(const struct layout *layout)
{
    exr_context_t file;
    const exr_context_initializer_t initializer = {
        .size = sizeof initializer, .zip_level = -2, .dwa_quality = -1.0F};
    const int parts = layout->parts ? layout->parts : 1;
    check(exr_start_write(&file, path_to("made.exr"), EXR_WRITE_FILE_DIRECTLY, &initializer));
    for (int part = 0; part < parts; part++)
        add_part(file, layout, part);
    check(exr_write_header(file));
    for (int part = 0; part < parts; part++)
        write_part(file, layout, part);
    check(exr_finish(&file));
    load(path_to("made.exr"), &bytes);
}

// `planes` are the expected channel numbers of the planes.
static void compare(const char *planes, bool alpha, int bits)
{
    const int count = (int)strlen(planes);
    struct wp_image *image = parse_good(&bytes);
    assert_shape(image, WIDTH, HEIGHT, count, alpha, bits);
    for (int p = 0; p < count; p++)
        for (int i = 0; i < PIXELS; i++)
            assert_near(image->plane[p][i], channel_samples[planes[p] - '0'][i], 0.0);
    wp_image_destroy(&image);
}

static void every_layout(void **state)
{
    (void)state;
    static const exr_compression_t methods[] = {EXR_COMPRESSION_NONE, EXR_COMPRESSION_RLE,
                                                EXR_COMPRESSION_ZIPS, EXR_COMPRESSION_ZIP,
                                                EXR_COMPRESSION_PIZ,  EXR_COMPRESSION_PXR24};
    static const exr_pixel_type_t types[] = {EXR_PIXEL_UINT, EXR_PIXEL_HALF, EXR_PIXEL_FLOAT};
    static const struct {
        const char *channels, *planes;
        bool alpha;
    } sets[] = {{"A,B,G,R", "3210", true}, {"B,G,R", "210", false}, {"A,Y", "10", true},
                {"Y", "0", false},         {"depth.Z", "0", false}, {"A", "0", false}};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        for (size_t t = 0; t < 3; t++) {
            for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
                for (int tiled = 0; tiled <= 1; tiled++) {
                    forget_message();
                    make(&(struct layout){.channels = sets[s].channels,
                                          .type = types[t],
                                          .compression = methods[m],
                                          .storage = tiled ? EXR_STORAGE_TILED
                                                           : EXR_STORAGE_SCANLINE});
                    compare(sets[s].planes, sets[s].alpha, t == 0 ? 64 : 32);
                    expect_message(NULL);
                }
            }
        }
    }
}

static void data_window(void **state)
{
    (void)state;
    make(&(struct layout){.channels = "B,G,R", .type = EXR_PIXEL_HALF, .left = -3, .top = 1000,
                          .compression = EXR_COMPRESSION_ZIPS});
    compare("210", false, 32);
    expect_message("reading the data window, from column -3, row 1000 to 5, 1004; the display "
                   "window is from 0, 0 to 8, 4");
}

static void parts_and_channels(void **state)
{
    (void)state;
    make(&(struct layout){.channels = "Y", .type = EXR_PIXEL_FLOAT, .parts = 2});
    compare("0", false, 32);
    expect_message("an EXR with 2 parts; only the first is read");
    make(&(struct layout){.channels = "A,B,G,R,Z,id.R", .type = EXR_PIXEL_FLOAT});
    compare("3210", true, 32);
    expect_message("these channels are not read: Z, id.R");
    make(&(struct layout){.channels = "B,R", .type = EXR_PIXEL_FLOAT});
    expect_bad(&bytes, "not supported (EXR with channels B, R; needs R, G, B, or Y, or one channel)");
    make(&(struct layout){.channels = "diffuse.B,diffuse.G,diffuse.R", .type = EXR_PIXEL_HALF});
    expect_bad(&bytes, "EXR with channels diffuse.B, diffuse.G, diffuse.R; needs R, G, B");
    make(&(struct layout){.channels = "Y", .type = EXR_PIXEL_HALF,
                          .compression = EXR_COMPRESSION_B44});
    expect_bad(&bytes, "not supported (EXR with B44 compression)");
    make(&(struct layout){.channels = "Y", .type = EXR_PIXEL_HALF,
                          .storage = EXR_STORAGE_DEEP_SCANLINE});
    expect_bad(&bytes, "not supported (deep EXR)");
}

static size_t find(const char *text)
{
    const size_t length = strlen(text);
    size_t at = 0;
    while (at + length <= bytes.size && memcmp(bytes.data + at, text, length) != 0)
        at++;
    assert_true(at + length <= bytes.size);
    return at;
}

// Chroma is usually subsampled in files of luma and chroma.
static void subsampled(void **state)
{
    (void)state;
    make(&(struct layout){.channels = "Y", .type = EXR_PIXEL_HALF, .left = 2, .top = 2});
    const size_t channel = find("chlist") + 7 + 4 + 2; // after the type, the size and the name
    const size_t window = find("dataWindow") + 11 + 6 + 4;
    bytes.data[channel + 8] = 2;
    bytes.data[channel + 12] = 2;
    bytes.data[window + 8] = 9; // numbers of columns and rows divisible by 2
    bytes.data[window + 12] = 5;
    expect_bad(&bytes, "not supported (EXR whose channel Y is subsampled)");
}

// Sizes in headers are checked before memory is allocated.
static void sizes(void **state)
{
    (void)state;
    const struct layout layout = {.channels = "Y", .type = EXR_PIXEL_UINT,
                                  .compression = EXR_COMPRESSION_ZIP};
    make(&layout);
    const size_t window = find("dataWindow") + 11 + 6 + 4; // after its name, "box2i" and its size
    const unsigned char huge[8] = {0xff, 0xff, 1, 0, 0xff, 0xff, 1, 0}, // 131071
        larger[8] = {0, 0, 2, 0, 0, 0, 2, 0};
    memcpy(bytes.data + window + 8, huge, sizeof huge);
    expect_bad(&bytes, "truncated");
    make(&layout);
    memcpy(bytes.data + window + 8, larger, sizeof larger);
    expect_bad(&bytes, "image too large (131073x131073");
    make(&layout);
    const size_t compression = find("compression") + 12 + 12 + 4;
    bytes.data[compression] = 10;
    expect_bad(&bytes, "not supported (EXR: ");
    make(&layout);
    bytes.data[bytes.size - 5] ^= 0x55; // in the packed data
    struct wp_image *image = parse(&bytes);
    assert_null(image);
    assert_error(WP_ERROR_FILE, "damaged EXR (");
    make(&layout);
    bytes.size -= 3;
    expect_bad(&bytes, "damaged EXR (");
}

static void truncations_and_damage(void **state)
{
    (void)state;
    make(&(struct layout){.channels = "B,G,R", .type = EXR_PIXEL_HALF,
                          .compression = EXR_COMPRESSION_ZIP});
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "EXR");
    make(&(struct layout){.channels = "Y", .type = EXR_PIXEL_FLOAT, .storage = EXR_STORAGE_TILED,
                          .compression = EXR_COMPRESSION_PIZ});
    damage(&bytes, WP_VOLUME_NO, SIZE_MAX, 0, "tiled EXR");
}

// Reads a channel with the OpenEXR library.
static void read_channel(const char *path, const char *name, exr_pixel_type_t type, float *to)
{
    exr_context_t file;
    const exr_context_initializer_t initializer = {
        .size = sizeof initializer, .zip_level = -2, .dwa_quality = -1.0F};
    const exr_attr_chlist_t *channels;
    exr_compression_t compression;
    int32_t lines;
    check(exr_start_read(&file, path, &initializer));
    check(exr_get_channels(file, 0, &channels));
    check(exr_get_compression(file, 0, &compression));
    assert_int_equal(compression, EXR_COMPRESSION_ZIP);
    check(exr_get_scanlines_per_chunk(file, 0, &lines));
    for (int y = 0; y < HEIGHT; y += lines) {
        exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
        exr_chunk_info_t chunk;
        check(exr_read_scanline_chunk_info(file, 0, y, &chunk));
        check(exr_decoding_initialize(file, 0, &chunk, &decoder));
        bool found = false;
        static float others[PIXELS];
        for (int c = 0; c < decoder.channel_count; c++) {
            exr_coding_channel_info_t *channel = &decoder.channels[c];
            const bool is_requested = strcmp(channel->channel_name, name) == 0;
            found = found || is_requested;
            assert_int_equal(channel->data_type, type);
            channel->decode_to_ptr = (uint8_t *)((is_requested ? to : others) + y * WIDTH);
            channel->user_data_type = EXR_PIXEL_FLOAT;
            channel->user_bytes_per_element = 4;
            channel->user_pixel_stride = 4;
            channel->user_line_stride = 4 * WIDTH;
        }
        assert_true(found);
        check(exr_decoding_choose_default_routines(file, 0, &decoder));
        check(exr_decoding_run(file, 0, &decoder));
        check(exr_decoding_destroy(file, &decoder));
    }
    check(exr_finish(&file));
}

static void round_trip(void **state)
{
    (void)state;
    static const char *const names[] = {"Y", "YA", "RGB", "RGBA"};
    for (int planes = 1; planes <= 4; planes++) {
        for (int half = 0; half <= 1; half++) {
            struct wp_image *image = make_floats(planes, planes % 2 == 0);
            image->plane[0][5] = INFINITY;
            image->plane[0][6] = -0.0F;
            if (half)
                wp_image_round_halves(image);
            const struct wp_write_params params = {.overwrite = true,
                                                   .content = WP_CONTENT_COEFFICIENTS,
                                                   .stored = half ? WP_STORED_F16
                                                                  : WP_STORED_FLOAT};
            assert_true(wp_image_write(image, path_to("w.exr"), &params));
            for (int p = 0; p < planes; p++) {
                const char name[2] = {names[planes - 1][p]};
                float samples[PIXELS];
                read_channel(path_to("w.exr"), name, half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT,
                             samples);
                assert_memory_equal(samples, image->plane[p], sizeof samples);
            }
            load(path_to("w.exr"), &bytes);
            struct wp_image *result = parse_good(&bytes);
            assert_shape(result, WIDTH, HEIGHT, planes, planes % 2 == 0, 32);
            assert_memory_equal(result->plane[0], image->plane[0],
                                sizeof(float) * PIXELS * (size_t)planes);
            wp_image_destroy(&result);
            wp_image_destroy(&image);
        }
    }
    assert_int_equal(count_files(), 1);
}

// Noise of many sizes: the packed data of some are as long as the samples.
static void noise_of_every_size(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int width = 4; width <= 64; width++) {
        for (int i = 0; i < 12; i++) {
            struct wp_image *image = wp_image_create(width, 1 + i % 2, 1, false);
            assert_non_null(image);
            for (size_t k = 0; k < wp_image_samples(image); k++) {
                random = random * 1664525U + 1013904223U;
                image->plane[0][k] = (float)(random >> 24) * 0.25F;
            }
            const struct wp_write_params params = {.overwrite = true,
                                                   .content = WP_CONTENT_COEFFICIENTS,
                                                   .stored = WP_STORED_F16};
            assert_true(wp_image_write(image, path_to("n.exr"), &params));
            struct wp_image *result = wp_image_read(path_to("n.exr"));
            assert_non_null(result);
            assert_memory_equal(result->plane[0], image->plane[0],
                                wp_image_samples(image) * sizeof(float));
            wp_image_destroy(&result);
            wp_image_destroy(&image);
        }
    }
}

static void unsupported_images(void **state)
{
    (void)state;
    struct wp_image *image = make_floats(2, false);
    assert_false(wp_image_write(image, path_to("w.exr"), &coefficients));
    assert_error(WP_ERROR_FILE, "w.exr cannot hold 2 planes without alpha");
    wp_image_destroy(&image);
    image = wp_image_create_volume(2, 2, 2, 1, false);
    assert_non_null(image);
    assert_false(wp_image_write(image, path_to("w.exr"), &coefficients));
    assert_error(WP_ERROR_FILE, "w.exr cannot hold a volume (2 slices)");
    wp_image_destroy(&image);
    image = make_floats(1, false);
    FILE *full = fopen("/dev/full", "wb");
    assert_non_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    assert_true(wp_write_exr(image, "w.exr", full, WP_STORED_FLOAT)); // the caller checks
    assert_true(ferror(full));
    fclose(full);
    wp_image_destroy(&image);
    assert_int_equal(count_files(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(every_layout),
        IMAGE_TEST(data_window),
        IMAGE_TEST(parts_and_channels),
        IMAGE_TEST(subsampled),
        IMAGE_TEST(sizes),
        IMAGE_TEST(truncations_and_damage),
        IMAGE_TEST(round_trip),
        IMAGE_TEST(noise_of_every_size),
        IMAGE_TEST(unsupported_images),
    };
    return cmocka_run_group_tests(tests, set_up_directory, remove_directory);
}
