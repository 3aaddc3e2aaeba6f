/// @file
/// A plan: a transform of libwavepass as an object of Python, with a lock.
/// Large batches run in parts, between which signals are handled and progress
/// is reported.
#ifndef WP_PYTHON_PLAN_H
#define WP_PYTHON_PLAN_H

#include "_array.h"

enum { WP_PY_STEPS_MAX = 64 };

/// A wavelet by its steps.
struct wp_py_wavelet {
    struct wp_wavelet_data data;
    struct wp_step_data step[WP_PY_STEPS_MAX];
    double *taps[WP_PY_STEPS_MAX]; ///< of each step, owned
};

/// Parameters of this module alone.
struct wp_py_options {
    float maximum; ///< of integers, wp_operand.maximum; 1: integers represent
                   ///< themselves
    size_t part;   ///< samples per part of a batch; 0: 2^26, and 2^28 on a device
};

/// The object. Its members are zero before wp_py_plan_create().
struct wp_py_plan {
    PyObject ob_base;
    struct wp_transform *whole; ///< of a whole part
    struct wp_transform *rest;  ///< of the last part, if it is smaller; NULL: none
    int split;                  ///< the dimension that is divided in parts; 0: none
    int part;                   ///< entries of it per part
    int size[2][WP_DIMENSIONS]; ///< extents: of the image, of the coefficients
    int levels, levels_z;
    float maximum;
    void *stream;
    bool forks_badly;        ///< it uses a device, which a child of fork() cannot use
    long process;            ///< the process that created it
    PyThread_type_lock lock; ///< held by the thread that runs it
    unsigned long owner;     ///< that thread
};

/// Creates the transforms. False after an exception.
bool wp_py_plan_create(struct wp_py_plan *plan, const struct wp_transform_params *params,
                       const struct wp_py_options *options);
/// Destroys them; the object itself is the caller's.
void wp_py_plan_destroy(struct wp_py_plan *plan);

/// Transforms arrays. Another thread that runs the same plan waits. progress, a
/// callable or NULL, gets the number of entries of the batch that are done and
/// their total. stream, a number or NULL (that of the latest call), is the CUDA
/// stream of this call. False after an exception, after which the target may be
/// partly written.
bool wp_py_plan_run(struct wp_py_plan *plan, bool inverse, PyObject *source, PyObject *target,
                    PyObject *progress, PyObject *stream);
/// Describes the execution of arrays (None: floats without gaps) as a string.
PyObject *wp_py_plan_describe(struct wp_py_plan *plan, bool inverse, PyObject *source,
                              PyObject *target);
PyObject *wp_py_plan_bands(struct wp_py_plan *plan);
PyObject *wp_py_plan_info(struct wp_py_plan *plan);
PyObject *wp_py_plan_extents(struct wp_py_plan *plan, bool coefficients);

/// Raises the library's latest error of this thread as an exception. Always
/// false.
bool wp_py_fail(void);
/// Issues the library's latest warning of this thread. False if that raised an
/// exception.
bool wp_py_warn(void);

#endif
