// Shaders of schemes: what a pass or a tile computes, in the words of a dialect.
#ifndef WP_EMIT_H
#define WP_EMIT_H

#include "scheme.h"
#include "text.h"

// A generated language; what it consists of is in dialect.h. ES 3.00 has all that 3.30 has, and its
// shaders differ in their first line alone; 4.00 has derivatives, 4.30 workgroups and images.
struct wp_dialect;
extern const struct wp_dialect wp_glsl_330, wp_glsl_400, wp_glsl_430, wp_glsl_es_300;

// That of fragment shaders which need no more, by what contexts this build makes (src/gl): 3.30, in
// pages ES 3.00.
extern const struct wp_dialect *const wp_glsl_fragments;

// CUDA C++, of tiles of lanes alone: a kernel of that name, which includes cuda/cuda_quads.cuh.
extern const struct wp_dialect wp_cuda_c;
#define WP_CUDA_C_KERNEL "wp_level"

// What a shader takes beside its language.
// Bits: values of the neighbours in 2x2 fragments, by swaps where there are such, else by dFdxFine().
enum wp_feature { WP_FEATURE_QUADS = 1 };

// Adds what every shader begins with: version, extensions, precision.
void wp_emit_head(const struct wp_dialect *dialect, unsigned features, struct wp_text *out);

// `vec4 stored(vec4 v)`: v rounded to the nearest that RGBA16F holds. What is written is to be
// rounded before, because devices may cut off what does not fit, and do (NVIDIA, llvmpipe): twice
// the error, all to one side. For 32 bits v as it is.
const char *wp_emit_stored(bool half);

// What a shader is for. {0} is a pass of one plane in 32 bits.
struct wp_emit_target {
    const struct wp_dialect *dialect; // NULL: wp_glsl_fragments
    bool stacked;                     // planes of an image one below the other; compute: one
                                      // behind the other
    bool half;                        // fragments write RGBA16F
    bool slice;                       // tiles of fragments: of a volume's slice
    // Of tiles of fragments:
    bool store;  // by imageStore; else 2x2 into four attachments
    bool inside; // all that is read exists
    int input;   // one of WP_INPUT_… of shaders/block.glsl
};

// Adds the whole fragment shader of a pass, where there is memory: else the text is `failed`, as of
// all that adds to one. It depends on scheme and target alone and is the
// same on every run; its hash can key a cache.
//
// The shader reads `uniform sampler2D source`, writes one RGBA result, and expects
// `uniform ivec2 offset`: from the fragment's texel to the same quad in the source. `stacked`: also
// `flat in int plane` and `uniform ivec4 plane_rows` of shaders/plane.glsl.
//
// Of a scheme over octets it reads `uniform sampler2DArray source_even, source_odd`, whose layers
// are octets along z, and writes two results, for the layers of both that are drawn on. `offset` is
// an ivec3, and its third number that layer in the sources.
void wp_emit_fragment_pass_to(const struct wp_scheme *scheme, int pass,
                              const struct wp_emit_target *target, struct wp_text *out);
void wp_emit_fragment_pass(const struct wp_scheme *scheme, int pass, struct wp_text *out);

// The same of all steps along z of two slices of a volume, whose texels hold whatever four samples.
// The shader reads `uniform sampler2DArray source_even, source_odd` and writes two results, for the
// texels at the fragment's place in the even and the odd slice. `uniform int slice[]` has the
// layers of the slices that it reads, from 2 * lifting->before before the even one on, even and odd
// ones in turn; -1 stands for zero. Returns what it does for the two texels, {0} where memory is
// short.
struct wp_depth_counts {
    int operations; // on texels
    int fetches;
};

struct wp_depth_counts wp_emit_depth(const struct wp_lifting *lifting,
                                     const struct wp_emit_target *target, struct wp_text *out);

#endif
