// Kernels that are compiled when first needed: NVRTC; the cache of its code, one file of machine
// code per kernel; modules.
#include "cuda_kernel.h"

#include "cache.h"
#include "clock.h"
#include "cuda_jit.h"
#include "memory.h"
#include "output.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WHY_NOT = 512 }; // bytes

// A library is loaded when first needed; pointers to its functions are members of a struct.
#define MEMBER(name) __typeof__(name) *name;

// Gets the address of a function in a library, or sets the reason.
static bool find(void *library, const char *of, const char *name, void *function,
                 char why_not[WHY_NOT])
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); // ISO C cannot cast an object to a function pointer
    if (!found)
        snprintf(why_not, WHY_NOT, "%s has no %s: it is too old", of, name);
    return found != NULL;
}

enum { VERSION_LEAST = 11080 }; // the first version that supports compute capability 9.0

#define NVRTC(F) \
    F(nvrtcVersion) F(nvrtcGetNumSupportedArchs) F(nvrtcGetSupportedArchs) F(nvrtcCreateProgram) \
    F(nvrtcDestroyProgram) F(nvrtcCompileProgram) F(nvrtcGetCUBINSize) F(nvrtcGetCUBIN) \
    F(nvrtcGetProgramLogSize) F(nvrtcGetProgramLog) F(nvrtcGetErrorString)

static struct {
    NVRTC(MEMBER)
    int version;
    char why_not[WHY_NOT]; // "": NVRTC was loaded
} nvrtc;

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

static void open_nvrtc(void)
{
    void *library = open_library();
    if (!library)
        return;
    bool complete = true;
#define FIND(name) \
    complete = complete && find(library, "NVRTC", #name, &nvrtc.name, nvrtc.why_not);
    NVRTC(FIND)
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

static pthread_once_t nvrtc_once = PTHREAD_ONCE_INIT;

const char *wp_cuda_nvrtc_why_not(void)
{
    pthread_once(&nvrtc_once, open_nvrtc);
    return nvrtc.why_not[0] ? nvrtc.why_not : NULL;
}

int wp_cuda_nvrtc_version(void)
{
    pthread_once(&nvrtc_once, open_nvrtc);
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

// The options for all sources; the first one names the compute capability.
enum { OPTIONS = 5 };
struct options {
    char capability[32];
    const char *option[OPTIONS];
};

static void set_options(struct options *options, int capability)
{
    snprintf(options->capability, sizeof options->capability, "--gpu-architecture=sm_%d",
             capability);
    // Without warnings: host code in the headers is not compiled here.
    const char *const option[OPTIONS] = {
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
    struct options options;
    set_options(&options, capability);
    *cubin = (struct wp_cuda_cubin){0};
    if (wp_cuda_nvrtc_why_not()) {
        wp_text_add(log, "%s", wp_cuda_nvrtc_why_not());
        return false;
    }
    nvrtcProgram program = NULL;
    nvrtcResult result = nvrtc.nvrtcCreateProgram(&program, source, "wavepass.cu",
                                                  WP_CUDA_INCLUDES, text, name);
    if (result == NVRTC_SUCCESS) {
        result = nvrtc.nvrtcCompileProgram(program, OPTIONS, options.option);
        read_log(program, log);
    }
    const bool ok = result == NVRTC_SUCCESS && read_cubin(program, cubin);
    if (!ok && !log->length)
        wp_text_add(log, "%s", nvrtc.nvrtcGetErrorString(result));
    if (program)
        nvrtc.nvrtcDestroyProgram(&program);
    return ok;
}

// A file consists of this line, the key and the code.
#define HEAD "wavepass kernel 1, key of %zu bytes, code of %zu, %016llx\n"

static const size_t most_bytes = 16 << 20; // larger files are not of this program

// Adds everything that the code depends on.
static void add_key(struct wp_text *key, const char *source, int capability)
{
    struct options options;
    set_options(&options, capability);
    wp_text_add(key, "NVRTC %d\n", wp_cuda_nvrtc_version());
    for (int i = 0; i < OPTIONS; i++)
        wp_text_add(key, "%s\n", options.option[i]);
    for (int i = 0; i < WP_CUDA_INCLUDES; i++)
        wp_text_add(key, "%s %016llx\n", wp_cuda_includes[i].name,
                    wp_hash(wp_cuda_includes[i].text));
    wp_text_add(key, "%s", source);
}

static char *path_of(const struct wp_text *key)
{
    char name[64];
    snprintf(name, sizeof name, "kernels/%016llx.cubin", wp_hash(wp_text_get(key)));
    return key->failed ? NULL : wp_cache_path(name);
}

char *wp_cuda_kernel_cache_path(const char *source, int capability)
{
    struct wp_text key = {0};
    add_key(&key, source, capability);
    char *path = path_of(&key);
    wp_text_free(&key);
    return path;
}

// Reads a regular file. NULL if it does not exist or cannot be read.
static char *read_file(const char *path, size_t *size)
{
    struct stat info = {0};
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0 ||
        (unsigned long long)info.st_size > most_bytes)
        return NULL;
    FILE *file = fopen(path, "rb");
    char *data = file ? wp_try_allocate((size_t)info.st_size + 1, 1) : NULL;
    const bool ok = data && fread(data, 1, (size_t)info.st_size, file) == (size_t)info.st_size;
    if (file)
        fclose(file);
    if (ok) {
        *size = (size_t)info.st_size;
        return data;
    }
    free(data);
    return NULL;
}

static bool copy_cubin(const char *data, size_t size, struct wp_cuda_cubin *to)
{
    to->data = wp_try_allocate(size, 1);
    if (!to->data)
        return false;
    memcpy(to->data, data, size);
    to->size = size;
    return true;
}

// Gets the code from the bytes of a file, which end with a 0. False if the file is not complete or
// has another key.
static bool parse(const char *data, size_t size, const struct wp_text *key,
                  struct wp_cuda_cubin *cubin)
{
    size_t key_size = 0, code_size = 0;
    unsigned long long hash = 0;
    char head[128];
    if (sscanf(data, HEAD, &key_size, &code_size, &hash) != 3)
        return false;
    // The header must be exactly as it is written.
    const int length = snprintf(head, sizeof head, HEAD, key_size, code_size, hash);
    if (length <= 0 || (size_t)length > size || memcmp(data, head, (size_t)length) != 0 ||
        key_size != key->length || code_size == 0 ||
        size - (size_t)length < key_size ||
        size - (size_t)length - key_size != code_size ||
        memcmp(data + length, key->data, key_size) != 0 ||
        wp_hash_bytes(data + (size_t)length + key_size, code_size) != hash)
        return false;
    return copy_cubin(data + (size_t)length + key_size, code_size, cubin);
}

static bool read_cached(const char *path, const struct wp_text *key, struct wp_cuda_cubin *cubin)
{
    size_t size = 0;
    char *data = read_file(path, &size);
    const bool ok = data && parse(data, size, key, cubin);
    if (data && !ok)
        wp_log(WP_LOG_VERBOSE, "%s is damaged or of another kernel; compiling again", path);
    free(data);
    return ok;
}

static bool write_cached(const char *path, const struct wp_text *key,
                       const struct wp_cuda_cubin *cubin)
{
    struct wp_output *output = wp_cache_open(path);
    if (!output)
        return false;
    FILE *file = wp_output_stream(output);
    fprintf(file, HEAD, key->length, cubin->size, wp_hash_bytes(cubin->data, cubin->size));
    fwrite(key->data, 1, key->length, file);
    fwrite(cubin->data, 1, cubin->size, file);
    return wp_output_commit(&output);
}

// The latest kernels that could not be written, for the rest of this process.
enum { REMEMBERED = 16 };
static struct {
    pthread_mutex_t lock;
    int next;
    struct {
        struct wp_text key;
        struct wp_cuda_cubin cubin;
    } kernel[REMEMBERED];
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void remember(const struct wp_text *key, const struct wp_cuda_cubin *cubin)
{
    struct wp_cuda_cubin copy = {0};
    struct wp_text copied = {0};
    wp_text_add(&copied, "%s", wp_text_get(key));
    if (copied.failed || !copy_cubin(cubin->data, cubin->size, &copy)) {
        wp_text_free(&copied);
        return;
    }
    pthread_mutex_lock(&memory.lock);
    const int i = memory.next++ % REMEMBERED;
    wp_text_free(&memory.kernel[i].key);
    wp_cuda_cubin_free(&memory.kernel[i].cubin);
    memory.kernel[i].key = copied;
    memory.kernel[i].cubin = copy;
    pthread_mutex_unlock(&memory.lock);
}

static bool recall(const struct wp_text *key, struct wp_cuda_cubin *cubin)
{
    bool found = false;
    pthread_mutex_lock(&memory.lock);
    for (int i = 0; i < REMEMBERED && !found && !key->failed; i++) {
        const struct wp_cuda_cubin *code = &memory.kernel[i].cubin;
        found = code->data && memory.kernel[i].key.length == key->length &&
                memcmp(memory.kernel[i].key.data, key->data, key->length) == 0 &&
                copy_cubin(code->data, code->size, cubin);
    }
    pthread_mutex_unlock(&memory.lock);
    return found;
}

static void store(const char *path, const struct wp_text *key, const struct wp_cuda_cubin *cubin)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    wp_begin_attempt();
    const bool ok = path && write_cached(path, key, cubin);
    wp_end_attempt();
    if (!ok)
        remember(key, cubin);
    if (!ok && !atomic_flag_test_and_set(&reported))
        wp_log(WP_LOG_INFO, "note: compiled kernels cannot be cached, so later runs compile them "
               "again (%s)", path ? wp_last_error_text() : "there is no cache directory");
    if (!ok && path)
        wp_clear_error();
}

bool wp_cuda_get_cubin(const char *source, int capability, const char *progress,
                       struct wp_cuda_cubin *cubin, bool *compiled, struct wp_text *log)
{
    struct wp_text key = {0};
    add_key(&key, source, capability);
    char *path = path_of(&key);
    *cubin = (struct wp_cuda_cubin){0};
    bool ok = (path && read_cached(path, &key, cubin)) || recall(&key, cubin);
    if (compiled)
        *compiled = !ok;
    if (!ok) {
        if (progress)
            wp_log(WP_LOG_INFO, "%s", progress);
        ok = wp_cuda_nvrtc_compile(source, capability, cubin, log);
        if (ok && !key.failed)
            store(path, &key, cubin);
    }
    free(path);
    wp_text_free(&key);
    return ok;
}

// The functions of the CUDA driver for modules, for which the runtime has no stable interface.
// Contexts are those of the runtime.
#define DRIVER(F) \
    F(cuModuleLoadData) F(cuModuleUnload) F(cuModuleGetFunction) F(cuFuncGetAttribute) \
    F(cuFuncSetAttribute) \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuLaunchKernelEx) F(cuGetErrorString)

static struct {
    DRIVER(MEMBER)
    char why_not[WHY_NOT]; // "": the driver was loaded
} driver;

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(driver.why_not, sizeof driver.why_not, "no CUDA driver: %.200s", dlerror());
        return;
    }
    bool complete = true;
#define FIND(name) \
    complete = complete && find(library, "the CUDA driver", #name, &driver.name, driver.why_not);
    DRIVER(FIND)
#undef FIND
    if (!complete)
        dlclose(library);
}

// Loads the driver when first called. NULL, or the reason why it is not available.
static const char *driver_why_not(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_driver);
    return driver.why_not[0] ? driver.why_not : NULL;
}

// Only if driver_why_not() returned NULL.
static const char *driver_error(CUresult result)
{
    const char *text = NULL;
    driver.cuGetErrorString(result, &text);
    return text ? text : "unknown error of the driver";
}

static int capability_of(const struct wp_device *device)
{
    return 10 * device->properties.major + device->properties.minor;
}

bool wp_cuda_kernels_run_on(const struct wp_device *device, char *why, size_t why_size)
{
    const char *missing = wp_cuda_nvrtc_why_not();
    if (!missing)
        missing = driver_why_not();
    if (missing)
        snprintf(why, why_size, "%s", missing);
    else if (!wp_cuda_nvrtc_knows(capability_of(device)))
        snprintf(why, why_size, "NVRTC %d.%d does not support compute capability %d.%d",
                 wp_cuda_nvrtc_version() / 1000, wp_cuda_nvrtc_version() % 1000 / 10,
                 device->properties.major, device->properties.minor);
    else
        return true;
    return false;
}

// Checks a kernel for spills, and sets its shared memory and the number of resident blocks.
static bool inspect(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                    struct wp_cuda_kernel *kernel, struct wp_text *why)
{
    int local = 0, a_processor = 0;
    kernel->bytes = (unsigned)params->bytes;
    CUresult result = driver.cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                                 kernel->function);
    if (result == CUDA_SUCCESS && params->bytes)
        result = driver.cuFuncSetAttribute(
            kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, params->bytes);
    if (result == CUDA_SUCCESS)
        result = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &a_processor, kernel->function, params->threads, kernel->bytes);
    const bool spilled = local && !params->may_spill;
    kernel->blocks = a_processor * device->properties.multiProcessorCount;
    if (result != CUDA_SUCCESS)
        wp_text_add(why, "%s", driver_error(result));
    else if (spilled)
        wp_text_add(why, "it would spill %d bytes per thread to memory", local);
    return result == CUDA_SUCCESS && !spilled;
}

static bool load(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                 const struct wp_cuda_cubin *cubin, struct wp_cuda_kernel *kernel,
                 struct wp_text *why)
{
    CUresult result = driver.cuModuleLoadData(&kernel->module, cubin->data);
    if (result == CUDA_SUCCESS)
        result = driver.cuModuleGetFunction(&kernel->function, kernel->module, params->function);
    if (result == CUDA_SUCCESS)
        return inspect(device, params, kernel, why);
    wp_text_add(why, "%s", driver_error(result));
    return false;
}

bool wp_cuda_kernel_make(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                         struct wp_cuda_kernel *kernel, struct wp_text *why)
{
    struct wp_cuda_cubin cubin = {0};
    struct wp_text log = {0};
    char progress[128];
    bool compiled;
    snprintf(progress, sizeof progress, "compiling the kernel of %s …", params->name);
    const double start = wp_clock_seconds();
    const bool complete = !params->source->failed;
    const bool has_code = complete && wp_cuda_get_cubin(wp_text_get(params->source),
                                                        capability_of(device),
                                                        params->slow_to_compile ? progress : NULL,
                                                        &cubin, &compiled, &log);
    if (complete && !has_code)
        wp_text_add(why, "%s", wp_text_get(&log));
    const bool loaded = has_code && load(device, params, &cubin, kernel, why);
    if (has_code)
        wp_log(WP_LOG_VERBOSE, "the kernel of %s was %s in %.0f ms", params->name,
               compiled ? "compiled" : "loaded from the cache", 1e3 * (wp_clock_seconds() - start));
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&log);
    wp_text_free(params->source);
    if (!loaded)
        wp_cuda_kernel_free(kernel);
    return loaded;
}

void wp_cuda_kernel_free(struct wp_cuda_kernel *kernel)
{
    if (kernel->module)
        driver.cuModuleUnload(kernel->module);
    *kernel = (struct wp_cuda_kernel){0};
}

int wp_cuda_kernel_launch(const struct wp_cuda_kernel *kernel, const unsigned grid[3],
                          const unsigned block[2], void *argument, bool early, void *stream)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    attribute.value.programmaticStreamSerializationAllowed = 1;
    const CUlaunchConfig config = {
        .gridDimX = grid[0], .gridDimY = grid[1], .gridDimZ = grid[2],
        .blockDimX = block[0], .blockDimY = block[1], .blockDimZ = 1,
        .sharedMemBytes = kernel->bytes,
        .hStream = stream,
        .attrs = &attribute,
        .numAttrs = early ? 1 : 0,
    };
    void *arguments[] = {argument};
    return driver.cuLaunchKernelEx(&config, kernel->function, arguments, NULL) ==
                   CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorLaunchFailure;
}
