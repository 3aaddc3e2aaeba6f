// Instead of cpu_threads.c where the compiler has no OpenMP.
#include "cpu_threads.h"

const char *const wp_cpu_threads_model = "none, because this build has no OpenMP";

int wp_cpu_threads(void)
{
    return 1;
}

void wp_cpu_share(int threads, int count, void (*task)(void *user, int i, int thread), void *user)
{
    (void)threads;
    for (int i = 0; i < count; i++)
        task(user, i, 0);
}
