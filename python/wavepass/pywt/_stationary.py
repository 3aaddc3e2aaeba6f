"""Undecimated (stationary) transforms."""
import operator
import warnings
from functools import lru_cache
from itertools import product

import numpy as np

from ._dwt import _equal_types, as_samples, normalized, unique_axes
from ._steps import Step, supports
from ._wavelets import as_wavelet, per_axis


def swt_max_level(input_len):
    """The number of levels of ``swt()``: how often the length can be halved.

    >>> swt_max_level(24)
    3
    """
    n, level = operator.index(input_len), 0
    while n > 0 and n % 2 == 0:
        n, level = n // 2, level + 1
    if level == 0:
        warnings.warn(f"No levels of stationary wavelet decomposition are possible for {input_len} "
                      "samples, an odd number", UserWarning, stacklevel=2)
    return level


# ---- one level ----

@lru_cache(maxsize=256)
def _step(shape, dtype, wavelet, axes, levels, start=0):
    return Step(shape, dtype, wavelet, None, axes, levels, start)


def _one(x, wavelets, axes):
    """One plan can transform these axes."""
    return all(w is wavelets[0] for w in wavelets) and supports(x.ndim, x.dtype, axes, wavelets[0])


def _rolled(x, filter_, first, distance, axis):
    """The sum of filter_[j] x[n + (first - j) distance]."""
    return sum(c * np.roll(x, -(first - j) * distance, axis) for j, c in enumerate(filter_) if c != 0)


def _forward(x, wavelets, axes, level):
    """The bands of a level, of taps 2^level apart, by letters: "a" low, "d" high."""
    if _one(x, wavelets, axes):
        step = _step(x.shape, x.dtype, wavelets[0], axes, 1, level)
        return {key: b for (_, key), b in zip(step.keys, step.forward(x))}
    if len(axes) > 1:
        bands = {"": x}
        for wavelet, axis in zip(wavelets, axes):
            bands = {key + k: b for key, band in bands.items()
                     for k, b in _forward(band, [wavelet], (axis,), level).items()}
        return bands
    half = wavelets[0].dec_len // 2
    return {k: _rolled(x, f, half, 1 << level, axes[0]).astype(x.dtype, copy=False)
            for k, f in zip("ad", wavelets[0].filter_bank[:2])}


def _inverse(bands, wavelets, axes, level):
    """The samples of the bands of a level."""
    some = next(iter(bands.values()))
    if _one(some, wavelets, axes):
        step = _step(some.shape, some.dtype, wavelets[0], axes, 1, level)
        return step.inverse([bands[k] for _, k in step.keys])
    if len(axes) > 1:
        parts = {k: _inverse({c: bands[c + k] for c in "ad"}, wavelets[:1], axes[:1], level)
                 for k in map("".join, product("ad", repeat=len(axes) - 1))}
        return _inverse(parts, wavelets[1:], axes[1:], level)
    first = 1 - wavelets[0].dec_len // 2
    low, high = (_rolled(bands[k], f[::-1], len(f) - 1 + first, -1 << level, axes[0])
                 for k, f in zip("ad", wavelets[0].filter_bank[2:]))
    return ((low + high) / 2).astype(some.dtype, copy=False)


# ---- forward ----

def _checked(lengths, level, start_level):
    """The number of levels of arrays with these lengths along the transformed axes."""
    level, start_level = operator.index(level), operator.index(start_level)
    for n in lengths:
        if n < 1 or n % 2:
            raise ValueError("Length of data must be even.")
        most = (n & -n).bit_length() - 1
        if level < 1:
            raise ValueError("Level value must be greater than zero.")
        if start_level < 0:
            raise ValueError("start_level must be greater than zero.")
        if start_level >= most:
            raise ValueError(f"start_level must be less than {most}.")
        if start_level + level > most:
            raise ValueError("Level value too high (max level for current data size and start_level "
                             f"is {most - start_level}).")
    return level


def _warn(wavelets, norm):
    if norm and not all(w.orthogonal for w in wavelets):
        warnings.warn("norm=True, but the wavelets used are not orthogonal: \n\tThe conditions for "
                      "energy preservation are not satisfied.", stacklevel=3)


def _levels(x, wavelets, level, start_level, axes, trim_approx, norm):
    """The low band of the last level, and dicts of the bands of each, from the last to the first."""
    letters = "a" * len(axes)
    if trim_approx and not norm and level > 0 and _one(x, wavelets, axes):
        step = _step(x.shape, x.dtype, wavelets[0], axes, level, start_level)
        bands = step.forward(x)
        return bands[0], [{key: bands[i] for key, i in details} for details in step.details]
    result = []
    for i in range(start_level, start_level + level):
        bands = _forward(x, wavelets, axes, i)
        for b in bands.values() if norm else ():
            b *= 0.5 ** (len(axes) / 2)
        x = bands[letters]
        if trim_approx:
            del bands[letters]
        result.insert(0, bands)
    return x, result


def swt(data, wavelet, level=None, start_level=0, axis=-1, trim_approx=False, norm=False):
    """Undecimated transform along an axis: [(cA_n, cD_n), ..., (cA_1, cD_1)], or with trim_approx
    [cA_n, cD_n, ..., cD_1].

    >>> [c.round(9).tolist() for c in swt([1., 1., 3., 3.], "haar", 1, trim_approx=True, norm=True)]
    [[1.0, 2.0, 3.0, 2.0], [0.0, -1.0, 0.0, 1.0]]
    """
    x = as_samples(data)
    wavelet, axis = as_wavelet(wavelet), normalized(axis, x.ndim)
    _warn([wavelet], norm)
    level = _checked([x.shape[axis]], swt_max_level(x.shape[axis]) if level is None else level,
                     start_level)
    low, details = _levels(x, [wavelet], level, start_level, (axis,), trim_approx, norm)
    return [low] + [d["d"] for d in details] if trim_approx else [(d["a"], d["d"]) for d in details]


def swt2(data, wavelet, level, start_level=0, axes=(-2, -1), trim_approx=False, norm=False):
    """Undecimated transform along two axes: [(cA_n, (cH_n, cV_n, cD_n)), ...], or with trim_approx
    [cA_n, (cH_n, cV_n, cD_n), ..., (cH_1, cV_1, cD_1)].

    >>> cA, (cH, cV, cD) = swt2(np.ones((4, 4)), "haar", 1)[0]
    >>> cA.shape, bool(abs(cD).max() < 1e-15)
    ((4, 4), True)
    """
    axes, x = tuple(axes), np.asarray(data)
    if len(axes) != 2:
        raise ValueError("Expected 2 axes")
    if len(set(axes)) != 2:
        raise ValueError("The axes passed to swt2 must be unique.")
    if x.ndim < 2:
        raise ValueError("Input array has fewer dimensions than the specified axes")
    low, *levels = _swtn(x, wavelet, level, start_level, axes, trim_approx, norm, "swt2")
    details = [(d["da"], d["ad"], d["dd"]) for d in levels]
    return [low] + details if trim_approx else [(d["aa"], three) for d, three in
                                                zip(levels, details)]


def swtn(data, wavelet, level, start_level=0, axes=None, trim_approx=False, norm=False):
    """Undecimated transform along axes (default: all): [{bands of level n}, ..., {of level 1}] with
    keys as of ``dwtn()``, or with trim_approx [cA_n, {details of level n}, ...].

    >>> [sorted(c) for c in swtn(np.ones((4, 4)), "haar", 1)]
    [['aa', 'ad', 'da', 'dd']]
    """
    low, *levels = _swtn(np.asarray(data), wavelet, level, start_level, axes, trim_approx, norm, "swtn")
    return [low] + levels if trim_approx else levels


def _swtn(x, wavelet, level, start_level, axes, trim_approx, norm, name):
    if x.dtype == np.dtype("object"):
        raise TypeError("Input must be a numeric array-like")
    if x.ndim < 1:
        raise ValueError("Input data must be at least 1D")
    x, axes = as_samples(x), unique_axes(axes, x.ndim, name)
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    _warn(wavelets, norm)
    if operator.index(level) != 0:
        level = _checked([x.shape[a] for a in axes], level, start_level)
    low, details = _levels(x, wavelets, level, start_level, axes, trim_approx and level > 0, norm)
    return [low] + details


# ---- inverse ----

def _reconstruct(low, details, wavelets, axes, norm):
    """The samples of a low band and dicts of the other bands, from the last level to the first."""
    for bands in details:
        if len({np.shape(b) for b in bands.values()}) != 1:
            raise RuntimeError("Mismatch in shape of intermediate coefficient arrays")
        if np.shape(next(iter(bands.values()))) != np.shape(low):
            raise ValueError(f"the low band has the shape {np.shape(low)}, and the details "
                             f"{np.shape(next(iter(bands.values())))}")
    names = [(i, k) for i, bands in enumerate(details) for k in bands]
    low, *arrays = _equal_types([low] + [details[i][k] for i, k in names])
    low, arrays = as_samples(low), [as_samples(a) for a in arrays]
    levels, parts = len(details), [{} for _ in details]
    for (i, k), array in zip(names, arrays):
        parts[i][k] = array
    for a in axes:
        if low.shape[a] % (1 << levels):
            raise ValueError(f"{low.shape[a]} samples along axis {a} cannot be halved {levels} times")
    if not norm and levels and _one(low, wavelets, axes):
        step = _step(low.shape, low.dtype, wavelets[0], axes, levels)
        bands = [low] + [None] * (len(step.keys) - 1)
        for level, part in zip(step.details, parts):
            for key, i in level:
                bands[i] = part[key]
        return step.inverse(bands)
    for i, part in enumerate(parts):
        low = _inverse({"a" * len(axes): low, **part}, wavelets, axes, levels - 1 - i)
        low = low * 2 ** (len(axes) / 2) if norm else low
    return low if levels else low.copy()


def _is_trimmed(coeffs, of):
    return not isinstance(coeffs[0], of)


def iswt(coeffs, wavelet, norm=False, axis=-1):
    """The samples of coefficients of ``swt()``: the average of the inverses of all shifts.

    >>> iswt(swt([1., 2., 3., 4.], "db2", 1), "db2").round(12).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    trimmed = _is_trimmed(coeffs, (tuple, list))
    low = np.asarray(coeffs[0] if trimmed else coeffs[0][0])
    details = coeffs[1:] if trimmed else [c[1] for c in coeffs]
    axis = normalized(axis, low.ndim)
    return _reconstruct(low, [{"d": d} for d in details], [as_wavelet(wavelet)], (axis,), norm)


def iswt2(coeffs, wavelet, norm=False, axes=(-2, -1)):
    """The samples of coefficients of ``swt2()``.

    >>> iswt2(swt2(np.ones((4, 4)), "haar", 2), "haar").round(12).tolist()[0]
    [1.0, 1.0, 1.0, 1.0]
    """
    trimmed = _is_trimmed(coeffs, (tuple, list))
    low = np.asarray(coeffs[0] if trimmed else coeffs[0][0])
    details = coeffs[1:] if trimmed else [c[1] for c in coeffs]
    if len(tuple(axes)) != 2:
        raise ValueError("Expected 2 axes")
    if len(set(axes)) != 2:
        raise ValueError("The axes passed to iswt2 must be unique.")
    axes = unique_axes(axes, low.ndim, "iswt2")
    wavelets = per_axis(wavelet, 2, "wavelet", as_wavelet)
    return _reconstruct(low, [dict(zip(("da", "ad", "dd"), d)) for d in details], wavelets, axes, norm)


def iswtn(coeffs, wavelet, axes=None, norm=False):
    """The samples of coefficients of ``swtn()``.

    >>> iswtn(swtn(np.ones((4, 4)), "haar", 1), "haar").shape
    (4, 4)
    """
    letters = max(len(k) for k in coeffs[-1])
    trimmed = _is_trimmed(coeffs, dict)
    low = np.asarray(coeffs[0] if trimmed else coeffs[0]["a" * letters])
    details = [{k: b for k, b in d.items() if k != "a" * letters}
               for d in (coeffs[1:] if trimmed else coeffs)]
    axes = unique_axes(axes, low.ndim, "swtn")
    if letters != len(axes):
        raise ValueError("The number of axes used in iswtn must match the number of dimensions "
                         "transformed in swtn.")
    return _reconstruct(low, details, per_axis(wavelet, len(axes), "wavelet", as_wavelet), axes, norm)
