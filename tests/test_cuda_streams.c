// Transforms in streams of the caller, concurrently and one after the other. Skipped without a GPU.
#include "cuda_calls.h"
#include "cuda_cases.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// A transform with its own device memory, for concurrent calls.
struct job {
    struct wp_transform *t;
    struct host host[2];
    float *device[2][2]; // input and output of two calls
    float *pinned[2];
    size_t bytes;
};

static const struct config job_config = {.wavelet = "cdf97", .size = {640, 480}, .levels = 3};

static bool make_job(struct job *j, unsigned seed)
{
    *j = (struct job){.t = create(&job_config),
                      .bytes = samples_of(&job_config) * sizeof(float)};
    bool ok = j->t != NULL;
    for (int i = 0; i < 2 && ok; i++) {
        ok = make_host(&job_config, j->t, seed + (unsigned)i, &j->host[i]) &&
             cuda("a job", cudaMallocHost((void **)&j->pinned[i], j->bytes), "memory");
        for (int k = 0; k < 2 && ok; k++)
            ok = cuda("a job", cudaMalloc((void **)&j->device[i][k], j->bytes), "memory") &&
                 cuda("a job", cudaMemset(j->device[i][k], 0xff, j->bytes), "memory");
        if (ok)
            memcpy(j->pinned[i], j->host[i].image, j->bytes);
    }
    // Loads the kernels of the forward transform.
    const struct wp_operand from = {.data = j->device[0][0], .location = WP_LOCATION_CUDA};
    const struct wp_operand to = {.data = j->device[0][1], .location = WP_LOCATION_CUDA};
    ok = ok && wp_transform_forward(j->t, &from, &to) &&
         cuda("a job", cudaDeviceSynchronize(), "the first call");
    for (int i = 0; i < 2 && ok; i++)
        for (int k = 0; k < 2 && ok; k++)
            ok = cuda("a job", cudaMemset(j->device[i][k], 0xff, j->bytes), "memory");
    ok = ok && cuda("a job", cudaDeviceSynchronize(), "memory");
    if (!ok)
        report("a job", "not created: %s", wp_last_error_text());
    return ok;
}

static void free_job(struct job *j)
{
    wp_transform_destroy(&j->t);
    for (int i = 0; i < 2; i++) {
        free_host(&j->host[i]);
        cudaFreeHost(j->pinned[i]);
        for (int k = 0; k < 2; k++)
            cudaFree(j->device[i][k]);
    }
}

// Enqueues call i: upload and forward transform.
static bool enqueue_job(struct job *j, int i, cudaStream_t stream, const char *name)
{
    const struct wp_operand from = {.data = j->device[i][0], .location = WP_LOCATION_CUDA};
    const struct wp_operand to = {.data = j->device[i][1], .location = WP_LOCATION_CUDA};
    cases++;
    if (!cuda(name, cudaMemcpyAsync(j->device[i][0], j->pinned[i], j->bytes, cudaMemcpyDefault,
                                    stream), "uploading"))
        return false;
    if (wp_transform_set_stream(j->t, stream) && wp_transform_forward(j->t, &from, &to))
        return true;
    report(name, "refused: %s", wp_last_error_text());
    return false;
}

static void check_job(struct job *j, int i, const char *name)
{
    const size_t n = samples_of(&job_config);
    float *got = calloc(n, sizeof(float));
    if (got && cuda(name, cudaMemcpy(got, j->device[i][1], j->bytes, cudaMemcpyDefault),
                    "downloading")) {
        size_t first = 0;
        while (first < n && memcmp(&got[first], &j->host[i].coefficients[first], 4) == 0)
            first++;
        if (first < n)
            report(name, "call %d: float %zu is %g, not %g", i, first, (double)got[first],
                   (double)j->host[i].coefficients[first]);
    }
    free(got);
}

static void test_streams(void **state)
{
    (void)state;
    const int cases_before = cases, failures_before = failures;
    static struct job a, b;
    const cudaStream_t first = make_stream(), second = make_stream();
    if (!broken && make_job(&a, 11) && make_job(&b, 21)) {
        // Two transforms, one of them blocked: the other does not wait.
        struct gate gate = {.milliseconds = 2000};
        cuda("two transforms", cudaLaunchHostFunc(first, block_stream, &gate), "blocking");
        enqueue_job(&a, 0, first, "two transforms, the blocked one");
        enqueue_job(&b, 0, second, "two transforms, the other");
        cuda("two transforms", cudaStreamSynchronize(second), "the other's stream");
        if (cudaStreamQuery(first) != cudaErrorNotReady)
            report("two transforms", "one waited for the other");
        cudaGetLastError();
        atomic_store(&gate.open, 1);
        cuda("two transforms", cudaStreamSynchronize(first), "the blocked stream");
        check_job(&a, 0, "two transforms, the blocked one");
        check_job(&b, 0, "two transforms, the other");
        // Both concurrently, repeatedly.
        for (int i = 0; i < 20; i++) {
            enqueue_job(&a, i % 2, first, "two transforms at once");
            enqueue_job(&b, i % 2, second, "two transforms at once");
        }
        cuda("two transforms at once", cudaDeviceSynchronize(), "waiting");
        for (int i = 0; i < 2; i++) {
            check_job(&a, i, "two transforms at once, one");
            check_job(&b, i, "two transforms at once, the other");
        }
    }
    // One transform in two streams: the second call waits for the first.
    if (!broken && a.t && b.t) {
        struct gate gate = {.milliseconds = 2000};
        for (int i = 0; i < 2; i++)
            cuda("one transform", cudaMemset(a.device[i][1], 0xff, a.bytes), "clearing");
        cuda("one transform", cudaDeviceSynchronize(), "clearing");
        cuda("one transform", cudaLaunchHostFunc(first, block_stream, &gate), "blocking");
        enqueue_job(&a, 0, first, "one transform, two streams");
        enqueue_job(&a, 1, second, "one transform, two streams");
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        if (cudaStreamQuery(second) != cudaErrorNotReady)
            report("one transform, two streams", "the second call did not wait");
        cudaGetLastError();
        atomic_store(&gate.open, 1);
        cuda("one transform", cudaDeviceSynchronize(), "waiting");
        check_job(&a, 0, "one transform, two streams");
        check_job(&a, 1, "one transform, two streams");
    }
    // A call on the host while a stream is busy, then the destruction of a busy transform.
    if (!broken && a.t && b.t) {
        const size_t n = samples_of(&job_config);
        struct gate timed_gate[2] = {{.milliseconds = 100}, {.milliseconds = 100}};
        float *got = calloc(n, sizeof(float));
        cuda("the host meanwhile", cudaMemset(a.device[0][1], 0xff, a.bytes), "clearing");
        cuda("the host meanwhile", cudaMemset(b.device[0][1], 0xff, b.bytes), "clearing");
        cuda("the host meanwhile", cudaDeviceSynchronize(), "clearing");
        cuda("the host meanwhile", cudaLaunchHostFunc(first, block_stream, &timed_gate[0]),
             "blocking");
        enqueue_job(&a, 0, first, "the host meanwhile");
        if (!got || !wp_transform_forward(a.t, WP_ARRAY(a.host[1].image), WP_ARRAY(got)))
            report("the host meanwhile", "%s", wp_last_error_text());
        else if (memcmp(got, a.host[1].coefficients, a.bytes) != 0)
            report("the host meanwhile", "the result on the host differs");
        if (!atomic_load(&timed_gate[0].timed_out))
            report("the host meanwhile", "it did not wait for the stream");
        cuda("the host meanwhile", cudaStreamSynchronize(first), "waiting");
        check_job(&a, 0, "the host meanwhile");
        cuda("the end meanwhile", cudaLaunchHostFunc(second, block_stream, &timed_gate[1]),
             "blocking");
        enqueue_job(&b, 0, second, "the end meanwhile");
        wp_transform_destroy(&b.t);
        if (!atomic_load(&timed_gate[1].timed_out))
            report("the end meanwhile", "the transform was destroyed before its stream was done");
        cuda("the end meanwhile", cudaStreamSynchronize(second), "waiting");
        check_job(&b, 0, "the end meanwhile");
        free(got);
    }
    free_job(&a);
    free_job(&b);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    finish("streams", cases_before, failures_before);
}

int main(void)
{
    if (!find_device())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
