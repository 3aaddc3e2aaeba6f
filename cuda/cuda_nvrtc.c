#include "cuda_nvrtc.h"

#include "cuda_program.h"
#include "memory.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_LEAST = 11080 }; // the first version that supports compute capability 9.0

#define FUNCTIONS(F) \
    F(nvrtcVersion) F(nvrtcGetNumSupportedArchs) F(nvrtcGetSupportedArchs) F(nvrtcCreateProgram) \
    F(nvrtcDestroyProgram) F(nvrtcCompileProgram) F(nvrtcGetCUBINSize) F(nvrtcGetCUBIN) \
    F(nvrtcGetProgramLogSize) F(nvrtcGetProgramLog) F(nvrtcGetErrorString)

#define MEMBER(name) __typeof__(name) *name;

static struct {
    FUNCTIONS(MEMBER)
    int version;
    char why_not[512]; // "": NVRTC was loaded
} nvrtc;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// Opens the library from the linker's path or the directories of the toolkit.
static void *open_library(void)
{
    static const char *const names[] = {
        "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
        "/usr/local/cuda/lib64/libnvrtc.so", "/usr/lib/cuda/lib64/libnvrtc.so",
    };
    const char *given = getenv("WAVEPASS_NVRTC");
    if (given && given[0]) {
        void *library = dlopen(given, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(nvrtc.why_not, sizeof nvrtc.why_not, "no NVRTC: %.400s", dlerror());
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    snprintf(nvrtc.why_not, sizeof nvrtc.why_not,
             "no NVRTC: libnvrtc.so.13, .12 and .11.2 were not found; install the CUDA toolkit");
    return NULL;
}

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); // ISO C cannot cast an object to a function pointer
    if (!found)
        snprintf(nvrtc.why_not, sizeof nvrtc.why_not, "NVRTC has no %s: it is too old", name);
    return found != NULL;
}

static void open_nvrtc(void)
{
    void *library = open_library();
    if (!library)
        return;
    bool complete = true;
#define FIND(name) complete = complete && find(library, #name, &nvrtc.name);
    FUNCTIONS(FIND)
#undef FIND
    int major = 0, minor = 0;
    if (complete && nvrtc.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) {
        snprintf(nvrtc.why_not, sizeof nvrtc.why_not, "NVRTC does not report its version");
        complete = false;
    }
    nvrtc.version = 1000 * major + 10 * minor;
    if (complete && nvrtc.version < VERSION_LEAST) {
        snprintf(nvrtc.why_not, sizeof nvrtc.why_not, "NVRTC %d.%d is older than %d.%d", major,
                 minor, VERSION_LEAST / 1000, VERSION_LEAST % 1000 / 10);
        complete = false;
    }
    if (complete)
        return;
    nvrtc.version = 0;
    dlclose(library);
}

const char *wp_cuda_nvrtc_why_not(void)
{
    pthread_once(&once, open_nvrtc);
    return nvrtc.why_not[0] ? nvrtc.why_not : NULL;
}

int wp_cuda_nvrtc_version(void)
{
    pthread_once(&once, open_nvrtc);
    return nvrtc.version;
}

bool wp_cuda_nvrtc_knows(int capability)
{
    enum { MOST = 256 };
    int count = 0, known[MOST];
    if (wp_cuda_nvrtc_why_not() || nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS ||
        count > MOST || nvrtc.nvrtcGetSupportedArchs(known) != NVRTC_SUCCESS)
        return false;
    for (int i = 0; i < count; i++)
        if (known[i] == capability)
            return true;
    return false;
}

void wp_cuda_cubin_free(struct wp_cuda_cubin *cubin)
{
    free(cubin->data);
    *cubin = (struct wp_cuda_cubin){0};
}

void wp_cuda_set_options(struct wp_cuda_options *options, int capability)
{
    snprintf(options->capability, sizeof options->capability, "--gpu-architecture=sm_%d",
             capability);
    // Without warnings: host code in the headers is not compiled here.
    const char *const option[WP_CUDA_NVRTC_OPTIONS] = {
        options->capability, "--std=c++17", "--device-as-default-execution-space",
        "--disable-warnings", "--ptxas-options=-v",
    };
    memcpy(options->option, option, sizeof option);
}

static void read_log(nvrtcProgram program, struct wp_text *log)
{
    size_t size = 0;
    if (nvrtc.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2)
        return;
    char *text = wp_try_allocate(size, 1);
    if (text && nvrtc.nvrtcGetProgramLog(program, text) == NVRTC_SUCCESS)
        wp_text_add(log, "%s", text);
    free(text);
}

static bool read_cubin(nvrtcProgram program, struct wp_cuda_cubin *cubin)
{
    if (nvrtc.nvrtcGetCUBINSize(program, &cubin->size) != NVRTC_SUCCESS || !cubin->size)
        return false;
    cubin->data = wp_try_allocate(cubin->size, 1);
    if (cubin->data && nvrtc.nvrtcGetCUBIN(program, cubin->data) == NVRTC_SUCCESS)
        return true;
    wp_cuda_cubin_free(cubin);
    return false;
}

bool wp_cuda_nvrtc_compile(const char *source, int capability, struct wp_cuda_cubin *cubin,
                           struct wp_text *log)
{
    const char *name[WP_CUDA_INCLUDES], *text[WP_CUDA_INCLUDES];
    for (int i = 0; i < WP_CUDA_INCLUDES; i++) {
        name[i] = wp_cuda_includes[i].name;
        text[i] = wp_cuda_includes[i].text;
    }
    struct wp_cuda_options options;
    wp_cuda_set_options(&options, capability);
    *cubin = (struct wp_cuda_cubin){0};
    if (wp_cuda_nvrtc_why_not()) {
        wp_text_add(log, "%s", wp_cuda_nvrtc_why_not());
        return false;
    }
    nvrtcProgram program = NULL;
    nvrtcResult result = nvrtc.nvrtcCreateProgram(&program, source, "wavepass.cu",
                                                  WP_CUDA_INCLUDES, text, name);
    if (result == NVRTC_SUCCESS) {
        result = nvrtc.nvrtcCompileProgram(program, WP_CUDA_NVRTC_OPTIONS, options.option);
        read_log(program, log);
    }
    const bool ok = result == NVRTC_SUCCESS && read_cubin(program, cubin);
    if (!ok && !log->length)
        wp_text_add(log, "%s", nvrtc.nvrtcGetErrorString(result));
    if (program)
        nvrtc.nvrtcDestroyProgram(&program);
    return ok;
}
