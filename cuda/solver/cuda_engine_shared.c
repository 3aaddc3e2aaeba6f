// A function that several files of the engine use.
#include "cuda_engine.h"

struct wp_frequencies wp_cuda_frequencies(const struct wp_engine *e)
{
    const int *n = e->task.size;
    return (struct wp_frequencies){
        .size = {n[0], n[1], n[2]},
        .eigenvalues = {e->eigenvalues, e->eigenvalues + n[0], e->eigenvalues + n[0] + n[1]},
        .diagonal = e->diagonal,
        .mu = (float)e->task.mu,
        .lambda = (float)e->task.lambda,
        .gamma = (float)e->task.gamma,
    };
}
