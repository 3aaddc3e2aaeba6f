#include "emit.h"

#include "emit_internal.h"

#include <stdio.h>
#include <string.h>

// The variable that holds the quad at (m, n): q_0_0, q_m1_2 for (-1, 2).
static const char *quad_name(char name[32], int m, int n)
{
    snprintf(name, 32, "q_%s%d_%s%d", m < 0 ? "m" : "", m < 0 ? -m : m, n < 0 ? "m" : "",
             n < 0 ? -n : n);
    return name;
}

static void emit_fetches(const struct wp_pass *pass, struct wp_text *out)
{
    for (int n = pass->reach.top; n <= pass->reach.bottom; n++) {
        for (int m = pass->reach.left; m <= pass->reach.right; m++) {
            char name[32];
            if (!wp_matrix_reads(&pass->core, m, n))
                continue;
            wp_text_add(out, "    vec4 %s = texelFetch(source, p", quad_name(name, m, n));
            if (m || n)
                wp_text_add(out, " + ivec2(%d, %d)", m, n);
            wp_text_add(out, ", 0);\n");
        }
    }
}

// " // row g, tap zm^-1 zn": the terms of a line, in the words of `explain --what matrix`.
static void emit_place(int row, int m, int n, struct wp_text *out)
{
    wp_text_add(out, " // row %c, tap", wp_emit_component[row]);
    if (m)
        wp_text_add(out, m == -1 ? " zm" : " zm^%d", -m);
    if (n)
        wp_text_add(out, n == -1 ? " zn" : " zn^%d", -n);
    wp_text_add(out, "%s", m || n ? "" : " 1");
}

// One row of the core: a sum over the quads it reads, a line for each. Taking the components of
// a quad together keeps partial sums small, since their weights largely cancel for smooth
// images; component after component would lose one decimal digit in the larger cores.
static void emit_row(const struct wp_scheme *scheme, int pass_index, int row, struct wp_text *out)
{
    const struct wp_pass *pass = &scheme->pass[pass_index];
    const bool scaled = pass_index == 0 && pass->before_count == 0;
    wp_text_add(out, "    q.%c = ", wp_emit_component[row]);
    bool first = true;
    int line_m = 0, line_n = 0; // of the line that is not ended yet
    for (int n = pass->reach.top; n <= pass->reach.bottom; n++) {
        for (int m = pass->reach.left; m <= pass->reach.right; m++) {
            bool new_line = !first;
            for (int column = 0; column < WP_COMPONENTS; column++) {
                const struct wp_poly *entry = &pass->core.at[row][column];
                for (int t = 0; t < entry->count; t++) {
                    if (entry->term[t].m != m || entry->term[t].n != n)
                        continue;
                    char name[32], operand[40];
                    snprintf(operand, sizeof operand, "%s.%c", quad_name(name, m, n),
                             wp_emit_component[column]);
                    if (new_line)
                        emit_place(row, line_m, line_n, out);
                    wp_text_add(out, "%s", new_line ? "\n       " : "");
                    wp_emit_product(out, first,
                                entry->term[t].c * (scaled ? scheme->scale_in[column] : 1.0),
                                operand);
                    first = new_line = false;
                    line_m = m;
                    line_n = n;
                }
            }
        }
    }
    wp_text_add(out, ";");
    emit_place(row, line_m, line_n, out);
    wp_text_add(out, "\n");
}

static void emit_constants(const struct wp_scheme *scheme, const struct wp_constant *constants,
                           int count, const char *variable, struct wp_text *out)
{
    for (int i = 0; i < count; i++) {
        const struct wp_constant *constant = &constants[i];
        wp_text_add(out, "    // %s^%s_%s0(%d)\n", constant->update ? "S" : "T",
                    constant->axis == WP_AXIS_H ? "H" : "V", constant->update ? "U" : "P",
                    constant->pair + 1);
        struct wp_statement statement[2];
        wp_scheme_statements(scheme, constant, statement);
        for (int s = 0; s < 2; s++) {
            char number[WP_NUMBER_SIZE];
            const double c = statement[s].c;
            wp_format_number(number, c < 0 ? -c : c, 9);
            wp_text_add(out, "    %s.%c %s= ", variable,
                        wp_emit_component[statement[s].destination], c < 0 ? "-" : "+");
            if (strcmp(number, "1.0") != 0)
                wp_text_add(out, "%s * ", number);
            wp_text_add(out, "%s.%c;\n", variable, wp_emit_component[statement[s].source]);
        }
    }
}

static void emit_scale(const double scale[WP_COMPONENTS], const char *variable,
                       struct wp_text *out)
{
    wp_text_add(out, "    %s *= ", variable);
    wp_emit_vec4(out, scale);
    wp_text_add(out, ";\n");
}

const char *wp_emit_stored(bool half)
{
    if (!half)
        return "vec4 stored(vec4 v)\n{\n    return v;\n}\n";
    // By the last 13 of 23 bits, of two that are as near to the even one; min() keeps what is not a
    // number from wrapping around. Numbers below 2^-14 have fewer bits still, and may lose 2^-24.
    // The bits are abs(v)'s: NVIDIA's compiler (driver 580) can take those of -x for minus the
    // integer that x's bits are.
    return "vec4 stored(vec4 v)\n"
           "{\n"
           "    uvec4 bits = floatBitsToUint(abs(v));\n"
           "    bits = min(bits + 0xfffu + ((bits >> 13) & 1u), 0x7fffffffu) & 0xffffe000u;\n"
           "    vec4 nearest = uintBitsToFloat(bits);\n"
           "    return mix(nearest, -nearest, lessThan(v, vec4(0.0)));\n"
           "}\n";
}

void wp_emit_fragment_pass_to(const struct wp_scheme *scheme, int pass_index,
                              const struct wp_emit_target *target, struct wp_text *out)
{
    const struct wp_pass *pass = &scheme->pass[pass_index];
    wp_text_add(out,
                "#version 330 core\n"
                "// %s, %s, pass %d of %d%s\n"
                "// %s\n"
                "// %d operations, %d fetch%s\n"
                "#ifdef GL_ES\n"
                "precision highp float;\n"
                "precision highp sampler2D;\n"
                "#endif\n"
                "uniform sampler2D source;\n"
                "uniform ivec2 offset;\n"
                "%s"
                "layout(location = 0) out vec4 result;\n"
                "\n"
                "%s"
                "void main()\n"
                "{\n"
                "    ivec2 p = ivec2(gl_FragCoord.xy) + offset%s;\n",
                scheme->name, wp_direction_names[scheme->direction],
                pass_index + 1, scheme->pass_count,
                scheme->axes == WP_AXIS_H   ? ", rows alone"
                : scheme->axes == WP_AXIS_V ? ", columns alone"
                                            : "",
                pass->label, wp_pass_operations(pass), pass->reach.fetches,
                WP_PLURAL_ES(pass->reach.fetches),
                target->stacked ? "uniform ivec4 plane_rows;\nflat in int plane;\n" : "",
                target->half ? wp_emit_stored(true) : "",
                target->stacked ? " + ivec2(0, plane * (plane_rows.x - plane_rows.y))" : "");
    emit_fetches(pass, out);
    // Constants run before the core only where it is local: then they change the one quad
    // that is read, and its scaling comes first.
    if (pass->before_count) {
        if (pass_index == 0 && wp_emit_is_scaled(scheme->scale_in))
            emit_scale(scheme->scale_in, "q_0_0", out);
        emit_constants(scheme, pass->before, pass->before_count, "q_0_0", out);
    }
    if (wp_matrix_is_identity(&pass->core) && (pass->before_count || pass_index > 0)) {
        wp_text_add(out, "    vec4 q = q_0_0;\n");
    } else {
        wp_text_add(out, "    vec4 q;\n");
        for (int row = 0; row < WP_COMPONENTS; row++)
            emit_row(scheme, pass_index, row, out);
    }
    emit_constants(scheme, pass->after, pass->after_count, "q", out);
    if (pass_index == scheme->pass_count - 1 && wp_emit_is_scaled(scheme->scale_out))
        emit_scale(scheme->scale_out, "q", out);
    wp_text_add(out, "    result = %s;\n}\n", target->half ? "stored(q)" : "q");
}

void wp_emit_fragment_pass(const struct wp_scheme *scheme, int pass_index, struct wp_text *out)
{
    wp_emit_fragment_pass_to(scheme, pass_index, &(struct wp_emit_target){0}, out);
}
