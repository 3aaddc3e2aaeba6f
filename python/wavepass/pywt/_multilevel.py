"""Transforms of several levels."""
import warnings
from functools import lru_cache

import numpy as np

from ._dwt import (_equal_types, _zeros, as_samples, checked_keys, dwt_max_level, forward,
                   inverse, normalized, unique_axes)
from ._modes import coefficients, mode_name
from ._steps import (forward_step, inverse_shape, level_shape, real_dtype, samples_step, supports)
from ._wavelets import as_wavelet, per_axis


def _checked_level(level, lengths, wavelets):
    """The number of levels (None: as many as are useful), and a warning or None."""
    most = min(dwt_max_level(n, w) for n, w in zip(lengths, wavelets))
    if level is None:
        return most, None
    level = range(level).stop  # TypeError unless it is an integer
    if level < 0:
        raise ValueError(f"Level value of {level} is too low . Minimum level is 0.")
    return level, level > most and (f"Level value of {level} is too high: all coefficients will "
                                    f"experience boundary effects (at most {most}).")


# ---- forward ----

def _arguments(shape, dtype, wavelet, mode, level, axes, name):
    """Wavelets, modes, axes, number of levels, a warning, and the Step of all levels or None."""
    axes = unique_axes(axes, len(shape), name)
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    modes = per_axis(mode, len(axes), "mode", mode_name)
    level, warning = _checked_level(level, [shape[a] for a in axes], wavelets)
    one = level and 0 not in shape and len(set(modes)) == 1 and all(w is wavelets[0]
                                                                    for w in wavelets)
    step = None
    if one and real_dtype(dtype) and supports(len(shape), dtype, axes, wavelets[0]):
        step = forward_step(shape, dtype, wavelets[0], modes[0], axes, level)
    return wavelets, modes, axes, level, warning, step


_known_arguments = lru_cache(maxsize=256)(_arguments)


def decompose(x, wavelet, mode, level, axes, name):
    """The low band, and a dict of the others for each level from the last to the first. Without
    levels the array as it is. For functions that users call: the warning has their caller's line."""
    arguments = x.shape, x.dtype, wavelet, mode, level, axes, name
    try:
        wavelets, modes, axes, level, warning, step = _known_arguments(*arguments)
    except TypeError:  # a list, or a wrong type
        wavelets, modes, axes, level, warning, step = _arguments(*arguments)
    if warning:
        warnings.warn(warning, UserWarning, stacklevel=3)
    if step and x.flags.aligned:
        bands = step.forward(x)
        return [bands[0]] + [{key: bands[i] for key, i in level} for level in step.details]
    if level and (real_dtype(x.dtype) is None or not x.flags.aligned):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return decompose(as_samples(x), wavelets, modes, level, axes, name)
    details = []
    for _ in range(level):
        bands = forward(x, wavelets, modes, axes)
        x = bands.pop("a" * len(axes))
        details.append(bands)
    return [x] + details[::-1]


def wavedec(data, wavelet, mode="symmetric", level=None, axis=-1):
    """Several levels along an axis: [cA_n, cD_n, ..., cD1].

    >>> [len(c) for c in wavedec(np.arange(32), "db2", level=2)]
    [10, 10, 17]
    """
    low, *details = decompose(np.asarray(data), wavelet, mode, level, (axis,), "wavedec")
    return [low] + [d["d"] for d in details]


def wavedec2(data, wavelet, mode="symmetric", level=None, axes=(-2, -1)):
    """Several levels along two axes: [cA_n, (cH_n, cV_n, cD_n), ..., (cH1, cV1, cD1)].

    >>> [len(c) for c in wavedec2(np.ones((8, 8)), "haar", level=2)]
    [2, 3, 3]
    """
    x, axes = np.asarray(data), tuple(axes)
    if x.ndim < 2:
        raise ValueError("Expected input data to have at least 2 dimensions.")
    if len(axes) != 2:
        raise ValueError(f"Expected 2 axes, but there are {len(axes)}")
    low, *details = decompose(x, wavelet, mode, level, axes, "wavedec2")
    return [low] + [(d["da"], d["ad"], d["dd"]) for d in details]


def wavedecn(data, wavelet, mode="symmetric", level=None, axes=None):
    """Several levels along axes (default: all): [cA_n, {details of level n}, ..., {of level 1}] with
    keys as of ``dwtn()``.

    >>> sorted(wavedecn(np.ones((8, 8)), "haar", level=1)[1])
    ['ad', 'da', 'dd']
    """
    axes = axes if axes is None or isinstance(axes, (int, np.integer)) else tuple(axes)
    return decompose(np.asarray(data), wavelet, mode, level, axes, "wavedecn")


# ---- inverse ----

@lru_cache(maxsize=256)
def _whole_step(shapes, low, dtype, wavelet, mode, axes):
    """The Step of all levels, of which the bands have `shapes`, from the last to the first, if these
    and the shape of the low band (or None) are those of one plan, else None."""
    if not shapes or None in shapes or not supports(len(shapes[0]), dtype, axes, wavelet):
        return None
    try:
        samples = inverse_shape(shapes[-1], axes, wavelet.dec_len, mode)
    except ValueError:
        return None
    expected = samples
    for shape in reversed(shapes):
        expected = level_shape(expected, axes, wavelet.dec_len, mode)
        if shape != expected:
            return None
    if 0 in samples or low not in (None, expected):
        return None
    return samples_step(samples, dtype, wavelet, mode, axes, len(shapes))


def _common_shape(bands):
    """The shape of the bands of a level, or None if it has none, or of several shapes."""
    shapes = {b.shape for b in bands.values() if b is not None}
    return shapes.pop() if len(shapes) == 1 else None


def reconstruct(low, details, wavelets, modes, axes):
    """The samples of bands of one type; missing bands are 0."""
    letters, wavelet, mode = "a" * len(axes), wavelets[0], modes[0]
    some = low if low is not None else next(b for d in details for b in d.values()
                                            if b is not None)
    if all(w is wavelet for w in wavelets) and len(set(modes)) == 1:
        step = _whole_step(tuple(map(_common_shape, details)), None if low is None else low.shape,
                           some.dtype, wavelet, mode, axes)
        if step:
            return _reconstruct_all(low, details, step)
    for bands in details:
        some = next((b for b in bands.values() if b is not None), None)
        if low is not None and some is not None:
            low = _trimmed(low, some.shape)
        if low is None and some is None:
            continue
        shape = (some if some is not None else low).shape
        if any(b is not None and b.shape != shape for b in bands.values()):
            raise ValueError(f"bands have the shapes {[b.shape for b in bands.values()]} at one "
                             "level, but `coeffs` must all be of equal size (or None)")
        low = inverse({**bands, letters: low}, wavelets, modes, axes)
    return low


def _trimmed(low, shape):
    """A low band with one sample too many along an axis, of an odd number, without these."""
    if low.ndim != len(shape) or any(n not in (b, b + 1) for n, b in zip(low.shape, shape)):
        raise ValueError(f"coefficient shape mismatch: the low band has the shape {low.shape}, and "
                         f"the details of its level {shape}")
    return low[tuple(slice(n) for n in shape)]


def _reconstruct_all(low, details, step):
    bands = [None] * len(step.keys)
    bands[0] = low
    for given, level in zip(details, step.details):
        for key, i in level:
            bands[i] = given.get(key)
    return step.inverse([_zeros(step.shapes[i], step.dtype) if b is None else b
                         for i, b in enumerate(bands)])


def _listed(coeffs, short):
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"Expected sequence of coefficient arrays, not {type(coeffs).__name__}.")
    if len(coeffs) < 1:
        raise ValueError(f"Coefficient list too short (minimum 1 {short} required).")
    return coeffs[0], list(coeffs[1:])


def _unexpected(detail, wanted, name):
    return ValueError(f"Unexpected detail coefficient type: {type(detail)}. Detail coefficients must "
                      f"be {wanted} as returned by {name}. If you are using pywt.array_to_coeffs or "
                      f"pywt.unravel_coeffs, please specify output_format='{name}'")


def _same_types(low, details):
    """Arrays of one type."""
    keys = [(i, k) for i, d in enumerate(details) for k in d]
    low, *arrays = _equal_types([low] + [details[i][k] for i, k in keys])
    result = [{} for _ in details]
    for (i, key), array in zip(keys, arrays):
        result[i][key] = array
    return low, result


def waverec(coeffs, wavelet, mode="symmetric", axis=-1):
    """The samples of [cA_n, cD_n, ..., cD1]; each may be None, for zeros.

    >>> waverec(wavedec([1, 2, 3, 4], "haar"), "haar").round(6).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    low, details = _listed(coeffs, "arrays")
    if not details:
        return low
    for d in details:
        if d is not None and not isinstance(d, np.ndarray) and isinstance(d, dict):
            raise _unexpected(d, "arrays", "wavedec")
    if low is None and all(d is None for d in details):
        raise ValueError("At least one coefficient parameter must be specified.")
    wavelet, mode = as_wavelet(wavelet), mode_name(mode)
    low, details = _same_types(low, [{"d": d} for d in details])
    some = low if low is not None else next(d["d"] for d in details if d["d"] is not None)
    axis = normalized(axis, some.ndim, "coefficient")
    return reconstruct(low, details, [wavelet], [mode], (axis,))


def waverec2(coeffs, wavelet, mode="symmetric", axes=(-2, -1)):
    """The samples of [cA_n, (cH_n, cV_n, cD_n), ..., (cH1, cV1, cD1)]; bands may be None.

    >>> waverec2(wavedec2(np.ones((4, 4)), "haar"), "haar").shape
    (4, 4)
    """
    low, details = _listed(coeffs, "array")
    if not details:
        return low
    axes = tuple(axes)
    for d in details:
        if not isinstance(d, (list, tuple)) or len(d) != 3:
            raise _unexpected(d, "a 3-tuple of arrays", "wavedec2")
    low, details = _same_types(low, [dict(zip(("da", "ad", "dd"), d)) for d in details])
    return _waverecn(low, details, wavelet, mode, axes, "waverec2", 2)


def waverecn(coeffs, wavelet, mode="symmetric", axes=None):
    """The samples of [cA_n, {details of level n}, ..., {of level 1}]; bands may be missing.

    >>> waverecn([np.ones((2, 2)), {}], "haar").shape
    (4, 4)
    """
    low, details = _listed(coeffs, "array") if not isinstance(coeffs, np.ndarray) else (None, [0])
    if not details:
        return low
    for d in details:
        if not isinstance(d, dict):
            raise _unexpected(d, "a dictionary of arrays", "wavedecn")
        missing = [k for k, v in d.items() if v is None]
        if missing:
            raise ValueError(f"The following detail coefficients were set to None:\n{missing}\n"
                             "For multilevel transforms leave the key out, or use\n"
                             "\tcoeffs[key] = np.zeros_like(coeffs[key])")
    details = [checked_keys(d) for d in details]
    if low is None and not any(details):
        raise ValueError("At least one coefficient must contain a valid value.")
    low, details = _same_types(low, details)
    letters = {len(k) for d in details for k in d}
    if len(letters) > 1:
        raise ValueError("All detail coefficient names must have equal length.")
    if letters and axes is None and low is not None and low.ndim != letters.pop():
        raise ValueError("All coefficients must have a matching number of dimensions")
    return _waverecn(low, details, wavelet, mode, axes, "waverecn", None)


def _waverecn(low, details, wavelet, mode, axes, name, count):
    arrays = [b for b in [low] + [b for d in details for b in d.values()] if b is not None]
    ndims = {b.ndim for b in arrays}
    if not arrays:
        raise ValueError("At least one coefficient must contain a valid value.")
    if len(ndims) > 1:
        raise ValueError("All coefficients must have a matching number of dimensions, but they have "
                         f"{sorted(ndims)}")
    ndim = ndims.pop()
    if count is not None and len(axes) != count:
        raise ValueError(f"Expected {count} axes, but there are {len(axes)}")
    axes = unique_axes(axes, ndim, name)
    keys = {len(k) for d in details for k in d}
    if keys and keys != {len(axes)}:
        raise ValueError(f"keys have {keys.pop()} letters, but there are {len(axes)} axes")
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    return reconstruct(low, details, wavelets, per_axis(mode, len(axes), "mode", mode_name), axes)


# ---- shapes ----

def wavedecn_shapes(shape, wavelet, mode="symmetric", level=None, axes=None):
    """Shapes of the bands of ``wavedecn()``, in the same structure.

    >>> wavedecn_shapes((8, 6), "haar", level=1)
    [(4, 3), {'ad': (4, 3), 'da': (4, 3), 'dd': (4, 3)}]
    """
    axes = unique_axes(axes, len(shape))
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    modes = per_axis(mode, len(axes), "mode", mode_name)
    keys = ["".join("d" if i >> (len(axes) - 1 - b) & 1 else "a" for b in range(len(axes)))
            for i in range(1, 2**len(axes))]
    result, shape = [], list(shape)
    if any(shape[a] < 1 for a in axes):
        raise ValueError(f"shape is {tuple(shape)}, but the length of data must be greater than zero")
    level, warning = _checked_level(level, [shape[a] for a in axes], wavelets)
    if warning:
        warnings.warn(warning, UserWarning, stacklevel=2)
    for _ in range(level):
        for a, w, m in zip(axes, wavelets, modes):
            shape[a] = coefficients(shape[a], w.dec_len, m)
        result.insert(0, {k: tuple(shape) for k in keys})
    return [tuple(shape)] + result


def wavedecn_size(shapes):
    """Number of coefficients of ``wavedecn()`` or of ``wavedecn_shapes()``.

    >>> wavedecn_size(wavedecn_shapes((8, 6), "haar", level=1))
    48
    """
    every = [shapes[0]] + [s for d in shapes[1:] for s in d.values() if s is not None]
    return sum(int(np.prod(getattr(s, "shape", s))) for s in every)

