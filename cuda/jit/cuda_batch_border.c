// Kernels of the variant `batch` with a border of PyWavelets (cuda_batch_border.cuh): which images
// fit a block, and their sources.
#include "cuda_batch.h"
#include "cuda_jit.h"
#include "cuda_kernel.h"
#include "min_max.h"

// Limits on an H200, whose multiprocessors have 228 KiB of shared memory, of which a block has at
// most 227 and takes one more, and 65536 registers.
enum {
    THREADS = 128,
    THREADS_MOST = 512,
    SHARED_MOST = 227 << 10,
    SHARED_ALL = 228 << 10,
    SHARED_OF_BLOCK = 1 << 10,
    REGISTERS_ALL = 65536,
    REGISTERS_MOST = 255,
    REGISTERS_OTHER = 20, // of a thread besides its line
    REGISTERS_STREAMED = 128, // likewise, because the compiler does not keep all of a line
    LINE_MOST = 164,      // 4-byte registers of a line
    TEMPLATES_MOST = 200 // levels of recursion of templates: samples of an extension
};

static bool is_signal(const struct wp_description *d)
{
    return !(wp_description_transformed(d) >> WP_Y & 1);
}

static int bytes_of(const struct wp_description *d)
{
    return (int)wp_elements[wp_description_arithmetic(d)].bytes;
}

// The adjoint of the inverse adds samples outside to others, so a thread has a complete line.
static bool folds(const struct wp_description *d)
{
    return d->adjoint && d->direction == WP_INVERSE && d->border != WP_BORDER_PYWT_ZERO;
}

// Samples in the registers of a thread for a line: those of all pairs of results, as in struct
// wp_border_line, and those around them.
static int line_of(const struct wp_cuda_level *level, const struct wp_description *d, int n, int b)
{
    const int half = wp_description_taps(d) / 2;
    const int pairs = d->direction == WP_FORWARD ? b
                      : folds(d)                 ? b + 2 * (half / 2)
                                                 : (n + half - 2) / 2 - (half - 1) / 2 + 1;
    return 2 * (pairs + level->reach_low + level->reach_high);
}

// Threads for `lines` lines of `length` samples, whose longest part in a thread is added to
// *line_most; 0: they do not fit.
static int threads_of(const struct wp_cuda_level *level, const struct wp_description *d, int lines,
                      int length, int *line_most)
{
    const int most = LINE_MOST * (int)sizeof(float) / bytes_of(d);
    const int around = 2 * (level->reach_low + level->reach_high);
    int segments = 1;
    while (segments <= THREADS_MOST && (length - around) / segments + around > most)
        segments++;
    if (segments > THREADS_MOST || (folds(d) && segments > 1))
        return 0;
    *line_most = wp_max(*line_most, (length - around) / segments + around);
    return lines * segments;
}

bool wp_cuda_batch_find_border(const struct wp_cuda_level *level, const struct wp_description *d,
                               struct wp_batch_border *border)
{
    const bool signal = is_signal(d), inverse = d->direction == WP_INVERSE;
    const int real = bytes_of(d);
    int share = 1, line = 0;
    *border = (struct wp_batch_border){.rows = 1};
    if (!(wp_description_transformed(d) >> WP_X & 1) ||
        wp_description_taps(d) + 2 * (level->reach_low + level->reach_high) > TEMPLATES_MOST)
        return false;
    for (int l = 0; l < d->levels; l++) {
        const int w = wp_description_size(d, WP_X, l), h = wp_description_size(d, WP_Y, l);
        const int low_w = wp_description_size(d, WP_X, l + 1);
        const int low_h = wp_description_size(d, WP_Y, l + 1);
        const int rows = signal ? 1 : inverse ? 2 * low_h : h;
        const int columns = signal ? 0 : inverse ? w : 2 * low_w;
        if (w > SHARED_MOST || h > SHARED_MOST)
            return false;
        const int for_rows = threads_of(level, d, rows, line_of(level, d, w, low_w), &line);
        const int for_columns =
            signal ? 1 : threads_of(level, d, columns, line_of(level, d, h, low_h), &line);
        if (for_rows == 0 || for_columns == 0)
            return false;
        share = wp_max(share, wp_max(for_rows, for_columns));
        // Three segments per line of the second level: 110 us for 2048 inverses of 128x128 on an
        // H200, 114 us with two.
        if (inverse && l == 1 && share > THREADS && 3 * wp_max(rows, columns) <= THREADS_MOST)
            share = wp_max(share, 3 * wp_max(rows, columns));
        border->pitch = wp_max(border->pitch, wp_max(w, 2 * low_w) | 1);
        border->rows = wp_max(border->rows, wp_max(rows, signal ? 1 : h));
    }
    border->planes = wp_max(THREADS / share, 1);
    // Threads of full warps that have no line have a segment of another one.
    if (border->planes == 1)
        share = (share + 31) / 32 * 32;
    border->share = share;
    border->threads = (share * border->planes + 31) / 32 * 32;
    if (share > THREADS_MOST ||
        border->pitch > SHARED_MOST / real / border->rows / border->planes)
        return false;
    border->bytes = border->planes * border->pitch * border->rows * real;
    const int all = line * real / (int)sizeof(float) + REGISTERS_OTHER;
    const int registers = !folds(d) && real == (int)sizeof(float) && all > REGISTERS_STREAMED
                              ? REGISTERS_STREAMED
                              : all;
    const int by_registers =
        REGISTERS_ALL / border->threads / (registers < REGISTERS_MOST ? registers : REGISTERS_MOST);
    const int by_memory = SHARED_ALL / (border->bytes + SHARED_OF_BLOCK);
    border->resident = wp_max(by_registers < by_memory ? by_registers : by_memory, 1);
    return true;
}

static bool is_float(enum wp_element type)
{
    return wp_elements[type].largest == 0;
}

// Kernels are compiled when first used, which a single image does not justify.
bool wp_cuda_borders(const struct wp_device *device, const struct wp_description *d,
                     const struct wp_variant *variant, enum wp_location location)
{
    struct wp_cuda_level level = {0};
    struct wp_batch_border border;
    char why[256];
    const struct wp_lifting lifting = wp_description_lifting(d);
    wp_cuda_set_steps(&level, &lifting);
    return location == WP_LOCATION_CUDA && d->border >= WP_BORDER_NATIVE && d->levels > 0 &&
           d->levels <= WP_BATCH_LEVELS_MAX && d->levels_z == 0 &&
           (!variant || variant->supports(variant, d, why, sizeof why)) &&
           (wp_description_planes(d) > 1 || wp_description_depth(d) > 1) && is_float(d->samples) &&
           is_float(d->coefficients) && wp_cuda_batch_find_border(&level, d, &border) &&
           (size_t)border.bytes <= device->properties.sharedMemPerBlockOptin &&
           wp_cuda_kernels_run_on(device, why, sizeof why);
}

static const char *word_of(bool value)
{
    return value ? "true" : "false";
}

void wp_cuda_batch_add_border_program(const struct wp_exec *exec,
                                      const struct wp_batch_types *types,
                                      const struct wp_batch_border *border, int dense,
                                      struct wp_text *text)
{
    const struct wp_description *d = &exec->description;
    wp_cuda_batch_add_head(exec, types, "cuda_batch_border.cuh", "wp_batch_args", border->threads, border->resident,
                           text);
    wp_text_add(text,
                "{\n"
                "    using border = wp_border_case<elements, %d, %d, %d, %d, %d, %d, %d, "
                "(wp_border)%d, %d, %s, %s, %s, %s>;\n"
                "    wp_run_batch<wp_border_batch<wp_jit_shape<steps_here>, border>>(args);\n"
                "}\n",
                d->size[WP_X], d->size[WP_Y], d->levels, border->planes, border->share,
                border->pitch, border->rows, (int)d->border, wp_description_taps(d),
                word_of(d->adjoint), word_of(!is_signal(d)), word_of(dense & 1),
                word_of(dense & 2));
}
