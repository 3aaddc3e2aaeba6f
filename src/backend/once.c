#include "once.h"

#include "clock.h"

bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_place *from, const struct wp_place *to,
                       struct wp_exec_seconds *seconds)
{
    double ran = 0;
    if (backend->transform) {
        const bool ok = backend->transform(exec, from, to, &ran);
        if (seconds)
            seconds->run += ran;
        return ok;
    }
    const double start = wp_clock_seconds();
    if (!backend->load(exec, from))
        return false;
    const double loaded = wp_clock_seconds();
    if (!backend->run(exec, &ran))
        return false;
    const double run = wp_clock_seconds();
    if (!backend->store(exec, to))
        return false;
    if (seconds) {
        seconds->load += loaded - start;
        seconds->run += ran;
        seconds->store += wp_clock_seconds() - run;
    }
    return true;
}

bool wp_stages_prepare(struct wp_stages *stages, const struct wp_backend *backend,
                       struct wp_device *device, const struct wp_description *description,
                       const struct wp_variant *variant)
{
    *stages = (struct wp_stages){.backend = backend};
    const int count = wp_description_stages(description, stages->description);
    while (stages->count < count) {
        struct wp_exec *exec =
            backend->prepare(device, &stages->description[stages->count], variant);
        if (!exec) {
            wp_stages_release(stages);
            return false;
        }
        stages->exec[stages->count++] = exec;
    }
    return true;
}

void wp_stages_release(struct wp_stages *stages)
{
    for (int i = 0; i < stages->count; i++)
        stages->backend->release(stages->exec[i]);
    *stages = (struct wp_stages){0};
}

bool wp_stages_transform(const struct wp_stages *stages, const struct wp_place *from,
                         const struct wp_place *to, struct wp_exec_seconds *seconds)
{
    bool ok = true;
    for (int i = 0; i < stages->count && ok; i++)
        ok = wp_exec_transform(stages->backend, stages->exec[i], i == 0 ? from : to, to, seconds);
    return ok;
}

bool wp_stages_transform_there(const struct wp_stages *stages, const struct wp_place *from,
                               const struct wp_place *to, void *stream)
{
    bool ok = true;
    for (int i = 0; i < stages->count && ok; i++)
        ok = stages->backend->transform_there(stages->exec[i], i == 0 ? from : to, to, stream);
    return ok;
}

static bool transform(const struct wp_once *once, struct wp_device *device,
                      const struct wp_description *d, int count, const float *const from[],
                      float *const to[])
{
    struct wp_stages stages;
    bool ok = wp_stages_prepare(&stages, once->backend, device, d, once->variant);
    for (int i = 0; i < count && ok; i++) {
        const struct wp_place in = wp_place_const(d, from[i]), out = wp_place_dense(d, to[i]);
        ok = wp_stages_transform(&stages, &in, &out, NULL);
    }
    wp_stages_release(&stages);
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
