// What the tests of files of volumes share beside image_files.h. Include cmocka.h first.
#ifndef WP_TEST_VOLUME_FILES_H
#define WP_TEST_VOLUME_FILES_H

#include "image_files.h"

// Of those that are made by hand, with WIDTH and HEIGHT.
enum { SLICES = 3, VOXELS = PIXELS * SLICES };

struct wp_image *read_as(const char *path, enum wp_volume volume);
// Those that are good fail the test where there is none.
struct wp_image *read_good(const char *path, enum wp_volume volume);
struct wp_image *parse_volume(const struct bytes *bytes);

void assert_sides(const struct wp_image *image, int width, int height, int depth, int planes,
                  int bits);

void assert_same_geometry(const struct wp_geometry *a, const struct wp_geometry *b);

// As a file: one error that names it and has this text.
void refuse_as(const struct bytes *bytes, enum wp_volume volume, const char *text);
void refuse(const struct bytes *bytes, const char *text);

// Samples outside of 0..1, NaN, -7.25 and 1000 among them.
struct wp_image *make_volume(int width, int height, int depth, int planes, bool alpha);

#endif
