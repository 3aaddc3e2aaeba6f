// Saves and restores the state of contexts that their program continues to use (wp_gl_wrap()).
#include "gl_internal.h"
#include "memory.h"

#include <stdlib.h>

// Bindings that this layer uses: texture units, images and storage blocks.
enum { UNITS = 2, IMAGES = 1, BLOCKS = 2 };

// Maximum indices whose state affects draws of this layer; higher ones are not changed.
enum { BUFFERS = 8, VIEWPORTS = 16 };

// Capabilities that this layer disables.
static const GLenum switches[] = {
    GL_DITHER,
    GL_FRAMEBUFFER_SRGB,
    GL_DEPTH_TEST,
    GL_STENCIL_TEST,
    GL_CULL_FACE,
    GL_RASTERIZER_DISCARD,
    GL_COLOR_LOGIC_OP,
    GL_SAMPLE_ALPHA_TO_COVERAGE,
    GL_SAMPLE_COVERAGE,
    GL_SAMPLE_MASK,
    GL_CLIP_DISTANCE0,
    GL_CLIP_DISTANCE0 + 1,
    GL_CLIP_DISTANCE0 + 2,
    GL_CLIP_DISTANCE0 + 3,
    GL_CLIP_DISTANCE0 + 4,
    GL_CLIP_DISTANCE0 + 5,
    GL_CLIP_DISTANCE0 + 6,
    GL_CLIP_DISTANCE0 + 7,
};

// Pixel storage modes, and their values in this layer.
static const struct {
    GLenum name;
    GLint value;
} stores[] = {
    {GL_PACK_ALIGNMENT, 4},     {GL_UNPACK_ALIGNMENT, 4},    {GL_PACK_SWAP_BYTES, 0},
    {GL_UNPACK_SWAP_BYTES, 0},  {GL_PACK_LSB_FIRST, 0},      {GL_UNPACK_LSB_FIRST, 0},
    {GL_PACK_ROW_LENGTH, 0},    {GL_UNPACK_ROW_LENGTH, 0},   {GL_PACK_SKIP_ROWS, 0},
    {GL_UNPACK_SKIP_ROWS, 0},   {GL_PACK_SKIP_PIXELS, 0},    {GL_UNPACK_SKIP_PIXELS, 0},
    {GL_PACK_IMAGE_HEIGHT, 0},  {GL_UNPACK_IMAGE_HEIGHT, 0}, {GL_PACK_SKIP_IMAGES, 0},
    {GL_UNPACK_SKIP_IMAGES, 0},
};

enum { SWITCHES = sizeof switches / sizeof *switches, STORES = sizeof stores / sizeof *stores };

// An indexed image binding.
struct image {
    GLint name, level, layered, layer, access, format;
};

struct block {
    GLint name;
    GLint64 start, size;
};

enum extent { NOTHING, DISPATCHES, EVERYTHING }; // of the saved state

struct wp_gl_state {
    enum extent entered;
    GLuint sampler; // of this layer: reads single texels, whatever the texture's parameters are
    GLint program, vertex_array, draw, read, active;
    struct {
        GLint flat, array, sampler;
    } unit[UNITS];
    GLint pack, unpack, storage;
    struct image image[IMAGES];
    struct block block[BLOCKS];
    GLboolean on[SWITCHES], blend[BUFFERS], scissor[VIEWPORTS], mask[BUFFERS][4];
    GLint store[STORES];
    GLint polygon[2], clamp, clip_origin, clip_depth;
    GLint buffers, viewports;
    GLfloat viewport[VIEWPORTS][4];
};

struct wp_gl_state *wp_gl_state_create(void)
{
    return wp_allocate(1, sizeof(struct wp_gl_state), "the state of a GL context");
}

static bool has_storage(const struct wp_gl *gl)
{
    return gl->info.gl_version >= 43;
}

static void limit(GLenum name, GLint most, GLint *value)
{
    glGetIntegerv(name, value);
    *value = *value < most ? *value : most;
}

static void save_units(struct wp_gl_state *s)
{
    for (GLuint u = 0; u < UNITS; u++) {
        glActiveTexture(GL_TEXTURE0 + u);
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &s->unit[u].flat);
        glGetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &s->unit[u].array);
        glGetIntegerv(GL_SAMPLER_BINDING, &s->unit[u].sampler);
        glBindSampler(u, s->sampler);
    }
    glActiveTexture(GL_TEXTURE0);
}

static void save_blocks(struct wp_gl_state *s)
{
    glGetIntegerv(GL_SHADER_STORAGE_BUFFER_BINDING, &s->storage);
    for (GLuint i = 0; i < BLOCKS; i++) {
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, i, &s->block[i].name);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, i, &s->block[i].start);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, i, &s->block[i].size);
    }
}

static void save_images(struct wp_gl_state *s)
{
    for (GLuint i = 0; i < IMAGES; i++) {
        glGetIntegeri_v(GL_IMAGE_BINDING_NAME, i, &s->image[i].name);
        glGetIntegeri_v(GL_IMAGE_BINDING_LEVEL, i, &s->image[i].level);
        glGetIntegeri_v(GL_IMAGE_BINDING_LAYERED, i, &s->image[i].layered);
        glGetIntegeri_v(GL_IMAGE_BINDING_LAYER, i, &s->image[i].layer);
        glGetIntegeri_v(GL_IMAGE_BINDING_ACCESS, i, &s->image[i].access);
        glGetIntegeri_v(GL_IMAGE_BINDING_FORMAT, i, &s->image[i].format);
    }
}

// Saves the state of rasterization and per-fragment operations.
static void save_raster(struct wp_gl_state *s)
{
    limit(GL_MAX_DRAW_BUFFERS, BUFFERS, &s->buffers);
    for (GLuint b = 0; b < (GLuint)s->buffers; b++) {
        s->blend[b] = glIsEnabledi(GL_BLEND, b);
        glGetBooleani_v(GL_COLOR_WRITEMASK, b, s->mask[b]);
    }
    s->viewports = 1;
    if (glViewportIndexedf)
        limit(GL_MAX_VIEWPORTS, VIEWPORTS, &s->viewports);
    for (GLuint v = 0; v < (GLuint)s->viewports && s->viewports > 1; v++) {
        glGetFloati_v(GL_VIEWPORT, v, s->viewport[v]);
        s->scissor[v] = glIsEnabledi(GL_SCISSOR_TEST, v);
    }
    if (s->viewports == 1) {
        glGetFloatv(GL_VIEWPORT, s->viewport[0]);
        s->scissor[0] = glIsEnabled(GL_SCISSOR_TEST);
    }
    glGetIntegerv(GL_POLYGON_MODE, s->polygon);
    glGetIntegerv(GL_CLAMP_READ_COLOR, &s->clamp);
    if (glClipControl) {
        glGetIntegerv(GL_CLIP_ORIGIN, &s->clip_origin);
        glGetIntegerv(GL_CLIP_DEPTH_MODE, &s->clip_depth);
    }
}

void wp_gl_state_set(struct wp_gl *gl)
{
    for (int i = 0; i < SWITCHES; i++)
        glDisable(switches[i]);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    for (int i = 0; i < STORES; i++)
        glPixelStorei(stores[i].name, stores[i].value);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glClampColor(GL_CLAMP_READ_COLOR, GL_FIXED_ONLY);
    if (glClipControl)
        glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glBindVertexArray(gl->vertex_array);
}

static void lose_errors(void)
{
    while (glGetError() != GL_NO_ERROR) {
    }
}

void wp_gl_enter_dispatches(struct wp_gl *gl)
{
    struct wp_gl_state *s = gl->saved_state;
    if (!s || s->entered)
        return;
    s->entered = DISPATCHES;
    lose_errors();
    glGetIntegerv(GL_CURRENT_PROGRAM, &s->program);
    save_blocks(s);
}

void wp_gl_enter(struct wp_gl *gl)
{
    struct wp_gl_state *s = gl->saved_state;
    if (!s || s->entered)
        return;
    s->entered = EVERYTHING;
    lose_errors();
    if (!s->sampler) {
        glGenSamplers(1, &s->sampler);
        glSamplerParameteri(s->sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glSamplerParameteri(s->sampler, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    glGetIntegerv(GL_CURRENT_PROGRAM, &s->program);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &s->vertex_array);
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &s->draw);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &s->read);
    glGetIntegerv(GL_ACTIVE_TEXTURE, &s->active);
    glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &s->pack);
    glGetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &s->unpack);
    save_units(s);
    if (has_storage(gl)) {
        save_blocks(s);
        save_images(s);
    }
    for (int i = 0; i < SWITCHES; i++)
        s->on[i] = glIsEnabled(switches[i]);
    for (int i = 0; i < STORES; i++)
        glGetIntegerv(stores[i].name, &s->store[i]);
    save_raster(s);
    wp_gl_state_set(gl);
}

static void restore_units(const struct wp_gl_state *s)
{
    for (GLuint u = 0; u < UNITS; u++) {
        glActiveTexture(GL_TEXTURE0 + u);
        glBindTexture(GL_TEXTURE_2D, (GLuint)s->unit[u].flat);
        glBindTexture(GL_TEXTURE_2D_ARRAY, (GLuint)s->unit[u].array);
        glBindSampler(u, (GLuint)s->unit[u].sampler);
    }
    glActiveTexture((GLenum)s->active);
}

static void restore_blocks(const struct wp_gl_state *s)
{
    for (GLuint i = 0; i < BLOCKS; i++) {
        const struct block *b = &s->block[i];
        if (b->name && b->size > 0)
            glBindBufferRange(GL_SHADER_STORAGE_BUFFER, i, (GLuint)b->name, (GLintptr)b->start,
                              (GLsizeiptr)b->size);
        else
            glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, (GLuint)b->name);
    }
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, (GLuint)s->storage);
}

static void restore_images(const struct wp_gl_state *s)
{
    for (GLuint i = 0; i < IMAGES; i++) {
        const struct image *m = &s->image[i];
        glBindImageTexture(i, (GLuint)m->name, m->level, (GLboolean)m->layered, m->layer,
                           (GLenum)m->access, (GLenum)m->format);
    }
}

static void set_capability(GLenum name, bool on)
{
    (on ? glEnable : glDisable)(name);
}

static void set_capability_at(GLenum name, GLuint index, bool on)
{
    (on ? glEnablei : glDisablei)(name, index);
}

static void restore_raster(const struct wp_gl_state *s)
{
    for (GLuint b = 0; b < (GLuint)s->buffers; b++) {
        const GLboolean *mask = s->mask[b];
        set_capability_at(GL_BLEND, b, s->blend[b]);
        glColorMaski(b, mask[0], mask[1], mask[2], mask[3]);
    }
    for (GLuint v = 0; v < (GLuint)s->viewports && s->viewports > 1; v++) {
        glViewportIndexedfv(v, s->viewport[v]);
        set_capability_at(GL_SCISSOR_TEST, v, s->scissor[v]);
    }
    if (s->viewports == 1) {
        const GLfloat *v = s->viewport[0];
        glViewport((GLint)v[0], (GLint)v[1], (GLsizei)v[2], (GLsizei)v[3]);
        set_capability(GL_SCISSOR_TEST, s->scissor[0]);
    }
    // Core contexts return only one mode; the second number remains 0.
    glPolygonMode(GL_FRONT_AND_BACK, (GLenum)s->polygon[0]);
    if (s->polygon[1] && s->polygon[1] != s->polygon[0])
        glPolygonMode(GL_BACK, (GLenum)s->polygon[1]);
    glClampColor(GL_CLAMP_READ_COLOR, (GLenum)s->clamp);
    if (glClipControl)
        glClipControl((GLenum)s->clip_origin, (GLenum)s->clip_depth);
}

void wp_gl_leave(struct wp_gl *gl)
{
    struct wp_gl_state *s = gl->saved_state;
    if (!s || !s->entered)
        return;
    const enum extent extent = s->entered;
    s->entered = NOTHING;
    if (extent == DISPATCHES) {
        restore_blocks(s);
        glUseProgram((GLuint)s->program);
        return;
    }
    restore_raster(s);
    for (int i = 0; i < STORES; i++)
        glPixelStorei(stores[i].name, s->store[i]);
    for (int i = 0; i < SWITCHES; i++)
        set_capability(switches[i], s->on[i]);
    if (has_storage(gl)) {
        restore_blocks(s);
        restore_images(s);
    }
    restore_units(s);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, (GLuint)s->pack);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, (GLuint)s->unpack);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)s->draw);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)s->read);
    glBindVertexArray((GLuint)s->vertex_array);
    glUseProgram((GLuint)s->program);
}

void wp_gl_state_destroy(struct wp_gl_state *state)
{
    if (state && state->sampler)
        glDeleteSamplers(1, &state->sampler);
    free(state);
}
