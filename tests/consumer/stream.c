// An external program that transforms a picture of any height in memory of a few rows:
//
//     stream PICTURE.pgm
//
// Reads an 8-bit PGM row by row and prints the energy of each subband.
#include <wavepass_stream.h>

#include <stdio.h>
#include <stdlib.h>

enum { BANDS_MAX = 128 };

struct energies {
    int width[BANDS_MAX];
    double sum[BANDS_MAX];
};

static bool add_energy(void *user, int band, int plane, int row, const float *samples)
{
    struct energies *energies = user;
    (void)plane, (void)row;
    for (int x = 0; x < energies->width[band]; x++)
        energies->sum[band] += (double)samples[x] * (double)samples[x];
    return true;
}

// Returns false if the file ends early, or after an error message.
static bool push_rows(FILE *file, struct wp_stream *stream, int width, int height)
{
    float *row = malloc((size_t)width * sizeof *row);
    const struct wp_operand view = {.data = row};
    bool ok = row != NULL;
    for (int y = 0; y < height && ok; y++) {
        for (int x = 0; x < width; x++)
            row[x] = (float)getc(file) / 255;
        ok = !feof(file) && wp_stream_push(stream, &view, 1);
    }
    free(row);
    return ok;
}

int main(int argc, char *argv[])
{
    static struct energies energies;
    int width, height;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file || fscanf(file, "P5 %d %d 255", &width, &height) != 2 || getc(file) == EOF)
        return EXIT_FAILURE;
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = width, .height = height, .norm = "orthonormal");
    struct wp_stream *stream = wp_stream_create_forward(&params, add_energy, &energies);
    const int bands = stream ? wp_stream_band_count(stream) : 0;
    struct wp_band_info info[BANDS_MAX];
    for (int b = 0; b < bands; b++)
        energies.width[b] = wp_stream_get_band(stream, b, &info[b]) ? info[b].width : 0;
    const bool ok = stream && push_rows(file, stream, width, height);
    for (int b = 0; b < bands && ok; b++)
        printf("%s%d %.6g\n", info[b].name, info[b].level, energies.sum[b]);
    wp_stream_destroy(&stream);
    fclose(file);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
