// Patches of integers and half floats (cuda/cuda_patch_elements.cuh) on the host, without a GPU.
// They give the same bits as patches of floats that the library converts from or to these elements,
// for all numbers of columns per lane.
#include "host_patches.h"

#include "cuda_patch_elements.cuh"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

extern "C" {
#include "every_wavelet.h"
#include "random.h"
#include "sample.h"

#include <cmocka.h>
}

namespace {

enum { LINE = 128, UNTOUCHED = 0xA5 };

struct element {
    enum wp_element type;
    wp_element_scale scale;
};

struct image {
    int width, height, pitch;
    std::vector<float> floats;

    image(int w, int h) : width(w), height(h), pitch((w + LINE - 1) / LINE * LINE)
    {
        floats.assign((size_t)(pitch * (h + 1)), 0.0f);
    }
};

template <class TYPE>
void convert(const element &element, image &floats, std::vector<TYPE> &elements, bool reads)
{
    for (int y = 0; y < floats.height; y++) {
        float *row = &floats.floats[(size_t)(y * floats.pitch)];
        TYPE *at = &elements[(size_t)(y * floats.pitch)];
        if (reads)
            wp_element_rows.read[element.type](row, at, 1, element.scale, floats.width);
        else
            wp_element_rows.write[element.type](at, 1, row, element.scale, floats.width);
    }
}

template <class SHAPE>
void set_args(wp_lifting_args<SHAPE> &args, const wp_cuda_level &level, band_memory &bands,
              int pitch)
{
    static const float scale[] = {1.25f, 0.5f, 0.75f, 1.5f};
    args.at.width = level.width;
    args.at.height = level.height;
    args.extension = level.extension;
    args.pitch = pitch;
    for (int b = 0; b < 4; b++) {
        args.at.band[b] = bands.band(b);
        args.at.scale[b] = level.reversible ? 1.0f : scale[b];
    }
    assert_true(SHAPE::covers(level));
    SHAPE::fill(level, &args.table);
}

int checked;

template <class ELEMENT, class SHAPE, int R, int V>
void check(const wp_lifting &lifting, const element &element, int width, int height)
{
    using type = typename ELEMENT::type;
    const wp_cuda_level level = level_of(lifting, width, height);
    band_memory expected(width, height, true), got(width, height, true);
    image floats(width, height);
    std::vector<type> elements(floats.floats.size());
    memset(elements.data(), UNTOUCHED, elements.size() * sizeof(type));
    std::vector<type> expected_elements = elements;
    wp_random random = wp_random_of((unsigned long long)(width * 1000 + height));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float value = 1.25f * (float)wp_random_uniform(&random) - 0.125f;
            const float largest = element.scale.largest > 0 ? element.scale.largest : 30000.0f;
            if (!level.inverse)
                elements[(size_t)(y * floats.pitch + x)] =
                    (type)(wp_random_uniform(&random) * largest);
            else
                expected.at(x, y) = got.at(x, y) =
                    level.reversible ? floorf(value * largest) : value;
        }
    if (!level.inverse)
        convert(element, floats, elements, true);

    wp_lifting_args<SHAPE> plain = {};
    set_args(plain, level, expected, floats.pitch);
    plain.plane = floats.floats.data();
    run_patches<SHAPE, 2, true>(plain);
    wp_element_args<SHAPE, ELEMENT> args = {};
    set_args(args, level, got, floats.pitch);
    args.elements = elements.data();
    args.by = wp_find_reciprocal(element.scale, ELEMENT::shift);
    args.scale = element.scale;
    run_patches<SHAPE, R, true, WP_EDGES_BY_ROW, wp_elements_plane<ELEMENT>, V>(args);

    if (level.inverse)
        convert(element, floats, expected_elements, false);
    const bool same = level.inverse ? memcmp(elements.data(), expected_elements.data(),
                                             expected_elements.size() * sizeof(type)) == 0
                                    : memcmp(got.data.data(), expected.data.data(),
                                             got.data.size() * sizeof(float)) == 0;
    if (!same)
        fail_msg("%s of %g, %dx%d %s%s, %d columns a lane: other bits",
                 wp_elements[element.type].name, (double)element.scale.one, width, height,
                 lifting.direction ? "inverse" : "forward", level.reversible ? " reversible" : "",
                 V);
    checked++;
}

template <class ELEMENT, class SHAPE, int R, int V>
void check_sizes(const wp_lifting &lifting, const element &element)
{
    static const int size[][2] = {{2, 2}, {5, 3}, {16, 8}, {33, 17}, {97, 24}, {121, 9},
                                  {128, 70}, {245, 31}, {480, 34}};
    for (const auto &s : size)
        if ((lifting.extension != WP_EXTEND_WRAP || (s[0] % 2 == 0 && s[1] % 2 == 0)) &&
            sample_has_case())
            check<ELEMENT, SHAPE, R, V>(lifting, element, s[0], s[1]);
}

template <class ELEMENT, template <bool> class SHAPE, enum wp_direction D>
void check_direction(const char *name, enum wp_border border, const element &element)
{
    using shape = SHAPE<D == WP_INVERSE>;
    wp_lifting lifting = wp_lifting_make(table_wavelet(name), D, WP_NORM_NONE, border);
    check_sizes<ELEMENT, shape, 3, 4>(lifting, element);
    check_sizes<ELEMENT, shape, 2, 8>(lifting, element);
    if constexpr (ELEMENT::integers)
        if (wp_lifting_is_reversible(table_wavelet(name))) {
            wp_lifting_set_reversible(&lifting);
            const struct element integer_element = {element.type,
                                                    {1, wp_elements[element.type].largest}};
            check_sizes<ELEMENT, wp_rounded<shape>, 2, 4>(lifting, integer_element);
            check_sizes<ELEMENT, wp_rounded<shape>, 3, 8>(lifting, integer_element);
        }
}

template <class ELEMENT, template <bool> class SHAPE>
void check_wavelet(const char *name, const element &element)
{
    for (int border = 0; border < WP_BORDER_NATIVE; border++) {
        check_direction<ELEMENT, SHAPE, WP_FORWARD>(name, (enum wp_border)border, element);
        check_direction<ELEMENT, SHAPE, WP_INVERSE>(name, (enum wp_border)border, element);
    }
}

template <class ELEMENT>
void check_element(const element &element)
{
    checked = 0;
    check_wavelet<ELEMENT, wp_shape_haar>("haar", element);
    check_wavelet<ELEMENT, wp_shape_53>("cdf53", element);
    check_wavelet<ELEMENT, wp_shape_97>("cdf97", element);
    check_wavelet<ELEMENT, wp_shape_137>("dd137", element);
    printf("%s: %d cases\n", wp_elements[element.type].name, checked);
}

void test_patches(void **)
{
    check_element<wp_u8>({WP_ELEMENT_U8, {255, 255}});
    check_element<wp_u16>({WP_ELEMENT_U16, {65535, 65535}});
    check_element<wp_f16>({WP_ELEMENT_F16, {1, 0}});
    // Fewer bits.
    check_wavelet<wp_u8, wp_shape_53>("cdf53", {WP_ELEMENT_U8, {100, 100}});
    check_wavelet<wp_u16, wp_shape_53>("cdf53", {WP_ELEMENT_U16, {1023, 1023}});
    sample_print();
}

// Conversion of every value of a type to float, for any value that represents 1.
template <class ELEMENT>
void check_reading(enum wp_element type, int one)
{
    const wp_element_scale scale = {(float)one, (float)one};
    const wp_reciprocal by = wp_find_reciprocal(scale, ELEMENT::shift);
    for (int i = 0; i < 1 << 8 * ELEMENT::bytes; i++) {
        const auto number = (typename ELEMENT::type)i;
        float expected;
        wp_element_rows.read[type](&expected, &number, 1, scale, 1);
        const unsigned word = ELEMENT::bytes == 1 ? (unsigned)i << 16 : (unsigned)i << 16 | 7u;
        const float read = ELEMENT::template value<false>(word, ELEMENT::bytes == 1 ? 2 : 1, by);
        if (memcmp(&read, &expected, sizeof read) != 0)
            fail_msg("%d of %d: %.9g, not %.9g", i, one, (double)read, (double)expected);
    }
}

void test_reading(void **)
{
    for (int one = 33; one < 256; one++)
        check_reading<wp_u8>(WP_ELEMENT_U8, one);
    for (int one = 1; one < 65536; one += 997)
        check_reading<wp_u16>(WP_ELEMENT_U16, one);
    check_reading<wp_u16>(WP_ELEMENT_U16, 65535);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading),
                                       cmocka_unit_test(test_patches)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
