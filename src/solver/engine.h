// The engine interface: an implementation of the iterations of a reconstruction on the CPU or a
// device.
#ifndef WP_ENGINE_H
#define WP_ENGINE_H

#include "wavelet.h"
#include "transform.h"
#include "wavepass_reconstruct.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_engine; // state of an engine for a task

// How the split variable w of the wavelet term is stored.
enum wp_wavelet_form {
    WP_FORM_NO_WAVELET,
    WP_FORM_COEFFICIENTS, // w = W u, with W'W = 1
    WP_FORM_IMAGE,        // w = u; the shrinkage is W^-1 shrink(W w)
    WP_FORM_EXACT         // w = W u, for any W'W
};

// A problem with checked parameters and all defaults set.
struct wp_task {
    int size[3];
    double tv, wav, mu, lambda, gamma; // gamma is 0 if wav is 0, lambda is 0 if tv is 0
    struct wp_wavelet wavelet;
    const char *wavelet_name;
    int levels;
    enum wp_wavelet_form form;
    bool spin;
    unsigned long long seed;
    int threads;
    const struct wp_reconstruct_model *model;
    const float *data;
};

struct wp_engine_facts {
    int padded[3];
    double bytes;
    int transforms;
    double transform_seconds; // so far; 0 if not measured
    int at_once;              // preferred number of iterations per call
};

struct wp_engine_kind {
    const char *name;
    struct wp_engine *(*open)(const struct wp_task *task); // NULL after an error
    void (*close)(struct wp_engine *engine);               // accepts NULL
    struct wp_engine_facts (*facts)(const struct wp_engine *engine);
    // Runs `count` inner iterations of one outer iteration, after `number` iterations in total. If
    // `first`, begins the outer iteration and recomputes values that iterations update. If `last`,
    // ends it: f_k becomes f_k+1. `residual` is set to |K u - f| of the latest iteration.
    bool (*iterate)(struct wp_engine *engine, int number, int count, bool first, bool last,
                    double *residual);
    bool (*image)(const struct wp_engine *engine, float *image); // copies u
    // Size, saving and restoring of the state, which begins with the image.
    size_t (*state_size)(const struct wp_engine *engine);
    void (*save)(const struct wp_engine *engine, unsigned char *state);
    void (*resume)(struct wp_engine *engine, const unsigned char *state);
};

extern const struct wp_engine_kind wp_engine_cpu, wp_engine_cuda, wp_engine_compute;

// ---- the data of a model of Cartesian k-space, for engines with their own implementation ----

// Arrays are in host memory; `maps` may be NULL.
struct wp_cartesian_data {
    int size[3], coils;
    const unsigned char *mask;
    const float *maps;
};

// False if the model is not one of wp_cartesian.
bool wp_cartesian_find_data(const struct wp_reconstruct_model *model,
                             struct wp_cartesian_data *data);

// ---- tasks for engines on devices, which process the complete image ----

struct wp_task_shape {
    int padded[3]; // multiples of 2^levels
    size_t samples, padded_samples;
    int gradient_axes; // number of axes with more than one sample
    bool descent;      // not diagonal in k-space: solved by descent steps
    double unitary;    // scale of a unitary Fourier transform
};

struct wp_task_shape wp_task_shape(const struct wp_task *task);

// Creates two transforms of the real and imaginary planes of a part of the padded image: W, and its
// inverse, or for WP_FORM_EXACT its adjoint. They are separate because a transform that changes
// direction allocates its memory again. `params` has the backend and its options, and the boundary
// extension. False after an error; the caller destroys the transforms in any case.
bool wp_task_make_transforms(const struct wp_task *task, const int size[3],
                             struct wp_transform_params params, struct wp_transform **forward,
                             struct wp_transform **inverse);

// Computes the eigenvalues 2 - 2 cos of grad'grad along x, then y, then z.
void wp_task_laplacian(const struct wp_task *task, float *laplacian);

// Determines whether a wavelet is its own dual: with the norm "orthonormal" and periodic borders
// the adjoint of its transform is the inverse. False after WP_ERROR_TOO_LARGE.
bool wp_wavelet_check_orthonormal(const struct wp_wavelet *wavelet, bool *orthonormal);

// ---- shifts for cycle spinning ----

// The shift of iteration `number`, in samples along each axis.
void wp_shift_at(unsigned long long seed, int number, const int size[3], int shift[3]);

// ---- large zeroed arrays of floats, aligned to a cache line or a huge page ----

struct wp_floats {
    float *data;
    size_t count;
    void *memory;
};

// Allocates an array, also of 0 floats. False after WP_ERROR_TOO_LARGE.
bool wp_floats_acquire(struct wp_floats *floats, size_t count, const char *purpose);
void wp_floats_free(struct wp_floats *floats);

#endif
