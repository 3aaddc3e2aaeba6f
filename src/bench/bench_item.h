// An item to be sampled: a transform, a ceiling or a transfer, prepared on its device.
#ifndef WP_BENCH_ITEM_H
#define WP_BENCH_ITEM_H

#include "bench.h"
#include "backend.h"
#include "image.h"
#include "plan.h"
#include "results.h"
#include "schedule.h"
#include "tiled_exec.h"

struct wp_oracle_cache;

// ---- reference results for configurations of one size: the reference computes each transform once
// for all schemes and backends (oracle_cache.c) ----

// Creates the input, noise of a size. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_oracle_noise(const int size[WP_DIMS_MAX]);

// Valid until the next call for the cache. `scale`: the largest magnitude of the image, at least 1.
struct wp_expectation {
    const float *input, *output;
    double scale;
};

struct wp_oracle_cache *wp_oracle_cache_create(void);
void wp_oracle_cache_destroy(struct wp_oracle_cache **cache); // accepts NULL, clears the pointer

// Gets the transform of the noise (forward) or of the noise's coefficients (inverse) for the
// parameters, whose scheme and form are ignored. False after the errors of schedule.h and image.h.
bool wp_oracle_cache_get(struct wp_oracle_cache *cache, const struct wp_description *params,
                         struct wp_expectation *expectation);

// ---- transforms that overlap, and the mapping of textures to CUDA (bench_flow.c) ----

enum { WP_BENCH_FLOW_EXECS = 2 };

// True if a backend supports overlapping for a description.
bool wp_bench_flows(const struct wp_backend *backend, const struct wp_description *description);

// Transforms the planes `from` to `to` several times. `seconds` gets the mean time between the ends
// of two successive downloads; the start of the pipeline is not included. False after an error.
bool wp_bench_flow_run(const struct wp_backend *backend, struct wp_exec *const exec[],
                       const struct wp_operand *from, const struct wp_operand *to, double *seconds);

// A transform of the backend cuda-gl.
struct wp_bench_map {
    struct wp_device *device;
    struct wp_device_info info;
    struct wp_description description;
    struct wp_exec *exec;
};

// Prepares a transform, which must have at least one level. False, with the reason and *map {0}, if
// CUDA and OpenGL do not share a device, or memory is exhausted.
bool wp_bench_map_create(const struct wp_description *description, struct wp_bench_map *map,
                         char *reason, size_t reason_size);
void wp_bench_map_destroy(struct wp_bench_map *map); // accepts {0}, leaves {0}

// Measures both once, in seconds of the computer's clock, with an idle GPU before each. False after
// WP_ERROR_INTERNAL.
bool wp_bench_map_run(struct wp_bench_map *map, double *mapping, double *unmapping);

// ---- items ----

enum { WP_BENCH_IMAGES = 4 }; // maximum number of images that samples alternate between

// A transform or a ceiling with its buffers on the device, one per image.
struct wp_bench_run_state {
    const struct wp_bench_config *config;
    int images;
    struct wp_exec *exec[WP_BENCH_IMAGES];
    struct wp_tiled_exec *tiled;                           // instead of `exec`, or NULL
    struct wp_plan *plan;                                  // instead of `exec`, or NULL
    struct wp_ceiling_run_state *ceiling[WP_BENCH_IMAGES]; // instead of `exec`
    double compile_seconds; // of the first prepare()
    float *in;              // of plans: coefficients, which may be more than samples; else NULL
    float *out;             // buffer for downloads; NULL until it is needed
    bool pinned;            // `out` is pinned for the device
};

enum wp_bench_act {
    WP_ACT_RUN,      // the transform or ceiling, with the transfers that the configuration includes
    WP_ACT_UPLOAD,   // load()
    WP_ACT_DOWNLOAD, // store()
    WP_ACT_PACK,     // packs a plane into quads, on the host
    WP_ACT_LAYOUT,   // unpacks quads into a plane, on the host
    WP_ACT_MAP,      // maps OpenGL textures to CUDA
    WP_ACT_UNMAP,    // unmaps them
};

struct wp_bench_item {
    struct wp_row row; // its samples and figures are set later
    enum wp_bench_act act;
    const struct wp_backend *backend;
    struct wp_bench_run_state owned;  // for WP_ACT_RUN; `config` is NULL for ceilings
    struct wp_bench_run_state *state; // `owned`, or for transfers that of a transform
    struct wp_bench_map *map;         // for WP_ACT_MAP and WP_ACT_UNMAP, else NULL
    bool wall;            // the row's timer is the computer's clock
    struct wp_cost cost;
    const float *input;   // planes to upload
    int capacity;         // of the row's samples
    double measured;      // sum of the samples, in seconds
    double spent;         // wall time of the runs, in seconds
    double batch_seconds; // wall time of the batches, in seconds
    long preemptions;     // wp_clock_preemptions() in these
    double noise;
    bool done;
};

// Approximate device memory of a configuration for one image, in bytes.
double wp_bench_bytes(const struct wp_bench_config *config);

// Returns `planes` adjacent planes with the samples of `plane` divided by 1, 2, 4, and so on. The
// caller frees them with free(). NULL after WP_ERROR_TOO_LARGE.
float *wp_bench_stack(const float *plane, size_t samples, int planes);

// Prepares a transform of the planes `input`, which must outlive the item, and verifies it if
// `oracle` is not NULL; if that fails, the item is done. `compiled`: its programs were compiled
// before in this run. Items must not be moved afterwards. False after an error; the device can be
// used after WP_ERROR_TOO_LARGE and WP_ERROR_UNAVAILABLE.
bool wp_bench_item_transform(struct wp_bench_item *item, const struct wp_bench_config *config,
                             struct wp_oracle_cache *oracle, const float *input, bool compiled);
bool wp_bench_item_ceiling(struct wp_bench_item *item, const struct wp_bench_config *config,
                           const struct wp_ceiling *ceiling); // of config's backend

// Prepares a transfer of a transform, which must outlive the item.
void wp_bench_item_transfer(struct wp_bench_item *item, struct wp_bench_item *transform,
                            enum wp_bench_act act);

// Prepares mapping or unmapping of the textures of `map`, which must outlive the item.
void wp_bench_item_map(struct wp_bench_item *item, struct wp_bench_map *map,
                       enum wp_bench_act act);

// Runs all images. With `record`, adds a sample: the time divided by the number of images. False
// after an error.
bool wp_bench_item_sample(struct wp_bench_item *item, bool record);

// Computes the row's figures from its samples.
void wp_bench_item_finish(struct wp_bench_item *item);

// Releases the item's resources except the row, which the caller owns.
void wp_bench_item_release(struct wp_bench_item *item);

#endif
