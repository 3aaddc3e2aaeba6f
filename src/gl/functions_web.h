// WebGL 2, which is OpenGL ES 3.0. Missing functions are NULL pointers, as with GLEW; they are
// never called, because wp_gl_info says what the context supports.
#ifndef WP_GL_FUNCTIONS_WEB_H
#define WP_GL_FUNCTIONS_WEB_H

#include <GLES3/gl32.h>
#include <stddef.h>

#define GLEW_ARB_pipeline_statistics_query 0
#define GL_SAMPLES_PASSED 0x8914
#define GL_COMPUTE_SHADER_INVOCATIONS_ARB 0x82F5
#define GL_QUERY_COUNTER_BITS 0x8864
#define GL_SRGB_ALPHA 0x8C42
#define GLAPIENTRY GL_APIENTRY
#define GL_TIME_ELAPSED 0x88BF
#define GL_GPU_DISJOINT_EXT 0x8FBB

#define WP_LACKS(result, ...) ((result(*)(__VA_ARGS__))NULL)

#define glBindImageTexture \
    WP_LACKS(void, GLuint, GLuint, GLint, GLboolean, GLint, GLenum, GLenum)
#define glDebugMessageCallback WP_LACKS(void, GLDEBUGPROC, const void *)
#define glDispatchCompute WP_LACKS(void, GLuint, GLuint, GLuint)
#define glFramebufferParameteri WP_LACKS(void, GLenum, GLenum, GLint)
#define glFramebufferTexture WP_LACKS(void, GLenum, GLenum, GLuint, GLint)
#define glGetQueryObjectui64v WP_LACKS(void, GLuint, GLenum, GLuint64 *)
#define glGetTexLevelParameteriv WP_LACKS(void, GLenum, GLint, GLenum, GLint *)
#define glMemoryBarrier WP_LACKS(void, GLbitfield)
#define glPopDebugGroup WP_LACKS(void, void)
#define glPushDebugGroup WP_LACKS(void, GLenum, GLuint, GLsizei, const char *)
#define glTextureView \
    WP_LACKS(void, GLuint, GLenum, GLuint, GLenum, GLuint, GLuint, GLuint, GLuint)

// Some browsers have the renderer's name only in an extension.
#define glGetString wp_gl_get_string_web
const GLubyte *wp_gl_get_string_web(GLenum name);

// glFinish() of browsers does not wait.
#define glFinish wp_gl_finish_web
void wp_gl_finish_web(void);

// WebGL has getBufferSubData(), for which Emscripten has no function. Mapping for reading uses a
// copy.
#define glGetBufferSubData wp_gl_get_buffer_web
#define glMapBufferRange wp_gl_map_web
#define glUnmapBuffer wp_gl_unmap_web
void wp_gl_get_buffer_web(GLenum target, GLintptr first, GLsizeiptr bytes, void *memory);
void *wp_gl_map_web(GLenum target, GLintptr first, GLsizeiptr bytes, GLbitfield access);
GLboolean wp_gl_unmap_web(GLenum target);

#endif
