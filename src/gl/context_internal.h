// What a provider of contexts offers to context.c.
#ifndef WP_CONTEXT_INTERNAL_H
#define WP_CONTEXT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct wp_gl_provider {
    // How many places this provider has. 0 where it is not available at all.
    int (*count)(void);
    void (*name)(int place, char *name, size_t size);
    // A place known beforehand to render in software is tried after the others.
    bool (*is_software)(int place);
    // Creates a context and makes it current. NULL with a reason on failure.
    void *(*create)(int place, char *reason, size_t reason_size);
    bool (*make_current)(void *native);
    void (*destroy)(void *native); // the context need not be current
};

extern const struct wp_gl_provider wp_gl_provider_egl;
extern const struct wp_gl_provider wp_gl_provider_glfw;

// GLFW's window that is current in this thread; NULL until a hidden window has been created.
void *wp_gl_glfw_get_current(void);
void wp_gl_glfw_set_current(void *window);

struct wp_gl_cache; // programs by their kind and text; program.c

struct wp_gl_cache *wp_gl_cache_create(void);
void wp_gl_cache_destroy(struct wp_gl_cache *cache); // its context must be current

#endif
