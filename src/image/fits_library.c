#define WP_FITS_LIBRARY_C
#include "fits_library.h"

#include "log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct wp_fits_library wp_fits;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256]; // why loading failed, or ""

static void find(void *library, const char *name, void *function)
{
    *(void **)function = library ? dlsym(library, name) : NULL;
    if (!*(void **)function && !problem[0])
        snprintf(problem, sizeof problem, "%s", dlerror());
}

static void load(void)
{
    void *library = dlopen(WP_FITS_SONAME, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) find(library, #name, &wp_fits.name);
    WP_FITS_FUNCTIONS(FIND)
}

bool wp_fits_load(const char *file)
{
    pthread_once(&once, load);
    return !problem[0] ||
           wp_fail(WP_ERROR_UNAVAILABLE,
                   "%s is a FITS file, and CFITSIO cannot be loaded (%s)\nhint: install %s", file,
                   problem, WP_FITS_SONAME);
}
