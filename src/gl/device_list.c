// Where contexts without a window come from: EGL and GLFW.
#include "gl_internal.h"
#include "log.h"
#include "memory.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wp_gl_provider *const providers[] = {&wp_gl_provider_egl,
                                                         &wp_gl_provider_glfw};

enum { PROVIDERS = sizeof providers / sizeof *providers };

// The provider of a place, with the place's number made the provider's own.
static const struct wp_gl_provider *find_provider(int *place)
{
    for (int i = 0; i < PROVIDERS; i++) {
        const int count = providers[i]->count();
        if (*place < count)
            return *place >= 0 ? providers[i] : NULL;
        *place -= count;
    }
    return NULL;
}

int wp_gl_device_count(void)
{
    int count = 0;
    for (int i = 0; i < PROVIDERS; i++)
        count += providers[i]->count();
    return count;
}

void wp_gl_device_name(int place, char *name, size_t size)
{
    const struct wp_gl_provider *provider = find_provider(&place);
    if (provider)
        provider->name(place, name, size);
    else
        snprintf(name, size, "no such place");
}

static struct wp_gl *create_at(int place, char *reason, size_t reason_size)
{
    struct wp_gl *gl = wp_allocate(1, sizeof *gl, "a GL context");
    int own = place;
    reason[0] = '\0';
    if (!gl)
        return NULL;
    gl->provider = find_provider(&own);
    if (!gl->provider) {
        snprintf(reason, reason_size, "there is no device %d", place);
        free(gl);
        return NULL;
    }
    gl->provider->name(own, gl->info.device_name, sizeof gl->info.device_name);
    gl->native = gl->provider->create(own, reason, reason_size);
    if (!gl->native || !wp_gl_set_up(gl, reason, reason_size))
        wp_gl_destroy(&gl);
    return gl;
}

static bool device_is_software(int place)
{
    const struct wp_gl_provider *provider = find_provider(&place);
    return provider && provider->is_software(place);
}

struct wp_gl *wp_gl_create(int place, char *reason, size_t reason_size)
{
    reason[0] = '\0';
    if (place != WP_GL_ANY)
        return create_at(place, reason, reason_size);

    struct wp_text tried = {0};
    struct wp_gl *gl = NULL;
    bool short_of_memory = false;
    // EGL's devices first, those in software behind the others; then the rest in order.
    int devices = 0;
    const int places = wp_gl_device_count();
    char name[96];
    while (devices < places) {
        wp_gl_device_name(devices, name, sizeof name);
        if (strncmp(name, "EGL device", 10) != 0)
            break;
        devices++;
    }
    for (int round = 0; round < 3 && !gl; round++) {
        for (int p = round < 2 ? 0 : devices;
             p < (round < 2 ? devices : places) && !gl && !short_of_memory; p++) {
            if (round < 2 && device_is_software(p) != (round == 1))
                continue;
            char why[256];
            gl = create_at(p, why, sizeof why);
            short_of_memory = !gl && !why[0];
            if (!gl && !short_of_memory) {
                wp_gl_device_name(p, name, sizeof name);
                wp_log(WP_LOG_VERBOSE, "%s: %s", name, why);
                wp_text_add(&tried, "%s%s: %s", tried.length ? "; " : "", name, why);
            }
        }
    }
    if (!gl && !short_of_memory)
        snprintf(reason, reason_size, "%s", tried.length ? wp_text_get(&tried) : "no EGL");
    wp_text_free(&tried);
    return gl;
}
