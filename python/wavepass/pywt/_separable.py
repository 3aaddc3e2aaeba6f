"""Fully separable transforms: all levels along an axis, then those along the next."""
import warnings

import numpy as np

from ._dwt import as_samples, axes_of
from ._modes import NAMES, Modes, mode_name
from ._multilevel import decompose, reconstruct
from ._wavelets import as_wavelet, per_axis

try:
    from numpy.exceptions import AxisError
except ImportError:  # NumPy 1.24
    from numpy import AxisError


class FswavedecnResult:
    """All coefficients of ``fswavedecn()`` in one array, and its bands by index:
    ``result[levels]`` with a number for each transformed axis, 0 for low, 1 for the coarsest details.
    """

    def __init__(self, coeffs, coeff_slices, wavelets, mode_enums, axes):
        if not len(coeff_slices) == len(wavelets) == len(mode_enums) == len(axes):
            raise ValueError("coeff_slices, wavelets, mode_enums and axes must have equal lengths")
        self._coeffs = coeffs
        self._slices, self._wavelets, self._modes = coeff_slices, list(wavelets), list(mode_enums)
        self._axes = tuple(axes)

    coeff_slices = property(lambda self: self._slices, doc="Slices of the bands along each axis.")
    axes = property(lambda self: self._axes, doc="The transformed axes.")
    wavelets = property(lambda self: self._wavelets, doc="The Wavelet of each axis.")
    wavelet_names = property(lambda self: [w.name for w in self._wavelets],
                             doc="The name of the wavelet of each axis.")
    modes = property(lambda self: [NAMES[m] for m in self._modes], doc="The mode of each axis.")
    levels = property(lambda self: [len(s) - 1 for s in self._slices], doc="Levels along each axis.")
    ndim = property(lambda self: self._coeffs.ndim, doc="Number of dimensions.")
    ndim_transform = property(lambda self: len(self._axes), doc="Number of transformed axes.")

    @property
    def coeffs(self):
        """The array of all coefficients."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, array):
        if array.shape != self._coeffs.shape:
            raise ValueError(f"new coefficient array of shape {array.shape} must match the existing "
                             f"coefficient shape {self._coeffs.shape}")
        self._coeffs = array

    @property
    def approx(self):
        """The band that is low along all axes."""
        return self[(0,) * len(self._axes)]

    @approx.setter
    def approx(self, band):
        self[(0,) * len(self._axes)] = band

    def _part(self, levels):
        levels = tuple(levels)
        if len(levels) != len(self._axes):
            raise ValueError("levels must match the number of transformed axes")
        if any(not isinstance(n, (int, np.integer)) or n < 0 for n in levels):
            raise ValueError(f"Index {levels} must be a tuple of non-negative integers")
        if any(n >= len(s) for n, s in zip(levels, self._slices)):
            raise ValueError("Specified indices exceed the number of transform levels.")
        part = [slice(None)] * self.ndim
        for n, axis, slices in zip(levels, self._axes, self._slices):
            part[axis] = slices[n]
        return tuple(part)

    def __getitem__(self, levels):
        return self._coeffs[self._part(levels)]

    def __setitem__(self, levels, band):
        part = self._part(levels)
        if self._coeffs[part].shape != band.shape:
            raise ValueError(f"x of shape {band.shape} does not match the shape of the requested "
                             f"coefficient, {self._coeffs[part].shape}")
        if self._coeffs.dtype != band.dtype:
            warnings.warn("dtype mismatch:  converting the provided array to dtype "
                          f"{self._coeffs.dtype}", stacklevel=2)
        self._coeffs[part] = band

    def detail_keys(self):
        """Indices of all bands but ``approx``."""
        return [k for k in np.ndindex(*(len(s) for s in self._slices)) if any(k)]


def fswavedecn(data, wavelet, mode="symmetric", levels=None, axes=None):
    """All levels along an axis, then those along the next. levels: one number, or one for each axis.

    >>> fswavedecn(np.ones((8, 8)), "haar", levels=(1, 2)).levels
    [1, 2]
    """
    x = np.asarray(data)
    axes = axes_of(axes, x.ndim)
    if len(set(axes)) != len(axes):
        raise AxisError("The axes passed to fswavedecn must be unique.")
    wavelets = per_axis(wavelet, len(axes), "wavelet", as_wavelet)
    modes = per_axis(mode, len(axes), "mode", mode_name)
    levels = list(levels) if np.ndim(levels) else [levels] * len(axes)
    if len(levels) != len(axes):
        raise ValueError(f"{len(levels)} levels for {len(axes)} axes: levels must match the length of "
                         "the axes list")
    slices = []
    for axis, w, m, level in zip(axes, wavelets, modes, levels):
        low, *details = decompose(x, w, m, level, axis, "fswavedecn")
        bands = [low] + [d["d"] for d in details]
        ends = [0, *np.cumsum([b.shape[axis] for b in bands]).tolist()]
        slices.append([slice(a, b) for a, b in zip(ends, ends[1:])])
        x = np.concatenate(bands, axis)
    return FswavedecnResult(x, slices, wavelets, [Modes.from_object(m) for m in modes], axes)


def fswaverecn(fswavedecn_result):
    """The samples of the result of ``fswavedecn()``.

    >>> fswaverecn(fswavedecn(np.ones((4, 4)), "haar")).shape
    (4, 4)
    """
    r = fswavedecn_result
    x = as_samples(r.coeffs)
    for axis, w, m, slices in zip(r.axes, r.wavelets, r.modes, r.coeff_slices):
        parts = [x[(slice(None),) * axis + (s,)] for s in slices]
        if len(parts) > 1:
            x = reconstruct(parts[0], [{"d": p} for p in parts[1:]], [w], [m], (axis,))
    return x
