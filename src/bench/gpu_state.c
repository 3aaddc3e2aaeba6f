#include "gpu_state.h"

#include "json_value.h"
#include "xmemory.h"

#include <dlfcn.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

json_t *wp_gpu_state_json(const struct wp_gpu_state *state)
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
