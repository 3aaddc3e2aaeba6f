// CUDA on OpenGL textures, for images and volumes, against the reference interpreter. Skipped
// without a GPU that supports both.
#include <GL/glew.h>

#include "cuda_gl.h"

#include "backend_gl.h"
#include "context.h"
#include "cuda_backend.h"
#include "log.h"
#include "plan.h"
#include "reference.h"
#include "surfaces.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PIXELS = 512 * 512, SKIPPED = 77 };

static float plane[MAX_PIXELS], expected[MAX_PIXELS], result[MAX_PIXELS];
static int passed, failed;

static void require(bool ok, const char *label)
{
    passed += ok;
    failed += !ok;
    if (!ok)
        printf("FAIL %s\n", label);
}

static struct wp_gl *open_context(void)
{
    char reason[256] = "";
    const int device_index = wp_gl_find_cuda_device(0);
    struct wp_gl *gl = device_index < 0 ? NULL : wp_gl_create(device_index, reason, sizeof reason);
    if (!gl) {
        printf("skipped: no OpenGL on CUDA device 0 %s\n", reason);
    } else if (wp_cuda_gl_device(reason, sizeof reason) != 0) {
        printf("skipped: %s\n", reason);
        wp_gl_destroy(&gl);
    }
    return gl;
}

static void fill(int count, unsigned seed)
{
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        plane[i] = (float)(seed >> 8) / (1 << 24);
    }
}

// Runs the schedule (of fragment shaders, or fused) on its surfaces; `map_explicitly` maps and
// unmaps them before and after the run.
static bool run_shared(struct wp_gl *gl, const struct wp_schedule *schedule, bool map_explicitly)
{
    struct wp_surfaces surfaces;
    char reason[256] = "";
    if (!wp_surfaces_create(gl, schedule, &surfaces))
        return false;
    unsigned names[64] = {0};
    for (int s = 0; s < surfaces.count; s++)
        names[s] = surfaces.texture[s].id;
    const struct wp_operand from = wp_operand_const(&schedule->description, plane);
    const struct wp_operand to = wp_operand_dense(&schedule->description, result);
    const bool loaded = wp_surfaces_load(&surfaces, &from);
    struct wp_cuda_gl *shared = wp_cuda_gl_create(schedule, names, reason, sizeof reason);
    if (!shared)
        printf("not shared: %s\n", reason);
    bool ok = loaded && shared;
    if (map_explicitly)
        ok = ok && wp_cuda_gl_map(shared) && wp_cuda_gl_map(shared);
    ok = ok && wp_cuda_gl_run(shared, NULL);
    if (map_explicitly)
        ok = ok && wp_cuda_gl_unmap(shared) && wp_cuda_gl_unmap(shared);
    ok = ok && wp_surfaces_store(&surfaces, &to);
    wp_cuda_gl_destroy(&shared);
    wp_surfaces_destroy(&surfaces);
    return ok;
}

static void run_case(struct wp_gl *gl, struct wp_description params, bool fused)
{
    char label[256];
    const int count = (int)wp_description_samples(&params);
    fill(count, 1);
    for (int i = 0; i < count; i++)
        result[i] = NAN;
    struct wp_schedule *schedule = fused ? wp_schedule_fused(&params) : wp_schedule_passes(&params);
    const struct wp_execute reference = {.backend = &wp_backend_reference};
    double worst = INFINITY;
    if (schedule &&
        wp_execute(&reference, &params, 1, (const float *[]){plane}, (float *[]){expected}) &&
        run_shared(gl, schedule, fused)) {
        worst = 0;
        for (int i = 0; i < count; i++) {
            const double error = fabs((double)result[i] - (double)expected[i]);
            worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
        }
    }
    snprintf(label, sizeof label, "%s %s %s %s %dx%dx%d levels %d, %d %s: %.1e",
             params.wavelet->name, wp_direction_names[params.direction],
             wp_border_names[params.border], wp_layout_names[params.layout], params.size[WP_X],
             params.size[WP_Y], wp_description_depth(&params), params.levels, params.levels_z,
             fused ? "fused" : params.kind->name, worst);
    require(worst <= 2e-5, label);
    wp_schedule_destroy(&schedule);
}

static void run_matrix(struct wp_gl *gl)
{
    static const char *const wavelets[] = {"haar", "cdf53", "cdf97", "dd137", "cdf93", "d6"};
    static const int sizes[][3] = {{64, 64, 1}, {512, 384, 3}, {512, 512, 9}, {131, 77, 1},
                                   {131, 77, 3}, {5, 7, 2},   {7, 1, 1},     {1, 9, 2}};
    for (size_t w = 0; w < sizeof wavelets / sizeof *wavelets; w++) {
        struct wp_wavelet wavelet;
        if (!wp_wavelet_find(wavelets[w], &wavelet)) {
            require(false, wavelets[w]);
            continue;
        }
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int d = 0; d < 2; d++) {
                struct wp_description params = {
                    .wavelet = &wavelet,
                    .direction = d ? WP_INVERSE : WP_FORWARD,
                    .border = wavelet.symmetry == WP_SYMMETRY_NONE ? WP_BORDER_PERIODIC
                                                                   : WP_BORDER_SYMMETRIC,
                    .size = {sizes[s][0], sizes[s][1]},
                    .levels = sizes[s][2],
                };
                const int limit = wp_levels_most(params.size, params.border);
                if (limit == 0)
                    continue;
                params.levels = params.levels < limit ? params.levels : limit;
                // The first scheme reads and writes one texture, the second one two.
                params.kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION];
                run_case(gl, params, false);
                params.kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
                run_case(gl, params, false);
                run_case(gl, params, true);
            }
        }
    }
}

// Array textures with even and odd numbers of slices; schedules of passes have margins around them.
static void run_volumes(struct wp_gl *gl)
{
    static const char *const wavelets[] = {"haar", "cdf97", "dd137", "d6"};
    static const int sizes[][5] = {{64, 48, 32, 3, 3}, {33, 31, 17, 4, 4}, {131, 7, 9, 2, 3},
                                   {1, 9, 6, 1, 2},    {16, 12, 10, 2, 0}, {16, 12, 10, 0, 3},
                                   {5, 3, 2, 1, 1}};
    for (int i = 0; i < (int)(sizeof wavelets / sizeof *wavelets * sizeof sizes / sizeof *sizes *
                              4); i++) {
        struct wp_wavelet wavelet;
        const int *size = sizes[i / 4 % (int)(sizeof sizes / sizeof *sizes)];
        const char *name = wavelets[i / 4 / (int)(sizeof sizes / sizeof *sizes)];
        if (!wp_wavelet_find(name, &wavelet)) {
            require(false, name);
            continue;
        }
        struct wp_description params = {
            .wavelet = &wavelet,
            .kind = wp_scheme_kind_named("planar-lifting"),
            .direction = i & 1 ? WP_INVERSE : WP_FORWARD,
            .layout = i & 2 ? WP_LAYOUT_MIXED : WP_LAYOUT_MALLAT,
            .size = {size[0], size[1], size[2]},
            .levels = size[3],
            .levels_z = size[4],
        };
        if (wavelet.symmetry == WP_SYMMETRY_NONE) {
            params.border = WP_BORDER_PERIODIC;
            const int limit = wp_levels_most(params.size, params.border);
            const int limit_z = wp_levels_z_most(size[2], params.border);
            params.levels = params.levels < limit ? params.levels : limit;
            params.levels_z = params.levels_z < limit_z ? params.levels_z : limit_z;
            if (wp_description_levels(&params) == 0)
                continue;
        }
        run_case(gl, params, true);
        run_case(gl, params, false);
    }
}

// Repeated registering, mapping and resizing does not leak GPU memory.
static void run_leaks(struct wp_gl *gl)
{
    enum { ROUNDS = 60, TOLERATED = 64 << 20 };
    size_t before = 0, after = 0, total = 0;
    for (int round = -5; round < ROUNDS; round++) {
        if (round == 0)
            cudaMemGetInfo(&before, &total);
        // Textures of up to 64 MiB in total, of a different size each time.
        const int size = 1024 + 64 * (round & 15);
        struct wp_schedule *schedule = wp_schedule_fused(&(struct wp_description){
            .wavelet = wp_wavelet_table[2], .kind = &wp_scheme_kinds[0], .levels = 3,
            .size = {size, size}});
        struct wp_surfaces surfaces;
        char reason[256] = "";
        unsigned names[64] = {0};
        bool ok = schedule && wp_surfaces_create(gl, schedule, &surfaces);
        for (int s = 0; ok && s < schedule->surface_count; s++)
            names[s] = surfaces.texture[s].id;
        struct wp_cuda_gl *shared =
            ok ? wp_cuda_gl_create(schedule, names, reason, sizeof reason) : NULL;
        for (int i = 0; i < 20 && shared; i++)
            ok = ok && wp_cuda_gl_map(shared) && wp_cuda_gl_unmap(shared);
        // Every second time, destroy the textures while they are mapped.
        if (round % 2)
            ok = ok && shared && wp_cuda_gl_map(shared);
        ok = ok && shared && wp_cuda_gl_run(shared, NULL);
        wp_cuda_gl_destroy(&shared);
        wp_surfaces_destroy(&surfaces);
        wp_schedule_destroy(&schedule);
        require(ok, "a round of registering and mapping");
    }
    cudaMemGetInfo(&after, &total);
    char label[128];
    snprintf(label, sizeof label, "leaks: %.1f MiB of device memory",
             ((double)before - (double)after) / (1 << 20));
    printf("%s\n", label);
    require(after + TOLERATED >= before, label);
}

// A texture that cannot be registered is rejected with a reason and without an error.
static void run_rejection(struct wp_gl *gl)
{
    (void)gl;
    const unsigned names[4] = {4711, 4711, 4711, 4711};
    char reason[256] = "";
    struct wp_schedule *schedule = wp_schedule_fused(&(struct wp_description){
        .wavelet = wp_wavelet_table[2], .kind = &wp_scheme_kinds[0], .levels = 1,
        .size = {64, 64}});
    struct wp_cuda_gl *shared = wp_cuda_gl_create(schedule, names, reason, sizeof reason);
    require(!shared && reason[0], "a texture that does not exist");
    printf("refused: %s\n", reason);
    wp_cuda_gl_destroy(&shared);
    wp_schedule_destroy(&schedule);
}

static bool is_available(void *handle)
{
    return *(const bool *)handle;
}

// Reports a context that is unavailable, and errors that OpenGL recorded before the call. The next
// transform runs.
static void run_errors(void)
{
    const struct wp_backend *backend = &wp_backend_cuda_gl;
    const struct wp_description description = {
        .wavelet = wp_wavelet_table[2], .kind = &wp_scheme_kinds[0], .levels = 1,
        .size = {64, 64}};
    const struct wp_operand from = wp_operand_const(&description, plane);
    bool available = true;
    char reason[256] = "";
    struct wp_gl *gl = wp_gl_adopt(&(struct wp_gl_external){"a window", is_available, &available},
                                   reason, sizeof reason);
    struct wp_device *device = gl ? backend->gl->borrow(gl, reason, sizeof reason) : NULL;
    struct wp_exec *exec = device ? backend->prepare(device, &description, NULL) : NULL;
    const bool runs = exec && backend->load(exec, &from) && backend->run(exec, NULL);
    require(runs, "a transform in a window's context");
    if (runs) {
        available = false;
        require(!backend->run(exec, NULL), "an unavailable context is reported");
        available = true;
        require(backend->run(exec, NULL), "a context that is available again");
        glEnable(0); // not a valid capability
        require(!backend->run(exec, NULL), "an OpenGL error is reported");
        require(backend->run(exec, NULL), "after an OpenGL error");
    }
    backend->release(exec);
    if (device)
        backend->close(device);
    wp_gl_destroy(&gl);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { SAMPLES = 31 };

static double median(double *seconds)
{
    qsort(seconds, SAMPLES, sizeof *seconds, compare_doubles);
    return seconds[SAMPLES / 2];
}

// Prints a JSON row: time of one level on shared textures and of a surface-to-surface copy.
static void print_time(struct wp_gl *gl, const struct wp_wavelet *wavelet,
                       enum wp_direction direction, int size, const char *comma)
{
    const struct wp_backend *cuda = &wp_backend_cuda;
    const struct wp_backend_bench *bench = cuda->bench;
    char reason[256] = "";
    struct wp_schedule *schedule = wp_schedule_fused(&(struct wp_description){
        .wavelet = wavelet, .kind = &wp_scheme_kinds[0], .levels = 1, .direction = direction,
        .size = {size, size}});
    struct wp_surfaces surfaces;
    unsigned names[64] = {0};
    if (!schedule || !wp_surfaces_create(gl, schedule, &surfaces))
        exit(1);
    for (int s = 0; s < schedule->surface_count; s++)
        names[s] = surfaces.texture[s].id;
    struct wp_cuda_gl *shared = wp_cuda_gl_create(schedule, names, reason, sizeof reason);
    struct wp_device *device = cuda->open(0, false, reason, sizeof reason);
    const struct wp_ceiling *ceiling = bench->ceilings;
    while (ceiling->name && ceiling->fetches == 0)
        ceiling++;
    struct wp_ceiling_run_state *copy = bench->ceiling_prepare(device, ceiling, size, size);
    double transform_seconds[SAMPLES], copy_seconds[SAMPLES];
    for (int i = -3; i < SAMPLES; i++) {
        double seconds[2] = {0};
        if (!shared || !copy || !wp_cuda_gl_run(shared, &seconds[0]) ||
            !bench->ceiling_run(&copy, 1, &seconds[1]))
            exit(1);
        if (i >= 0)
            transform_seconds[i] = seconds[0], copy_seconds[i] = seconds[1];
    }
    const double median_seconds = median(transform_seconds), ceiling_seconds = median(copy_seconds);
    printf("%s  {\"wavelet\": \"%s\", \"direction\": \"%s\", \"size\": %d, "
           "\"median_ms\": %.5f, \"surface_copy_ms\": %.5f, \"share_of_copy\": %.4f}", comma,
           wavelet->name, wp_direction_names[direction], size, 1e3 * median_seconds,
           1e3 * ceiling_seconds, ceiling_seconds / median_seconds);
    bench->ceiling_release(copy);
    cuda->close(device);
    wp_cuda_gl_destroy(&shared);
    wp_surfaces_destroy(&surfaces);
    wp_schedule_destroy(&schedule);
}

// test_cuda_gl [--time SIZE]
int main(int argc, char **argv)
{
    struct wp_gl *gl = open_context();
    if (!gl)
        return SKIPPED;
    if (argc > 2) {
        for (int w = 0; wp_wavelet_table[w]; w++)
            for (int d = 0; d < 2; d++)
                print_time(gl, wp_wavelet_table[w], d ? WP_INVERSE : WP_FORWARD, atoi(argv[2]),
                           w + d ? ",\n" : "[\n");
        printf("\n]\n");
        wp_gl_destroy(&gl);
        return 0;
    }
    run_rejection(gl);
    run_errors();
    run_matrix(gl);
    run_volumes(gl);
    run_leaks(gl);
    wp_gl_destroy(&gl);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
