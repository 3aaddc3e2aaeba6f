// Selection of a channel of an image.
#include "channel.h"
#include "log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COUNT = 6 };

// Sample i of plane p is 10 p + i.
static struct wp_image *make(int planes, bool alpha)
{
    struct wp_image *image = wp_image_create(3, 2, planes, alpha);
    assert_non_null(image);
    for (int p = 0; p < planes; p++)
        for (int i = 0; i < COUNT; i++)
            image->plane[p][i] = (float)(10 * p + i);
    return image;
}

static void assert_plane(const struct wp_image *image, int plane, int source)
{
    for (int i = 0; i < COUNT; i++)
        assert_float_equal(image->plane[plane][i], (float)(10 * source + i), 0);
}

static void words_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        enum wp_channel channel;
    } words[] = {
        {"rgb", WP_CHANNEL_RGB},      {"luma", WP_CHANNEL_LUMA},
        {"0", WP_CHANNEL_FIRST},      {"red", WP_CHANNEL_FIRST},
        {"1", WP_CHANNEL_FIRST + 1},  {"green", WP_CHANNEL_FIRST + 1},
        {"2", WP_CHANNEL_FIRST + 2},  {"blue", WP_CHANNEL_FIRST + 2},
        {"3", WP_CHANNEL_FIRST + 3},
    };
    assert_int_equal(sizeof words / sizeof *words, WP_CHANNEL_WORDS);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        enum wp_channel channel;
        assert_true(wp_channel_find(words[i].word, &channel));
        assert_int_equal(channel, words[i].channel);
    }
    static const char *const bad[] = {"", "4", "-1", "RGB", "cyan", "gray"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        enum wp_channel channel = WP_CHANNEL_LUMA;
        assert_false(wp_channel_find(bad[i], &channel));
        assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
        assert_int_equal(channel, WP_CHANNEL_LUMA);
    }
}

// Valid channels of images of 1 to 4 planes, in the order of the enum.
static void planes_have_channels(void **state)
{
    (void)state;
    static const bool has[WP_IMAGE_MAX_PLANES][WP_CHANNELS] = {
        {false, true, true, false, false, false},
        {false, false, true, true, false, false},
        {true, true, true, true, true, false},
        {false, false, true, true, true, true},
    };
    for (int colors = 1; colors <= WP_IMAGE_MAX_PLANES; colors++) {
        for (int c = 0; c < WP_CHANNELS; c++) {
            struct wp_image *image = make(colors, false);
            const bool selected = wp_image_select_channel(image, (enum wp_channel)c, "it");
            assert_int_equal(selected, has[colors - 1][c]);
            assert_int_equal(selected, wp_channel_is_of((enum wp_channel)c, colors));
            if (!selected)
                assert_int_equal(image->planes, colors);
            else
                assert_int_equal(image->planes, c == WP_CHANNEL_RGB ? 3 : 1);
            if (c >= WP_CHANNEL_FIRST && selected)
                assert_plane(image, 0, c - WP_CHANNEL_FIRST);
            wp_image_destroy(&image);
        }
        assert_int_equal(wp_channel_or_first(WP_CHANNEL_RGB, colors),
                         colors == 3 ? WP_CHANNEL_RGB : WP_CHANNEL_FIRST);
        assert_int_equal(wp_channel_or_first(WP_CHANNEL_LUMA, colors), WP_CHANNEL_LUMA);
    }
}

static void alpha_stays_the_last(void **state)
{
    (void)state;
    struct wp_image *image = make(4, true);
    assert_true(wp_image_select_channel(image, WP_CHANNEL_RGB, "it"));
    assert_int_equal(image->planes, 4);
    assert_plane(image, 3, 3);
    assert_true(wp_image_select_channel(image, WP_CHANNEL_FIRST + 1, "it"));
    assert_int_equal(image->planes, 2);
    assert_plane(image, 0, 1);
    assert_plane(image, 1, 3);
    // Alpha is not a color channel.
    assert_false(wp_image_select_channel(image, WP_CHANNEL_FIRST + 1, "it"));
    float *samples = wp_image_move_planes(&image);
    assert_null(image);
    assert_float_equal(samples[0], 10, 0);
    free(samples);
}

// Weights of ITU-R BT.601; their sum is 1, so gray is unchanged.
static void luma_has_its_weights(void **state)
{
    (void)state;
    struct wp_image *image = wp_image_create(2, 2, 3, false);
    for (int p = 0; p < 3; p++) {
        image->plane[p][p] = 1;
        image->plane[p][3] = 0.25F;
    }
    assert_true(wp_image_select_channel(image, WP_CHANNEL_LUMA, "it"));
    static const float expected[] = {0.299F, 0.587F, 0.114F, 0.25F};
    for (int i = 0; i < 4; i++)
        assert_float_equal(image->plane[0][i], expected[i], 1e-7);
    wp_image_destroy(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found),
        cmocka_unit_test(planes_have_channels),
        cmocka_unit_test(alpha_stays_the_last),
        cmocka_unit_test(luma_has_its_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
