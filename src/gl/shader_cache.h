// The folder in which Mesa caches compiled shaders.
#ifndef WP_GL_SHADER_CACHE_H
#define WP_GL_SHADER_CACHE_H

// To be called at the start of a program, while it has one thread. If Mesa could not create the
// folder of its shader cache, sets MESA_SHADER_CACHE_DISABLE; otherwise Mesa would print a line to
// stderr. The first context of Mesa logs it (WP_LOG_VERBOSE).
void wp_gl_check_shader_cache(void);

// Internal to this layer: logs once that the cache is disabled.
void wp_gl_log_shader_cache(void);

#endif
