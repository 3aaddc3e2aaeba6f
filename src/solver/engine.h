// The seam: what computes the iterations of a reconstruction, on a processor or a device.
#ifndef WP_ENGINE_H
#define WP_ENGINE_H

#include "wavelet.h"
#include "wavepass_reconstruct.h"

// How the wavelet's part is split off.
enum wp_wavelet_form {
    WP_FORM_NO_WAVELET,
    WP_FORM_COEFFICIENTS, // w = W u, with W'W = 1
    WP_FORM_IMAGE,        // w = u, and shrinks as W^-1 shrink(W w)
    WP_FORM_EXACT         // w = W u, with W'W as it is
};

// What is to be solved, checked and without zeros that stand for something.
struct wp_task {
    int size[3];
    double tv, wav, mu, lambda, gamma; // gamma 0 without a wavelet, lambda 0 without tv
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

struct wp_engine; // an engine's memory for a task

struct wp_engine_facts {
    int padded[3];
    double bytes;
    int transforms;
    double transform_seconds; // so far; 0 where that is not measured
    int at_once; // iterations of a call that suits it
};

struct wp_engine_kind {
    const char *name;
    struct wp_engine *(*open)(const struct wp_task *task); // NULL after an error
    void (*close)(struct wp_engine *engine);               // accepts NULL
    struct wp_engine_facts (*facts)(const struct wp_engine *engine);
    // `count` inner iterations of one outer loop, `number` of all having gone before. At the loop's
    // `first` one sums that are carried along are made anew; after its `last` one f_k becomes
    // f_k+1. `residual` gets |K u - f| of the latest.
    bool (*iterate)(struct wp_engine *engine, int number, int count, bool first, bool last,
                    double *residual);
    bool (*image)(const struct wp_engine *engine, float *image);
    // A state begins with the image.
    size_t (*state_size)(const struct wp_engine *engine);
    void (*save)(const struct wp_engine *engine, unsigned char *state);
    void (*resume)(struct wp_engine *engine, const unsigned char *state);
};

extern const struct wp_engine_kind wp_engine_cpu, wp_engine_cuda, wp_engine_compute;

// |f|.
double wp_task_norm(const struct wp_task *task);

#endif
