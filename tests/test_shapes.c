// Arrays of up to 8 dimensions of which any one to three are transformed: the bits of single
// transforms, and nothing written beside the result, for random extents, orders of dimensions,
// gaps, reversed and repeated dimensions. Argument: the backend; "few": fewer arrays.
#include "elements.h"
#include "wavepass.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANK_MAX = 8, SAMPLES_MAX = 1 << 16, BANDS_MAX = 64, AXES = 3, BATCH_ALL = 7 };

static const char *backend = "cpu";
static int cases = 400;
static unsigned seed = 1;

static int random_below(int n)
{
    seed = seed * 1664525U + 1013904223U;
    return (int)((seed >> 8) % (unsigned)n);
}

// ---- arrays

// An operand in memory of its own; the size of a dimension that it lacks is 1.
struct place {
    struct wp_operand operand;
    struct wp_operand band[BANDS_MAX];
    int size[BANDS_MAX][WP_DIMENSIONS];
    unsigned char *memory;
    size_t bytes;
};

// Dimensions of both operands in random orders; in that of x, y, …, so that they nest; or with the
// last one first, whose entries are neighbors.
enum { ANY_ORDER, NATURAL_ORDER, LAST_FIRST, ORDERS };
static int order_of_case;

// Sets the strides of a view in a random order of dimensions. Adds the samples that it spans to
// `end`; its lowest address is there. `repeats`: some dimensions have strides of 0.
static void arrange(struct wp_operand *view, const int size[WP_DIMENSIONS], bool repeats,
                    ptrdiff_t *end)
{
    int order[WP_DIMENSIONS];
    ptrdiff_t step = 1, first = *end;
    for (int d = 0; d < WP_DIMENSIONS; d++) {
        const int at = random_below(d + 1);
        order[d] = order[at];
        order[at] = d;
    }
    const bool natural = order_of_case != ANY_ORDER;
    for (int i = 0; i < WP_DIMENSIONS; i++) {
        const int last = (i + WP_DIMENSIONS - 1) % WP_DIMENSIONS;
        const int d = !natural ? order[i] : order_of_case == LAST_FIRST ? last : i, n = size[d];
        view->stride[d] = step;
        if (repeats && random_below(6) == 0) {
            view->stride[d] = 0;
            continue;
        }
        if (random_below(natural ? 12 : 4) == 0) {
            view->stride[d] = -step;
            first += (n - 1) * step;
        }
        step = step * n + (random_below(natural ? 12 : 4) == 0 ? random_below(3) : 0);
    }
    view->strided = true;
    view->data = (void *)first; // until there is memory
    *end += step;
}

static void allocate(struct place *p, ptrdiff_t samples)
{
    const size_t bytes = wp_elements[p->operand.type].bytes;
    p->bytes = (size_t)samples * bytes;
    p->memory = malloc(p->bytes);
    assert_non_null(p->memory);
    memset(p->memory, 0x2b, p->bytes);
    for (int b = 0; b < (p->operand.bands ? p->operand.bands : 1); b++) {
        struct wp_operand *view = p->operand.bands ? &p->band[b] : &p->operand;
        view->data = p->memory + (size_t)(ptrdiff_t)view->data * bytes;
    }
}

static int views_of(const struct place *p)
{
    return p->operand.bands ? p->operand.bands : 1;
}

static const struct wp_operand *view_of(const struct place *p, int b)
{
    return p->operand.bands ? &p->band[b] : &p->operand;
}

// The next entry of an array. False after the last one.
static bool advance(const int size[WP_DIMENSIONS], int first, int at[WP_DIMENSIONS])
{
    for (int d = first; d < WP_DIMENSIONS; d++) {
        if (++at[d] < size[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static ptrdiff_t offset_of(const struct wp_operand *view, const int at[WP_DIMENSIONS])
{
    ptrdiff_t offset = 0;
    for (int d = 0; d < WP_DIMENSIONS; d++)
        offset += at[d] * view->stride[d];
    return offset;
}

static size_t samples_of(const int size[WP_DIMENSIONS])
{
    size_t samples = 1;
    for (int d = 0; d < WP_DIMENSIONS; d++)
        samples *= (size_t)size[d];
    return samples;
}

// Copies x, y and z of an entry between a view and an array without gaps.
static void copy_entry(const struct wp_operand *view, const int size[WP_DIMENSIONS],
                       const int entry[WP_DIMENSIONS], unsigned char *dense, bool write)
{
    const size_t bytes = wp_elements[view->type].bytes;
    int at[WP_DIMENSIONS], end[WP_DIMENSIONS];
    memcpy(at, entry, sizeof at);
    memset(at, 0, AXES * sizeof *at);
    for (int d = 0; d < WP_DIMENSIONS; d++)
        end[d] = d < AXES ? size[d] : 1;
    int inside[WP_DIMENSIONS] = {0};
    do {
        memcpy(at, inside, AXES * sizeof *at);
        unsigned char *sample = wp_operand_at(view, offset_of(view, at));
        memcpy(write ? sample : dense, write ? dense : sample, bytes);
        dense += bytes;
    } while (advance(end, 0, inside));
}

// ---- shapes

struct shape {
    int size[WP_DIMENSIONS];
    const char *wavelet, *border;
};

// One to eight dimensions, of which one to three are transformed.
static struct shape random_shape(void)
{
    static const char *const wavelets[] = {"cdf97", "cdf53", "haar", "db4"};
    const int rank = 1 + random_below(RANK_MAX);
    const int axes = 1 + random_below(rank < AXES ? rank : AXES);
    const int wavelet = random_below(4), unit = wavelet < 2 ? 1 : 2;
    struct shape s = {.wavelet = wavelets[wavelet],
                      .border = wavelet < 2 ? "symmetric" : "periodic"};
    for (int d = 0; d < WP_DIMENSIONS; d++)
        s.size[d] = 1;
    for (int a = 0; a < axes; a++)
        s.size[a] = unit * (1 + random_below(7 / unit));
    s.size[0] = random_below(8) ? unit + s.size[0] : unit * (48 + random_below(50));
    // The others are planes or batch dimensions.
    for (int i = axes; i < rank; i++) {
        int d = WP_PLANE + random_below(BATCH_ALL);
        while (s.size[d] > 1)
            d = WP_PLANE + random_below(BATCH_ALL);
        d = i == axes ? WP_DIMENSIONS - 1 : d;
        s.size[d] = random_below(5) ? 1 + random_below(3) : 4 + random_below(20);
        if (samples_of(s.size) > SAMPLES_MAX)
            s.size[d] = 1;
    }
    return s;
}

static struct wp_transform *create(const struct shape *s, bool single)
{
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
            .width = s->size[0], .height = s->size[1], .depth = s->size[2],
            .planes = single ? 1 : s->size[WP_PLANE], .wavelet = s->wavelet, .border = s->border,
            .backend = backend);
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++)
        params.batch[b] = single || s->size[WP_BATCH + b] == 1 ? 0 : s->size[WP_BATCH + b];
    struct wp_transform *t = wp_transform_create(&params);
    if (!t)
        fail_msg("%dx%dx%d: %s", s->size[0], s->size[1], s->size[2], wp_last_error_text());
    return t;
}

// The coefficients have an array per band if `separate`.
static struct place make_place(const struct shape *s, const struct wp_transform *t,
                               enum wp_element type, bool separate, bool repeats)
{
    struct place p = {.operand = {.type = type}};
    ptrdiff_t end = 0;
    p.operand.bands = separate ? wp_transform_band_count(t) : 0;
    assert_true(p.operand.bands <= BANDS_MAX);
    memcpy(p.size[0], s->size, sizeof p.size[0]);
    if (!separate)
        arrange(&p.operand, s->size, repeats, &end);
    for (int b = 0; b < p.operand.bands; b++) {
        struct wp_band_info info;
        wp_transform_get_band(t, b, &info);
        memcpy(p.size[b], s->size, sizeof p.size[b]);
        p.size[b][0] = info.width, p.size[b][1] = info.height, p.size[b][2] = info.depth;
        if (samples_of(p.size[b]))
            arrange(&p.band[b], p.size[b], repeats, &end);
    }
    allocate(&p, end);
    return p;
}

static void fill(struct place *p)
{
    const struct wp_operand all = {.data = p->memory, .type = p->operand.type, .stride = {1}};
    for (size_t i = 0; i < p->bytes / wp_elements[all.type].bytes; i++) {
        const float value = (float)random_below(1 << 16) / (1 << 16);
        wp_operand_write(&wp_element_rows, &all, (ptrdiff_t)i, &value, false, 1);
    }
}

// ---- expectation

// Writes to `expected`, the memory of `to`, what a loop of single transforms gives.
static void transform_singly(const struct shape *s, bool inverse, const struct place *from,
                             const struct place *to, unsigned char *expected)
{
    static float in[SAMPLES_MAX], out[SAMPLES_MAX];
    struct wp_transform *t = create(s, true);
    int entry[WP_DIMENSIONS] = {0};
    // The result of views of bands is that of an array without gaps.
    do {
        struct wp_operand single[2] = {{.data = in, .type = from->operand.type},
                                       {.data = out, .type = to->operand.type}};
        struct wp_operand bands[2][BANDS_MAX] = {{{.data = NULL}}};
        const struct place *both[2] = {from, to};
        for (int o = 0; o < 2; o++) {
            unsigned char *at = o ? (unsigned char *)out : (unsigned char *)in;
            const size_t bytes = wp_elements[both[o]->operand.type].bytes;
            for (int b = 0; b < views_of(both[o]); b++) {
                int size[WP_DIMENSIONS];
                memcpy(size, both[o]->size[b], sizeof size);
                for (int d = AXES; d < WP_DIMENSIONS; d++)
                    size[d] = 1;
                bands[o][b].data = at;
                if (samples_of(size) && o == 0)
                    copy_entry(view_of(from, b), size, entry, at, false);
                at += samples_of(size) * bytes;
            }
            if (both[o]->operand.bands) {
                single[o].band = bands[o];
                single[o].bands = both[o]->operand.bands;
            }
        }
        assert_true(inverse ? wp_transform_inverse(t, &single[0], &single[1])
                            : wp_transform_forward(t, &single[0], &single[1]));
        const unsigned char *result = (unsigned char *)out;
        for (int b = 0; b < views_of(to); b++) {
            struct wp_operand view = *view_of(to, b);
            int size[WP_DIMENSIONS];
            memcpy(size, to->size[b], sizeof size);
            for (int d = AXES; d < WP_DIMENSIONS; d++)
                size[d] = 1;
            if (!samples_of(size))
                continue;
            view.data = expected + ((unsigned char *)view.data - to->memory);
            copy_entry(&view, size, entry, (unsigned char *)result, true);
            result += samples_of(size) * wp_elements[view.type].bytes;
        }
    } while (advance(s->size, AXES, entry));
    wp_transform_destroy(&t);
}

static void fail_case(int number, const struct shape *s, bool inverse, const struct place *from,
                      const struct place *to)
{
    print_error("case %d, %s %s, size, strides of input and output:\n", number, s->wavelet,
                inverse ? "inverse" : "forward");
    for (int d = 0; d < WP_DIMENSIONS; d++)
        print_error("%4d %6td %6td\n", s->size[d], view_of(from, 0)->stride[d],
                    view_of(to, 0)->stride[d]);
    fail_msg("%s", "the bits of single transforms differ");
}

static void test_random(void **state)
{
    (void)state;
    int batches = 0, loops = 0;
    for (int i = 0; i < cases; i++) {
        const struct shape s = random_shape();
        order_of_case = random_below(ORDERS);
        struct wp_transform *t = create(&s, false);
        const bool inverse = random_below(2), in_place = random_below(6) == 0;
        static const enum wp_element types[] = {WP_ELEMENT_F32, WP_ELEMENT_F32, WP_ELEMENT_F32,
                                                WP_ELEMENT_U8, WP_ELEMENT_F16};
        const enum wp_element type = in_place ? WP_ELEMENT_F32 : types[random_below(5)];
        const bool separate = !in_place && random_below(5) == 0;
        struct place from = make_place(&s, t, inverse ? WP_ELEMENT_F32 : type, inverse && separate,
                                       !in_place && random_below(4) == 0);
        struct place to = in_place ? from
                                   : make_place(&s, t, inverse ? type : WP_ELEMENT_F32,
                                                !inverse && separate, false);
        from.operand.band = inverse && separate ? from.band : NULL;
        to.operand.band = !inverse && separate ? to.band : NULL;
        fill(&from);
        unsigned char *expected = malloc(to.bytes);
        assert_non_null(expected);
        memcpy(expected, to.memory, to.bytes);
        transform_singly(&s, inverse, &from, &to, expected);
        if (!(inverse ? wp_transform_inverse(t, &from.operand, &to.operand)
                      : wp_transform_forward(t, &from.operand, &to.operand)))
            fail_msg("case %d: %s", i, wp_last_error_text());
        if (memcmp(expected, to.memory, to.bytes) != 0)
            fail_case(i, &s, inverse, &from, &to);
        const char *plan = wp_transform_describe(t, inverse, &from.operand, &to.operand);
        assert_non_null(plan);
        loops += strstr(plan, "loop over the batch") != NULL;
        batches += samples_of(s.size) > (size_t)(s.size[0] * s.size[1] * s.size[2]);
        free(expected);
        free(from.memory);
        if (!in_place)
            free(to.memory);
        wp_transform_destroy(&t);
    }
    // Some are one run of planes, others loops.
    assert_true(cases < 100 || (loops > cases / 10 && batches - loops > cases / 10));
}

// Dimensions that nest in both operands are one; neighbors are preferred as planes.
static void test_plans(void **state)
{
    (void)state;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(.width = 16, .height = 8, .planes = 3,
                                                            .batch = {4, 1, 5},
                                                            .backend = "reference");
    const char *one = "(loop over planes: 60\n"
                      "  (reference 16x8, 3 levels))";
    struct wp_transform *t = wp_transform_create(&params);
    assert_non_null(t);
    assert_string_equal(wp_transform_describe(t, false, NULL, NULL), one);
    const struct wp_operand apart = {.stride = {[WP_BATCH] = 1000}};
    assert_string_equal(wp_transform_describe(t, false, &apart, NULL),
                        "(loop over the batch: 3\n"
                        "  (loop over planes: 20\n"
                        "    (reference 16x8, 3 levels)))");
    const struct wp_operand all = {.stride = {[WP_BATCH] = 1000, [WP_BATCH + 2] = 5000}};
    assert_string_equal(wp_transform_describe(t, true, &all, NULL),
                        "(loop over the batch: 4 x 3\n"
                        "  (loop over planes: 5\n"
                        "    (reference 16x8, 3 levels)))");
    wp_transform_destroy(&t);
    // Signals along the middle axis of an array of 100 x 64 x 9 samples.
    params = (struct wp_transform_params)WP_TRANSFORM_PARAMS(
        .width = 64, .height = 1, .planes = 100, .batch = {9}, .backend = "cpu", .threads = 1);
    const struct wp_operand middle = {.stride = {9, [WP_PLANE] = 9 * 64, 1}};
    t = wp_transform_create(&params);
    assert_non_null(t);
    assert_string_equal(wp_transform_describe(t, false, &middle, &middle),
                        "(loop over the batch: 100\n"
                        "  (planes as slices: 9\n"
                        "    (cpu/fused 64x1x9, 3 levels, 0 along z)))");
    wp_transform_destroy(&t);
}

// ---- errors

static void expect_message(bool done, const char *words)
{
    assert_false(done);
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    if (!strstr(wp_last_error_text(), words))
        fail_msg("'%s' is not in '%s'", words, wp_last_error_text());
    wp_clear_error();
}

static void expect_no_transform(struct wp_transform_params params, const char *words)
{
    params.backend = backend;
    struct wp_transform *t = wp_transform_create(&params);
    expect_message(t != NULL, words);
}

static void test_extents_rejected(void **state)
{
    (void)state;
    expect_no_transform((struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 0, .height = 4),
                        "an image of 0x4 has no pixels");
    expect_no_transform((struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 4, .height = 4,
                                                                        .batch = {2, 0, -3}),
                        "batch dimension 3 cannot have -3 entries");
    expect_no_transform((struct wp_transform_params)WP_TRANSFORM_PARAMS(
                            .width = 1 << 20, .height = 1 << 20, .planes = 1 << 20, .batch = {8}),
                        "an array of 1048576x1048576x1x1048576x8 samples");
    expect_no_transform((struct wp_transform_params)WP_TRANSFORM_PARAMS(
                            .width = 8, .height = 8,
                            .batch = {INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX}),
                        "does not fit the address space of 64 bits");
}

enum { SIDE = 8, ENTRIES = 3, ALL = SIDE * SIDE * ENTRIES * ENTRIES };

static void test_operands_rejected(void **state)
{
    (void)state;
    static float memory[2 * ALL], before[2 * ALL];
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = SIDE, .height = SIDE, .planes = ENTRIES, .batch = {ENTRIES}, .backend = backend);
    struct wp_transform *t = wp_transform_create(&params);
    assert_non_null(t);
    for (int i = 0; i < 2 * ALL; i++)
        memory[i] = before[i] = (float)i;
    const struct wp_operand dense = {.data = memory}, second = {.data = memory + ALL};
    const int image = SIDE * SIDE;
    const struct {
        struct wp_operand from, to;
        const char *words;
    } wrong[] = {
        {dense,
         {.data = memory + ALL, .strided = true, .stride = {1, SIDE, 0, image, 0}},
         "a stride of 0 in batch dimension 1, but 3 of them are written"},
        {dense,
         {.data = memory + ALL, .strided = true, .stride = {1, 0, 0, image, ENTRIES * image}},
         "a stride of 0 in rows, but 8 of them are written"},
        {dense, {.data = memory + ALL, .stride = {[WP_BATCH] = ENTRIES * image - 1}},
         "samples of the coefficients overlap (8x8 in 3 planes, with distances of 1, 8 and 64 "
         "between columns, rows and planes, 191 in batch dimension 1 of 3)"},
        {{.data = memory, .stride = {[WP_BATCH] = image}}, second, "samples of the image overlap"},
        {{.data = memory, .stride = {[WP_BATCH] = PTRDIFF_MAX / 2}}, second,
         "the image of 8x8x1x3x3 with samples of 4 bytes does not fit the address space"},
        {{.data = memory, .stride = {[WP_PLANE] = PTRDIFF_MAX / 4}}, second,
         "does not fit the address space"},
        {dense, {.data = memory + ENTRIES * image},
         "the output of one entry would overwrite the input of another"},
        {dense, {.data = memory, .stride = {[WP_PLANE] = ENTRIES * image, image}},
         "their strides along planes or the batch differ"},
        {dense, {.location = WP_LOCATION_TEXTURE, .name = 1}, "caller's context"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect_message(wp_transform_forward(t, &wrong[i].from, &wrong[i].to), wrong[i].words);
        assert_memory_equal(memory, before, sizeof memory);
    }
    // In place, and entries that share memory with themselves only.
    const struct wp_operand back = {.data = memory + (ENTRIES - 1) * ENTRIES * image,
                                    .stride = {[WP_BATCH] = -ENTRIES * image}};
    assert_true(wp_transform_forward(t, &back, &back));
    const struct wp_operand shifted = {.data = memory + 1, .stride = {1, SIDE, 0, image + 2,
                                                                      ENTRIES * (image + 2)}};
    const struct wp_operand start = {.data = memory, .stride = {1, SIDE, 0, image + 2,
                                                                ENTRIES * (image + 2)}};
    assert_true(wp_transform_forward(t, &shifted, &start));
    wp_transform_destroy(&t);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest random[] = {cmocka_unit_test(test_random)};
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_extents_rejected),
        cmocka_unit_test(test_operands_rejected),
    };
    backend = argc > 1 ? argv[1] : backend;
    cases = argc > 2 ? 12 : cases;
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = 2, .height = 2, .backend = backend);
    struct wp_transform *t = wp_transform_create(&params);
    if (!t)
        return wp_last_error() == WP_ERROR_UNAVAILABLE ? 77 : 1;
    wp_transform_destroy(&t);
    const int failed = cmocka_run_group_tests(random, NULL, NULL);
    return argc > 2 ? failed : failed + cmocka_run_group_tests(others, NULL, NULL);
}
