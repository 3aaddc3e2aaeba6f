// Transforms of slabs, compared with the transform of the complete image, which each process also
// computes. For as many processes as mpiexec starts:
//
//     mpiexec -n N test_mpi [CASES [SEED [BACKEND]]]
//
// With a backend other than cpu each process opens a device; exits with 77 if none is available.
// Results are bit-identical with cpu and fragment, and for integer lifting. Otherwise they are
// compared with a tolerance: reference has doubles between levels, compilers of compute shaders
// round differently near borders, and CUDA has other kernels for large levels.
//
// The time of a CDF 9/7 transform, median and minimum of RUNS, without comparison:
//
//     mpiexec -n N test_mpi speed WIDTH HEIGHT LEVELS RUNS
#include "wavepass_mpi.h"

#include "mpi_slabs.h"
#include "transform.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, failures;
static const char *backend = "cpu";
static long long sent; // bytes of rows that this process sent

// Replaces MPI_Isend() through MPI's profiling interface, to count bytes.
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm communicator, MPI_Request *request)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    sent += (long long)count * size;
    return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

static void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("process %d of %d: ", rank, ranks);
    vprintf(format, list);
    printf("\n");
    fflush(stdout);
    va_end(list);
    failures++;
}

static unsigned long long state;

static unsigned dice(unsigned sides)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % sides;
}

struct kind {
    const char *wavelet, *border, *norm;
    bool reversible;
};

static const struct kind kinds[] = {
    {"cdf97", "symmetric", "jpeg2000", false}, {"cdf97", "periodic", "orthonormal", false},
    {"cdf53", "symmetric", "jpeg2000", true},  {"dd137", "symmetric", "none", true},
    {"haar", "symmetric", "orthonormal", false}, {"dd137", "periodic", "jpeg2000", false},
    {"db3", "periodic", "jpeg2000", false},    {"ak511", "periodic", "jpeg2000", false},
    {"cdf1711", "symmetric", "jpeg2000", false}, {"cdf75", "symmetric", "none", false},
    {"bior4.4", "symmetric", "jpeg2000", false}, {"db8", "periodic", "orthonormal", false},
};

// Rows for each process: evenly (0), at random (1), or all in one process (2).
static void split_rows(int height, unsigned split, int *rows)
{
    for (int r = 0; r < ranks; r++)
        rows[r] = (int)((long long)height * (r + 1) / ranks - (long long)height * r / ranks);
    for (int i = 0; i < 4 * ranks && split == 1; i++) {
        const int from = (int)dice((unsigned)ranks), to = (int)dice((unsigned)ranks);
        const int some = (int)dice((unsigned)rows[from] + 1);
        rows[from] -= some;
        rows[to] += some;
    }
    if (split == 2) {
        const int one = (int)dice((unsigned)ranks);
        memset(rows, 0, (size_t)ranks * sizeof *rows);
        rows[one] = height;
    }
}

// Row `y` of a subband in the array of coefficients, layout Mallat.
static const float *band_row(const struct wp_mpi_band *band, const float *plane, int width,
                             int height, int y)
{
    const int low_x = wp_level_size(width, band->level), low_y = wp_level_size(height, band->level);
    const bool right = band->name[0] == 'H', below = band->name[1] == 'H';
    return plane + (size_t)(y + (below ? low_y : 0)) * (size_t)width + (right ? low_x : 0);
}

struct image {
    int width, height, planes;
    float *samples, *coefficients, *restored;
};

static bool make_image(struct image *image, const struct wp_transform_params *params)
{
    const size_t count = (size_t)image->width * (size_t)image->height * (size_t)image->planes;
    struct wp_transform_params reference = *params;
    reference.backend = backend;
    image->samples = malloc(count * sizeof(float));
    image->coefficients = malloc(count * sizeof(float));
    image->restored = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        image->samples[i] =
            params->reversible ? (float)dice(256) : (float)dice(1 << 20) / (1 << 20);
    struct wp_transform *t = wp_transform_create(&reference);
    const bool ok =
        t && wp_transform_forward(t, WP_ARRAY(image->samples), WP_ARRAY(image->coefficients)) &&
        wp_transform_inverse(t, WP_ARRAY(image->coefficients), WP_ARRAY(image->restored));
    wp_transform_destroy(&t);
    return ok;
}

static void free_image(struct image *image)
{
    free(image->samples);
    free(image->coefficients);
    free(image->restored);
}

static bool is_exact(bool reversible)
{
    return reversible || strcmp(backend, "cpu") == 0 || strcmp(backend, "fragment") == 0;
}

static bool are_alike(const float *a, const float *b, size_t count, bool reversible)
{
    bool alike = is_exact(reversible) ? count == 0 || memcmp(a, b, count * sizeof *a) == 0 : true;
    for (size_t i = 0; i < count && !is_exact(reversible); i++)
        alike = alike && fabsf(a[i] - b[i]) <= 4e-6F;
    return alike;
}

static void check_bands(const struct wp_mpi *t, const struct image *image, float *const bands[],
                        bool reversible, const char *name)
{
    for (int b = 0; b < wp_mpi_band_count(t); b++) {
        struct wp_mpi_band band;
        wp_mpi_get_band(t, b, &band);
        for (int p = 0; p < image->planes; p++)
            for (int i = 0; i < band.rows; i++) {
                const float *plane = image->coefficients +
                                     (size_t)p * (size_t)image->width * (size_t)image->height;
                const float *expected = band_row(&band, plane, image->width, image->height,
                                                 band.first_row + i);
                const float *actual =
                    bands[b] + ((size_t)p * (size_t)band.rows + (size_t)i) * (size_t)band.width;
                if (are_alike(expected, actual, (size_t)band.width, reversible))
                    continue;
                fail("%s: row %d of %s%d, plane %d, differs", name, band.first_row + i,
                     band.name, band.level, p);
                return;
            }
    }
}

static void check(const struct kind *kind, int width, int height, int planes, int levels,
                  unsigned split)
{
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = width, .height = height, .planes = planes,
                            .wavelet = kind->wavelet, .border = kind->border, .norm = kind->norm,
                            .levels = levels, .reversible = kind->reversible, .backend = backend);
    char name[128];
    int *rows = malloc((size_t)ranks * sizeof *rows), first = 0;
    split_rows(height, split, rows);
    for (int r = 0; r < rank; r++)
        first += rows[r];
    snprintf(name, sizeof name, "%s %s %s%s %dx%d, %d planes, %d levels, split %u", kind->wavelet,
             kind->border, kind->norm, kind->reversible ? " reversible" : "", width, height, planes,
             levels, split);
    struct image image = {.width = width, .height = height, .planes = planes};
    if (!make_image(&image, &params)) {
        fail("%s: no transform of the complete image (%s)", name, wp_last_error_text());
        free_image(&image);
        free(rows);
        return;
    }
    struct wp_mpi *t = wp_mpi_create(&params, MPI_COMM_WORLD, rows[rank]);
    if (!t) {
        fail("%s: %s", name, wp_last_error_text());
        free_image(&image);
        free(rows);
        return;
    }
    const size_t plane = (size_t)width * (size_t)rows[rank];
    float *samples = malloc((plane * (size_t)planes + 1) * sizeof *samples);
    float **bands = calloc((size_t)wp_mpi_band_count(t), sizeof *bands);
    for (int b = 0; b < wp_mpi_band_count(t); b++) {
        struct wp_mpi_band band;
        wp_mpi_get_band(t, b, &band);
        const size_t floats = (size_t)band.rows * (size_t)band.width * (size_t)planes;
        bands[b] = floats ? malloc(floats * sizeof(float)) : NULL;
    }
    for (int p = 0; p < planes; p++)
        memcpy(samples + (size_t)p * plane,
               image.samples + ((size_t)p * (size_t)height + (size_t)first) * (size_t)width,
               plane * sizeof *samples);
    if (!wp_mpi_forward(t, samples, bands))
        fail("%s: forward: %s", name, wp_last_error_text());
    else
        check_bands(t, &image, bands, kind->reversible, name);
    memset(samples, 0xff, plane * (size_t)planes * sizeof *samples);
    if (!wp_mpi_inverse(t, (const float *const *)bands, samples))
        fail("%s: inverse: %s", name, wp_last_error_text());
    for (int p = 0; p < planes; p++)
        if (!are_alike(samples + (size_t)p * plane,
                       image.restored +
                           ((size_t)p * (size_t)height + (size_t)first) * (size_t)width,
                       plane, kind->reversible))
            fail("%s: plane %d of the image differs", name, p);
    for (int b = 0; b < wp_mpi_band_count(t); b++)
        free(bands[b]);
    free(bands);
    free(samples);
    free(rows);
    wp_mpi_destroy(&t);
    free_image(&image);
}

// Neighboring processes exchange, per level, the rows that the steps reach: for CDF 9/7 four
// upwards and four downwards, in both directions of the transform.
static void check_bytes(void)
{
    enum { WIDTH = 512, HEIGHT = 1024, LEVELS = 4 };
    static const struct kind kind = {"cdf97", "symmetric", "jpeg2000", false};
    long long all = 0, theory = 0;
    sent = 0;
    check(&kind, WIDTH, HEIGHT, 2, LEVELS, 0);
    MPI_Allreduce(&sent, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int l = 0; l < LEVELS; l++)
        theory += 2LL * 2 * (ranks - 1) * (4 + 4) * (WIDTH >> l) * (long long)sizeof(float);
    // Slabs that begin at multiples of 2^LEVELS transfer nothing else.
    if (HEIGHT % (ranks << LEVELS) == 0 && all != theory)
        fail("%lld bytes were sent, expected %lld", all, theory);
    if (rank == 0)
        printf("%d processes: %lld bytes of halos, expected %lld\n", ranks, all, theory);
}

static void check_wrong(void)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(.width = 8, .height = 8);
    struct wp_transform_params wrong = params;
    struct wp_mpi *t = wp_mpi_create(&params, MPI_COMM_WORLD, 9);
    if (t || !strstr(wp_last_error_text(), "rows of an image of 8"))
        fail("message for too many rows: %s", wp_last_error_text());
    t = wp_mpi_create(&params, MPI_COMM_WORLD, rank ? 0 : -1);
    if (t || !strstr(wp_last_error_text(), "process 0 has -1 rows"))
        fail("message for a negative number of rows: %s", wp_last_error_text());
    wrong.variant = "lifting-row-column";
    t = wp_mpi_create(&wrong, MPI_COMM_WORLD, rank ? 0 : 8);
    if (t || !strstr(wp_last_error_text(), "neither variants nor devices"))
        fail("message for a variant: %s", wp_last_error_text());
    wrong = params;
    wrong.backend = "abacus";
    t = wp_mpi_create(&wrong, MPI_COMM_WORLD, rank ? 0 : 8);
    if (t || (rank == 0 && !strstr(wp_last_error_text(), "abacus")))
        fail("message for an unknown backend: %s", wp_last_error_text());
    wrong = params;
    wrong.backend = "reference";
    wrong.device = 9;
    t = wp_mpi_create(&wrong, MPI_COMM_WORLD, rank ? 0 : 8);
    if (t || (rank == 0 && !strstr(wp_last_error_text(), "device")))
        fail("message for an unknown device: %s", wp_last_error_text());
    wrong = params;
    wrong.wavelet = "no-such";
    // If one process has invalid parameters, the call fails in all processes.
    t = wp_mpi_create(rank ? &params : &wrong, MPI_COMM_WORLD, rank ? 0 : 8);
    if (t)
        fail("an unknown wavelet in one process was accepted");
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure(int width, int height, int levels, int runs)
{
    enum { SPACING = 5 * 16 }; // floats
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = width, .height = height, .levels = levels);
    int *rows = calloc((size_t)ranks, sizeof *rows);
    split_rows(height, 0, rows);
    struct wp_mpi *t = wp_mpi_create(&params, MPI_COMM_WORLD, rows[rank]);
    if (!t)
        return false;
    const size_t count = (size_t)width * (size_t)rows[rank];
    float *samples = malloc((count + 1) * sizeof *samples);
    float **block = calloc((size_t)wp_mpi_band_count(t), sizeof *block);
    float **bands = calloc((size_t)wp_mpi_band_count(t), sizeof *bands);
    double *seconds[2] = {calloc((size_t)runs, sizeof(double)),
                          calloc((size_t)runs, sizeof(double))};
    for (size_t i = 0; i < count; i++)
        samples[i] = (float)(i % 251) / 251;
    for (int b = 0; b < wp_mpi_band_count(t); b++) {
        struct wp_mpi_band band;
        wp_mpi_get_band(t, b, &band);
        // Bands with the same offset in a page would share cache sets.
        block[b] = calloc((size_t)band.rows * (size_t)band.width + SPACING * (size_t)b + 1,
                          sizeof(float));
        bands[b] = block[b] + SPACING * b;
    }
    bool ok = true;
    // The first run, which page-faults new memory, is not counted.
    for (int i = -1; i < runs && ok; i++)
        for (int d = 0; d < 2 && ok; d++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double start = MPI_Wtime();
            ok = d ? wp_mpi_inverse(t, (const float *const *)bands, samples)
                   : wp_mpi_forward(t, samples, bands);
            MPI_Barrier(MPI_COMM_WORLD);
            if (i >= 0)
                seconds[d][i] = MPI_Wtime() - start;
        }
    for (int d = 0; d < 2; d++)
        qsort(seconds[d], (size_t)runs, sizeof **seconds, by_value);
    if (rank == 0)
        printf("{\"processes\": %d, \"width\": %d, \"height\": %d, \"levels\": %d, "
               "\"forward_s\": %.6f, \"inverse_s\": %.6f, "
               "\"forward_least_s\": %.6f, \"inverse_least_s\": %.6f}\n",
               ranks, width, height, levels, seconds[0][runs / 2],
               seconds[1][runs / 2], seconds[0][0], seconds[1][0]);
    for (int b = 0; b < wp_mpi_band_count(t); b++)
        free(block[b]);
    free(block);
    free(bands);
    free(samples);
    free(seconds[0]);
    free(seconds[1]);
    free(rows);
    wp_mpi_destroy(&t);
    return ok;
}

static void ignore_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 6 && strcmp(argv[1], "speed") == 0) {
        const bool ok = measure(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
        MPI_Finalize();
        return !ok;
    }
    const int cases = argc > 1 ? atoi(argv[1]) : 300;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    wp_log_set_handler(ignore_message, NULL);
    if (argc > 3)
        backend = argv[3];
    struct wp_transform *t = wp_transform_create(
        &(struct wp_transform_params)WP_TRANSFORM_PARAMS(.width = 16, .height = 16,
                                                         .backend = backend));
    if (!t) {
        if (rank == 0)
            printf("skipped: %s\n", wp_last_error_text());
        MPI_Finalize();
        return 77;
    }
    wp_transform_destroy(&t);
    check_wrong();
    check_bytes();
    const int count = (int)(sizeof kinds / sizeof *kinds);
    for (int i = 0; i < cases && !failures; i++) {
        const struct kind *kind = &kinds[i % count];
        const bool even = strcmp(kind->border, "periodic") == 0;
        int width = 1 + (int)dice(i % 5 ? 70 : 4), height = 1 + (int)dice(i % 7 ? 150 : 6);
        const int levels = 1 + (int)dice(3);
        if (even) {
            width = (width + 7) / 8 * 8;
            height = (height + 7) / 8 * 8;
        }
        const int size[] = {width, height};
        const int most = wp_levels_most(size, even ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC);
        const int requested = i % 3 ? levels : WP_LEVELS_MOST;
        if (most > 0)
            check(kind, width, height, 1 + (int)dice(3), requested > most ? most : requested,
                  dice(3));
    }
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d cases by %s on %d processes, %d failures\n", cases, backend, ranks, all);
    MPI_Finalize();
    return all ? 1 : 0;
}
