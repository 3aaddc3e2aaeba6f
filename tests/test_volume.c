// Volumes on one backend, compared with the oracle, which is extended to three dimensions here: one
// level along each axis in turn, with the oracle's transform of images of one column. Ends with "N
// passed, N failed". One device is used for all checks, since creating contexts and programs takes
// longer than most transforms.
//
//     test_volume BACKEND [VARIANT...] [--large | [--quick] [--some | --schemes]]
//
// --quick: without the larger sizes. --some: rotates through norms, layouts, borders and levels,
// one of several per size. --schemes: all schemes in both forms, for the smaller sizes; with
// --quick without the wavelets whose largest shaders take long to compile in software.
#include "registry.h"
#include "plan.h"
#include "oracle.h"
#include "sample.h"
#include "wavelet.h"
#include "wavepass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct size {
    int depth, height, width;
};

static const struct size sizes[] = {
    {1, 1, 9},    {1, 7, 5},    {6, 1, 1},    {5, 1, 3},    {2, 2, 2},     {3, 5, 7},
    {9, 14, 11},  {16, 24, 40}, {17, 33, 12}, {7, 64, 65},  {33, 31, 129}, {64, 48, 80},
    {12, 130, 257},
};

enum { SIZES = sizeof sizes / sizeof *sizes, QUICK = 9 };

static const char *const wavelets[] = {"haar", "cdf53", "cdf97", "dd137", "dd97", "d4", "d6",
                                       "bior2.8"};

// Pairs of numbers of levels, in the plane and along z.
static const int level_pairs[][2] = {{1, 1}, {2, WP_LEVELS_NONE}, {WP_LEVELS_NONE, 2}, {1, 2},
                                     {3, 1}, {WP_LEVELS_MOST, WP_LEVELS_MOST}};

static struct {
    int passed, failed, undefined;
    double worst;
} total;

static int index_of(const struct size *s, int x, int y, int z)
{
    return (z * s->height + y) * s->width + x;
}

static int halved(int n)
{
    return n / 2 + n % 2;
}

// One level of a line of n numbers with the distance `step`.
static void line(const struct oracle_filters *filters, enum oracle_border border,
                 enum oracle_norm norm, double *data, int step, int n)
{
    double in[512], out[512];
    for (int i = 0; i < n; i++)
        in[i] = data[i * step];
    if (n > 1 && !oracle_forward(filters, border, norm, 1, 1, n, in, out))
        abort();
    for (int i = 0; i < n && n > 1; i++)
        data[i * step] = out[i];
}

// Gains of a line's coefficients relative to jpeg2000.
static void gain_line(const struct oracle_filters *filters, enum oracle_norm norm, double *data,
                      int step, int n)
{
    double gain[512];
    if (n < 2)
        return;
    oracle_gains(filters, norm, 1, 1, n, gain);
    for (int i = 0; i < n; i++)
        data[i * step] *= gain[i];
}

struct levels {
    int plane, z;
    bool temporal; // levels along z after all levels of the plane
};

// The number of levels; each level is along x and y, along z, or both.
static int count_levels(const struct levels *levels)
{
    const int larger = levels->plane > levels->z ? levels->plane : levels->z;
    return levels->temporal ? levels->plane + levels->z : larger;
}

static bool in_plane(const struct levels *levels, int l)
{
    return l < levels->plane;
}

static bool is_along_z(const struct levels *levels, int l)
{
    return levels->temporal ? l >= levels->plane : l < levels->z;
}

// True if all sizes that a level splits are even, which periodic borders require.
static bool is_defined(const struct size *s, const struct levels *levels, enum oracle_border border)
{
    const int size[] = {s->width, s->height, s->depth};
    for (int a = 0; a < 3 && border == ORACLE_PERIODIC; a++) {
        int n = size[a];
        for (int l = 0; l < (a == 2 ? levels->z : levels->plane); l++, n = halved(n))
            if (n % 2 && n > 1)
                return false;
    }
    return true;
}

// The transform in the Mallat layout; `gains` are the factors of the coefficients relative to
// jpeg2000.
static void forward(const struct oracle_filters *filters, enum oracle_border border,
                    enum oracle_norm norm, const struct size *s, const struct levels *levels,
                    double *data, double *gains)
{
    int w = s->width, h = s->height, d = s->depth;
    for (int l = 0; l < count_levels(levels); l++) {
        const bool plane = in_plane(levels, l), along_z = is_along_z(levels, l);
        w = l == levels->plane && levels->temporal ? s->width : w;
        h = l == levels->plane && levels->temporal ? s->height : h;
        for (int z = 0; z < d && plane; z++)
            for (int y = 0; y < h; y++) {
                line(filters, border, norm, data + index_of(s, 0, y, z), 1, w);
                gain_line(filters, norm, gains + index_of(s, 0, y, z), 1, w);
            }
        for (int z = 0; z < d && plane; z++)
            for (int x = 0; x < w; x++) {
                line(filters, border, norm, data + index_of(s, x, 0, z), s->width, h);
                gain_line(filters, norm, gains + index_of(s, x, 0, z), s->width, h);
            }
        for (int y = 0; y < h && along_z; y++)
            for (int x = 0; x < w; x++) {
                line(filters, border, norm, data + index_of(s, x, y, 0), s->width * s->height, d);
                gain_line(filters, norm, gains + index_of(s, x, y, 0), s->width * s->height, d);
            }
        w = plane ? halved(w) : w;
        h = plane ? halved(h) : h;
        d = along_z ? halved(d) : d;
    }
}

// The index in the Mallat layout of a coefficient of the mixed layout. A sample is split further
// until it is high-pass along some axis.
static int from_mixed(const struct size *s, const struct levels *levels, int x, int y, int z)
{
    int at[3] = {x, y, z}, n[3] = {s->width, s->height, s->depth}, position[3] = {x, y, z};
    bool low = true;
    for (int l = 0; l < count_levels(levels); l++) {
        bool high = false;
        low = low || (levels->temporal && l == levels->plane);
        for (int a = 0; a < 3 && low; a++) {
            if (!(a == 2 ? is_along_z(levels, l) : in_plane(levels, l)))
                continue;
            const bool odd = at[a] % 2;
            position[a] = odd ? halved(n[a]) + at[a] / 2 : at[a] / 2;
            high = high || odd;
            at[a] /= 2;
            n[a] = halved(n[a]);
        }
        low = low && !high;
    }
    return index_of(s, position[0], position[1], position[2]);
}

static unsigned seed = 1;

static double random_value(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (double)(float)((double)(seed >> 8) / (1 << 24));
}

// The oracle's names of borders and normalizations.
static const enum oracle_border oracle_borders[WP_BORDER_NATIVE] = {
    [WP_BORDER_SYMMETRIC] = ORACLE_SYMMETRIC, [WP_BORDER_PERIODIC] = ORACLE_PERIODIC};
static const enum oracle_norm oracle_norms[WP_NORM_PYWT] = {
    [WP_NORM_NONE] = ORACLE_NONE,
    [WP_NORM_JPEG2000] = ORACLE_JPEG2000,
    [WP_NORM_ORTHONORMAL] = ORACLE_ORTHONORMAL,
};

// The implementation to test; NULL: the default.
struct config {
    const struct wp_backend_choice *on;
    const char *variant, *wavelet, *scheme;
    bool plain;
};

static void fail(const struct config *config, const struct wp_description *d, const char *problem,
                 double error)
{
    printf("%s %s %s %s%s %s %s %s %dx%dx%d levels %d, %d%s: %s %g (%s)\n",
           config->on->backend->name, config->variant ? config->variant : "-",
           config->wavelet ? config->wavelet : "-", config->scheme ? config->scheme : "-",
           config->plain ? ", plain" : "", wp_border_names[d->border], wp_norm_names[d->norm],
           wp_layout_names[d->layout], d->size[WP_X], d->size[WP_Y], d->size[WP_Z], d->levels,
           d->levels_z, d->decomposition ? " by themselves" : "", problem, error,
           wp_last_error_text());
    total.failed++;
}

// Between their lifting pairs, or in sums over three axes, these wavelets have values of many times
// the data, for CDF 9/7 4.7 times per axis. Passes that compute all three axes before the next pair
// lose precision by this, unlike those of two axes.
static double bound_of(const struct config *config)
{
    static const char *const large[] = {"cdf97", "d4", "d6"};
    const bool passes =
        config->scheme || (config->variant && strcmp(config->variant, "passes") == 0);
    for (size_t i = 0; i < sizeof large / sizeof *large && passes; i++)
        if (strcmp(config->wavelet, large[i]) == 0)
            return 5e-5;
    return 1e-5;
}

// The largest error of the coefficients, relative to their gains.
static double worst_of(const struct size *s, const struct levels *levels, bool mixed,
                       const float *got, const double *expected, const double *gain)
{
    double worst = 0;
    for (int z = 0; z < s->depth; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                const int at = index_of(s, x, y, z);
                const int from = mixed ? from_mixed(s, levels, x, y, z) : at;
                worst = fmax(worst, fabs((double)got[at] - expected[from]) / gain[from]);
            }
    return worst;
}

// Whether one wrong coefficient is detected.
static bool detects_wrong_coefficient(const struct size *s, const struct levels *levels, bool mixed,
                        const float *got, double *expected, const double *gain, double bound)
{
    const int count = s->width * s->height * s->depth;
    const int at = (int)(random_value() * (count - 1));
    const double right = expected[at];
    expected[at] += 3 * bound * gain[at];
    const double worst = worst_of(s, levels, mixed, got, expected, gain);
    expected[at] = right;
    return worst >= bound;
}

// Whether the variant does not support the wavelet. Prints this once for each.
static bool is_unsupported(const struct config *config)
{
    static const char *last_variant, *last_wavelet;
    if (!config->variant || !strstr(wp_last_error_text(), "does not support this transform"))
        return false;
    if (config->variant != last_variant || config->wavelet != last_wavelet)
        printf("omitted: %s\n", wp_last_error_text());
    last_variant = config->variant;
    last_wavelet = config->wavelet;
    return true;
}

// Prepares a direction. False if it is rejected.
static bool prepare(const struct config *config, const struct wp_description *d,
                    enum wp_direction direction, struct wp_plan **plan)
{
    struct wp_description directed = *d;
    const struct wp_variant *variant;
    directed.direction = direction;
    return wp_description_check(&directed) &&
           wp_backend_find_variant(config->on->backend, config->variant, &directed, &variant) &&
           (*plan = wp_plan_create(
                &(struct wp_planner){config->on->backend, config->on->device, variant, false},
                &(struct wp_problem){.description = directed,
                                     .slices = wp_description_depth(&directed)}));
}

static bool transform(const struct wp_description *d, const struct wp_plan *plan,
                      const float *in, float *out)
{
    const struct wp_operand from = wp_operand_const(d, in), to = wp_operand_dense(d, out);
    return plan->kind->apply(plan, &from, &to, &(struct wp_execution){0});
}

static bool inverse_transform(const struct config *config, const struct wp_description *d,
                              float *data)
{
    struct wp_plan *plan = NULL;
    const bool ok = prepare(config, d, WP_INVERSE, &plan) && transform(d, plan, data, data);
    wp_plan_destroy(&plan);
    return ok;
}

// Checks the prepared transform and its inverse with random numbers.
static void check_numbers(const struct config *config, const struct wp_description *d,
                          const struct oracle_filters *filters, const struct wp_plan *plan)
{
    const struct size size = {wp_description_depth(d), d->size[WP_Y], d->size[WP_X]}, *s = &size;
    const struct levels levels = {d->levels, d->levels_z, d->decomposition};
    const bool mixed = d->layout == WP_LAYOUT_MIXED;
    const int count = s->width * s->height * s->depth;
    double *expected = calloc((size_t)count, sizeof *expected),
           *gain = calloc((size_t)count, sizeof *gain);
    float *image = calloc((size_t)count, sizeof *image), *got = calloc((size_t)count, sizeof *got);
    if (!expected || !gain || !image || !got)
        abort();
    for (int i = 0; i < count; i++) {
        gain[i] = 1;
        expected[i] = random_value();
        image[i] = (float)expected[i];
    }
    forward(filters, oracle_borders[d->border], oracle_norms[d->norm], s, &levels, expected, gain);
    if (!transform(d, plan, image, got)) {
        fail(config, d, "no transform", 0);
    } else {
        const double bound = bound_of(config),
                     worst = worst_of(s, &levels, mixed, got, expected, gain);
        double inverse_error = 0;
        const bool detected =
            detects_wrong_coefficient(s, &levels, mixed, got, expected, gain, bound);
        if (!inverse_transform(config, d, got))
            inverse_error = INFINITY;
        for (int i = 0; i < count; i++)
            inverse_error = fmax(inverse_error, fabs((double)got[i] - (double)image[i]));
        total.worst = fmax(total.worst, fmax(worst, inverse_error));
        if (!detected)
            fail(config, d, "a wrong coefficient passes", 0);
        else if (!(worst < bound))
            fail(config, d, "forward error", worst);
        else if (!(inverse_error < bound))
            fail(config, d, "round-trip error", inverse_error);
        else
            total.passed++;
    }
    free(expected);
    free(gain);
    free(image);
    free(got);
}

static void check(const struct config *config, const struct wp_description *d,
                  const struct oracle_filters *filters)
{
    const struct size s = {wp_description_depth(d), d->size[WP_Y], d->size[WP_X]};
    const struct levels levels = {d->levels, d->levels_z, d->decomposition};
    struct wp_plan *plan = NULL;
    const bool ready = prepare(config, d, WP_FORWARD, &plan);
    if ((filters->symmetry == ORACLE_ASYMMETRIC && d->border == WP_BORDER_SYMMETRIC) ||
        !is_defined(&s, &levels, oracle_borders[d->border])) {
        // Must be rejected, not computed.
        total.undefined++;
        if (ready)
            fail(config, d, "undefined borders were accepted", 0);
    } else if (ready) {
        check_numbers(config, d, filters, plan);
    } else if (!is_unsupported(config)) {
        fail(config, d, "rejected", 0);
    }
    wp_plan_destroy(&plan);
}

static void find_wavelet(const char *name, struct oracle_filters *filters,
                         struct wp_wavelet *wavelet)
{
    if (!oracle_filters_find(name, filters) || !wp_wavelet_find(name, wavelet))
        abort();
    filters->zeta = wavelet->zeta; // of this factorization
}

static int levels_most(int n)
{
    int most = 0;
    for (; n > 1; n = halved(n))
        most++;
    return most;
}

// The number of levels for a constant or a number.
static int levels_of(int requested, int most)
{
    return requested == WP_LEVELS_NONE ? 0 : requested == WP_LEVELS_MOST ? most : requested;
}

// Checks a size with a pair of levels; `k` selects border, norm and layout.
static void check_size(const struct config *config, const struct wp_wavelet *wavelet,
                       const struct oracle_filters *filters, const struct size *s,
                       const int levels[2], int k)
{
    struct wp_description d = {
        .wavelet = wavelet,
        .size = {s->width, s->height, s->depth},
        .border = (enum wp_border)(k % 2),
        .norm = (enum wp_norm)(k / 2 % WP_NORM_PYWT),
        .layout = (enum wp_layout)(k / 6),
        .kind = config->scheme ? wp_scheme_kind_find(config->scheme, s->depth > 1 ? 3 : 2) : NULL,
        .form = config->plain ? WP_FORM_PLAIN : WP_FORM_SHADER,
    };
    d.levels = levels_of(levels[0], wp_levels_most(d.size, d.border));
    // An image has no levels along z, and one case without them is enough.
    const int along_z = s->depth > 1 ? levels[1] : WP_LEVELS_NONE;
    d.levels_z = levels_of(along_z, wp_levels_z_most(s->depth, d.border));
    if (s->depth == 1 && levels[0] == WP_LEVELS_NONE)
        return;
    // Too many levels are rejected, which tests of the API check.
    if (levels[0] > levels_most(s->width > s->height ? s->width : s->height) ||
        along_z > levels_most(s->depth))
        return;
    check(config, &d, filters);
    if (levels[0] == WP_LEVELS_NONE || along_z == WP_LEVELS_NONE)
        return;
    d.decomposition = WP_DECOMPOSITION_SPATIAL_TEMPORAL;
    check(config, &d, filters);
}

enum { PAIRS = sizeof level_pairs / sizeof *level_pairs, COMBINATIONS = 12, SOME = 5 };

static void check_wavelet(const struct config *config, int count, bool some)
{
    struct oracle_filters filters;
    struct wp_wavelet wavelet;
    find_wavelet(config->wavelet, &filters, &wavelet);
    for (int i = 0; i < count; i++)
        for (int l = 0; l < PAIRS; l++)
            for (int k = some ? (i + l) % SOME : 0; k < COMBINATIONS; k += some ? SOME : 1)
                if (sample_has("%s %s, levels %d and %d", config->variant ? config->variant : "-",
                                 config->wavelet, level_pairs[l][0], level_pairs[l][1]))
                    check_size(config, &wavelet, &filters, &sizes[i], level_pairs[l], k);
}

static bool has_long_filters(const char *wavelet)
{
    return strcmp(wavelet, "dd137") == 0 || strcmp(wavelet, "dd97") == 0;
}

// All schemes in both forms; rotates through sizes, levels and other parameters.
static void check_schemes(const struct config *given)
{
    static const char *const schemes[] = {
        "sep-convolution",      "sep-polyconvolution",    "sep-lifting",
        "planar-convolution",   "planar-polyconvolution", "planar-lifting",
        "nonsep-convolution",   "nonsep-polyconvolution", "nonsep-lifting",
    };
    enum { SCHEMES = sizeof schemes / sizeof *schemes, FIRST = 1, LAST = 8, TIMES = 4 };
    struct oracle_filters filters;
    struct wp_wavelet wavelet;
    find_wavelet(given->wavelet, &filters, &wavelet);
    int number = 0;
    for (int f = 0; f < 2 * SCHEMES; f++) {
        struct config config = *given;
        config.scheme = schemes[f / 2];
        config.plain = f % 2;
        // Images do not have this scheme.
        const bool planar = strncmp(config.scheme, "planar", strlen("planar")) == 0;
        for (int i = 0; i < TIMES; i++, number++)
            if ((sizes[FIRST + number % (LAST - FIRST)].depth > 1 || !planar) &&
                sample_has("%s %s %s", config.wavelet, config.scheme,
                           config.plain ? "plain" : "shader"))
                check_size(&config, &wavelet, &filters, &sizes[FIRST + number % (LAST - FIRST)],
                           level_pairs[number % PAIRS], number * 7 % COMBINATIONS);
    }
}

// 256^3 takes the oracle a hundred times longer than the largest of `sizes`. The other size is the
// smallest for which a GPU cannot process all pairs of slices at once, so that CUDA blocks and
// workgroups process several of them.
static const struct size large_size = {256, 256, 256}, several_pairs = {70, 130, 258};

static void check_large(const struct config *given, const struct size *s)
{
    static const char *const few[] = {"haar", "cdf97"};
    for (int k = 0; k < 8; k++) {
        struct oracle_filters filters;
        struct wp_wavelet wavelet;
        struct config config = *given;
        config.wavelet = few[k / 4];
        find_wavelet(config.wavelet, &filters, &wavelet);
        struct wp_description d = {.wavelet = &wavelet,
                                   .size = {s->width, s->height, s->depth},
                                   .border = (enum wp_border)(k % 2),
                                   .norm = WP_NORM_JPEG2000};
        d.levels = k / 2 % 2 ? wp_levels_most(d.size, d.border) : 1;
        d.levels_z = k / 2 % 2 ? wp_levels_z_most(s->depth, d.border) : 1;
        check(&config, &d, &filters);
    }
}

// A volume of one slice equals the image, bit for bit. False if neither can be transformed.
static bool check_image(const struct config *given)
{
    enum { WIDTH = 37, HEIGHT = 22 };
    static float image[WIDTH * HEIGHT], flat[WIDTH * HEIGHT], volume[WIDTH * HEIGHT];
    struct oracle_filters filters;
    struct wp_wavelet wavelet;
    struct config config = *given;
    config.wavelet = "cdf97";
    find_wavelet(config.wavelet, &filters, &wavelet);
    struct wp_description d = {.wavelet = &wavelet, .size = {WIDTH, HEIGHT}, .levels = 3};
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = (float)random_value();
    for (int depth = 0; depth < 2; depth++) {
        struct wp_plan *plan = NULL;
        d.size[WP_Z] = depth;
        bool ready = prepare(&config, &d, WP_FORWARD, &plan);
        if (!ready && is_unsupported(&config)) {
            config.wavelet = "haar";
            find_wavelet(config.wavelet, &filters, &wavelet);
            ready = prepare(&config, &d, WP_FORWARD, &plan);
        }
        const bool ok = ready && transform(&d, plan, image, depth ? volume : flat);
        wp_plan_destroy(&plan);
        if (!ok) {
            fail(&config, &d, "no transform", 0);
            return false;
        }
    }
    if (memcmp(flat, volume, sizeof flat) != 0)
        fail(&config, &d, "a volume of one slice is not the image", 0);
    else
        total.passed++;
    return true;
}

static bool consume_option(int *argc, char **argv, const char *name)
{
    const bool found = *argc > 2 && strcmp(argv[*argc - 1], name) == 0;
    *argc -= found;
    return found;
}

int main(int argc, char **argv)
{
    const bool schemes = consume_option(&argc, argv, "--schemes");
    const bool some = consume_option(&argc, argv, "--some");
    const bool quick = consume_option(&argc, argv, "--quick");
    const bool large = consume_option(&argc, argv, "--large");
    if (argc < 2) {
        fprintf(stderr,
                "usage: test_volume BACKEND [VARIANT...] [--large | [--quick] [--some | "
                "--schemes]]\n");
        return 2;
    }
    struct wp_backend_choice on;
    if (!wp_backend_open(argv[1], WP_DEVICE_ANY, true, &on))
        return 1;
    for (int v = 2; v < argc || v == 2; v++) {
        struct config config = {.on = &on, .variant = v < argc ? argv[v] : NULL};
        if (large) {
            check_large(&config, &large_size);
            continue;
        }
        const bool supported = check_image(&config);
        for (size_t w = 0; w < sizeof wavelets / sizeof *wavelets && supported; w++) {
            config.wavelet = wavelets[w];
            if (schemes && (!quick || !has_long_filters(wavelets[w])))
                check_schemes(&config);
            else if (!schemes)
                check_wavelet(&config, quick ? QUICK : SIZES, some);
        }
        if (supported && !schemes && !on.info.software)
            check_large(&config, &several_pairs);
    }
    wp_backend_close(&on);
    sample_print();
    printf("worst error %.3g; %d passed, %d failed, %d rejected as expected\n",
           total.worst, total.passed, total.failed, total.undefined);
    return total.failed || !total.passed;
}
