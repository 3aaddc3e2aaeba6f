// The parameters of the library, with any values, also wavelets as data. Valid ones are used for a
// round trip.
#include "fuzz.h"

#include "wavepass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 20, DEPTH = 5, STEPS = 4, TAPS = 6 };

struct input {
    struct wp_transform_params params;
    struct wp_wavelet_data data;
    struct wp_step_data step[STEPS];
    double tap[STEPS][TAPS];
    double growth; // an upper bound of that of rounding errors
};

static const char *choose(struct fuzz_bytes *bytes, const char *const *names, int count)
{
    return names[fuzz_next_int(bytes, 0, count - 1)];
}
#define CHOOSE(bytes, ...)                                               \
    choose(bytes, (const char *const[]){__VA_ARGS__},                    \
           (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static void read_wavelet(struct fuzz_bytes *bytes, struct input *in)
{
    in->data = (struct wp_wavelet_data){
        .name = CHOOSE(bytes, NULL, "mine", "", "a name with blanks"),
        .steps = fuzz_next_int(bytes, 0, STEPS),
        .step = in->step,
        .zeta = fuzz_next(bytes, 1) % 2 ? (double)fuzz_next_float(bytes) : 0,
    };
    in->growth = in->data.zeta == 0 ? 1 : fmax(fabs(in->data.zeta), 1 / fabs(in->data.zeta));
    for (int i = 0; i < STEPS; i++) {
        double sum = 0;
        in->step[i] = (struct wp_step_data){fuzz_next_int(bytes, -70, 70),
                                            fuzz_next_int(bytes, 0, TAPS), in->tap[i]};
        for (int t = 0; t < TAPS; t++)
            sum += fabs(in->tap[i][t] = (double)fuzz_next_float(bytes) / 4);
        in->growth *= 1 + sum;
    }
}

// Mostly valid values, from small tables, and some invalid ones.
static void read_input(struct fuzz_bytes *bytes, struct input *in)
{
    *in = (struct input){.growth = 8}; // of the wavelets below
    in->params = (struct wp_transform_params){
        .struct_size = sizeof in->params - (fuzz_next(bytes, 1) == 255),
        .width = fuzz_next_int(bytes, -1, SIDE),
        .height = fuzz_next_int(bytes, -1, SIDE),
        .depth = fuzz_next(bytes, 1) % 2 ? fuzz_next_int(bytes, -1, DEPTH) : 0,
        .planes = fuzz_next_int(bytes, -1, 3),
        .wavelet = CHOOSE(bytes, NULL, "haar", "cdf53", "cdf97", "dd137", "db2", "1 1;", "?", ""),
        .scheme = CHOOSE(bytes, NULL, "sep-lifting", "ns-conv", "planar-lifting", "?"),
        .plain = fuzz_next(bytes, 1) % 2,
        .border = CHOOSE(bytes, NULL, "symmetric", "periodic", "?"),
        .norm = CHOOSE(bytes, NULL, "jpeg2000", "orthonormal", "none", "?"),
        .layout = CHOOSE(bytes, NULL, "mallat", "mixed", "?"),
        .precision = CHOOSE(bytes, NULL, "f32", "f16", "?"),
        .backend = CHOOSE(bytes, "cpu", "reference", "cpu", "reference", "?"),
        .variant = CHOOSE(bytes, NULL, NULL, "lifting-row-column", "smdwt", "conv-row-column", "?"),
        .device = fuzz_next_int(bytes, -1, 2),
        .levels = fuzz_next_int(bytes, -3, 5),
        .threads = fuzz_next_int(bytes, -1, 2),
        .levels_z = fuzz_next_int(bytes, -3, 3),
        .gop = fuzz_next(bytes, 1) % 2 ? fuzz_next_int(bytes, -1, DEPTH) : 0,
        .decomposition = CHOOSE(bytes, NULL, "dyadic", "spatial-temporal", "?"),
        .adjoint = fuzz_next(bytes, 1) % 2,
    };
    if (fuzz_next(bytes, 1) % 2) {
        read_wavelet(bytes, in);
        in->params.wavelet_data = &in->data;
    }
    // These follow, so that older inputs keep their meaning.
    in->params.bank = CHOOSE(bytes, NULL, "undecimated", "starlet", "decimated", "?");
    const char *border = CHOOSE(bytes, NULL, "pywt-zero", "pywt-symmetric", "pywt-periodic",
                                "pywt-smooth", "pywt-antireflect", "pywt-periodization");
    if (border)
        in->params.border = border;
    in->params.rank = fuzz_next_int(bytes, 0, 4);
    in->params.reversible = fuzz_next(bytes, 1) % 4 == 1;
}

// Elements of a plane of coefficients.
static size_t extent_of(const struct wp_transform *transform)
{
    struct wp_band_info info;
    ptrdiff_t end = 0;
    for (int i = 0; i < wp_transform_band_count(transform); i++) {
        FUZZ_CHECK(wp_transform_get_band(transform, i, &info));
        if (info.width == 0 || info.height == 0 || info.depth == 0)
            continue;
        const ptrdiff_t last = info.offset + (info.width - 1) * info.stride[0] +
                               (info.height - 1) * info.stride[1] +
                               (info.depth - 1) * info.stride[2];
        end = last >= end ? last + 1 : end;
    }
    return (size_t)end;
}

static void round_trip(struct wp_transform *transform, const struct input *in, size_t samples,
                       size_t count)
{
    float *memory = malloc(2 * samples * sizeof *memory);
    float *coefficients = malloc(count * sizeof *coefficients);
    FUZZ_CHECK(memory && coefficients);
    float *sample = memory, *restored = memory + samples;
    for (size_t i = 0; i < samples; i++)
        sample[i] = in->params.reversible ? (float)(i * 37 % 101) : (float)(i * 37 % 101) / 101;
    FUZZ_CHECK(wp_transform_forward(transform, WP_ARRAY(sample), WP_ARRAY(coefficients)));
    FUZZ_CHECK(wp_transform_inverse(transform, WP_ARRAY(coefficients), WP_ARRAY(restored)));
    const struct wp_transform_info *info = wp_transform_get_info(transform);
    const double bound = pow(in->growth, 2 * (2 * info->levels + info->levels_z));
    for (size_t i = 0; i < samples && bound < 1e5; i++)
        FUZZ_CHECK(fabs((double)restored[i] - (double)sample[i]) < 1e-6 * bound);
    free(memory);
    free(coefficients);
}

// Whether an image has more coefficients than samples.
static bool expands(const struct wp_transform_params *params)
{
    return (params->bank && strcmp(params->bank, "decimated") != 0) ||
           (params->border && strncmp(params->border, "pywt-", 5) == 0);
}

static void check_bands(const struct wp_transform *transform, size_t samples)
{
    struct wp_band_info info;
    size_t sum = 0;
    for (int i = 0; i < wp_transform_band_count(transform); i++) {
        FUZZ_CHECK(wp_transform_get_band(transform, i, &info));
        sum += (size_t)info.width * (size_t)info.height * (size_t)info.depth;
    }
    FUZZ_CHECK(sum == samples);
    FUZZ_CHECK(!wp_transform_get_band(transform, wp_transform_band_count(transform), &info));
    fuzz_forget_errors();
}

void fuzz(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    struct input in;
    read_input(&bytes, &in);
    struct wp_transform *transform = wp_transform_create(&in.params);
    fuzz_check_result(transform);
    if (transform) {
        const int depth = in.params.depth ? in.params.depth : 1;
        const int planes = in.params.planes ? in.params.planes : 1;
        const size_t slice = (size_t)in.params.width * (size_t)in.params.height;
        const size_t samples = slice * (size_t)depth;
        const size_t count = expands(&in.params) ? extent_of(transform) : samples;
        round_trip(transform, &in, samples * (size_t)planes, count * (size_t)planes);
        if (in.params.gop == 0 && !expands(&in.params))
            check_bands(transform, samples);
    }
    wp_transform_destroy(&transform);
}
