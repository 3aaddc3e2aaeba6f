// Helpers of the volume file tests, in addition to image_files.h. Include cmocka.h first.
#ifndef WP_TEST_VOLUME_FILES_H
#define WP_TEST_VOLUME_FILES_H

#include "image_files.h"

// Size of the volumes that tests build by hand, with WIDTH and HEIGHT.
enum { SLICES = 3, VOXELS = PIXELS * SLICES };

struct wp_image *read_as(const char *path, enum wp_volume volume);
// read_good() and parse_volume() fail the test if reading fails.
struct wp_image *read_good(const char *path, enum wp_volume volume);
struct wp_image *parse_volume(const struct bytes *bytes);

void assert_sides(const struct wp_image *image, int width, int height, int depth, int planes,
                  int bits);

void assert_same_geometry(const struct wp_geometry *a, const struct wp_geometry *b);

// Assert that reading the bytes as a file gives one error, with the name of the file and `text`.
void refuse_as(const struct bytes *bytes, enum wp_volume volume, const char *text);
void refuse(const struct bytes *bytes, const char *text);

// Samples outside 0..1, including NaN, -7.25 and 1000.
struct wp_image *make_volume(int width, int height, int depth, int planes, bool alpha);

#endif
