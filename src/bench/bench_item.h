// An item to be sampled: a transform, a ceiling or a transfer, prepared on its device.
#ifndef WP_BENCH_ITEM_H
#define WP_BENCH_ITEM_H

#include "axes.h"
#include "bench_flow.h"
#include "oracle_cache.h"
#include "results.h"
#include "statistics.h"
#include "tiled_exec.h"

enum { WP_BENCH_IMAGES = 4 }; // maximum number of images that samples alternate between

// A transform or a ceiling with its buffers on the device, one per image.
struct wp_bench_run_state {
    const struct wp_bench_config *config;
    int images;
    struct wp_exec *exec[WP_BENCH_IMAGES];
    struct wp_tiled_exec *tiled;                           // instead of `exec`, or NULL
    struct wp_ceiling_run_state *ceiling[WP_BENCH_IMAGES]; // instead of `exec`
    double compile_seconds; // of the first prepare()
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

// Returns `planes` adjacent planes: `plane`, plane / 2, plane / 4, and so on. The caller frees them
// with free(). NULL after WP_ERROR_TOO_LARGE.
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
