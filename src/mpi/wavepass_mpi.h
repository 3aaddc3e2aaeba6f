/// @file
/// Transforms of images whose rows are distributed over the processes of an MPI communicator: the
/// interface of libwavepass-mpi, which requires libwavepass.
///
///     const struct wp_transform_params params = WP_TRANSFORM_PARAMS(.width = w, .height = h);
///     struct wp_mpi *t = wp_mpi_create(&params, MPI_COMM_WORLD, rows);
///     if (t && wp_mpi_forward(t, samples, bands))
///         ...
///     wp_mpi_destroy(&t);
///
/// Each process has a slab of rows, which follows that of the process before it and may be empty.
/// Results are those of wp_transform_forward() and wp_transform_inverse() with the same backend:
/// bit-identical for any number of processes if the rounding of the backend does not depend on the
/// position, as for "cpu" (with its default variant) and "fragment". Neighbors exchange a halo of a
/// few rows per level: for CDF 9/7 four above and four below.
///
/// With the backend "cpu", the default here, a process computes in the calling thread, and works on
/// its own rows while messages are in transit. Other backends transfer the rows of each level, with
/// their halo, to a device of the node and back; process n of a node uses device n modulo the
/// number of devices, unless one is given. Messages are sent from the host's memory.
///
/// Errors are reported as in wavepass.h. Functions described as collective must be called by all
/// processes of the communicator, and return the same in each, unless MPI itself fails.
#ifndef WAVEPASS_MPI_H
#define WAVEPASS_MPI_H

#include "wavepass.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wp_mpi; ///< opaque

/// Collective. Creates a transform of an image of the parameters' size. This process has `rows` of
/// its rows; the sum over all processes must be the height. The parameters must be the same in all
/// processes. Width, height, planes, the wavelet, border, norm, levels, reversible and backend are
/// used, and for backends other than "cpu" also scheme, plain, variant and device; volumes and f16
/// are rejected. The communicator is duplicated. NULL after an error in any process, which reports
/// it.
WP_API struct wp_mpi *wp_mpi_create(const struct wp_transform_params *params,
                                    MPI_Comm communicator, int rows);
/// Collective. Destroys a transform and sets the pointer to NULL; accepts NULL.
WP_API void wp_mpi_destroy(struct wp_mpi **transform);

/// The rows of a subband in this process. Bands are numbered and named as in
/// wp_transform_get_band().
struct wp_mpi_band {
    const char *name; ///< "HL"
    int level;        ///< 1 is the finest
    int width;        ///< of the subband, in samples
    int height;       ///< of the subband in all processes, in samples
    int first_row;    ///< the first row in this process
    int rows;         ///< number of rows in this process
};

/// The number of subbands.
WP_API int wp_mpi_band_count(const struct wp_mpi *transform);
/// Describes a subband. False after WP_ERROR_USAGE if the index is out of range.
WP_API bool wp_mpi_get_band(const struct wp_mpi *transform, int index, struct wp_mpi_band *band);

/// Collective. The forward transform. `samples` contains the rows of this process, all planes
/// without gaps; bands[b] in the same way the rows of subband b, and may be NULL if this process
/// has none. Inputs are not changed. False if MPI or a device fails.
WP_API bool wp_mpi_forward(struct wp_mpi *transform, const float *samples, float *const bands[]);
/// Collective. The inverse transform, with the same arrays.
WP_API bool wp_mpi_inverse(struct wp_mpi *transform, const float *const bands[], float *samples);

#ifdef __cplusplus
}
#endif

#endif
