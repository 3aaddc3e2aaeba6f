// CUDA C++: tiles of lanes, compiled at run time with headers of cuda/.
#include "kernel.h"

static const char *is_inverse(const struct wp_writer *w)
{
    return w->kernel->scheme->direction == WP_INVERSE ? "true" : "false";
}

static void begin_lanes(const struct wp_writer *w)
{
    const struct wp_kernel *k = w->kernel;
    const int tiers = k->tile.tiers ? k->tile.tiers : 1;
    wp_text_add(w->out,
                "// %s, %s, all %d passes of a level on a tile\n"
                "#include \"cuda_quads.cuh\"\n"
                "\n"
                "extern \"C\" __global__ void __launch_bounds__(%d, 1)\n"
                WP_CUDA_C_KERNEL "(const __grid_constant__ wp_frame frame)\n"
                "{\n",
                k->scheme->name, wp_direction_names[k->scheme->direction], k->scheme->pass_count,
                k->tile.lanes * tiers);
    if (k->counts.exchanged && k->tile.tiers)
        wp_text_add(w->out, "    __shared__ float cell[%d][%d];\n", tiers,
                    k->counts.exchanged / tiers);
    else if (k->counts.exchanged)
        wp_text_add(w->out, "    __shared__ float cell[%d];\n", k->counts.exchanged);
    // Lane numbers have an offset, because lanes read beyond both ends.
    wp_text_add(w->out,
                "    const int lane = (int)threadIdx.x + %d;\n"
                "    const int left = (int)blockIdx.x * %d + %d, x = left + (int)threadIdx.x;\n"
                "    const int top = (int)%s * %d + %d;\n",
                k->padding, k->load_step[0], k->load_first[0],
                k->tile.tiers ? "(blockIdx.y * blockDim.y + threadIdx.y)" : "blockIdx.y",
                k->load_step[1], k->load_first[1]);
}

static void load_column(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_kernel *k = w->kernel;
    const struct wp_kernel_term *quad = wp_kernel_terms_of(w, i);
    char name[WP_NAME];
    for (int n = 0; n < i->count; n++)
        wp_text_add(w->out, "%s%s%s", n ? ", " : "    float4 ",
                    wp_texel_name(w, name, &quad[n].value), n + 1 < i->count ? "" : ";\n");
    wp_text_add(w->out,
                "    const bool exist = wp_quads_exist(frame, left, top, %d, %d);\n"
                "    if (exist) {\n",
                k->load_size[0], k->load_size[1]);
    for (int n = 0; n < i->count; n++)
        wp_text_add(w->out, "        %s = wp_load_quad<%s>(frame, x, top + %d);\n",
                    wp_texel_name(w, name, &quad[n].value), is_inverse(w), quad[n].value.at[1]);
    wp_text_add(w->out, "    } else {\n"
                        "        const wp_columns columns = wp_find_pair(frame, x);\n");
    for (int n = 0; n < i->count; n++)
        wp_text_add(w->out, "        %s = wp_load_extended<%s>(frame, columns, top + %d);\n",
                    wp_texel_name(w, name, &quad[n].value), is_inverse(w), quad[n].value.at[1]);
    wp_text_add(w->out, "    }\n");
}

static void write_barrier(const struct wp_writer *w, const struct wp_instruction *i)
{
    (void)i;
    wp_text_add(w->out, "    __syncthreads();\n");
}

static void write_quad(const struct wp_writer *w, const struct wp_instruction *i)
{
    wp_text_add(w->out, "    wp_write_quad<%s>(frame, exist, x, top + %d, ", is_inverse(w),
                i->value.at[1]);
    wp_write_texel(w, i);
    wp_text_add(w->out, ");\n");
}

static const struct wp_shape_words lane_words = {
    .begin = begin_lanes,
    .write = {[WP_NOTE] = wp_write_note, [WP_LOAD] = load_column, [WP_SUM] = wp_write_sum,
              [WP_SEND] = wp_write_send, [WP_BARRIER] = write_barrier,
              [WP_RETIRE] = wp_write_retire, [WP_WRITE] = write_quad},
};

static const struct wp_shape_words *const shapes[WP_SHAPES] = {[WP_SHAPE_LANES] = &lane_words};

const struct wp_dialect wp_cuda_c = {
    .version = "",
    .precision = "",
    .shape = shapes,
    .end = "}\n",
    .component = "xyzwxyzw",
    .number_end = "f",
    .floor = "floorf(",
    .make_vector = "make_float4(",
    .cell_of_tier = "cell[threadIdx.y]",
};

struct wp_tile wp_tile_of_block(const struct wp_scheme *scheme)
{
    enum { FLOATS_MOST = 48 * 1024 / sizeof(float) }; // shared memory of a block on any GPU
    struct wp_tile tile = {.lanes = 128, .rows = scheme->direction == WP_FORWARD ? 8 : 6};
    while (tile.rows > 2 && wp_tile_count(scheme, &tile).exchanged > FLOATS_MOST)
        tile.rows -= 2;
    return tile;
}
