// Streams of CUDA, with functions of the driver, which is loaded when first
// needed.
#include "_array.h"

#include <dlfcn.h>
#include <string.h>

typedef int (*create_function)(void **event, unsigned flags);
typedef int (*record_function)(void *event, void *stream);
typedef int (*wait_function)(void *stream, void *event, unsigned flags);
typedef int (*destroy_function)(void *event);

enum { EVENT_DISABLE_TIMING = 2 }; // CU_EVENT_DISABLE_TIMING

static struct {
    void *handle;
    create_function create;
    record_function record;
    wait_function wait;
    destroy_function destroy;
} driver;

// Called with the GIL, so by one thread at a time.
static bool open_driver(void)
{
    if (driver.destroy)
        return true;
    if (!driver.handle)
        driver.handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const found[] = {
        driver.handle ? dlsym(driver.handle, "cuEventCreate") : NULL,
        driver.handle ? dlsym(driver.handle, "cuEventRecord") : NULL,
        driver.handle ? dlsym(driver.handle, "cuStreamWaitEvent") : NULL,
        driver.handle ? dlsym(driver.handle, "cuEventDestroy_v2") : NULL,
    };
    if (!found[0] || !found[1] || !found[2] || !found[3]) {
        PyErr_SetString(PyExc_RuntimeError,
                        "an array names a CUDA stream, but the driver, libcuda.so.1, "
                        "cannot be loaded");
        return false;
    }
    // ISO C cannot cast an object to a function pointer.
    memcpy(&driver.create, &found[0], sizeof found[0]);
    memcpy(&driver.record, &found[1], sizeof found[1]);
    memcpy(&driver.wait, &found[2], sizeof found[2]);
    memcpy(&driver.destroy, &found[3], sizeof found[3]);
    return true;
}

// The default stream has two names.
static bool are_equal(void *a, void *b)
{
    return a == b || ((!a || a == (void *)1) && (!b || b == (void *)1));
}

bool wp_py_stream_wait(void *stream, void *other)
{
    void *event = NULL;
    if (are_equal(stream, other))
        return true;
    if (!open_driver())
        return false;
    int status = driver.create(&event, EVENT_DISABLE_TIMING);
    if (status == 0)
        status = driver.record(event, other);
    if (status == 0)
        status = driver.wait(stream, event, 0);
    if (event)
        driver.destroy(event); // after the work that waits for it
    if (status == 0)
        return true;
    PyErr_Format(PyExc_RuntimeError,
                 "the stream of an array cannot be waited for (error %d of the CUDA "
                 "driver)",
                 status);
    return false;
}
