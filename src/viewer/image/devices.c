#include "devices.h"

#include "backend_gl.h"

#include <stdio.h>
#include <string.h>

int wp_devices_find(const char *name)
{
    for (int i = 0; wp_backends[i]; i++)
        if (strcmp(wp_backends[i]->name, name) == 0)
            return i;
    return -1;
}

bool wp_devices_probe(struct wp_devices *devices, const char *name, char *reason,
                      size_t reason_size)
{
    const int i = wp_devices_find(name);
    if (i < 0) {
        snprintf(reason, reason_size, "unknown backend");
        return false;
    }
    if (devices->open[i].device)
        return true;
    const struct wp_backend *backend = wp_backends[i];
    const struct wp_gl_info *info = wp_gl_get_info(devices->gl);
    // Compute shaders take minutes to compile on a software renderer and would block the window.
    if (backend->slow_in_software && info->software) {
        snprintf(reason, reason_size, "%s needs minutes to compile its programs", info->renderer);
        return false;
    }
    devices->open[i].device =
        backend->gl ? backend->gl->borrow(devices->gl, reason, reason_size)
                    : backend->open(WP_DEVICE_ANY, true, reason, reason_size);
    if (devices->open[i].device)
        backend->describe(devices->open[i].device, &devices->open[i].info);
    return wp_gl_make_current(devices->gl) && devices->open[i].device;
}

struct wp_device *wp_devices_get(const struct wp_devices *devices, const char *backend)
{
    return devices->open[wp_devices_find(backend)].device;
}

void wp_devices_close(struct wp_devices *devices)
{
    for (int i = 0; wp_backends[i]; i++) {
        if (devices->open[i].device)
            wp_backends[i]->close(devices->open[i].device);
        devices->open[i].device = NULL;
    }
}
