#include "once.h"

bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_description *d, const struct wp_place *from,
                       const struct wp_place *to, double *seconds)
{
    if (backend->transform && !wp_place_overlaps(d, from, to))
        return backend->transform(exec, from, to, seconds);
    return backend->load(exec, from) && backend->run(exec, seconds) && backend->store(exec, to);
}

bool wp_exec_planes(const struct wp_backend *backend, struct wp_exec *exec,
                    const struct wp_description *d, const float *from, float *to)
{
    const struct wp_place in = wp_place_const(d, from), out = wp_place_dense(d, to);
    return wp_exec_transform(backend, exec, d, &in, &out, NULL);
}

static bool transform(const struct wp_once *once, struct wp_device *device,
                      const struct wp_description *d, int count, const float *const from[],
                      float *const to[])
{
    struct wp_exec *exec = once->backend->prepare(device, d, once->variant);
    bool ok = exec != NULL;
    for (int i = 0; i < count && ok; i++)
        ok = wp_exec_planes(once->backend, exec, d, from[i], to[i]);
    once->backend->release(exec);
    return ok;
}

bool wp_once(const struct wp_once *once, const struct wp_description *d, int count,
             const float *const from[], float *const to[])
{
    char reason[256];
    if (once->device)
        return transform(once, once->device, d, count, from, to);
    struct wp_device *device = once->backend->open(-1, false, reason, sizeof reason);
    const bool ok = device && transform(once, device, d, count, from, to);
    if (device)
        once->backend->close(device);
    return ok;
}
