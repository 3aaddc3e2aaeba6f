// The devices of the backends, which the viewer opens on first use. All functions require the
// viewer's context to be current and leave it current.
#ifndef WP_DEVICES_H
#define WP_DEVICES_H

#include "context.h"
#include "registry.h"

#include <stdbool.h>
#include <stddef.h>

// The viewer's context and the backends' devices, opened on first use.
struct wp_devices {
    struct wp_gl *gl;
    double memory;      // the most bytes of a redundant bank; 0: what the GPU has
    double host_memory; // the most bytes of a volume
    struct {
        struct wp_device *device;
        struct wp_device_info info;
    } open[16]; // indexed like wp_backends
};

// The index of a backend in `open`, or -1.
int wp_devices_find(const char *backend);

// Opens a device without logging. Returns false with a reason if the backend is not available.
bool wp_devices_probe(struct wp_devices *devices, const char *backend, char *reason,
                      size_t reason_size);
// A device that wp_devices_probe() has opened.
struct wp_device *wp_devices_get(const struct wp_devices *devices, const char *backend);
void wp_devices_close(struct wp_devices *devices);

#endif
