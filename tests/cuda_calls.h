// Transform calls on memory of a CUDA device. The result must equal bit for bit the result on host
// memory, and nothing else may be written. A test fills in configurations; run_config() makes all
// calls of one configuration, run_call() makes one call.
#ifndef WP_TEST_CUDA_CALLS_H
#define WP_TEST_CUDA_CALLS_H

#include "cuda_operands.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// A buffer that grows on demand: pinned host memory, device memory or managed memory.
struct pool {
    float *data;
    size_t floats;
    bool device, managed;
};

extern struct pool host_in, host_out, got_in, got_out, device_in, device_out;

bool grow(const char *name, struct pool *pool, size_t floats);

// A host function that blocks a stream until the gate opens, to detect work that was enqueued in
// another stream.
struct gate {
    atomic_int open, timed_out;
    int milliseconds; // timeout after which it opens
};

void CUDART_CB block_stream(void *gate);

struct config {
    const char *wavelet, *variant, *layout, *border;
    int size[2], planes, levels;
    const struct wp_wavelet_data *data;
};

struct wp_transform *create(const struct config *c);
size_t samples_of(const struct config *c);
bool run_at(struct wp_transform *t, bool inverse, const struct wp_operand *from,
            const struct wp_operand *to);

// A call on device memory whose content is also on the host.
struct call {
    const char *name;
    struct wp_transform *t;
    bool inverse;
    const int *size;
    struct operand in, out;
    const float *from, *to; // planes of the input, and expected planes of the output
    cudaStream_t stream;
    bool gated; // enqueued after a gate, together with its uploads
    bool shared; // `out` lies in the memory of `in`
};

bool run_call(struct call *c);

// Results of the transform on host memory: image, coefficients, and the reconstructed image.
struct host {
    float *image, *coefficients, *round_trip;
};

bool make_host(const struct config *c, struct wp_transform *t, unsigned seed, struct host *h);
void free_host(struct host *h);

void name_case(char *name, size_t size, const struct config *c, bool inverse, enum kind in,
               enum kind out, const char *more);

struct kinds {
    int count;
    enum kind image[KIND_COUNT], coefficients[KIND_COUNT];
};

// `product`: combines each kind of image with each kind of coefficients; otherwise kind i of both.
void run_config(const struct config *c, const struct kinds *image,
                const struct kinds *coefficients, bool product, bool gated, cudaStream_t stream);

// A symmetric wavelet with a longer support than any shape that kernels are compiled for.
extern const struct wp_wavelet_data wide;

#endif
