// Where Mesa keeps compiled shaders.
#ifndef WP_GL_SHADER_CACHE_H
#define WP_GL_SHADER_CACHE_H

// For a program, at its start, while it has one thread: where Mesa could not make the folder of its
// shader cache, sets MESA_SHADER_CACHE_DISABLE. Mesa would print a line to stderr and do the same.
// The first context of Mesa's logs it (WP_LOG_VERBOSE).
void wp_gl_check_shader_cache(void);

// Internal to this layer: logs it, once.
void wp_gl_log_shader_cache(void);

#endif
