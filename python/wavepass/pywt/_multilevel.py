"""Transforms of several levels."""
import warnings

import numpy as np

from ._dwt import (_equal_types, _zeros, as_samples, axes_of, checked_keys, dwt_max_level,
                   dwtn_max_level, forward, inverse, normalized, unique_axes)
from ._modes import coefficients, mode_name
from ._steps import _step, forward_step, level_shape, supports
from ._wavelets import as_wavelet, per_axis


def _checked_level(level, lengths, wavelets):
    """The number of levels; None: as many as are useful."""
    most = min(dwt_max_level(n, w) for n, w in zip(lengths, wavelets))
    if level is None:
        return most
    level = range(level).stop  # TypeError unless it is an integer
    if level < 0:
        raise ValueError(f"Level value of {level} is too low . Minimum level is 0.")
    if level > most:
        warnings.warn(f"Level value of {level} is too high: all coefficients will experience "
                      f"boundary effects (at most {most}).", UserWarning, stacklevel=4)
    return level


# ---- forward ----

def _decompose(x, wavelets, modes, axes, level):
    """The low band, and a dict of the others for each level from the last to the first."""
    letters = "a" * len(axes)
    one = all(w is wavelets[0] for w in wavelets) and len(set(modes)) == 1
    if level and x.size and one and supports(x.ndim, x.dtype, axes, wavelets[0]):
        step = forward_step(x.shape, x.dtype, wavelets[0], modes[0], axes, level)
        result = [None] + [{} for _ in range(level)]
        for (at, key), band in zip(step.keys, step.forward(x)):
            if key == letters:
                result[0] = band
            else:
                result[1 + level - at][key] = band
        result[1:] = [dict(sorted(details.items())) for details in result[1:]]
        return result
    details = []
    for _ in range(level):
        bands = forward(x, wavelets, modes, axes)
        x = bands.pop(letters)
        details.append(bands)
    return [x] + details[::-1]


def wavedec(data, wavelet, mode="symmetric", level=None, axis=-1):
    """Several levels along an axis: [cA_n, cD_n, ..., cD1].

    >>> [len(c) for c in wavedec(np.arange(32), "db2", level=2)]
    [10, 10, 17]
    """
    x, wavelet, mode = as_samples(data), as_wavelet(wavelet), mode_name(mode)
    axis = normalized(axis, x.ndim)
    level = _checked_level(level, [x.shape[axis]], [wavelet])
    low, *details = _decompose(x, [wavelet], [mode], (axis,), level)
    return [low] + [d["d"] for d in details]


def wavedec2(data, wavelet, mode="symmetric", level=None, axes=(-2, -1)):
    """Several levels along two axes: [cA_n, (cH_n, cV_n, cD_n), ..., (cH1, cV1, cD1)].

    >>> [len(c) for c in wavedec2(np.ones((8, 8)), "haar", level=2)]
    [2, 3, 3]
    """
    x, axes = as_samples(data), tuple(axes)
    if x.ndim < 2:
        raise ValueError("Expected input data to have at least 2 dimensions.")
    low, *details = _wavedecn(x, wavelet, mode, level, axes_of(axes, x.ndim, 2), "wavedec2")
    return [low] + [(d["da"], d["ad"], d["dd"]) for d in details]


def wavedecn(data, wavelet, mode="symmetric", level=None, axes=None):
    """Several levels along axes (default: all): [cA_n, {details of level n}, ..., {of level 1}] with
    keys as of ``dwtn()``.

    >>> sorted(wavedecn(np.ones((8, 8)), "haar", level=1)[1])
    ['ad', 'da', 'dd']
    """
    x = as_samples(data)
    return _wavedecn(x, wavelet, mode, level, axes, "wavedecn")


def _wavedecn(x, wavelet, mode, level, axes, name):
    axes = unique_axes(axes, x.ndim, name)
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    modes = per_axis(mode, len(axes), "mode", mode_name)
    level = _checked_level(level, [x.shape[a] for a in axes], wavelets)
    return _decompose(x, wavelets, modes, axes, level)


# ---- inverse ----

def _image_shape(details, low, taps, mode, axes):
    """Shape of the samples if the bands are those of one plan, else None."""
    shape = None
    for at, bands in enumerate(reversed(details)):
        band = next((b for b in bands.values() if b is not None), None)
        if band is None or any(b is not None and b.shape != band.shape for b in bands.values()):
            return None
        if at == 0:
            shape = list(band.shape)
            for a in axes:
                shape[a] = 2 * shape[a] if mode == "periodization" else 2 * shape[a] - taps + 2
            if min(shape) < 1:
                return None
            expected = band.shape
        if band.shape != expected:
            return None
        following = level_shape(expected, axes, taps, mode)
        last, expected = expected, following
    return tuple(shape) if low is None or low.shape == last else None


def _reconstruct(low, details, wavelets, modes, axes):
    """The samples of bands of one type; missing bands are 0."""
    letters, wavelet, mode = "a" * len(axes), wavelets[0], modes[0]
    some = low if low is not None else next(b for d in details for b in d.values()
                                            if b is not None)
    ndim, dtype = some.ndim, some.dtype
    one = all(w is wavelet for w in wavelets) and len(set(modes)) == 1
    if details and one and supports(ndim, dtype, axes, wavelet):
        shape = _image_shape(details, low, wavelet.dec_len, mode, axes)
        if shape is not None:
            return _reconstruct_all(low, details, wavelet, mode, axes, shape, dtype)
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


def _reconstruct_all(low, details, wavelet, mode, axes, shape, dtype):
    border = mode if mode == "periodization" else "zero"
    step = _step(shape, dtype, wavelet, border, axes, len(details))
    bands = []
    for (at, key), band_shape in zip(step.keys, step.shapes):
        band = low if key == "a" * len(axes) else details[len(details) - at].get(key)
        bands.append(_zeros(band_shape, dtype) if band is None else band)
    return step.inverse(bands)


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
    return _reconstruct(low, details, [wavelet], [mode], (axis,))


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
    return _reconstruct(low, details, wavelets, per_axis(mode, len(axes), "mode", mode_name), axes)


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
    for _ in range(_checked_level(level, [shape[a] for a in axes], wavelets)):
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


__all__ = ["wavedec", "wavedec2", "wavedecn", "waverec", "waverec2", "waverecn", "wavedecn_shapes",
           "wavedecn_size", "dwtn_max_level"]
