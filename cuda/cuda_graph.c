// Small transforms that run again are captured as a CUDA graph, which needs one launch: five
// launches take longer on the host than five small levels on the device.
//
// A graph contains the addresses of the exec's memory, which do not change, and the scale of the
// elements, after whose change it is created again. Calls on the caller's memory launch each level.
// The graph is created at the second run: a transform that runs once does not pay for it, and the
// first run loads kernels and queries their attributes, which is not possible during a capture. If
// it cannot be created, levels are launched one by one.
#include "cuda_exec.h"
#include "cuda_nvtx.h"

static const double GRAPH_MOST = 5e6; // samples; the largest transform measured has 4.2 million

static bool is_for_graph(const struct wp_exec *exec)
{
    const struct wp_description *d = &exec->description;
    return exec->levels > 1 && wp_description_depth(d) == 1 &&
           (double)d->size[WP_X] * (double)d->size[WP_Y] <= GRAPH_MOST;
}

// True if elements and scale are those of the previous run; records them.
static bool is_as_before(struct wp_exec *exec)
{
    struct wp_cuda_graph *graph = &exec->graph;
    const struct wp_cuda_typed *samples = &exec->typed[true];
    const struct wp_element_scale scale =
        samples->direct ? samples->elements.scale : (struct wp_element_scale){0};
    const bool same = graph->direct == samples->direct && graph->scale.one == scale.one &&
                      graph->scale.largest == scale.largest;
    graph->direct = samples->direct;
    graph->scale = scale;
    return same;
}

// Captures the launches of all levels in `stream`.
static cudaError_t capture(const struct wp_exec *exec, cudaStream_t stream, cudaGraph_t *graph)
{
    // Other threads may allocate and synchronize with the default stream during the capture.
    cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (error != cudaSuccess)
        return error;
    wp_cuda_set_stream(exec, stream);
    error = wp_cuda_launch(exec);
    wp_cuda_set_stream(exec, NULL);
    const cudaError_t ended = cudaStreamEndCapture(stream, graph);
    return error == cudaSuccess ? ended : error;
}

void wp_cuda_graph_make(struct wp_exec *exec)
{
    enum { RUN = 2 };
    if (!is_as_before(exec)) {
        wp_cuda_graph_free(exec);
        exec->graph.runs = 0;
    }
    if (exec->graph.runs == RUN || ++exec->graph.runs < RUN || !is_for_graph(exec))
        return;
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = capture(exec, stream, &graph);
    if (error == cudaSuccess)
        error = cudaGraphInstantiateWithFlags(&exec->graph.ready, graph, 0);
    if (error != cudaSuccess) {
        exec->graph.ready = NULL;
        cudaGetLastError();
    }
    if (graph)
        cudaGraphDestroy(graph);
    if (stream)
        cudaStreamDestroy(stream);
}

cudaError_t wp_cuda_graph_launch(const struct wp_exec *exec)
{
    if (!exec->graph.ready)
        return wp_cuda_launch(exec);
    wp_cuda_range_begin(exec->name);
    const cudaError_t error = cudaGraphLaunch(exec->graph.ready, NULL);
    wp_cuda_range_end();
    return error;
}

void wp_cuda_graph_free(struct wp_exec *exec)
{
    if (exec->graph.ready)
        cudaGraphExecDestroy(exec->graph.ready);
    exec->graph.ready = NULL;
}
