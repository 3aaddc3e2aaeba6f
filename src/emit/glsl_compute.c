// Compute shaders: tiles of lanes, lines along z, and strips of columns.
#include "glsl_words.h"

#include <stdio.h>

// shaders/*.glsl, embedded.
extern const unsigned char wp_shader_extend[], wp_shader_level[], wp_shader_slices[],
    wp_shader_lines[], wp_shader_strip[];

// The variable of a value of a chain: z2_1_0 is state 2, one value ago, in row 0.
static const char *state_name(char name[WP_NAME], const struct wp_value *v)
{
    snprintf(name, WP_NAME, "z%d_%d_%d", v->step, v->layer, v->at[1]);
    return name;
}

static void declare_states(const struct wp_writer *w)
{
    const struct wp_chain *chain = &w->kernel->chain;
    const char *unit = w->kernel->shape == WP_SHAPE_STRIP ? "row" : "slice";
    for (int s = 0; s < chain->count; s++)
        for (int y = chain->top; y < chain->top + chain->rows; y++)
            for (int age = 0; age < wp_chain_names(&chain->state[s]); age++)
                wp_text_add(w->out, "    vec4 z%d_%d_%d = vec4(0.0);\n", s, age, y);
    wp_text_add(w->out, "    int end = end_%s + ((end_%s & 1) == 0 ? %d : %d);\n", unit, unit,
                chain->late[0], chain->late[1]);
}

static void begin_slices(const struct wp_writer *w, const struct wp_instruction *i)
{
    (void)i;
    declare_states(w);
    wp_text_add(w->out,
                "    for (int slice = first_slice - %d; slice < end; slice++) {\n"
                "    find_slice(slice);\n"
                "    read_slice(slice);\n",
                w->kernel->chain.lead);
}

static void begin_parity(const struct wp_writer *w, const struct wp_instruction *i)
{
    if (w->kernel->shape == WP_SHAPE_STRIP)
        wp_text_add(w->out, "    {\n    int row = pair + %d;\n", i->index);
    else
        wp_text_add(w->out, "    if ((slice & 1) == %d) {\n", i->index);
}

// Shifts the stored values of a state by one, to make space for a new one.
static void shift_older(const struct wp_writer *w, const struct wp_value *newest)
{
    char older[WP_NAME], newer[WP_NAME];
    struct wp_value v = *newest;
    for (v.layer = wp_chain_names(&w->kernel->chain.state[v.step]) - 1; v.layer > 0;) {
        state_name(older, &v);
        v.layer--;
        wp_text_add(w->out, "    %s = %s;\n", older, state_name(newer, &v));
    }
}

static void set_arrived(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    shift_older(w, &i->value);
    wp_text_add(w->out, "    %s = ", state_name(name, &i->value));
    wp_write_texel(w, i);
    wp_text_add(w->out, ";\n");
}

static void lift_quads(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    shift_older(w, &i->value);
    wp_text_add(w->out, "    %s = ", state_name(name, &i->value));
    for (int n = 0; n < i->count; n++) {
        const struct wp_kernel_term *o = wp_kernel_terms_of(w, i) + n;
        wp_write_factor(w, o->c, n ? " + " : "", n ? " - " : "-");
        wp_text_add(w->out, "%s", state_name(name, &o->value));
    }
    wp_text_add(w->out, ";\n");
}

static void begin_result(const struct wp_writer *w, const struct wp_instruction *i)
{
    const bool lanes = w->kernel->shape == WP_SHAPE_LANES;
    wp_text_add(w->out, "    if (write_slice(slice - %d)%s) {\n", i->index,
                lanes ? " && writes" : "");
}

static void end_block(const struct wp_writer *w, const struct wp_instruction *i)
{
    (void)i;
    wp_text_add(w->out, "    }\n");
}

static void begin_lanes(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    const struct wp_tile *tile = &k->tile;
    wp_text_add(w->out, "%s%s", k->scheme->direction == WP_FORWARD ? "#define FORWARD\n" : "",
                w->target->stacked ? "#define STACKED\n" : "");
    if (tile->levels)
        wp_text_add(w->out, "#define TAIL %d\n", tile->levels);
    if (tile->along)
        wp_text_add(w->out, "#define SLICES\n");
    wp_text_add(w->out, "layout(local_size_x = %d", tile->lanes);
    if (tile->tiers)
        wp_text_add(w->out, ", local_size_y = %d", tile->tiers);
    wp_text_add(w->out, ") in;\n%s%s%s", (const char *)wp_shader_extend,
                (const char *)wp_shader_level,
                tile->along ? (const char *)wp_shader_slices : "");
    wp_glsl_begin_tile(w);
    // Lane numbers have an offset, because lanes read beyond both ends.
    wp_text_add(w->out,
                "    int lane = int(gl_LocalInvocationID.x) + %d;\n"
                "    ivec2 corner = ivec2(%s) * ivec2(%d, %d) + ivec2(%d, %d);\n"
                "    ivec2 p = corner + ivec2(gl_LocalInvocationID.x, 0);\n"
                "    bool inside = all(greaterThanEqual(corner, ivec2(0)))\n"
                "        && all(lessThanEqual(corner + ivec2(%d, %d), size / 2));\n",
                k->padding,
                tile->levels  ? "0, gl_LocalInvocationID.y"
                : tile->tiers ? "gl_WorkGroupID.x, gl_WorkGroupID.y * gl_WorkGroupSize.y + "
                                "gl_LocalInvocationID.y"
                              : "gl_WorkGroupID.xy",
                k->load_step[0], k->load_step[1], k->load_first[0], k->load_first[1],
                k->load_size[0], k->load_size[1]);
}

// Loads a column to variables `name` with the row's number. At borders quads consist of single
// samples, which are loaded in a loop if loops must not be unrolled: this rare case would be most
// of the text.
static void load_quads(const struct wp_writer *w, const struct wp_instruction *i, const char *name)
{
    const struct wp_kernel *k = w->kernel;
    const struct wp_kernel_term *quad = wp_kernel_terms_of(w, i);
    const bool loop = k->tile.keep_loops;
    wp_text_add(w->out, "    if (inside) {\n");
    for (int n = 0; n < i->count; n++)
        wp_text_add(w->out, "        %s%d = load_inside(p + ivec2(0, %d));\n", name,
                    quad[n].value.at[1], quad[n].value.at[1]);
    // The level may end above the last tiers.
    if (k->tile.tiers && k->scheme->direction == WP_FORWARD)
        wp_text_add(w->out, "    } else if (2 * (corner.y + %d) < size.y) {\n", -k->load_first[1]);
    else
        wp_text_add(w->out, "    } else {\n");
    wp_text_add(w->out, "        ivec2 columns = extend_columns(p.x);\n");
    if (loop)
        wp_text_add(w->out,
                    "        vec4 extended[%d];\n"
                    "        int end = size.x > 0 ? %d : 0;\n"
                    "        for (int y = 0; y < end; y++)\n"
                    "            extended[y] = load_extended(columns, p.y + y);\n",
                    k->load_size[1], k->load_size[1]);
    for (int n = 0; n < i->count; n++)
        wp_text_add(w->out, loop ? "        %s%d = extended[%d];\n"
                                 : "        %s%d = load_extended(columns, p.y + %d);\n",
                    name, quad[n].value.at[1], quad[n].value.at[1]);
    wp_text_add(w->out, "    }\n");
}

// For slices, the next one is loaded while the current one is processed.
static void load_column(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_kernel_term *quad = wp_kernel_terms_of(w, i);
    const bool ahead = w->kernel->tile.along != NULL;
    for (int n = 0; n < i->count; n++)
        wp_text_add(w->out, ahead ? "    vec4 q0_%d = next%d;\n" : "    vec4 q0_%d;\n",
                    quad[n].value.at[1], quad[n].value.at[1]);
    load_quads(w, i, ahead ? "next" : "q0_");
    for (int n = 0; n < i->count && i->scaled; n++)
        wp_text_add(w->out, "    q0_%d *= %s;\n", quad[n].value.at[1],
                    ahead ? "slice_gain" : "gain");
}

static void write_barrier(const struct wp_writer *w, const struct wp_instruction *i)
{
    (void)i;
    wp_text_add(w->out, "    barrier();\n");
}

// Lanes cannot return early because of barriers. In the first iteration the loaded slice is zero,
// and its results are not used.
static void begin_lane_slices(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_kernel *k = w->kernel;
    const int first = wp_first_writer(k);
    (void)i;
    declare_states(w);
    for (int y = 0; y < k->load_size[1]; y++)
        wp_text_add(w->out, "    vec4 next%d = vec4(0.0);\n", y);
    wp_text_add(w->out,
                "    bool writes = lane >= %d && lane < %d;\n"
                "    for (int slice = first_slice - %d; slice < end; slice++) {\n"
                "    find_slice(min(slice + 1, end - 1));\n"
                "    read_slice(slice);\n",
                first, first + k->write_step[0], k->chain.lead + 1);
}

static void store_quad(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_text_add(w->out, "    write_quad(p + ivec2(0, %d), %s%s);\n", i->value.at[1],
                state_name(name, &wp_kernel_terms_of(w, i)->value),
                i->scaled ? " * slice_gain" : "");
}

static void write_quad(const struct wp_writer *w, const struct wp_instruction *i)
{
    wp_text_add(w->out, "    write_quad(p + ivec2(0, %d), ", i->value.at[1]);
    wp_write_texel(w, i);
    wp_text_add(w->out, "%s);\n", i->scaled ? " * gain" : "");
}

static void begin_lines(const struct wp_writer *w)
{
    const bool forward = w->kernel->chain.forward;
    wp_text_add(w->out,
                "%s%s%s"
                "// %s, along z only\n"
                "void main()\n"
                "{\n"
                "    int p = int((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * "
                "gl_WorkGroupSize.x\n"
                "        + gl_LocalInvocationID.x);\n"
                "    if (p >= count)\n"
                "        return;\n",
                (const char *)wp_shader_extend, (const char *)wp_shader_lines,
                (const char *)wp_shader_slices, forward ? "forward" : "inverse");
}

static void load_four(const struct wp_writer *w, const struct wp_instruction *i)
{
    wp_text_add(w->out, "    vec4 q0_0 = load_four(p)%s;\n", i->scaled ? " * slice_gain" : "");
}

static void store_four(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_text_add(w->out, "    write_four(p, %s%s);\n",
                state_name(name, &wp_kernel_terms_of(w, i)->value),
                i->scaled ? " * slice_gain" : "");
}

static void begin_strip(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    const struct wp_strip_shape *strip = &k->strip;
    wp_text_add(w->out, "%s%s#define WIDTH %d\n"
                "layout(local_size_x = %d) in;\n%s%s"
                "// %s, all of a level, row by row\n"
                "void main()\n"
                "{\n"
                "    if (WIDTH * strip >= size.x)\n"
                "        return;\n",
                k->chain.forward ? "#define FORWARD\n" : "",
                w->target->stacked ? "#define STACKED\n" : "", strip->width, strip->lanes,
                (const char *)wp_shader_extend, (const char *)wp_shader_strip,
                k->chain.forward ? "forward" : "inverse");
}

// Texels per row; for the inverse, of both bands.
static int texels_of(const struct wp_kernel *k)
{
    return k->load_size[WP_X] * (k->loads_bands ? 2 : 1);
}

static void declare_next(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    for (int x = 0; x < k->load_size[WP_X]; x++)
        wp_text_add(w->out, "    int p%d = column(%d);\n", x, k->load_first[WP_X] + x);
    for (int row = 0; row < 2; row++)
        for (int t = 0; t < texels_of(k); t++)
            wp_text_add(w->out, "    LOADED n%d_%d;\n", row, t);
}

// Loads row `further` of the pair `pair`.
static void load_next(const struct wp_writer *w, int row, const char *pair, int further)
{
    const struct wp_kernel *k = w->kernel;
    wp_text_add(w->out, "    at = row_at(min(%s + %d, end - 1));\n", pair, further);
    for (int t = 0; t < texels_of(k); t++)
        wp_text_add(w->out, "    n%d_%d = source[at + p%d%s];\n", row, t, t % k->load_size[WP_X],
                    t < k->load_size[WP_X] ? "" : " + band_apart");
}

static void begin_rows(const struct wp_writer *w, const struct wp_instruction *i)
{
    (void)i;
    declare_states(w);
    declare_next(w);
    wp_text_add(w->out, "    int at, begin = (first_row - %d) & ~1;\n", w->kernel->chain.lead);
    for (int row = 0; row < 2; row++)
        load_next(w, row, "begin", row);
    wp_text_add(w->out, "    for (int pair = begin; pair < end; pair += 2) {\n");
}

// Uses the row that was loaded one pair before, and loads that of the next pair.
static void use_row(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_kernel *k = w->kernel;
    for (int t = 0; t < texels_of(k); t++) {
        wp_text_add(w->out, "    LOADED q%d_%d = n%d_%d", t, i->index, i->index, t);
        if (k->loads_bands)
            wp_text_add(w->out, " * gain.%c",
                        WP_GLSL_COMPONENTS[2 * i->index + t / k->load_size[WP_X]]);
        wp_text_add(w->out, ";\n");
    }
    load_next(w, i->index, "pair", 2 + i->index);
}

static void mirror_texel(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_texel_name(w, name, &i->value);
    wp_text_add(w->out, "    %s = %s ? LOADED(", name, i->index ? "mirrors_last" : "mirrors_first");
    for (int c = 0; c < i->count; c++) {
        char component[WP_NAME];
        wp_text_add(w->out, "%s%s", c ? ", " : "",
                    wp_value_name(w, component, &wp_kernel_terms_of(w, i)[c].value));
    }
    wp_text_add(w->out, ") : %s;\n", name);
}

// True if the state of a result has odd rows.
static bool is_odd_row(const struct wp_writer *w, const struct wp_instruction *store)
{
    return w->kernel->chain.state[wp_kernel_terms_of(w, store)->value.step].odd;
}

static void begin_row(const struct wp_writer *w, const struct wp_instruction *i)
{
    wp_text_add(w->out, "    if (write_row(row - %d, %d)) {\n", i->index, is_odd_row(w, i + 1));
}

static void write_four(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_text_add(w->out, "    write_four(%d, %d, %s);\n", is_odd_row(w, i), i->value.at[1],
                state_name(name, &wp_kernel_terms_of(w, i)->value));
}

const struct wp_shape_words wp_glsl_lanes = {
    .begin = begin_lanes,
    .write = {[WP_NOTE] = wp_write_note, [WP_LOAD] = load_column, [WP_SUM] = wp_write_sum,
              [WP_SEND] = wp_write_send, [WP_BARRIER] = write_barrier,
              [WP_RETIRE] = wp_write_retire, [WP_WRITE] = write_quad,
              [WP_SLICES] = begin_lane_slices, [WP_PARITY] = begin_parity,
              [WP_ARRIVE] = set_arrived, [WP_LIFT] = lift_quads, [WP_RESULT] = begin_result,
              [WP_STORE] = store_quad, [WP_END] = end_block},
};

const struct wp_shape_words wp_glsl_lines = {
    .begin = begin_lines,
    .write = {[WP_LOAD] = load_four, [WP_SLICES] = begin_slices, [WP_PARITY] = begin_parity,
              [WP_ARRIVE] = set_arrived, [WP_LIFT] = lift_quads, [WP_RESULT] = begin_result,
              [WP_STORE] = store_four, [WP_END] = end_block},
};

const struct wp_shape_words wp_glsl_strip = {
    .begin = begin_strip,
    .write = {[WP_LOAD] = use_row, [WP_SUM] = wp_write_sum, [WP_SLICES] = begin_rows,
              [WP_PARITY] = begin_parity, [WP_ARRIVE] = set_arrived, [WP_LIFT] = lift_quads,
              [WP_RESULT] = begin_row, [WP_MIRROR] = mirror_texel, [WP_STORE] = write_four,
              [WP_END] = end_block},
};
