#include "bench.h"

#include "json_value.h"
#include "xmemory.h"

#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

// Declarations from nvml.h, version 2. The library is part of the driver, so it is loaded at run
// time.
typedef struct nvmlDevice *nvml_device;

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

// Hardware slowdown, software and hardware thermal slowdown, external power brake.
static const unsigned long long throttling = 0x8 | 0x20 | 0x40 | 0x80;

struct snapshot {
    int clock, memory_clock, temperature; // MHz, degrees Celsius; -1: not known
};

struct wp_gpu_state {
    void *library;
    nvml_device device;
    char name[96];
    struct snapshot before;
    int (*get_clock)(nvml_device, int type, unsigned *mhz);
    int (*get_temperature)(nvml_device, int sensor, unsigned *degrees);
    int (*get_reasons)(nvml_device, unsigned long long *reasons);
    int (*shut_down)(void);
};

// Gets a function of a library. Uses memcpy(), because ISO C does not convert object pointers to
// function pointers.
static bool find_function(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static struct snapshot take_snapshot(const struct wp_gpu_state *state)
{
    unsigned clock, memory, temperature;
    return (struct snapshot){
        .clock = state->get_clock(state->device, NVML_CLOCK_SM, &clock) ? -1 : (int)clock,
        .memory_clock =
            state->get_clock(state->device, NVML_CLOCK_MEMORY, &memory) ? -1 : (int)memory,
        .temperature =
            state->get_temperature(state->device, 0, &temperature) ? -1 : (int)temperature,
    };
}

static bool find_device(struct wp_gpu_state *state, const char *const devices[], int count)
{
    int (*init)(void), (*get_count)(unsigned *), (*get_handle)(unsigned, nvml_device *);
    int (*get_name)(nvml_device, char *, unsigned);
    if (!find_function(state->library, "nvmlInit_v2", &init) ||
        !find_function(state->library, "nvmlDeviceGetCount_v2", &get_count) ||
        !find_function(state->library, "nvmlDeviceGetHandleByIndex_v2", &get_handle) ||
        !find_function(state->library, "nvmlDeviceGetName", &get_name) ||
        !find_function(state->library, "nvmlDeviceGetClockInfo", &state->get_clock) ||
        !find_function(state->library, "nvmlDeviceGetTemperature", &state->get_temperature) ||
        !find_function(state->library, "nvmlDeviceGetCurrentClocksThrottleReasons",
              &state->get_reasons) ||
        !find_function(state->library, "nvmlShutdown", &state->shut_down) || init() != 0)
        return false;
    unsigned gpus = 0;
    get_count(&gpus);
    for (unsigned i = 0; i < gpus; i++)
        for (int d = 0; d < count; d++)
            if (get_handle(i, &state->device) == 0 &&
                get_name(state->device, state->name, sizeof state->name) == 0 &&
                strstr(devices[d], state->name))
                return true;
    state->shut_down();
    return false;
}

struct wp_gpu_state *wp_gpu_state_open(const char *const devices[], int count)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library)
        return NULL;
    struct wp_gpu_state *state = wp_xcalloc(1, sizeof *state);
    state->library = library;
    if (!find_device(state, devices, count)) {
        dlclose(library);
        free(state);
        return NULL;
    }
    state->before = take_snapshot(state);
    return state;
}

void wp_gpu_state_close(struct wp_gpu_state **slot)
{
    struct wp_gpu_state *state = *slot;
    *slot = NULL;
    if (!state)
        return;
    state->shut_down();
    dlclose(state->library);
    free(state);
}

bool wp_gpu_state_throttled(const struct wp_gpu_state *state)
{
    unsigned long long reasons = 0;
    return state && state->get_reasons(state->device, &reasons) == 0 && reasons & throttling;
}

static json_t *known(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

// Returns an object with the stored and the current state; null for NULL.
static json_t *gpu_state_json(const struct wp_gpu_state *state)
{
    if (!state)
        return json_null();
    const struct snapshot now = take_snapshot(state);
    unsigned long long reasons = 0;
    const bool has_reasons = state->get_reasons(state->device, &reasons) == 0;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", wp_json_text(state->name),
                     "clock_before", known(state->before.clock), "clock_after", known(now.clock),
                     "memory_clock", known(now.memory_clock), "temperature",
                     known(now.temperature), "throttle",
                     has_reasons ? json_integer((json_int_t)reasons) : json_null());
}

// ---- the environment ----

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
                     gpu_state_json(params->gpu), "backends", describe_backends(params), "seed",
                     (int)params->seed, "user", params->user);
}
