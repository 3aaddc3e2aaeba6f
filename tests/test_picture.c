// Text and preview images of coefficients.
#include "font.h"
#include "golden.h"
#include "picture.h"
#include "operand.h"
#include "text.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GRAY (128.0F / 255.0F)

// The font that wp_embed() embeds.
extern const unsigned char wp_font_data[];
extern const unsigned long wp_font_data_size;

static const enum wp_layout layouts[] = {WP_LAYOUT_MALLAT, WP_LAYOUT_MIXED};

static float *band_at(const struct wp_image *image, int plane, struct wp_band_view view, int x,
                      int y)
{
    return image->plane[plane] + view.offset + y * view.step_y + x * view.step_x;
}

static struct wp_image *draw(const struct wp_image *coefficients, int levels,
                             enum wp_layout layout, bool labels, const char *caption)
{
    struct wp_image *picture = wp_picture_create(
        coefficients, &(struct wp_picture_params){levels, layout, labels, caption});
    assert_non_null(picture);
    return picture;
}

// A number in -1..1 for each position.
static float noise(int x, int y)
{
    const uint32_t mixed = ((uint32_t)x * 73856093U ^ (uint32_t)y * 19349663U) * 2654435761U;
    return (float)(mixed >> 8) / (float)(1 << 23) - 1.0F;
}

static void fill_with_noise(struct wp_image *image)
{
    for (int p = 0; p < image->planes; p++)
        for (int i = 0; i < image->width * image->height; i++)
            image->plane[p][i] = noise(i, p);
}

static void assert_same(const struct wp_image *a, const struct wp_image *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->planes, b->planes);
    for (int p = 0; p < a->planes; p++)
        assert_memory_equal(a->plane[p], b->plane[p],
                            (size_t)a->width * (size_t)a->height * sizeof(float));
}

// In these small images outlines are at most two pixels wide, one in each subband.
static bool is_next_to_line(struct wp_band_view view, int x, int y)
{
    return x < 1 || y < 1 || x >= view.width - 1 || y >= view.height - 1;
}

static void zero_details_are_gray_and_ll_spans(void **state)
{
    (void)state;
    for (int l = 0; l < 2; l++) {
        struct wp_image *image = wp_image_create(96, 80, 1, false);
        const struct wp_band_view ll = wp_band_view(96, 80, 2, WP_BAND_LL, layouts[l]);
        const int count = ll.width * ll.height;
        for (int i = 0; i < count; i++)
            *band_at(image, 0, ll, i % ll.width, i / ll.width) =
                -7.25F + (1000.0F + 7.25F) * (float)i / (float)(count - 1);
        struct wp_image *picture = draw(image, 2, layouts[l], false, NULL);
        assert_int_equal(picture->planes, 1);
        assert_int_equal(picture->width, 96);
        assert_int_equal(picture->height, 80);
        for (int level = 1; level <= 2; level++)
            for (enum wp_band band = WP_BAND_HL; band < WP_BAND_COUNT; band++) {
                const struct wp_band_view view = wp_band_view(96, 80, level, band, layouts[l]);
                for (int y = 0; y < view.height; y++)
                    for (int x = 0; x < view.width; x++)
                        if (layouts[l] == WP_LAYOUT_MIXED || !is_next_to_line(view, x, y))
                            assert_true(*band_at(picture, 0, view, x, y) == GRAY);
            }
        float before = 0.0F;
        for (int i = 0; i < count; i++) {
            const int x = i % ll.width, y = i / ll.width;
            if (layouts[l] == WP_LAYOUT_MALLAT && (x >= ll.width - 1 || y >= ll.height - 1))
                continue;
            const float drawn = *band_at(picture, 0, ll, x, y);
            assert_true(drawn >= before && drawn <= 1.0F);
            assert_float_equal(drawn, (float)i / (float)(count - 1), 0.005F);
            before = drawn;
        }
        wp_image_destroy(&picture);
        wp_image_destroy(&image);
    }
}

static void level_zero_is_all_ll(void **state)
{
    (void)state;
    struct wp_image *image = wp_image_create(3, 1, 1, false);
    image->plane[0][0] = -7.25F;
    image->plane[0][1] = 1000.0F;
    struct wp_image *picture = draw(image, 0, WP_LAYOUT_MALLAT, true, NULL);
    assert_float_equal(picture->plane[0][0], 0.0F, 1e-6F);
    assert_float_equal(picture->plane[0][1], 1.0F, 1e-6F);
    assert_float_equal(picture->plane[0][2], 7.25F / 1007.25F, 1e-6F);
    wp_image_destroy(&picture);
    wp_image_destroy(&image);
}

static void constant_ll_is_gray(void **state)
{
    (void)state;
    struct wp_image *image = wp_image_create(1, 1, 1, false);
    image->plane[0][0] = 1000.0F;
    struct wp_image *picture = draw(image, 0, WP_LAYOUT_MALLAT, false, NULL);
    assert_true(picture->plane[0][0] == GRAY);
    wp_image_destroy(&picture);
    wp_image_destroy(&image);
}

static void impulses_show_their_sign(void **state)
{
    (void)state;
    static const float amplitudes[] = {1000.0F, -7.25F, 1e-30F, -3e38F, 1e-40F};
    for (size_t a = 0; a < sizeof amplitudes / sizeof *amplitudes; a++)
        for (int l = 0; l < 2; l++)
            for (enum wp_band band = WP_BAND_HL; band < WP_BAND_COUNT; band++) {
                struct wp_image *image = wp_image_create(31, 24, 1, false);
                const struct wp_band_view view = wp_band_view(31, 24, 2, band, layouts[l]);
                *band_at(image, 0, view, 3, 2) = amplitudes[a];
                struct wp_image *picture = draw(image, 2, layouts[l], false, NULL);
                // Subnormal numbers count as zero.
                const float expected = fabsf(amplitudes[a]) < 1e-37F ? GRAY
                                     : amplitudes[a] > 0.0F        ? 1.0F
                                                                   : 1.0F / 255.0F;
                assert_float_equal(*band_at(picture, 0, view, 3, 2), expected, 1e-6F);
                assert_true(*band_at(picture, 0, view, 2, 2) == GRAY);
                wp_image_destroy(&picture);
                wp_image_destroy(&image);
            }
}

// An image whose HL1 has noise of the given amplitude for each plane.
static struct wp_image *noisy_hl1(int planes, const float *amplitudes, enum wp_layout layout)
{
    struct wp_image *image = wp_image_create(64, 64, planes, false);
    const struct wp_band_view view = wp_band_view(64, 64, 1, WP_BAND_HL, layout);
    for (int p = 0; p < planes; p++)
        for (int y = 0; y < view.height; y++)
            for (int x = 0; x < view.width; x++)
                *band_at(image, p, view, x, y) = amplitudes[p] * noise(x, y);
    return image;
}

static void each_band_has_its_scale(void **state)
{
    (void)state;
    for (int l = 0; l < 2; l++) {
        struct wp_image *image = noisy_hl1(1, &(float){1000.0F}, layouts[l]);
        const struct wp_band_view hl = wp_band_view(64, 64, 1, WP_BAND_HL, layouts[l]);
        const struct wp_band_view hh = wp_band_view(64, 64, 1, WP_BAND_HH, layouts[l]);
        for (int y = 0; y < hl.height; y++)
            for (int x = 0; x < hl.width; x++)
                *band_at(image, 0, hh, x, y) = 0.01F * noise(x, y);
        struct wp_image *picture = draw(image, 1, layouts[l], false, NULL);
        for (int y = 1; y < hl.height - 1; y++)
            for (int x = 1; x < hl.width - 1; x++) {
                const float drawn = *band_at(picture, 0, hl, x, y);
                assert_float_equal(*band_at(picture, 0, hh, x, y), drawn, 1e-4F);
                assert_float_equal(drawn, GRAY + 127.0F / 255.0F * noise(x, y), 0.02F);
            }
        wp_image_destroy(&picture);
        wp_image_destroy(&image);
    }
}

static void planes_share_a_scale(void **state)
{
    (void)state;
    const float amplitudes[3] = {8.0F, 4.0F, 0.0F};
    struct wp_image *image = noisy_hl1(3, amplitudes, WP_LAYOUT_MALLAT);
    const struct wp_band_view hl = wp_band_view(64, 64, 1, WP_BAND_HL, WP_LAYOUT_MALLAT);
    struct wp_image *picture = draw(image, 1, WP_LAYOUT_MALLAT, false, NULL);
    assert_int_equal(picture->planes, 3);
    int compared = 0;
    for (int y = 1; y < hl.height - 1; y++)
        for (int x = 1; x < hl.width - 1; x++) {
            const float first = *band_at(picture, 0, hl, x, y) - GRAY;
            assert_true(*band_at(picture, 2, hl, x, y) == GRAY);
            if (fabsf(first) > 0.45F)
                continue; // may be saturated
            assert_float_equal(*band_at(picture, 1, hl, x, y) - GRAY, first / 2.0F, 1e-5F);
            compared++;
        }
    assert_true(compared > 500);
    wp_image_destroy(&picture);
    wp_image_destroy(&image);
}

// Zero is mid-gray in all planes, neutral values stay neutral, and the extremes of a plane are its
// color and the complementary one, independent of the other planes.
static void colors_are_centered_on_gray(void **state)
{
    (void)state;
    static const float at[][3] = {
        {0, 0, 0}, {0.5F, 0.5F, 0.5F}, {-0.25F, -0.25F, -0.25F}, {1, 0, 0}, {-1, 0, 0}, {0, 1, -1},
    };
    struct wp_image *image = wp_image_create(64, 64, 3, false);
    const struct wp_band_view hl = wp_band_view(64, 64, 1, WP_BAND_HL, WP_LAYOUT_MALLAT);
    // Samples at both extremes, so that none of the values above saturates.
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < hl.width * hl.height; i++)
            *band_at(image, p, hl, i % hl.width, i / hl.width) = i % 2 ? 1.0F : -1.0F;
    for (int i = 0; i < 6; i++)
        for (int p = 0; p < 3; p++)
            *band_at(image, p, hl, 4 + 2 * i, 8) = at[i][p];
    struct wp_image *picture = draw(image, 1, WP_LAYOUT_MALLAT, false, NULL);
    assert_int_equal(picture->planes, 3);
    for (int i = 0; i < 6; i++)
        for (int p = 0; p < 3; p++)
            assert_float_equal(*band_at(picture, p, hl, 4 + 2 * i, 8),
                               (128.0F + 127.0F * at[i][p]) / 255.0F, 1e-6);
    wp_image_destroy(&image);
    wp_image_destroy(&picture);
}

static void outliers_do_not_flatten(void **state)
{
    (void)state;
    struct wp_image *image = noisy_hl1(1, &(float){1.0F}, WP_LAYOUT_MALLAT);
    const struct wp_band_view hl = wp_band_view(64, 64, 1, WP_BAND_HL, WP_LAYOUT_MALLAT);
    const struct wp_band_view ll = wp_band_view(64, 64, 1, WP_BAND_LL, WP_LAYOUT_MALLAT);
    for (int i = 0; i < 1024; i++)
        *band_at(image, 0, ll, i % 32, i / 32) = 0.5F + 0.001F * noise(i, 0);
    struct wp_image *clean = draw(image, 1, WP_LAYOUT_MALLAT, false, NULL);
    *band_at(image, 0, hl, 9, 9) = -3e38F;
    *band_at(image, 0, ll, 9, 9) = 3e38F;
    struct wp_image *picture = draw(image, 1, WP_LAYOUT_MALLAT, false, NULL);
    for (int y = 1; y < 31; y++)
        for (int x = 1; x < 31; x++) {
            if (x == 9 && y == 9)
                continue;
            assert_float_equal(*band_at(picture, 0, hl, x, y), *band_at(clean, 0, hl, x, y),
                               0.02F);
            assert_float_equal(*band_at(picture, 0, ll, x, y), *band_at(clean, 0, ll, x, y),
                               0.02F);
        }
    assert_true(*band_at(picture, 0, hl, 9, 9) == 0.0F);
    assert_true(*band_at(picture, 0, ll, 9, 9) == 1.0F);
    wp_image_destroy(&picture);
    wp_image_destroy(&clean);
    wp_image_destroy(&image);
}

static void rounding_is_not_a_detail(void **state)
{
    (void)state;
    struct wp_image *image = noisy_hl1(1, &(float){1e-4F}, WP_LAYOUT_MIXED);
    const struct wp_band_view ll = wp_band_view(64, 64, 1, WP_BAND_LL, WP_LAYOUT_MIXED);
    const struct wp_band_view hl = wp_band_view(64, 64, 1, WP_BAND_HL, WP_LAYOUT_MIXED);
    for (int i = 0; i < 1024; i++)
        *band_at(image, 0, ll, i % 32, i / 32) = 1000.0F;
    struct wp_image *picture = draw(image, 1, WP_LAYOUT_MIXED, false, NULL);
    for (int i = 0; i < 1024; i++)
        assert_true(*band_at(picture, 0, hl, i % 32, i / 32) == GRAY);
    wp_image_destroy(&picture);
    wp_image_destroy(&image);
}

static void nonfinite_is_red_and_harmless(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int l = 0; l < 2; l++)
        for (int planes = 1; planes <= 3; planes += 2) {
            struct wp_image *image = wp_image_create(40, 30, planes, false);
            fill_with_noise(image);
            // The zeros do not change the scales of the details either.
            const int at[] = {40 * 29 + 38, 40 * 5 + 25, 40 * 20 + 31};
            for (int i = 0; i < 3; i++)
                for (int p = 0; p < planes; p++)
                    image->plane[p][at[i]] = 0.0F;
            struct wp_image *clean = draw(image, 1, layouts[l], false, NULL);
            for (int i = 0; i < 3; i++)
                for (int p = 0; p < planes; p++)
                    image->plane[p][at[i]] = bad[i];
            struct wp_image *picture = draw(image, 1, layouts[l], false, NULL);
            assert_int_equal(picture->planes, 3);
            for (int i = 0; i < 40 * 30; i++) {
                const bool marked = i == at[0] || i == at[1] || i == at[2];
                for (int p = 0; p < 3; p++) {
                    const float was = clean->plane[p < planes ? p : 0][i];
                    assert_true(picture->plane[p][i] == (!marked ? was : p == 0 ? 1.0F : 0.0F));
                }
            }
            wp_image_destroy(&picture);
            wp_image_destroy(&clean);
            wp_image_destroy(&image);
        }
}

static void only_nonfinite(void **state)
{
    (void)state;
    struct wp_image *image = wp_image_create(6, 5, 1, false);
    for (int i = 0; i < 30; i++)
        image->plane[0][i] = NAN;
    struct wp_image *picture = draw(image, 2, WP_LAYOUT_MALLAT, true, NULL);
    for (int i = 0; i < 30; i++)
        assert_true(picture->plane[0][i] == 1.0F && picture->plane[1][i] == 0.0F);
    wp_image_destroy(&picture);
    wp_image_destroy(&image);
}

static void labels_stay_in_their_corner(void **state)
{
    (void)state;
    enum { LEVELS = 3 };
    static const int sizes[][2] = {{512, 512}, {1025, 511}, {300, 700}};
    for (int s = 0; s < 3; s++) {
        const int w = sizes[s][0], h = sizes[s][1];
        struct wp_image *image = wp_image_create(w, h, 1, false);
        fill_with_noise(image);
        struct wp_image *plain = draw(image, LEVELS, WP_LAYOUT_MALLAT, false, NULL);
        struct wp_image *labeled = draw(image, LEVELS, WP_LAYOUT_MALLAT, true, NULL);
        for (int level = 1; level <= LEVELS; level++)
            for (enum wp_band band = level == LEVELS ? WP_BAND_LL : WP_BAND_HL;
                 band < WP_BAND_COUNT; band++) {
                const struct wp_band_view view =
                    wp_band_view(w, h, level, band, WP_LAYOUT_MALLAT);
                int changed = 0, right = 0, bottom = 0;
                for (int y = 0; y < view.height; y++)
                    for (int x = 0; x < view.width; x++) {
                        if (*band_at(plain, 0, view, x, y) ==
                            *band_at(labeled, 0, view, x, y))
                            continue;
                        changed++;
                        right = x > right ? x : right;
                        bottom = y > bottom ? y : bottom;
                        assert_true(x >= 3 && y >= 3);
                    }
                assert_true(level == 1 ? changed > 0 : true);
                assert_true(right < view.width - 3 && bottom < view.height - 3);
                assert_true(8 * (right - 2) * (bottom - 2) <= 9 * view.width * view.height / 8);
                assert_true(changed == 0 || bottom >= 12);
            }
        wp_image_destroy(&labeled);
        wp_image_destroy(&plain);
        wp_image_destroy(&image);
    }
}

// The extent of the label of each level's last subband and its number of pixels, which show the
// form and the size of the text.
static void labels_fit_their_bands(void **state)
{
    (void)state;
    struct wp_text text = {0};
    for (int side = 114; side <= 1536; side += side / 8) {
        struct wp_image *image = wp_image_create(side, side, 1, false);
        struct wp_image *labeled = draw(image, 3, WP_LAYOUT_MALLAT, true, NULL);
        struct wp_image *plain = draw(image, 3, WP_LAYOUT_MALLAT, false, NULL);
        wp_text_add(&text, "%d:", side);
        for (int level = 1; level <= 3; level++) {
            const struct wp_band_view view =
                wp_band_view(side, side, level, WP_BAND_HH, WP_LAYOUT_MALLAT);
            int right = 0, bottom = 0, changed = 0;
            for (int i = 0; i < view.width * view.height; i++) {
                const int x = i % view.width, y = i / view.width;
                if (*band_at(plain, 0, view, x, y) == *band_at(labeled, 0, view, x, y))
                    continue;
                right = x > right ? x : right;
                bottom = y > bottom ? y : bottom;
                changed++;
            }
            wp_text_add(&text, " %dx%d/%d", right, bottom, changed);
        }
        wp_text_add(&text, "\n");
        wp_image_destroy(&plain);
        wp_image_destroy(&labeled);
        wp_image_destroy(&image);
    }
    assert_golden("picture_labels.txt", wp_text_get(&text));
    wp_text_free(&text);
}

static void labels_and_lines_differ_by_layout(void **state)
{
    (void)state;
    struct wp_image *image = wp_image_create(512, 512, 1, false);
    // All coefficients are zero, so every pixel that is not gray was drawn by labels or outlines.
    struct wp_image *mallat = draw(image, 1, WP_LAYOUT_MALLAT, false, NULL);
    struct wp_image *mixed = draw(image, 1, WP_LAYOUT_MIXED, false, NULL);
    struct wp_image *labeled = draw(image, 1, WP_LAYOUT_MIXED, true, NULL);
    int lines = 0, mixed_lines = 0, label = 0, outside = 0;
    for (int i = 0; i < 512 * 512; i++) {
        lines += mallat->plane[0][i] != GRAY;
        mixed_lines += mixed->plane[0][i] != GRAY;
        label += labeled->plane[0][i] != GRAY;
        outside += labeled->plane[0][i] != GRAY && (i % 512 > 256 || i / 512 > 64);
    }
    assert_int_equal(lines, 2 * 2 * 512 - 4);
    assert_true(mallat->plane[0][255] == 0.0F && mallat->plane[0][256] == 1.0F);
    assert_int_equal(mixed_lines, 0);
    assert_true(label > 1000);
    assert_int_equal(outside, 0);
    wp_image_destroy(&labeled);
    wp_image_destroy(&mixed);
    wp_image_destroy(&mallat);
    wp_image_destroy(&image);
}

static void tiny_sizes_have_no_drawing(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {5, 7}, {2, 2}, {31, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int l = 0; l < 2; l++)
            for (int levels = 0; levels <= wp_levels_max(sizes[s][0], sizes[s][1]); levels++) {
                struct wp_image *image = wp_image_create(sizes[s][0], sizes[s][1], 3, false);
                fill_with_noise(image);
                struct wp_image *plain = draw(image, levels, layouts[l], false, NULL);
                struct wp_image *full = draw(image, levels, layouts[l], true, "a caption");
                assert_int_equal(plain->width, sizes[s][0]);
                assert_int_equal(plain->height, sizes[s][1]);
                assert_same(plain, full);
                for (int p = 0; p < 3; p++)
                    for (int i = 0; i < plain->width * plain->height; i++)
                        assert_true(plain->plane[p][i] >= 0.0F && plain->plane[p][i] <= 1.0F);
                wp_image_destroy(&full);
                wp_image_destroy(&plain);
                wp_image_destroy(&image);
            }
}

static void caption_is_a_strip_below(void **state)
{
    (void)state;
    struct wp_image *image = wp_image_create(300, 40, 1, false);
    fill_with_noise(image);
    struct wp_image *plain = draw(image, 1, WP_LAYOUT_MIXED, false, NULL);
    struct wp_image *empty = draw(image, 1, WP_LAYOUT_MIXED, false, "");
    struct wp_image *one = draw(image, 1, WP_LAYOUT_MIXED, false, "cdf97 · 1 level");
    struct wp_image *wrapped = draw(image, 1, WP_LAYOUT_MIXED, false,
                                    "cdf97 · nonsep-polyconvolution · 3 levels · details: "
                                    "mid grey = 0, stretched per band");
    assert_same(plain, empty);
    assert_true(one->height > 52 && wrapped->height > one->height + 11);
    assert_memory_equal(plain->plane[0], one->plane[0], 300 * 40 * sizeof(float));
    float darkest = 1.0F, edge = 1.0F;
    for (int y = 40; y < wrapped->height; y++)
        for (int x = 0; x < 300; x++) {
            const float drawn = wrapped->plane[0][y * 300 + x];
            darkest = fminf(darkest, drawn);
            if (x < 6 || x >= 294 || y < 46 || y >= wrapped->height - 6)
                edge = fminf(edge, drawn);
        }
    assert_true(darkest < 0.2F);
    assert_true(edge == 1.0F);
    wp_image_destroy(&wrapped);
    wp_image_destroy(&one);
    wp_image_destroy(&empty);
    wp_image_destroy(&plain);
    wp_image_destroy(&image);
}

static void alpha_is_omitted(void **state)
{
    (void)state;
    struct wp_image *with = wp_image_create(20, 20, 4, true);
    struct wp_image *without = wp_image_create(20, 20, 3, false);
    fill_with_noise(with);
    fill_with_noise(without);
    for (int i = 0; i < 400; i++)
        with->plane[3][i] = 1000.0F;
    struct wp_image *a = draw(with, 1, WP_LAYOUT_MALLAT, false, NULL);
    struct wp_image *b = draw(without, 1, WP_LAYOUT_MALLAT, false, NULL);
    assert_same(a, b);
    wp_image_destroy(&a);
    wp_image_destroy(&b);
    wp_image_destroy(&with);
    wp_image_destroy(&without);
}

static void width_grows(void **state)
{
    (void)state;
    assert_int_equal(wp_font_width("", 20.0F), 0);
    const char *text = "LL·↔αβ";
    int before = 0;
    for (float height = 8.0F; height <= 512.0F; height *= 2.0F) {
        assert_true(wp_font_width(text, height) > before);
        before = wp_font_width(text, height);
    }
    assert_true(wp_font_width("HL1 ", 20.0F) > wp_font_width("HL1", 20.0F));
    assert_true(wp_font_width("AVAV", 100.0F) <
                2 * (wp_font_width("A", 100.0F) + wp_font_width("V", 100.0F)) - 8);
    // The width is that of one character, not of one per byte.
    assert_true(wp_font_width("→", 20.0F) < wp_font_width("MM", 20.0F));
    assert_int_equal(wp_font_width("\xFF", 20.0F), wp_font_width("\uFFFD", 20.0F));
    assert_int_equal(wp_font_width("\xE2\x86", 20.0F), wp_font_width("\uFFFD\uFFFD", 20.0F));
    assert_int_equal(wp_font_width("\xC0\x80", 20.0F), wp_font_width("\uFFFD\uFFFD", 20.0F));
    assert_int_equal(wp_font_width("\xED\xA0\x80", 20.0F),
                     wp_font_width("\uFFFD\uFFFD\uFFFD", 20.0F));
    assert_int_equal(wp_font_width("\xF4\x90\x80\x80", 20.0F),
                     wp_font_width("\uFFFD\uFFFD\uFFFD\uFFFD", 20.0F));
    static const float invalid[] = {0.0F, -1.0F, NAN, INFINITY, 1e30F};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_int_equal(wp_font_width(text, invalid[i]), 0);
}

static void text_is_clipped(void **state)
{
    (void)state;
    enum { W = 90, H = 50, SMALL_W = 11, SMALL_H = 9 };
    const char *text = "gΣ→\nHL1";
    float *complete = calloc(W * H, sizeof *complete);
    float *part = malloc(SMALL_W * SMALL_H * sizeof *part);
    assert_true(complete && part);
    wp_font_draw(complete, W, H, 10, 10, 24.0F, text, 1.0F);
    int inked = 0;
    for (int i = 0; i < W * H; i++) {
        const int x = i % W, y = i / W;
        inked += complete[i] > 0.0F;
        assert_true(complete[i] >= 0.0F && complete[i] <= 1.0F);
        assert_true(complete[i] == 0.0F || (y >= 10 && y < 34 && x >= 9));
    }
    assert_true(inked > 200);
    // The same text in small images at all positions, many of which clip it.
    for (int y = 0; y + SMALL_H <= H; y += 3)
        for (int x = 0; x + SMALL_W <= W; x += 3) {
            memset(part, 0, SMALL_W * SMALL_H * sizeof *part);
            wp_font_draw(part, SMALL_W, SMALL_H, 10 - x, 10 - y, 24.0F, text, 1.0F);
            for (int row = 0; row < SMALL_H; row++)
                assert_memory_equal(part + row * SMALL_W, complete + (y + row) * W + x,
                                    SMALL_W * sizeof *part);
        }
    memset(part, 0, SMALL_W * SMALL_H * sizeof *part);
    static const int remote[] = {INT_MIN, INT_MAX, -1000, 1000};
    for (int i = 0; i < 16; i++)
        wp_font_draw(part, SMALL_W, SMALL_H, remote[i % 4], remote[i / 4], 24.0F, text, 1.0F);
    for (int i = 0; i < SMALL_W * SMALL_H; i++)
        assert_true(part[i] == 0.0F);
    free(part);
    free(complete);
}

static void text_is_blended(void **state)
{
    (void)state;
    float *plane = malloc(40 * 40 * sizeof *plane);
    assert_non_null(plane);
    for (int i = 0; i < 1600; i++)
        plane[i] = 1000.0F;
    wp_font_draw(plane, 40, 40, 0, 0, 40.0F, "O", -7.25F);
    int full = 0, between = 0, untouched = 0;
    for (int i = 0; i < 1600; i++) {
        assert_true(plane[i] >= -7.25F && plane[i] <= 1000.0F);
        full += plane[i] == -7.25F;
        untouched += plane[i] == 1000.0F;
        between += plane[i] > -7.25F && plane[i] < 1000.0F;
    }
    assert_true(full > 50 && between > 50 && untouched > 500);
    free(plane);
}

static void embedded_file_ends_with_zero(void **state)
{
    (void)state;
    static const unsigned char true_type[4] = {0, 1, 0, 0};
    assert_true(wp_font_data_size > 100000);
    assert_memory_equal(wp_font_data, true_type, 4);
    assert_int_equal(wp_font_data[wp_font_data_size], 0);
}

// Noise in all coefficients of a volume with two levels, in either layout.
static struct wp_image *noisy_volume(struct wp_description *d)
{
    struct wp_description mallat = *d;
    mallat.layout = WP_LAYOUT_MALLAT;
    struct wp_image *image =
        wp_image_create_volume(d->size[WP_X], d->size[WP_Y], d->size[WP_Z], 1, false);
    assert_non_null(image);
    const int width = image->width, area = width * image->height;
    for (int b = 0; b < wp_subband_count(d); b++) {
        const struct wp_band_grid to = wp_subband_describe(d, b).grid;
        const struct wp_band_grid from = wp_subband_describe(&mallat, b).grid;
        for (int i = 0; i < to.size[0] * to.size[1] * to.size[2]; i++) {
            const int at[] = {i % to.size[0], i / to.size[0] % to.size[1],
                              i / to.size[0] / to.size[1]};
            int put = 0, name = 0;
            const int step[] = {1, width, area};
            for (int a = 0; a < 3; a++) {
                put += step[a] * (to.first[a] + at[a] * to.every[a]);
                name += step[a] * (from.first[a] + at[a] * from.every[a]);
            }
            image->plane[0][put] = noise(name, b);
        }
    }
    return image;
}

// The picture is the same for both layouts: a panel for each band along z with all bands of the
// slice. Only the gaps are white.
static void volumes_have_a_panel_for_each_band_along_z(void **state)
{
    (void)state;
    enum { WIDTH = 40, HEIGHT = 24, DEPTH = 18, GAP = 8 };
    for (int i = 0; i < 4; i++) {
        struct wp_description d = {.size = {WIDTH, HEIGHT, DEPTH},
                                   .levels = 2,
                                   .levels_z = i % 2 ? 2 : 1,
                                   .decomposition = (enum wp_decomposition)(i / 2)};
        struct wp_image *picture[2];
        for (int l = 0; l < 2; l++) {
            d.layout = layouts[l];
            struct wp_image *image = noisy_volume(&d);
            picture[l] = wp_picture_create_volume(image, &d, &(struct wp_picture_params){0});
            assert_non_null(picture[l]);
            wp_image_destroy(&image);
        }
        assert_same(picture[0], picture[1]);
        const int panels = d.levels_z + 1, rows = panels;
        assert_int_equal(picture[0]->width, WIDTH);
        assert_int_equal(picture[0]->height, rows * (HEIGHT + GAP) - GAP);
        for (int p = 0; p < panels; p++) {
            int extremes = 0;
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < WIDTH; x++) {
                    const float v = picture[0]->plane[0][(p * (HEIGHT + GAP) + y) * WIDTH + x];
                    extremes += v == 0 || v == 1;
                }
            assert_in_range(extremes, 1, WIDTH * HEIGHT / 10);
        }
        for (int l = 0; l < 2; l++)
            wp_image_destroy(&picture[l]);
    }
}

// If only one band of a volume is nonzero, only its panel is not gray.
static void a_band_of_a_volume_is_in_its_panel(void **state)
{
    (void)state;
    enum { SIZE = 32, GAP = 8 };
    const struct wp_description d = {.size = {SIZE, SIZE, SIZE}, .levels = 1, .levels_z = 1};
    struct wp_image *image = wp_image_create_volume(SIZE, SIZE, SIZE, 1, false);
    const struct wp_band_grid grid = wp_description_band(&d, 1, (enum wp_band)5); // HLH
    for (int z = 0; z < grid.size[WP_Z]; z++)
        for (int y = 0; y < grid.size[WP_Y]; y++)
            for (int x = 0; x < grid.size[WP_X]; x++)
                image->plane[0][((grid.first[WP_Z] + z) * SIZE + grid.first[WP_Y] + y) * SIZE +
                                grid.first[WP_X] + x] = noise(x, y);
    struct wp_image *picture =
        wp_picture_create_volume(image, &d, &(struct wp_picture_params){0});
    assert_non_null(picture);
    assert_int_equal(picture->width, SIZE);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            const float low = picture->plane[0][y * SIZE + x];
            const float high = picture->plane[0][(y + SIZE + GAP) * SIZE + x];
            const bool line = abs(x - SIZE / 2) <= 1 || abs(y - SIZE / 2) <= 1;
            assert_true(line || low == GRAY);
            assert_true(line || (x >= SIZE / 2 && y < SIZE / 2) == (high != GRAY));
        }
    wp_image_destroy(&picture);
    wp_image_destroy(&image);
}

// A panel has lines between the bands of its slice, for each level of x and y; levels along z only
// add none.
static void lines_of_a_panel_are_those_of_its_bands(void **state)
{
    (void)state;
    enum { SIZE = 128, DEPTH = 16, GAP = 8, PANELS = 3 };
    static const struct {
        int levels, levels_z;
        enum wp_decomposition decomposition;
        int lines[PANELS];
    } cases[] = {
        {2, 2, WP_DECOMPOSITION_DYADIC, {2, 2, 1}},
        {2, 1, WP_DECOMPOSITION_DYADIC, {2, 1}},
        {1, 2, WP_DECOMPOSITION_DYADIC, {1, 1, 1}},
        {2, 2, WP_DECOMPOSITION_SPATIAL_TEMPORAL, {2, 2, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wp_description d = {.size = {SIZE, SIZE, DEPTH},
                                         .levels = cases[i].levels,
                                         .levels_z = cases[i].levels_z,
                                         .decomposition = cases[i].decomposition};
        struct wp_image *image = wp_image_create_volume(SIZE, SIZE, DEPTH, 1, false);
        assert_non_null(image);
        struct wp_image *picture =
            wp_picture_create_volume(image, &d, &(struct wp_picture_params){0});
        assert_non_null(picture);
        const int columns = (picture->width + GAP) / (SIZE + GAP);
        for (int panel = 0; panel <= d.levels_z; panel++) {
            const int left = panel % columns * (SIZE + GAP), top = panel / columns * (SIZE + GAP);
            const float *row = &picture->plane[0][top * picture->width + left];
            for (int level = 1; level <= 3; level++)
                assert_int_equal(row[SIZE >> level] == 1, level <= cases[i].lines[panel]);
        }
        wp_image_destroy(&picture);
        wp_image_destroy(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_details_are_gray_and_ll_spans),
        cmocka_unit_test(level_zero_is_all_ll),
        cmocka_unit_test(constant_ll_is_gray),
        cmocka_unit_test(impulses_show_their_sign),
        cmocka_unit_test(each_band_has_its_scale),
        cmocka_unit_test(planes_share_a_scale),
        cmocka_unit_test(colors_are_centered_on_gray),
        cmocka_unit_test(outliers_do_not_flatten),
        cmocka_unit_test(rounding_is_not_a_detail),
        cmocka_unit_test(nonfinite_is_red_and_harmless),
        cmocka_unit_test(only_nonfinite),
        cmocka_unit_test(labels_stay_in_their_corner),
        cmocka_unit_test(labels_fit_their_bands),
        cmocka_unit_test(labels_and_lines_differ_by_layout),
        cmocka_unit_test(tiny_sizes_have_no_drawing),
        cmocka_unit_test(caption_is_a_strip_below),
        cmocka_unit_test(alpha_is_omitted),
        cmocka_unit_test(width_grows),
        cmocka_unit_test(text_is_clipped),
        cmocka_unit_test(text_is_blended),
        cmocka_unit_test(embedded_file_ends_with_zero),
        cmocka_unit_test(volumes_have_a_panel_for_each_band_along_z),
        cmocka_unit_test(a_band_of_a_volume_is_in_its_panel),
        cmocka_unit_test(lines_of_a_panel_are_those_of_its_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
