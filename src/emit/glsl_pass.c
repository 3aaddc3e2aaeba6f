// Fragment shaders of passes.
#include "glsl_words.h"

#include <string.h>

// shaders/*.glsl, embedded.
extern const unsigned char wp_shader_extend[], wp_shader_plane[], wp_shader_bank[];

// The comment at the beginning of a pass.
static void describe_pass(const struct wp_writer *w)
{
    const struct wp_scheme *scheme = w->kernel->scheme;
    const struct wp_pass *pass = &scheme->pass[w->kernel->pass];
    wp_text_add(w->out,
                "// %s, %s, pass %d of %d%s\n"
                "// %s\n"
                "// %d operations, %d fetch%s\n",
                scheme->name, wp_glsl_direction(w), w->kernel->pass + 1, scheme->pass_count,
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
                wp_has_octets(w) ? "." : "", WP_GLSL_COMPONENTS[row]);
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

const struct wp_shape_words wp_glsl_pass = {
    .begin = begin_pass,
    .write = {[WP_NOTE] = wp_write_note, [WP_LOAD] = fetch_quad, [WP_SCALE] = scale_quad,
              [WP_BEGIN] = begin_quad, [WP_ADD] = add_to_value, [WP_SUM] = write_row,
              [WP_WRITE] = write_result},
};
