#include "view_shaders.h"

#include "emit.h"
#include "log.h"
#include "schedule.h"
#include "text.h"
#include "xmemory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const unsigned char wp_shader_display[], wp_shader_load[], wp_shader_edit[],
    wp_shader_measure[], wp_shader_extend[];

enum { VARIANTS = 16 };

static struct {
    const char *file;
    const unsigned char *embedded;
    bool extends, stores;
    int variants;
    char *text;     // replaces the embedded text, or NULL
    struct wp_program *program[VARIANTS];
    time_t seconds; // of the file when it was read
    long nanoseconds;
} shaders[WP_SHADERS] = {
    [WP_SHADER_DISPLAY] = {"display.frag", wp_shader_display, .variants = VARIANTS},
    [WP_SHADER_LOAD] = {"load.frag", wp_shader_load, .variants = 2, .stores = true,
                        .extends = true},
    [WP_SHADER_EDIT] = {"edit.frag", wp_shader_edit, .variants = 2, .stores = true},
    [WP_SHADER_MEASURE] = {"measure.frag", wp_shader_measure, .variants = 2},
};

static struct wp_program *get(struct wp_gl *gl, enum wp_view_shader shader, int variant,
                              const char *text)
{
    struct wp_text source = {0};
    wp_emit_head(wp_glsl_fragments, 0, &source);
    wp_text_add(&source, "#define VARIANT %d\n%s%s#line 1\n%s", variant,
                shaders[shader].extends ? (const char *)wp_shader_extend : "",
                shaders[shader].stores ? wp_emit_stored(variant == 1) : "", text);
    struct wp_program *program = wp_program_get(gl, wp_text_get(&source));
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

static bool compiles(struct wp_gl *gl, enum wp_view_shader shader, const char *text)
{
    bool ok = true;
    for (int variant = 0; variant < shaders[shader].variants && ok; variant++)
        ok = get(gl, shader, variant, text) != NULL;
    return ok;
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

static bool get_time(const char *directory, int shader, char *path, size_t size, struct stat *s)
{
    snprintf(path, size, "%s/%s", directory, shaders[shader].file);
    return stat(path, s) == 0;
}

bool wp_view_shaders_reload(struct wp_gl *gl, const char *directory, int *count)
{
    bool ok = true;
    *count = 0;
    for (int i = 0; i < WP_SHADERS; i++) {
        char path[4096];
        struct stat s;
        if (get_time(directory, i, path, sizeof path, &s)) {
            shaders[i].seconds = s.st_mtim.tv_sec;
            shaders[i].nanoseconds = s.st_mtim.tv_nsec;
        }
        char *text = read_text(path);
        const char *old = shaders[i].text ? shaders[i].text : (const char *)shaders[i].embedded;
        const bool changed = text && strcmp(text, old) != 0;
        const bool good = text && (!changed || compiles(gl, (enum wp_view_shader)i, text));
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
    bool changed = false;
    for (int i = 0; i < WP_SHADERS; i++) {
        char path[4096];
        struct stat s;
        if (get_time(directory, i, path, sizeof path, &s) && shaders[i].seconds &&
            (s.st_mtim.tv_sec != shaders[i].seconds || s.st_mtim.tv_nsec != shaders[i].nanoseconds))
            changed = true;
    }
    return changed;
}
