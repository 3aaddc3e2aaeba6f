// The library in a caller's OpenGL context: textures as operands, and the state of the context.
// This program is the caller, and creates the context.
#include <GL/glew.h>

#include "context.h"
#include "wavepass.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Members of an operand in a texture.
#define TEXTURE(id) .location = WP_LOCATION_TEXTURE, .name = (id)

static struct wp_gl *context;

static int open_context(void **state)
{
    (void)state;
    char reason[512];
    context = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (!context)
        fprintf(stderr, "%s\n", reason);
    return context ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    wp_gl_destroy(&context);
    return 0;
}

static bool has_compute(void)
{
    return wp_gl_get_info(context)->max_invocations > 0;
}

// The OpenGL state that a draw, a dispatch or a copy can depend on or change.
enum { STATE_MAX = 1024 };
struct snapshot {
    int count;
    struct {
        GLenum name;
        int index;
        double value[4];
    } entry[STATE_MAX];
};

static void record(struct snapshot *s, GLenum name, int index, const GLint *value, int count)
{
    assert_true(s->count < STATE_MAX);
    s->entry[s->count].name = name;
    s->entry[s->count].index = index;
    for (int i = 0; i < 4; i++)
        s->entry[s->count].value[i] = i < count ? value[i] : 0;
    s->count++;
}

static void record_integers(struct snapshot *s, GLenum name, int count)
{
    GLint value[16] = {0};
    glGetIntegerv(name, value);
    record(s, name, -1, value, count);
}

static void record_index(struct snapshot *s, GLenum name, int index)
{
    GLint64 value = 0;
    glGetInteger64i_v(name, (GLuint)index, &value);
    record(s, name, index, &(GLint){(GLint)value}, 1);
}

static void record_snapshot(struct snapshot *s)
{
    static const GLenum integers[] = {
        GL_CURRENT_PROGRAM, GL_VERTEX_ARRAY_BINDING, GL_ARRAY_BUFFER_BINDING,
        GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_RENDERBUFFER_BINDING,
        GL_PIXEL_PACK_BUFFER_BINDING, GL_PIXEL_UNPACK_BUFFER_BINDING, GL_UNIFORM_BUFFER_BINDING,
        GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, GL_PACK_ALIGNMENT, GL_UNPACK_ALIGNMENT,
        GL_PACK_ROW_LENGTH, GL_UNPACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_UNPACK_SKIP_ROWS,
        GL_PACK_SKIP_PIXELS, GL_UNPACK_SKIP_PIXELS, GL_PACK_SWAP_BYTES, GL_UNPACK_SWAP_BYTES,
        GL_PACK_LSB_FIRST, GL_UNPACK_LSB_FIRST, GL_PACK_IMAGE_HEIGHT, GL_UNPACK_IMAGE_HEIGHT,
        GL_PACK_SKIP_IMAGES, GL_UNPACK_SKIP_IMAGES, GL_POLYGON_MODE, GL_CLAMP_READ_COLOR,
        GL_PROVOKING_VERTEX, GL_DEPTH_FUNC, GL_DEPTH_WRITEMASK, GL_STENCIL_WRITEMASK,
        GL_PRIMITIVE_RESTART_INDEX, GL_CULL_FACE_MODE, GL_FRONT_FACE, GL_LOGIC_OP_MODE,
        GL_BLEND_SRC_RGB, GL_BLEND_DST_RGB, GL_BLEND_EQUATION_RGB, GL_ACTIVE_TEXTURE,
    };
    static const GLenum switches[] = {
        GL_DITHER, GL_FRAMEBUFFER_SRGB, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE,
        GL_RASTERIZER_DISCARD, GL_COLOR_LOGIC_OP, GL_SAMPLE_ALPHA_TO_COVERAGE, GL_SAMPLE_COVERAGE,
        GL_SAMPLE_MASK, GL_MULTISAMPLE, GL_DEPTH_CLAMP, GL_PRIMITIVE_RESTART,
        GL_POLYGON_OFFSET_FILL, GL_TEXTURE_CUBE_MAP_SEAMLESS, GL_PROGRAM_POINT_SIZE,
        GL_DEBUG_OUTPUT,
        GL_CLIP_DISTANCE0, GL_CLIP_DISTANCE0 + 1, GL_CLIP_DISTANCE0 + 2, GL_CLIP_DISTANCE0 + 3,
        GL_CLIP_DISTANCE0 + 4, GL_CLIP_DISTANCE0 + 5, GL_CLIP_DISTANCE0 + 6, GL_CLIP_DISTANCE0 + 7,
    };
    s->count = 0;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        record_integers(s, integers[i], 1);
    record_integers(s, GL_SCISSOR_BOX, 4);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        record(s, switches[i], -1, &(GLint){glIsEnabled(switches[i])}, 1);
    for (int b = 0; b < 8; b++) {
        GLboolean mask[4];
        glGetBooleani_v(GL_COLOR_WRITEMASK, (GLuint)b, mask);
        record(s, GL_COLOR_WRITEMASK, b, (const GLint[]){mask[0], mask[1], mask[2], mask[3]}, 4);
        record(s, GL_BLEND, b, &(GLint){glIsEnabledi(GL_BLEND, (GLuint)b)}, 1);
    }
    GLint viewports = 1;
    if (wp_gl_get_info(context)->gl_version >= 41)
        glGetIntegerv(GL_MAX_VIEWPORTS, &viewports);
    else
        record_integers(s, GL_VIEWPORT, 4);
    for (int v = 0; v < viewports && viewports > 1; v++) {
        GLfloat f[4];
        glGetFloati_v(GL_VIEWPORT, (GLuint)v, f);
        record(s, GL_VIEWPORT, v, (const GLint[]){(GLint)f[0], (GLint)f[1], (GLint)f[2],
                                                  (GLint)f[3]}, 4);
        record(s, GL_SCISSOR_TEST, v, &(GLint){glIsEnabledi(GL_SCISSOR_TEST, (GLuint)v)}, 1);
    }
    GLint active;
    glGetIntegerv(GL_ACTIVE_TEXTURE, &active);
    for (int u = 0; u < 8; u++) {
        static const GLenum bindings[] = {GL_TEXTURE_BINDING_2D, GL_TEXTURE_BINDING_2D_ARRAY,
                                          GL_TEXTURE_BINDING_3D, GL_SAMPLER_BINDING};
        glActiveTexture(GL_TEXTURE0 + (GLenum)u);
        for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
            GLint value;
            glGetIntegerv(bindings[i], &value);
            record(s, bindings[i], u, &value, 1);
        }
    }
    glActiveTexture((GLenum)active);
    if (wp_gl_get_info(context)->gl_version >= 43) {
        void *callback;
        glGetPointerv(GL_DEBUG_CALLBACK_FUNCTION, &callback);
        record(s, GL_DEBUG_CALLBACK_FUNCTION, -1, &(GLint){(GLint)(size_t)callback}, 1);
        record_integers(s, GL_SHADER_STORAGE_BUFFER_BINDING, 1);
        for (int i = 0; i < 4; i++) {
            record_index(s, GL_SHADER_STORAGE_BUFFER_BINDING, i);
            record_index(s, GL_SHADER_STORAGE_BUFFER_START, i);
            record_index(s, GL_SHADER_STORAGE_BUFFER_SIZE, i);
            record_index(s, GL_IMAGE_BINDING_NAME, i);
            record_index(s, GL_IMAGE_BINDING_LEVEL, i);
            record_index(s, GL_IMAGE_BINDING_ACCESS, i);
            record_index(s, GL_IMAGE_BINDING_FORMAT, i);
        }
    }
    if (glClipControl) {
        record_integers(s, GL_CLIP_ORIGIN, 1);
        record_integers(s, GL_CLIP_DEPTH_MODE, 1);
    }
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static void compare(const struct snapshot *before, const char *operation)
{
    struct snapshot now;
    record_snapshot(&now);
    assert_int_equal(now.count, before->count);
    for (int i = 0; i < now.count; i++)
        if (memcmp(now.entry[i].value, before->entry[i].value, sizeof now.entry[i].value) != 0)
            fail_msg("after %s state 0x%x, index %d, is %g, and was %g", operation,
                     now.entry[i].name, now.entry[i].index, now.entry[i].value[0],
                     before->entry[i].value[0]);
}

static GLuint make_texture(GLenum format, int width, int height)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    // The texture has the initial minification filter, which requires mipmap levels that do not
    // exist.
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 4);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    return name;
}

static GLuint make_program(void)
{
    static const char *const vertex =
        "#version 330\nvoid main() { gl_Position = vec4(0, 0, 0, 1); }\n";
    const GLuint program = glCreateProgram(), shader = glCreateShader(GL_VERTEX_SHADER);
    glShaderSource(shader, 1, &vertex, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glDeleteShader(shader);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    assert_true(linked);
    return program;
}

// Unusual state that a caller may have set, different from the library's.
static struct {
    GLuint program, vertex_array, framebuffer[2], buffer[3], texture[3], sampler;
} odd;

static void make_odd_state(void)
{
    glGenVertexArrays(1, &odd.vertex_array);
    glGenFramebuffers(2, odd.framebuffer);
    glGenBuffers(3, odd.buffer);
    glGenSamplers(1, &odd.sampler);
    odd.program = make_program();
    odd.texture[0] = make_texture(GL_RGBA32F, 8, 8);
    odd.texture[1] = make_texture(GL_RGBA32F, 8, 8);
    glGenTextures(1, &odd.texture[2]);
    glSamplerParameteri(odd.sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glBindTexture(GL_TEXTURE_2D_ARRAY, odd.texture[2]);
    for (GLuint u = 0; u < 3; u++) {
        glActiveTexture(GL_TEXTURE0 + u);
        glBindTexture(GL_TEXTURE_2D, odd.texture[u % 2]);
        glBindTexture(GL_TEXTURE_2D_ARRAY, odd.texture[2]);
        glBindSampler(u, odd.sampler);
    }
    glUseProgram(odd.program);
    glBindVertexArray(odd.vertex_array);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, odd.framebuffer[0]);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, odd.framebuffer[1]);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, odd.buffer[0]);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, odd.buffer[1]);
    static const GLenum on[] = {GL_DITHER, GL_FRAMEBUFFER_SRGB, GL_DEPTH_TEST, GL_STENCIL_TEST,
                                GL_CULL_FACE, GL_RASTERIZER_DISCARD, GL_COLOR_LOGIC_OP,
                                GL_SAMPLE_MASK, GL_CLIP_DISTANCE0, GL_CLIP_DISTANCE0 + 5, GL_BLEND,
                                GL_SCISSOR_TEST};
    for (size_t i = 0; i < sizeof on / sizeof *on; i++)
        glEnable(on[i]);
    glDisablei(GL_BLEND, 2);
    glLogicOp(GL_XOR);
    glDepthFunc(GL_NEVER);
    glStencilFunc(GL_NEVER, 0, 0);
    glCullFace(GL_FRONT_AND_BACK);
    glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    glColorMaski(1, GL_TRUE, GL_FALSE, GL_FALSE, GL_FALSE);
    glScissor(1, 1, 2, 2);
    glViewport(3, 5, 17, 13);
    if (wp_gl_get_info(context)->gl_version >= 41) {
        glViewportIndexedf(1, 1, 2, 3, 4);
        glDisablei(GL_SCISSOR_TEST, 3);
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glClampColor(GL_CLAMP_READ_COLOR, GL_TRUE);
    glPixelStorei(GL_PACK_ALIGNMENT, 8);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 77);
    glPixelStorei(GL_PACK_ROW_LENGTH, 78);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 3);
    glPixelStorei(GL_PACK_SKIP_PIXELS, 5);
    glPixelStorei(GL_UNPACK_SWAP_BYTES, GL_TRUE);
    if (glClipControl)
        glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
    if (has_compute()) {
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, odd.buffer[2]);
        glBufferData(GL_SHADER_STORAGE_BUFFER, 4096, NULL, GL_STATIC_DRAW);
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, odd.buffer[2], 256, 512);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, odd.buffer[2]);
        glBindImageTexture(0, odd.texture[0], 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA32F);
    }
    glActiveTexture(GL_TEXTURE2);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static void end_odd_state(void)
{
    glDeleteProgram(odd.program);
    glDeleteVertexArrays(1, &odd.vertex_array);
    glDeleteFramebuffers(2, odd.framebuffer);
    glDeleteBuffers(3, odd.buffer);
    glDeleteTextures(3, odd.texture);
    glDeleteSamplers(1, &odd.sampler);
}

// Sets default pixel transfer state for this program's transfers, and restores the previous state.
struct plain {
    GLint pack, unpack, active, texture, framebuffer, store[8], clamp;
};

static const GLenum plain_stores[] = {GL_PACK_ALIGNMENT, GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH,
                                      GL_PACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS,
                                      GL_UNPACK_SWAP_BYTES, GL_PACK_SWAP_BYTES};

static void make_plain(struct plain *p)
{
    glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &p->pack);
    glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &p->unpack);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &p->texture);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &p->framebuffer);
    glGetIntegerv(GL_CLAMP_READ_COLOR, &p->clamp);
    for (int i = 0; i < 8; i++) {
        glGetIntegerv(plain_stores[i], &p->store[i]);
        glPixelStorei(plain_stores[i], i < 2 ? 4 : 0);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
}

static void end_plain(const struct plain *p)
{
    for (int i = 0; i < 8; i++)
        glPixelStorei(plain_stores[i], p->store[i]);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, (GLuint)p->pack);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, (GLuint)p->unpack);
    glBindTexture(GL_TEXTURE_2D, (GLuint)p->texture);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)p->framebuffer);
    glClampColor(GL_CLAMP_READ_COLOR, (GLenum)p->clamp);
}

enum { WIDE = 3 }; // texels outside the array, on the right and below

static void write_texture(GLuint name, int width, int height, const float *rgba)
{
    struct plain plain;
    make_plain(&plain);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_FLOAT, rgba);
    end_plain(&plain);
}

static void read_texture(GLuint name, int width, int height, float *rgba)
{
    struct plain plain;
    (void)width, (void)height;
    make_plain(&plain);
    glBindTexture(GL_TEXTURE_2D, name);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, rgba);
    end_plain(&plain);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

struct size {
    int width, height, levels;
};

static float value_at(int i)
{
    const unsigned u = (unsigned)i * 2654435761U;
    return (float)(u >> 8) / (float)(1 << 24);
}

// Forward and inverse between textures of RGBA32F (or one channel), compared with the same
// transform on host memory. Texels outside the array must not change.
static void check_size(const struct wp_transform_params *params, GLenum format,
                       const struct snapshot *before)
{
    const int width = params->width, height = params->height, planes = params->planes;
    const int across = width + WIDE, down = height + WIDE;
    const size_t samples = (size_t)width * (size_t)height, texels = (size_t)across * (size_t)down;
    float *image = calloc(samples * (size_t)planes, sizeof *image);
    float *memory = calloc(samples * (size_t)planes, sizeof *memory);
    float *rgba = calloc(4 * texels, sizeof *rgba), *got = calloc(4 * texels, sizeof *got);
    assert_true(image && memory && rgba && got);
    for (size_t i = 0; i < samples * (size_t)planes; i++)
        image[i] = value_at((int)i);
    for (size_t i = 0; i < 4 * texels; i++)
        rgba[i] = -9;
    for (size_t i = 0; i < samples * (size_t)planes; i++) {
        const size_t p = i / samples, at = i % samples;
        rgba[4 * (at / (size_t)width * (size_t)across + at % (size_t)width) + p] = image[i];
    }
    struct wp_transform *t = wp_transform_create(params);
    if (!t)
        fail_msg("%s", wp_last_error_text());
    compare(before, "create");
    GLuint in, out;
    {
        struct plain plain;
        make_plain(&plain);
        in = make_texture(format, across, down);
        out = make_texture(format, across, down);
        end_plain(&plain);
    }
    write_texture(in, across, down, rgba);
    for (size_t i = 0; i < 4 * texels; i++)
        got[i] = -7;
    write_texture(out, across, down, got);
    const struct wp_operand from = {TEXTURE(in)}, to = {TEXTURE(out)};
    const struct wp_operand host = {.data = memory};
    // From host memory to host memory, in the same context.
    if (!wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(memory)))
        fail_msg("%s", wp_last_error_text());
    compare(before, "forward");
    if (!wp_transform_forward(t, &from, &to))
        fail_msg("%s", wp_last_error_text());
    compare(before, "forward between textures");
    read_texture(out, across, down, got);
    size_t wrong = 0, changed = 0;
    for (size_t i = 0; i < 4 * texels; i++) {
        const size_t p = i % 4, x = i / 4 % (size_t)across, y = i / 4 / (size_t)across;
        if (p < (size_t)planes && x < (size_t)width && y < (size_t)height)
            wrong += got[i] != memory[p * samples + y * (size_t)width + x];
        else if (format == GL_RGBA32F)
            changed += got[i] != -7;
    }
    if (wrong || changed)
        fail_msg("%s %s %dx%d, %d planes, %d levels, %s: %zu of %zu coefficients differ from "
                 "those in memory, %zu texels outside are changed",
                 params->backend, wp_transform_get_info(t)->variant, width, height, planes,
                 params->levels, params->layout, wrong, samples * (size_t)planes, changed);
    // The inverse, to the source texture and from a texture to host memory.
    if (!wp_transform_inverse(t, &to, &from) || !wp_transform_inverse(t, &to, &host))
        fail_msg("%s", wp_last_error_text());
    compare(before, "inverse");
    read_texture(in, across, down, got);
    for (size_t i = 0; i < samples * (size_t)planes; i++) {
        const size_t p = i / samples, at = i % samples;
        const float texel = got[4 * (at / (size_t)width * (size_t)across + at % (size_t)width) + p];
        assert_true(fabs((double)texel - (double)image[i]) < 2e-5);
        assert_true(texel == memory[i]);
    }
    // In place.
    assert_true(wp_transform_forward(t, &to, &to));
    wp_transform_rest(t);
    compare(before, "rest");
    wp_transform_destroy(&t);
    compare(before, "destroy");
    glDeleteTextures(1, &in);
    glDeleteTextures(1, &out);
    free(image);
    free(memory);
    free(rgba);
    free(got);
}

static void check_backend(const char *backend, const char *const variants[],
                          const struct size *sizes, int count)
{
    struct snapshot before;
    make_odd_state();
    record_snapshot(&before);
    for (int v = 0; variants[v]; v++) {
        for (int i = 0; i < count; i++) {
            for (int mixed = 0; mixed < 2; mixed++) {
                struct wp_transform_params params = WP_TRANSFORM_PARAMS(
                    .width = sizes[i].width, .height = sizes[i].height,
                    .levels = sizes[i].levels, .planes = 1 + i % 4, .backend = backend,
                    .variant = variants[v][0] ? variants[v] : NULL, .current_context = true,
                    .layout = mixed ? "mixed" : "mallat");
                check_size(&params, i == 0 ? GL_R32F : GL_RGBA32F, &before);
            }
        }
    }
    end_odd_state();
}

static const struct size sizes[] = {{64, 48, 3}, {37, 22, 3}, {1, 9, 2}, {130, 67, WP_LEVELS_MOST},
                                    {5, 1, 1}};

static void test_fragment(void **state)
{
    (void)state;
    static const char *const variants[] = {"passes", "tile-2x2", "tile-2x2-store", NULL};
    const bool stores = wp_gl_get_info(context)->max_images > 0;
    static const char *const without[] = {"passes", "tile-2x2", NULL};
    if (!stores)
        print_message("skipped tile-2x2-store: fragments cannot write images here\n");
    check_backend("fragment", stores ? variants : without, sizes, sizeof sizes / sizeof *sizes);
}

static void test_compute(void **state)
{
    (void)state;
    static const char *const variants[] = {"", NULL};
    if (!has_compute()) {
        print_message("skipped: no compute shaders here\n");
        skip();
    }
    // In software each size and direction compiles a program for seconds.
    check_backend("compute", variants, sizes + 1, wp_gl_get_info(context)->software ? 1 : 4);
}

// Prints the reason if it is not available.
static bool has_cuda_gl(void)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = 8, .height = 8, .backend = "cuda-gl", .current_context = true);
    struct wp_transform *t = wp_transform_create(&params);
    const bool available = t;
    if (!t) {
        print_message("skipped: %s\n", wp_last_error_text());
        assert_int_equal(wp_last_error(), WP_ERROR_UNAVAILABLE);
    }
    wp_transform_destroy(&t);
    return available;
}

static void test_cuda_gl(void **state)
{
    (void)state;
    static const char *const variants[] = {"", NULL};
    if (!has_cuda_gl())
        skip();
    check_backend("cuda-gl", variants, sizes, sizeof sizes / sizeof *sizes);
}

// Textures with normalized integers and halves: transforms are bit-identical to those of the same
// numbers in host memory.
enum { KINDS_SIDE = 256, TEXELS = KINDS_SIDE * KINDS_SIDE };

struct kind {
    GLenum format;
    enum wp_element type;
    int channels, planes;
    bool reversible;
};

static const struct kind kinds[] = {
    {GL_R8, WP_ELEMENT_U8, 1, 1, false},       {GL_RGBA8, WP_ELEMENT_U8, 4, 3, false},
    {GL_RG8, WP_ELEMENT_U8, 2, 2, true},       {GL_R16, WP_ELEMENT_U16, 1, 1, false},
    {GL_RGBA16, WP_ELEMENT_U16, 4, 4, false},  {GL_R16, WP_ELEMENT_U16, 1, 1, true},
    {GL_R16F, WP_ELEMENT_F16, 1, 1, false},    {GL_RGBA16F, WP_ELEMENT_F16, 4, 3, false},
};

static size_t bytes_of(const struct kind *kind)
{
    return kind->type == WP_ELEMENT_U8 ? 1 : 2;
}

// Reads or writes the texels as numbers of the kind.
static void transfer_numbers(const struct kind *kind, GLuint name, bool write, void *numbers)
{
    static const GLenum layout[] = {GL_RED, GL_RG, GL_RGB, GL_RGBA};
    static const GLenum type[] = {[WP_ELEMENT_U8] = GL_UNSIGNED_BYTE,
                                  [WP_ELEMENT_U16] = GL_UNSIGNED_SHORT,
                                  [WP_ELEMENT_F16] = GL_HALF_FLOAT};
    struct plain plain;
    make_plain(&plain);
    glBindTexture(GL_TEXTURE_2D, name);
    if (write)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, KINDS_SIDE, KINDS_SIDE, layout[kind->channels - 1],
                        type[kind->type], numbers);
    else
        glGetTexImage(GL_TEXTURE_2D, 0, layout[kind->channels - 1], type[kind->type], numbers);
    end_plain(&plain);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

// All 16-bit numbers, which include all 8-bit ones; only finite halves.
static void make_numbers(const struct kind *kind, void *numbers)
{
    for (int i = 0; i < TEXELS; i++) {
        for (int c = 0; c < kind->channels; c++) {
            const int at = i * kind->channels + c, number = (i + 77 * c) * 3 % TEXELS;
            if (kind->type == WP_ELEMENT_U8)
                ((unsigned char *)numbers)[at] = (unsigned char)(number % 256);
            else
                ((unsigned short *)numbers)[at] = (unsigned short)(
                    kind->type == WP_ELEMENT_F16 && (number & 0x7C00) == 0x7C00 ? number & 0x83FF
                                                                                : number);
        }
    }
}

// Values inside and outside the range of an image; for halves also subnormal ones and values above
// the largest.
static void make_values(const struct kind *kind, float *values)
{
    const float one = kind->reversible ? bytes_of(kind) == 1 ? 255 : 65535 : 1;
    for (int i = 0; i < TEXELS * kind->planes; i++) {
        const float value = 1.5F * value_at(i) - 0.25F;
        values[i] = kind->type == WP_ELEMENT_F16 ? ldexpf(value, i / KINDS_SIDE % 48 - 30)
                    : kind->reversible           ? rintf(value * one)
                                                 : value * one;
    }
}

static void check_numbers(const struct kind *kind, bool forward, const void *got,
                          const void *expected, size_t bytes)
{
    if (memcmp(got, expected, bytes) == 0)
        return;
    size_t at = 0;
    while (((const unsigned char *)got)[at] == ((const unsigned char *)expected)[at])
        at++;
    fail_msg("texture of format 0x%x%s, %s: byte %zu is 0x%02x, and 0x%02x in memory",
             kind->format, kind->reversible ? ", reversible" : "", forward ? "forward" : "inverse",
             at, ((const unsigned char *)got)[at], ((const unsigned char *)expected)[at]);
}

// An image of this size may be smaller than the texture.
static void check_kind(const struct kind *kind, const struct size *size, const char *backend,
                       const char *variant, const struct snapshot *before)
{
    const size_t count = (size_t)kind->channels * TEXELS, bytes = bytes_of(kind) * count;
    unsigned char *numbers = malloc(bytes), *got = malloc(bytes), *expected = malloc(bytes);
    float *values = calloc(count, sizeof *values), *bands = calloc(count, sizeof *bands);
    float *host = calloc(count, sizeof *host);
    assert_true(numbers && got && expected && values && bands && host);
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = size->width, .height = size->height, .planes = kind->planes,
        .levels = size->levels, .wavelet = "cdf53", .scheme = "sep-lifting",
        .reversible = kind->reversible, .backend = backend, .variant = variant,
        .current_context = true);
    struct wp_transform *t = wp_transform_create(&params);
    if (!t)
        fail_msg("%s", wp_last_error_text());
    struct plain plain;
    make_plain(&plain);
    const GLuint texture = make_texture(kind->format, KINDS_SIDE, KINDS_SIDE);
    end_plain(&plain);
    const struct wp_operand texture_memory = {TEXTURE(texture)}, memory = {.data = host};
    struct wp_operand pixels = {.data = numbers, .type = kind->type,
                                .stride = {kind->channels, kind->channels * KINDS_SIDE,
                                           [WP_PLANE] = 1}};

    make_numbers(kind, numbers);
    transfer_numbers(kind, texture, true, numbers);
    assert_true(wp_transform_forward(t, &pixels, WP_ARRAY(bands)));
    assert_true(wp_transform_forward(t, &texture_memory, &memory));
    compare(before, "forward of numbers");
    check_numbers(kind, true, host, bands,
                  (size_t)(kind->planes * size->width * size->height) * sizeof *host);

    // Channels without a plane and texels outside the image must not change.
    memcpy(expected, numbers, bytes);
    pixels.data = expected;
    make_values(kind, values);
    assert_true(wp_transform_forward(t, WP_ARRAY(values), WP_ARRAY(host)));
    assert_true(wp_transform_inverse(t, &memory, &pixels));
    if (!wp_transform_inverse(t, &memory, &texture_memory))
        fail_msg("%s", wp_last_error_text());
    compare(before, "inverse to numbers");
    transfer_numbers(kind, texture, false, got);
    check_numbers(kind, false, got, expected, bytes);
    wp_transform_destroy(&t);
    glDeleteTextures(1, &texture);
    free(numbers);
    free(got);
    free(expected);
    free(values);
    free(bands);
    free(host);
}

static void check_kinds(const char *backend, const char *variant, bool rounds)
{
    static const struct size of_sizes[] = {{KINDS_SIDE, KINDS_SIDE, 1}, {101, 53, 3}};
    struct snapshot before;
    make_odd_state();
    record_snapshot(&before);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < sizeof of_sizes / sizeof *of_sizes; k++)
            if (rounds || !kinds[i].reversible)
                check_kind(&kinds[i], &of_sizes[k], backend, variant, &before);
    end_odd_state();
}

static void test_kinds_fragment(void **state)
{
    (void)state;
    check_kinds("fragment", "passes", true);
    check_kinds("fragment", "tile-2x2", true);
}

static void test_kinds_compute(void **state)
{
    (void)state;
    if (!has_compute()) {
        print_message("skipped: no compute shaders here\n");
        skip();
    }
    check_kinds("compute", NULL, true);
}

static void test_kinds_cuda_gl(void **state)
{
    (void)state;
    if (!has_cuda_gl())
        skip();
    print_message("skipped reversible ones: cuda-gl has no kernels that round\n");
    check_kinds("cuda-gl", NULL, false);
}

static void expect(bool done, enum wp_error kind, const char *words)
{
    if (done || wp_last_error() != kind || !strstr(wp_last_error_text(), words))
        fail_msg("'%s' where '%s' was expected", wp_last_error_text(), words);
    wp_clear_error();
}

static void test_rejected(void **state)
{
    (void)state;
    enum { SIDE = 8 };
    struct snapshot before;
    const GLuint good = make_texture(GL_RGBA32F, SIDE, SIDE);
    const GLuint red = make_texture(GL_R32F, SIDE, SIDE);
    const GLuint small = make_texture(GL_RGBA32F, SIDE, SIDE - 1);
    const GLuint bytes = make_texture(GL_RGBA8, SIDE, SIDE);
    const GLuint coded = make_texture(GL_SRGB8_ALPHA8, SIDE, SIDE);
    const GLuint ten = make_texture(GL_RGB10_A2, SIDE, SIDE);
    GLuint integers, cube;
    glGenTextures(1, &integers);
    glBindTexture(GL_TEXTURE_2D, integers);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32I, SIDE, SIDE, 0, GL_RED_INTEGER, GL_INT, NULL);
    glGenTextures(1, &cube);
    glBindTexture(GL_TEXTURE_3D, cube);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_R32F, SIDE, SIDE, 1, 0, GL_RED, GL_FLOAT, NULL);
    record_snapshot(&before);
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = SIDE, .height = SIDE, .planes = 3, .current_context = true, .backend = "auto");
    static float data[3 * SIDE * SIDE];
    struct wp_transform *t = wp_transform_create(&params);
    if (!t)
        fail_msg("%s", wp_last_error_text());
    const struct {
        struct wp_operand from, to;
        const char *words;
    } cases[] = {
        {{TEXTURE(4000000)}, {TEXTURE(good)}, "texture 4000000 does not exist"},
        {{TEXTURE(good)}, {TEXTURE(4000000)}, "texture 4000000 does not exist"},
        {{TEXTURE(cube)}, {TEXTURE(good)}, "is not two-dimensional"},
        {{TEXTURE(small)}, {TEXTURE(good)}, "has 8x7 texels; 8x8 are required"},
        {{TEXTURE(integers)}, {TEXTURE(good)}, "no float or normalized channels"},
        {{TEXTURE(red)}, {TEXTURE(good)}, "has 1 channel; 3 are required"},
        {{TEXTURE(good)}, {TEXTURE(bytes)}, "cannot store coefficients"},
        {{TEXTURE(good), .data = data}, {TEXTURE(bytes)}, "memory at once"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(wp_transform_forward(t, &cases[i].from, &cases[i].to), WP_ERROR_USAGE,
               cases[i].words);
        compare(&before, cases[i].words);
    }
    assert_true(wp_transform_forward(t, &(struct wp_operand){TEXTURE(bytes)},
                                        WP_ARRAY(data)));
    const GLuint no_images[] = {coded, ten};
    for (size_t i = 0; i < sizeof no_images / sizeof *no_images; i++) {
        const struct wp_operand image = {TEXTURE(no_images[i])};
        const struct wp_operand coefficients = {.data = data};
        assert_true(wp_transform_forward(t, &image, &coefficients));
        expect(wp_transform_inverse(t, &coefficients, &image), WP_ERROR_USAGE,
               "cannot store an image");
        compare(&before, "an image that cannot be written");
    }
    wp_transform_destroy(&t);
    params.planes = 5;
    t = wp_transform_create(&params);
    expect(wp_transform_forward(t, &(struct wp_operand){TEXTURE(good)},
                                   &(struct wp_operand){TEXTURE(good)}),
           WP_ERROR_USAGE, "5 planes do not fit");
    wp_transform_destroy(&t);
    params.backend = "cpu";
    expect(wp_transform_create(&params), WP_ERROR_UNAVAILABLE, "does not run on OpenGL");
    params.backend = "fragmemt";
    expect(wp_transform_create(&params), WP_ERROR_USAGE, "unknown backend");
    params.backend = "fragment";
    params.device = 1;
    expect(wp_transform_create(&params), WP_ERROR_USAGE, "exclude each other");
    params.device = 0;
    params.variant = "x";
    expect(wp_transform_create(&params), WP_ERROR_USAGE, "no variant");
    params.variant = NULL;
    compare(&before, "rejected calls");
    // A transform with its own context, or without one.
    params.current_context = false;
    params.backend = "cpu";
    t = wp_transform_create(&params);
    expect(wp_transform_forward(t, &(struct wp_operand){TEXTURE(good)},
                                   &(struct wp_operand){TEXTURE(good)}),
           WP_ERROR_USAGE, "current_context");
    wp_transform_destroy(&t);
    const GLuint all[] = {good, red, small, bytes, coded, ten, integers, cube};
    glDeleteTextures(sizeof all / sizeof *all, all);
}

// ---- Buffers.

// The index of a sample of plane `plane`.
static size_t float_at(const struct wp_buffer_layout *layout, const struct wp_band_info *band_at,
                       int plane, int x, int y, int z)
{
    return (size_t)plane * layout->plane + (size_t)band_at->offset +
           (size_t)x * (size_t)band_at->stride[0] + (size_t)y * (size_t)band_at->stride[1] +
           (size_t)z * (size_t)band_at->stride[2];
}

// Copies between an array without gaps and the floats of a buffer.
static void copy_band(const struct wp_buffer_layout *layout, const struct wp_band_info *band_at,
                      const int size[3], float *ours, float *band, bool to_band)
{
    for (int p = 0; p < 2; p++)
        for (int z = 0; z < size[2]; z++)
            for (int y = 0; y < size[1]; y++)
                for (int x = 0; x < size[0]; x++, band++) {
                    float *sample = &ours[float_at(layout, band_at, p, x, y, z)];
                    *(to_band ? band : sample) = *(to_band ? sample : band);
                }
}

enum { BANDS_MAX = 32 };

static void check_band(const struct wp_transform *t, int index,
                       const struct wp_buffer_layout *layout,
                       const struct wp_band_info *band_at, float *ours, const float *expected)
{
    struct wp_band_info info;
    assert_true(wp_transform_get_band(t, index, &info));
    const int size[3] = {info.width, info.height, info.depth};
    const size_t count = 2 * (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
    float *band = malloc(count * sizeof *band);
    assert_non_null(band);
    copy_band(layout, band_at, size, ours, band, true);
    assert_memory_equal(band, expected, count * sizeof *band);
    free(band);
}

// Two planes in a caller's buffer: results are bit-identical to those in host memory, and floats
// after them must not change.
static void check_buffer(int width, int height, int depth, const char *wavelet)
{
    enum { BEYOND = 64 };
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = width, .height = height, .depth = depth, .planes = 2, .wavelet = wavelet,
        .border = "periodic", .backend = "compute", .levels = 2, .current_context = true);
    const int size[3] = {width, height, depth};
    const size_t count = 2 * (size_t)width * (size_t)height * (size_t)depth;
    struct wp_transform *t = wp_transform_create(&params);
    assert_non_null(t);
    const int bands = wp_transform_band_count(t);
    assert_in_range(bands, 1, BANDS_MAX);
    float *image = malloc(count * sizeof *image), *expected = malloc(count * sizeof *expected);
    float *restored = malloc(count * sizeof *restored);
    assert_true(image && expected && restored);
    for (size_t i = 0; i < count; i++)
        image[i] = (float)(i * 2654435761U % 1000) / 1000;
    struct wp_operand view[BANDS_MAX] = {0};
    float *at = expected;
    for (int b = 0; b < bands; b++) {
        struct wp_band_info info;
        assert_true(wp_transform_get_band(t, b, &info));
        view[b].data = at;
        at += 2 * (size_t)info.width * (size_t)info.height * (size_t)info.depth;
    }
    const struct wp_operand host = {.data = image};
    const struct wp_operand per_band = {.band = view, .bands = bands};
    assert_true(wp_transform_forward(t, &host, &per_band));

    struct wp_buffer_layout layout;
    struct wp_band_info band_at[BANDS_MAX];
    assert_true(wp_transform_get_buffer_layout(t, false, &layout, band_at));
    struct wp_band_info image_at = {0};
    memcpy(image_at.stride, layout.stride, sizeof image_at.stride);
    layout.plane += BEYOND; // a larger distance than necessary
    const size_t used = 2 * layout.plane, all = used + BEYOND;
    float *floats = calloc(all, sizeof *floats);
    assert_non_null(floats);
    for (size_t i = used; i < all; i++)
        floats[i] = 5;
    copy_band(&layout, &image_at, size, floats, image, false);
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(all * sizeof *floats), floats,
                 GL_DYNAMIC_COPY);
    const struct wp_operand buffer = {.location = WP_LOCATION_BUFFER, .name = name,
                                      .stride = {[WP_PLANE] = (ptrdiff_t)layout.plane}};
    struct snapshot before;
    record_snapshot(&before);
    assert_true(wp_transform_forward(t, &buffer, &buffer));
    compare(&before, "dispatches on a buffer");
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)(all * sizeof *floats), floats);
    for (int b = 0; b < bands; b++) {
        check_band(t, b, &layout, &band_at[b], floats, view[b].data);
        assert_true((size_t)band_at[b].offset >= layout.coefficients);
    }
    assert_true(wp_transform_inverse(t, &buffer, &buffer));
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)(all * sizeof *floats), floats);
    copy_band(&layout, &image_at, size, floats, restored, true);
    for (size_t i = 0; i < count; i++)
        assert_true(fabsf(restored[i] - image[i]) < 1e-5F);
    for (size_t i = used; i < all; i++)
        assert_true(floats[i] == 5);
    glDeleteBuffers(1, &name);
    wp_transform_destroy(&t);
    free(image);
    free(expected);
    free(restored);
    free(floats);
}

static void test_buffers(void **state)
{
    (void)state;
    if (!has_compute())
        return;
    check_buffer(48, 36, 1, "cdf97");
    check_buffer(64, 64, 1, "haar");
    check_buffer(20, 12, 8, "cdf53");
}

static void test_buffers_rejected(void **state)
{
    (void)state;
    const struct wp_operand buffer = {.location = WP_LOCATION_BUFFER, .name = 1},
                            other = {.location = WP_LOCATION_BUFFER, .name = 2};
    float samples[64] = {0};
    const struct wp_operand both = {.location = WP_LOCATION_BUFFER, .name = 1, .data = samples};
    const struct wp_operand near = {.location = WP_LOCATION_BUFFER, .name = 1,
                                    .stride = {[WP_PLANE] = 3}};
    struct wp_buffer_layout layout;
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = 8, .height = 8, .backend = "fragment", .levels = 1, .current_context = true);
    struct wp_transform *t = wp_transform_create(&params);
    assert_non_null(t);
    assert_false(wp_transform_get_buffer_layout(t, false, &layout, NULL));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_false(wp_transform_forward(t, &buffer, &buffer));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    wp_transform_destroy(&t);
    if (!has_compute())
        return;
    params.backend = "compute";
    t = wp_transform_create(&params);
    assert_non_null(t);
    assert_false(wp_transform_forward(t, &buffer, &other));
    assert_false(wp_transform_forward(t, &both, &buffer));
    assert_false(wp_transform_forward(t, &near, &near));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    wp_transform_destroy(&t);
    params.current_context = false;
    t = wp_transform_create(&params);
    assert_non_null(t);
    assert_false(wp_transform_forward(t, &buffer, &buffer));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    wp_transform_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fragment, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_compute, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_cuda_gl, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_buffers, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_buffers_rejected, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_kinds_fragment, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_kinds_compute, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_kinds_cuda_gl, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_rejected, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
