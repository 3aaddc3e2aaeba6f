#include "texture.h"

#include "gl_internal.h"
#include "log.h"
#include "memory.h"
#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static GLenum format_of(const struct wp_texture_params *params)
{
    return params->words ? GL_R32UI : params->half ? GL_RGBA16F : GL_RGBA32F;
}

// The format of texels in memory.
struct texel {
    GLenum format, type;
    size_t bytes;
};

static struct texel texel_of(const struct wp_texture *texture)
{
    return texture->format == GL_R32UI
               ? (struct texel){GL_RED_INTEGER, GL_UNSIGNED_INT, sizeof(uint32_t)}
               : (struct texel){GL_RGBA, GL_FLOAT, 4 * sizeof(float)};
}

static bool allocate(const struct wp_texture_params *params, struct wp_texture *texture)
{
    *texture = (struct wp_texture){
        .width = params->width,
        .height = params->height,
        .layers = params->layers,
        .deep = params->deep,
        .target = params->layers ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D,
        .format = format_of(params),
    };
    glGenTextures(1, &texture->id);
    glBindTexture(texture->target, texture->id);
    if (params->layers)
        glTexStorage3D(texture->target, 1, texture->format, params->width, params->height,
                       params->layers);
    else
        glTexStorage2D(texture->target, 1, texture->format, params->width, params->height);
    if (glGetError() != GL_NO_ERROR)
        return false;
    glTexParameteri(texture->target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(texture->target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(texture->target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(texture->target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return true;
}

// Attaches every layer to its own attachment, so that one pass writes all.
static void attach_layers(const struct wp_texture *texture)
{
    GLenum buffers[WP_TARGETS_MAX];
    for (int i = 0; i < texture->layers; i++) {
        buffers[i] = GL_COLOR_ATTACHMENT0 + (GLenum)i;
        glFramebufferTextureLayer(GL_FRAMEBUFFER, buffers[i], texture->id, 0, i);
    }
    glDrawBuffers(texture->layers, buffers);
}

static void attach(const struct wp_texture *texture, int layer)
{
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture->id, 0, layer);
}

GLenum wp_gl_try_texture(const struct wp_texture_params *params, struct wp_texture *texture)
{
    if (!allocate(params, texture))
        return 0;
    glGenFramebuffers(1, &texture->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, texture->framebuffer);
    if (params->deep)
        attach(texture, 0);
    else if (params->layers)
        attach_layers(texture);
    else
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture->id,
                               0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

static bool check_size(const struct wp_gl *gl, int width, int height, int layers)
{
    const int limit = gl->info.max_texture;
    if (layers > gl->info.max_layers)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "an array texture of %d layers exceeds this device's limit of %d (a volume "
                       "of up to about %d slices fits)"
                       "\nhint: backend 'cpu' has no such limit",
                       layers, gl->info.max_layers, 2 * (gl->info.max_layers - 16));
    if (width > limit || height > limit)
        return wp_fail(WP_ERROR_TOO_LARGE,
                       "a texture of %dx%d texels exceeds this device's limit of %d (an image of "
                       "up to about %dx%d pixels fits)"
                       "\nhint: backend 'cpu' has no such limit",
                       width, height, limit, 2 * (limit - 16), 2 * (limit - 16));
    return true;
}

static bool fail_memory(const struct wp_texture_params *params)
{
    char several[32] = "";
    if (params->deep)
        snprintf(several, sizeof several, " in %d layer%s", params->layers,
                 WP_PLURAL(params->layers));
    return wp_fail(WP_ERROR_TOO_LARGE,
                   "no memory on this device for a texture of %dx%d texels%s"
                   "\nhint: backend 'cpu' uses the computer's memory",
                   params->width, params->height, several);
}

// Layered draws write the same layer number of all attachments; views make different layers match.
static void make_views(const struct wp_gl *gl, struct wp_texture *texture)
{
    texture->view[0] = texture->id;
    for (int i = 1; i < WP_TEXTURE_VIEWS && i < texture->layers && gl->info.texture_views; i++) {
        glGenTextures(1, &texture->view[i]);
        glTextureView(texture->view[i], texture->target, texture->id, texture->format, 0, 1,
                      (GLuint)i, (GLuint)(texture->layers - i));
    }
}

bool wp_texture_create_from(struct wp_gl *gl, const struct wp_texture_params *params,
                            struct wp_texture *texture)
{
    assert(params->deep || params->layers <= WP_TARGETS_MAX);
    *texture = (struct wp_texture){0};
    if (!check_size(gl, params->width, params->height, params->layers))
        return false;
    const GLenum status = wp_gl_try_texture(params, texture);
    if (status == GL_FRAMEBUFFER_COMPLETE) {
        if (params->deep)
            make_views(gl, texture);
        return true;
    }
    wp_texture_destroy(texture);
    return status ? wp_fail(WP_ERROR_INTERNAL,
                            "the framebuffer of a %dx%d texture is not complete (status 0x%x)",
                            params->width, params->height, status)
                  : fail_memory(params);
}

bool wp_texture_create(struct wp_gl *gl, int width, int height, struct wp_texture *texture)
{
    const struct wp_texture_params params = {.width = width, .height = height};
    return wp_texture_create_from(gl, &params, texture);
}

void wp_texture_destroy(struct wp_texture *texture)
{
    if (texture->framebuffer)
        glDeleteFramebuffers(1, &texture->framebuffer);
    if (texture->view[0])
        glDeleteTextures(WP_TEXTURE_VIEWS - 1, &texture->view[1]);
    if (texture->id)
        glDeleteTextures(1, &texture->id);
    *texture = (struct wp_texture){0};
}

struct wp_targets {
    GLuint framebuffer;
    int count, first;
};

struct wp_targets *wp_targets_create(void)
{
    struct wp_targets *targets = wp_allocate(1, sizeof *targets, "a framebuffer");
    if (targets)
        glGenFramebuffers(1, &targets->framebuffer);
    return targets;
}

void wp_targets_set(struct wp_targets *targets, const struct wp_layer first[], int count)
{
    GLenum buffers[WP_TARGETS_MAX];
    assert(count <= WP_TARGETS_MAX);
    targets->first = first[0].layer;
    for (int i = 1; i < count; i++)
        targets->first = first[i].layer < targets->first ? first[i].layer : targets->first;
    glBindFramebuffer(GL_FRAMEBUFFER, targets->framebuffer);
    for (int i = 0; i < count; i++) {
        buffers[i] = GL_COLOR_ATTACHMENT0 + (GLenum)i;
        const int further = first[i].layer - targets->first;
        assert(further < WP_TEXTURE_VIEWS && first[i].texture->view[further]);
        glFramebufferTexture(GL_FRAMEBUFFER, buffers[i], first[i].texture->view[further], 0);
    }
    for (int i = count; i < targets->count; i++)
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + (GLenum)i, 0, 0);
    if (targets->count != count)
        glDrawBuffers(count, buffers);
    targets->count = count;
}

unsigned wp_targets_framebuffer(const struct wp_targets *targets)
{
    return targets->framebuffer;
}

int wp_targets_first(const struct wp_targets *targets)
{
    return targets->first;
}

void wp_targets_destroy(struct wp_targets **slot)
{
    struct wp_targets *targets = *slot;
    *slot = NULL;
    if (!targets)
        return;
    glDeleteFramebuffers(1, &targets->framebuffer);
    free(targets);
}

bool wp_texture_of_layer(const struct wp_texture *texture, int layer, struct wp_texture *result)
{
    *result = *texture;
    glGenFramebuffers(1, &result->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, result->framebuffer);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture->id, 0, layer);
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status == GL_FRAMEBUFFER_COMPLETE)
        return true;
    wp_texture_unbind(result);
    return wp_fail(WP_ERROR_INTERNAL, "the framebuffer of a layer is not complete (status 0x%x)",
                   status);
}

static GLint parameter(GLenum name)
{
    GLint value = 0;
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, name, &value);
    return value;
}

static bool is_real(GLint type)
{
    return type == GL_FLOAT || type == GL_UNSIGNED_NORMALIZED || type == GL_SIGNED_NORMALIZED;
}

// True if channels store other numbers than they represent (sRGB, compressed).
static bool is_coded(GLenum format)
{
    return parameter(GL_TEXTURE_COMPRESSED) || format == GL_SRGB || format == GL_SRGB8 ||
           format == GL_SRGB_ALPHA || format == GL_SRGB8_ALPHA8;
}

// The largest integer of 8- or 16-bit channels, else 0. All channels have as many bits as the
// first.
static int integers_of(GLenum format)
{
    const int bits = parameter(GL_TEXTURE_RED_SIZE);
    const bool plain = parameter(GL_TEXTURE_RED_TYPE) == GL_UNSIGNED_NORMALIZED;
    return plain && (bits == 8 || bits == 16) && !is_coded(format) ? (1 << bits) - 1 : 0;
}

bool wp_texture_of_name(unsigned name, int width, int height, int channels,
                        struct wp_texture *result)
{
    static const GLenum bits[] = {GL_TEXTURE_RED_SIZE, GL_TEXTURE_GREEN_SIZE, GL_TEXTURE_BLUE_SIZE,
                                  GL_TEXTURE_ALPHA_SIZE};
    *result = (struct wp_texture){0};
    if (!glIsTexture(name))
        return wp_fail(WP_ERROR_USAGE, "texture %u does not exist in the current context", name);
    glBindTexture(GL_TEXTURE_2D, name);
    if (glGetError() != GL_NO_ERROR)
        return wp_fail(WP_ERROR_USAGE, "texture %u is not two-dimensional", name);
    const struct wp_texture found = {
        .id = name,
        .width = parameter(GL_TEXTURE_WIDTH),
        .height = parameter(GL_TEXTURE_HEIGHT),
        .target = GL_TEXTURE_2D,
        .format = (unsigned)parameter(GL_TEXTURE_INTERNAL_FORMAT),
    };
    if (found.width < width || found.height < height)
        return wp_fail(WP_ERROR_USAGE, "texture %u has %dx%d texels; %dx%d are required", name,
                       found.width, found.height, width, height);
    if (!is_real(parameter(GL_TEXTURE_RED_TYPE)))
        return wp_fail(WP_ERROR_USAGE, "texture %u has no float or normalized channels", name);
    int found_channels = 0;
    while (found_channels < 4 && parameter(bits[found_channels]) > 0)
        found_channels++;
    if (found_channels < channels)
        return wp_fail(WP_ERROR_USAGE, "texture %u has %d channel%s; %d are required", name,
                       found_channels, WP_PLURAL(found_channels), channels);
    *result = found;
    result->integers = integers_of(found.format);
    result->half = parameter(GL_TEXTURE_RED_TYPE) == GL_FLOAT && parameter(bits[0]) == 16;
    return true;
}

bool wp_texture_of_target(unsigned name, int width, int height, int channels, bool image,
                          struct wp_texture *result)
{
    if (!wp_texture_of_name(name, width, height, channels, result))
        return false;
    GLenum status = 0;
    if (parameter(GL_TEXTURE_RED_TYPE) == GL_FLOAT || (image && result->integers > 0)) {
        glGenFramebuffers(1, &result->framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, result->framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    }
    if (status == GL_FRAMEBUFFER_COMPLETE)
        return true;
    wp_texture_unbind(result);
    return image ? wp_fail(WP_ERROR_USAGE,
                           "texture %u cannot store an image: it requires floats, "
                           "or integers of 8 or 16 bits, in a color-renderable format such as "
                           "GL_R8, GL_RGBA8 or GL_RGBA32F",
                           name)
                 : wp_fail(WP_ERROR_USAGE,
                           "texture %u cannot store coefficients: it requires "
                           "floats in a color-renderable format such as GL_R32F or GL_RGBA32F",
                           name);
}

void wp_texture_unbind(struct wp_texture *texture)
{
    if (texture->framebuffer)
        glDeleteFramebuffers(1, &texture->framebuffer);
    *texture = (struct wp_texture){0};
}

// Rounds to 11 significant bits, ties to even. A device that truncates to 16 bits then stores the
// nearest half.
static float nearest_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return value;
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

// Texels are transferred through a buffer object. With texels in client memory, NVIDIA's driver 580
// processes the complete texture for each rectangle: 16 ms per megabyte for 4096x4096 texels on an
// H200, 190 times as long.
static void write_rows(const struct wp_texture *texture, int layer, int x, int y, int width,
                       int rows, const void *texels)
{
    const struct texel texel = texel_of(texture);
    const size_t bytes = (size_t)width * (size_t)rows * texel.bytes;
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)bytes, texels, GL_STREAM_DRAW);
    glBindTexture(texture->target, texture->id);
    if (texture->layers)
        glTexSubImage3D(texture->target, 0, x, y, layer, width, rows, 1, texel.format,
                        texel.type, NULL);
    else
        glTexSubImage2D(texture->target, 0, x, y, width, rows, texel.format, texel.type, NULL);
    // The memory is freed when the copy is complete.
    glDeleteBuffers(1, &buffer);
}

bool wp_texture_write_layer(const struct wp_texture *texture, int layer, int x, int y, int width,
                            int height, const float *texels)
{
    enum { STRIP = 1 << 18 }; // values rounded at a time, but at least one row
    if (texture->format != GL_RGBA16F) {
        write_rows(texture, layer, x, y, width, height, texels);
        return true;
    }
    const size_t row = 4 * (size_t)width;
    const int most = row < STRIP ? (int)(STRIP / row) : 1;
    float *strip = wp_allocate(row * (size_t)most, sizeof *strip, "a strip");
    if (!strip)
        return false;
    for (int first = 0; first < height; first += most) {
        const int rows = height - first < most ? height - first : most;
        for (size_t i = 0; i < row * (size_t)rows; i++)
            strip[i] = nearest_half(texels[(size_t)first * row + i]);
        write_rows(texture, layer, x, y + first, width, rows, strip);
    }
    free(strip);
    return true;
}

void wp_texture_write_words(const struct wp_texture *texture, int x, int y, int width, int height,
                            const void *words)
{
    write_rows(texture, 0, x, y, width, height, words);
}

// Reads to memory or, if a buffer is bound, to an offset in it.
static void read_rows(const struct wp_texture *texture, int layer, int x, int y, int width,
                      int height, void *texels)
{
    const struct texel texel = texel_of(texture);
    glBindFramebuffer(GL_FRAMEBUFFER, texture->framebuffer);
    if (texture->deep)
        attach(texture, layer);
    glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)(texture->deep ? 0 : layer));
    glReadPixels(x, y, width, height, texel.format, texel.type, texels);
}

void wp_texture_read_layer(const struct wp_texture *texture, int layer, int x, int y, int width,
                           int height, float *texels)
{
    read_rows(texture, layer, x, y, width, height, texels);
}

bool wp_texture_write(const struct wp_texture *texture, int x, int y, int width, int height,
                      const float *texels)
{
    return wp_texture_write_layer(texture, 0, x, y, width, height, texels);
}

void wp_texture_read(const struct wp_texture *texture, int x, int y, int width, int height,
                     float *texels)
{
    wp_texture_read_layer(texture, 0, x, y, width, height, texels);
}

// NaNs that no arithmetic yields, stored in the last 16 bytes of a buffer before it is read back: a
// driver that runs out of memory may leave the buffer unchanged without an error.
static const uint32_t unread_marker[4] = {0x7fd3a5c1, 0xffc1b35a, 0x7fe95c3d, 0xffd8a6e7};

void wp_texture_copy_begin(struct wp_texture_copy *copy, const struct wp_texture *texture,
                           int layer, int x, int y, int width, int height)
{
    const size_t bytes = (size_t)width * (size_t)height * texel_of(texture).bytes;
    assert(bytes >= sizeof unread_marker);
    if (!copy->buffer)
        glGenBuffers(1, &copy->buffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, copy->buffer);
    if (copy->bytes != bytes)
        glBufferData(GL_PIXEL_PACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
    copy->bytes = bytes;
    glBufferSubData(GL_PIXEL_PACK_BUFFER, (GLintptr)(bytes - sizeof unread_marker),
                    sizeof unread_marker, unread_marker);
    read_rows(texture, layer, x, y, width, height, NULL);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

const void *wp_texture_copy_wait(const struct wp_texture_copy *copy)
{
    glBindBuffer(GL_PIXEL_PACK_BUFFER, copy->buffer);
    const void *texels =
        glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)copy->bytes, GL_MAP_READ_BIT);
    const bool read = texels && memcmp((const char *)texels + copy->bytes - sizeof unread_marker,
                                       unread_marker, sizeof unread_marker) != 0;
    if (texels && !read)
        glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    if (!read)
        wp_fail(WP_ERROR_INTERNAL, "texels could not be read back (OpenGL error 0x%x)",
                glGetError());
    return read ? texels : NULL;
}

void wp_texture_copy_return(const struct wp_texture_copy *copy)
{
    glBindBuffer(GL_PIXEL_PACK_BUFFER, copy->buffer);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

void wp_texture_copy_destroy(struct wp_texture_copy *copy)
{
    if (copy->buffer)
        glDeleteBuffers(1, &copy->buffer);
    *copy = (struct wp_texture_copy){0};
}
