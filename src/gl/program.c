#include "program.h"

#include "gl_internal.h"
#include "log.h"
#include "memory.h"
#include "text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// shaders/*.vert, embedded.
extern const unsigned char wp_shader_triangle[], wp_shader_stack[], wp_shader_instance[],
    wp_shader_layers[];

enum { UNIFORMS_MAX = 32, BEFORE_MAX = 2 };

// The shaders that precede the source in a program; none for compute shaders.
enum kind { KIND_FRAGMENT, KIND_STACKED, KIND_LAYERED, KIND_COMPUTE };

struct wp_program {
    struct wp_program *next;
    struct wp_gl *gl;
    enum kind kind;
    unsigned long long hash;
    GLuint id;
    GLuint shader; // of the source, until its compilation was checked; then 0
    struct wp_stack stack; // wp_program_stack()
    int layer_groups, layer_step, layers_per_group; // wp_program_layers(); 0 for other kinds
    int group;   // invocations per workgroup
    // Cached locations of uniforms: a query of the driver takes longer than a small dispatch.
    int uniform_count;
    struct {
        char name[24];
        GLint location;
    } uniform[UNIFORMS_MAX];
    char source[];
};

// Programs by kind and source.
struct wp_gl_cache {
    struct wp_program *first;
    GLuint before[KIND_COMPUTE][BEFORE_MAX]; // vertex and geometry shaders
    GLuint timer;
    GLuint bare; // framebuffer without attachments
    bool ahead;  // start linking programs without waiting for them
};

struct wp_gl_cache *wp_gl_cache_create(void)
{
    return wp_allocate(1, sizeof(struct wp_gl_cache), "a GL context");
}

static void destroy(struct wp_program *program)
{
    glDeleteProgram(program->id);
    glDeleteShader(program->shader); // ignores 0
    free(program);
}

void wp_gl_cache_destroy(struct wp_gl_cache *cache)
{
    while (cache->first) {
        struct wp_program *program = cache->first;
        cache->first = program->next;
        destroy(program);
    }
    for (int kind = 0; kind < KIND_COMPUTE; kind++)
        for (int i = 0; i < BEFORE_MAX && cache->before[kind][i]; i++)
            glDeleteShader(cache->before[kind][i]);
    if (cache->timer)
        glDeleteQueries(1, &cache->timer);
    if (cache->bare)
        glDeleteFramebuffers(1, &cache->bare);
    free(cache);
}

// The line number in a driver's message, or 0. Known forms: "0:12(3): error", "0(12) : error",
// "ERROR: 0:12:".
static int error_line(const char *message)
{
    const char *at = strstr(message, "0:");
    if (!at)
        at = strstr(message, "0(");
    return at ? atoi(at + 2) : 0;
}

// Like in the messages of the driver, lines are counted from "#line 1", if the source has one.
static void add_lines_around(struct wp_text *text, const char *source, int line)
{
    static const char first[] = "\n#line 1\n";
    const char *begin = strstr(source, first);
    source = begin ? begin + sizeof first - 1 : source;
    int number = 1;
    for (const char *start = source; *start; number++) {
        const char *end = strchr(start, '\n');
        const int length = (int)(end ? (size_t)(end - start) : strlen(start));
        if (number >= line - 2 && number <= line + 2)
            wp_text_add(text, "\n%c%5d | %.*s", number == line ? '>' : ' ', number, length, start);
        start += length + (end != NULL);
    }
}

static void report_failure(const char *source, const char *message)
{
    struct wp_text around = {0};
    add_lines_around(&around, source, error_line(message));
    wp_fail(WP_ERROR_INTERNAL, "a shader does not compile (%s)%s",
            message, wp_text_get(&around));
    wp_text_free(&around);
}

static GLuint begin_shader(GLenum stage, const char *source)
{
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    return shader;
}

// Waits until the shader is compiled.
static bool is_compiled(GLuint shader, const char *source)
{
    GLint ok = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char message[1024] = "no message";
        glGetShaderInfoLog(shader, sizeof message, NULL, message);
        message[strcspn(message, "\n")] = '\0';
        report_failure(source, message);
    }
    return ok;
}

// Waits until the program is linked.
static bool is_linked(const struct wp_program *program)
{
    GLint ok = GL_FALSE;
    glGetProgramiv(program->id, GL_LINK_STATUS, &ok);
    if (!ok) {
        char message[1024] = "no message";
        glGetProgramInfoLog(program->id, sizeof message, NULL, message);
        report_failure(program->source, message);
    }
    return ok;
}

// Appends the shaders that precede a fragment shader, and returns the number of all shaders, or 0
// after an error. Their first line, the version, is that of the first fragment shader of the
// context that uses them; all shaders of a context have the same version.
static int add_before(struct wp_gl_cache *cache, enum kind kind, const char *fragment,
                      GLuint shaders[1 + BEFORE_MAX])
{
    static const struct {
        GLenum stage;
        const unsigned char *text;
    } before[KIND_COMPUTE + 1][BEFORE_MAX] = {
        [KIND_FRAGMENT] = {{GL_VERTEX_SHADER, wp_shader_triangle}},
        [KIND_STACKED] = {{GL_VERTEX_SHADER, wp_shader_stack}},
        [KIND_LAYERED] = {{GL_VERTEX_SHADER, wp_shader_instance},
                          {GL_GEOMETRY_SHADER, wp_shader_layers}},
    };
    int count = 0;
    for (; count < BEFORE_MAX && before[kind][count].text; count++) {
        GLuint *shader = &cache->before[kind][count];
        if (!*shader) {
            struct wp_text source = {0};
            wp_text_add(&source, "%.*s\n%s", (int)strcspn(fragment, "\n"), fragment,
                        (const char *)before[kind][count].text);
            if (wp_text_is_complete(&source, "a shader"))
                *shader = begin_shader(before[kind][count].stage, wp_text_get(&source));
            if (*shader && !is_compiled(*shader, wp_text_get(&source))) {
                glDeleteShader(*shader);
                *shader = 0;
            }
            wp_text_free(&source);
        }
        if (!*shader)
            return 0;
        shaders[1 + count] = *shader;
    }
    return 1 + count;
}

// Starts compiling and linking.
static bool begin_program(struct wp_gl_cache *cache, struct wp_program *program)
{
    GLuint shaders[1 + BEFORE_MAX];
    const int count = add_before(cache, program->kind, program->source, shaders);
    if (count == 0)
        return false;
    program->shader = shaders[0] = begin_shader(
        program->kind == KIND_COMPUTE ? GL_COMPUTE_SHADER : GL_FRAGMENT_SHADER, program->source);
    program->id = glCreateProgram();
    for (int i = 0; i < count; i++)
        glAttachShader(program->id, shaders[i]);
    glLinkProgram(program->id);
    return true;
}

static struct wp_program *begin(struct wp_gl *gl, enum kind kind, const char *source,
                                unsigned long long hash)
{
    wp_log(WP_LOG_DEBUG, "compiling shader %016llx:\n%s", hash, source);
    const size_t size = strlen(source) + 1;
    struct wp_program *program = wp_allocate(1, sizeof *program + size, "a program");
    if (!program)
        return NULL;
    program->gl = gl;
    program->kind = kind;
    program->hash = hash;
    memcpy(program->source, source, size);
    if (!begin_program(gl->cache, program)) {
        free(program);
        return NULL;
    }
    program->next = gl->cache->first;
    return gl->cache->first = program;
}

// Waits until a program is linked. Destroys it after an error.
static struct wp_program *finish(struct wp_gl_cache *cache, struct wp_program *program)
{
    if (!program->shader)
        return program;
    if (!is_compiled(program->shader, program->source) || !is_linked(program)) {
        struct wp_program **at = &cache->first;
        while (*at != program)
            at = &(*at)->next;
        *at = program->next;
        destroy(program);
        return NULL;
    }
    glDeleteShader(program->shader);
    program->shader = 0;
    wp_program_set(program, "source", 0);
    wp_program_set(program, "low", 1);
    if (program->kind == KIND_COMPUTE) {
        GLint size[3] = {0};
        glGetProgramiv(program->id, GL_COMPUTE_WORK_GROUP_SIZE, size);
        program->group = size[0] * size[1] * size[2];
    }
    return program;
}

static struct wp_program *get(struct wp_gl *gl, enum kind kind, const char *source)
{
    const unsigned long long hash = wp_hash(source);
    struct wp_program *program = gl->cache->first;
    while (program && (program->kind != kind || program->hash != hash ||
                       strcmp(program->source, source) != 0))
        program = program->next;
    if (!program)
        program = begin(gl, kind, source, hash);
    if (!program || (gl->cache->ahead && program->shader))
        return NULL;
    return finish(gl->cache, program);
}

void wp_gl_link_ahead(struct wp_gl *gl, bool ahead)
{
    gl->cache->ahead = ahead && gl->info.links_in_parallel;
}

bool wp_gl_links_ahead(const struct wp_gl *gl)
{
    return gl->cache->ahead;
}

bool wp_gl_is_linking(struct wp_gl *gl)
{
    enum { COMPLETION_STATUS = 0x91B1 };
    GLint done = GL_TRUE;
    for (const struct wp_program *p = gl->cache->first; p && done && gl->info.links_in_parallel;
         p = p->next)
        if (p->shader)
            glGetProgramiv(p->id, COMPLETION_STATUS, &done);
    return !done;
}

struct wp_program *wp_program_get(struct wp_gl *gl, const char *fragment_source)
{
    return get(gl, KIND_FRAGMENT, fragment_source);
}

struct wp_program *wp_program_get_stacked(struct wp_gl *gl, const char *fragment_source)
{
    return get(gl, KIND_STACKED, fragment_source);
}

void wp_program_stack(struct wp_program *program, const struct wp_stack *stack)
{
    program->stack = *stack;
}

// Texels along an axis that a draw of rectangles of `size` texels spans.
static int span_of(const struct wp_program *program, int axis, int size)
{
    const struct wp_stack *stack = &program->stack;
    if (stack->count == 0)
        return size;
    const int steps = axis == 0 ? (stack->count - 1) / stack->rows : stack->rows - 1;
    return steps * stack->step[axis] + size;
}

struct wp_program *wp_program_get_layered(struct wp_gl *gl, const char *fragment_source)
{
    return get(gl, KIND_LAYERED, fragment_source);
}

void wp_program_layers(struct wp_program *program, int count, int step, int layers)
{
    program->layer_groups = count;
    program->layer_step = step;
    program->layers_per_group = layers;
}

struct wp_program *wp_program_get_compute(struct wp_gl *gl, const char *source)
{
    return get(gl, KIND_COMPUTE, source);
}

const char *wp_program_source(const struct wp_program *program)
{
    return program->source;
}

static GLint locate(struct wp_program *program, const char *name)
{
    for (int i = 0; i < program->uniform_count; i++)
        if (strcmp(program->uniform[i].name, name) == 0)
            return program->uniform[i].location;
    if (program->uniform_count == UNIFORMS_MAX)
        return glGetUniformLocation(program->id, name);
    assert(strlen(name) < sizeof program->uniform[0].name);
    const int i = program->uniform_count++;
    snprintf(program->uniform[i].name, sizeof program->uniform[i].name, "%s", name);
    return program->uniform[i].location = glGetUniformLocation(program->id, name);
}

void wp_program_set(struct wp_program *program, const char *uniform, int value)
{
    glUseProgram(program->id);
    glUniform1i(locate(program, uniform), value);
}

void wp_program_set2(struct wp_program *program, const char *uniform, int x, int y)
{
    glUseProgram(program->id);
    glUniform2i(locate(program, uniform), x, y);
}

void wp_program_set3(struct wp_program *program, const char *uniform, const int values[3])
{
    glUseProgram(program->id);
    glUniform3iv(locate(program, uniform), 1, values);
}

void wp_program_set4(struct wp_program *program, const char *uniform, const int values[4])
{
    glUseProgram(program->id);
    glUniform4iv(locate(program, uniform), 1, values);
}

void wp_program_set_array(struct wp_program *program, const char *uniform, int components,
                          int count, const int *values)
{
    glUseProgram(program->id);
    const GLint at = locate(program, uniform);
    switch (components) {
    case 1: glUniform1iv(at, count, values); break;
    case 2: glUniform2iv(at, count, values); break;
    default: glUniform4iv(at, count, values); break;
    }
}

void wp_program_set_floats(struct wp_program *program, const char *uniform, int count,
                           const float *values)
{
    glUseProgram(program->id);
    const GLint at = locate(program, uniform);
    switch (count) {
    case 1: glUniform1fv(at, 1, values); break;
    case 2: glUniform2fv(at, 1, values); break;
    case 3: glUniform3fv(at, 1, values); break;
    default: glUniform4fv(at, 1, values); break;
    }
}

void wp_program_read(struct wp_program *program, const char *sampler, int unit,
                     const struct wp_texture *texture)
{
    wp_program_set(program, sampler, unit);
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(texture->target, texture->id);
    glActiveTexture(GL_TEXTURE0);
}

void wp_program_use(struct wp_program *program)
{
    glUseProgram(program->id);
}

static void bind_sampler(GLenum unit, const struct wp_texture *texture)
{
    glActiveTexture(unit);
    glBindTexture(texture ? texture->target : GL_TEXTURE_2D, texture ? texture->id : 0);
}

static void bind_image(GLuint unit, const struct wp_texture *texture)
{
    glBindImageTexture(unit, texture ? texture->id : 0, 0, texture && texture->layers > 0, 0,
                       GL_WRITE_ONLY, texture ? texture->format : GL_RGBA32F);
}

static void bind_textures(const struct wp_tile_textures *textures)
{
    bind_sampler(GL_TEXTURE1, textures->low);
    bind_sampler(GL_TEXTURE0, textures->source);
}

static void add_expected(struct wp_program *program, enum wp_gl_draw_check_kind kind,
                        double draw_check)
{
    program->gl->draw_check[kind].expected += draw_check;
}

static void draw(struct wp_program *program, GLuint framebuffer, int x, int y, int width,
                 int height)
{
    glUseProgram(program->id);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (program->stack.count == 0) {
        glViewport(x, y, width, height);
        if (program->kind == KIND_LAYERED) { // not counted, see draw_check.h
            glDrawArraysInstanced(GL_TRIANGLES, 0, 3,
                                  program->layer_groups * program->layers_per_group);
        } else {
            add_expected(program, WP_GL_DRAW_CHECK_DRAWN, (double)width * height);
            glDrawArrays(GL_TRIANGLES, 0, 3);
        }
        return;
    }
    const struct wp_stack *stack = &program->stack;
    const int span[3] = {span_of(program, 0, width), span_of(program, 1, height), stack->rows};
    wp_program_set4(program, "rectangle",
                    (const int[]){width, height, stack->step[0], stack->step[1]});
    wp_program_set3(program, "span", span);
    glViewport(x, y, span[0], span[1]);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, stack->count);
}

static void dispatch(struct wp_program *program, const int groups[3])
{
    add_expected(program, WP_GL_DRAW_CHECK_COMPUTED,
         (double)program->group * groups[0] * groups[1] * groups[2]);
    glDispatchCompute((GLuint)groups[0], (GLuint)groups[1], (GLuint)groups[2]);
}

static void compute_rectangle(struct wp_program *program, const struct wp_texture *target, int x,
                              int y, int width, int height)
{
    enum { SIDE = 16 }; // of a workgroup
    wp_program_set4(program, "rectangle", (const int[]){x, y, width, height});
    bind_image(0, target);
    dispatch(program, (const int[]){(width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE, 1});
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT |
                    GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

void wp_program_draw(struct wp_program *program, const struct wp_texture *source,
                     const struct wp_texture *target, int x, int y, int width, int height,
                     unsigned channels)
{
    assert(source->id != target->id);
    if (width <= 0 || height <= 0)
        return;
    bind_sampler(GL_TEXTURE0, source);
    if (program->kind == KIND_COMPUTE) {
        compute_rectangle(program, target, x, y, width, height);
        return;
    }
    glColorMask(channels & 1, channels >> 1 & 1, channels >> 2 & 1, channels >> 3 & 1);
    draw(program, target->framebuffer, x, y, width, height);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void wp_program_draw_targets(struct wp_program *program, const struct wp_targets *targets, int x,
                             int y, int width, int height, unsigned channels)
{
    if (width <= 0 || height <= 0)
        return;
    const int layers[] = {wp_targets_first(targets), program->layer_step,
                          program->layers_per_group};
    wp_program_set3(program, "target_layers", layers);
    glColorMask(channels & 1, channels >> 1 & 1, channels >> 2 & 1, channels >> 3 & 1);
    draw(program, wp_targets_framebuffer(targets), x, y, width, height);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void wp_program_draw_layers(struct wp_program *program, const struct wp_tile_textures *textures,
                            int x, int y, int width, int height)
{
    assert(textures->source->id != textures->result->id);
    if (width <= 0 || height <= 0)
        return;
    bind_textures(textures);
    draw(program, textures->result->framebuffer, x, y, width, height);
}

void wp_program_draw_image(struct wp_gl *gl, struct wp_program *program,
                           const struct wp_tile_textures *textures, int x, int y, int width,
                           int height)
{
    if (width <= 0 || height <= 0)
        return;
    if (!gl->cache->bare)
        glGenFramebuffers(1, &gl->cache->bare);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->cache->bare);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH,
                            x + span_of(program, 0, width));
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT,
                            y + span_of(program, 1, height));
    bind_textures(textures);
    bind_image(0, textures->result);
    draw(program, gl->cache->bare, x, y, width, height);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT);
}

static void dispatch_textures(struct wp_program *program, const struct wp_tile_textures *textures,
                              const int groups[3])
{
    glUseProgram(program->id);
    bind_textures(textures);
    bind_image(0, textures->result);
    dispatch(program, groups);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT);
}

void wp_program_dispatch(struct wp_program *program, const struct wp_tile_textures *textures,
                         int groups_x, int groups_y)
{
    dispatch_textures(program, textures, (const int[]){groups_x, groups_y, 1});
}

static void bind_part(GLuint block, const struct wp_buffer *buffer,
                      const struct wp_buffer_part *part)
{
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, block, buffer->id,
                      (GLintptr)((buffer->first + part->first) * sizeof(float)),
                      (GLsizeiptr)(part->count * sizeof(float)));
}

void wp_program_dispatch_buffer(struct wp_program *program, const struct wp_buffer *buffer,
                                const struct wp_buffer_part *source,
                                const struct wp_buffer_part *result, const int groups[3])
{
    glUseProgram(program->id);
    bind_part(0, buffer, source);
    bind_part(1, buffer, result);
    dispatch(program, groups);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

void wp_program_dispatch_buffers(struct wp_program *program, int count,
                                 const struct wp_buffer *const buffer[], const int groups[3])
{
    glUseProgram(program->id);
    for (int i = 0; i < count; i++)
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, (GLuint)i, buffer[i]->id);
    dispatch(program, groups);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

void wp_program_dispatch_between(struct wp_program *program, const struct wp_buffer *buffer,
                                 const struct wp_buffer_part *part,
                                 const struct wp_tile_textures *textures, const int groups[3])
{
    bind_part(0, buffer, part);
    dispatch_textures(program, textures, groups);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

void wp_gl_group_begin(struct wp_gl *gl, const char *name)
{
    (void)gl;
    if (glPushDebugGroup)
        glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, -1, name);
}

void wp_gl_group_end(struct wp_gl *gl)
{
    (void)gl;
    if (glPopDebugGroup)
        glPopDebugGroup();
}

bool wp_gl_finish(struct wp_gl *gl)
{
    glFinish();
    wp_gl_messages_log(&gl->messages);
    const GLenum error = glGetError();
    if (error == GL_OUT_OF_MEMORY)
        return wp_fail(WP_ERROR_TOO_LARGE, "the device ran out of memory");
    return error == GL_NO_ERROR || wp_fail(WP_ERROR_INTERNAL, "GL error 0x%x", error);
}

void wp_gl_timer_begin(struct wp_gl *gl)
{
    if (!gl->cache->timer)
        glGenQueries(1, &gl->cache->timer);
    glBeginQuery(GL_TIME_ELAPSED, gl->cache->timer);
}

double wp_gl_timer_end(struct wp_gl *gl)
{
    glEndQuery(GL_TIME_ELAPSED);
    GLuint64 nanoseconds = 0;
    glGetQueryObjectui64v(gl->cache->timer, GL_QUERY_RESULT, &nanoseconds);
    return 1e-9 * (double)nanoseconds;
}

void wp_gl_timer_leave(struct wp_gl *gl)
{
    (void)gl;
    glEndQuery(GL_TIME_ELAPSED);
}

double wp_gl_timer_late(struct wp_gl *gl)
{
    GLuint available = 0, nanoseconds = 0;
    if (gl->cache->timer)
        glGetQueryObjectuiv(gl->cache->timer, GL_QUERY_RESULT_AVAILABLE, &available);
    if (available)
        glGetQueryObjectuiv(gl->cache->timer, GL_QUERY_RESULT, &nanoseconds);
    return available ? 1e-9 * (double)nanoseconds : -1;
}
