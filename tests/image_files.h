// Helpers of the image tests: a directory for files, buffers to build files in, the last error, and
// images of known samples. Include cmocka.h first.
#ifndef WP_TEST_IMAGE_FILES_H
#define WP_TEST_IMAGE_FILES_H

#include "image.h"
#include "image_io.h"
#include "log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern char test_directory[];
extern char error_message[1024]; // last error
extern int error_count;          // since forget_errors()

void forget_errors(void);
// Asserts exactly one error of this kind since forget_errors(), whose message contains `text`, and
// clears it.
void assert_error(enum wp_error kind, const char *text);
// Asserts that the last warning or information since forget_message() contains `text` (NULL: that
// there was none), and forgets it.
void expect_message(const char *text);
void forget_message(void);

// Tests run between set_up_directory() and remove_directory(), each in an empty directory.
#define IMAGE_TEST(function) \
    cmocka_unit_test_setup_teardown(function, start_empty, empty_directory)
int set_up_directory(void **state);
int remove_directory(void **state);
int start_empty(void **state);
int empty_directory(void **state);

const char *path_to(const char *name); // valid until the fourth call after this one
int count_files(void);
void remove_all(void);

// A buffer to build a file in.
struct bytes {
    unsigned char data[65536];
    size_t size;
};

void add(struct bytes *bytes, const void *data, size_t size);
void add_text(struct bytes *bytes, const char *text);
// Appends the low `size` bytes of `value`.
void add_number(struct bytes *bytes, uint64_t value, int size, bool big_endian);
void add_float(struct bytes *bytes, float value, bool big_endian);
void add_double(struct bytes *bytes, double value, bool big_endian);
void add_npy_header(struct bytes *bytes, int version, const char *header);
void save(const char *path, const struct bytes *bytes);
void load(const char *path, struct bytes *bytes);

// The image that the readers return for the bytes; parse_good() fails the test if they fail. If
// rows.h supports the format, asserts that reading a file row by row gives the same; `parsed_rows`
// counts these.
extern int parsed_rows;
struct wp_image *parse(const struct bytes *bytes);
struct wp_image *parse_as(const struct bytes *bytes, enum wp_volume volume);
struct wp_image *parse_good(const struct bytes *bytes);

// Asserts that reading the bytes fails with exactly one error of the file, which contains its path
// and `text`.
void expect_bad(const struct bytes *bytes, const char *text);
void expect_bad_text(const char *file, const char *text);

// Asserts that a file of 8 or 16-bit integers that is read by rows has the same integers as `image`,
// or, if that is NULL, cannot be read.
void compare_pixels(const char *path, enum wp_volume volume, const struct wp_image *image);

// Asserts that the bytes give either an image or exactly one error.
void expect_one_result(const struct bytes *bytes, enum wp_volume volume, bool may_succeed,
                       const char *label);
// Applies expect_one_result() to every truncation, and to changed bytes among the first `header`.
// The last `spare` bytes are not required by the reader.
void damage(const struct bytes *good, enum wp_volume volume, size_t header, size_t spare,
            const char *label);

// Images with known samples.
enum { WIDTH = 9, HEIGHT = 5, PIXELS = WIDTH * HEIGHT };

// The sample of plane `p` at pixel `i`, 0 to 255.
unsigned sample(int p, int i);
// Samples outside 0..1, including -7.25 and 1000.
struct wp_image *make_floats(int planes, bool alpha);
extern const struct wp_write_params coefficients;

void assert_near(float value, double expected, double tolerance);
void assert_shape(const struct wp_image *image, int width, int height, int planes, bool alpha,
                  int bits);
void assert_samples(const struct wp_image *image, double maximum, double tolerance);
void parse_and_compare(const struct bytes *bytes, int planes, bool alpha, int bits,
                       double maximum, double tolerance);

#endif
