// GLSL: core profile, and ES 3.00.
#include "kernel.h"

#include <stdio.h>
#include <string.h>

// shaders/*.glsl, embedded.
extern const unsigned char wp_shader_plane[], wp_shader_bank[];

// For a quad, and for both quads of an octet.
#define COMPONENTS "rgbargba"

const char *wp_emit_stored(bool half)
{
    if (!half)
        return "vec4 stored(vec4 v)\n{\n    return v;\n}\n";
    // Rounds 13 of 23 bits of the mantissa, ties to even; min() prevents that NaNs wrap around.
    // Numbers below 2^-14 have fewer bits and may lose 2^-24. The bits are those of abs(v):
    // NVIDIA's compiler (driver 580) may compute the bits of -x as the negated integer of the bits
    // of x.
    return "vec4 stored(vec4 v)\n"
           "{\n"
           "    uvec4 bits = floatBitsToUint(abs(v));\n"
           "    bits = min(bits + 0xfffu + ((bits >> 13) & 1u), 0x7fffffffu) & 0xffffe000u;\n"
           "    vec4 nearest = uintBitsToFloat(bits);\n"
           "    return mix(nearest, -nearest, lessThan(v, vec4(0.0)));\n"
           "}\n";
}

// The comment at the beginning of a pass.
static void describe_pass(const struct wp_writer *w)
{
    const struct wp_scheme *scheme = w->kernel->scheme;
    const struct wp_pass *pass = &scheme->pass[w->kernel->pass];
    wp_text_add(w->out,
                "// %s, %s, pass %d of %d%s\n"
                "// %s\n"
                "// %d operations, %d fetch%s\n",
                scheme->name, wp_direction_names[scheme->direction], w->kernel->pass + 1,
                scheme->pass_count,
                scheme->axes == WP_AXIS_H                      ? ", rows only"
                : scheme->axes == WP_AXIS_V                    ? ", columns only"
                : !wp_has_octets(w)                            ? ""
                : scheme->axes == WP_AXIS_D                    ? ", along z only"
                : scheme->axes == WP_AXIS_BOTH                 ? ", slices only"
                : scheme->axes == (WP_AXIS_H | WP_AXIS_D)      ? ", rows and along z"
                : scheme->axes == (WP_AXIS_V | WP_AXIS_D)      ? ", columns and along z"
                                                               : "",
                pass->label, wp_pass_operations(pass), pass->reach.fetches,
                pass->reach.fetches == 1 ? "" : "es");
}

static unsigned below(unsigned set, int c)
{
    return set & ((1U << c) - 1);
}

static int count_of(unsigned set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

// Passes of redundant banks: a function of the sample's position.
static void begin_bank_pass(const struct wp_writer *w)
{
    const struct wp_scheme *scheme = w->kernel->scheme;
    const struct wp_matrix *core = &scheme->pass[w->kernel->pass].core;
    describe_pass(w);
    wp_text_add(w->out, "%s%s#define AXES %d\n", w->target->weighted ? "#define WEIGHTED\n" : "",
                w->target->stacked && !w->target->buffer ? "#define STACKED\n" : "",
                (int)scheme->axes);
    if (w->target->buffer) {
        wp_text_add(w->out, "#define BUFFER\n#define READS %u\n#define LAYER(c) int[](",
                    wp_matrix_columns(core));
        for (int c = 0; c < WP_COMPONENTS_MAX; c++)
            wp_text_add(w->out, "%s%d", c ? ", " : "", count_of(below(scheme->components, c)));
        wp_text_add(w->out, ")[c]\n");
    } else {
        wp_text_add(w->out, "%s", (const char *)wp_shader_plane);
    }
    wp_text_add(w->out, "%s%s\nvoid pass_at(ivec3 p)\n{\n", (const char *)wp_shader_bank,
                w->target->half ? wp_emit_stored(true) : "");
}

static void begin_pass(const struct wp_writer *w)
{
    const bool octets = wp_has_octets(w);
    if (w->kernel->scheme->redundant) {
        begin_bank_pass(w);
        return;
    }
    describe_pass(w);
    wp_text_add(w->out,
                "%s"
                "%s"
                "layout(location = 0) out vec4 result%s;\n"
                "\n"
                "%s"
                "void main()\n"
                "{\n"
                "    %s + offset%s;\n",
                octets ? "uniform sampler2DArray source_even;\n"
                         "uniform sampler2DArray source_odd;\n"
                         "uniform ivec3 offset;\n"
                         "flat in ivec2 drawn;\n"
                       : "uniform sampler2D source;\n"
                         "uniform ivec2 offset;\n",
                w->target->stacked ? "flat in ivec2 plane_at[4];\n" : "",
                octets ? "[2]" : "", w->target->half ? wp_emit_stored(true) : "",
                octets ? "ivec3 p = ivec3(ivec2(gl_FragCoord.xy), drawn.x)"
                       : "ivec2 p = ivec2(gl_FragCoord.xy)",
                w->target->stacked ? " + plane_at[0] - plane_at[1]" : "");
}

static void fetch_bands(const struct wp_writer *w, const struct wp_value *texel)
{
    const int *at = texel->at;
    char name[WP_NAME];
    wp_text_add(w->out, "    vec4 %s = fetch(p", wp_texel_name(w, name, texel));
    if (at[WP_X] || at[WP_Y] || at[WP_Z])
        wp_text_add(w->out, " + dilation * ivec3(%d, %d, %d)", at[WP_X], at[WP_Y], at[WP_Z]);
    wp_text_add(w->out, ", %d);\n", texel->component);
}

static void fetch_quad(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_value *quad = &wp_kernel_terms_of(w, i)->value;
    char name[WP_NAME];
    if (w->kernel->scheme->redundant) {
        fetch_bands(w, quad);
        return;
    }
    wp_text_add(w->out, "    vec4 %s = texelFetch(source%s%s, p", wp_texel_name(w, name, quad),
                wp_has_octets(w) ? "_" : "", wp_has_octets(w) ? wp_half_of(quad->component) : "");
    if (wp_has_octets(w) && (quad->at[0] || quad->at[1] || quad->at[2]))
        wp_text_add(w->out, " + ivec3(%d, %d, %d)", quad->at[0], quad->at[1], quad->at[2]);
    else if (quad->at[0] || quad->at[1])
        wp_text_add(w->out, " + ivec2(%d, %d)", quad->at[0], quad->at[1]);
    wp_text_add(w->out, ", 0);\n");
}

static void scale_quad(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME], number[WP_NUMBER_SIZE];
    wp_text_add(w->out, "    %s *= vec4(", wp_texel_name(w, name, &i->value));
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_text_add(w->out, "%s%s", c ? ", " : "",
                    wp_format_number(number, wp_kernel_terms_of(w, i)[c].c, 9));
    wp_text_add(w->out, ");\n");
}

static void add_to_value(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_text_add(w->out, "    %s ", wp_value_name(w, name, &i->value));
    wp_write_product(w, wp_kernel_terms_of(w, i), "+= ", "-= ");
    wp_text_add(w->out, ";\n");
}

static void begin_quad(const struct wp_writer *w, const struct wp_instruction *i)
{
    char result[WP_NAME], loaded[WP_NAME];
    wp_texel_name(w, result, &i->value);
    if (i->count)
        wp_text_add(w->out, "    vec4 %s = %s;\n", result,
                    wp_texel_name(w, loaded, &wp_kernel_terms_of(w, i)->value));
    else
        wp_text_add(w->out, "    vec4 %s;\n", result);
}

// Adds " // row g, tap zm^-1 zn", the origin of a term as in `explain --show matrix`.
static void end_line(const struct wp_writer *w, int row, const int at[WP_DIMS_MAX])
{
    wp_text_add(w->out, " // row %s%s%c, tap", wp_has_octets(w) ? wp_half_of(row) : "",
                wp_has_octets(w) ? "." : "", COMPONENTS[row]);
    for (int axis = 0; axis < WP_DIMS_MAX; axis++)
        if (at[axis])
            wp_text_add(w->out, at[axis] == -1 ? " z%c" : " z%c^%d", "mno"[axis], -at[axis]);
    wp_text_add(w->out, "%s\n", at[WP_X] || at[WP_Y] || at[WP_Z] ? "" : " 1");
}

// Browsers reject expressions of more than 256 terms.
enum { TERMS_MAX = 248 };

// Writes one line per quad, and as few statements as the limit of terms permits.
static void write_row(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_kernel_term *o = wp_kernel_terms_of(w, i), *end = o + i->count;
    char name[WP_NAME];
    wp_text_add(w->out, "    %s = ", wp_value_name(w, name, &i->value));
    wp_open_floor(w, i);
    for (const struct wp_kernel_term *first = o; o < end; o++) {
        if (o > first && memcmp(o->value.at, o[-1].value.at, sizeof o->value.at) != 0) {
            const bool full = o - first > TERMS_MAX - WP_COMPONENTS_MAX && !i->rounded;
            wp_text_add(w->out, "%s", full ? ";" : "");
            end_line(w, i->value.component, o[-1].value.at);
            if (full)
                wp_text_add(w->out, "    %s += ", name);
            else
                wp_text_add(w->out, "       ");
            first = full ? o : first;
        }
        wp_write_product(w, o, o == first ? "" : " + ", o == first ? "-" : " - ");
    }
    wp_close_floor(w, i);
    wp_text_add(w->out, ";");
    end_line(w, i->value.component, end[-1].value.at);
}

// Buffers have the components apart, and only those that the bank uses.
static void write_bands(const struct wp_writer *w, const struct wp_value *texel)
{
    const unsigned rows = wp_matrix_rows(&w->kernel->scheme->pass[w->kernel->pass].core);
    char name[WP_NAME];
    struct wp_value value = *texel;
    for (int c = texel->component; c < texel->component + WP_COMPONENTS; c++) {
        value.component = c;
        if (rows >> c & 1)
            wp_text_add(w->out, "    write(p, %d, %s);\n", c, wp_value_name(w, name, &value));
    }
}

static void write_result(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    if (w->target->buffer) {
        write_bands(w, &i->value);
        return;
    }
    wp_texel_name(w, name, &i->value);
    if (w->target->weighted)
        wp_text_add(w->out, "    %s *= weight(p);\n", name);
    wp_text_add(w->out, "    result%s = %s%s%s;\n",
                !wp_has_octets(w) ? "" : i->value.component < WP_COMPONENTS ? "[0]" : "[1]",
                w->target->half ? "stored(" : "", name, w->target->half ? ")" : "");
}

static void begin_depth(const struct wp_writer *w)
{
    const struct wp_lifting *lifting = w->kernel->lifting;
    wp_text_add(w->out,
                "// all steps along z of two slices, %s\n"
                "uniform sampler2DArray source_even;\n"
                "uniform sampler2DArray source_odd;\n"
                "uniform int slice[%d]; // layers of the slices for group 0; -1: zero\n"
                "uniform int slice_step; // layers between groups\n"
                "flat in ivec2 drawn; // group; layer in the group\n"
                "layout(location = 0) out vec4 result[2];\n"
                "\n"
                "%s"
                "void main()\n"
                "{\n"
                "    ivec2 p = ivec2(gl_FragCoord.xy);\n"
                "    int further = drawn.x * slice_step + drawn.y;\n",
                wp_direction_names[lifting->direction],
                2 * (lifting->before + 1 + lifting->after),
                w->target->half ? wp_emit_stored(true) : "");
}

static void load_slice(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_kernel_term *o = wp_kernel_terms_of(w, i);
    const int slice = o->value.at[WP_Z];
    char name[WP_NAME], number[WP_NUMBER_SIZE];
    wp_text_add(w->out,
                "    vec4 %s = slice[%d] < 0 ? vec4(0.0)\n"
                "        : texelFetch(source_%s, ivec3(p, slice[%d] + further), 0)",
                wp_texel_name(w, name, &o->value), slice, slice % 2 ? "odd" : "even", slice);
    wp_format_number(number, o->c, 9);
    if (strcmp(number, "1.0") != 0)
        wp_text_add(w->out, " * %s", number);
    wp_text_add(w->out, ";\n");
}

static void add_slices(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_text_add(w->out, "    vec4 %s = ", wp_texel_name(w, name, &i->value));
    wp_write_products(w, i);
    wp_text_add(w->out, ";\n");
}

static void write_slice(const struct wp_writer *w, const struct wp_instruction *i)
{
    wp_text_add(w->out, "    result[%d] = %s", i->index, w->target->half ? "stored(" : "");
    wp_write_products(w, i);
    wp_text_add(w->out, "%s;\n", w->target->half ? ")" : "");
}

static const struct wp_shape_words pass = {
    begin_pass,
    {[WP_NOTE] = wp_write_note, [WP_LOAD] = fetch_quad, [WP_SCALE] = scale_quad,
     [WP_BEGIN] = begin_quad, [WP_ADD] = add_to_value, [WP_SUM] = write_row,
     [WP_WRITE] = write_result},
};

static const struct wp_shape_words depth = {
    begin_depth,
    {[WP_LOAD] = load_slice, [WP_SUM] = add_slices, [WP_WRITE] = write_slice},
};

// The web page has no tiles.
static const struct wp_shape_words *const shapes[WP_SHAPES] = {
    [WP_SHAPE_PASS] = &pass,
    [WP_SHAPE_DEPTH] = &depth,
#ifndef WP_EMIT_SMALL
    [WP_SHAPE_LANES] = &wp_glsl_lanes,
    [WP_SHAPE_BLOCK] = &wp_glsl_block,
    [WP_SHAPE_LINES] = &wp_glsl_lines,
    [WP_SHAPE_STRIP] = &wp_glsl_strip,
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
        .shape = shapes, .end = "}\n", .component = COMPONENTS, .number_end = "", \
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
