// GLSL of tiles, and of kernels that stream through slices or rows, which the web page lacks.
#include "kernel.h"

#include <stdio.h>

// shaders/*.glsl, embedded.
extern const unsigned char wp_shader_extend[], wp_shader_plane[], wp_shader_level[],
    wp_shader_block[], wp_shader_slices[], wp_shader_lines[], wp_shader_strip[];

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

static void begin_tile(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    const int exchanged = k->counts.exchanged, tiers = k->tile.tiers;
    wp_text_add(w->out, "// %s, %s, all %d passes of a level on a tile\n", k->scheme->name,
                wp_direction_names[k->scheme->direction], k->scheme->pass_count);
    if (exchanged && tiers)
        wp_text_add(w->out, "shared float cell[%d][%d];\n", tiers, exchanged / tiers);
    else if (exchanged)
        wp_text_add(w->out, "shared float cell[%d];\n", exchanged);
    wp_text_add(w->out, "\nvoid %s()\n{\n", k->tile.levels ? "run_level" : "main");
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
    begin_tile(w);
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
                        w->dialect->component[2 * i->index + t / k->load_size[WP_X]]);
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
    begin_tile(w);
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
        wp_text_add(w->out, " * gain.%c", w->dialect->component[v->layer]);
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
        wp_text_add(w->out, " * gain.%c", w->dialect->component[i->value.layer]);
    wp_text_add(w->out, ");\n");
}

const struct wp_shape_words wp_glsl_lanes = {
    begin_lanes,
    {[WP_NOTE] = wp_write_note, [WP_LOAD] = load_column, [WP_SUM] = wp_write_sum,
     [WP_SEND] = wp_write_send, [WP_BARRIER] = write_barrier, [WP_RETIRE] = wp_write_retire,
     [WP_WRITE] = write_quad, [WP_SLICES] = begin_lane_slices, [WP_PARITY] = begin_parity,
     [WP_ARRIVE] = set_arrived, [WP_LIFT] = lift_quads, [WP_RESULT] = begin_result,
     [WP_STORE] = store_quad, [WP_END] = end_block},
};

const struct wp_shape_words wp_glsl_block = {
    begin_block,
    {[WP_LOAD] = load_row, [WP_SHARE] = share_texel, [WP_SUM] = wp_write_sum,
     [WP_WRITE] = write_block_texel},
};

const struct wp_shape_words wp_glsl_lines = {
    begin_lines,
    {[WP_LOAD] = load_four, [WP_SLICES] = begin_slices, [WP_PARITY] = begin_parity,
     [WP_ARRIVE] = set_arrived, [WP_LIFT] = lift_quads, [WP_RESULT] = begin_result,
     [WP_STORE] = store_four, [WP_END] = end_block},
};

const struct wp_shape_words wp_glsl_strip = {
    begin_strip,
    {[WP_LOAD] = use_row, [WP_SUM] = wp_write_sum, [WP_SLICES] = begin_rows,
     [WP_PARITY] = begin_parity, [WP_ARRIVE] = set_arrived, [WP_LIFT] = lift_quads,
     [WP_RESULT] = begin_row, [WP_MIRROR] = mirror_texel, [WP_STORE] = write_four,
     [WP_END] = end_block},
};
