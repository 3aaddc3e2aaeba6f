// Opens arrays of Python. Each protocol, and an address with its description,
// fills in a struct layout, from which one function makes the operand.
#include "_array.h"

#include <stdint.h>
#include <string.h>

enum { DIMENSIONS_MAX = 64 }; // of an array of Python; that of NumPy 2

// An array of any protocol.
struct layout {
    void *data;
    enum wp_element type;
    enum wp_location location;
    int dimensions;
    Py_ssize_t shape[DIMENSIONS_MAX];
    Py_ssize_t stride[DIMENSIONS_MAX]; // in elements
};

static const char *const axis_names[WP_BATCH] = {"x", "y", "z", "planes"};
static const Py_ssize_t element_bytes[WP_ELEMENT_COUNT] = {
    [WP_ELEMENT_F32] = 4, [WP_ELEMENT_F16] = 2, [WP_ELEMENT_U8] = 1,
    [WP_ELEMENT_U16] = 2, [WP_ELEMENT_F64] = 8, [WP_ELEMENT_BF16] = 2,
};

static bool fail_type(const char *what)
{
    PyErr_Format(PyExc_TypeError,
                 "elements of type '%s' are not supported (float16, bfloat16, "
                 "float32, float64; uint8 "
                 "and uint16 only as an image)\nhint: convert the array, as "
                 "x.astype('float32')",
                 what);
    return false;
}

static bool fail_strides(Py_ssize_t stride, Py_ssize_t bytes)
{
    PyErr_Format(PyExc_ValueError,
                 "a stride of %zd bytes is not a multiple of the element's %zd bytes"
                 "\nhint: copy the array",
                 stride, bytes);
    return false;
}

static bool set_dimensions(struct layout *layout, Py_ssize_t dimensions)
{
    layout->dimensions = (int)dimensions;
    if (dimensions <= DIMENSIONS_MAX)
        return true;
    PyErr_Format(PyExc_ValueError, "an array of %zd dimensions (at most %d)", dimensions,
                 (int)DIMENSIONS_MAX);
    return false;
}

// Strides of bytes to strides of elements.
static bool set_stride(struct layout *layout, int dimension, Py_ssize_t bytes)
{
    const Py_ssize_t size = element_bytes[layout->type];
    layout->stride[dimension] = bytes / size;
    return bytes % size == 0 || layout->shape[dimension] <= 1 || fail_strides(bytes, size);
}

static void set_dense_strides(struct layout *layout)
{
    Py_ssize_t stride = 1;
    for (int i = layout->dimensions - 1; i >= 0; i--) {
        layout->stride[i] = stride;
        stride *= layout->shape[i];
    }
}

// ---- the buffer protocol ----

static bool type_of_format(const Py_buffer *view, bool bfloat16, enum wp_element *type)
{
    const char *format = view->format ? view->format : "B";
    const uint16_t one = 1;
    const bool little = *(const unsigned char *)&one == 1;
    const bool foreign = *format == (little ? '>' : '<') || (little && *format == '!');
    if (*format && strchr("@=<>!", *format))
        format++;
    const char letter = *format && !format[1] ? *format : 0;
    const bool swapped = foreign && view->itemsize > 1;
    if (bfloat16 && view->itemsize == 2 && letter && !swapped)
        *type = WP_ELEMENT_BF16;
    else if (letter == 'f' && !swapped)
        *type = WP_ELEMENT_F32;
    else if (letter == 'd' && !swapped)
        *type = WP_ELEMENT_F64;
    else if (letter == 'e' && !swapped)
        *type = WP_ELEMENT_F16;
    else if (letter == 'B')
        *type = WP_ELEMENT_U8;
    else if (letter == 'H' && !swapped)
        *type = WP_ELEMENT_U16;
    else
        return fail_type(view->format ? view->format : "B");
    return true;
}

static bool open_buffer(PyObject *object, bool written, bool bfloat16, struct wp_py_array *array,
                        struct layout *layout)
{
    Py_buffer *view = &array->view;
    if (PyObject_GetBuffer(object, view,
                           PyBUF_STRIDES | PyBUF_FORMAT | (written ? PyBUF_WRITABLE : 0)) != 0)
        return false;
    array->viewed = true;
    layout->data = view->buf;
    layout->location = WP_LOCATION_HOST;
    if (!set_dimensions(layout, view->ndim) || !type_of_format(view, bfloat16, &layout->type))
        return false;
    for (int i = 0; i < view->ndim; i++) {
        layout->shape[i] = view->shape[i];
        if (!set_stride(layout, i, view->strides[i]))
            return false;
    }
    return true;
}

// ---- DLPack: https://dmlc.github.io/dlpack/latest/c_api.html ----

enum { DEVICE_CPU = 1, DEVICE_CUDA = 2, DEVICE_CUDA_HOST = 3, DEVICE_CUDA_MANAGED = 13 };
enum { CODE_UINT = 1, CODE_FLOAT = 2, CODE_BFLOAT = 4 };
enum { FLAG_READ_ONLY = 1 };

struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t dimensions;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *stride; // in elements; stride NULL: without gaps
    uint64_t byte_offset;
};

struct dl_managed {
    struct dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
};

struct dl_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    struct dl_tensor tensor;
};

static bool type_of_dlpack(const struct dl_tensor *tensor, enum wp_element *type)
{
    static const struct {
        uint8_t code, bits;
        enum wp_element type;
    } known[] = {
        {CODE_FLOAT, 32, WP_ELEMENT_F32}, {CODE_FLOAT, 64, WP_ELEMENT_F64},
        {CODE_FLOAT, 16, WP_ELEMENT_F16}, {CODE_BFLOAT, 16, WP_ELEMENT_BF16},
        {CODE_UINT, 8, WP_ELEMENT_U8},    {CODE_UINT, 16, WP_ELEMENT_U16},
    };
    char name[32];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tensor->code == known[i].code && tensor->bits == known[i].bits && tensor->lanes == 1) {
            *type = known[i].type;
            return true;
        }
    PyOS_snprintf(name, sizeof name, "DLPack code %d, %d bits", tensor->code, tensor->bits);
    return fail_type(name);
}

// The type of the device of an object; an exception is possible.
static long device_of(PyObject *object)
{
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    PyObject *first = device ? PySequence_GetItem(device, 0) : NULL;
    const long type = first ? PyLong_AsLong(first) : -1;
    Py_XDECREF(first);
    Py_XDECREF(device);
    return type;
}

// Calls object.__dlpack__(stream=stream), without the argument for memory of
// the host.
static PyObject *capsule_of(PyObject *object, long device, void *stream)
{
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    PyObject *none = PyTuple_New(0);
    PyObject *named = PyDict_New();
    PyObject *capsule = NULL;
    if (method && none && named && (device == DEVICE_CUDA || device == DEVICE_CUDA_MANAGED)) {
        // DLPack reserves 0: 1 is the default stream.
        PyObject *number = PyLong_FromVoidPtr(stream ? stream : (void *)1);
        if (number)
            PyDict_SetItemString(named, "stream", number);
        Py_XDECREF(number);
    }
    if (!PyErr_Occurred())
        capsule = PyObject_Call(method, none, named);
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(named);
    return capsule;
}

static bool read_tensor(const struct dl_tensor *tensor, struct layout *layout)
{
    layout->data = (char *)tensor->data + tensor->byte_offset;
    layout->location =
        tensor->device_type == DEVICE_CUDA || tensor->device_type == DEVICE_CUDA_MANAGED
            ? WP_LOCATION_CUDA
            : WP_LOCATION_HOST;
    if (!set_dimensions(layout, tensor->dimensions) || !type_of_dlpack(tensor, &layout->type))
        return false;
    for (int i = 0; i < layout->dimensions; i++) {
        layout->shape[i] = (Py_ssize_t)tensor->shape[i];
        layout->stride[i] = tensor->stride ? (Py_ssize_t)tensor->stride[i] : 0;
    }
    if (!tensor->stride)
        set_dense_strides(layout);
    return true;
}

static bool open_dlpack(PyObject *object, const struct wp_py_extents *extents,
                        struct wp_py_array *array, struct layout *layout)
{
    const long device = device_of(object);
    if (PyErr_Occurred())
        return false;
    if (device != DEVICE_CPU && device != DEVICE_CUDA && device != DEVICE_CUDA_HOST &&
        device != DEVICE_CUDA_MANAGED) {
        PyErr_Format(PyExc_ValueError,
                     "the array is on a device of DLPack's type %ld; the host's memory and CUDA "
                     "devices are supported",
                     device);
        return false;
    }
    PyObject *capsule = array->capsule = capsule_of(object, device, extents->stream);
    if (!capsule)
        return false;
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        struct dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
        return read_tensor(&managed->tensor, layout);
    }
    struct dl_versioned *versioned = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (!versioned)
        return false;
    if (versioned->major != 1 || (extents->written && versioned->flags & FLAG_READ_ONLY)) {
        PyErr_Format(PyExc_ValueError,
                     versioned->major != 1 ? "DLPack of version %u is not supported"
                                           : "the output is read-only",
                     (unsigned)versioned->major);
        return false;
    }
    return read_tensor(&versioned->tensor, layout);
}

// ---- __cuda_array_interface__ ----

static bool type_of_typestr(const char *text, enum wp_element *type)
{
    static const struct {
        const char *name;
        enum wp_element type;
    } known[] = {{"<f4", WP_ELEMENT_F32},
                 {"<f8", WP_ELEMENT_F64},
                 {"<f2", WP_ELEMENT_F16},
                 {"|u1", WP_ELEMENT_U8},
                 {"<u2", WP_ELEMENT_U16}};
    for (size_t i = 0; text && i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i].name) == 0) {
            *type = known[i].type;
            return true;
        }
    return fail_type(text ? text : "none");
}

// Reads a tuple of numbers with one entry for each dimension.
static bool read_numbers(PyObject *tuple, int count, Py_ssize_t *numbers)
{
    for (int i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(tuple, i);
        numbers[i] = item ? PyLong_AsSsize_t(item) : -1;
        Py_XDECREF(item);
    }
    return !PyErr_Occurred();
}

static bool read_interface(PyObject *interface, const struct wp_py_extents *extents, bool bfloat16,
                           struct layout *layout)
{
    PyObject *shape = PyDict_GetItemString(interface, "shape");
    PyObject *typestr = PyDict_GetItemString(interface, "typestr");
    PyObject *data = PyDict_GetItemString(interface, "data");
    PyObject *strides = PyDict_GetItemString(interface, "strides");
    PyObject *stream = PyDict_GetItemString(interface, "stream");
    PyObject *mask = PyDict_GetItemString(interface, "mask");
    PyObject *pointer = data ? PySequence_GetItem(data, 0) : NULL;
    PyObject *read_only = data ? PySequence_GetItem(data, 1) : NULL;
    const char *type = typestr ? PyUnicode_AsUTF8AndSize(typestr, NULL) : NULL;
    layout->location = WP_LOCATION_CUDA;
    layout->data = pointer ? PyLong_AsVoidPtr(pointer) : NULL;
    const bool fixed = read_only && PyObject_IsTrue(read_only) != 0;
    Py_XDECREF(pointer);
    Py_XDECREF(read_only);
    if (PyErr_Occurred())
        return false;
    if (!shape || !PyTuple_Check(shape) || !type || !data || (mask && mask != Py_None)) {
        PyErr_SetString(PyExc_ValueError,
                        "__cuda_array_interface__ must have 'shape', 'typestr' and "
                        "'data', and no 'mask'");
        return false;
    }
    if (extents->written && fixed) {
        PyErr_SetString(PyExc_ValueError, "the output is read-only");
        return false;
    }
    if (!set_dimensions(layout, PyTuple_Size(shape)) ||
        !(bfloat16 && strcmp(type, "<u2") == 0 ? (layout->type = WP_ELEMENT_BF16, true)
                                               : type_of_typestr(type, &layout->type)) ||
        !read_numbers(shape, layout->dimensions, layout->shape))
        return false;
    if (!strides || strides == Py_None) {
        set_dense_strides(layout);
    } else {
        if (!read_numbers(strides, layout->dimensions, layout->stride))
            return false;
        for (int i = 0; i < layout->dimensions; i++)
            if (!set_stride(layout, i, layout->stride[i]))
                return false;
    }
    if (!stream || stream == Py_None)
        return true;
    void *other = PyLong_AsVoidPtr(stream);
    return !PyErr_Occurred() && wp_py_stream_wait(extents->stream, other);
}

static bool open_interface(PyObject *object, const struct wp_py_extents *extents, bool bfloat16,
                           struct layout *layout)
{
    PyObject *interface = PyObject_GetAttrString(object, "__cuda_array_interface__");
    if (!interface || !PyDict_Check(interface)) {
        if (interface)
            PyErr_SetString(PyExc_TypeError, "__cuda_array_interface__ is not a dict");
        Py_XDECREF(interface);
        return false;
    }
    const bool ok = read_interface(interface, extents, bfloat16, layout);
    Py_DECREF(interface);
    return ok;
}

// ---- an address and its description ----

static bool type_of_name(const char *name, enum wp_element *type)
{
    static const char *const names[WP_ELEMENT_COUNT] = {
        [WP_ELEMENT_F32] = "float32", [WP_ELEMENT_F16] = "float16", [WP_ELEMENT_U8] = "uint8",
        [WP_ELEMENT_U16] = "uint16",  [WP_ELEMENT_F64] = "float64", [WP_ELEMENT_BF16] = "bfloat16",
    };
    for (int i = 0; i < WP_ELEMENT_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *type = (enum wp_element)i;
            return true;
        }
    return fail_type(name);
}

enum { ADDRESS, AXES, TYPE, SHAPE, STRIDES, DEVICE, DESCRIBED }; // entries of the tuple

static bool open_address(PyObject *given, struct layout *layout)
{
    PyObject *shape = PyTuple_GetItem(given, SHAPE), *strides = PyTuple_GetItem(given, STRIDES);
    const char *type = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(given, TYPE), NULL);
    if (!type || !type_of_name(type, &layout->type))
        return false;
    layout->data = PyLong_AsVoidPtr(PyTuple_GetItem(given, ADDRESS));
    if (PyErr_Occurred())
        return false;
    layout->location =
        PyTuple_GetItem(given, DEVICE) == Py_True ? WP_LOCATION_CUDA : WP_LOCATION_HOST;
    const Py_ssize_t dimensions = PySequence_Size(shape);
    return dimensions >= 0 && set_dimensions(layout, dimensions) &&
           read_numbers(shape, layout->dimensions, layout->shape) &&
           read_numbers(strides, layout->dimensions, layout->stride);
}

// ---- the operand ----

static bool fail_extent(const struct wp_py_extents *extents, int axis, int dimension,
                        Py_ssize_t found)
{
    char name[32];
    if (axis < WP_BATCH)
        PyOS_snprintf(name, sizeof name, "%s", axis_names[axis]);
    else
        PyOS_snprintf(name, sizeof name, "batch dimension %d", axis - WP_BATCH + 1);
    if (dimension < 0)
        PyErr_Format(PyExc_ValueError, "%s has no dimension for %s, of which the plan has %d",
                     extents->name, name, extents->size[axis]);
    else
        PyErr_Format(PyExc_ValueError,
                     "dimension %d of %s has an extent of %zd, but the plan has %d "
                     "in %s",
                     dimension, extents->name, found, extents->size[axis], name);
    return false;
}

static bool read_axes(PyObject *axes, const struct layout *layout,
                      const struct wp_py_extents *extents, struct wp_operand *operand)
{
    const Py_ssize_t count = PyTuple_Size(axes);
    uint64_t used = 0;
    if (count < 0 || count > WP_DIMENSIONS) {
        if (count > 0)
            PyErr_Format(PyExc_ValueError, "%zd axes (at most %d: x, y, z, planes, batch)", count,
                         (int)WP_DIMENSIONS);
        return false;
    }
    for (int a = 0; a < WP_DIMENSIONS; a++) {
        const long dimension = a < count ? PyLong_AsLong(PyTuple_GetItem(axes, a)) : -1;
        if (dimension == -1 && PyErr_Occurred())
            return false;
        if (dimension < -1 || dimension >= layout->dimensions ||
            (dimension >= 0 && used >> dimension & 1)) {
            PyErr_Format(PyExc_ValueError, "%ld is not another dimension of an array of %d",
                         dimension, layout->dimensions);
            return false;
        }
        const Py_ssize_t extent = dimension < 0 ? 1 : layout->shape[dimension];
        if (extent != extents->size[a])
            return fail_extent(extents, a, (int)dimension, extent);
        operand->stride[a] = dimension < 0 ? 0 : layout->stride[dimension];
        if (dimension >= 0)
            used |= (uint64_t)1 << dimension;
    }
    for (int i = 0; i < layout->dimensions; i++)
        if (!(used >> i & 1) && layout->shape[i] != 1) {
            PyErr_Format(PyExc_ValueError,
                         "dimension %d of %s, of %zd entries, is none of the axes", i,
                         extents->name, layout->shape[i]);
            return false;
        }
    return true;
}

bool wp_py_array_open(PyObject *given, const struct wp_py_extents *extents,
                      struct wp_py_array *array, struct wp_operand *operand)
{
    struct layout layout;
    const Py_ssize_t count = PyTuple_Check(given) ? PyTuple_Size(given) : 0;
    const bool described = count == DESCRIBED;
    PyObject *object = described || count == 2 || count == 3 ? PyTuple_GetItem(given, 0) : NULL;
    PyObject *axes = object ? PyTuple_GetItem(given, AXES) : NULL;
    if (!object || !PyTuple_Check(axes)) {
        PyErr_SetString(PyExc_TypeError,
                        "an array is a tuple: (object, tuple of axes), (object, tuple of axes, "
                        "'bfloat16'), or (address, tuple of axes, type, shape, strides, device)");
        return false;
    }
    const bool bfloat16 = count == 3 && PyTuple_GetItem(given, TYPE) != Py_None;
    const bool ok = described ? open_address(given, &layout)
                    : PyObject_CheckBuffer(object)
                        ? open_buffer(object, extents->written, bfloat16, array, &layout)
                    : PyObject_HasAttrString(object, "__dlpack__")
                        ? open_dlpack(object, extents, array, &layout)
                    : PyObject_HasAttrString(object, "__cuda_array_interface__")
                        ? open_interface(object, extents, bfloat16, &layout)
                        : (PyErr_Format(PyExc_TypeError,
                                        "%R is not an array: it has neither the buffer protocol "
                                        "nor __dlpack__ nor __cuda_array_interface__",
                                        (PyObject *)Py_TYPE(object)),
                           false);
    if (!ok)
        return false;
    const bool integer = layout.type == WP_ELEMENT_U8 || layout.type == WP_ELEMENT_U16;
    if (integer && extents->written && extents->maximum == 1) {
        PyErr_Format(PyExc_TypeError,
                     "%s cannot be written as integers, which represent themselves only as an input"
                     "\nhint: an array of floats",
                     extents->name);
        return false;
    }
    *operand = (struct wp_operand){
        .data = layout.data,
        .type = layout.type,
        .location = layout.location,
        .strided = true,
        .maximum = integer ? extents->maximum : 0,
    };
    return read_axes(axes, &layout, extents, operand);
}

// The consumer of a capsule renames it and calls the deleter; while it is not
// renamed, its own destructor does that.
void wp_py_array_close(struct wp_py_array *array)
{
    if (array->viewed)
        PyBuffer_Release(&array->view);
    Py_XDECREF(array->capsule);
    array->viewed = false;
    array->capsule = NULL;
}
