"""Levels along up to three axes of arrays of one shape, by plans of the library."""
from functools import lru_cache

import numpy as np

from .. import _core, _memory
from ._modes import coefficients, mode_name
from ._wavelets import as_wavelet

_REAL = {np.dtype("f4"): np.dtype("f4"), np.dtype("f8"): np.dtype("f8"),
         np.dtype("c8"): np.dtype("f4"), np.dtype("c16"): np.dtype("f8")}
_AXES = 3  # at most, in a plan
_DIMENSIONS = 10  # of a plan: x, y, z and 7 that are not transformed
# Plans of larger arrays are not kept, since each has buffers about as large as the array.
_KEPT = 1 << 22
_SHORT = 1 << 16  # samples


def real_dtype(dtype):
    """Type of the real numbers of an array that can be transformed, or None."""
    return _REAL.get(dtype)


def supports(ndim, dtype, axes, wavelet):
    """Can one plan transform these axes?"""
    rank, axes_left = len(axes), ndim - len(axes) + (dtype.kind == "c")
    return (rank <= _AXES and len(set(axes)) == rank and axes_left <= _DIMENSIONS - _AXES
            and wavelet.factored is not None)


class Step:
    """A transform of arrays of one shape and type; without a mode undecimated, from level `start` + 1 on. Several
    threads may use it: each call has a plan of its own, which later calls use again.

    `keys` are the bands of the coarsest level and then of each finer one, (level, letters), with a
    letter for each of `axes`: "a" low, "d" high. `shapes` are their shapes.
    """

    def __init__(self, shape, dtype, wavelet, mode, axes, levels, start=0):
        rank = len(axes)
        # x is the last axis in memory.
        order = sorted(axes, reverse=True)
        others = [a for a in range(len(shape) - 1, -1, -1) if a not in axes]
        self.shape, self.dtype, self.real = shape, dtype, _REAL[dtype]
        self.complex = dtype.kind == "c"
        extents = [shape[a] for a in order] + [1] * (_AXES - rank)
        batch = [shape[a] for a in others]
        dims = order + [-1] * (_AXES - rank) + others
        if self.complex:
            batch.insert(0, 2)
            dims.insert(_AXES, len(shape))
        self.dims = tuple(dims)
        self.params = {
            "width": extents[0], "height": extents[1], "depth": extents[2], "rank": rank,
            "planes": batch[0] if batch else 1, "batch": tuple(batch[1:]), "levels": levels,
            "levels_z": levels if rank == _AXES else 0, "wavelet": wavelet.factored,
            "border": "pywt-" + mode if mode else "periodic", "norm": "pywt",
            "bank": None if mode else "undecimated", "start_level": start}
        self.plans = [_core.Plan(**self.params)]
        self.keys, self.shapes, self.template = [], [], []
        letter = [order.index(a) for a in axes]
        for name, level, _, size, _, _ in self.plans[0].bands():
            if 0 in size:
                self.template.append(None)
                continue
            band = list(shape)
            for axis, extent in zip(order, size):
                band[axis] = extent
            self.keys.append((level, "".join("d" if name[i] == "H" else "a" for i in letter)))
            self.shapes.append(tuple(band))
            self.template.append(self.shapes[-1])
        self.dense = None not in self.template
        self.empty = _memory.maker(self.shapes[-1], dtype) if self.shapes else np.empty
        # For each level after the low band: letters and position in `keys`, sorted by letters.
        self.details = [sorted((key, i) for i, (at, key) in enumerate(self.keys)
                               if at == level and "d" in key) for level in range(levels, 0, -1)]
        self.kept = int(np.prod(shape, dtype=float)) <= _KEPT
        # The bands of a short signal are parts of one array: an array each takes longer than the
        # transform of several levels.
        self.ends = None
        if levels > 1 and len(shape) == 1 and not self.complex and shape[0] <= _SHORT:
            self.ends = np.cumsum([n for n, in self.shapes]).tolist()

    def _run(self, inverse, source, target):
        try:
            plan = self.plans.pop()
        except IndexError:
            plan = _core.Plan(**self.params)
        plan.run(inverse, source, target)
        if self.kept:
            self.plans.append(plan)

    def _operand(self, array):
        return (_pairs(array, self.real) if self.complex else array), self.dims

    def _operands(self, bands):
        bands = [self._operand(b) for b in bands]
        if self.dense:
            return bands
        bands = iter(bands)
        return [None if shape is None else next(bands) for shape in self.template]

    def forward(self, x, bands=None):
        """The bands of samples, in the order of `keys`; `bands` are arrays for them."""
        if self.ends and bands is None:
            whole, begin = np.empty(self.ends[-1], self.dtype), 0
            self._run(False, (x, self.dims), (whole, self.dims))
            return [whole[begin:(begin := end)] for end in self.ends]
        if bands is None:
            dtype, empty = self.dtype, self.empty
            bands = [empty(shape, dtype) for shape in self.shapes]
        if self.dense and not self.complex:
            dims = self.dims
            self._run(False, (x, dims), [(b, dims) for b in bands])
        else:
            self._run(False, self._operand(x), self._operands(bands))
        return bands

    def inverse(self, bands):
        """The samples of bands, in the order of `keys`."""
        x = _memory.empty(self.shape, self.dtype)
        if self.ends:
            self._run(True, (np.concatenate(bands), self.dims), (x, self.dims))
            return x
        self._run(True, self._operands(bands), self._operand(x))
        return x


def _pairs(array, real):
    """Real and imaginary parts along a further axis."""
    if array.flags.c_contiguous:
        return array.view(real).reshape(array.shape + (2,))
    return np.lib.stride_tricks.as_strided(
        array.real, array.shape + (2,), array.strides + (real.itemsize,))


def level_shape(shape, axes, taps, mode):
    """Shape of a band of one level."""
    shape = list(shape)
    for a in axes:
        shape[a] = coefficients(shape[a], taps, mode)
    return tuple(shape)


def check_lengths(shape, axes, mode, taps, levels=1):
    """ValueError if a level has no samples along an axis, or one that cannot be reflected."""
    for axis in axes:
        n = shape[axis]
        for level in range(levels):
            if n < 1:
                raise ValueError(f"axis {axis} has no samples: the length of data must be greater "
                                 "than zero.")
            if n == 1 and mode in ("reflect", "antireflect"):
                raise ValueError(f"Input data length must be greater than 1 for mode {mode!r}, but "
                                 f"it is 1 along axis {axis} at level {level + 1}.")
            n = coefficients(n, taps, mode)


@lru_cache(maxsize=256)
def _step(shape, dtype, wavelet, mode, axes, levels):
    return Step(shape, dtype, wavelet, mode, axes, levels)


def forward_step(shape, dtype, wavelet, mode, axes, levels=1):
    """The Step for samples of a shape. axes: distinct, not negative. ValueError for lengths that
    PyWavelets rejects."""
    check_lengths(shape, axes, mode, wavelet.dec_len, levels)
    return _step(shape, dtype, wavelet, mode, axes, levels)


def inverse_shape(shape, axes, taps, mode):
    """Shape of the samples of one level's bands. ValueError if there are too few coefficients."""
    shape = list(shape)
    for a in axes:
        b = shape[a]
        shape[a] = 2 * b if mode == "periodization" else 2 * b - taps + 2
        if b < 1 or shape[a] < 1:
            raise ValueError(f"Invalid coefficient arrays length: {b} along axis {a} for a wavelet of "
                             f"{taps} taps (at least {max(taps // 2, 1)}). Wavelet and mode must be "
                             "the same as used for decomposition.")
    return tuple(shape)


def samples_step(shape, dtype, wavelet, mode, axes, levels):
    """The Step of the inverse for samples of a shape. The extension at the borders has no effect."""
    border = mode if mode == "periodization" else "zero"
    return _step(shape, dtype, wavelet, border, axes, levels)


def inverse_step(shape, dtype, wavelet, mode, axes):
    """The Step of one level for bands of a shape."""
    samples = inverse_shape(shape, axes, wavelet.dec_len, mode)
    return samples_step(samples, dtype, wavelet, mode, axes, 1)


@lru_cache(maxsize=256)
def quick_step(inverse, shape, dtype, wavelet, mode, axes):
    """The Step of one level for the arguments of a call as they are given, and the shape of samples
    or bands. None if they need the general way. Wrong arguments have their exceptions there, too."""
    rank = len(shape)
    if dtype not in _REAL or 0 in shape or isinstance(wavelet, (tuple, list)):
        return None
    if isinstance(mode, (tuple, list)) or not all(-rank <= a < rank for a in axes):
        return None
    wavelet, mode, axes = as_wavelet(wavelet), mode_name(mode), tuple(a % rank for a in axes)
    if not supports(rank, dtype, axes, wavelet):
        return None
    return (inverse_step if inverse else forward_step)(shape, dtype, wavelet, mode, axes)
