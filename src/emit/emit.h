// Emits shaders of schemes: passes and tiles in a dialect.
#ifndef WP_EMIT_H
#define WP_EMIT_H

#include "scheme.h"
#include "text.h"

// A shader language (kernel.h). Shaders for ES 3.00 and 3.30 differ only in the first line; 4.00
// has fine derivatives, 4.30 workgroups and images.
struct wp_dialect;
extern const struct wp_dialect wp_glsl_330, wp_glsl_400, wp_glsl_430, wp_glsl_es_300;

// The dialect of fragment shaders without further requirements, for contexts of this build: 3.30,
// or ES 3.00 in web pages.
extern const struct wp_dialect *const wp_glsl_fragments;

// CUDA C++, only for tiles of lanes: a kernel of that name, which includes cuda/cuda_quads.cuh.
extern const struct wp_dialect wp_cuda_c;
#define WP_CUDA_C_KERNEL "wp_level"

// Extensions that a shader requires (bits).
// QUADS: values of neighbors in 2x2 fragments, by quad swaps if available, otherwise dFdxFine().
enum wp_feature { WP_FEATURE_QUADS = 1 };

// Adds the beginning of each shader: version, extensions, precision.
void wp_emit_head(const struct wp_dialect *dialect, unsigned features, struct wp_text *out);

// The function `vec4 stored(vec4 v)`, which rounds v to the nearest RGBA16F value (`half`), or
// returns v. Devices may truncate when they store halves (NVIDIA and llvmpipe do), which would
// double the error and bias it.
const char *wp_emit_stored(bool half);

// The purpose of a shader. {0}: a pass of one plane in 32 bits.
struct wp_emit_target {
    const struct wp_dialect *dialect; // NULL: wp_glsl_fragments
    bool stacked;                     // several planes: in columns; compute: one after the other
    bool half;                        // fragments write RGBA16F
    bool slice;                       // tiles of fragments: a slice of a volume
    // Passes of redundant banks:
    bool buffer;   // compute shaders, with the components in a buffer (shaders/bank.glsl)
    bool weighted; // wp_redundant.weighted
    // Only for tiles of fragments:
    bool store;  // with imageStore; else 2x2 quads to four attachments
    bool inside; // all texels that are read exist
    int input;   // one of WP_INPUT_… in shaders/block.glsl
};

// Adds the fragment shader of a pass. If memory is exhausted, the text is `failed`. The text
// depends only on scheme and target, so that its hash can be a cache key.
//
// The shader reads `uniform sampler2D source` and writes one RGBA result. `uniform ivec2 offset` is
// the offset from the fragment's texel to the same quad in the source. With `stacked` it also reads
// `flat in ivec2 plane_at[4]` of shaders/stack.vert.
//
// For schemes over octets it reads `uniform sampler2DArray source_even, source_odd`, whose layers
// are octets along z, and writes two results to the layers of both targets. The third component of
// `offset`, an ivec3, is the layer in the sources.
//
// Passes of redundant banks have the uniforms of shaders/bank.glsl instead of `offset`.
void wp_emit_fragment_pass_to(const struct wp_scheme *scheme, int pass,
                              const struct wp_emit_target *target, struct wp_text *out);
void wp_emit_fragment_pass(const struct wp_scheme *scheme, int pass, struct wp_text *out);

// Adds the fragment shader of all steps along z for two slices of a volume, whose texels have any
// four samples. The shader reads `uniform sampler2DArray source_even, source_odd` and writes two
// results, the texels at the fragment's position in the even and in the odd slice. `uniform int
// slice[]` has the layers of the slices that it reads, from 2 * lifting->before before the even one
// on, alternating even and odd; -1: zero. Returns the operations for the two texels, or {0} if
// memory is exhausted.
struct wp_depth_counts {
    int operations; // on texels
    int fetches;
};

struct wp_depth_counts wp_emit_depth(const struct wp_lifting *lifting,
                                     const struct wp_emit_target *target, struct wp_text *out);

#endif
