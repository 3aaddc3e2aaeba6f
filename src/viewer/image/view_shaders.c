#include "view_shaders.h"

#include "emit.h"
#include "schedule.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const unsigned char wp_shader_display[], wp_shader_load[], wp_shader_edit[],
    wp_shader_measure[], wp_shader_elements[], wp_shader_extend[], wp_shader_texels[],
    wp_shader_show[];

enum { VARIANTS = 32, PATH = 4096 };

static struct {
    const char *file; // NULL: not read from a directory
    const unsigned char *embedded;
    bool extends, stores, texels;
    int variants;
    char *text;     // replaces the embedded text, or NULL
    struct wp_program *program[VARIANTS];
    struct timespec modified; // when the file was read
} shaders[WP_SHADERS] = {
    [WP_SHADER_DISPLAY] = {"display.frag", wp_shader_display, .variants = VARIANTS, .texels = true},
    [WP_SHADER_LOAD] = {"load.frag", wp_shader_load, .variants = 2, .stores = true,
                        .extends = true, .texels = true},
    [WP_SHADER_EDIT] = {"edit.frag", wp_shader_edit, .variants = 2, .stores = true, .texels = true},
    [WP_SHADER_ELEMENTS] = {"elements.frag", wp_shader_elements, .variants = 2, .stores = true,
                            .texels = true},
    [WP_SHADER_SHOW] = {NULL, wp_shader_show, .variants = 1},
    [WP_SHADER_MEASURE] = {"measure.frag", wp_shader_measure, .variants = 2, .texels = true},
};

bool wp_view_computes(const struct wp_gl *gl, enum wp_view_shader shader, int variant)
{
    const struct wp_gl_info *info = wp_gl_get_info(gl);
    const bool many = shader != WP_SHADER_DISPLAY || (variant & 1);
    return shaders[shader].texels && many && info->max_invocations > 0 &&
           !info->software;
}

static struct wp_program *get(struct wp_gl *gl, enum wp_view_shader shader, int variant,
                              const char *text)
{
    struct wp_text source = {0};
    const bool computed = wp_view_computes(gl, shader, variant);
    const bool half = shaders[shader].stores && variant == 1;
    wp_emit_head(computed ? &wp_glsl_430 : wp_glsl_fragments, 0, &source);
    wp_text_add(&source, "#define VARIANT %d\n%s%s%s%s#line 1\n%s", variant,
                !computed ? "" : half ? "#define TARGET rgba16f\n" : "#define TARGET rgba32f\n",
                shaders[shader].texels ? (const char *)wp_shader_texels : "",
                shaders[shader].extends ? (const char *)wp_shader_extend : "",
                shaders[shader].stores ? wp_emit_stored(half) : "", text);
    struct wp_program *program = (computed ? wp_program_get_compute : wp_program_get)(
        gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

struct wp_program *wp_view_program(struct wp_gl *gl, enum wp_view_shader shader, int variant)
{
    const char *text = shaders[shader].text ? shaders[shader].text
                                            : (const char *)shaders[shader].embedded;
    struct wp_program **program = &shaders[shader].program[variant];
    if (!*program)
        *program = get(gl, shader, variant, text);
    return *program;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        wp_fail(wp_error_of_errno(), "%s: %s", path, strerror(errno));
        return NULL;
    }
    enum { SIZE_MAX_OF_SHADER = 1 << 18 };
    char *text = wp_xcalloc(SIZE_MAX_OF_SHADER, 1);
    const size_t size = fread(text, 1, SIZE_MAX_OF_SHADER - 1, file);
    const bool ok = !ferror(file) && size > 0 && feof(file);
    fclose(file);
    if (!ok) {
        free(text);
        wp_fail(WP_ERROR_FILE, "%s: empty, too long, or cannot be read", path);
        return NULL;
    }
    return text;
}

struct timespec wp_file_modified(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? s.st_mtim : (struct timespec){0};
}

bool wp_file_modified_since(const char *path, struct timespec since)
{
    const struct timespec now = wp_file_modified(path);
    return now.tv_sec && since.tv_sec &&
           (now.tv_sec != since.tv_sec || now.tv_nsec != since.tv_nsec);
}

static const char *path_of(const char *directory, int shader, char path[PATH])
{
    snprintf(path, PATH, "%s/%s", directory, shaders[shader].file);
    return path;
}

bool wp_view_shaders_reload(struct wp_gl *gl, const char *directory, int *count)
{
    bool ok = true;
    *count = 0;
    for (int i = 0; i < WP_SHADERS; i++) {
        if (!shaders[i].file)
            continue;
        char path[PATH];
        const struct timespec modified = wp_file_modified(path_of(directory, i, path));
        shaders[i].modified = modified.tv_sec ? modified : shaders[i].modified;
        char *text = read_text(path);
        const char *old = shaders[i].text ? shaders[i].text : (const char *)shaders[i].embedded;
        const bool changed = text && strcmp(text, old) != 0;
        bool good = text;
        for (int variant = 0; variant < shaders[i].variants && changed && good; variant++)
            good = get(gl, (enum wp_view_shader)i, variant, text);
        ok = ok && good;
        if (good && changed) {
            free(shaders[i].text);
            shaders[i].text = text;
            memset(shaders[i].program, 0, sizeof shaders[i].program);
            ++*count;
        } else {
            free(text);
        }
    }
    return ok;
}

void wp_view_shaders_reset(void)
{
    for (int i = 0; i < WP_SHADERS; i++) {
        free(shaders[i].text);
        shaders[i].text = NULL;
        memset(shaders[i].program, 0, sizeof shaders[i].program);
    }
}

bool wp_view_shaders_changed(const char *directory)
{
    char path[PATH];
    for (int i = 0; i < WP_SHADERS; i++)
        if (shaders[i].file &&
            wp_file_modified_since(path_of(directory, i, path), shaders[i].modified))
            return true;
    return false;
}

enum { COLOURS = 256, ANCHORS = 10 };

// Colors at equal distances, interpolated linearly. Blue, white and orange can be distinguished
// with all common kinds of color blindness. Viridis and cividis: ten colors each, from the R
// package viridisLite (MIT license).
static const struct {
    int count;
    unsigned anchor[ANCHORS];
} maps[WP_MAPS] = {
    [WP_MAP_DIVERGING] = {5, {0x08306b, 0x4292c6, 0xfafafa, 0xf18223, 0x7f2704}},
    [WP_MAP_VIRIDIS] = {10, {0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89,
                             0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725}},
    [WP_MAP_CIVIDIS] = {10, {0x00204d, 0x00336f, 0x39486b, 0x575c6d, 0x707173, 0x8a8779,
                             0xa69d75, 0xc4b56c, 0xe4cf5b, 0xffea46}},
    [WP_MAP_GRAY] = {2, {0x000000, 0xffffff}},
};

static float channel(unsigned colour, int c)
{
    return (float)(colour >> (16 - 8 * c) & 255) / 255.0F;
}

bool wp_colours_create(struct wp_gl *gl, struct wp_texture *texture)
{
    if (!wp_texture_create(gl, COLOURS, WP_MAPS, texture))
        return false;
    float *texels = wp_xcalloc(COLOURS, 4 * sizeof *texels);
    for (int map = 0; map < WP_MAPS; map++) {
        const int spans = maps[map].count - 1;
        for (int i = 0; i < COLOURS; i++) {
            const float at = (float)(i * spans) / (float)(COLOURS - 1);
            const int below = (int)at < spans ? (int)at : spans - 1;
            for (int c = 0; c < 3; c++) {
                const float a = channel(maps[map].anchor[below], c);
                const float b = channel(maps[map].anchor[below + 1], c);
                texels[4 * i + c] = a + (b - a) * (at - (float)below);
            }
            texels[4 * i + 3] = 1;
        }
        wp_texture_write(texture, 0, map, COLOURS, 1, texels);
    }
    free(texels);
    return true;
}
