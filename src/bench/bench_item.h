// One thing to be sampled: a transform, a ceiling or a transfer, made ready on its device.
#ifndef WP_BENCH_ITEM_H
#define WP_BENCH_ITEM_H

#include "axes.h"
#include "bench_map.h"
#include "oracle_cache.h"
#include "results.h"
#include "statistics.h"
#include "tiled_exec.h"

enum { WP_BENCH_IMAGES = 4 }; // at most, that samples go around

// A transform or a ceiling with its memory on the device, an image each.
struct wp_bench_run_state {
    const struct wp_bench_config *config;
    int images;
    struct wp_exec *exec[WP_BENCH_IMAGES];
    struct wp_tiled_exec *tiled;                       // in place of these
    struct wp_ceiling_run_state *ceiling[WP_BENCH_IMAGES]; // likewise
    double compile_seconds; // of the first prepare()
    float *out;             // planes for downloads; NULL until they are needed
    bool pinned;            // they are, for the device
};

enum wp_bench_act {
    WP_ACT_RUN,      // all operations, with what the configuration includes
    WP_ACT_UPLOAD,   // load()
    WP_ACT_DOWNLOAD, // store()
    WP_ACT_PACK,     // a plane into quads, on the host
    WP_ACT_LAYOUT,   // quads into a plane, on the host
    WP_ACT_MAP,      // OpenGL's textures to CUDA
    WP_ACT_UNMAP,    // and back
};

struct wp_bench_item {
    struct wp_row row; // filled as far as it is known
    enum wp_bench_act act;
    const struct wp_backend *backend;
    struct wp_bench_run_state own;   // WP_ACT_RUN; of a ceiling without config
    struct wp_bench_run_state *bench_run; // that, or for transfers a transform's
    struct wp_bench_map *map;   // of WP_ACT_MAP and WP_ACT_UNMAP
    bool wall;                  // the row's timer is the computer's clock
    struct wp_cost cost;
    const float *input; // planes to upload
    int capacity;       // of the row's samples
    double measured; // seconds: the samples' sum
    double spent;    // seconds of wall time in which they were taken
    double turns;    // seconds of wall time, with what is between them
    long preemptions; // wp_clock_preemptions() in these
    double noise;
    bool done;
};

// Bytes on the device that a configuration takes for one image, about.
double wp_bench_bytes(const struct wp_bench_config *config);

// As many planes as that, one behind the other: `plane` itself, half of it, a quarter. On pages of
// their own; free() them.
float *wp_bench_stack(const float *plane, size_t samples, int planes);

// Makes a transform of the planes `input`, which must stay, ready, and checks it where there is
// an oracle. `compiled` says whether its programs were made before in this run. Items must not
// move from then on. False after an error; WP_ERROR_TOO_LARGE and
// WP_ERROR_UNAVAILABLE leave the device as it was. Where the check fails, the item is done.
bool wp_bench_item_transform(struct wp_bench_item *item, const struct wp_bench_config *config,
                             struct wp_oracle_cache *oracle, const float *input, bool compiled);
bool wp_bench_item_ceiling(struct wp_bench_item *item, const struct wp_bench_config *config,
                           const struct wp_ceiling *ceiling); // of its backend, size and threads

// Of a transform that stays where it is.
void wp_bench_item_transfer(struct wp_bench_item *item, struct wp_bench_item *transform,
                            enum wp_bench_act act);

// Of textures that stay where they are; the transform is what they were made for.
void wp_bench_item_map(struct wp_bench_item *item, struct wp_bench_map *map,
                       enum wp_bench_act act);

// Takes one sample: of all images, divided by their number. It is kept where `keep`.
bool wp_bench_item_sample(struct wp_bench_item *item, bool keep);

// The row's figures from its samples.
void wp_bench_item_finish(struct wp_bench_item *item);

// Releases what is on the device; the row is the caller's.
void wp_bench_item_release(struct wp_bench_item *item);

#endif
