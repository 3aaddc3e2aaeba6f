#include "environment.h"

#include "json_value.h"
#include "xmemory.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

// Reads the first line of a file; with `key`, the value after the colon of the first line that
// begins with it. null if it does not exist.
static json_t *read_line(const char *path, const char *key)
{
    char line[256];
    FILE *file = fopen(path, "r");
    json_t *found = NULL;
    if (!file && errno == ENOMEM)
        wp_xmemory_end(); // null would mean that it does not exist
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *colon = strchr(line, ':');
        if (!key)
            found = wp_json_text(line);
        else if (strncmp(line, key, strlen(key)) == 0 && colon)
            found = wp_json_text(colon + 1 + strspn(colon + 1, " "));
    }
    if (file)
        fclose(file);
    return found ? found : json_null();
}

static json_t *describe_host(void)
{
    struct utsname name;
    const bool named = uname(&name) == 0;
    return json_pack("{s:o, s:o, s:o, s:i, s:o, s:o}", "os",
                     read_line("/etc/issue.net", NULL), "kernel",
                     wp_json_text(named ? name.release : NULL), "cpu",
                     read_line("/proc/cpuinfo", "model name"), "cores",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "governor",
                     read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL),
                     "load", read_line("/proc/loadavg", NULL));
}

static void add_fact(void *user, const char *key, const char *value)
{
    json_object_set_new(user, key, wp_json_text(value));
}

static json_t *get_facts(const struct wp_backend_choice *on)
{
    if (!on->backend->bench || !on->backend->bench->facts)
        return json_null();
    json_t *facts = json_object();
    on->backend->bench->facts(on->device, add_fact, facts);
    return facts;
}

// Facts of the first backend on OpenGL, or of "cuda".
static json_t *describe_api(const struct wp_environment_params *params, bool cuda)
{
    for (int i = 0; i < params->backend_count; i++) {
        const struct wp_backend *backend = params->backend[i]->backend;
        if (cuda ? strcmp(backend->name, "cuda") == 0 : backend->gl != NULL)
            return get_facts(params->backend[i]);
    }
    return json_null();
}

static json_t *describe_backends(const struct wp_environment_params *params)
{
    json_t *backends = json_array();
    for (int i = 0; i < params->backend_count; i++) {
        const struct wp_backend_choice *on = params->backend[i];
        json_array_append_new(
            backends,
            json_pack("{s:s, s:s, s:o, s:b, s:o, s:o, s:o}", "requested",
                      on->automatic ? "auto" : on->backend->name, "name", on->backend->name,
                      "device", wp_json_text(on->info.name), "software", on->info.software,
                      "timer", wp_json_text(on->info.timer), "fallback_reason",
                      wp_json_text(on->reason[0] ? on->reason : NULL), "facts", get_facts(on)));
    }
    return backends;
}

json_t *wp_environment(const struct wp_environment_params *params)
{
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    json_t *argv = json_pack("[s, s]", "wavepass", "bench");
    for (int i = 0; i < params->argc; i++)
        json_array_append_new(argv, wp_json_text(params->argv[i]));
    return json_pack("{s:O, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:O}", "tool", params->tool,
                     "argv", argv, "date", date, "host",
                     params->no_host ? json_null() : describe_host(), "gl",
                     describe_api(params, false), "cuda", describe_api(params, true), "gpu_state",
                     wp_gpu_state_json(params->gpu), "backends", describe_backends(params), "seed",
                     (int)params->seed, "user", params->user);
}
