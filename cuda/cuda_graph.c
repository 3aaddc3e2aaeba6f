// A small transform that is run again: its launches become a graph of the device, which is launched at
// once. Five launches take longer on the host than five small levels on the device.
//
// A graph holds what levels say when it is made: where the exec's own memory lies, which does not
// change, and what the elements of pixels stand for, which may: then it is made anew. Calls on a caller's
// memory launch level by level. What is run once does not pay for a graph, and the first run loads
// kernels and finds what is known of them, which is not for a capture. Without a graph, for whatever
// reason, all is as before.
#include "cuda_exec.h"
#include "cuda_nvtx.h"

// In samples; the largest that was measured has 4.2 million.
static const double GRAPH_MOST = 5e6;

static bool is_for_graph(const struct wp_exec *exec)
{
    const struct wp_description *d = &exec->description;
    return exec->levels > 1 && wp_description_depth(d) == 1 &&
           (double)d->size[WP_X] * (double)d->size[WP_Y] <= GRAPH_MOST;
}

// Whether launches are as they were; notes it where not.
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

// What a launch puts into `stream`, which waits for nobody else.
static cudaError_t capture(const struct wp_exec *exec, cudaStream_t stream, cudaGraph_t *graph)
{
    // Other threads may go on to allocate, and to wait for the default stream.
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
