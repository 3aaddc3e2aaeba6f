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
    const struct wp_explain_params params = {
        .wavelet = wavelet,
        .kind = wp_scheme_kind_at(dims, (int)(which / 16 % WP_SCHEME_KINDS)),
        .dims = dims,
        .form = (enum wp_form)(which / 128 % WP_FORM_COUNT),
        .direction = which / 512 % 2 ? WP_INVERSE : WP_FORWARD,
        .norm = (enum wp_norm)(which / 1024 % WP_NORM_COUNT),
        .what = (enum wp_explain_what)(which / 4096 % WP_EXPLAIN_WHAT_COUNT),
        .format = (enum wp_explain_format)(which / 65536 % WP_EXPLAIN_FORMAT_COUNT),
        .numbers = which >> 20 & 1,
        .arrows = (enum wp_explain_arrows)((which >> 21) % 3),
    };
    struct wp_text text = {0};
    if (count_taps(wavelet) <= MOST_TAPS && wp_explain_has(params.what, params.format)) {
        const bool ok = wp_explain(&params, &text);
        fuzz_one_answer(ok);
        FUZZ_CHECK(!ok || text.length > 0);
    }
    wp_text_free(&text);
}

enum { WIDTH = 12, HEIGHT = 8 };

// Forward and back gives what was there, but for rounding.
static void go_round(const char *path, double growth)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = WIDTH, .height = HEIGHT, .wavelet = path, .border = "periodic", .levels = 1,
        .backend = "reference");
    float sample[HEIGHT * WIDTH], there[HEIGHT * WIDTH], back[HEIGHT * WIDTH];
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        sample[i] = (float)(i * 37 % 101) / 101;
    struct wp_transform *transform = wp_transform_create(&params);
    FUZZ_CHECK(transform && wp_transform_forward(transform, sample, there) &&
               wp_transform_inverse(transform, there, back));
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        FUZZ_CHECK(fabs((double)back[i] - (double)sample[i]) <= 1e-6 * growth);
    wp_transform_destroy(&transform);
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
            go_round(fuzz_file(0, text, strlen(text)), growth);
    }
    free(text);
}
