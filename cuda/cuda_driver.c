#include "cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct wp_cuda_driver driver;
static char why_not[256]; // "": the driver was loaded
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); // ISO C cannot cast an object to a function pointer
    if (!found)
        snprintf(why_not, sizeof why_not, "the CUDA driver has no %s: it is too old", name);
    return found != NULL;
}

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why_not, sizeof why_not, "no CUDA driver: %.200s", dlerror());
        return;
    }
    bool complete = true;
#define FIND(name) complete = complete && find(library, #name, &driver.name);
    WP_CUDA_DRIVER_FUNCTIONS(FIND)
#undef FIND
    if (!complete)
        dlclose(library);
}

const char *wp_cuda_driver_why_not(void)
{
    pthread_once(&once, open_driver);
    return why_not[0] ? why_not : NULL;
}

const struct wp_cuda_driver *wp_cuda_get_driver(void)
{
    pthread_once(&once, open_driver);
    return &driver;
}

const char *wp_cuda_driver_error(CUresult result)
{
    const char *text = NULL;
    if (wp_cuda_driver_why_not() || driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
        return "unknown error of the driver";
    return text;
}
