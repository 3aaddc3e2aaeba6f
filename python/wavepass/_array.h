/// @file
/// Arrays of Python as operands: the buffer protocol, DLPack,
/// __cuda_array_interface__. No samples are copied.
#ifndef WP_PYTHON_ARRAY_H
#define WP_PYTHON_ARRAY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "wavepass.h"

/// What a plan requires of an array.
struct wp_py_extents {
    const int *size;  ///< WP_DIMENSIONS extents
    const char *name; ///< "the image", for messages
    bool written;     ///< an output
    float maximum;    ///< of integers, wp_operand.maximum
    void *stream;     ///< the CUDA stream in which the array is used
};

/// An open array. Zero it before wp_py_array_open().
struct wp_py_array {
    Py_buffer view;    ///< of the buffer protocol, if `viewed`
    bool viewed;       ///< the view must be released
    PyObject *capsule; ///< of DLPack; NULL: none
};

/// Reads (object, axes) or (object, axes, type): axes has the dimension of the
/// object for each of x, y, z, planes and batch dimensions, -1 for none (extent
/// 1); type is "bfloat16" for elements of two bytes that are one. Or reads
/// (address, axes, type, shape, strides, device), an array that the caller has
/// described, which costs less than a protocol: strides in elements; device is
/// True for memory of a CUDA device, used in the stream of the call. Fills in
/// the operand, which is valid until wp_py_array_close(). False after an
/// exception: wrong extents, elements or strides.
bool wp_py_array_open(PyObject *given, const struct wp_py_extents *extents,
                      struct wp_py_array *array, struct wp_operand *operand);
/// Releases the array. Accepts zeros.
void wp_py_array_close(struct wp_py_array *array);

/// Makes later work in `stream` wait for the work in `other` (both as in
/// __cuda_array_interface__: 1 the default stream of the process, 2 that of the
/// thread). False after an exception.
bool wp_py_stream_wait(void *stream, void *other);

#endif
