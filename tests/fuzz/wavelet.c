// Wavelet files, the schemes of what they hold, what is explained of them, and their transform.
#include "fuzz.h"

#include "explain.h"
#include "fuzz_wavelet.h"
#include "scheme.h"
#include "text.h"
#include "wavepass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One of all schemes, forms, directions and norms; which one, the text decides.
static void make_scheme(const struct wp_wavelet *wavelet, unsigned long long which)
{
    const int dims = which % 7 ? 2 : 3;
    const struct wp_scheme_params params = {
        .wavelet = wavelet,
        .kind = wp_scheme_kind_at(dims, (int)(which / 7 % (dims == 2 ? WP_SCHEME_KINDS
                                                                     : WP_SCHEME_VOLUME_KINDS))),
        .form = (enum wp_form)(which / 64 % WP_FORM_COUNT),
        .direction = which / 256 % 2 ? WP_INVERSE : WP_FORWARD,
        .norm = (enum wp_norm)(which / 512 % WP_NORM_COUNT),
        .dims = dims,
    };
    struct wp_scheme *scheme = wp_scheme_create(&params);
    fuzz_one_answer(scheme);
    if (scheme) {
        FUZZ_CHECK(scheme->pass_count >= 1 && scheme->pass_count <= WP_PASSES_MAX);
        FUZZ_CHECK(wp_scheme_operations(scheme) >= 0 && wp_scheme_fetches(scheme) >= 0);
    }
    wp_scheme_destroy(&scheme);
}

static int count_taps(const struct wp_wavelet *wavelet)
{
    int count = 0;
    for (int i = 0; i < wavelet->pairs; i++)
        count += wavelet->pair[i].predict.count + wavelet->pair[i].update.count;
    return count;
}

// One of all texts; products of many taps take long.
static void explain(const struct wp_wavelet *wavelet, unsigned long long which)
{
    enum { MOST_TAPS = 10 };
    const int dims = which % 5 ? 2 : 3;
    unsigned kind = (unsigned)(which / 4096 % (WP_EXPLAIN_WHAT_COUNT * WP_EXPLAIN_FORMAT_COUNT));
    while (!wp_explain_has((enum wp_explain_what)(kind / WP_EXPLAIN_FORMAT_COUNT),
                           (enum wp_explain_format)(kind % WP_EXPLAIN_FORMAT_COUNT)))
        kind = (kind + 1) % (WP_EXPLAIN_WHAT_COUNT * WP_EXPLAIN_FORMAT_COUNT);
    const struct wp_explain_params params = {
        .wavelet = wavelet,
        .kind = wp_scheme_kind_at(dims, (int)(which / 16 % (dims == 2 ? WP_SCHEME_KINDS
                                                                     : WP_SCHEME_VOLUME_KINDS))),
        .dims = dims,
        .form = (enum wp_form)(which / 128 % WP_FORM_COUNT),
        .direction = which / 512 % 2 ? WP_INVERSE : WP_FORWARD,
        .norm = (enum wp_norm)(which / 1024 % WP_NORM_COUNT),
        .what = (enum wp_explain_what)(kind / WP_EXPLAIN_FORMAT_COUNT),
        .format = (enum wp_explain_format)(kind % WP_EXPLAIN_FORMAT_COUNT),
        .numbers = which >> 20 & 1,
        .arrows = (enum wp_explain_arrows)((which >> 21) % 3),
        .levels = (int)(which >> 23 & 3),
        .levels_z = dims == 3 ? (int)(which >> 25 & 3) : 0,
        .decomposition = (enum wp_decomposition)(dims == 3 ? which >> 27 & 1 : 0),
    };
    struct wp_text text = {0};
    if (count_taps(wavelet) <= MOST_TAPS) {
        const bool ok = wp_explain(&params, &text);
        fuzz_one_answer(ok);
        FUZZ_CHECK(!ok || text.length > 0);
    }
    wp_text_free(&text);
}

enum { SIDE = 14, SLICES = 5 };

// One of several.
#define PICK(which, ...) \
    ((const char *const[]){__VA_ARGS__}[(which) % (sizeof((const char *const[]){__VA_ARGS__}) / \
                                                   sizeof(char *))])

// The text decides what of the transform is not the wavelet's.
static struct wp_transform_params choose(const char *path, unsigned long long which)
{
    const bool volume = which % 4 == 0;
    return (struct wp_transform_params){
        .struct_size = sizeof(struct wp_transform_params),
        .width = 1 + (int)((which >> 2) % SIDE),
        .height = 1 + (int)((which >> 8) % SIDE),
        .depth = volume ? 1 + (int)((which >> 14) % SLICES) : 0,
        .wavelet = path,
        .scheme = PICK(which >> 18, NULL, "sep-lifting", "nonsep-lifting", "sep-convolution"),
        .plain = which >> 21 & 1,
        .border = PICK(which >> 22, "symmetric", "periodic"),
        .norm = PICK(which >> 24, "jpeg2000", "orthonormal", "none"),
        .layout = PICK(which >> 27, "mallat", "mixed"),
        .levels = 1 + (int)((which >> 29) % 2),
        .threads = 1,
        .decomposition = volume ? PICK(which >> 33, "dyadic", "spatial-temporal") : NULL,
    };
}

// Of arrays of `count` at most `bound` apart, which is true of what is not a number in both.
static bool near(const float *a, const float *b, size_t count, double bound)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok = ok && fabs((double)a[i] - (double)b[i]) <= bound;
    return ok;
}

// Forward and back gives what was there, but for rounding, and so much apart is what a way to
// compute makes from what the reference does. What is periodic has even sizes, and what a transform
// does not take has one error.
static void go_round(const char *path, double growth, unsigned long long which)
{
    struct wp_transform_params params = choose(path, which);
    float sample[SIDE * SIDE * SLICES], there[2][SIDE * SIDE * SLICES],
        back[SIDE * SIDE * SLICES];
    const size_t count =
        (size_t)params.width * (size_t)params.height * (size_t)(params.depth ? params.depth : 1);
    for (size_t i = 0; i < count; i++)
        sample[i] = (float)(i * 37 % 101) / 101;
    const int axes = params.depth ? 3 : 2;
    const double bound = 4e-6 * pow(growth, 0.5 * axes * params.levels);
    params.variant = which >> 35 & 1
                         ? PICK(which >> 36, "lifting-row-column", "conv-row-column", "smdwt")
                         : NULL;
    bool done[2] = {false};
    for (int i = 0; i < 2; i++) {
        params.backend = i == 0 ? "cpu" : "reference";
        params.variant = i == 0 ? params.variant : NULL;
        struct wp_transform *transform = wp_transform_create(&params);
        fuzz_one_answer(transform);
        if (!transform)
            continue;
        done[i] = wp_transform_forward(transform, sample, there[i]);
        fuzz_one_answer(done[i]);
        if (done[i]) {
            FUZZ_CHECK(wp_transform_inverse(transform, there[i], back));
            FUZZ_CHECK(near(back, sample, count, bound));
        }
        wp_transform_destroy(&transform);
    }
    FUZZ_CHECK(!done[0] || !done[1] || near(there[0], there[1], count, bound));
}

void fuzz(const uint8_t *data, size_t size)
{
    enum { SIMPLE = 10000 };
    char *text = fuzz_text(data, size);
    struct wp_wavelet wavelet;
    const bool ok = wp_wavelet_parse("input.wavelet", text, &wavelet);
    fuzz_one_answer(ok);
    if (ok) {
        FUZZ_CHECK(!wp_wavelet_finish(&wavelet));
        fuzz_write_and_read_wavelet(&wavelet);
        make_scheme(&wavelet, wp_hash(text) >> 8);
        explain(&wavelet, wp_hash(text) >> 16);
        const double growth = fuzz_growth(&wavelet);
        if (growth < SIMPLE)
            go_round(fuzz_file(0, text, strlen(text)), growth, wp_hash(text) >> 12);
    }
    free(text);
}
