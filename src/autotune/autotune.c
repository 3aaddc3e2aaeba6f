#include "autotune.h"

#include "log.h"
#include "suggest.h"
#include "output.h"
#include "reference.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// Seconds after which an automatic probe starts no further candidate. Users did not request it.
static const double default_limit = 0.4;

const char *const wp_chosen_by_names[WP_CHOSEN_BY_COUNT] = {
    [WP_CHOSEN_BY_RULE] = "fixed rule",
    [WP_CHOSEN_BY_OPTIONS] = "options",
    [WP_CHOSEN_BY_FILE] = "cache",
    [WP_CHOSEN_BY_PROBE] = "probe",
};

enum probe_mode { PROBE_AUTO, PROBE_NEVER, PROBE_ALWAYS };

// The value of $WAVEPASS_PROBE. Warns once if it is invalid.
static enum probe_mode probe_mode(void)
{
    static const char *const words[] = {"auto", "never", "always"};
    static bool warned;
    const char *given = getenv("WAVEPASS_PROBE");
    if (!given || !*given)
        return PROBE_AUTO;
    const int mode = wp_name_index(given, words, (int)(sizeof words / sizeof *words));
    if (mode >= 0)
        return (enum probe_mode)mode;
    if (!warned)
        wp_log(WP_LOG_WARNING, "WAVEPASS_PROBE=%s is ignored: it must be auto, never or always",
               given);
    warned = true;
    return PROBE_AUTO;
}

const char *wp_autotune_why_not(const struct wp_backend_choice *on)
{
    if (on->backend == &wp_backend_reference)
        return "it is the reference for the others";
    if (probe_mode() == PROBE_NEVER)
        return "WAVEPASS_PROBE=never";
    if (probe_mode() == PROBE_ALWAYS)
        return NULL;
    if (on->info.software)
        return "it renders in software";
    if (on->info.wall)
        return "it has no device clock";
    return NULL;
}

void wp_autotune_describe(const struct wp_timing *timing, struct wp_text *text)
{
    if (timing->kind)
        wp_text_add(text, "%s, ", timing->kind->name);
    if (timing->variant)
        wp_text_add(text, "variant %s, ", timing->variant->name);
    wp_text_add(text, "%.3g ms", 1e3 * timing->seconds);
}

// Sets the fastest measured scheme and variant that can execute this transform. False if there is
// none.
static bool select_variant(const struct wp_autotune *autotune, const struct wp_backend_choice *on,
                           const struct wp_probe *probe, struct wp_description *params,
                           const struct wp_variant **variant)
{
    for (int i = 0; i < probe->count && probe->timing[i].correct; i++) {
        const struct wp_timing *t = &probe->timing[i];
        struct wp_description chosen = *params;
        chosen.direction = autotune->direction;
        chosen.kind = t->kind ? t->kind : params->kind;
        if ((autotune->nonfinite && t->variant && t->variant->spreads_nonfinite) ||
            !wp_probe_can_run(on, t->variant, &chosen))
            continue;
        params->kind = chosen.kind;
        *variant = t->variant;
        return true;
    }
    return false;
}

// Logs the result of a probe.
static void report(const struct wp_probe *probe, const struct wp_tuning_key *key, bool ok)
{
    struct wp_text text = {0};
    if (ok) {
        wp_autotune_describe(&probe->timing[0], &text);
        wp_log(WP_LOG_INFO, "timed %d implementations of %s in %.2f s%s: %s for %dx%d",
               probe->count, key->wavelet->name, probe->seconds,
               probe->skipped ? ", the likely ones" : "",
               wp_text_get(&text), wp_size_class_side[key->size], wp_size_class_side[key->size]);
    } else {
        wp_log(WP_LOG_WARNING, "the probe for the fastest scheme failed (%s); using the default",
               probe->failure[0] ? probe->failure : "none computed the right result");
    }
    wp_text_free(&text);
}

// Runs a probe and writes the tuning file. The file is opened first, since a probe whose result
// cannot be stored would run every time. False after a warning.
static bool measure_and_store(const struct wp_autotune *autotune, const struct wp_tuning_key *key,
                              const char *path, json_t **file, struct wp_probe *probe)
{
    struct wp_text error = {0};
    autotune->capture(&error);
    struct wp_output *output = path ? wp_tuning_open(path) : NULL;
    autotune->capture(NULL);
    bool ok = output != NULL;
    if (ok) {
        const struct wp_probe_params params = {
            .on = key->on,
            .wavelet = key->wavelet,
            .direction = key->direction,
            .size = key->size,
            .limit = autotune->limit > 0 ? autotune->limit : default_limit,
            .capture = autotune->capture,
            .progress = autotune->progress,
        };
        wp_probe_free(probe);
        ok = wp_probe_run(&params, probe);
        report(probe, key, ok);
        if (ok) {
            *file = wp_tuning_put(*file, key, "probe", probe);
            autotune->capture(&error);
            if (!wp_tuning_write(*file, &output))
                wp_log(WP_LOG_WARNING, "the result of the probe cannot be stored (%s)",
                       wp_text_get(&error));
            autotune->capture(NULL);
        }
        wp_output_discard(&output);
    } else {
        wp_log(WP_LOG_WARNING, "no probe for the fastest scheme, because it cannot be stored (%s)",
               path ? wp_text_get(&error) : "neither XDG_CACHE_HOME nor HOME is set");
    }
    wp_text_free(&error);
    wp_clear_error();
    return ok;
}

void wp_autotune_choose(void *user, const struct wp_backend_choice *on,
                        struct wp_description *params, const struct wp_variant **variant)
{
    struct wp_autotune *autotune = user;
    const struct wp_transform_params *given = autotune->given;
    const bool named = given->variant || (!on->backend->schemeless && (given->scheme ||
                                                                       given->plain));
    autotune->by = named ? WP_CHOSEN_BY_OPTIONS : WP_CHOSEN_BY_RULE;
    // Probes measure only images without integer rounding.
    if (named || params->reversible || params->levels == 0 || wp_description_depth(params) > 1 ||
        on->backend == &wp_backend_reference || probe_mode() == PROBE_NEVER)
        return;
    const struct wp_tuning_key key = {
        .on = on,
        .wavelet = params->wavelet,
        .direction = autotune->direction,
        .size = wp_size_class_of(params->size[WP_X], params->size[WP_Y]),
    };
    struct wp_probe probe = {0};
    char *path = wp_tuning_path(on);
    json_t *file = path ? wp_tuning_read(path, on) : NULL;
    const char *why_not = wp_autotune_why_not(on);
    if (wp_tuning_get(file, path, &key, &probe) &&
        select_variant(autotune, on, &probe, params, variant))
        autotune->by = WP_CHOSEN_BY_FILE;
    else if (why_not)
        wp_log(WP_LOG_VERBOSE, "%s: the default scheme, not the fastest (%s)", on->info.name,
               why_not);
    else if (measure_and_store(autotune, &key, path, &file, &probe) &&
             select_variant(autotune, on, &probe, params, variant))
        autotune->by = WP_CHOSEN_BY_PROBE;
    wp_probe_free(&probe);
    json_decref(file);
    free(path);
}
