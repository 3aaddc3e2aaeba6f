// Calls of a transform on memory of a CUDA device: bit for bit what the same transform makes of
// memory of the host, and nothing else written. A test makes configurations, run_config() the calls
// of one, run_call() one.
#ifndef WP_TEST_CUDA_CALLS_H
#define WP_TEST_CUDA_CALLS_H

#include "cuda_operands.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// Memory that grows and is used again: pinned, or the device's.
struct pool {
    float *data;
    size_t floats;
    bool device, managed;
};

extern struct pool host_in, host_out, got_in, got_out, device_in, device_out;

bool grow(const char *name, struct pool *pool, size_t floats);

// What holds a stream up until it is let go: what is not in that stream comes too early then.
struct gate {
    atomic_int open, timed_out;
    int milliseconds; // after which it opens by itself
};

void CUDART_CB hold(void *gate);

struct config {
    const char *wavelet, *variant, *layout, *border;
    int size[2], planes, levels;
    const struct wp_wavelet_data *data;
};

struct wp_transform *create(const struct config *c);
size_t samples_of(const struct config *c);
bool run_at(struct wp_transform *t, bool inverse, const struct wp_memory *from,
            const struct wp_memory *to);

// A call on memory of the device, of which the host has a copy.
struct call {
    const char *name;
    struct wp_transform *t;
    bool inverse;
    const int *size;
    struct side in, out;
    const float *from, *to; // planes that go in, and those that must come out
    cudaStream_t stream;
    bool gated; // behind a gate, with what goes in behind it, too
    bool shared; // `out` lies in the memory of `in`
};

bool run_call(struct call *c);

// What the transform makes of memory of the host: image, coefficients, and the image again.
struct host {
    float *image, *coefficients, *back;
};

bool make_host(const struct config *c, struct wp_transform *t, unsigned seed, struct host *h);
void free_host(struct host *h);

void name_case(char *name, size_t size, const struct config *c, bool inverse, enum kind in,
               enum kind out, const char *more);

struct kinds {
    int count;
    enum kind image[KIND_COUNT], coefficients[KIND_COUNT];
};

// Every kind of image with every kind of coefficients, or one to one.
void run_config(const struct config *c, const struct kinds *image,
                const struct kinds *coefficients, bool product, bool gated, cudaStream_t stream);

// A symmetric wavelet that reaches farther than any shape that kernels are compiled for.
extern const struct wp_wavelet_data wide;

#endif
