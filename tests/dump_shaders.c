// Writes the shaders of the table's wavelets, of every scheme, form and direction, to files that
// shaders_test.sh has compiled:
//
//   dump_shaders DIRECTORY
#include "emit_tile.h"

#include <stdio.h>
#include <stdlib.h>

// shaders/*, embedded.
extern const unsigned char wp_shader_extend[], wp_shader_plane[], wp_shader_gather[],
    wp_shader_spread[], wp_shader_triangle[], wp_shader_stack[], wp_shader_octets[],
    wp_shader_gather_octets[], wp_shader_spread_octets[], wp_shader_instance[],
    wp_shader_layers[];

static const struct {
    const char *name;
    const struct wp_dialect *dialect;
} dialects[] = {{"330", &wp_glsl_330},
                {"es300", &wp_glsl_es_300},
                {"400", &wp_glsl_400},
                {"430", &wp_glsl_430}};

enum { GLSL_330, GLSL_ES_300, GLSL_400, GLSL_430 };

// Files bear numbers: what a shader is stands in its first lines. The text goes.
static void write_file(const char *directory, int dialect, const char *stage, struct wp_text *text)
{
    static int number;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%05d.%s", directory, dialects[dialect].name, number++,
             stage);
    FILE *file = fopen(path, "w");
    if (!file || fputs(wp_text_get(text), file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    wp_text_free(text);
}

static void dump_passes(const char *directory, const struct wp_scheme *scheme, bool stacks)
{
    for (int i = 0; i < scheme->pass_count * 4; i++) {
        const int dialect = i % 2;
        const struct wp_emit_target target = {
            .dialect = dialects[dialect].dialect, .stacked = stacks && i / 2 % 2,
            .half = i / 2 % 2};
        struct wp_text text = {0};
        wp_emit_fragment_pass_to(scheme, i / 4, &target, &text);
        write_file(directory, dialect, "frag", &text);
    }
}

static void dump_tile(const char *directory, const struct wp_scheme *scheme,
                      const struct wp_tile *tile, int dialect, struct wp_emit_target target)
{
    struct wp_text text = {0};
    target.dialect = dialects[dialect].dialect;
    wp_emit_tile(scheme, tile, &target, &text);
    write_file(directory, dialect, tile->lanes ? "comp" : "frag", &text);
}

static void dump_blocks(const char *directory, const struct wp_scheme *scheme, bool pairs)
{
    const struct wp_tile tile = {.columns = 2, .rows = 2, .pairs = pairs};
    for (int i = 0; i < 4; i++) {
        struct wp_emit_target target = {.inside = i % 2, .stacked = i / 2, .half = i / 2};
        target.input = scheme->direction == WP_FORWARD ? 0 : 2 + i / 2;
        target.slice = !target.stacked && i % 2;
        dump_tile(directory, scheme, &tile, pairs ? GLSL_400 : GLSL_330, target);
        if (!pairs)
            dump_tile(directory, scheme, &tile, GLSL_ES_300, target);
        target.store = true;
        dump_tile(directory, scheme, &tile, GLSL_430, target);
    }
}

// Each row of tiles goes through slices by itself or with others below it.
static void dump_marches(const char *directory, const struct wp_scheme *scheme,
                         const struct wp_wavelet *wavelet)
{
    const struct wp_lifting lifting = wp_lifting_make(wavelet, scheme->direction,
                                                      WP_NORM_ORTHONORMAL, WP_BORDER_SYMMETRIC);
    for (int i = 0; i < 2; i++) {
        const struct wp_tile tile = {
            .lanes = 64, .rows = 2, .tiers = 4 * i, .keep_loops = !i, .along = &lifting};
        dump_tile(directory, scheme, &tile, GLSL_430, (struct wp_emit_target){0});
    }
}

static void dump_scheme(const char *directory, const struct wp_scheme *scheme)
{
    static const struct wp_tile tiles[] = {{.lanes = 64, .rows = 8},
                                           {.lanes = 32, .rows = 2, .keep_loops = true},
                                           {.lanes = 40, .rows = 4, .tiers = 8, .levels = 12}};
    dump_passes(directory, scheme, true);
    dump_blocks(directory, scheme, false);
    dump_blocks(directory, scheme, true);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        dump_tile(directory, scheme, &tiles[i], GLSL_430,
                  (struct wp_emit_target){.stacked = i % 2});
}

static void dump_lines(const char *directory, const struct wp_wavelet *wavelet)
{
    for (int i = 0; i < WP_DIRECTION_COUNT; i++) {
        const struct wp_lifting lifting = wp_lifting_make(
            wavelet, (enum wp_direction)i, WP_NORM_ORTHONORMAL, WP_BORDER_SYMMETRIC);
        struct wp_text text = {0};
        wp_emit_lines(&lifting, &(struct wp_emit_target){.dialect = &wp_glsl_430}, &text);
        write_file(directory, GLSL_430, "comp", &text);
    }
}

// Of volumes: passes over octets, and all steps along z.
static void dump_volume(const char *directory, const struct wp_wavelet *wavelet,
                        enum wp_direction direction)
{
    const struct wp_lifting lifting =
        wp_lifting_make(wavelet, direction, WP_NORM_JPEG2000, WP_BORDER_SYMMETRIC);
    for (int i = 0; i < 4; i++) {
        struct wp_text text = {0};
        const struct wp_emit_target target = {.dialect = dialects[i % 2].dialect, .half = i / 2};
        wp_emit_depth(&lifting, &target, &text);
        write_file(directory, i % 2, "frag", &text);
    }
    for (int k = 0; k < WP_SCHEME_VOLUME_KINDS; k++) {
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = wavelet,
            .kind = &wp_scheme_kinds[k],
            .direction = direction,
            .dims = WP_DIMS_MAX,
        });
        dump_passes(directory, scheme, false);
        wp_scheme_destroy(&scheme);
    }
}

// Those that transform nothing.
static void dump_transports(const char *directory)
{
    static const unsigned char *const shaders[] = {wp_shader_gather, wp_shader_spread};
    static const unsigned char *const vertex[] = {wp_shader_triangle, wp_shader_stack};
    for (int i = 0; i < 16; i++) {
        struct wp_text text = {0}, before = {0};
        wp_emit_head(dialects[i % 2].dialect, 0, &text);
        wp_text_add(&text, "%s%s%s%s%s", i & 2 ? "#define INSIDE\n" : "",
                    i & 4 ? "#define STACKED\n" : "", (const char *)wp_shader_extend,
                    (const char *)wp_shader_plane, (const char *)shaders[i / 8]);
        write_file(directory, i % 2, "frag", &text);
        wp_emit_head(dialects[i % 2].dialect, 0, &before);
        wp_text_add(&before, "%s", (const char *)vertex[i / 8]);
        write_file(directory, i % 2, "vert", &before);
    }
}

static void dump_octet_transports(const char *directory)
{
    static const unsigned char *const shaders[] = {wp_shader_gather_octets,
                                                   wp_shader_spread_octets};
    for (int i = 0; i < 4; i++) {
        struct wp_text text = {0};
        wp_emit_head(dialects[i % 2].dialect, 0, &text);
        wp_text_add(&text, "%s%s%s", (const char *)wp_shader_extend,
                    (const char *)wp_shader_octets, (const char *)shaders[i / 2]);
        write_file(directory, i % 2, "frag", &text);
    }
}

// What stands before these and others that draw on layers. ES 3.00 has no such stage.
static void dump_layers(const char *directory)
{
    static const unsigned char *const shaders[] = {wp_shader_instance, wp_shader_layers};
    for (int i = 0; i < 2; i++) {
        struct wp_text text = {0};
        wp_emit_head(dialects[GLSL_330].dialect, 0, &text);
        wp_text_add(&text, "%s", (const char *)shaders[i]);
        write_file(directory, GLSL_330, i ? "geom" : "vert", &text);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    dump_layers(argv[1]);
    dump_transports(argv[1]);
    dump_octet_transports(argv[1]);
    struct wp_wavelet few;
    if (!wp_wavelet_find("cdf53", &few))
        return EXIT_FAILURE;
    dump_volume(argv[1], &few, WP_FORWARD);
    dump_volume(argv[1], &few, WP_INVERSE);
    for (int w = 0; wp_wavelet_table[w]; w++) {
        dump_lines(argv[1], wp_wavelet_table[w]);
        for (int i = 0; i < WP_SCHEME_KINDS * WP_FORM_COUNT * 2; i++) {
            struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
                .wavelet = wp_wavelet_table[w],
                .kind = &wp_scheme_kinds[i % WP_SCHEME_KINDS],
                .form = (enum wp_form)(i / WP_SCHEME_KINDS % WP_FORM_COUNT),
                .direction = i / WP_SCHEME_KINDS / WP_FORM_COUNT ? WP_INVERSE : WP_FORWARD,
            });
            dump_scheme(argv[1], scheme);
            dump_marches(argv[1], scheme, wp_wavelet_table[w]);
            wp_scheme_destroy(&scheme);
        }
    }
    return EXIT_SUCCESS;
}
