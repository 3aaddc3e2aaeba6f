// Wavelet files, their schemes and explanations, and their transform.
#include "fuzz.h"

#include "emit_tile.h"
#include "explain.h"
#include "fuzz_wavelet.h"
#include "scheme.h"
#include "text.h"
#include "wavepass_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_OPERATIONS = 2000 };

// The shader of a pass, and of a level in tiles: for compute shaders, fragments, and CUDA. The
// counts of a tile are equal with and without its text.
static void make_shaders(const struct wp_scheme *scheme, unsigned long long which)
{
    static const struct {
        struct wp_tile tile;
        struct wp_emit_target target;
    } kinds[] = {
        {{.lanes = 32, .rows = 4, .tiers = 2}, {.dialect = &wp_glsl_430}},
        {{.lanes = 32, .rows = 2}, {.dialect = &wp_glsl_430, .stacked = true}},
        {{.columns = 2, .rows = 2}, {.dialect = &wp_glsl_330}},
        {{.columns = 2, .rows = 2, .shares = true}, {.dialect = &wp_glsl_400, .half = true}},
        {{.columns = 2, .rows = 2}, {.dialect = &wp_glsl_430, .store = true, .inside = true}},
    };
    struct wp_text text = {0};
    wp_emit_fragment_pass(scheme, (int)(which % (unsigned)scheme->pass_count), &text);
    FUZZ_CHECK(!text.failed && text.length > 0);
    wp_text_free(&text);
    const size_t kind = which / 8 % (sizeof kinds / sizeof *kinds);
    const struct wp_tile *tile = &kinds[kind].tile;
    if (scheme->dims != 2 || (tile->lanes && wp_tile_step(scheme, tile) <= 0))
        return;
    const struct wp_tile_counts counts = wp_tile_count(scheme, tile);
    const struct wp_tile_counts again = wp_emit_tile(scheme, tile, &kinds[kind].target, &text);
    FUZZ_CHECK(!text.failed && text.length > 0);
    FUZZ_CHECK(counts.operations == again.operations && counts.fetches == again.fetches &&
               counts.cells == again.cells);
    wp_text_free(&text);
}

// One of all schemes, forms, directions and normalizations, selected by the hash of the text.
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
    fuzz_check_result(scheme);
    if (scheme) {
        FUZZ_CHECK(scheme->pass_count >= 1 && scheme->pass_count <= WP_PASSES_MAX);
        FUZZ_CHECK(wp_scheme_operations(scheme) >= 0 && wp_scheme_fetches(scheme) >= 0);
        if (wp_scheme_operations(scheme) < FEW_OPERATIONS)
            make_shaders(scheme, which >> 12);
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

// One of all explanations; products of many taps are slow.
static void explain(const struct wp_wavelet *wavelet, unsigned long long which)
{
    enum { MOST_TAPS = 10 };
    const int dims = which % 5 ? 2 : 3;
    unsigned kind = (unsigned)(which / 4096 % (WP_EXPLAIN_TOPIC_COUNT * WP_EXPLAIN_FORMAT_COUNT));
    while (!wp_explain_has((enum wp_explain_topic)(kind / WP_EXPLAIN_FORMAT_COUNT),
                           (enum wp_explain_format)(kind % WP_EXPLAIN_FORMAT_COUNT)))
        kind = (kind + 1) % (WP_EXPLAIN_TOPIC_COUNT * WP_EXPLAIN_FORMAT_COUNT);
    const struct wp_explain_params params = {
        .wavelet = wavelet,
        .kind = wp_scheme_kind_at(dims, (int)(which / 16 % (dims == 2 ? WP_SCHEME_KINDS
                                                                     : WP_SCHEME_VOLUME_KINDS))),
        .dims = dims,
        .form = (enum wp_form)(which / 128 % WP_FORM_COUNT),
        .direction = which / 512 % 2 ? WP_INVERSE : WP_FORWARD,
        .norm = (enum wp_norm)(which / 1024 % WP_NORM_COUNT),
        .topic = (enum wp_explain_topic)(kind / WP_EXPLAIN_FORMAT_COUNT),
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
        fuzz_check_result(ok);
        FUZZ_CHECK(!ok || text.length > 0);
    }
    wp_text_free(&text);
}

enum { SIDE = 14, SLICES = 5, BANDS_MAX = 8 };

// One of several strings.
#define PICK(which, ...) \
    ((const char *const[]){__VA_ARGS__}[(which) % (sizeof((const char *const[]){__VA_ARGS__}) / \
                                                   sizeof(char *))])

// Parameters other than the wavelet, selected by the hash of the text.
static struct wp_transform_params choose_params(const char *path, unsigned long long which)
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
        .reversible = !volume && which >> 38 & 1,
    };
}

// Whether all elements differ by at most `bound`. False if one is NaN.
static bool near(const float *a, const float *b, size_t count, double bound)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok = ok && fabs((double)a[i] - (double)b[i]) <= bound;
    return ok;
}

// Rows of subbands, from a forward stream to an inverse one.
struct transferred {
    float row[BANDS_MAX][SIDE][SIDE];
    const struct wp_stream *stream;
};

static size_t row_bytes(const struct transferred *transferred, int band, int row)
{
    struct wp_band_info info;
    FUZZ_CHECK(wp_stream_get_band(transferred->stream, band, &info));
    FUZZ_CHECK(row >= 0 && row < info.height && info.width <= SIDE);
    return (size_t)info.width * sizeof(float);
}

static bool store_row(void *user, int band, int plane, int row, const float *samples)
{
    struct transferred *transferred = user;
    FUZZ_CHECK(plane == 0);
    memcpy(transferred->row[band][row], samples, row_bytes(transferred, band, row));
    return true;
}

static bool load_row(void *user, int band, int plane, int row, float *samples)
{
    const struct transferred *transferred = user;
    FUZZ_CHECK(plane == 0);
    memcpy(samples, transferred->row[band][row], row_bytes(transferred, band, row));
    return true;
}

// A round trip row by row is bit-identical to that of a transform.
static void check_stream(const struct wp_transform_params *params, float *sample)
{
    static struct transferred transferred;
    static float complete[SIDE * SIDE], restored[SIDE * SIDE];
    struct wp_transform_params plain = *params;
    plain.backend = "cpu";
    struct wp_stream *out = wp_stream_create_forward(&plain, store_row, &transferred);
    fuzz_check_result(out);
    struct wp_stream *in = out ? wp_stream_create_inverse(&plain, load_row, &transferred) : NULL;
    struct wp_transform *transform = in ? wp_transform_create(&plain) : NULL;
    FUZZ_CHECK(!out || transform);
    if (out) {
        FUZZ_CHECK(wp_stream_band_count(out) <= BANDS_MAX);
        transferred.stream = out;
        FUZZ_CHECK(wp_stream_push(out, WP_ARRAY(sample), plain.height));
        transferred.stream = in;
        for (int y = 0; y < plain.height; y++)
            FUZZ_CHECK(
                wp_stream_pull(in, WP_ARRAY(restored + y * plain.width), 1));
        FUZZ_CHECK(wp_transform_forward(transform, WP_ARRAY(sample), WP_ARRAY(complete)) &&
                   wp_transform_inverse(transform, WP_ARRAY(complete), WP_ARRAY(complete)));
        const size_t bytes = (size_t)plain.width * (size_t)plain.height * sizeof *complete;
        FUZZ_CHECK(memcmp(complete, restored, bytes) == 0);
        if (plain.reversible)
            FUZZ_CHECK(memcmp(sample, restored, bytes) == 0);
    }
    wp_transform_destroy(&transform);
    wp_stream_destroy(&in);
    wp_stream_destroy(&out);
}

// A round trip of integers restores them, since rounding errors are far below 1.
static void round_trip_pixels(struct wp_transform_params params, unsigned long long which)
{
    static const enum wp_element types[] = {WP_ELEMENT_U8, WP_ELEMENT_U16, WP_ELEMENT_F16};
    static uint16_t image[SIDE * SIDE], restored[SIDE * SIDE];
    static float coefficients[SIDE * SIDE];
    const enum wp_element type = types[which % 3];
    const size_t count = (size_t)params.width * (size_t)params.height;
    for (size_t i = 0; i < count; i++)
        image[i] = (uint16_t)(type == WP_ELEMENT_F16 ? 0x3000 + i * 37 % 101 : i * 9973 % 65521);
    struct wp_operand from = {.data = image, .type = type}, to = {.data = restored, .type = type};
    params.backend = "cpu";
    struct wp_transform *transform = wp_transform_create(&params);
    fuzz_check_result(transform);
    const struct wp_operand memory = {.data = coefficients};
    const bool ok = transform && wp_transform_forward(transform, &from, &memory) &&
                    wp_transform_inverse(transform, &memory, &to);
    FUZZ_CHECK(ok || !transform);
    if (ok && type == WP_ELEMENT_U8)
        FUZZ_CHECK(memcmp(image, restored, count) == 0);
    fuzz_forget_errors();
    wp_transform_destroy(&transform);
}

// A round trip restores the samples up to rounding errors, and backends and variants differ by no
// more. Invalid parameters give one error.
static void round_trip(const char *path, double growth, unsigned long long which)
{
    struct wp_transform_params params = choose_params(path, which);
    float sample[SIDE * SIDE * SLICES], coefficients[2][SIDE * SIDE * SLICES],
        restored[SIDE * SIDE * SLICES];
    const size_t count =
        (size_t)params.width * (size_t)params.height * (size_t)(params.depth ? params.depth : 1);
    for (size_t i = 0; i < count; i++)
        sample[i] = (float)(i * 37 % 101) / (params.reversible ? 1 : 101);
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
        fuzz_check_result(transform);
        if (!transform)
            continue;
        done[i] = wp_transform_forward(transform, WP_ARRAY(sample), WP_ARRAY(coefficients[i]));
        fuzz_check_result(done[i]);
        if (done[i]) {
            FUZZ_CHECK(
                wp_transform_inverse(transform, WP_ARRAY(coefficients[i]), WP_ARRAY(restored)));
            FUZZ_CHECK(near(restored, sample, count, bound));
        }
        wp_transform_destroy(&transform);
    }
    FUZZ_CHECK(!done[0] || !done[1] || near(coefficients[0], coefficients[1], count, bound));
    params.variant = NULL;
    if (!params.depth && strcmp(params.layout, "mallat") == 0)
        check_stream(&params, sample);
    if (!params.depth && bound < 1e-4)
        round_trip_pixels(params, which >> 39);
}

void fuzz(const uint8_t *data, size_t size)
{
    enum { SIMPLE = 10000 };
    char *text = fuzz_text(data, size);
    struct wp_wavelet wavelet;
    const bool ok = wp_wavelet_parse("input.wavelet", text, &wavelet);
    fuzz_check_result(ok);
    if (ok) {
        FUZZ_CHECK(!wp_wavelet_finish(&wavelet));
        fuzz_write_and_read_wavelet(&wavelet);
        make_scheme(&wavelet, wp_hash(text) >> 8);
        explain(&wavelet, wp_hash(text) >> 16);
        const double growth = fuzz_growth(&wavelet);
        if (growth < SIMPLE)
            round_trip(fuzz_file(0, text, strlen(text)), growth, wp_hash(text) >> 12);
    }
    free(text);
}
