// Transforms of images whose rows are spread over the processes of an MPI communicator.
//
//     const struct wp_transform_params params = WP_TRANSFORM_PARAMS(.width = w, .height = h);
//     struct wp_mpi *t = wp_mpi_create(&params, MPI_COMM_WORLD, rows);
//     if (t && wp_mpi_forward(t, samples, bands))
//         ...
//     wp_mpi_destroy(&t);
//
// Process r has a slab of rows, right behind that of process r - 1: any number, also none. What
// comes out is that of wp_transform_forward() and wp_transform_inverse() with the same backend, however
// many processes share it: bit for bit where that rounds alike wherever a sample lies, as "cpu" (with
// its own choice of a variant) and "fragment" do. A few rows of every level are exchanged with those
// above and below: of CDF 9/7 four above and four below.
//
// With "cpu", which is the default here, a process computes in the thread that calls, and on rows of
// its own while others' are on their way. With another backend each level's rows of a process go, with
// those of others around them, from the host's memory through a device of its node and back; process n
// of a node takes device n, or n modulo how many there are, unless one is named. Messages are sent
// from the host's memory.
//
// Errors are told as wavepass.h says. All functions that are called collective have to be called by
// all processes of the communicator, and return the same in each, unless MPI itself fails.
#ifndef WAVEPASS_MPI_H
#define WAVEPASS_MPI_H

#include "wavepass.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wp_mpi;

// Collective. Of an image of the parameters' size `rows` rows are here; those of all processes add
// up to its height. The parameters are the same in all. Width, height, planes, the wavelet, border,
// norm, levels, reversible and backend count, and with a backend other than "cpu" scheme, plain, variant
// and device; a volume, 16 bits and the like are refused. The communicator is duplicated. NULL after an
// error in any process, which that one tells.
WP_API struct wp_mpi *wp_mpi_create(const struct wp_transform_params *params,
                                    MPI_Comm communicator, int rows);
// Collective. Accepts NULL, clears the pointer.
WP_API void wp_mpi_destroy(struct wp_mpi **transform);

// What a process has of a band: `rows` rows from `first_row` on, of the `width` x `height` that the
// band has. Bands are numbered and named as wp_transform_get_band() does it.
struct wp_mpi_band {
    const char *name;
    int level, width, height, first_row, rows;
};
WP_API int wp_mpi_band_count(const struct wp_mpi *transform);
WP_API bool wp_mpi_get_band(const struct wp_mpi *transform, int index, struct wp_mpi_band *band);

// Collective. Samples are `planes` arrays of this process's rows, one behind the other, without
// gaps; bands[b] is that of band b, likewise, and may be NULL where a process has no row of it. What
// is read is not changed. False where MPI or a device fails.
WP_API bool wp_mpi_forward(struct wp_mpi *transform, const float *samples, float *const bands[]);
WP_API bool wp_mpi_inverse(struct wp_mpi *transform, const float *const bands[], float *samples);

#ifdef __cplusplus
}
#endif

#endif
