// How long transforms of pixels take, there and back where they go to a device, and what they save:
// against floats that were made first, by the same functions and as many threads, and then transformed;
// and against floats that are there. Coefficients of 16 bits likewise. In turns, the least of their times:
// what else runs on the machine makes them longer. Of a device then what it takes by its own clock,
// without the ways there and back: of floats, of pixels, and how many images a second the latter are.
//
//   pixels_speeds [SIZE [TURNS [BACKEND [LEVELS]]]]     2048, 99, cpu and 1, if they are not given
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

enum { PARTS = 64, TURNS_MAX = 999, PLANES_MAX = 3 };

enum contender { FLOATS, FIRST, PIXELS, CONTENDERS };

struct job {
    int width, height, planes, threads;
    bool halves; // `pixels` are coefficients, and the image has floats
    struct wp_transform *of[CONTENDERS];
    struct wp_pixels pixels;
    float *floats, *coefficients;
    bool inverse;
};

static const char *backend = "cpu";

// Whether those are made of floats.
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
        const ptrdiff_t at = i % job->height * job->pixels.step[1] + i / job->height * job->pixels.plane;
        if (writes(job))
            wp_pixels_write(rows, &job->pixels, at, line, false, job->width);
        else
            wp_pixels_read(rows, line, &job->pixels, at, false, job->width);
    }
}

struct times {
    double all, device;
};

static struct times run(struct job *job, enum contender contender)
{
    struct wp_transform *t = job->of[contender];
    const struct wp_pixels floats = {.data = job->halves ? job->floats : job->coefficients};
    const struct wp_pixels *image = job->halves ? &floats : &job->pixels;
    const struct wp_pixels *coefficients = job->halves ? &job->pixels : &floats;
    const bool first = contender == FIRST;
    const double start = wp_clock_seconds();
    bool ok;
    if (first && !writes(job))
        wp_threads_share(job->threads, PARTS, convert_part, job);
    if (contender == PIXELS)
        ok = job->inverse ? wp_transform_inverse_elements(t, coefficients, image)
                          : wp_transform_forward_elements(t, image, coefficients);
    else
        ok = job->inverse ? wp_transform_inverse(t, job->coefficients, job->floats)
                          : wp_transform_forward(t, job->floats, job->coefficients);
    if (first && writes(job))
        wp_threads_share(job->threads, PARTS, convert_part, job);
    const double seconds = wp_clock_seconds() - start;
    if (!ok)
        exit(1); // which was told
    return (struct times){seconds, wp_transform_get_info(t)->seconds};
}

static void measure(struct job *job, int turns, struct times least[CONTENDERS])
{
    for (int c = 0; c < CONTENDERS; c++)
        least[c] = run(job, (enum contender)c);
    for (int i = 0; i < turns; i++) {
        for (int c = 0; c < CONTENDERS; c++) {
            const struct times times = run(job, (enum contender)c);
            least[c].all = fmin(least[c].all, times.all);
            least[c].device = fmin(least[c].device, times.device);
        }
    }
}

static void show(struct job *job, const char *wavelet, bool mixed, int levels, int turns)
{
    const bool periodic = strcmp(wavelet, "db4") == 0;
    // Its sides are even at each level.
    while (periodic && (job->width | job->height) & ((1 << levels) - 1))
        levels--;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = job->width, .height = job->height, .planes = job->planes, .wavelet = wavelet,
        .backend = backend, .levels = levels, .threads = strcmp(backend, "cpu") == 0 ? job->threads : 0,
        .border = periodic ? "periodic" : NULL);
    struct times least[2][CONTENDERS];
    for (int c = 0; c < CONTENDERS; c++)
        if (!(job->of[c] = wp_transform_create(&params)))
            exit(1);
    job->pixels.step[0] = mixed ? job->planes : 1;
    job->pixels.step[1] = job->width * job->pixels.step[0];
    job->pixels.plane = mixed ? 1 : (ptrdiff_t)job->width * job->height;
    for (int inverse = 0; inverse < 2; inverse++) {
        job->inverse = inverse;
        measure(job, turns, least[inverse]);
    }
    for (int c = 0; c < CONTENDERS; c++)
        wp_transform_destroy(&job->of[c]);
    printf("%-6s %-4s %d level%s %d plane%s %-12s %d thread%s", wavelet,
           job->halves ? "half" : wp_elements[job->pixels.type].name, levels, levels > 1 ? "s" : " ",
           job->planes, job->planes > 1 ? "s" : " ", mixed ? "side by side" : "", job->threads,
           job->threads > 1 ? "s" : " ");
    for (int inverse = 0; inverse < 2; inverse++) {
        const struct times *m = least[inverse];
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
    const int turns = argc > 2 ? atoi(argv[2]) : 99, levels = argc > 4 ? atoi(argv[4]) : 1;
    int width = 2048, height = 2048;
    if (argc > 1 && sscanf(argv[1], "%dx%d", &width, &height) == 1)
        height = width;
    if (width < 2 || width > 32768 || height < 2 || height > 32768 || (width | height) % 2 ||
        turns < 1 || turns > TURNS_MAX || levels < 1 || levels > 15) {
        fprintf(stderr, "even sides of 2 to 32768, 1 to %d turns, 1 to 15 levels\n", TURNS_MAX);
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
    // Of halves, too, these are numbers of about 1.
    for (size_t i = 0; i < 2 * samples; i++)
        bytes[i] = (unsigned char)(i % 2 ? 0x38 + i / 2 % 5 : i * 37 + i / 1021);
    job.pixels.data = bytes;
    printf("%dx%d by %s, the least of %d: floats, made first, pixels; pixels over made first, over "
           "floats; forward | inverse\n",
           width, height, backend, turns);
    // A device's work is not shared among threads, and what is made first always is.
    const int most = wp_threads_count(), least = strcmp(backend, "cpu") == 0 ? 1 : most;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (job.threads = least; job.threads <= most; job.threads += most > 1 ? most - 1 : 1) {
            job.pixels.type = cases[i].type;
            job.planes = cases[i].planes;
            job.halves = cases[i].how == HALVES;
            show(&job, cases[i].wavelet, cases[i].how == MIXED, levels, turns);
        }
    }
    free(job.floats);
    free(job.coefficients);
    free(bytes);
    return 0;
}
