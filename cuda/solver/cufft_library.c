#include "cufft_library.h"

#include "log.h"
#include "memory.h"

#include <cufft.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct wp_cufft {
    void *library;
    cufftHandle plan;
    bool planned;
    cufftResult (*plan_many)(cufftHandle *plan, int rank, int *n, int *inembed, int istride,
                             int idist, int *onembed, int ostride, int odist, cufftType type,
                             int batch);
    cufftResult (*set_stream)(cufftHandle plan, cudaStream_t stream);
    cufftResult (*run)(cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction);
    cufftResult (*destroy)(cufftHandle plan);
};

static bool find(struct wp_cufft *fft, const char *name, void *function)
{
    *(void **)function = dlsym(fft->library, name);
    return *(void **)function ||
           wp_fail(WP_ERROR_UNAVAILABLE, "the cuFFT library has no %s", name);
}

static bool load(struct wp_cufft *fft)
{
    const char *const given = getenv("WAVEPASS_CUFFT");
    char default_name[32];
    snprintf(default_name, sizeof default_name, "libcufft.so.%d", CUFFT_VER_MAJOR);
    const char *const name = given && *given ? given : default_name;
    fft->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!fft->library)
        return wp_fail(WP_ERROR_UNAVAILABLE,
                       "reconstruction on CUDA requires cuFFT, and %s cannot be loaded (%s)"
                       "\nhint: it is part of the CUDA Toolkit; set WAVEPASS_CUFFT to its path, or "
                       "use backend 'cpu', which needs neither",
                       name, dlerror());
    return find(fft, "cufftPlanMany", &fft->plan_many) &&
           find(fft, "cufftSetStream", &fft->set_stream) &&
           find(fft, "cufftExecC2C", &fft->run) && find(fft, "cufftDestroy", &fft->destroy);
}

static bool succeeded(cufftResult result, const char *action)
{
    return result == CUFFT_SUCCESS ||
           wp_fail(WP_ERROR_INTERNAL, "%s failed (cuFFT: %d)", action, (int)result);
}

// Axes of one sample are omitted. cuFFT expects the slowest axis first.
static bool make_plan(struct wp_cufft *fft, const int size[3])
{
    int n[3], rank = 0;
    for (int a = 2; a >= 0; a--)
        if (size[a] > 1)
            n[rank++] = size[a];
    if (rank == 0)
        n[rank++] = 1;
    fft->planned = succeeded(fft->plan_many(&fft->plan, rank, n, NULL, 1, 0, NULL, 1, 0,
                                            CUFFT_C2C, 1),
                             "planning an FFT");
    return fft->planned;
}

struct wp_cufft *wp_cufft_create(const int size[3])
{
    struct wp_cufft *fft = wp_allocate(1, sizeof *fft, "an FFT");
    if (!fft)
        return NULL;
    if (!load(fft) || !make_plan(fft, size))
        wp_cufft_destroy(&fft);
    return fft;
}

void wp_cufft_destroy(struct wp_cufft **slot)
{
    struct wp_cufft *fft = *slot;
    *slot = NULL;
    if (!fft)
        return;
    if (fft->planned)
        fft->destroy(fft->plan);
    if (fft->library)
        dlclose(fft->library);
    free(fft);
}

bool wp_cufft_run(struct wp_cufft *fft, bool inverse, float *from, float *to, cudaStream_t stream)
{
    return succeeded(fft->set_stream(fft->plan, stream), "setting the stream of an FFT") &&
           succeeded(fft->run(fft->plan, (cufftComplex *)from, (cufftComplex *)to,
                              inverse ? CUFFT_INVERSE : CUFFT_FORWARD),
                     "an FFT");
}
