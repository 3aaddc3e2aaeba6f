// The module wavepass._core: plans, which are transforms of libwavepass, and
// queries. The package's Python calls it; users call the package.
#include "_plan.h"

#include "wavepass_denoise.h"
#include "wavepass_packets.h"
#include "wavepass_query.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- errors and messages ----

// The latest warning of this thread, which becomes one of Python when the GIL
// is held again.
static _Thread_local char warning[1024];

static void handle_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    if (level == WP_LOG_WARNING)
        PyOS_snprintf(warning, sizeof warning, "%s", message);
}

bool wp_py_warn(void)
{
    if (!warning[0])
        return true;
    const int status = PyErr_WarnEx(PyExc_RuntimeWarning, warning, 1);
    warning[0] = 0;
    return status == 0;
}

bool wp_py_fail(void)
{
    const char *text = wp_last_error_text();
    warning[0] = 0;
    switch (wp_last_error()) {
    case WP_ERROR_USAGE: PyErr_SetString(PyExc_ValueError, text); break;
    case WP_ERROR_TOO_LARGE: PyErr_SetString(PyExc_MemoryError, text); break;
    case WP_ERROR_FILE: PyErr_SetString(PyExc_OSError, text); break;
    case WP_ERROR_INTERRUPTED: PyErr_SetNone(PyExc_KeyboardInterrupt); break;
    default: PyErr_SetString(PyExc_RuntimeError, text[0] ? text : "an unknown error"); break;
    }
    wp_clear_error();
    return false;
}

// ---- parameters ----

// Members of wp_transform_params by name.
enum kind { INTEGER, TEXT, BOOLEAN };
#define MEMBER(kind, name)                                                                         \
    {                                                                                              \
#name, kind, offsetof(struct wp_transform_params, name)                                    \
    }
static const struct {
    const char *name;
    enum kind kind;
    size_t offset;
} members[] = {
    MEMBER(INTEGER, width),      MEMBER(INTEGER, height), MEMBER(INTEGER, depth),
    MEMBER(INTEGER, planes),     MEMBER(INTEGER, levels), MEMBER(INTEGER, levels_z),
    MEMBER(INTEGER, gop),        MEMBER(INTEGER, rank),   MEMBER(INTEGER, device),
    MEMBER(INTEGER, threads),    MEMBER(TEXT, wavelet),   MEMBER(TEXT, scheme),
    MEMBER(TEXT, border),        MEMBER(TEXT, norm),      MEMBER(TEXT, layout),
    MEMBER(TEXT, precision),     MEMBER(TEXT, backend),   MEMBER(TEXT, variant),
    MEMBER(TEXT, decomposition), MEMBER(BOOLEAN, plain),  MEMBER(BOOLEAN, reversible),
    MEMBER(BOOLEAN, adjoint),    MEMBER(TEXT, bank),
    MEMBER(TEXT, tree),          MEMBER(INTEGER, start_level),
};
enum { MEMBERS = sizeof members / sizeof *members };

static bool read_int(PyObject *value, const char *name, int *result)
{
    const long number = PyLong_Check(value) || PyIndex_Check(value) ? PyLong_AsLong(value) : -1;
    if (!PyLong_Check(value) && !PyIndex_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s is %R, but must be an integer", name, value);
        return false;
    }
    if (PyErr_Occurred() || number > INT_MAX || number < INT_MIN) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is %R, but must be between %d and %d", name, value,
                     INT_MIN, INT_MAX);
        return false;
    }
    *result = (int)number;
    return true;
}

static bool read_member(PyObject *value, int m, struct wp_transform_params *params)
{
    char *target = (char *)params + members[m].offset;
    if (value == Py_None)
        return true; // the default
    if (members[m].kind == INTEGER)
        return read_int(value, members[m].name, (int *)target);
    if (members[m].kind == BOOLEAN) {
        const int truth = PyObject_IsTrue(value);
        *(bool *)target = truth == 1;
        return truth >= 0;
    }
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s is %R, but must be a string", members[m].name, value);
        return false;
    }
    const char *text = PyUnicode_AsUTF8AndSize(value, NULL); // lives as long as `value`
    memcpy(target, &text, sizeof text);
    return text != NULL;
}

static bool read_batch(PyObject *value, struct wp_transform_params *params)
{
    const Py_ssize_t count = PySequence_Size(value);
    if (count < 0)
        return false;
    if (count > WP_BATCH_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, "%zd batch dimensions (at most %d)", count,
                     (int)WP_BATCH_DIMENSIONS);
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        const bool ok = item && read_int(item, "an extent of batch", &params->batch[i]);
        Py_XDECREF(item);
        if (!ok)
            return false;
    }
    return true;
}

static bool read_step(PyObject *step, struct wp_step_data *data, double **taps)
{
    PyObject *list = NULL;
    if (!PyTuple_Check(step) || !PyArg_ParseTuple(step, "iO", &data->first, &list)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a step of a wavelet is a tuple (first, taps)");
        return false;
    }
    const Py_ssize_t count = PySequence_Size(list);
    if (count < 0 || count > INT_MAX)
        return false;
    data->count = (int)count;
    data->tap = *taps = calloc((size_t)count + 1, sizeof **taps);
    if (!*taps)
        return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        PyObject *item = PySequence_GetItem(list, i);
        (*taps)[i] = item ? PyFloat_AsDouble(item) : 0;
        Py_XDECREF(item);
    }
    return !PyErr_Occurred();
}

static void free_wavelet(struct wp_py_wavelet *wavelet)
{
    for (int s = 0; s < WP_PY_STEPS_MAX; s++)
        free(wavelet->taps[s]);
}

// (name, [(first, taps), ...], zeta)
static bool read_wavelet(PyObject *value, struct wp_py_wavelet *wavelet)
{
    PyObject *steps = NULL;
    struct wp_wavelet_data *data = &wavelet->data;
    if (!PyTuple_Check(value) ||
        !PyArg_ParseTuple(value, "zOd", &data->name, &steps, &data->zeta)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "wavelet_data is a tuple (name, steps, zeta)");
        return false;
    }
    const Py_ssize_t count = PySequence_Size(steps);
    if (count < 0 || count > WP_PY_STEPS_MAX) {
        if (count >= 0)
            PyErr_Format(PyExc_ValueError, "a wavelet of %zd steps (at most %d)", count,
                         (int)WP_PY_STEPS_MAX);
        return false;
    }
    data->steps = (int)count;
    data->step = wavelet->step;
    for (int s = 0; s < data->steps; s++) {
        PyObject *step = PySequence_GetItem(steps, s);
        const bool ok = step && read_step(step, &wavelet->step[s], &wavelet->taps[s]);
        Py_XDECREF(step);
        if (!ok)
            return false;
    }
    return true;
}

// Reads keywords. The strings live as long as `keywords`, the wavelet until
// free_wavelet().
static bool read_params(PyObject *positional, PyObject *keywords,
                        struct wp_transform_params *params, struct wp_py_wavelet *wavelet,
                        struct wp_py_options *options)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    *params = (struct wp_transform_params)WP_TRANSFORM_PARAMS(.height = 1, .backend = "cpu");
    *wavelet = (struct wp_py_wavelet){0};
    *options = (struct wp_py_options){.maximum = 1};
    if (positional && PyTuple_Size(positional) > 0) {
        PyErr_SetString(PyExc_TypeError, "parameters are given by name");
        return false;
    }
    while (keywords && PyDict_Next(keywords, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        int m = 0;
        if (!name)
            return false;
        while (m < MEMBERS && strcmp(members[m].name, name) != 0)
            m++;
        if (m < MEMBERS) {
            if (!read_member(value, m, params))
                return false;
        } else if (strcmp(name, "batch") == 0) {
            if (value != Py_None && !read_batch(value, params))
                return false;
        } else if (strcmp(name, "wavelet_data") == 0) {
            if (value != Py_None && !read_wavelet(value, wavelet))
                return false;
            params->wavelet_data = value != Py_None ? &wavelet->data : NULL;
        } else if (strcmp(name, "maximum") == 0) {
            options->maximum = (float)PyFloat_AsDouble(value);
        } else if (strcmp(name, "part") == 0) {
            options->part = PyLong_AsSize_t(value);
        } else {
            PyErr_Format(PyExc_TypeError, "'%s' is not a parameter of a transform", name);
        }
        if (PyErr_Occurred())
            return false;
    }
    return true;
}

// ---- the type Plan ----

static PyObject *plan_new(PyTypeObject *type, PyObject *positional, PyObject *keywords)
{
    struct wp_transform_params params;
    struct wp_py_wavelet wavelet;
    struct wp_py_options options;
    struct wp_py_plan *plan = NULL;
    if (read_params(positional, keywords, &params, &wavelet, &options))
        plan = (struct wp_py_plan *)PyType_GenericAlloc(type, 0);
    if (plan && !wp_py_plan_create(plan, &params, &options)) {
        Py_DECREF(plan);
        plan = NULL;
    }
    free_wavelet(&wavelet);
    return (PyObject *)plan;
}

static void plan_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    wp_py_plan_destroy((struct wp_py_plan *)self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *plan_run(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count < 3 || count > 5) {
        PyErr_Format(PyExc_TypeError,
                     "run(inverse, source, target, progress=None, stream=None) has 3 to 5 "
                     "arguments, not %zd",
                     count);
        return NULL;
    }
    const int inverse = PyObject_IsTrue(args[0]);
    PyObject *progress = count > 3 && args[3] != Py_None ? args[3] : NULL;
    PyObject *stream = count > 4 && args[4] != Py_None ? args[4] : NULL;
    if (inverse < 0 ||
        !wp_py_plan_run((struct wp_py_plan *)self, inverse, args[1], args[2], progress, stream))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *plan_describe(PyObject *self, PyObject *args)
{
    PyObject *from = Py_None, *to = Py_None;
    int inverse = 0;
    if (!PyArg_ParseTuple(args, "p|OO", &inverse, &from, &to))
        return NULL;
    return wp_py_plan_describe((struct wp_py_plan *)self, inverse, from, to);
}

static PyObject *plan_bands(PyObject *self, PyObject *unused)
{
    (void)unused;
    return wp_py_plan_bands((struct wp_py_plan *)self);
}

static PyObject *plan_info(PyObject *self, PyObject *unused)
{
    (void)unused;
    return wp_py_plan_info((struct wp_py_plan *)self);
}

static PyObject *plan_extents(PyObject *self, PyObject *coefficients)
{
    const int truth = PyObject_IsTrue(coefficients);
    return truth < 0 ? NULL : wp_py_plan_extents((struct wp_py_plan *)self, truth);
}

static PyObject *plan_get_levels(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(((struct wp_py_plan *)self)->levels);
}

static PyObject *plan_get_levels_z(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(((struct wp_py_plan *)self)->levels_z);
}

static PyMethodDef plan_methods[] = {
    {"run", (PyCFunction)(void (*)(void))plan_run, METH_FASTCALL,
     "run(inverse, source, target, progress=None, stream=None)\n\nTransforms source to "
     "target, each an array "
     "(object, axes), (object, axes, type) or (address, axes, type, shape, strides, device), "
     "or a list of one per band. Calls progress(done, total) "
     "after each part. stream is the CUDA stream as a number."},
    {"describe", plan_describe, METH_VARARGS,
     "describe(inverse, source=None, target=None)\n\nThe execution plan as "
     "text."},
    {"bands", plan_bands, METH_NOARGS,
     "bands()\n\n(name, level, level_z, (width, height, depth), offset, "
     "stride) of each band."},
    {"info", plan_info, METH_NOARGS, "info()\n\nFacts about the transform."},
    {"extents", plan_extents, METH_O,
     "extents(coefficients)\n\nExtents in x, y, z, planes and batch "
     "dimensions."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef plan_getset[] = {
    {"levels", plan_get_levels, NULL, "levels in the plane", NULL},
    {"levels_z", plan_get_levels_z, NULL, "levels along z", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_doc, "Plan(**params)\n\nA transform; params are the members of "
                "wp_transform_params."},
    {Py_tp_new, (void *)plan_new},
    {Py_tp_dealloc, (void *)plan_dealloc},
    {Py_tp_methods, plan_methods},
    {Py_tp_getset, plan_getset},
    {0, NULL},
};

static PyType_Spec plan_spec = {
    .name = "wavepass._core.Plan",
    .basicsize = sizeof(struct wp_py_plan),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = plan_slots,
};

// ---- functions of the module ----

static PyObject *core_version(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyUnicode_FromString(wp_version());
}

// The position of `name` in `names`, or -1 after an exception that lists them.
static int find_word(const char *what, const char *name, const char *const *names)
{
    PyObject *list = PyList_New(0);
    int i = 0;
    for (; names[i] && strcmp(names[i], name) != 0; i++) {
        PyObject *word = PyUnicode_FromString(names[i]);
        if (list && word)
            PyList_Append(list, word);
        Py_XDECREF(word);
    }
    if (!names[i] && list)
        PyErr_Format(PyExc_ValueError, "%s is '%s', but must be one of %R", what, name, list);
    Py_XDECREF(list);
    return names[i] ? i : -1;
}

static PyObject *core_names(PyObject *self, PyObject *args)
{
    static const char *const kinds[] = {
        // in the order of enum wp_query
        "wavelets",   "schemes",        "volume-schemes", "borders",  "norms",   "layouts",
        "precisions", "decompositions", "backends",       "variants", "devices", "banks",
        NULL,
    };
    const char *kind, *backend = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "s|z", &kind, &backend))
        return NULL;
    const int query = find_word("kind", kind, kinds);
    if (query < 0)
        return NULL;
    char **names = wp_query_names((enum wp_query)query, backend);
    if (!names)
        return wp_py_fail() ? NULL : NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && names[i]; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (!name || PyList_Append(list, name) != 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    wp_query_free(names);
    return list;
}

static PyObject *core_max_levels(PyObject *self, PyObject *positional, PyObject *keywords)
{
    struct wp_transform_params params;
    struct wp_py_wavelet wavelet;
    struct wp_py_options options;
    int levels = 0, levels_z = 0;
    (void)self;
    bool ok = read_params(positional, keywords, &params, &wavelet, &options);
    if (ok)
        ok = wp_query_levels(&params, &levels, &levels_z) || wp_py_fail();
    free_wavelet(&wavelet);
    return ok ? Py_BuildValue("(ii)", levels, levels_z) : NULL;
}

static PyObject *core_filter(PyObject *self, PyObject *args)
{
    static const char *const filters[] = {
        // in the order of enum wp_query_filter
        "analysis-low", "analysis-high", "synthesis-low", "synthesis-high", NULL,
    };
    enum { TAPS_MAX = 1024 };
    const char *wavelet, *norm, *which;
    double taps[TAPS_MAX];
    int first = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "szs", &wavelet, &norm, &which))
        return NULL;
    const int filter = find_word("which", which, filters);
    if (filter < 0)
        return NULL;
    const int count =
        wp_query_filter(wavelet, norm, (enum wp_query_filter)filter, &first, taps, TAPS_MAX);
    if (count == 0)
        return wp_py_fail() ? NULL : NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count && i < TAPS_MAX; i++) {
        PyObject *tap = PyFloat_FromDouble(taps[i]);
        if (!tap || PyList_Append(list, tap) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tap);
    }
    return list ? Py_BuildValue("(iN)", first, list) : NULL;
}

enum { LEVELS_MOST = 64 }; // more than a transform can have

// Reads a number, or a tuple of numbers of levels. False after an exception.
static bool read_sigma(PyObject *from, double level[LEVELS_MOST], struct wp_denoise_params *params)
{
    if (!PyTuple_Check(from)) {
        params->sigma = PyFloat_AsDouble(from);
        return !PyErr_Occurred();
    }
    const Py_ssize_t count = PyTuple_Size(from);
    for (Py_ssize_t i = 0; i < count && i < LEVELS_MOST; i++)
        level[i] = PyFloat_AsDouble(PyTuple_GetItem(from, i));
    params->level_sigma = level;
    params->level_sigmas = (int)(count < INT_MAX ? count : INT_MAX);
    return !PyErr_Occurred();
}

// Appends a row to a list, or leaves an exception of Python for the caller.
static void add_band(void *user, int plane, const struct wp_band_info *band, double sigma,
                     double threshold)
{
    PyObject *list = user;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *row = PyErr_Occurred() ? NULL
                                     : Py_BuildValue("(isidd)", plane, band->name, band->level,
                                                     sigma, threshold);
    if (row)
        PyList_Append(list, row);
    Py_XDECREF(row);
    PyGILState_Release(state);
}

static bool run_denoiser(const struct wp_denoise_params *params, const struct wp_operand *noisy,
                         const struct wp_operand *clean)
{
    bool ok;
    Py_BEGIN_ALLOW_THREADS ok = wp_denoise(params, noisy, clean);
    Py_END_ALLOW_THREADS return ok ? !PyErr_Occurred() : wp_py_fail();
}

// The extents of all dimensions of samples.
static void set_sizes(const struct wp_transform_params *p, int size[WP_DIMENSIONS])
{
    const int given[WP_BATCH] = {p->width, p->height, p->depth, p->planes};
    for (int a = 0; a < WP_DIMENSIONS; a++) {
        const int extent = a < WP_BATCH ? given[a] : p->batch[a - WP_BATCH];
        size[a] = extent > 1 ? extent : 1;
    }
}

static bool denoise(PyObject *source, PyObject *target, const struct wp_denoise_params *params,
                    float maximum)
{
    int size[WP_DIMENSIONS];
    set_sizes(params->transform, size);
    struct wp_py_extents extents = {.size = size, .name = "the image", .maximum = maximum};
    struct wp_py_array arrays[2] = {{.viewed = false}, {.viewed = false}};
    struct wp_operand noisy, clean;
    bool ok = wp_py_array_open(source, &extents, &arrays[0], &noisy);
    extents.written = true;
    extents.name = "the result";
    ok = ok && wp_py_array_open(target, &extents, &arrays[1], &clean) &&
         run_denoiser(params, &noisy, &clean);
    wp_py_array_close(&arrays[0]);
    wp_py_array_close(&arrays[1]);
    return ok;
}

static PyObject *core_denoise(PyObject *self, PyObject *positional, PyObject *keywords)
{
    struct wp_transform_params transform;
    struct wp_py_wavelet wavelet = {.data = {.name = NULL}};
    struct wp_py_options options;
    struct wp_denoise_params params = WP_DENOISE_PARAMS(.transform = &transform);
    PyObject *source, *target, *bands, *sigma;
    double level_sigma[LEVELS_MOST] = {0};
    int per_level;
    (void)self;
    if (!PyArg_ParseTuple(positional, "OOzzzOpiO!", &source, &target, &params.method, &params.rule,
                          &params.color, &sigma, &per_level, &params.shifts, &PyList_Type,
                          &bands))
        return NULL;
    params.per_level = per_level;
    params.on_band = add_band;
    params.user = bands;
    const bool ok = read_params(NULL, keywords, &transform, &wavelet, &options) &&
                    read_sigma(sigma, level_sigma, &params) &&
                    denoise(source, target, &params, options.maximum);
    free_wavelet(&wavelet);
    if (!ok || !wp_py_warn())
        return NULL;
    Py_RETURN_NONE;
}

// Calls a function of Python for the coefficients of a node, as bytes of doubles. After an exception,
// which is left for the caller, NaN without a call.
static double call_cost(void *user, const double *coefficient, size_t count)
{
    double cost = NAN;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *view =
        PyErr_Occurred() ? NULL
                         : PyMemoryView_FromMemory((char *)(uintptr_t)coefficient,
                                                   (Py_ssize_t)(count * sizeof *coefficient),
                                                   PyBUF_READ);
    PyObject *result = view ? PyObject_CallFunctionObjArgs(user, view, NULL) : NULL;
    if (result)
        cost = PyFloat_AsDouble(result);
    Py_XDECREF(result);
    Py_XDECREF(view);
    PyGILState_Release(state);
    return cost;
}

static bool find_tree(const struct wp_transform_params *params, const struct wp_operand *image,
                      const struct wp_packet_cost *cost, char tree[WP_TREE_SIZE])
{
    bool ok;
    Py_BEGIN_ALLOW_THREADS ok = wp_packets_best(params, image, cost, tree);
    Py_END_ALLOW_THREADS return PyErr_Occurred() ? false : ok || wp_py_fail();
}

static PyObject *core_best_tree(PyObject *self, PyObject *positional, PyObject *keywords)
{
    struct wp_transform_params params;
    struct wp_py_wavelet wavelet = {.data = {.name = NULL}};
    struct wp_py_options options;
    struct wp_packet_cost cost = {0};
    struct wp_py_array array = {.viewed = false};
    struct wp_operand image;
    PyObject *source, *function;
    char tree[WP_TREE_SIZE];
    int size[WP_DIMENSIONS];
    (void)self;
    if (!PyArg_ParseTuple(positional, "OzdO", &source, &cost.name, &cost.parameter, &function))
        return NULL;
    cost.function = cost.name ? NULL : call_cost;
    cost.user = function;
    bool ok = read_params(NULL, keywords, &params, &wavelet, &options);
    if (ok) {
        set_sizes(&params, size);
        const struct wp_py_extents extents = {
            .size = size, .name = "the image", .maximum = options.maximum};
        ok = wp_py_array_open(source, &extents, &array, &image) &&
             find_tree(&params, &image, &cost, tree);
        wp_py_array_close(&array);
    }
    free_wavelet(&wavelet);
    return ok ? PyUnicode_FromString(tree) : NULL;
}

static PyMethodDef core_methods[] = {
    {"names", core_names, METH_VARARGS,
     "names(kind, backend=None)\n\nNames of 'wavelets', 'borders', 'backends', "
     "..."},
    {"max_levels", (PyCFunction)(void (*)(void))core_max_levels, METH_VARARGS | METH_KEYWORDS,
     "max_levels(**params)\n\nThe most levels in the plane and along z."},
    {"filter", core_filter, METH_VARARGS,
     "filter(wavelet, norm, which)\n\n(first, taps) of the filter "
     "'analysis-low', ..."},
    {"denoise", (PyCFunction)(void (*)(void))core_denoise, METH_VARARGS | METH_KEYWORDS,
     "denoise(source, target, method, rule, color, sigma, per_level, shifts, bands, "
     "**params)\n\nAppends (plane, name, level, sigma, threshold) of each subband to the list "
     "bands."},
    {"best_tree", (PyCFunction)(void (*)(void))core_best_tree, METH_VARARGS | METH_KEYWORDS,
     "best_tree(source, cost, parameter, function, **params)\n\nThe best basis of wavelet packets; "
     "function(memoryview of doubles) is the cost if cost is None."},
    {"version", core_version, METH_NOARGS, "version()\n\nThe version of libwavepass."},
    {NULL, NULL, 0, NULL},
};

static int core_exec(PyObject *module)
{
    wp_log_set_handler(handle_message, NULL);
    PyObject *type = PyType_FromSpec(&plan_spec);
    const int status = type ? PyModule_AddObjectRef(module, "Plan", type) : -1;
    Py_XDECREF(type);
    return status;
}

static PyModuleDef_Slot core_slots[] = {{Py_mod_exec, (void *)core_exec}, {0, NULL}};

static struct PyModuleDef core = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_doc = "libwavepass for the package wavepass.",
    .m_methods = core_methods,
    .m_slots = core_slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core);
}
