// Benchmark of transforms of pixels, with transfers if the backend has a device. Compares three
// contenders: transforms of existing floats (FLOATS), conversion to floats by the same functions
// and threads followed by a transform (FIRST), and transforms of pixels (PIXELS); also for 16-bit
// coefficients. The contenders alternate, and the minimum time of each is printed, because other
// load only increases times. For devices, prints the device times without transfers for floats and
// pixels, and images per second for pixels.
//
//   pixels_speeds [SIZE [REPEATS [BACKEND [LEVELS]]]]     defaults: 2048, 99, cpu and 1
//
// SIZE is N or WxH.
#include "clock.h"
#include "cpu_rows.h"
#include "memory.h"
#include "threads.h"
#include "wavepass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, REPEATS_MAX = 999, PLANES_MAX = 3 };

enum contender { FLOATS, FIRST, PIXELS, CONTENDERS };

struct job {
    int width, height, planes, threads;
    bool halves; // `pixels` are the coefficients, and the image has floats
    struct wp_transform *of[CONTENDERS];
    struct wp_operand pixels;
    float *floats, *coefficients;
    bool inverse;
};

static const char *backend = "cpu";

// True if the direction writes `pixels`.
static bool writes(const struct job *job)
{
    return job->halves != job->inverse;
}

static void convert_part(void *user, int part, int thread)
{
    (void)thread;
    const struct job *job = user;
    const struct wp_element_rows *rows = wp_cpu_rows_get(0)->elements;
    const int lines = job->height * job->planes;
    for (int i = part * lines / PARTS; i < (part + 1) * lines / PARTS; i++) {
        float *line = (job->halves ? job->coefficients : job->floats) + (ptrdiff_t)i * job->width;
        const ptrdiff_t at = i % job->height * job->pixels.stride[1] +
                             i / job->height * job->pixels.stride[WP_PLANE];
        if (writes(job))
            wp_operand_write(rows, &job->pixels, at, line, false, job->width);
        else
            wp_operand_read(rows, line, &job->pixels, at, false, job->width);
    }
}

struct times {
    double all, device;
};

static struct times run(struct job *job, enum contender contender)
{
    struct wp_transform *t = job->of[contender];
    const struct wp_operand floats = {.data = job->halves ? job->floats : job->coefficients};
    const struct wp_operand *image = job->halves ? &floats : &job->pixels;
    const struct wp_operand *coefficients = job->halves ? &job->pixels : &floats;
    const bool first = contender == FIRST;
    const double start = wp_clock_seconds();
    bool ok;
    if (first && !writes(job))
        wp_threads_share(job->threads, PARTS, convert_part, job);
    if (contender == PIXELS)
        ok = job->inverse ? wp_transform_inverse(t, coefficients, image)
                          : wp_transform_forward(t, image, coefficients);
    else
        ok = job->inverse
                 ? wp_transform_inverse(t, WP_ARRAY(job->coefficients), WP_ARRAY(job->floats))
                 : wp_transform_forward(t, WP_ARRAY(job->floats), WP_ARRAY(job->coefficients));
    if (first && writes(job))
        wp_threads_share(job->threads, PARTS, convert_part, job);
    const double seconds = wp_clock_seconds() - start;
    if (!ok)
        exit(1); // the library has reported the error
    return (struct times){seconds, wp_transform_get_info(t)->seconds};
}

static void measure(struct job *job, int repeats, struct times best[CONTENDERS])
{
    for (int c = 0; c < CONTENDERS; c++)
        best[c] = run(job, (enum contender)c);
    for (int i = 0; i < repeats; i++) {
        for (int c = 0; c < CONTENDERS; c++) {
            const struct times times = run(job, (enum contender)c);
            best[c].all = fmin(best[c].all, times.all);
            best[c].device = fmin(best[c].device, times.device);
        }
    }
}

static void show(struct job *job, const char *wavelet, bool mixed, int levels, int repeats)
{
    const bool periodic = strcmp(wavelet, "db4") == 0;
    // Periodic borders require even sizes at each level.
    while (periodic && (job->width | job->height) & ((1 << levels) - 1))
        levels--;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = job->width, .height = job->height, .planes = job->planes, .wavelet = wavelet,
        .backend = backend, .levels = levels,
        .threads = strcmp(backend, "cpu") == 0 ? job->threads : 0,
        .border = periodic ? "periodic" : NULL);
    struct times best[2][CONTENDERS];
    for (int c = 0; c < CONTENDERS; c++)
        if (!(job->of[c] = wp_transform_create(&params)))
            exit(1);
    job->pixels.stride[0] = mixed ? job->planes : 1;
    job->pixels.stride[1] = job->width * job->pixels.stride[0];
    job->pixels.stride[WP_PLANE] = mixed ? 1 : (ptrdiff_t)job->width * job->height;
    for (int inverse = 0; inverse < 2; inverse++) {
        job->inverse = inverse;
        measure(job, repeats, best[inverse]);
    }
    for (int c = 0; c < CONTENDERS; c++)
        wp_transform_destroy(&job->of[c]);
    printf("%-6s %-4s %d level%s %d plane%s %-12s %d thread%s", wavelet,
           job->halves ? "half" : wp_elements[job->pixels.type].name, levels,
           levels > 1 ? "s" : " ", job->planes, job->planes > 1 ? "s" : " ",
           mixed ? "interleaved" : "", job->threads, job->threads > 1 ? "s" : " ");
    for (int inverse = 0; inverse < 2; inverse++) {
        const struct times *m = best[inverse];
        printf(" | %7.2f %7.2f %7.2f ms  %.2f %.2f", m[FLOATS].all * 1e3, m[FIRST].all * 1e3,
               m[PIXELS].all * 1e3, m[PIXELS].all / m[FIRST].all, m[PIXELS].all / m[FLOATS].all);
        if (strcmp(backend, "cpu") != 0)
            printf("  %7.1f %7.1f us %6.0f/s", m[FLOATS].device * 1e6, m[PIXELS].device * 1e6,
                   1 / m[PIXELS].device);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *wavelet;
        enum wp_element type;
        int planes;
        enum { PLANES, MIXED, HALVES } how;
    } cases[] = {
        {"cdf97", WP_ELEMENT_U8, 1, PLANES},  {"cdf97", WP_ELEMENT_U16, 1, PLANES},
        {"cdf97", WP_ELEMENT_F16, 1, PLANES}, {"cdf53", WP_ELEMENT_U8, 1, PLANES},
        {"db4", WP_ELEMENT_U8, 1, PLANES},    {"cdf97", WP_ELEMENT_U8, 3, PLANES},
        {"cdf97", WP_ELEMENT_U8, 3, MIXED},   {"cdf97", WP_ELEMENT_U16, 3, MIXED},
        {"cdf97", WP_ELEMENT_F16, 1, HALVES}, {"cdf53", WP_ELEMENT_F16, 1, HALVES},
    };
    backend = argc > 3 ? argv[3] : backend;
    const int repeats = argc > 2 ? atoi(argv[2]) : 99, levels = argc > 4 ? atoi(argv[4]) : 1;
    int width = 2048, height = 2048;
    if (argc > 1 && sscanf(argv[1], "%dx%d", &width, &height) == 1)
        height = width;
    if (width < 2 || width > 32768 || height < 2 || height > 32768 || (width | height) % 2 ||
        repeats < 1 || repeats > REPEATS_MAX || levels < 1 || levels > 15) {
        fprintf(stderr, "even sizes from 2 to 32768, 1 to %d repeats, 1 to 15 levels\n",
                REPEATS_MAX);
        return 2;
    }
    const size_t samples = (size_t)width * (size_t)height * PLANES_MAX;
    struct job job = {.width = width,
                      .height = height,
                      .floats = wp_allocate(samples, sizeof *job.floats, "floats"),
                      .coefficients = wp_allocate(samples, sizeof *job.floats, "coefficients")};
    unsigned char *bytes = wp_allocate(samples, 2, "pixels");
    if (!job.floats || !job.coefficients || !bytes)
        return 1;
    // As half floats, these are numbers of magnitude about 1.
    for (size_t i = 0; i < 2 * samples; i++)
        bytes[i] = (unsigned char)(i % 2 ? 0x38 + i / 2 % 5 : i * 37 + i / 1021);
    job.pixels.data = bytes;
    printf("%dx%d on %s, minimum of %d: floats, converted first, pixels; ratio pixels/converted, "
           "pixels/floats; forward | inverse\n",
           width, height, backend, repeats);
    // Only the cpu backend has a thread count; conversion to floats uses all threads.
    const int max_threads = wp_threads_count(),
              min_threads = strcmp(backend, "cpu") == 0 ? 1 : max_threads;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (job.threads = min_threads; job.threads <= max_threads;
             job.threads += max_threads > 1 ? max_threads - 1 : 1) {
            job.pixels.type = cases[i].type;
            job.planes = cases[i].planes;
            job.halves = cases[i].how == HALVES;
            show(&job, cases[i].wavelet, cases[i].how == MIXED, levels, repeats);
        }
    }
    free(job.floats);
    free(job.coefficients);
    free(bytes);
    return 0;
}
