#include "every_shader.h"

#include <stdarg.h>
#include <stdio.h>

// shaders/*, embedded.
extern const unsigned char wp_shader_extend[], wp_shader_plane[], wp_shader_gather[],
    wp_shader_spread[], wp_shader_triangle[], wp_shader_stack[], wp_shader_octets[],
    wp_shader_gather_octets[], wp_shader_spread_octets[], wp_shader_instance[],
    wp_shader_layers[];

static const struct wp_dialect *const both[] = {&wp_glsl_330, &wp_glsl_es_300};

struct walk {
    shader_taker taker;
    void *user;
    const struct wp_scheme *scheme; // the one whose shaders follow
};

static struct shader make(const char *group, const struct wp_dialect *dialect, const char *stage)
{
    return (struct shader){.group = group, .dialect = dialect, .stage = stage};
}

// The text goes.
static void give(const struct walk *walk, struct shader shader, struct wp_text *text)
{
    shader.text = wp_text_get(text);
    walk->taker(walk->user, &shader);
    wp_text_free(text);
}

// Of a scheme: its name and direction and, behind them, what runs it.
static void give_of_scheme(const struct walk *walk, struct shader shader, struct wp_text *text)
{
    char group[256];
    snprintf(group, sizeof group, "%s %s %s", walk->scheme->name,
             wp_direction_names[walk->scheme->direction], shader.group);
    shader.group = group;
    give(walk, shader, text);
}

static void give_passes(const struct walk *walk, bool stacks)
{
    for (int i = 0; i < walk->scheme->pass_count * 4; i++) {
        const struct wp_emit_target target = {
            .dialect = both[i % 2], .stacked = stacks && i / 2 % 2, .half = i / 2 % 2};
        struct wp_text text = {0};
        wp_emit_fragment_pass_to(walk->scheme, i / 4, &target, &text);
        give_of_scheme(walk, make(stacks ? "passes" : "octets", target.dialect, "frag"), &text);
    }
}

static void give_tile(const struct walk *walk, const char *group, const struct wp_tile *tile,
                      const struct wp_dialect *dialect, struct wp_emit_target target)
{
    struct wp_text text = {0};
    target.dialect = dialect;
    const char *stage = !tile->lanes ? "frag" : dialect == &wp_cuda_c ? "cu" : "comp";
    struct shader shader = make(group, dialect, stage);
    shader.counts = wp_emit_tile(walk->scheme, tile, &target, &text);
    give_of_scheme(walk, shader, &text);
}

static void give_blocks(const struct walk *walk, const char *group, bool shares)
{
    const struct wp_tile tile = {.columns = 2, .rows = 2, .shares = shares};
    for (int i = 0; i < 4; i++) {
        struct wp_emit_target target = {.inside = i % 2, .stacked = i / 2, .half = i / 2};
        target.input = walk->scheme->direction == WP_FORWARD ? 0 : 2 + i / 2;
        target.slice = !target.stacked && i % 2;
        give_tile(walk, group, &tile, shares ? &wp_glsl_400 : &wp_glsl_330, target);
        if (!shares)
            give_tile(walk, group, &tile, &wp_glsl_es_300, target);
        target.store = true;
        give_tile(walk, group, &tile, &wp_glsl_430, target);
    }
}

static void give_lanes(const struct walk *walk)
{
    static const struct wp_tile tiles[] = {{.lanes = 64, .rows = 8},
                                           {.lanes = 32, .rows = 2, .keep_loops = true},
                                           {.lanes = 40, .rows = 4, .tiers = 8, .levels = 12}};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        give_tile(walk, "lanes", &tiles[i], &wp_glsl_430,
                  (struct wp_emit_target){.stacked = i % 2});
    const struct wp_tile tile = wp_tile_of_block(walk->scheme);
    if (wp_tile_step(walk->scheme, &tile) > 0)
        give_tile(walk, "cuda", &tile, &wp_cuda_c, (struct wp_emit_target){0});
}

// Each row of tiles goes through slices by itself or with others below it.
static void give_marches(const struct walk *walk, const struct wp_wavelet *wavelet)
{
    const struct wp_lifting lifting = wp_lifting_make(wavelet, walk->scheme->direction,
                                                      WP_NORM_ORTHONORMAL, WP_BORDER_SYMMETRIC);
    for (int i = 0; i < 2; i++) {
        const struct wp_tile tile = {
            .lanes = 64, .rows = 2, .tiers = 4 * i, .keep_loops = !i, .along = &lifting};
        give_tile(walk, "marches", &tile, &wp_glsl_430, (struct wp_emit_target){0});
    }
}

// Strips of either width that hold what the wavelet reads beside them, mirrored and periodic.
static void give_walks(const struct walk *walk, const struct wp_wavelet *wavelet)
{
    for (int i = 0; i < 4; i++) {
        const struct wp_lifting lifting =
            wp_lifting_make(wavelet, walk->scheme->direction, WP_NORM_ORTHONORMAL,
                            i / 2 ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC);
        const struct wp_strip_shape shape = {.lanes = i % 2 ? 512 : 1024, .width = i % 2 ? 8 : 4};
        const struct wp_emit_target target = {.dialect = &wp_glsl_430, .stacked = i % 2};
        const int most = shape.width / 2;
        if (lifting.before > most || lifting.after > most)
            continue;
        struct wp_text text = {0};
        struct shader shader = make("walks", &wp_glsl_430, "comp");
        shader.counts = wp_emit_strip(&lifting, &shape, &target, &text);
        give_of_scheme(walk, shader, &text);
    }
}

// Levels along z alone: a shader whose slices pass by, and one that reads all that it needs.
static void give_lifting(const struct walk *walk, const struct wp_wavelet *wavelet,
                         enum wp_direction direction)
{
    const struct wp_lifting lifting =
        wp_lifting_make(wavelet, direction, WP_NORM_ORTHONORMAL, WP_BORDER_SYMMETRIC);
    char group[256];
    snprintf(group, sizeof group, "%s %s along z", wavelet->name, wp_direction_names[direction]);
    struct wp_text text = {0};
    wp_emit_lines(&lifting, &(struct wp_emit_target){.dialect = &wp_glsl_430}, &text);
    give(walk, make(group, &wp_glsl_430, "comp"), &text);
    for (int i = 0; i < 4; i++) {
        const struct wp_emit_target target = {.dialect = both[i % 2], .half = i / 2};
        const struct wp_depth_counts counts = wp_emit_depth(&lifting, &target, &text);
        struct shader shader = make(group, target.dialect, "frag");
        shader.counts = (struct wp_tile_counts){.operations = counts.operations,
                                                .fetches = counts.fetches};
        give(walk, shader, &text);
    }
}

static void give_octets(struct walk *walk, const struct wp_wavelet *wavelet,
                        enum wp_direction direction)
{
    for (int k = 0; k < WP_SCHEME_VOLUME_KINDS; k++) {
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = wavelet,
            .kind = &wp_scheme_kinds[k],
            .direction = direction,
            .dims = WP_DIMS_MAX,
        });
        walk->scheme = scheme;
        give_passes(walk, false);
        wp_scheme_destroy(&scheme);
    }
}

// Those that transform nothing.
static void give_transports(const struct walk *walk)
{
    static const unsigned char *const shaders[] = {wp_shader_gather, wp_shader_spread};
    static const unsigned char *const vertex[] = {wp_shader_triangle, wp_shader_stack};
    for (int i = 0; i < 16; i++) {
        struct wp_text text = {0};
        wp_emit_head(both[i % 2], 0, &text);
        wp_text_add(&text, "%s%s%s%s%s", i & 2 ? "#define INSIDE\n" : "",
                    i & 4 ? "#define STACKED\n" : "", (const char *)wp_shader_extend,
                    (const char *)wp_shader_plane, (const char *)shaders[i / 8]);
        give(walk, make("transports", both[i % 2], "frag"), &text);
        wp_emit_head(both[i % 2], 0, &text);
        wp_text_add(&text, "%s", (const char *)vertex[i / 8]);
        give(walk, make("transports", both[i % 2], "vert"), &text);
    }
}

static void give_octet_transports(const struct walk *walk)
{
    static const unsigned char *const shaders[] = {wp_shader_gather_octets,
                                                   wp_shader_spread_octets};
    for (int i = 0; i < 4; i++) {
        struct wp_text text = {0};
        wp_emit_head(both[i % 2], 0, &text);
        wp_text_add(&text, "%s%s%s", (const char *)wp_shader_extend,
                    (const char *)wp_shader_octets, (const char *)shaders[i / 2]);
        give(walk, make("octet transports", both[i % 2], "frag"), &text);
    }
}

// What stands before these and others that draw on layers. ES 3.00 has no such stage.
static void give_layers(const struct walk *walk)
{
    static const unsigned char *const shaders[] = {wp_shader_instance, wp_shader_layers};
    for (int i = 0; i < 2; i++) {
        struct wp_text text = {0};
        wp_emit_head(&wp_glsl_330, 0, &text);
        wp_text_add(&text, "%s", (const char *)shaders[i]);
        give(walk, make("layers", &wp_glsl_330, i ? "geom" : "vert"), &text);
    }
}

static void give_wavelet(struct walk *walk, const struct wp_wavelet *wavelet)
{
    give_lifting(walk, wavelet, WP_FORWARD);
    give_lifting(walk, wavelet, WP_INVERSE);
    for (int i = 0; i < WP_SCHEME_KINDS * WP_FORM_COUNT * 2; i++) {
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = wavelet,
            .kind = &wp_scheme_kinds[i % WP_SCHEME_KINDS],
            .form = (enum wp_form)(i / WP_SCHEME_KINDS % WP_FORM_COUNT),
            .direction = i / WP_SCHEME_KINDS / WP_FORM_COUNT ? WP_INVERSE : WP_FORWARD,
        });
        walk->scheme = scheme;
        give_passes(walk, true);
        give_blocks(walk, "blocks", false);
        give_blocks(walk, "shared", true);
        give_lanes(walk);
        give_marches(walk, wavelet);
        if (i % (WP_SCHEME_KINDS * WP_FORM_COUNT) == WP_SCHEME_SEP_LIFTING)
            give_walks(walk, wavelet);
        wp_scheme_destroy(&scheme);
    }
}

void every_shader(shader_taker taker, void *user)
{
    struct walk walk = {.taker = taker, .user = user};
    give_layers(&walk);
    give_transports(&walk);
    give_octet_transports(&walk);
    give_octets(&walk, wp_wavelet_table[1], WP_FORWARD);
    give_octets(&walk, wp_wavelet_table[1], WP_INVERSE);
    for (int w = 0; wp_wavelet_table[w]; w++)
        give_wavelet(&walk, wp_wavelet_table[w]);
}
