// Wavelet packets: every backend against one level of the decimated bank of each
// node, one after the other, by calls of the library for arrays without gaps;
// the inverse; adjoints by products; trees, sizes, strides, types, in place.
// The nodes of a description; the best basis against a search of all trees;
// descriptions that are rejected.
#include "log.h"
#include "packets.h"
#include "registry.h"
#include "subbands.h"
#include "wavelet.h"
#include "wavepass_packets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint32_t seed = 1;

static double noise(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

static struct wp_description describe(const struct wp_transform_params *p)
{
    return (struct wp_description){
        .bank = WP_BANK_PACKETS,
        .tree = p->tree,
        .size = {p->width, p->height, p->depth > 1 ? p->depth : 1},
        .levels = p->levels,
        .levels_z = p->depth > 1 ? p->levels_z : 0,
    };
}

// ---- The oracle: doubles, one plane.

static void split(const struct wp_transform_params *p, const struct wp_description *d,
                  const struct wp_band_grid *grid, double *plane, bool inverse)
{
    const int *n = grid->size;
    const size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    double *from = malloc(count * sizeof *from), *to = malloc(count * sizeof *to);
    const struct wp_transform_params level = WP_TRANSFORM_PARAMS(
        .width = n[0], .height = n[1], .depth = p->depth, .wavelet = p->wavelet,
        .border = p->border, .norm = p->norm, .adjoint = p->adjoint, .backend = "reference",
        .levels = p->levels == WP_LEVELS_NONE ? WP_LEVELS_NONE : 1,
        .levels_z = p->levels_z == WP_LEVELS_NONE ? WP_LEVELS_NONE : d->levels_z > 0);
    struct wp_transform_params own = level;
    own.depth = n[2] > 1 ? n[2] : 0;
    struct wp_transform *t = wp_transform_create(&own);
    assert_non_null(t);
    for (int step = 0; step < 2; step++) {
        size_t i = 0;
        for (int z = 0; z < n[2]; z++)
            for (int y = 0; y < n[1]; y++)
                for (int x = 0; x < n[0]; x++, i++) {
                    double *at = &plane[((size_t)(grid->first[2] + z) * (size_t)d->size[1] +
                                         (size_t)(grid->first[1] + y)) * (size_t)d->size[0] +
                                        (size_t)(grid->first[0] + x)];
                    if (step)
                        *at = to[i];
                    else
                        from[i] = *at;
                }
        const struct wp_operand in = {.data = from, .type = WP_ELEMENT_F64};
        const struct wp_operand out = {.data = to, .type = WP_ELEMENT_F64};
        if (step == 0)
            assert_true((inverse ? wp_transform_inverse : wp_transform_forward)(t, &in, &out));
    }
    wp_transform_destroy(&t);
    free(from);
    free(to);
}

// Nodes of a level after those of the level before, inverse in the other order.
static void transform(const struct wp_transform_params *p, double *plane, bool inverse)
{
    const struct wp_description d = describe(p);
    for (int l = 0; l < wp_description_levels(&d); l++) {
        const int level = inverse ? wp_description_levels(&d) - 1 - l : l;
        struct wp_packet_walk walk = {.description = &d};
        while (wp_packet_next(&walk))
            if (walk.split && walk.node.level == level)
                split(p, &d, &walk.node.grid, plane, inverse);
    }
}

// ---- Cases.

struct setting {
    struct wp_transform_params params;
    enum wp_element type;
    int row, gap; // samples between rows and planes beyond their extents
    bool in_place;
};

static void check(const struct setting *s, const char *backend)
{
    struct wp_transform_params p = s->params;
    const bool wide = s->type == WP_ELEMENT_F64;
    p.struct_size = sizeof p;
    p.backend = backend;
    p.bank = "packets";
    const int planes = p.planes > 1 ? p.planes : 1, depth = p.depth > 1 ? p.depth : 1;
    const int rows = p.height * depth, pitch = p.width + s->row, stride = pitch * rows + s->gap;
    const size_t count = (size_t)(stride * planes), one = (size_t)(p.width * rows);
    double *expected = malloc(one * (size_t)planes * sizeof *expected);
    double *given = malloc(one * (size_t)planes * sizeof *given);
    double *data[2] = {calloc(count, sizeof **data), calloc(count, sizeof **data)};
    const struct wp_operand operand = {.type = s->type, .strided = true,
                                       .stride = {1, pitch, pitch * p.height, stride}};
    wp_begin_attempt();
    struct wp_transform *t = wp_transform_create(&p);
    wp_end_attempt();
    if (!t && wp_last_error() == WP_ERROR_UNAVAILABLE)
        goto end;
    if (!t)
        fail_msg("%s %s: %s", backend, p.wavelet, wp_last_error_text());
    for (int inverse = 0; inverse < 2; inverse++) {
        for (size_t i = 0; i < one * (size_t)planes; i++)
            given[i] = expected[i] = (double)(float)noise();
        for (int q = 0; q < planes; q++)
            transform(&p, expected + (size_t)q * one, inverse);
        for (int q = 0; q < planes; q++)
            for (int y = 0; y < rows; y++)
                for (int x = 0; x < p.width; x++) {
                    const size_t at = (size_t)(q * stride + y * pitch + x);
                    const double value = given[((size_t)q * (size_t)rows + (size_t)y) *
                                                   (size_t)p.width + (size_t)x];
                    if (wide)
                        data[0][at] = value;
                    else
                        ((float *)data[0])[at] = (float)value;
                }
        struct wp_operand in = operand, out = operand;
        in.data = data[0];
        out.data = data[s->in_place ? 0 : 1];
        assert_true((inverse ? wp_transform_inverse : wp_transform_forward)(t, &in, &out));
        double largest = 0, worst = 0;
        for (int q = 0; q < planes; q++)
            for (int y = 0; y < rows; y++)
                for (int x = 0; x < p.width; x++) {
                    const size_t at = (size_t)(q * stride + y * pitch + x);
                    const double value = expected[((size_t)q * (size_t)rows + (size_t)y) *
                                                      (size_t)p.width + (size_t)x];
                    const double got = wide ? ((const double *)out.data)[at]
                                            : (double)((const float *)out.data)[at];
                    largest = fmax(largest, fabs(value));
                    worst = fmax(worst, fabs(got - value));
                }
        if (worst > (wide ? 1e-13 : 3e-6) * largest)
            fail_msg("%s %s %dx%dx%d tree %s %s: %g of %g", backend, p.wavelet, p.width, p.height,
                     depth, p.tree ? p.tree : "full", inverse ? "inverse" : "forward", worst,
                     largest);
    }
    wp_transform_destroy(&t);
end:
    free(expected);
    free(given);
    free(data[0]);
    free(data[1]);
}

static const struct setting settings[] = {
    {.params = {.width = 64, .height = 1, .wavelet = "db3", .border = "periodic", .levels = 4}},
    {.params = {.width = 37, .height = 1, .wavelet = "cdf97", .levels = 3, .tree = "11010"}},
    {.params = {.width = 1, .height = 24, .wavelet = "cdf53", .levels = 2, .planes = 3}},
    {.params = {.width = 32, .height = 48, .wavelet = "cdf97", .levels = 3}},
    {.params = {.width = 32, .height = 48, .wavelet = "db2", .border = "periodic", .levels = 2,
                .norm = "orthonormal", .tree = "10110"}},
    {.params = {.width = 29, .height = 35, .wavelet = "cdf97", .levels = 2}},
    {.params = {.width = 29, .height = 35, .wavelet = "cdf97", .levels = 3,
                .tree = "1100101011000"}},
    {.params = {.width = 24, .height = 16, .wavelet = "cdf53", .levels = 2, .planes = 4}},
    {.params = {.width = 24, .height = 16, .wavelet = "cdf53", .levels = 2, .planes = 4},
     .row = 3, .gap = 5},
    {.params = {.width = 24, .height = 17, .wavelet = "cdf53", .levels = 2, .planes = 2,
                .tree = "11101"}, .gap = 7},
    {.params = {.width = 16, .height = 16, .wavelet = "haar", .levels = 4}, .in_place = true},
    {.params = {.width = 16, .height = 20, .wavelet = "cdf97", .levels = 2, .tree = "10010",
                .planes = 3}, .in_place = true},
    {.params = {.width = 16, .height = 20, .wavelet = "cdf97", .levels = 1, .tree = "0"}},
    {.params = {.width = 16, .height = 12, .depth = 8, .wavelet = "cdf97", .levels = 2,
                .levels_z = 2}},
    {.params = {.width = 16, .height = 9, .depth = 7, .wavelet = "cdf53", .levels = 2,
                .levels_z = 2, .tree = "110000101"}},
    {.params = {.width = 16, .height = 12, .depth = 5, .wavelet = "cdf97", .levels = 2,
                .levels_z = WP_LEVELS_NONE}},
    {.params = {.width = 24, .height = 20, .wavelet = "cdf97", .levels = 2, .adjoint = true}},
    {.params = {.width = 24, .height = 20, .wavelet = "db2", .border = "periodic", .levels = 2,
                .adjoint = true, .tree = "10010"}},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void test_nodes_one_by_one(void **state)
{
    static const char *const backends[] = {"reference", "cpu", "fragment", "compute"};
    (void)state;
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        const bool shaders = b > 1;
        for (size_t i = 0; i < SETTINGS; i++) {
            struct setting s = settings[i];
            if (!s.params.border)
                s.params.border = "symmetric";
            if (!s.params.norm)
                s.params.norm = "jpeg2000";
            if (shaders && (s.params.depth > 1 || s.params.adjoint))
                continue; // shaders of volumes take long without a GPU
            check(&s, backends[b]);
            s.type = WP_ELEMENT_F64;
            if (!shaders)
                check(&s, backends[b]);
        }
    }
}

// ---- Nodes.

static void test_nodes(void **state)
{
    static const char *const names[] = {"aa", "av", "ah", "ad", "v", "ha", "hv", "hh", "hd", "d"};
    (void)state;
    struct wp_description d = {.bank = WP_BANK_PACKETS, .size = {21, 13, 1}, .levels = 2,
                               .tree = "11010"};
    int area = 0, index = 0;
    struct wp_packet_walk walk = {.description = &d};
    assert_int_equal(wp_packet_leaves(&d), 10);
    assert_int_equal(wp_subband_count(&d), 10);
    while (wp_packet_next(&walk)) {
        char name[WP_PACKET_NAME_SIZE];
        if (walk.split)
            continue;
        const struct wp_packet leaf = wp_packet_leaf(&d, index);
        const struct wp_subband subband = wp_subband_describe(&d, index);
        const int *size = leaf.grid.size, *first = leaf.grid.first;
        assert_memory_equal(&leaf, &walk.node, sizeof leaf);
        wp_packet_name(&d, &leaf, name);
        assert_string_equal(name, names[index]);
        assert_string_equal(subband.node, name);
        area += size[0] * size[1];
        for (int y = first[1]; y < first[1] + size[1]; y++)
            for (int x = first[0]; x < first[0] + size[0]; x++) {
                const struct wp_packet found = wp_packet_at(&d, (const int[]){x, y, 0});
                assert_memory_equal(&found, &leaf, sizeof leaf);
            }
        index++;
    }
    assert_int_equal(area, 21 * 13);
    assert_string_equal(walk.left, "");
    d.tree = NULL;
    assert_int_equal(wp_packet_leaves(&d), 16);
    for (int i = 0; i < 16; i++) {
        const struct wp_packet leaf = wp_packet_leaf(&d, i);
        struct wp_description same = d;
        same.tree = "11111";
        const struct wp_packet other = wp_packet_leaf(&same, i);
        assert_memory_equal(&leaf, &other, sizeof leaf);
    }
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(wp_packet_frequency(wp_packet_natural(i)), i);
        // Neighbors by frequency differ in one level.
        if (i > 0)
            assert_int_equal(__builtin_popcount(wp_packet_natural(i) ^ wp_packet_natural(i - 1)), 1);
    }
}

// A sine at frequency f is mostly in the node of that frequency.
static void test_frequencies(void **state)
{
    enum { N = 512, LEVELS = 3, NODES = 1 << LEVELS };
    (void)state;
    const struct wp_transform_params p = WP_TRANSFORM_PARAMS(
        .width = N, .height = 1, .wavelet = "db20", .border = "periodic", .norm = "orthonormal",
        .levels = LEVELS, .bank = "packets", .backend = "cpu");
    struct wp_transform *t = wp_transform_create(&p);
    assert_non_null(t);
    for (unsigned f = 0; f < NODES; f++) {
        float x[N], c[N];
        double energy[NODES] = {0};
        unsigned most = 0;
        for (int i = 0; i < N; i++)
            x[i] = (float)sin(3.14159265358979 * (f + 0.5) / NODES * i);
        assert_true(wp_transform_forward(t, WP_ARRAY(x), WP_ARRAY(c)));
        for (int i = 0; i < N; i++)
            energy[i / (N / NODES)] += (double)c[i] * (double)c[i];
        for (unsigned i = 0; i < NODES; i++)
            most = energy[i] > energy[most] ? i : most;
        assert_int_equal(wp_packet_frequency(most), f);
        assert_true(energy[most] > 0.7 * N / 2);
    }
    wp_transform_destroy(&t);
}

// ---- The best basis, by a search of all trees of two levels.

static double entropy(const struct wp_transform_params *given, const char *tree, const float *x)
{
    struct wp_transform_params p = *given;
    float c[16 * 16];
    double sum = 0;
    p.tree = tree;
    p.norm = "orthonormal";
    struct wp_transform *t = wp_transform_create(&p);
    assert_non_null(t);
    assert_true(wp_transform_forward(t, WP_ARRAY((float *)(uintptr_t)x), WP_ARRAY(c)));
    for (int i = 0; i < 16 * 16; i++)
        sum -= c[i] == 0 ? 0 : (double)c[i] * (double)c[i] * log((double)c[i] * (double)c[i]);
    wp_transform_destroy(&t);
    return sum;
}

static double count_all(void *user, const double *coefficient, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(coefficient[i]);
    *(size_t *)user += count;
    return sum;
}

static void test_best_tree(void **state)
{
    struct wp_transform_params p = WP_TRANSFORM_PARAMS(
        .width = 16, .height = 16, .wavelet = "db2", .border = "periodic", .levels = 2,
        .bank = "packets", .backend = "cpu");
    (void)state;
    for (int image = 0; image < 6; image++) {
        float x[16 * 16];
        for (int i = 0; i < 16 * 16; i++)
            x[i] = (float)(sin(image * 0.7 * (i % 16) + (5 - image) * 0.6 * (i / 16)) +
                           0.1 * noise());
        const struct wp_packet_cost cost = {.name = "shannon"};
        char found[WP_TREE_SIZE], best[8] = "0";
        double least = entropy(&p, "0", x);
        for (int set = 0; set < 16; set++) {
            const char tree[] = {'1', (char)('0' + (set & 1)), (char)('0' + (set >> 1 & 1)),
                                 (char)('0' + (set >> 2 & 1)), (char)('0' + (set >> 3)), '\0'};
            const double sum = entropy(&p, tree, x);
            if (sum < least) {
                least = sum;
                strcpy(best, tree);
            }
        }
        assert_true(wp_packets_best(&p, WP_ARRAY(x), &cost, found));
        assert_string_equal(found, best);
        // The norm of the result has no effect, and a function is called for every node.
        struct wp_transform_params other = p;
        size_t counted = 0;
        char by_name[WP_TREE_SIZE];
        other.norm = "none";
        assert_true(wp_packets_best(&other, WP_ARRAY(x), &cost, by_name));
        assert_string_equal(by_name, best);
        assert_true(wp_packets_best(&p, WP_ARRAY(x),
                                    &(struct wp_packet_cost){.function = count_all, .user = &counted},
                                    found));
        assert_true(wp_packets_best(&p, WP_ARRAY(x),
                                    &(struct wp_packet_cost){.name = "norm", .parameter = 1},
                                    by_name));
        assert_string_equal(found, by_name);
        assert_int_equal(counted, 3 * 16 * 16);
    }
}

static void test_rejected(void **state)
{
    static const struct {
        const char *message;
        struct wp_transform_params params;
    } cases[] = {
        {"do not support 6 levels", {.levels = 6}},
        {"multiple of 2^levels", {.levels = 3, .border = "periodic"}},
        {"invalid tree '1x'", {.levels = 2, .tree = "1x"}},
        {"invalid tree ''", {.levels = 2, .tree = ""}},
        {"has 6 digits, but 5 nodes", {.levels = 2, .tree = "110000"}},
        {"does not support border 'pywt-zero'", {.border = "pywt-zero"}},
        {"does not support layout 'mixed'", {.layout = "mixed"}},
        {"no reversible transform", {.reversible = true, .wavelet = "cdf53"}},
        {"only for bank 'packets'", {.bank = "decimated", .tree = "0"}},
        {"not symmetric", {.wavelet = "db2"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wp_transform_params p = cases[i].params;
        p.struct_size = sizeof p;
        p.width = 36;
        p.height = 44;
        p.bank = p.bank ? p.bank : "packets";
        p.backend = "cpu";
        wp_begin_attempt();
        struct wp_transform *t = wp_transform_create(&p);
        wp_end_attempt();
        assert_null(t);
        if (!strstr(wp_last_error_text(), cases[i].message))
            fail_msg("case %zu: %s", i, wp_last_error_text());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_one_by_one), cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_frequencies),      cmocka_unit_test(test_best_tree),
        cmocka_unit_test(test_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
