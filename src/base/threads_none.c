// Replaces threads.c on systems without threads.
#include "threads.h"

const char *const wp_threads_model = "none, because this build has no threads";

int wp_threads_count(void)
{
    return 1;
}

void wp_threads_share(int threads, int count, void (*task)(void *user, int i, int thread),
                      void *user)
{
    (void)threads;
    for (int i = 0; i < count; i++)
        task(user, i, 0);
}
