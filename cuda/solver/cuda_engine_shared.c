// What the engine's files share.
#include "cuda_engine.h"

struct wp_frequencies wp_cuda_frequencies(const struct wp_engine *e)
{
    const int *n = e->task.size;
    return (struct wp_frequencies){
        .size = {n[0], n[1], n[2]},
        .turn = {e->turn, e->turn + n[0], e->turn + n[0] + n[1]},
        .diagonal = e->diagonal,
        .mu = (float)e->task.mu,
        .lambda = (float)e->task.lambda,
        .gamma = (float)e->task.gamma,
    };
}
