// The sources of kernels that are compiled at run time: the files that they include, and the
// lifting program of a level in C++, for the templates of cuda_patch.cuh and cuda_lifting.cuh.
#include "cuda_batch.h"
#include "cuda_jit.h"

#include "cuda_exec.h"
#include "text.h"

#define FILES(F) \
    F("cuda_patch.cuh", patch) F("cuda_patch_elements.cuh", patch_elements) \
    F("cuda_elements.cuh", elements) F("elements.h", element_types) \
    F("wavepass_operand.h", operand) F("cuda_stream_z.cuh", stream_z) F("cuda_chain.cuh", chain) \
    F("cuda_temporal.cuh", temporal) F("cuda_lifting.cuh", lifting) F("cuda_access.cuh", access) \
    F("cuda_quads.cuh", quads) F("cuda_shape.cuh", shape) F("cuda_level.h", level) \
    F("cuda_batch.cuh", batch) F("cuda_batch_tile.cuh", batch_tile) \
    F("cuda_batch.h", batch_args) F("cuda_stored.cuh", stored) F("cuda_bank.cuh", bank) \
    F("cuda_bank.h", bank_args) F("cuda_batch_signal.cuh", batch_signal) \
    F("cuda_packets.cuh", packets) F("cuda_packets.h", packets_args) \
    F("cuda_batch_border.cuh", batch_border) F("bands.h", bands) F("lifting.h", program) \
    F("wavelet.h", wavelet)
#define DECLARE(name, symbol) extern const unsigned char wp_cuda_text_##symbol[];
#define ENTRY(name, symbol) {name, (const char *)wp_cuda_text_##symbol},
FILES(DECLARE)

// The files of this program, and replacements for the standard headers that NVRTC does not have.
const struct wp_cuda_include wp_cuda_includes[WP_CUDA_INCLUDES] = {
    FILES(ENTRY)
    {"cuda_runtime.h", "typedef struct CUstream_st *cudaStream_t;\n"},
    {"stdbool.h", ""},
    {"stddef.h", "typedef decltype((char *)0 - (char *)0) ptrdiff_t;\n"
                 "typedef decltype(sizeof 0) size_t;\n"},
    {"type_traits", "namespace std {\n"
                    "template <bool B, class T, class F> struct conditional {\n"
                    "    using type = T;\n"
                    "};\n"
                    "template <class T, class F> struct conditional<false, T, F> {\n"
                    "    using type = F;\n"
                    "};\n"
                    "template <class T, class U> struct is_same {\n"
                    "    static constexpr bool value = false;\n"
                    "};\n"
                    "template <class T> struct is_same<T, T> {\n"
                    "    static constexpr bool value = true;\n"
                    "};\n"
                    "}\n"},
    {"utility", "namespace std {\n"
                "template <class T, T V> struct integral_constant {\n"
                "    static constexpr T value = V;\n"
                "};\n"
                "}\n"},
};

// A step that has taps or rounds.
struct step {
    bool predict;
    int kmin, kmax;
    const struct wp_cuda_step *of;
    const struct wp_filter *exact; // taps in doubles, or NULL
};

static int find_steps(const struct wp_cuda_level *level, const struct wp_lifting *exact,
                      struct step step[WP_STEPS_MAX])
{
    int count = 0;
    for (int s = 0; s < level->steps; s++) {
        const struct wp_cuda_step *of = &level->step[s];
        if (of->count || level->reversible)
            step[count++] = (struct step){
                .predict = (s % 2 == 0) != level->inverse,
                .kmin = of->count ? of->k[0] : 0,
                .kmax = of->count ? of->k[of->count - 1] : 0,
                .of = of,
                .exact = exact ? &exact->step[s].filter : NULL,
            };
    }
    return count;
}

// Adds a function of the step's number: `get` of a table whose values `add` writes.
static void add_function(struct wp_text *text, const char *head, const char *type, const char *get,
                         int count, const struct step step[],
                         void (*add)(struct wp_text *text, const struct step *step))
{
    wp_text_add(text, "    static constexpr %s\n    {\n        constexpr %s[] = {", head, type);
    for (int s = 0; s < count; s++) {
        wp_text_add(text, s ? ", " : "");
        add(text, &step[s]);
    }
    wp_text_add(text, "};\n        return %s;\n    }\n", get);
}

static void add_predict(struct wp_text *text, const struct step *step)
{
    wp_text_add(text, step->predict ? "true" : "false");
}

static void add_kmin(struct wp_text *text, const struct step *step)
{
    wp_text_add(text, "%d", step->kmin);
}

static void add_kmax(struct wp_text *text, const struct step *step)
{
    wp_text_add(text, "%d", step->kmax);
}

// Adds a float exactly.
static void add_number(struct wp_text *text, float value)
{
    enum { EXACT_DIGITS = 9 };
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, "%sf", wp_format_number(number, (double)value, EXACT_DIGITS));
}

static void add_double(struct wp_text *text, double value)
{
    enum { EXACT_DIGITS = 17 };
    char number[WP_NUMBER_SIZE];
    wp_text_add(text, "%s", wp_format_number(number, value, EXACT_DIGITS));
}

static void add_round(struct wp_text *text, const struct step *step)
{
    add_number(text, step->of->round);
}

// Adds all taps between the first and the last, 0 for those that the step does not have.
static void add_taps(struct wp_text *text, const struct step *step)
{
    wp_text_add(text, "{");
    for (int k = step->kmin, t = 0; k <= step->kmax; k++) {
        const bool present = t < step->of->count && step->of->k[t] == k;
        wp_text_add(text, k > step->kmin ? ", " : "");
        if (step->exact)
            add_double(text, present ? step->exact->tap[t].c : 0.0);
        else
            add_number(text, present ? step->of->c[t] : 0.0f);
        t += present;
    }
    wp_text_add(text, "}");
}

void wp_cuda_add_steps(const struct wp_cuda_level *level, const struct wp_lifting *exact,
                       struct wp_text *text)
{
    struct step step[WP_STEPS_MAX];
    const int count = find_steps(level, exact, step);
    int taps = 1;
    for (int s = 0; s < count; s++)
        if (step[s].kmax - step[s].kmin >= taps)
            taps = step[s].kmax - step[s].kmin + 1;
    wp_text_add(text,
                "struct steps_here {\n"
                "    static constexpr bool inverse = %s, rounds = %s;\n"
                "    static constexpr int steps = %d, reach_low = %d, reach_high = %d;\n",
                level->inverse ? "true" : "false", level->reversible ? "true" : "false", count,
                level->reach_low, level->reach_high);
    add_function(text, "bool is_predict(int s)", "bool value", "value[s]", count, step,
                 add_predict);
    add_function(text, "int kmin(int s)", "int value", "value[s]", count, step, add_kmin);
    add_function(text, "int kmax(int s)", "int value", "value[s]", count, step, add_kmax);
    add_function(text, "float round(int s)", "float value", "value[s]", count, step, add_round);
    wp_text_add(text, "    struct taps {\n        %s c[%d];\n    };\n",
                exact ? "double" : "float", taps);
    add_function(text, exact ? "double c(int s, int i)" : "float c(int s, int i)", "taps value",
                 "value[s].c[i]", count, step, add_taps);
    wp_text_add(text, "};\n\n");
}

void wp_cuda_batch_add_head(const struct wp_exec *exec, const struct wp_batch_types *types,
                            const char *header, const char *arguments, int threads,
                            int resident, struct wp_text *text)
{
    const bool wide = wp_batch_is_wide(types);
    const struct wp_lifting exact =
        wide ? wp_description_lifting(&exec->description) : (struct wp_lifting){0};
    wp_text_add(text, "#include \"%s\"\n\n", header);
    wp_cuda_add_steps(exec->level, wide ? &exact : NULL, text);
    wp_text_add(text,
                "using elements = wp_batch_elements<(wp_element)%d, (wp_element)%d, "
                "(wp_element)%d>;\n\n"
                "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
                WP_CUDA_PROGRAM_KERNEL "(const __grid_constant__ %s args)\n",
                (int)types->samples, (int)types->low, (int)types->high, threads,
                resident > 1 ? resident : 1, arguments);
}

void wp_cuda_add_program(const struct wp_cuda_level *level, bool wide,
                         const struct wp_cuda_geometry *geometry, struct wp_text *text)
{
    const bool batch = level->depth > 1;
    wp_text_add(text, "#include \"cuda_patch.cuh\"\n\n");
    wp_cuda_add_steps(level, NULL, text);
    wp_text_add(text, "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
                      WP_CUDA_PROGRAM_KERNEL
                      "(const __grid_constant__ wp_lifting_args<wp_jit_shape<steps_here>> %s)\n"
                      "{\n%s",
                (int)WP_CUDA_JIT_THREADS, geometry->resident, batch ? "of_batch" : "args",
                batch ? "    const auto args = wp_slice_of(of_batch, (int)blockIdx.z);\n" : "");
    if (geometry->patch)
        wp_text_add(text, "    wp_lift_patch<wp_jit_shape<steps_here>, %d, %s, %s>(args);\n}\n",
                    geometry->patch, wide ? "true" : "false",
                    geometry->by_row ? "WP_EDGES_BY_ROW" : "WP_EDGES_AT_ONCE");
    else
        wp_text_add(text, "    wp_lift_strip<wp_jit_shape<steps_here>, %d, %d, %s>(args);\n}\n",
                    geometry->ahead, geometry->unroll, wide ? "true" : "false");
}

void wp_cuda_jit_add_program(const struct wp_cuda_jit_params *params, struct wp_text *text)
{
    wp_text_add(text,
                "#include \"%s\"\n\n"
                "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n"
                WP_CUDA_PROGRAM_KERNEL "(const __grid_constant__ %s args)\n"
                "{\n"
                "    %s(args);\n"
                "}\n",
                params->header, params->threads, params->resident, params->arguments,
                params->function);
}
