// Fragment shaders that compute a level: blocks of quads, and steps along z.
#include "glsl_words.h"

#include <string.h>

// shaders/*.glsl, embedded.
extern const unsigned char wp_shader_extend[], wp_shader_plane[], wp_shader_block[];

// Slices have more borders than images. Up to as many texels as CDF 9/7 needs are extended when
// they are needed, because GPUs are slow with arrays that are indexed at run time.
enum { UNROLLED_MOST = 36 };

static int count_texels(const struct wp_kernel *k)
{
    return k->load_size[0] * k->load_size[1] * (k->loads_bands ? WP_COMPONENTS : 1);
}

// Otherwise all texels are extended first, in a loop: unrolled, this rare case would be most of the
// text and of the time to compile it.
static bool extends_before(const struct wp_writer *w)
{
    return !w->target->inside && (w->kernel->tile.keep_loops || !w->target->slice ||
                                  count_texels(w->kernel) > UNROLLED_MOST);
}

static void extend_before(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    const int width = k->load_size[0], count = count_texels(k);
    wp_text_add(w->out,
                "    vec4 extended[%d];\n"
                "    for (int i = 0; i < %s%d%s; i++)\n",
                count, k->tile.keep_loops ? "(size.x > 0 ? " : "", count,
                k->tile.keep_loops ? " : 0)" : "");
    if (k->loads_bands)
        wp_text_add(w->out,
                    "        extended[i] =\n"
                    "            load_extended_band(p + ivec2(i / 4 %% %d, i / %d), i %% 4);\n"
                    "#define BAND(c, x, y) extended[4 * (%d * y + x) + c]\n",
                    width, 4 * width, width);
    else
        wp_text_add(w->out,
                    "        extended[i] = load_extended_quad(p + ivec2(i %% %d, i / %d));\n"
                    "#define QUAD(x, y) extended[%d * y + x]\n",
                    width, width, width);
}

// Defines macros that load texels when they are needed.
static void define_load(const struct wp_writer *w)
{
    const bool inside = w->target->inside;
    if (w->kernel->loads_bands)
        wp_text_add(w->out, "#define BAND(c, x, y) %s(p + ivec2(x, y), c)\n",
                    inside ? "load" : "load_extended_band");
    else
        wp_text_add(w->out, "#define QUAD(x, y) %s(p + ivec2(x, y)%s)\n",
                    inside ? "load" : "load_extended_quad", inside ? ", 0" : "");
}

// Fragments with even coordinates send the first argument. Without subgroups the neighbor's value
// is the fragment's own plus or minus the derivative in 2x2 fragments, which rounds twice.
#define SHARE \
    "#ifdef GL_KHR_shader_subgroup_quad\n" \
    "#define SHARE_X(even, odd_) subgroupQuadSwapHorizontal(odd.x == 1 ? odd_ : even)\n" \
    "#define SHARE_Y(even, odd_) subgroupQuadSwapVertical(odd.y == 1 ? odd_ : even)\n" \
    "#else\n" \
    "#define SHARE_X(even, odd_) across(odd.x == 1 ? odd_ : even, odd.x)\n" \
    "#define SHARE_Y(even, odd_) down(odd.y == 1 ? odd_ : even, odd.y)\n" \
    "vec4 across(vec4 v, int odd)\n" \
    "{\n" \
    "    return v + float(1 - 2 * odd) * dFdxFine(v);\n" \
    "}\n" \
    "vec4 down(vec4 v, int odd)\n" \
    "{\n" \
    "    return v + float(1 - 2 * odd) * dFdyFine(v);\n" \
    "}\n" \
    "#endif\n\n"

static void begin_block(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    const struct wp_emit_target *target = w->target;
    wp_text_add(w->out, "%s%s%s#define INPUT %d\n%s%s%s%s",
                target->inside ? "#define INSIDE\n" : "",
                target->stacked ? "#define STACKED\n" : "",
                target->slice ? "#define SLICE\n" : "", target->input,
                (const char *)wp_shader_extend, (const char *)wp_shader_plane,
                (const char *)wp_shader_block, target->half ? wp_emit_stored(true) : "");
    if (target->store)
        wp_text_add(w->out,
                    "layout(binding = 0, rgba%df) writeonly uniform image2DArray result;\n"
                    "#define WRITE(number, x, y, layer, value) \\\n"
                    "    imageStore(result, ivec3(at + ivec2(x, y), layer), %s)\n\n",
                    target->half ? 16 : 32, target->half ? "stored(value)" : "value");
    else
        wp_text_add(w->out,
                    "layout(location = 0) out vec4 result[4];\n"
                    "#define WRITE(number, x, y, layer, value) result[number] = %s\n\n",
                    target->half ? "stored(value)" : "value");
    if (k->tile.shares && target->inside)
        wp_text_add(w->out, "%s", SHARE);
    wp_glsl_begin_tile(w);
    for (int p = 0; p < k->scheme->pass_count; p++)
        wp_text_add(w->out, "    // steps of pass %d: %s\n", p + 1, k->scheme->pass[p].label);
    wp_text_add(w->out,
                "    ivec2 p = fragment_in_plane() * ivec2(%d, %d) + ivec2(%d, %d);\n"
                "    ivec2 at = fragment_in_plane() * ivec2(%d, %d)\n"
                "        + plane_in_result();\n"
                "%s",
                k->load_step[0], k->load_step[1], k->load_first[0], k->load_first[1],
                k->write_step[0], k->write_step[1],
                k->tile.shares ? "    ivec2 odd = ivec2(gl_FragCoord.xy) & 1;\n" : "");
    if (extends_before(w))
        extend_before(w);
    else
        define_load(w);
}

// Writes "BAND(1, 0, 2)", the load of a texel with these macros, followed by `end`.
static void write_load(const struct wp_writer *w, const struct wp_instruction *i,
                       const struct wp_value *v, const char *end)
{
    if (w->kernel->loads_bands)
        wp_text_add(w->out, "BAND(%d, %d, %d)%s", v->layer, v->at[0], v->at[1], end);
    else
        wp_text_add(w->out, "QUAD(%d, %d)%s", v->at[0], v->at[1], end);
    if (i->scaled)
        wp_text_add(w->out, " * gain.%c", WP_GLSL_COMPONENTS[v->layer]);
    wp_text_add(w->out, ";\n");
}

static void load_row(const struct wp_writer *w, const struct wp_instruction *i)
{
    for (int n = 0; n < i->count; n++) {
        const struct wp_value *texel = &wp_kernel_terms_of(w, i)[n].value;
        char name[WP_NAME];
        wp_text_add(w->out, "    vec4 %s = ", wp_texel_name(w, name, texel));
        write_load(w, i, texel, "");
    }
}

// At borders texels are not shared.
static void share_texel(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_kernel_term *sent = wp_kernel_terms_of(w, i);
    char name[WP_NAME], even[WP_NAME], odd[WP_NAME];
    wp_text_add(w->out, "    vec4 %s = ", wp_texel_name(w, name, &i->value));
    if (w->target->inside)
        wp_text_add(w->out, "SHARE_%c(%s, %s);\n", "XY"[i->index],
                    wp_texel_name(w, even, &sent[0].value), wp_texel_name(w, odd, &sent[1].value));
    else
        write_load(w, i, &i->value, "");
}

static void write_block_texel(const struct wp_writer *w, const struct wp_instruction *i)
{
    wp_text_add(w->out, "    WRITE(%d, %d, %d, %d, ", i->index, i->value.at[0], i->value.at[1],
                i->value.layer);
    wp_write_texel(w, i);
    if (i->scaled)
        wp_text_add(w->out, " * gain.%c", WP_GLSL_COMPONENTS[i->value.layer]);
    wp_text_add(w->out, ");\n");
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

const struct wp_shape_words wp_glsl_block = {
    .begin = begin_block,
    .write = {[WP_LOAD] = load_row, [WP_SHARE] = share_texel, [WP_SUM] = wp_write_sum,
              [WP_WRITE] = write_block_texel},
};

const struct wp_shape_words wp_glsl_depth = {
    .begin = begin_depth,
    .write = {[WP_LOAD] = load_slice, [WP_SUM] = add_slices, [WP_WRITE] = write_slice},
};
