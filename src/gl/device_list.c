// Devices for contexts without a window, from EGL and GLFW.
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

// The provider of a device. Changes the number to the provider's own numbering.
static const struct wp_gl_provider *find_provider(int *device)
{
    for (int i = 0; i < PROVIDERS; i++) {
        const int count = providers[i]->count();
        if (*device < count)
            return *device >= 0 ? providers[i] : NULL;
        *device -= count;
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

void wp_gl_device_name(int device, char *name, size_t size)
{
    const struct wp_gl_provider *provider = find_provider(&device);
    if (provider)
        provider->name(device, name, size);
    else
        snprintf(name, size, "no such device");
}

static struct wp_gl *create_at(int device, char *reason, size_t reason_size)
{
    struct wp_gl *gl = wp_allocate(1, sizeof *gl, "a GL context");
    int index = device;
    reason[0] = '\0';
    if (!gl)
        return NULL;
    gl->provider = find_provider(&index);
    if (!gl->provider) {
        snprintf(reason, reason_size, "there is no device %d, the last one is %d", device,
                 wp_gl_device_count() - 1);
        free(gl);
        return NULL;
    }
    gl->provider->name(index, gl->info.device_name, sizeof gl->info.device_name);
    gl->native = gl->provider->create(index, reason, reason_size);
    if (!gl->native || !wp_gl_set_up(gl, reason, reason_size))
        wp_gl_destroy(&gl);
    return gl;
}

static bool device_is_software(int device)
{
    const struct wp_gl_provider *provider = find_provider(&device);
    return provider && provider->is_software(device);
}

struct wp_gl *wp_gl_create(int device, char *reason, size_t reason_size)
{
    reason[0] = '\0';
    if (device != WP_GL_ANY)
        return create_at(device, reason, reason_size);

    struct wp_text tried = {0};
    struct wp_gl *gl = NULL;
    bool out_of_memory = false;
    // EGL devices with a GPU, then EGL devices in software, then the others in order.
    int egl_devices = 0;
    const int device_count = wp_gl_device_count();
    char name[96];
    while (egl_devices < device_count) {
        wp_gl_device_name(egl_devices, name, sizeof name);
        if (strncmp(name, "EGL device", 10) != 0)
            break;
        egl_devices++;
    }
    for (int round = 0; round < 3 && !gl; round++) {
        for (int p = round < 2 ? 0 : egl_devices;
             p < (round < 2 ? egl_devices : device_count) && !gl && !out_of_memory; p++) {
            if (round < 2 && device_is_software(p) != (round == 1))
                continue;
            char why[256];
            gl = create_at(p, why, sizeof why);
            out_of_memory = !gl && !why[0];
            if (!gl && !out_of_memory) {
                wp_gl_device_name(p, name, sizeof name);
                wp_log(WP_LOG_VERBOSE, "%s: %s", name, why);
                wp_text_add(&tried, "%s%s: %s", tried.length ? "; " : "", name, why);
            }
        }
    }
    if (!gl && !out_of_memory)
        snprintf(reason, reason_size, "%s", tried.length ? wp_text_get(&tried) : "no EGL");
    wp_text_free(&tried);
    return gl;
}
