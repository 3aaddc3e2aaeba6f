// What levels in one draw or dispatch cost beside a copy of the same texels, as JSON on stdout.
// Every row is verified against the reference at a small size first; then medians of runs on the
// device's own clock, warm, several images in turn. Arguments: the image's side in pixels (8192),
// samples a row (15).
#include "backends.h"
#include "clock.h"
#include "plan.h"
#include "wavelet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MAX = 101, CHECK_SIZE = 500 };

// While programs are compiled and verified the GPU idles and lowers its clocks. Three runs were
// not enough to raise them again, and showed rows at a quarter of their speed.
static const double WARM_UP_SECONDS = 0.3;

static int samples = 15;

struct row {
    const char *backend, *variant, *wavelet;
    int scheme, levels;
    enum wp_direction direction;
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Prints `"median_ms": …` and returns the median in seconds.
static double print_times(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    const double median = seconds[count / 2];
    printf("\"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": %.4f, \"samples\": %d",
           1e3 * median, 1e3 * seconds[0], 1e3 * seconds[count - 1], count);
    return median;
}

// As many images take turns that no cache holds the next one.
enum { IMAGES = 3 };

// Prints the time of a run of one of `execs`, all of which run one after the other, and returns
// it in seconds.
static double time_runs(const struct wp_backend_choice *on, struct wp_exec *const execs[])
{
    double seconds[SAMPLES_MAX];
    const double begin = wp_clock_seconds();
    for (int i = 0; i < samples; i += wp_clock_seconds() - begin > WARM_UP_SECONDS) {
        if (!on->backend->run_all(execs, IMAGES, &seconds[i]))
            exit(1);
        seconds[i] /= IMAGES;
    }
    return print_times(seconds, samples);
}

// The time that copying side * side samples takes.
static double time_copy(const struct wp_backend_choice *on, int side)
{
    const struct wp_ceiling *copy = on->backend->ceilings;
    while (strcmp(copy->name, "copy") != 0)
        copy++;
    struct wp_exec *execs[IMAGES];
    for (int i = 0; i < IMAGES; i++) {
        execs[i] = on->backend->prepare_ceiling(on->device, copy, side, side);
        if (!execs[i])
            exit(1);
    }
    printf("  \"%s_copy\": {", on->backend->name);
    const double median = time_runs(on, execs);
    printf("},\n");
    for (int i = 0; i < IMAGES; i++)
        on->backend->release(execs[i]);
    return median;
}

static bool make_params(const struct row *row, int side, struct wp_wavelet *wavelet,
                        struct wp_plan_params *params)
{
    *params = (struct wp_plan_params){
        .wavelet = wavelet,
        .kind = &wp_scheme_kinds[row->scheme],
        .direction = row->direction,
        .levels = row->levels,
        .width = side,
        .height = side,
    };
    return wp_wavelet_find(row->wavelet, wavelet);
}

static bool transform(const struct wp_backend *backend, struct wp_device *device,
                      const struct wp_variant *variant, const struct wp_plan_params *params,
                      const float *in, float *out)
{
    struct wp_plan *plan = wp_plan_create(params);
    struct wp_exec *exec = plan ? backend->prepare(device, plan, variant) : NULL;
    const bool ok = exec && backend->load(exec, in) && backend->run(exec, NULL) &&
                    backend->store(exec, out);
    if (exec)
        backend->release(exec);
    wp_plan_destroy(&plan);
    return ok;
}

static double check(const struct wp_backend_choice *on, const struct wp_variant *variant,
                    const struct row *row)
{
    static float image[CHECK_SIZE * CHECK_SIZE], expected[CHECK_SIZE * CHECK_SIZE],
        result[CHECK_SIZE * CHECK_SIZE];
    unsigned seed = 1;
    for (int i = 0; i < CHECK_SIZE * CHECK_SIZE; i++) {
        seed = seed * 1664525u + 1013904223u;
        image[i] = (float)(seed >> 8) / (1 << 24);
    }
    struct wp_wavelet wavelet;
    struct wp_plan_params params;
    struct wp_device *reference = wp_backend_reference.open(-1, true, (char[64]){0}, 64);
    if (!make_params(row, CHECK_SIZE, &wavelet, &params) || !reference ||
        !transform(&wp_backend_reference, reference, NULL, &params, image, expected) ||
        !transform(on->backend, on->device, variant, &params, image, result))
        return INFINITY;
    wp_backend_reference.close(reference);
    double worst = 0;
    for (int i = 0; i < CHECK_SIZE * CHECK_SIZE; i++)
        worst = fmax(worst, fabs((double)result[i] - (double)expected[i]));
    return worst;
}

static void time_row(const struct wp_backend_choice *on, const struct row *row, int side,
                     double copy)
{
    struct wp_wavelet wavelet;
    struct wp_plan_params params;
    const struct wp_variant *variant;
    if (!wp_backend_find_variant(on->backend, row->variant, NULL, &variant))
        exit(1);
    const double error = check(on, variant, row);
    if (!(error < 1e-5) || !make_params(row, side, &wavelet, &params)) {
        fprintf(stderr, "%s %s: wrong by %g\n", row->backend, row->wavelet, error);
        exit(1);
    }
    struct wp_plan *plan = wp_plan_create(&params);
    struct wp_exec *execs[IMAGES];
    for (int i = 0; i < IMAGES; i++) {
        execs[i] = plan ? on->backend->prepare(on->device, plan, variant) : NULL;
        if (!execs[i])
            exit(1);
    }
    static bool first = true;
    printf("%s    {\"backend\": \"%s\", \"variant\": \"%s\", \"wavelet\": \"%s\", "
           "\"scheme\": \"%s\", \"direction\": \"%s\", \"levels\": %d, ",
           first ? "" : ",\n", row->backend, row->variant ? row->variant : "", row->wavelet,
           params.kind->name, row->direction == WP_FORWARD ? "forward" : "inverse", row->levels);
    first = false;
    const double median = time_runs(on, execs);
    printf(", \"over_copy\": %.3f, \"max_error\": %.1e", median / copy, error);
    if (on->backend->counts) {
        const struct wp_counts counts = on->backend->counts(execs[0]);
        printf(", \"operations\": %.2f, \"fetches\": %.2f", counts.operations, counts.fetches);
    }
    printf("}");
    fflush(stdout);
    for (int i = 0; i < IMAGES; i++)
        on->backend->release(execs[i]);
    wp_plan_destroy(&plan);
}

// Every scheme forward, one level; then lifting in both directions, of one level and of five.
static void time_variant(const struct wp_backend_choice *on, const char *variant, bool schemes,
                         int side, double copy)
{
    static const char *const wavelets[] = {"cdf53", "cdf97", "dd137"};
    for (int w = 0; w < 3; w++) {
        struct row row = {on->backend->name, variant, wavelets[w], 0, 1, WP_FORWARD};
        for (; schemes && row.scheme < WP_SCHEME_KINDS; row.scheme++)
            time_row(on, &row, side, copy);
        row.scheme = WP_SCHEME_SEP_LIFTING;
        for (int i = schemes; i < 4; i++) {
            row.levels = i < 2 ? 1 : 5;
            row.direction = i % 2 ? WP_INVERSE : WP_FORWARD;
            time_row(on, &row, side, copy);
        }
    }
}

int main(int argc, char **argv)
{
    static const char *const backends[] = {"compute", "fragment"};
    const int side = argc > 1 ? atoi(argv[1]) : 8192;
    samples = argc > 2 ? atoi(argv[2]) : samples;
    if (side < 2 || samples < 1 || samples > SAMPLES_MAX) {
        fprintf(stderr, "usage: bench_tiled [SIDE [SAMPLES]]\n");
        return 2;
    }
    struct wp_backend_choice on[2] = {0};
    double copy[2];
    for (int b = 0; b < 2; b++)
        if (!wp_backend_open(backends[b], WP_DEVICE_ANY, &on[b]))
            return 4;
    printf("{\n  \"device\": \"%s\",\n  \"software\": %s,\n  \"clock\": \"%s\",\n"
           "  \"wavepass\": \"%s\",\n  \"image\": [%d, %d],\n  \"texels\": [%d, %d],\n"
           "  \"images_in_turn\": %d,\n",
           on[1].info.name, on[1].info.software ? "true" : "false", on[1].info.timer,
           WP_BENCH_VERSION, side, side, side / 2, side / 2, IMAGES);
    for (int b = 0; b < 2; b++)
        copy[b] = time_copy(&on[b], side);
    printf("  \"rows\": [\n");
    for (int b = 0; b < 2; b++) {
        const struct wp_variant *v = on[b].backend->variants;
        time_variant(&on[b], v ? v->name : NULL, true, side, copy[b]);
        for (int i = 1; v && v[i].name; i++)
            time_variant(&on[b], v[i].name, false, side, copy[b]);
        wp_backend_close(&on[b]);
    }
    printf("\n  ]\n}\n");
    return 0;
}
