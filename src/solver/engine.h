// The engine interface: an implementation of the iterations of a reconstruction on the CPU or a
// device.
#ifndef WP_ENGINE_H
#define WP_ENGINE_H

#include "wavelet.h"
#include "wavepass_reconstruct.h"

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

struct wp_engine; // state of an engine for a task

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

// |f|.
double wp_task_norm(const struct wp_task *task);

#endif
