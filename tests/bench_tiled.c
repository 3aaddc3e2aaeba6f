// What fused levels cost beside a copy of the same texels, as JSON on stdout. Every row is
// verified against the reference at a small size first; then medians of runs on the device's
// own clock, warm. Arguments: the image's side in pixels (8192), samples a row (15).
#include "backends.h"
#include "clock.h"
#include "context.h"
#include "plan.h"
#include "program.h"
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
    const char *backend, *wavelet;
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

static const char fragment_copy[] = "#version 330 core\n"
                                    "uniform sampler2D source;\n"
                                    "layout(location = 0) out vec4 result;\n"
                                    "void main()\n"
                                    "{\n"
                                    "    result = texelFetch(source, ivec2(gl_FragCoord.xy), 0);\n"
                                    "}\n";

static const char compute_copy[] =
    "#version 430 core\n"
    "layout(local_size_x = 32, local_size_y = 8) in;\n"
    "uniform sampler2D source;\n"
    "layout(binding = 0, rgba32f) writeonly uniform image2D result;\n"
    "void main()\n"
    "{\n"
    "    ivec2 p = ivec2(gl_GlobalInvocationID.xy);\n"
    "    imageStore(result, p, texelFetch(source, p, 0));\n"
    "}\n";

// The time that copying side * side texels takes, or a negative number.
static double time_copy(struct wp_gl *gl, bool compute, int side)
{
    struct wp_texture from = {0}, to = {0};
    struct wp_program *program = compute ? wp_program_get_compute(gl, compute_copy)
                                         : wp_program_get(gl, fragment_copy);
    if (!program || !wp_texture_create(gl, side, side, &from) ||
        !wp_texture_create(gl, side, side, &to))
        exit(1);
    const struct wp_tile_textures textures = {.source = &from, .result = &to};
    double seconds[SAMPLES_MAX];
    const bool gpu_timer = wp_gl_get_info(gl)->gpu_timer;
    const double begin = wp_clock_seconds();
    for (int i = 0; i < samples;) {
        wp_gl_finish(gl);
        const double start = wp_clock_seconds();
        if (gpu_timer)
            wp_gl_timer_begin(gl);
        if (compute)
            wp_program_dispatch(program, &textures, (side + 31) / 32, (side + 7) / 8);
        else
            wp_program_draw(program, &from, &to, 0, 0, side, side, false);
        const double elapsed = gpu_timer ? wp_gl_timer_end(gl) : 0;
        wp_gl_finish(gl);
        seconds[i] = gpu_timer ? elapsed : wp_clock_seconds() - start;
        i += start - begin > WARM_UP_SECONDS;
    }
    wp_texture_destroy(&from);
    wp_texture_destroy(&to);
    printf("  \"%s_copy\": {", compute ? "compute" : "fragment");
    const double median = print_times(seconds, samples);
    printf("},\n");
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
                      const struct wp_plan_params *params, const float *in, float *out)
{
    struct wp_plan *plan = wp_plan_create(params);
    struct wp_exec *exec = plan ? backend->prepare(device, plan, NULL) : NULL;
    const bool ok = exec && backend->load(exec, in) && backend->run(exec, NULL) &&
                    backend->store(exec, out);
    if (exec)
        backend->release(exec);
    wp_plan_destroy(&plan);
    return ok;
}

static double check(const struct wp_backend_choice *on, const struct row *row)
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
        !transform(&wp_backend_reference, reference, &params, image, expected) ||
        !transform(on->backend, on->device, &params, image, result))
        return INFINITY;
    wp_backend_reference.close(reference);
    double worst = 0;
    for (int i = 0; i < CHECK_SIZE * CHECK_SIZE; i++)
        worst = fmax(worst, fabs((double)result[i] - (double)expected[i]));
    return worst;
}

static void time_row(const struct wp_backend_choice *on, const struct row *row, int side,
                     double copy, bool last)
{
    struct wp_wavelet wavelet;
    struct wp_plan_params params;
    const double error = check(on, row);
    if (!(error < 1e-5) || !make_params(row, side, &wavelet, &params)) {
        fprintf(stderr, "%s %s: wrong by %g\n", row->backend, row->wavelet, error);
        exit(1);
    }
    struct wp_plan *plan = wp_plan_create(&params);
    struct wp_exec *exec = plan ? on->backend->prepare(on->device, plan, NULL) : NULL;
    if (!exec)
        exit(1);
    double seconds[SAMPLES_MAX];
    const double begin = wp_clock_seconds();
    for (int i = 0; i < samples; i += wp_clock_seconds() - begin > WARM_UP_SECONDS)
        if (!on->backend->run(exec, &seconds[i]))
            exit(1);
    on->backend->release(exec);
    wp_plan_destroy(&plan);
    printf("    {\"backend\": \"%s\", \"wavelet\": \"%s\", \"scheme\": \"%s\", "
           "\"direction\": \"%s\", \"levels\": %d, ",
           row->backend, row->wavelet, params.kind->name,
           row->direction == WP_FORWARD ? "forward" : "inverse", row->levels);
    const double median = print_times(seconds, samples);
    printf(", \"over_copy\": %.3f, \"max_error\": %.1e}%s\n", median / copy, error,
           last ? "" : ",");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const wavelets[] = {"cdf53", "cdf97", "dd137"};
    static const char *const backends[] = {"compute", "fragment"};
    const int side = argc > 1 ? atoi(argv[1]) : 8192;
    samples = argc > 2 ? atoi(argv[2]) : samples;
    if (side < 2 || samples < 1 || samples > SAMPLES_MAX) {
        fprintf(stderr, "usage: bench_tiled [SIDE [SAMPLES]]\n");
        return 2;
    }
    char reason[256];
    struct wp_gl *gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (!gl) {
        fprintf(stderr, "no OpenGL: %s\n", reason);
        return 4;
    }
    const struct wp_gl_info *info = wp_gl_get_info(gl);
    printf("{\n  \"renderer\": \"%s\",\n  \"version\": \"%s\",\n  \"software\": %s,\n"
           "  \"clock\": \"%s\",\n  \"wavepass\": \"%s\",\n"
           "  \"image\": [%d, %d],\n  \"texels\": [%d, %d],\n",
           info->renderer, info->version, info->software ? "true" : "false",
           info->gpu_timer ? "GL_TIME_ELAPSED" : "wall, finish to finish", WP_BENCH_VERSION,
           side, side, side / 2, side / 2);
    const bool compute = info->max_invocations > 0;
    const double copy[2] = {compute ? time_copy(gl, true, side / 2) : -1,
                            time_copy(gl, false, side / 2)};
    wp_gl_destroy(&gl);
    printf("  \"rows\": [\n");
    for (int b = compute ? 0 : 1; b < 2; b++) {
        struct wp_backend_choice on;
        if (!wp_backend_open(backends[b], WP_DEVICE_ANY, &on))
            return 4;
        for (int w = 0; w < 3; w++)
            for (int s = 0; s < WP_SCHEME_KINDS; s++)
                time_row(&on, &(struct row){backends[b], wavelets[w], s, 1, WP_FORWARD}, side,
                         copy[b], false);
        const int best = WP_SCHEME_SEP_LIFTING;
        for (int w = 0; w < 3; w++) {
            time_row(&on, &(struct row){backends[b], wavelets[w], best, 1, WP_INVERSE}, side,
                     copy[b], false);
            time_row(&on, &(struct row){backends[b], wavelets[w], best, 5, WP_FORWARD}, side,
                     copy[b], false);
            time_row(&on, &(struct row){backends[b], wavelets[w], best, 5, WP_INVERSE}, side,
                     copy[b], b == 1 && w == 2);
        }
        wp_backend_close(&on);
    }
    printf("  ]\n}\n");
    return 0;
}
