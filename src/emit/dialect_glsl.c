// GLSL: core profile, and ES 3.00.
#include "glsl_words.h"

// The web page has only passes.
static const struct wp_shape_words *const shapes[WP_SHAPES] = {
    [WP_SHAPE_PASS] = &wp_glsl_pass,
#ifndef WP_EMIT_SMALL
    [WP_SHAPE_LANES] = &wp_glsl_lanes, [WP_SHAPE_BLOCK] = &wp_glsl_block,
    [WP_SHAPE_LINES] = &wp_glsl_lines, [WP_SHAPE_STRIP] = &wp_glsl_strip,
    [WP_SHAPE_DEPTH] = &wp_glsl_depth,
#endif
};

// ES has no default precision of these types in fragment shaders, or for integers one of 16 bits,
// which is too small for images. Also in 3.30, so that shaders differ from ES only in the first
// line.
#define PRECISION \
    "#ifdef GL_ES\n" \
    "precision highp float;\n" \
    "precision highp int;\n" \
    "precision highp sampler2D;\n" \
    "precision highp sampler2DArray;\n" \
    "#endif\n"

#define DIALECT(version_, precision_, ...) \
    { \
        .version = "#version " version_ "\n", .precision = precision_, .extension = {__VA_ARGS__}, \
        .shape = shapes, .end = "}\n", .component = WP_GLSL_COMPONENTS, .number_end = "", \
        .floor = "floor(", .make_vector = "vec4(", .cell_of_tier = "cell[gl_LocalInvocationID.y]" \
    }
#define QUADS \
    "#extension GL_ARB_derivative_control : require\n" \
    "#extension GL_KHR_shader_subgroup_quad : enable\n"

const struct wp_dialect wp_glsl_330 = DIALECT("330 core", PRECISION, NULL);
const struct wp_dialect wp_glsl_400 = DIALECT("400 core", "", QUADS);
const struct wp_dialect wp_glsl_430 = DIALECT("430 core", "", QUADS);
const struct wp_dialect wp_glsl_es_300 = DIALECT("300 es", PRECISION, NULL);

#ifdef __EMSCRIPTEN__
const struct wp_dialect *const wp_glsl_fragments = &wp_glsl_es_300;
#else
const struct wp_dialect *const wp_glsl_fragments = &wp_glsl_330;
#endif
