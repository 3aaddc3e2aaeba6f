// An external program that uses libwavepass-mpi: transforms an image whose rows are distributed
// over the processes, and inverts it.
#include <wavepass_mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { WIDTH = 640, HEIGHT = 480 };
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int first = HEIGHT * rank / ranks, rows = HEIGHT * (rank + 1) / ranks - first;
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = WIDTH, .height = HEIGHT, .levels = 5);
    struct wp_mpi *t = wp_mpi_create(&params, MPI_COMM_WORLD, rows);
    if (!t)
        return 1;
    const size_t count = (size_t)WIDTH * (size_t)rows;
    float *samples = malloc(count * sizeof *samples), *result = malloc(count * sizeof *result);
    float *bands[16];
    for (size_t i = 0; i < count; i++)
        samples[i] = sinf((float)(i % WIDTH) / 9) * cosf((float)(first + (int)(i / WIDTH)) / 7);
    for (int b = 0; b < wp_mpi_band_count(t); b++) {
        struct wp_mpi_band band;
        wp_mpi_get_band(t, b, &band);
        bands[b] = malloc((size_t)band.width * (size_t)band.rows * sizeof(float) + 1);
    }
    bool ok = wp_mpi_forward(t, samples, bands) &&
              wp_mpi_inverse(t, (const float *const *)bands, result);
    float max_error = 0;
    for (size_t i = 0; i < count; i++)
        max_error = fmaxf(max_error, fabsf(result[i] - samples[i]));
    ok = ok && max_error < 1e-5F;
    printf("process %d of %d: rows %d to %d, max|err| %g\n", rank, ranks, first, first + rows - 1,
           (double)max_error);
    for (int b = 0; b < wp_mpi_band_count(t); b++)
        free(bands[b]);
    free(samples);
    free(result);
    wp_mpi_destroy(&t);
    MPI_Finalize();
    return !ok;
}
