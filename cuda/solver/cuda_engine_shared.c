// What the engine's files share.
#include "cuda_engine.h"
#include "log.h"

bool wp_cuda_solver_ok(int error, const char *what)
{
    return error == cudaSuccess || wp_fail(WP_ERROR_INTERNAL, "%s failed (CUDA: %s)", what,
                                           cudaGetErrorString((cudaError_t)error));
}

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
