#include "cpu_threads.h"

#include <omp.h>

const char *const wp_cpu_threads_model = "OpenMP";

int wp_cpu_threads(void)
{
    return omp_get_max_threads();
}

void wp_cpu_share(int threads, int count, void (*task)(void *user, int i, int thread), void *user)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1 && count > 1)
    for (int i = 0; i < count; i++)
        task(user, i, omp_get_thread_num());
}
