/// @file
/// The best basis of wavelet packets (Coifman, Wickerhauser 1992): the tree whose leaves have the
/// minimal cost for an image.
///
///     struct wp_transform_params params =
///         WP_TRANSFORM_PARAMS(.width = 512, .height = 512, .bank = "packets", .levels = 4);
///     const struct wp_packet_cost cost = {.name = "shannon"};
///     char tree[WP_TREE_SIZE];
///     if (wp_packets_best(&params, WP_ARRAY(image), &cost, tree))
///         params.tree = tree; // for wp_transform_create()
///
/// Errors and threads are as in wavepass.h.
#ifndef WAVEPASS_PACKETS_H
#define WAVEPASS_PACKETS_H

#include "wavepass.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WP_TREE_SIZE = 8192, ///< bytes of a tree with its terminating zero
};

/// A cost of the coefficients x of a node; the cost of a tree is the sum over its leaves.
/// Coefficients have the norm "orthonormal", independent of the norm of the transform:
///
///     "shannon"     - sum x^2 log x^2, the entropy
///     "log-energy"  sum log x^2
///     "threshold"   the number of |x| > parameter
///     "norm"        sum |x|^parameter, such as 1
///     "error"       sum min(x^2, parameter^2), for denoising: the error of a threshold of 3 sigma
///
/// Terms of zeros are 0.
struct wp_packet_cost {
    const char *name; ///< NULL: `function`
    double parameter; ///< of "threshold", "norm" and "error", positive
    /// The cost of the coefficients of a node, of all planes and entries of the batch. Called by
    /// one thread.
    double (*function)(void *user, const double *coefficient, size_t count);
    void *user; ///< for `function`
};

/// Finds the tree of minimal cost for an operand in the host's memory; all planes and entries of
/// the batch share it. A node is split only if its children cost less. `params` are those of the
/// transform, with `bank` "packets"; `tree` is ignored. The full tree may have at most 8191 nodes
/// above the last level, which is 7 levels of an image. False after WP_ERROR_USAGE, or an error of
/// wp_transform_create() or wp_transform_forward().
WP_API bool wp_packets_best(const struct wp_transform_params *params,
                            const struct wp_operand *image, const struct wp_packet_cost *cost,
                            char tree[WP_TREE_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
