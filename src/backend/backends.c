#include "backends.h"

#include "log.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

const struct wp_backend *const wp_backends[] = {
#ifdef WP_HAVE_GL
    &wp_backend_fragment, &wp_backend_cuda, &wp_backend_compute,
#endif
    &wp_backend_cpu, &wp_backend_reference, NULL,
};

static const struct wp_backend *find(const char *name)
{
    enum { NAMES_MAX = 16 };
    const char *names[NAMES_MAX] = {"auto"};
    int count = 1;
    for (int i = 0; wp_backends[i]; i++) {
        if (strcmp(wp_backends[i]->name, name) == 0)
            return wp_backends[i];
        names[count++] = wp_backends[i]->name;
    }
    const char *near = wp_nearest(name, names, count);
    wp_fail(WP_ERROR_USAGE, "unknown backend '%s'\nhint: %s%s%s'wavepass info' lists all", name,
            near ? "did you mean '" : "", near ? near : "", near ? "'?  " : "");
    return NULL;
}

static bool try_open(const struct wp_backend *backend, int device, bool quiet, char *reason,
                     size_t reason_size, struct wp_backend_choice *choice)
{
    choice->device = backend->open(device, quiet, reason, reason_size);
    if (!choice->device)
        return false;
    choice->backend = backend;
    backend->describe(choice->device, &choice->info);
    return true;
}

bool wp_backend_open(const char *name, int device, struct wp_backend_choice *choice)
{
    char reason[384];
    *choice = (struct wp_backend_choice){0};
    if (strcmp(name, "auto") != 0) {
        const struct wp_backend *backend = find(name);
        return backend &&
               try_open(backend, device, false, reason, sizeof reason, choice);
    }
    choice->automatic = true;
    if (device != WP_DEVICE_ANY)
        return try_open(wp_backends[0], device, false, reason, sizeof reason, choice);
    for (int i = 0; wp_backends[i]; i++) {
        const bool last = !wp_backends[i + 1];
        if (try_open(wp_backends[i], device, !last, reason, sizeof reason, choice))
            return true;
        const size_t used = strlen(choice->reason);
        snprintf(choice->reason + used, sizeof choice->reason - used, "%s%s not available (%s)",
                 used ? "; " : "", wp_backends[i]->name, reason);
    }
    return false;
}

void wp_backend_close(struct wp_backend_choice *choice)
{
    if (choice->device)
        choice->backend->close(choice->device);
    *choice = (struct wp_backend_choice){0};
}

bool wp_backend_find_variant(const struct wp_backend *backend, const char *name,
                             const struct wp_plan *plan, const struct wp_variant **variant)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    int count = 0;
    *variant = NULL;
    if (!name)
        return true;
    for (const struct wp_variant *v = backend->variants; v && v->name; v++) {
        char why[256] = "";
        if (strcmp(v->name, name) == 0) {
            if (plan && v->supports && !v->supports(plan, why, sizeof why))
                return wp_fail(WP_ERROR_USAGE, "variant '%s' of backend '%s' cannot do this (%s)",
                               name, backend->name, why);
            *variant = v;
            return true;
        }
        if (count < NAMES_MAX)
            names[count++] = v->name;
    }
    if (count == 0)
        return wp_fail(WP_ERROR_USAGE, "backend '%s' has no variants to choose from, so no '%s'",
                       backend->name, name);
    const char *near = wp_nearest(name, names, count);
    return wp_fail(WP_ERROR_USAGE, "backend '%s' has no variant '%s'\nhint: %s%s%s'wavepass info' "
                   "lists all", backend->name, name, near ? "did you mean '" : "",
                   near ? near : "", near ? "'?  " : "");
}

bool wp_backend_check_precision(const struct wp_backend *backend, enum wp_precision precision)
{
    if (precision == WP_PRECISION_F32 || backend->half)
        return true;
    struct wp_text able = {0};
    for (int i = 0; wp_backends[i]; i++)
        if (wp_backends[i]->half)
            wp_text_add(&able, "%s-b %s", able.length ? ", " : "", wp_backends[i]->name);
    wp_fail(WP_ERROR_USAGE,
            "backend '%s' keeps no samples in 16 bits (--precision %s)\nhint: %s does",
            backend->name, wp_precision_names[precision], wp_text_get(&able));
    wp_text_free(&able);
    return false;
}
