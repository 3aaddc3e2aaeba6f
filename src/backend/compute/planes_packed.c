#include "planes_packed.h"

#include "emit.h"
#include "program.h"
#include "text.h"

extern const unsigned char wp_shader_planes_packed[]; // shaders/planes_packed.glsl, embedded

enum { GROUP = 16 }; // width and height of a workgroup

static struct wp_program *get_program(struct wp_gl *gl, enum wp_pixel_pack_act act, bool quads)
{
    struct wp_text source = {0};
    wp_emit_head(&wp_glsl_430, 0, &source);
    wp_text_add(&source, "%slayout(local_size_x = %d, local_size_y = %d) in;\n",
                quads ? "#define QUADS\n" : "", GROUP, GROUP);
    wp_pixel_pack_emit(act, &source);
    wp_text_add(&source, "%s", (const char *)wp_shader_planes_packed);
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    return program;
}

static int groups_of(int count)
{
    return (count + GROUP - 1) / GROUP;
}

// Converts a slice of as many planes as are packed, from number `plane` on.
static bool dispatch(const struct wp_planes *planes, enum wp_pixel_pack_act act, int plane, int z)
{
    const struct wp_pixel_pack *pack = &planes->pack;
    const struct wp_surface *surface = &planes->schedule->surface[0];
    const size_t plane_stride = wp_planes_plane_stride(planes, surface),
        stride = wp_planes_stride(surface);
    size_t first;
    ptrdiff_t step[WP_DIMS_MAX];
    wp_planes_operand(planes, 0, WP_BAND_LL, &first, step);
    first += (size_t)plane * plane_stride + (size_t)z * (surface->slices ? (size_t)step[WP_Z] : 0);
    // Buffer ranges begin at multiples of WP_BUFFER_ALIGN.
    const struct wp_buffer_part part = {
        first / WP_BUFFER_ALIGN * WP_BUFFER_ALIGN,
        first % WP_BUFFER_ALIGN + (size_t)(pack->channels - 1) * plane_stride + stride,
    };
    struct wp_program *program = get_program(planes->gl, act, !surface->planes);
    if (!program)
        return false;
    wp_pixel_pack_set(pack, act, program);
    const int samples = surface->planes ? 1 : 2; // per texel along an axis
    const int size[] = {samples * surface->width, samples * surface->height};
    wp_program_set3(program, "sample_layout",
                    (const int[]){(int)(first - part.first), surface->width, (int)plane_stride});
    wp_program_set2(program, "padded", size[0], size[1]);
    const struct wp_texture *target = wp_pixel_pack_target(pack, act);
    const bool reads = act == WP_PIXEL_PACK_READ;
    wp_program_dispatch_between(
        program, &planes->buffer, &part,
        reads ? &(struct wp_tile_textures){.source = &pack->texture, .low = &pack->table}
              : &(struct wp_tile_textures){.result = target},
        groups_of(reads ? size[0] : target->width), groups_of(reads ? size[1] : target->height));
    return true;
}

bool wp_planes_load_pixels(struct wp_planes *planes, const struct wp_operand *from)
{
    const struct wp_description *d = &planes->schedule->description;
    struct wp_pixel_pack *pack = &planes->pack;
    bool ok = wp_gl_make_current(planes->gl) && wp_pixel_pack_prepare(pack, planes->gl, d, from);
    for (int p = 0; p < wp_description_planes(d) && ok; p += pack->channels) {
        for (int z = 0; z < wp_description_depth(d) && ok; z++) {
            wp_pixel_pack_load(pack, p, z);
            ok = dispatch(planes, WP_PIXEL_PACK_READ, p, z);
        }
    }
    return ok && wp_gl_finish(planes->gl);
}

bool wp_planes_store_pixels(struct wp_planes *planes, const struct wp_operand *to)
{
    const struct wp_description *d = &planes->schedule->description;
    struct wp_pixel_pack *pack = &planes->pack;
    bool ok = wp_gl_make_current(planes->gl) && wp_pixel_pack_prepare(pack, planes->gl, d, to);
    for (int p = 0; p < wp_description_planes(d) && ok; p += pack->channels)
        for (int z = 0; z < wp_description_depth(d) && ok; z++)
            ok = dispatch(planes, WP_PIXEL_PACK_WRITE, p, z) &&
                 (!wp_pixel_pack_counts(pack) || dispatch(planes, WP_PIXEL_PACK_COUNT, p, z)) &&
                 wp_pixel_pack_store(pack, p, z);
    return ok && wp_gl_finish(planes->gl);
}
