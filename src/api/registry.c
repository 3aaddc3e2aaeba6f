#include "registry.h"

#include "cpu_backend.h"
#include "log.h"
#include "suggest.h"
#include "reference.h"
#include "text.h"
#ifdef WP_HAVE_GL
#include "compute.h"
#include "fragment.h"
#endif
#ifdef WP_HAVE_CUDA
#include "cuda_backend.h"
#endif

#include <stdio.h>
#include <string.h>

const struct wp_backend *const wp_backends[] = {
#ifdef WP_HAVE_GL
    &wp_backend_fragment,
#endif
#ifdef WP_HAVE_CUDA
    &wp_backend_cuda,
#endif
#ifdef WP_HAVE_GL
    &wp_backend_compute,
#endif
    &wp_backend_cpu, &wp_backend_reference,
#ifdef WP_HAVE_GL
    &wp_backend_cuda_gl,
#endif
    NULL,
};

enum wp_in_software wp_backend_in_software(bool shaders, bool volumes)
{
    return !shaders  ? WP_IN_SOFTWARE_NONE
           : volumes ? WP_IN_SOFTWARE_QUICK
                     : WP_IN_SOFTWARE_ANY;
}

const struct wp_backend *wp_backend_named(const char *name)
{
    for (int i = 0; wp_backends[i]; i++)
        if (strcmp(wp_backends[i]->name, name) == 0)
            return wp_backends[i];
    return NULL;
}

const struct wp_backend *wp_backend_find(const char *name)
{
    struct wp_lookup lookup = {.name = name};
    wp_lookup_is(&lookup, "auto");
    for (int i = 0; wp_backends[i]; i++)
        if (wp_lookup_is(&lookup, wp_backends[i]->name))
            return wp_backends[i];
    wp_lookup_fail(&lookup, "'wavepass info' lists all", "unknown backend '%s'", name);
    return NULL;
}

static bool try_open(const struct wp_backend *backend, int device, bool quiet, char *reason,
                     size_t reason_size, struct wp_backend_choice *choice)
{
    if (quiet)
        wp_begin_attempt();
    choice->device = backend->open(device, quiet, reason, reason_size);
    if (quiet)
        wp_end_attempt();
    if (!choice->device && !reason[0])
        snprintf(reason, reason_size, "not enough memory");
    if (!choice->device)
        return false;
    choice->backend = backend;
    backend->describe(choice->device, &choice->info);
    return true;
}

// Closes a software-rendered device that the policy rejects.
static bool is_too_slow(struct wp_backend_choice *choice, enum wp_in_software software)
{
    if (!choice->info.software || software == WP_IN_SOFTWARE_ANY ||
        (software == WP_IN_SOFTWARE_QUICK && !choice->backend->slow_in_software))
        return false;
    choice->backend->close(choice->device);
    choice->device = NULL;
    choice->backend = NULL;
    choice->past_software = true;
    return true;
}

static bool has_bank(const struct wp_backend *backend, enum wp_bank bank)
{
    return !wp_bank_is_redundant(bank) || backend->banks >> bank & 1;
}

static bool has_levels(const struct wp_backend *backend, const struct wp_description *d)
{
    const bool along_z = wp_description_axes(d, 1) >> WP_Z & 1;
    return has_bank(backend, d->bank) &&
           !(wp_description_is_redundant(d) && along_z && backend->flat_banks);
}

bool wp_backend_open(const char *name, int device, enum wp_in_software software,
                     struct wp_backend_choice *choice)
{
    return wp_backend_open_for(NULL, name, device, software, choice);
}

bool wp_backend_open_for(const struct wp_description *description, const char *name, int device,
                         enum wp_in_software software, struct wp_backend_choice *choice)
{
    char reason[384];
    *choice = (struct wp_backend_choice){0};
    if (strcmp(name, "auto") != 0) {
        const struct wp_backend *backend = wp_backend_find(name);
        return backend &&
               try_open(backend, device, false, reason, sizeof reason, choice);
    }
    choice->automatic = true;
    if (device != WP_DEVICE_ANY)
        return try_open(wp_backends[0], device, false, reason, sizeof reason, choice);
    for (int i = 0; wp_backends[i]; i++) {
        const struct wp_backend *backend = wp_backends[i];
        const bool last = !wp_backends[i + 1];
        if ((software == WP_IN_SOFTWARE_NONE && choice->past_software && backend->gl) ||
            (description && !has_levels(backend, description)))
            continue;
        if (try_open(backend, device, !last, reason, sizeof reason, choice)) {
            if (is_too_slow(choice, software))
                continue;
            return true;
        }
        if (choice->past_software) {
            wp_log(WP_LOG_VERBOSE, "%s not available (%s)", backend->name, reason);
            continue;
        }
        const size_t used = strlen(choice->reason);
        snprintf(choice->reason + used, sizeof choice->reason - used, "%s%s not available (%s)",
                 used ? "; " : "", backend->name, reason);
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
                             const struct wp_description *description,
                             const struct wp_variant **variant)
{
    struct wp_lookup lookup = {.name = name};
    *variant = NULL;
    if (!name)
        return true;
    for (const struct wp_variant *v = backend->variants; v && v->name; v++) {
        char why[256] = "";
        if (wp_lookup_is(&lookup, v->name)) {
            if (description && v->supports && !v->supports(v, description, why, sizeof why))
                return why[0] &&
                       wp_fail(WP_ERROR_USAGE,
                               "variant '%s' of backend '%s' does not support this transform (%s)",
                               name, backend->name, why);
            *variant = v;
            return true;
        }
    }
    if (!backend->variants)
        return wp_fail(WP_ERROR_USAGE, "backend '%s' has no variants, so no '%s'",
                       backend->name, name);
    return wp_lookup_fail(&lookup, "'wavepass info' lists all", "backend '%s' has no variant '%s'",
                          backend->name, name);
}

bool wp_backend_check_reversible(const struct wp_backend *backend)
{
    return backend->reversible ||
           wp_fail(WP_ERROR_USAGE, "backend '%s' does not support reversible transforms",
                   backend->name);
}

static bool has_half(const struct wp_backend *backend, int unused)
{
    (void)unused;
    return backend->half;
}

static bool has_bank_number(const struct wp_backend *backend, int bank)
{
    return has_bank(backend, (enum wp_bank)bank);
}

// "backend 'cuda' does not support bank 'starlet'", with the backends for which `has` is true.
static bool fail_unsupported(const struct wp_backend *backend, const char *what, const char *word,
                             bool (*has)(const struct wp_backend *backend, int value), int value)
{
    struct wp_text able = {0};
    for (int i = 0; wp_backends[i]; i++)
        if (has(wp_backends[i], value))
            wp_text_add(&able, "%s'%s'", able.length ? ", " : "", wp_backends[i]->name);
    if (wp_text_is_complete(&able, "the names of backends"))
        wp_fail(WP_ERROR_USAGE, "backend '%s' does not support %s '%s'\nhint: %s does",
                backend->name, what, word, wp_text_get(&able));
    wp_text_free(&able);
    return false;
}

bool wp_backend_check_precision(const struct wp_backend *backend, enum wp_precision precision)
{
    return precision == WP_PRECISION_F32 || backend->half ||
           fail_unsupported(backend, "precision", wp_precision_names[precision], has_half, 0);
}

bool wp_backend_check_bank(const struct wp_backend *backend, enum wp_bank bank)
{
    return has_bank(backend, bank) || fail_unsupported(backend, "bank", wp_bank_names[bank],
                                                       has_bank_number, (int)bank);
}
