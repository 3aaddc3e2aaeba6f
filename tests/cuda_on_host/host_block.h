// Runs blocks of kernels with barriers on the host: every thread of a block is one of the host.
// Include before the headers of kernels.
#ifndef HOST_BLOCK_H
#define HOST_BLOCK_H

#include <cuda_runtime.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

// The shared memory of a kernel is a variable of the test with the same name.
#undef __shared__
#define __shared__

template <class T>
T __ldcs(const T *from)
{
    return *from;
}

struct host_barrier {
    std::mutex mutex;
    std::condition_variable all;
    unsigned threads, waiting;
    unsigned long passed;

    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex);
        const unsigned long before = passed;
        if (++waiting == threads) {
            waiting = 0;
            passed++;
            all.notify_all();
        } else {
            all.wait(lock, [&] { return passed != before; });
        }
    }
};
inline host_barrier the_barrier;

inline void __syncthreads()
{
    the_barrier.wait();
}

// Every thread must reach all barriers.
template <class F>
void host_run_block(unsigned threads, F &&kernel)
{
    std::vector<std::thread> all;
    the_barrier.threads = threads;
    for (unsigned t = 0; t < threads; t++)
        all.emplace_back([&kernel, t] {
            threadIdx.x = t;
            kernel();
        });
    for (std::thread &thread : all)
        thread.join();
}

#endif
