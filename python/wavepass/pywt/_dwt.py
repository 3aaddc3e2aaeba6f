"""Transforms of one level."""
import operator
from itertools import product

import numpy as np

from . import _direct
from ._modes import coefficients, mode_name
from ._steps import (check_lengths, forward_step, inverse_shape, inverse_step, level_shape,
                     quick_step, real_dtype, supports)
from ._wavelets import _FAMILY_OF, Wavelet, as_wavelet, per_axis

try:
    from numpy.exceptions import AxisError
except ImportError:  # NumPy 1.24
    from numpy import AxisError


# ---- arguments ----

def result_dtype(*dtypes):
    """float32 and complex64 if all are at most that; else float64 or complex128."""
    dtypes = [np.result_type(d) for d in dtypes]
    single = all(d in (np.float16, np.float32, np.complex64) for d in dtypes)
    if any(d.kind == "c" for d in dtypes):
        return np.dtype("c8" if single else "c16")
    return np.dtype("f4" if single else "f8")


def as_samples(data):
    """An array of a type that is transformed."""
    x = np.asarray(data)
    if real_dtype(x.dtype) is None:
        x = x.astype(result_dtype(x.dtype))
    return x if x.flags.aligned else x.copy()


def normalized(axis, ndim, what="data"):
    """An axis from 0 to ndim - 1."""
    try:
        index = operator.index(axis)
    except TypeError:
        raise TypeError(f"an axis is an integer, not {axis!r}") from None
    if not -ndim <= index < ndim:
        raise AxisError(f"Axis greater than {what} dimensions: {index} for {ndim} dimensions")
    return index % ndim


def axes_of(axes, ndim, count=None):
    """Axes from 0 to ndim - 1; None: all."""
    axes = range(ndim) if axes is None else tuple(axes)
    if count is not None and len(axes) != count:
        raise ValueError(f"Expected {count} axes, but there are {len(axes)}")
    return tuple(normalized(a, ndim) for a in axes)


# ---- several axes ----

def _groups(axes, wavelets, modes, ndim, dtype):
    """Splits axes into runs that one plan transforms: (first, last + 1)."""
    begin = 0
    for end in range(1, len(axes) + 1):
        if end < len(axes) and (wavelets[end] is wavelets[begin] and modes[end] == modes[begin]
                                and supports(ndim, dtype, axes[begin:end + 1], wavelets[begin])):
            continue
        yield begin, end
        begin = end


def _forward_group(x, wavelet, mode, axes):
    """A dict of the bands of one group of axes."""
    taps = wavelet.dec_len
    check_lengths(x.shape, axes, mode, taps)
    if x.size == 0:
        band = np.zeros(level_shape(x.shape, axes, taps, mode), x.dtype)
        return {"".join(key): band.copy() for key in product("ad", repeat=len(axes))}
    if supports(x.ndim, x.dtype, axes, wavelet):
        step = forward_step(x.shape, x.dtype, wavelet, mode, axes)
        return {key: band for (_, key), band in zip(step.keys, step.forward(x))}
    return dict(zip("ad", _direct.forward(x, wavelet.filter_bank, mode, axes[0])))


def forward(x, wavelets, modes, axes):
    """The bands of one level along axes, of which some may be equal: a dict of arrays by letters."""
    bands = {"": x}
    for begin, end in _groups(axes, wavelets, modes, x.ndim, x.dtype):
        bands = {key + more: part for key, band in bands.items() for more, part in
                 _forward_group(band, wavelets[begin], modes[begin], axes[begin:end]).items()}
    return dict(sorted(bands.items()))


def _inverse_group(bands, wavelet, mode, axes, shape, dtype):
    """Samples of the bands of one group of axes; missing bands are 0."""
    given = [b for b in bands.values() if b is not None]
    if not given:
        return None
    if 0 in shape:
        return np.zeros(inverse_shape(shape, axes, wavelet.dec_len, mode), dtype)
    if supports(len(shape), dtype, axes, wavelet):
        step = inverse_step(shape, dtype, wavelet, mode, axes)
        zeros = _zeros(shape, dtype) if len(given) < len(step.keys) else None
        return step.inverse([zeros if bands.get(k) is None else bands[k] for _, k in step.keys])
    inverse_shape(shape, axes, wavelet.dec_len, mode)
    return _direct.inverse(bands.get("a"), bands.get("d"), wavelet.filter_bank, mode, axes[0])


def _zeros(shape, dtype):
    return np.broadcast_to(np.zeros((), dtype), shape)


def inverse(bands, wavelets, modes, axes):
    """Samples of the bands of one level: a dict of arrays of equal shape and type, or None."""
    some = next(b for b in bands.values() if b is not None)
    for begin, end in reversed(list(_groups(axes, wavelets, modes, some.ndim, some.dtype))):
        parts = {}
        for key, band in bands.items():
            parts.setdefault(key[:begin], {})[key[begin:]] = band
        shape = next(b.shape for b in bands.values() if b is not None)
        bands = {key: _inverse_group(part, wavelets[begin], modes[begin], axes[begin:end], shape,
                                     some.dtype) for key, part in parts.items()}
    return bands[""]


# ---- dwt, idwt ----

def _quick_inverse(bands, wavelet, mode, axes):
    """The Step of bands that need no conversion, or None."""
    shape = bands[0].shape
    if not _are_equal(bands) or any(b.shape != shape for b in bands):
        return None
    return quick_step(True, shape, bands[0].dtype, wavelet, mode, axes)


def dwt(data, wavelet, mode="symmetric", axis=-1):
    """One level along an axis: (cA, cD), each with ``dwt_coeff_len()`` samples along the axis.

    >>> dwt([1, 2, 3, 4], "haar")[0].round(3).tolist()
    [2.121, 4.95]
    """
    try:
        step = data.flags.aligned and quick_step(False, data.shape, data.dtype, wavelet, mode, (axis,))
    except (AttributeError, TypeError):
        step = None
    if step:
        return tuple(step.forward(data))
    x, wavelet = as_samples(data), as_wavelet(wavelet)
    bands = forward(x, [wavelet], [mode_name(mode)], (normalized(axis, x.ndim),))
    return bands["a"], bands["d"]


def idwt(cA, cD, wavelet, mode="symmetric", axis=-1):
    """The samples of one level along an axis. cA or cD may be None, for zeros.

    >>> idwt([1, 2], [0, 0], "haar").round(3).tolist()
    [0.707, 0.707, 1.414, 1.414]
    """
    try:
        step = _quick_inverse((cA, cD), wavelet, mode, (axis,))
    except (AttributeError, TypeError):
        step = None
    if step:
        return step.inverse((cA, cD))
    if cA is None and cD is None:
        raise ValueError("At least one coefficient parameter must be specified.")
    wavelet, mode = as_wavelet(wavelet), mode_name(mode)
    low, high = _equal_types([cA, cD])
    some = low if low is not None else high
    axis = normalized(axis, some.ndim, "coefficient")
    if low is not None and high is not None and low.shape != high.shape:
        raise ValueError(f"cA has the shape {low.shape} and cD {high.shape}: Coefficients arrays must "
                         "have the same size.")
    return inverse({"a": low, "d": high}, [wavelet], [mode], (axis,))


def _are_equal(arrays):
    """Are these arrays of one type that is transformed?"""
    dtype = getattr(arrays[0], "dtype", None)
    return real_dtype(dtype) is not None and all(
        type(a) is np.ndarray and a.dtype == dtype and a.flags.aligned for a in arrays)


def _equal_types(arrays):
    """Arrays, or None, of one type."""
    arrays = list(arrays)
    if _are_equal(arrays):
        return arrays
    arrays = [None if a is None else np.asarray(a) for a in arrays]
    dtype = result_dtype(*(a.dtype for a in arrays if a is not None))
    return [a if a is None or (a.dtype == dtype and a.flags.aligned)
            else a.astype(dtype) for a in arrays]


# ---- dwt2, idwt2, dwtn, idwtn ----

def dwt2(data, wavelet, mode="symmetric", axes=(-2, -1)):
    """One level along two axes: (cA, (cH, cV, cD)). wavelet and mode may be one for each axis.

    >>> cA, (cH, cV, cD) = dwt2(np.ones((4, 4)), "haar")
    >>> cA.round(3).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    try:
        step = (data.flags.aligned and len(axes) == 2
                and quick_step(False, data.shape, data.dtype, wavelet, mode, axes))
    except (AttributeError, TypeError):
        step = None
    if step:
        bands = step.forward(data)
        return ((bands[0], (bands[1], bands[2], bands[3])) if step.keys[1][1] == "da" else
                (bands[0], (bands[2], bands[1], bands[3])))
    axes = tuple(axes)
    x = as_samples(data)
    if len(axes) != 2:
        raise ValueError(f"Expected 2 axes, but there are {len(axes)}")
    if x.ndim < len(np.unique(axes)):
        raise ValueError(f"Input array has {x.ndim} dimensions, fewer than the specified axes {axes}")
    bands = dwtn(x, wavelet, mode, axes)
    return bands["aa"], (bands["da"], bands["ad"], bands["dd"])


def idwt2(coeffs, wavelet, mode="symmetric", axes=(-2, -1)):
    """The samples of ``(cA, (cH, cV, cD))``; each band may be None, for zeros.

    >>> idwt2(dwt2(np.eye(2), "haar"), "haar").round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    low, (horizontal, vertical, diagonal) = coeffs
    axes = tuple(axes)
    bands = low, horizontal, vertical, diagonal
    try:
        step = len(axes) == 2 and _quick_inverse(bands, wavelet, mode, axes)
    except (AttributeError, TypeError):
        step = None
    if step:
        return step.inverse(bands if step.keys[1][1] == "da" else
                            (low, vertical, horizontal, diagonal))
    if len(axes) != 2:
        raise ValueError(f"Expected 2 axes, but there are {len(axes)}")
    return idwtn({"aa": low, "da": horizontal, "ad": vertical, "dd": diagonal}, wavelet, mode, axes)


def dwtn(data, wavelet, mode="symmetric", axes=None):
    """One level along axes (default: all): a dict of bands. The letter i of a key is "a" for low and
    "d" for high along axes[i]. An axis may be repeated. wavelet and mode may be one for each axis.

    >>> sorted(dwtn(np.ones((2, 2, 2)), "haar", axes=(0, 2)))
    ['aa', 'ad', 'da', 'dd']
    """
    try:
        step = (data.flags.aligned and data.ndim and quick_step(
            False, data.shape, data.dtype, wavelet, mode,
            tuple(range(data.ndim) if axes is None else axes)))
    except (AttributeError, TypeError):
        step = None
    if step:
        bands = step.forward(data)
        return {"a" * len(step.keys[0][1]): bands[0], **{k: bands[i] for k, i in step.details[0]}}
    x = np.asarray(data)
    if x.dtype.kind not in "biufc":
        raise TypeError(f"Input must be a numeric array-like, not of {x.dtype}")
    x = as_samples(x)
    if x.ndim < 1:
        raise ValueError("Input data must be at least 1D")
    axes = axes_of(axes, x.ndim)
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    return forward(x, wavelets, per_axis(mode, len(axes), "mode", mode_name), axes)


def checked_keys(coeffs):
    """The bands of a dict without None. ValueError for keys that are not of a's and d's of one
    length."""
    wrong = [k for k in coeffs if set(k) - {"a", "d"}]
    if wrong:
        raise ValueError("The following invalid keys were found in the detail coefficient dictionary: "
                         f"{wrong}.")
    bands = {k: np.asarray(v) for k, v in coeffs.items() if v is not None}
    if len({len(k) for k in bands}) > 1:
        raise ValueError("All detail coefficient names must have equal length.")
    return bands


def idwtn(coeffs, wavelet, mode="symmetric", axes=None):
    """The samples of a dict of bands as of ``dwtn()``; bands that are missing or None are 0.

    >>> idwtn({"aa": np.ones((1, 2))}, "haar").shape
    (2, 4)
    """
    bands = checked_keys(coeffs)
    if not bands:
        raise ValueError("all bands are missing or None: at least one is required")
    bands = dict(zip(bands, _equal_types(bands.values())))
    some = next(iter(bands.values()))
    if any(b.shape != some.shape for b in bands.values()):
        raise ValueError(f"bands have the shapes { {k: b.shape for k, b in bands.items()} }, but "
                         "`coeffs` must all be of equal size (or None)")
    axes = axes_of(range(len(next(iter(bands)))) if axes is None else axes, some.ndim)
    if len(next(iter(bands))) != len(axes):
        raise ValueError(f"keys have {len(next(iter(bands)))} letters, but there are {len(axes)} axes")
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    modes = per_axis(mode, len(axes), "mode", mode_name)
    return inverse(bands, wavelets, modes, axes)


# ---- one band ----

def _check_part(part, x, level, name, what):
    if part not in ("a", "d"):
        raise ValueError(f"Argument 1 must be 'a' or 'd', not {part!r}.")
    if x.ndim != 1:
        raise ValueError(f"{name} only supports 1d {what}, not of {x.ndim} dimensions.")
    if level < 1:
        raise ValueError(f"Value of level is {level}, but must be greater than 0.")


def downcoef(part, data, wavelet, mode="symmetric", level=1):
    """The low ("a") or high ("d") band of the last of some levels of a signal.

    >>> downcoef("a", [1, 2, 3, 4], "haar", level=2).round(3).tolist()
    [5.0]
    """
    x, wavelet, mode = as_samples(data), as_wavelet(wavelet), mode_name(mode)
    _check_part(part, x, level, "downcoef", "data")
    for _ in range(level - 1):
        x = forward(x, [wavelet], [mode], (0,))["a"]
    return forward(x, [wavelet], [mode], (0,))[part]


def upcoef(part, coeffs, wavelet, level=1, take=0):
    """The samples of a low ("a") or high ("d") band alone, without cutting those at the borders;
    `take`: only that many in the middle.

    >>> upcoef("a", [1, 2], "db2").round(3).tolist()
    [0.483, 0.837, 1.19, 1.544, 0.448, -0.259]
    """
    x, wavelet = as_samples(coeffs), as_wavelet(wavelet)
    _check_part(part, x, level, "upcoef", "coeffs")
    if take < 0:
        raise ValueError(f"take is {take}, but must not be negative")
    edge = wavelet.rec_len // 2 - 1
    for _ in range(level):
        # With zeros at both ends nothing is cut.
        x = inverse({part: np.pad(x, edge)}, [wavelet], ["zero"], (0,))
        part = "a"
    first = (len(x) - take) // 2
    return x[first:first + take] if 0 < take < len(x) else x


# ---- lengths ----

def dwt_coeff_len(data_len, filter_len, mode):
    """Number of coefficients of one level in each band. filter_len: taps, or a Wavelet.

    >>> dwt_coeff_len(8, 4, "symmetric")
    5
    """
    taps = filter_len.dec_len if hasattr(filter_len, "dec_len") else filter_len
    if isinstance(taps, str):
        raise TypeError("filter_len is a string, but must be an integer or a Wavelet")
    for name, value in (("data_len", data_len), ("filter_len", taps)):
        if value < 1:
            raise ValueError(f"Value of {name} is {value}, but must be greater than zero.")
    return coefficients(int(data_len), int(taps), mode_name(mode))


def dwt_max_level(data_len, filter_len):
    """Levels until fewer samples than taps of the filter are left. filter_len: taps, a Wavelet, or
    the name of one.

    >>> dwt_max_level(1000, "db4")
    7
    """
    if isinstance(filter_len, Wavelet):
        taps = filter_len.dec_len
    elif isinstance(filter_len, str):
        if filter_len.lower() not in _FAMILY_OF:
            raise ValueError(f"{filter_len!r}, is not a recognized discrete wavelet: "
                             "wavelist(kind='discrete')")
        taps = as_wavelet(filter_len).dec_len
    elif hasattr(filter_len, "dec_len"):
        taps = filter_len.dec_len
    else:
        taps = filter_len
        if not float(taps).is_integer():
            raise ValueError(f"filter_len is {taps}, but must be an integer, a Wavelet, or the name "
                             "of a discrete wavelet.")
    if taps < 2:
        raise ValueError(f"invalid wavelet filter length {taps} (at least 2)")
    if data_len < 0:
        raise OverflowError(f"data_len is {data_len}, but must not be negative")
    return max((int(data_len) // (int(taps) - 1)).bit_length() - 1, 0)


def dwtn_max_level(shape, wavelet, axes=None):
    """The smallest ``dwt_max_level()`` of axes (an integer or a tuple; default: all).

    >>> dwtn_max_level((64, 32), "db2")
    3
    """
    axes = unique_axes(axes, len(shape))
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    return min(dwt_max_level(shape[a], w) for a, w in zip(axes, wavelets))


def unique_axes(axes, ndim, name="wavedecn"):
    """Distinct axes from 0 to ndim - 1, of an integer, a sequence, or None for all."""
    if ndim < 1:
        raise ValueError("Expected at least 1D input data.")
    axes = axes_of((axes,) if isinstance(axes, (int, np.integer)) else axes, ndim)
    if not axes:
        raise ValueError(f"{name} requires at least one axis")
    if len(set(axes)) != len(axes):
        raise ValueError(f"The axes passed to {name} must be unique.")
    return axes
