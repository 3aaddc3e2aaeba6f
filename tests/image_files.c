#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image_files.h"
#include "pixels.h"
#include "scratch.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char test_directory[SCRATCH_SIZE];
char error_message[1024];
int error_count;
static char last_message[1024];

static void capture(void *user, enum wp_log_level level, const char *text)
{
    (void)user;
    if (level == WP_LOG_ERROR) {
        snprintf(error_message, sizeof error_message, "%s", text);
        error_count++;
    } else {
        snprintf(last_message, sizeof last_message, "%s", text);
    }
}

void forget_errors(void)
{
    error_message[0] = '\0';
    error_count = 0;
    wp_clear_error();
}

void assert_error(enum wp_error kind, const char *text)
{
    if (error_count != 1 || wp_last_error() != kind || !strstr(error_message, text))
        fail_msg("expected one error %d with\n  %s\ngot %d, kind %d:\n  %s", (int)kind, text,
                 error_count, (int)wp_last_error(), error_message);
    forget_errors();
}

void expect_message(const char *text)
{
    if (text ? !strstr(last_message, text) : last_message[0] != '\0')
        fail_msg("expected %s, got %s", text ? text : "no message", last_message);
    forget_message();
}

void forget_message(void)
{
    last_message[0] = '\0';
}

const char *path_to(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_directory, name);
    return path;
}

void remove_all(void)
{
    DIR *listing = opendir(test_directory);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing))
        if (entry->d_name[0] != '.')
            assert_int_equal(remove(path_to(entry->d_name)), 0);
    closedir(listing);
}

int count_files(void)
{
    int count = 0;
    DIR *listing = opendir(test_directory);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing))
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

int set_up_directory(void **state)
{
    (void)state;
    wp_log_set_handler(capture, NULL);
    return make_scratch(test_directory) ? 0 : -1;
}

int remove_directory(void **state)
{
    (void)state;
    return rmdir(test_directory);
}

int start_empty(void **state)
{
    (void)state;
    forget_errors();
    return 0;
}

int empty_directory(void **state)
{
    (void)state;
    remove_all();
    return 0;
}

void add(struct bytes *bytes, const void *data, size_t size)
{
    assert_true(size <= sizeof bytes->data - bytes->size);
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void add_text(struct bytes *bytes, const char *text)
{
    add(bytes, text, strlen(text));
}

void add_number(struct bytes *bytes, uint64_t value, int size, bool big_endian)
{
    for (int i = 0; i < size; i++) {
        const int shift = 8 * (big_endian ? size - 1 - i : i);
        add(bytes, &(unsigned char){(unsigned char)(value >> shift)}, 1);
    }
}

void add_float(struct bytes *bytes, float value, bool big_endian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_number(bytes, bits, 4, big_endian);
}

void add_double(struct bytes *bytes, double value, bool big_endian)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_number(bytes, bits, 8, big_endian);
}

void add_npy_header(struct bytes *bytes, int version, const char *header)
{
    add(bytes, "\x93NUMPY", 6);
    add_number(bytes, (uint64_t)version, 2, false);
    add_number(bytes, strlen(header), version > 1 ? 4 : 2, false);
    add_text(bytes, header);
}

void save(const char *path, const struct bytes *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
}

void load(const char *path, struct bytes *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes->size = fread(bytes->data, 1, sizeof bytes->data, file);
    assert_true(feof(file));
    fclose(file);
}

struct wp_image *parse(const struct bytes *bytes)
{
    return parse_as(bytes, WP_VOLUME_NO);
}

void compare_pixels(const char *path, enum wp_volume volume, const struct wp_image *image)
{
    struct wp_file_facts facts = {0};
    struct wp_rows *rows;
    const char *why;
    if (!wp_rows_open(path, &(struct wp_read_params){.volume = volume, .facts = &facts}, &rows,
                      &why) ||
        !rows)
        return;
    const bool integers = wp_image_has_pixels(&facts);
    struct wp_image *pixels = integers ? wp_image_read_pixels(rows, &facts) : NULL;
    if (integers)
        assert_int_equal(!pixels, !image);
    const float largest = facts.maximum > 0 ? (float)facts.maximum : 1;
    for (int p = 0; pixels && p < image->planes; p++)
        for (size_t y = 0; y < (size_t)image->height; y++) {
            float row[4096];
            const float *wanted = image->plane[p] + y * (size_t)image->width;
            assert_true((size_t)image->width <= sizeof row / sizeof *row);
            wp_image_row(pixels, p, y, true, row);
            for (int x = 0; x < image->width; x++)
                assert_near(row[x], (double)rintf(wanted[x] * largest), 0);
        }
    wp_image_destroy(&pixels);
    wp_rows_close(&rows);
}

// Reads the same bytes from a file row by row. Returns true if the format supports it.
static bool parse_rows(const struct bytes *bytes, enum wp_volume volume, struct wp_image **image)
{
    const char *path = path_to("rows"), *why;
    const int errors = error_count;
    char message[sizeof error_message];
    struct wp_rows *rows;
    float row[4096];
    memcpy(message, error_message, sizeof message);
    save(path, bytes);
    *image = NULL;
    error_count = 0;
    bool ok = wp_rows_open(path, &(struct wp_read_params){.volume = volume}, &rows, &why);
    const bool supported = !ok || rows;
    const struct wp_rows_info *info = rows ? wp_rows_info(rows) : NULL;
    const size_t width = info ? (size_t)info->width : 0;
    if (info && (size_t)info->planes * width <= sizeof row / sizeof *row) {
        *image = wp_image_create(info->width, info->height, info->planes, info->alpha);
        assert_non_null(*image);
        (*image)->origin = info->origin;
        assert_true(wp_rows_memory(rows) > 0);
    }
    for (size_t y = 0; *image && ok && y < (size_t)info->height; y++) {
        ok = wp_rows_read(rows, row, 1);
        for (size_t p = 0; ok && p < (size_t)info->planes; p++)
            memcpy((*image)->plane[p] + y * width, row + p * width, width * sizeof *row);
    }
    if (!ok)
        wp_image_destroy(image);
    if (error_count != (ok ? 0 : 1))
        fail_msg("row after row: %d errors, %s", error_count, error_message);
    wp_rows_close(&rows);
    if (!ok || *image)
        compare_pixels(path, volume, *image);
    remove(path);
    error_count = errors;
    memcpy(error_message, message, sizeof message);
    return supported && (!ok || *image);
}

static void assert_same(const struct wp_image *image, const struct wp_image *rows)
{
    if (!image != !rows)
        fail_msg("read at once: %s; row after row: %s", image ? "an image" : error_message,
                 rows ? "an image" : "none");
    if (!image)
        return;
    assert_shape(rows, image->width, image->height, image->planes, image->alpha,
                 image->origin.bits);
    assert_memory_equal(image->plane[0], rows->plane[0],
                        wp_image_samples(image) * (size_t)image->planes * sizeof(float));
}

int parsed_rows;

struct wp_image *parse_as(const struct bytes *bytes, enum wp_volume volume)
{
    struct wp_image *rows;
    const bool supported = parse_rows(bytes, volume, &rows);
    // Allocate exactly that size, so that sanitizers detect reads beyond it.
    unsigned char *copy = malloc(bytes->size ? bytes->size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes->data, bytes->size);
    struct wp_image *image = wp_image_parse(&(struct wp_source){
        .name = "test", .data = copy, .size = bytes->size, .volume = volume});
    free(copy);
    parsed_rows += supported && rows;
    if (supported)
        assert_same(image, rows);
    wp_image_destroy(&rows);
    return image;
}

struct wp_image *parse_good(const struct bytes *bytes)
{
    struct wp_image *image = parse(bytes);
    if (!image)
        fail_msg("%s", error_message);
    return image;
}

void expect_bad(const struct bytes *bytes, const char *text)
{
    const char *path = path_to("bad");
    save(path, bytes);
    if (wp_image_read(path))
        fail_msg("read instead of rejected with %s", text);
    assert_non_null(strstr(error_message, path));
    assert_error(WP_ERROR_FILE, text);
}

void expect_bad_text(const char *file, const char *text)
{
    static struct bytes bytes;
    bytes.size = 0;
    add_text(&bytes, file);
    expect_bad(&bytes, text);
}

void assert_shape(const struct wp_image *image, int width, int height, int planes, bool alpha,
                  int bits)
{
    assert_int_equal(image->width, width);
    assert_int_equal(image->height, height);
    assert_int_equal(image->planes, planes);
    assert_int_equal(image->alpha, alpha);
    assert_int_equal(image->origin.bits, bits);
}

void assert_near(float value, double expected, double tolerance)
{
    if (!(fabs((double)value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", (double)value, expected);
}

unsigned sample(int p, int i)
{
    return (unsigned)(i * 5 + p * 61 + (i % 7) * 11) & 255;
}

void assert_samples(const struct wp_image *image, double maximum, double tolerance)
{
    for (int p = 0; p < image->planes; p++)
        for (int i = 0; i < PIXELS; i++)
            assert_near(image->plane[p][i], sample(p, i) / maximum, tolerance);
}

void parse_and_compare(const struct bytes *bytes, int planes, bool alpha, int bits,
                       double maximum, double tolerance)
{
    struct wp_image *image = parse_good(bytes);
    assert_shape(image, WIDTH, HEIGHT, planes, alpha, bits);
    assert_samples(image, maximum, tolerance);
    wp_image_destroy(&image);
}

struct wp_image *make_floats(int planes, bool alpha)
{
    struct wp_image *image = wp_image_create(WIDTH, HEIGHT, planes, alpha);
    assert_non_null(image);
    for (int p = 0; p < planes; p++)
        for (int i = 0; i < PIXELS; i++)
            image->plane[p][i] = (float)sample(p, i) * 0.37F - 20.0F;
    image->plane[0][3] = -7.25F;
    image->plane[planes - 1][PIXELS - 2] = 1000.0F;
    return image;
}

const struct wp_write_params coefficients = {.content = WP_CONTENT_COEFFICIENTS};

void expect_one_result(const struct bytes *bytes, enum wp_volume volume, bool may_succeed,
                       const char *label)
{
    struct wp_image *image = parse_as(bytes, volume);
    if ((image && !may_succeed) || error_count != (image ? 0 : 1))
        fail_msg("%s of %zu bytes: %s, %d errors, %s", label, bytes->size,
                 image ? "read" : "not read", error_count, error_message);
    if (image)
        (void)wp_image_count_nonfinite(image); // reads all samples
    wp_image_destroy(&image);
    forget_errors();
}

void damage(const struct bytes *good, enum wp_volume volume, size_t header, size_t spare,
            const char *label)
{
    static struct bytes bytes;
    struct wp_image *image = parse_as(good, volume);
    if (!image)
        fail_msg("%s: %s", label, error_message);
    wp_image_destroy(&image);
    for (size_t size = 0; size < good->size; size++) {
        memcpy(bytes.data, good->data, size);
        bytes.size = size;
        expect_one_result(&bytes, volume, size + spare >= good->size, label);
    }
    bytes = *good;
    for (size_t i = 0; i < good->size && i < header; i++) {
        static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
        for (size_t v = 0; v < sizeof values; v++) {
            bytes.data[i] = values[v];
            expect_one_result(&bytes, volume, true, label);
            bytes.data[i] = good->data[i] ^ values[v];
            expect_one_result(&bytes, volume, true, label);
        }
        bytes.data[i] = good->data[i];
    }
}
