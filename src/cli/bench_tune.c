#include "bench_parts.h"

#include "autotune.h"
#include "command.h"
#include "memory.h"
#include "output.h"
#include "reference.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_progress(const struct wp_timing *next)
{
    wp_progress("measuring %s %s", next->kind ? next->kind->name : "",
                next->variant ? next->variant->name : "");
}

static void print_timing(const struct wp_timing *t)
{
    printf("  %-22s %-28s ", t->kind ? t->kind->name : "-", t->variant ? t->variant->name : "-");
    if (t->correct)
        printf("%9.4f ms  max|err| %.1e\n", 1e3 * t->seconds, t->error);
    else if (isfinite(t->error))
        printf("    WRONG     max|err| %.1e, not timed\n", t->error);
    else
        printf("    does not run\n");
}

static void print_probe(const struct wp_tuning_key *key, const struct wp_probe *probe)
{
    const int length = wp_size_class_side[key->size];
    wp_progress_clear();
    printf("%s on %s%s: %s %s, one level of %dx%d\n", key->on->backend->name, key->on->info.name,
           key->on->info.software ? " SOFTWARE" : "", key->wavelet->name,
           wp_direction_names[key->direction], length, length);
    for (int i = 0; i < probe->count; i++)
        print_timing(&probe->timing[i]);
    if (probe->failure[0])
        printf("  first failure: %s\n", probe->failure);
    if (probe->skipped)
        printf("  %d not measured because of --timeout\n", probe->skipped);
}

// Writes the tuning file, then prints what was selected, so that only stored results are reported.
static bool store(const struct wp_tuning_key *key, const struct wp_probe *probe)
{
    char *path = wp_tuning_path(key->on);
    if (!path)
        return wp_fail(WP_ERROR_FILE, "cannot store the result: neither XDG_CACHE_HOME nor HOME "
                                      "is set");
    json_t *file = wp_tuning_read(path, key->on);
    file = wp_tuning_put(file, key, "bench --tune", probe);
    struct wp_output *output = wp_tuning_open(path);
    const bool ok = output && wp_tuning_write(file, &output);
    if (ok) {
        struct wp_text text = {0};
        wp_autotune_describe(&probe->timing[0], &text);
        printf("  selected: %s, measured in %.2f s\n  stored in %s\n\n", wp_text_get(&text),
               probe->seconds, path);
        wp_text_free(&text);
    }
    json_decref(file);
    free(path);
    return ok;
}

// Prints and stores nothing if it was stopped.
static bool tune(const struct wp_tuning_key *key, double timeout,
                 const volatile sig_atomic_t *stop)
{
    const struct wp_probe_params params = {
        .on = key->on,
        .wavelet = key->wavelet,
        .direction = key->direction,
        .size = key->size,
        .limit = timeout,
        .capture = wp_messages_capture,
        .progress = show_progress,
        .stop = stop,
    };
    struct wp_probe probe;
    bool ok = wp_probe_run(&params, &probe);
    if (*stop) {
        wp_progress_clear();
        ok = true;
    } else {
        print_probe(key, &probe);
        ok = ok ? store(key, &probe)
                : wp_fail(WP_ERROR_INTERNAL, "no candidate computed the right result (%s)",
                          probe.failure[0] ? probe.failure : "see above");
    }
    wp_probe_free(&probe);
    return ok;
}

static struct wp_tuning_key key_of(const struct wp_bench_config *config)
{
    const struct wp_description *p = &config->params;
    return (struct wp_tuning_key){
        .on = config->backend,
        .wavelet = p->wavelet,
        .direction = p->direction,
        .size = wp_size_class_of(p->size[WP_X], p->size[WP_Y]),
    };
}

static bool is_same(const struct wp_tuning_key *a, const struct wp_tuning_key *b)
{
    return a->on == b->on && strcmp(a->wavelet->name, b->wavelet->name) == 0 &&
           a->direction == b->direction && a->size == b->size;
}

bool wp_bench_tune(const struct wp_bench_set *set, double timeout,
                   const volatile sig_atomic_t *stop)
{
    bool ok = true;
    for (int i = 0; i < set->count && ok && !*stop; i++) {
        const struct wp_tuning_key key = key_of(&set->config[i]);
        if (wp_description_depth(&set->config[i].params) > 1)
            return wp_fail(WP_ERROR_USAGE, "--tune supports only images; volumes use the default "
                                           "scheme");
        if (key.on->backend == &wp_backend_reference)
            return wp_fail(WP_ERROR_USAGE, "backend 'reference' cannot be tuned (%s)",
                           wp_autotune_why_not(key.on));
        bool done = false;
        for (int k = 0; k < i && !done; k++) {
            const struct wp_tuning_key earlier = key_of(&set->config[k]);
            done = is_same(&key, &earlier);
        }
        ok = done || tune(&key, timeout, stop);
    }
    return ok;
}
