/// @file
/// Names of parameter values, devices, numbers of levels, and the filters of a wavelet. None of
/// these functions requires a transform; only wp_query_names() with WP_QUERY_DEVICES opens devices.
#ifndef WAVEPASS_QUERY_H
#define WAVEPASS_QUERY_H

#include "wavepass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Lists of names.
enum wp_query {
    WP_QUERY_WAVELETS,       ///< built in, by wavelet files in $WAVEPASS_WAVELETS, and the families
    WP_QUERY_SCHEMES,        ///< for images
    WP_QUERY_VOLUME_SCHEMES, ///< for volumes
    WP_QUERY_BORDERS,        ///< boundary extensions
    WP_QUERY_NORMS,          ///< normalizations
    WP_QUERY_LAYOUTS,        ///< layouts of coefficients
    WP_QUERY_PRECISIONS,     ///< storage formats on a device
    WP_QUERY_DECOMPOSITIONS, ///< decompositions of volumes
    WP_QUERY_BACKENDS,       ///< of this build, in the order in which "auto" tries them
    WP_QUERY_VARIANTS,       ///< of one backend, the default first; none if it has only one
    WP_QUERY_DEVICES,        ///< of one backend: name n is device WP_DEVICE(n); "" if it is not
                             ///< available
    WP_QUERY_BANKS,          ///< filter banks
};

/// Returns the names in an array terminated by NULL; the caller frees it with wp_query_free().
/// `backend` is the backend for WP_QUERY_VARIANTS and WP_QUERY_DEVICES, and ignored for the others.
/// NULL after WP_ERROR_USAGE or WP_ERROR_TOO_LARGE.
WP_API char **wp_query_names(enum wp_query query, const char *backend);
/// Frees names; accepts NULL.
WP_API void wp_query_free(char **names);

/// Gets the maximum number of levels of a transform with these parameters, in the plane and, for a
/// volume, along z (else 0). The members for levels are ignored, and no backend is opened. False
/// after an error, also if no level fits the size. `levels_z` may be NULL.
WP_API bool wp_query_levels(const struct wp_transform_params *params, int *levels, int *levels_z);

/// The filters of a wavelet.
enum wp_query_filter {
    WP_QUERY_ANALYSIS_LOW,   ///< analysis low-pass
    WP_QUERY_ANALYSIS_HIGH,  ///< analysis high-pass
    WP_QUERY_SYNTHESIS_LOW,  ///< synthesis low-pass
    WP_QUERY_SYNTHESIS_HIGH, ///< synthesis high-pass
};

/// A filter of a wavelet, by a name or a path as in wp_transform_params.wavelet, with the gains of
/// a norm (NULL: "jpeg2000"). With h[k] = taps[k - first]:
///
///     low[n]  = sum over k of h[k] x[2n + k]              h: WP_QUERY_ANALYSIS_LOW
///     high[n] = sum over k of h[k] x[2n + 1 + k]          h: WP_QUERY_ANALYSIS_HIGH
///     x[n]    = sum over m of h[n - 2m] low[m]            h: WP_QUERY_SYNTHESIS_LOW
///             + sum over m of h[n - 2m - 1] high[m]       h: WP_QUERY_SYNTHESIS_HIGH
///
/// Returns the number of taps, and writes at most `capacity` of them, so that a first call with
/// capacity 0 (and `taps` NULL) gives the size. 0 after an error.
WP_API int wp_query_filter(const char *wavelet, const char *norm, enum wp_query_filter filter,
                           int *first, double *taps, int capacity);

#ifdef __cplusplus
}
#endif

#endif
