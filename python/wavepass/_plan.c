#include "_plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- create and destroy ----

// The process that first used a device; 0: none has.
static long device_process;

static bool check_process(const char *backend, long process)
{
    if (process == (long)getpid())
        return true;
    PyErr_Format(PyExc_RuntimeError,
                 "the backend '%s' was used before fork(), and a device cannot "
                 "be used in the child"
                 "\nhint: multiprocessing.set_start_method('spawn'), or use the "
                 "device only in the "
                 "children",
                 backend);
    return false;
}

static bool uses_device(const char *backend)
{
    return strcmp(backend, "cpu") != 0 && strcmp(backend, "reference") != 0;
}

// The extent of the coefficients along an axis: that of the low band and of all
// high bands. Other borders than those of PyWavelets keep the size of the
// image.
static int coefficients_extent(struct wp_transform *transform, int axis)
{
    int extent = 0, last = 0;
    for (int b = 0; b < wp_transform_band_count(transform); b++) {
        struct wp_band_info band;
        wp_transform_get_band(transform, b, &band);
        const int size[] = {band.width, band.height, band.depth};
        const bool high = axis < (int)strlen(band.name) && band.name[axis] == 'H';
        if (b == 0 || (high && band.level != last)) {
            extent += size[axis];
            last = b == 0 ? 0 : band.level;
        }
    }
    return extent;
}

// Arrays of a redundant bank have bands of one size, without gaps.
static void set_stacked_sizes(struct wp_py_plan *plan)
{
    struct wp_band_info band;
    wp_transform_get_band(plan->whole, 0, &band);
    const ptrdiff_t samples = (ptrdiff_t)band.width * band.height * band.depth *
                              wp_transform_band_count(plan->whole);
    plan->size[1][0] = (int)band.stride[1];
    plan->size[1][1] = (int)(band.stride[2] / band.stride[1]);
    plan->size[1][2] = (int)(samples / band.stride[2]);
}

static void set_sizes(struct wp_py_plan *plan, const struct wp_transform_params *params)
{
    for (int c = 0; c < 2; c++) {
        const int size[WP_BATCH] = {params->width, params->height, params->depth, params->planes};
        for (int a = 0; a < WP_DIMENSIONS; a++) {
            const int extent = a < WP_BATCH ? size[a] : params->batch[a - WP_BATCH];
            plan->size[c][a] = extent > 1 ? extent : 1;
        }
    }
    if (params->bank && strcmp(params->bank, "decimated") != 0 &&
        strcmp(params->bank, "packets") != 0)
        set_stacked_sizes(plan);
    else if (params->border && strncmp(params->border, "pywt-", 5) == 0)
        for (int a = 0; a < WP_PLANE; a++)
            plan->size[1][a] = coefficients_extent(plan->whole, a);
}

// More samples than can be addressed: the library reports them.
static const double samples_max = (double)(PTRDIFF_MAX / 8);

// Chooses the longest batch dimension, and the number of its entries that are
// about `samples`.
static void choose_parts(struct wp_py_plan *plan, const struct wp_transform_params *params,
                         size_t samples)
{
    double total = 1;
    int longest = 0;
    plan->split = 0;
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++)
        longest = params->batch[b] > params->batch[longest] ? b : longest;
    const int size[] = {params->width, params->height, params->depth, params->planes};
    for (int a = 0; a < WP_BATCH; a++)
        total *= size[a] > 1 ? size[a] : 1;
    for (int b = 0; b < WP_BATCH_DIMENSIONS; b++)
        total *= params->batch[b] > 1 ? params->batch[b] : 1;
    plan->part = params->batch[longest] > 1 ? params->batch[longest] : 1;
    if (total <= (double)samples || total > samples_max || plan->part == 1)
        return;
    const double part = (double)samples / (total / plan->part);
    plan->split = WP_BATCH + longest;
    plan->part = part < 1 ? 1 : part < plan->part ? (int)part : plan->part;
}

static bool create(struct wp_py_plan *plan, const struct wp_transform_params *params)
{
    struct wp_transform_params part = *params;
    const int longest = plan->split - WP_BATCH;
    if (plan->split)
        part.batch[longest] = plan->part;
    plan->whole = wp_transform_create(&part);
    if (!plan->whole || !plan->split || params->batch[longest] % plan->part == 0)
        return plan->whole;
    part.batch[longest] = params->batch[longest] % plan->part;
    plan->rest = wp_transform_create(&part);
    return plan->rest;
}

bool wp_py_plan_create(struct wp_py_plan *plan, const struct wp_transform_params *params,
                       const struct wp_py_options *options)
{
    const bool device = uses_device(params->backend);
    if (device && device_process && !check_process(params->backend, device_process))
        return false;
    choose_parts(plan, params, options->part ? options->part : (size_t)1 << (device ? 28 : 26));
    bool ok;
    Py_BEGIN_ALLOW_THREADS ok = create(plan, params);
    Py_END_ALLOW_THREADS if (!ok) return wp_py_fail();
    const struct wp_transform_info *info = wp_transform_get_info(plan->whole);
    plan->levels = info->levels;
    plan->levels_z = info->levels_z;
    plan->forks_badly = uses_device(info->backend);
    plan->process = (long)getpid();
    if (plan->forks_badly)
        device_process = plan->process;
    plan->maximum = params->reversible ? 0 : options->maximum;
    set_sizes(plan, params);
    plan->lock = PyThread_allocate_lock();
    return plan->lock ? wp_py_warn() : PyErr_NoMemory() != NULL;
}

void wp_py_plan_destroy(struct wp_py_plan *plan)
{
    // The child of fork() cannot release what the parent has on a device.
    const bool foreign = plan->forks_badly && plan->process != (long)getpid();
    if (!foreign) {
        Py_BEGIN_ALLOW_THREADS wp_transform_destroy(&plan->whole);
        wp_transform_destroy(&plan->rest);
        Py_END_ALLOW_THREADS
    }
    if (plan->lock)
        PyThread_free_lock(plan->lock);
}

// Waits for other threads. False after an exception: this thread already runs
// the plan, since code of Python that a call runs, progress or an array's, has
// called it again.
static bool acquire(struct wp_py_plan *plan)
{
    const unsigned long self = PyThread_get_thread_ident();
    if (!PyThread_acquire_lock(plan->lock, NOWAIT_LOCK)) {
        if (plan->owner == self) {
            PyErr_SetString(PyExc_RuntimeError,
                            "a call of this transform is running in this thread");
            return false;
        }
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(plan->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    plan->owner = self;
    return true;
}

static void unlock(struct wp_py_plan *plan)
{
    plan->owner = 0;
    PyThread_release_lock(plan->lock);
}

// ---- operands ----

// One side of a call: an array, or one per band.
struct side {
    struct wp_operand operand;
    struct wp_py_array array;
    struct wp_operand *band; // NULL: one array
    struct wp_py_array *arrays;
    int count;
};

static bool open_bands(struct wp_py_plan *plan, PyObject *list, struct wp_py_extents extents,
                       struct side *side)
{
    const int count = wp_transform_band_count(plan->whole);
    char name[64];
    if (PyList_Size(list) != count) {
        PyErr_Format(PyExc_ValueError, "%zd arrays of bands, but there are %d bands",
                     PyList_Size(list), count);
        return false;
    }
    side->band = calloc((size_t)count, sizeof *side->band);
    side->arrays = calloc((size_t)count, sizeof *side->arrays);
    side->count = count;
    if (!side->band || !side->arrays)
        return PyErr_NoMemory() != NULL;
    for (int b = 0; b < count; b++) {
        struct wp_band_info info;
        int size[WP_DIMENSIONS];
        PyObject *item = PyList_GetItem(list, b);
        wp_transform_get_band(plan->whole, b, &info);
        memcpy(size, plan->size[1], sizeof size);
        size[0] = info.width;
        size[1] = info.height;
        size[2] = info.depth;
        PyOS_snprintf(name, sizeof name, "band %s of level %d", info.name, info.level);
        extents.size = size;
        extents.name = name;
        const bool empty = !info.width || !info.height || !info.depth;
        if (!(empty && item == Py_None) &&
            !wp_py_array_open(item, &extents, &side->arrays[b], &side->band[b]))
            return false;
    }
    side->operand = (struct wp_operand){
        .band = side->band,
        .bands = count,
        .location = side->band[0].location,
    };
    for (int b = 0; b < count; b++)
        if (side->band[b].data && side->band[b].location != side->operand.location) {
            PyErr_SetString(PyExc_ValueError, "some bands are in the host's memory and others on a "
                                              "CUDA device");
            return false;
        }
    return true;
}

// False after an exception; then, too, the caller closes the side.
static bool open_side(struct wp_py_plan *plan, PyObject *given, bool coefficients, bool written,
                      struct side *side)
{
    const struct wp_py_extents extents = {
        .size = plan->size[coefficients],
        .name = coefficients ? "the coefficients" : "the image",
        .written = written,
        .maximum = plan->maximum,
        .stream = plan->stream,
    };
    return PyList_Check(given) ? open_bands(plan, given, extents, side)
                               : wp_py_array_open(given, &extents, &side->array, &side->operand);
}

static void close_side(struct side *side)
{
    wp_py_array_close(&side->array);
    for (int b = 0; side->arrays && b < side->count; b++)
        wp_py_array_close(&side->arrays[b]);
    free(side->arrays);
    free(side->band);
}

static const size_t bytes_of[WP_ELEMENT_COUNT] = {
    [WP_ELEMENT_F32] = 4, [WP_ELEMENT_F16] = 2, [WP_ELEMENT_U8] = 1,
    [WP_ELEMENT_U16] = 2, [WP_ELEMENT_F64] = 8, [WP_ELEMENT_BF16] = 2,
};

static void advance(struct wp_operand *operand, int dimension, ptrdiff_t entries)
{
    if (operand->data)
        operand->data = (char *)operand->data +
                        operand->stride[dimension] * entries * (ptrdiff_t)bytes_of[operand->type];
}

static void advance_side(struct side *side, int dimension, ptrdiff_t entries)
{
    advance(&side->operand, dimension, entries);
    for (int b = 0; b < side->count; b++)
        advance(&side->band[b], dimension, entries);
}

// ---- run ----

static bool transform(struct wp_transform *transform, bool inverse, const struct side *from,
                      const struct side *to)
{
    bool ok;
    Py_BEGIN_ALLOW_THREADS ok = inverse
                                    ? wp_transform_inverse(transform, &from->operand, &to->operand)
                                    : wp_transform_forward(transform, &from->operand, &to->operand);
    Py_END_ALLOW_THREADS return (ok || wp_py_fail()) && wp_py_warn();
}

static bool report(PyObject *progress, int done, int total)
{
    if (!progress)
        return true;
    PyObject *result = PyObject_CallFunction(progress, "ii", done, total);
    Py_XDECREF(result);
    return result != NULL;
}

static bool run_parts(struct wp_py_plan *plan, bool inverse, struct side *from, struct side *to,
                      PyObject *progress)
{
    const int total = plan->split ? plan->size[0][plan->split] : 1;
    for (int done = 0; done < total;) {
        const int entries = total - done < plan->part ? total - done : plan->part;
        struct wp_transform *part = plan->split && entries < plan->part ? plan->rest : plan->whole;
        if (!transform(part, inverse, from, to))
            return false;
        done = plan->split ? done + entries : total;
        if (!report(progress, done, total))
            return false;
        if (done < total) {
            if (PyErr_CheckSignals() != 0)
                return false;
            advance_side(from, plan->split, entries);
            advance_side(to, plan->split, entries);
        }
    }
    return true;
}

static bool set_stream(struct wp_py_plan *plan, PyObject *number)
{
    void *stream = PyLong_AsVoidPtr(number);
    if (PyErr_Occurred())
        return false;
    if (!wp_transform_set_stream(plan->whole, stream) ||
        (plan->rest && !wp_transform_set_stream(plan->rest, stream)))
        return wp_py_fail();
    plan->stream = stream;
    return true;
}

bool wp_py_plan_run(struct wp_py_plan *plan, bool inverse, PyObject *source, PyObject *target,
                    PyObject *progress, PyObject *stream)
{
    struct side from, to;
    from.array = to.array = (struct wp_py_array){.viewed = false};
    from.band = to.band = NULL;
    from.arrays = to.arrays = NULL;
    from.count = to.count = 0;
    if (plan->forks_badly &&
        !check_process(wp_transform_get_info(plan->whole)->backend, plan->process))
        return false;
    if (!acquire(plan))
        return false;
    const bool ok = (!stream || set_stream(plan, stream)) &&
                    open_side(plan, source, inverse, false, &from) &&
                    open_side(plan, target, !inverse, true, &to) &&
                    run_parts(plan, inverse, &from, &to, progress);
    close_side(&from);
    close_side(&to);
    unlock(plan);
    return ok;
}

PyObject *wp_py_plan_describe(struct wp_py_plan *plan, bool inverse, PyObject *source,
                              PyObject *target)
{
    struct side from = {.count = 0}, to = {.count = 0};
    const char *text = NULL;
    PyObject *result = NULL;
    if (!acquire(plan))
        return NULL;
    const bool ok = (source == Py_None || open_side(plan, source, inverse, false, &from)) &&
                    (target == Py_None || open_side(plan, target, !inverse, true, &to));
    if (ok) {
        text = wp_transform_describe(plan->whole, inverse, source == Py_None ? NULL : &from.operand,
                                     target == Py_None ? NULL : &to.operand);
        if (text)
            result = PyUnicode_FromString(text);
        else
            wp_py_fail();
    }
    close_side(&from);
    close_side(&to);
    unlock(plan);
    return result;
}

// ---- facts ----

PyObject *wp_py_plan_bands(struct wp_py_plan *plan)
{
    PyObject *list = PyList_New(0);
    for (int b = 0; list && b < wp_transform_band_count(plan->whole); b++) {
        struct wp_band_info band;
        wp_transform_get_band(plan->whole, b, &band);
        PyObject *row = Py_BuildValue("(sii(iii)n(nnn))", band.name, band.level, band.level_z,
                                      band.width, band.height, band.depth, (Py_ssize_t)band.offset,
                                      (Py_ssize_t)band.stride[0], (Py_ssize_t)band.stride[1],
                                      (Py_ssize_t)band.stride[2]);
        if (!row || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

PyObject *wp_py_plan_info(struct wp_py_plan *plan)
{
    if (!acquire(plan))
        return NULL;
    const struct wp_transform_info *i = wp_transform_get_info(plan->whole);
    PyObject *info = Py_BuildValue(
        "{s:s,s:z,s:i,s:i,s:i,s:d,s:d,s:s,s:z,s:s,s:z,s:i,s:d,s:d,s:d,s:d}", "name", i->name,
        "note", i->note, "levels", i->levels, "levels_z", i->levels_z, "steps", i->steps,
        "operations", i->operations, "fetches", i->fetches, "backend", i->backend, "variant",
        i->variant, "device", i->device, "reason", i->reason, "planes_at_once", i->planes_at_once,
        "seconds", i->seconds, "load_seconds", i->load_seconds, "store_seconds", i->store_seconds,
        "largest", i->largest);
    unlock(plan);
    return info;
}

PyObject *wp_py_plan_extents(struct wp_py_plan *plan, bool coefficients)
{
    PyObject *tuple = PyTuple_New(WP_DIMENSIONS);
    for (int a = 0; tuple && a < WP_DIMENSIONS; a++)
        PyTuple_SetItem(tuple, a, PyLong_FromLong(plan->size[coefficients][a]));
    return tuple;
}
