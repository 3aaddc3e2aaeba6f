#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "volume_files.h"

#include <math.h>
#include <string.h>

struct wp_image *read_as(const char *path, enum wp_volume volume)
{
    return wp_image_read_with(path, &(struct wp_read_params){.volume = volume}, NULL);
}

struct wp_image *read_good(const char *path, enum wp_volume volume)
{
    struct wp_image *image = read_as(path, volume);
    if (!image)
        fail_msg("%s", error_message);
    return image;
}

struct wp_image *parse_volume(const struct bytes *bytes)
{
    struct wp_image *image = parse_as(bytes, WP_VOLUME_EITHER);
    if (!image)
        fail_msg("%s", error_message);
    return image;
}

void assert_sides(const struct wp_image *image, int width, int height, int depth, int planes,
                  int bits)
{
    assert_int_equal(image->width, width);
    assert_int_equal(image->height, height);
    assert_int_equal(image->depth, depth);
    assert_int_equal(image->planes, planes);
    assert_int_equal(image->origin.bits, bits);
}

void refuse_as(const struct bytes *bytes, enum wp_volume volume, const char *text)
{
    const char *path = path_to("bad");
    save(path, bytes);
    assert_null(read_as(path, volume));
    assert_non_null(strstr(error_message, path));
    assert_error(WP_ERROR_FILE, text);
}

void refuse(const struct bytes *bytes, const char *text)
{
    refuse_as(bytes, WP_VOLUME_EITHER, text);
}

struct wp_image *make_volume(int width, int height, int depth, int planes, bool alpha)
{
    struct wp_image *image = wp_image_create_volume(width, height, depth, planes, alpha);
    assert_non_null(image);
    const size_t count = wp_image_samples(image);
    assert_int_equal(count, width * height * depth);
    for (int p = 0; p < planes; p++)
        for (size_t i = 0; i < count; i++)
            image->plane[p][i] = (float)sample(p, (int)i) * 0.37F - 20.0F;
    image->plane[0][0] = NAN;
    image->plane[0][count / 2] = -7.25F;
    image->plane[planes - 1][count - 1] = 1000.0F;
    return image;
}

void assert_same_geometry(const struct wp_geometry *a, const struct wp_geometry *b)
{
    assert_int_equal(a->has_size, b->has_size);
    for (int i = 0; i < 3; i++)
        assert_true(a->size[i] == b->size[i]);
    assert_int_equal(a->frames, b->frames);
    assert_memory_equal(a->rate, b->rate, sizeof a->rate);
    assert_int_equal(a->qform_code, b->qform_code);
    assert_int_equal(a->sform_code, b->sform_code);
    assert_true(a->qfac == b->qfac);
    assert_memory_equal(a->quaternion, b->quaternion, sizeof a->quaternion);
    assert_memory_equal(a->offset, b->offset, sizeof a->offset);
    assert_memory_equal(a->sform, b->sform, sizeof a->sform);
}
