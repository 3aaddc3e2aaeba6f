#include "every_shader.h"

#include <stdarg.h>
#include <stdio.h>

// shaders/*, embedded in the program.
extern const unsigned char wp_shader_extend[], wp_shader_plane[], wp_shader_gather[],
    wp_shader_spread[], wp_shader_triangle[], wp_shader_stack[], wp_shader_octets[],
    wp_shader_gather_octets[], wp_shader_spread_octets[], wp_shader_instance[],
    wp_shader_layers[];

static const struct wp_dialect *const both[] = {&wp_glsl_330, &wp_glsl_es_300};

struct emitter {
    shader_callback callback;
    void *user;
    const struct wp_scheme *scheme; // current scheme
};

static struct shader make(const char *group, const struct wp_dialect *dialect, const char *stage)
{
    return (struct shader){.group = group, .dialect = dialect, .stage = stage};
}

// Passes the text to the callback and frees it.
static void emit(const struct emitter *emitter, struct shader shader, struct wp_text *text)
{
    shader.text = wp_text_get(text);
    emitter->callback(emitter->user, &shader);
    wp_text_free(text);
}

// Prefixes the group with the name and direction of the scheme.
static void emit_scheme_shader(const struct emitter *emitter, struct shader shader,
                               struct wp_text *text)
{
    char group[256];
    snprintf(group, sizeof group, "%s %s %s", emitter->scheme->name,
             wp_direction_names[emitter->scheme->direction], shader.group);
    shader.group = group;
    emit(emitter, shader, text);
}

static void emit_passes(const struct emitter *emitter, bool stacks)
{
    for (int i = 0; i < emitter->scheme->pass_count * 4; i++) {
        const struct wp_emit_target target = {
            .dialect = both[i % 2], .stacked = stacks && i / 2 % 2, .half = i / 2 % 2};
        struct wp_text text = {0};
        wp_emit_fragment_pass_to(emitter->scheme, i / 4, &target, &text);
        emit_scheme_shader(emitter, make(stacks ? "passes" : "octets", target.dialect, "frag"),
                           &text);
    }
}

static void emit_tile(const struct emitter *emitter, const char *group, const struct wp_tile *tile,
                      const struct wp_dialect *dialect, struct wp_emit_target target)
{
    struct wp_text text = {0};
    target.dialect = dialect;
    const char *stage = !tile->lanes ? "frag" : dialect == &wp_cuda_c ? "cu" : "comp";
    struct shader shader = make(group, dialect, stage);
    shader.counts = wp_emit_tile(emitter->scheme, tile, &target, &text);
    emit_scheme_shader(emitter, shader, &text);
}

static void emit_blocks(const struct emitter *emitter, const char *group, bool shares)
{
    const struct wp_tile tile = {.columns = 2, .rows = 2, .shares = shares};
    for (int i = 0; i < 4; i++) {
        struct wp_emit_target target = {.inside = i % 2, .stacked = i / 2, .half = i / 2};
        target.input = emitter->scheme->direction == WP_FORWARD ? 0 : 2 + i / 2;
        target.slice = !target.stacked && i % 2;
        emit_tile(emitter, group, &tile, shares ? &wp_glsl_400 : &wp_glsl_330, target);
        if (!shares)
            emit_tile(emitter, group, &tile, &wp_glsl_es_300, target);
        target.store = true;
        emit_tile(emitter, group, &tile, &wp_glsl_430, target);
    }
}

static void emit_lanes(const struct emitter *emitter)
{
    static const struct wp_tile tiles[] = {{.lanes = 64, .rows = 8},
                                           {.lanes = 32, .rows = 2, .keep_loops = true},
                                           {.lanes = 40, .rows = 4, .tiers = 8, .levels = 12}};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        emit_tile(emitter, "lanes", &tiles[i], &wp_glsl_430,
                  (struct wp_emit_target){.stacked = i % 2});
    const struct wp_tile tile = wp_tile_of_block(emitter->scheme);
    if (wp_tile_step(emitter->scheme, &tile) > 0)
        emit_tile(emitter, "cuda", &tile, &wp_cuda_c, (struct wp_emit_target){0});
}

// Rows of tiles stream through the slices, independently or several together.
static void emit_z_streams(const struct emitter *emitter, const struct wp_wavelet *wavelet)
{
    const struct wp_lifting lifting = wp_lifting_make(wavelet, emitter->scheme->direction,
                                                      WP_NORM_ORTHONORMAL, WP_BORDER_SYMMETRIC);
    for (int i = 0; i < 2; i++) {
        const struct wp_tile tile = {
            .lanes = 64, .rows = 2, .tiers = 4 * i, .keep_loops = !i, .along = &lifting};
        emit_tile(emitter, "marches", &tile, &wp_glsl_430, (struct wp_emit_target){0});
    }
}

// Strips of both widths that cover the wavelet's support, with mirrored and periodic borders.
static void emit_strips(const struct emitter *emitter, const struct wp_wavelet *wavelet)
{
    for (int i = 0; i < 4; i++) {
        const struct wp_lifting lifting =
            wp_lifting_make(wavelet, emitter->scheme->direction, WP_NORM_ORTHONORMAL,
                            i / 2 ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC);
        const struct wp_strip_shape shape = {.lanes = i % 2 ? 512 : 1024, .width = i % 2 ? 8 : 4};
        const struct wp_emit_target target = {.dialect = &wp_glsl_430, .stacked = i % 2};
        const int limit = shape.width / 2;
        if (lifting.before > limit || lifting.after > limit)
            continue;
        struct wp_text text = {0};
        struct shader shader = make("walks", &wp_glsl_430, "comp");
        shader.counts = wp_emit_strip(&lifting, &shape, &target, &text);
        emit_scheme_shader(emitter, shader, &text);
    }
}

// Levels along z only: the streaming shader, and the one that fetches all of its inputs.
static void emit_lifting(const struct emitter *emitter, const struct wp_wavelet *wavelet,
                         enum wp_direction direction)
{
    const struct wp_lifting lifting =
        wp_lifting_make(wavelet, direction, WP_NORM_ORTHONORMAL, WP_BORDER_SYMMETRIC);
    char group[256];
    snprintf(group, sizeof group, "%s %s along z", wavelet->name, wp_direction_names[direction]);
    struct wp_text text = {0};
    wp_emit_lines(&lifting, &(struct wp_emit_target){.dialect = &wp_glsl_430}, &text);
    emit(emitter, make(group, &wp_glsl_430, "comp"), &text);
    for (int i = 0; i < 4; i++) {
        const struct wp_emit_target target = {.dialect = both[i % 2], .half = i / 2};
        const struct wp_depth_counts counts = wp_emit_depth(&lifting, &target, &text);
        struct shader shader = make(group, target.dialect, "frag");
        shader.counts = (struct wp_tile_counts){.operations = counts.operations,
                                                .fetches = counts.fetches};
        emit(emitter, shader, &text);
    }
}

static void emit_octets(struct emitter *emitter, const struct wp_wavelet *wavelet,
                        enum wp_direction direction)
{
    for (int k = 0; k < WP_SCHEME_VOLUME_KINDS; k++) {
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = wavelet,
            .kind = &wp_scheme_kinds[k],
            .direction = direction,
            .dims = WP_DIMS_MAX,
        });
        emitter->scheme = scheme;
        emit_passes(emitter, false);
        wp_scheme_destroy(&scheme);
    }
}

// Shaders that only move samples.
static void emit_transfers(const struct emitter *emitter)
{
    static const unsigned char *const shaders[] = {wp_shader_gather, wp_shader_spread};
    static const unsigned char *const vertex[] = {wp_shader_triangle, wp_shader_stack};
    for (int i = 0; i < 16; i++) {
        struct wp_text text = {0};
        wp_emit_head(both[i % 2], 0, &text);
        wp_text_add(&text, "%s%s%s%s%s", i & 2 ? "#define INSIDE\n" : "",
                    i & 4 ? "#define STACKED\n" : "", (const char *)wp_shader_extend,
                    (const char *)wp_shader_plane, (const char *)shaders[i / 8]);
        emit(emitter, make("transports", both[i % 2], "frag"), &text);
        wp_emit_head(both[i % 2], 0, &text);
        wp_text_add(&text, "%s", (const char *)vertex[i / 8]);
        emit(emitter, make("transports", both[i % 2], "vert"), &text);
    }
}

static void emit_octet_transfers(const struct emitter *emitter)
{
    static const unsigned char *const shaders[] = {wp_shader_gather_octets,
                                                   wp_shader_spread_octets};
    for (int i = 0; i < 4; i++) {
        struct wp_text text = {0};
        wp_emit_head(both[i % 2], 0, &text);
        wp_text_add(&text, "%s%s%s", (const char *)wp_shader_extend,
                    (const char *)wp_shader_octets, (const char *)shaders[i / 2]);
        emit(emitter, make("octet transports", both[i % 2], "frag"), &text);
    }
}

// Vertex and geometry shaders that draw to layers. ES 3.00 does not support geometry shaders.
static void emit_layers(const struct emitter *emitter)
{
    static const unsigned char *const shaders[] = {wp_shader_instance, wp_shader_layers};
    for (int i = 0; i < 2; i++) {
        struct wp_text text = {0};
        wp_emit_head(&wp_glsl_330, 0, &text);
        wp_text_add(&text, "%s", (const char *)shaders[i]);
        emit(emitter, make("layers", &wp_glsl_330, i ? "geom" : "vert"), &text);
    }
}

static void emit_wavelet(struct emitter *emitter, const struct wp_wavelet *wavelet)
{
    emit_lifting(emitter, wavelet, WP_FORWARD);
    emit_lifting(emitter, wavelet, WP_INVERSE);
    for (int i = 0; i < WP_SCHEME_KINDS * WP_FORM_COUNT * 2; i++) {
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = wavelet,
            .kind = &wp_scheme_kinds[i % WP_SCHEME_KINDS],
            .form = (enum wp_form)(i / WP_SCHEME_KINDS % WP_FORM_COUNT),
            .direction = i / WP_SCHEME_KINDS / WP_FORM_COUNT ? WP_INVERSE : WP_FORWARD,
        });
        emitter->scheme = scheme;
        emit_passes(emitter, true);
        emit_blocks(emitter, "blocks", false);
        emit_blocks(emitter, "shared", true);
        emit_lanes(emitter);
        emit_z_streams(emitter, wavelet);
        if (i % (WP_SCHEME_KINDS * WP_FORM_COUNT) == WP_SCHEME_SEP_LIFTING)
            emit_strips(emitter, wavelet);
        wp_scheme_destroy(&scheme);
    }
}

void every_shader(shader_callback callback, void *user)
{
    struct emitter emitter = {.callback = callback, .user = user};
    emit_layers(&emitter);
    emit_transfers(&emitter);
    emit_octet_transfers(&emitter);
    emit_octets(&emitter, wp_wavelet_table[1], WP_FORWARD);
    emit_octets(&emitter, wp_wavelet_table[1], WP_INVERSE);
    for (int w = 0; wp_wavelet_table[w]; w++)
        emit_wavelet(&emitter, wp_wavelet_table[w]);
}
