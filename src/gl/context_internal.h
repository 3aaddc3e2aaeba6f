// The interface of providers of contexts (EGL, GLFW), and of the program cache.
#ifndef WP_CONTEXT_INTERNAL_H
#define WP_CONTEXT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct wp_gl_provider {
    // The number of devices; 0 if the provider is not available.
    int (*count)(void);
    void (*name)(int index, char *name, size_t size);
    // True if the device is known to render in software; it is tried after the others.
    bool (*is_software)(int index);
    // Creates a context and makes it current. NULL and a reason on failure.
    void *(*create)(int index, char *reason, size_t reason_size);
    bool (*make_current)(void *native);
    void (*destroy)(void *native); // the context need not be current
};

extern const struct wp_gl_provider wp_gl_provider_egl;
extern const struct wp_gl_provider wp_gl_provider_glfw;

// The GLFW window that is current in this thread. NULL before a hidden window was created.
void *wp_gl_glfw_get_current(void);
void wp_gl_glfw_set_current(void *window);

struct wp_gl_cache; // programs by kind and source; program.c

struct wp_gl_cache *wp_gl_cache_create(void);
void wp_gl_cache_destroy(struct wp_gl_cache *cache); // requires the context to be current

#endif
