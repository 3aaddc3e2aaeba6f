"""Discrete wavelet transforms of Dask arrays that are larger than the memory.

Each chunk is transformed with a halo of its neighbors' samples, so that the coefficients are those of
the whole array, bit for bit. Names and structures are those of PyWavelets: :func:`dwtn` returns a
dict with one array per band, ``"ad"`` for low-pass along the first axis and high-pass along the
second; :func:`wavedecn` a list ``[low, details of the last level, ..., details of level 1]``.

    >>> import dask.array as da
    >>> from wavepass.dask import wavedecn, waverecn
    >>> x = da.random.random((500, 400), chunks=(128, 128)).astype("float32")
    >>> coefficients = wavedecn(x, "cdf97", 3)
    >>> coefficients[0].shape
    (63, 50)
    >>> float(abs(waverecn(coefficients, "cdf97") - x).max().compute().round(4))
    0.0

Chunks along transformed axes are merged until they are even and larger than a halo; the low bands of
many levels so end in one chunk.
"""

import functools
import itertools
import threading

import dask
import dask.array as da
import numpy

from . import _core

__all__ = ["dwtn", "idwtn", "wavedecn", "waverecn"]

_BORDERS = ("symmetric", "periodic")
_plans = threading.local()  # a plan runs in one thread at a time


@functools.lru_cache(maxsize=256)
def _halo(wavelet, norm):
    """Samples that a chunk needs of each neighbor: an even number, at least the reach of all lifting
    steps, which is less than twice the support of the filters."""
    reach = 0
    for which in "analysis-low", "analysis-high", "synthesis-low", "synthesis-high":
        first, taps = _core.filter(wavelet, norm, which)
        reach = max(reach, abs(first), abs(first + len(taps)))
    return 2 * (reach + 1)


def _check(axes, dimensions, border):
    axes = range(dimensions) if axes is None else axes
    axes = tuple(axis + dimensions if axis < 0 else axis for axis in axes)
    if not 1 <= len(axes) <= 3 or len(set(axes)) != len(axes) or not all(
            0 <= axis < dimensions for axis in axes):
        raise ValueError(f"axes is {axes}, but must be 1 to 3 different axes of an array of "
                         f"{dimensions}")
    if border not in _BORDERS:
        raise ValueError(f"border is {border!r}, but must be one of {list(_BORDERS)} for Dask arrays")
    return axes


# ---- chunks ----

def _merge(sizes, least):
    """Chunk sizes that are even, except the last one, and at least `least`, unless there is one."""
    merged, size = [], 0
    for part in sizes:
        size += part
        whole = size - size % 2
        if whole >= least:
            merged.append(whole)
            size -= whole
    if size:
        if merged and size < least:
            merged[-1] += size
        else:
            merged.append(size)
    return tuple(merged)


def _prepare(x, axes, least):
    chunks = {axis: _merge(x.chunks[axis], least) for axis in axes}
    return x.rechunk(chunks)


def _with_halo(x, axes, depth, border):
    """The array with halos around its chunks, and for each axis whether it has any."""
    split = {axis: len(x.chunks[axis]) > 1 for axis in axes}
    depths = {axis: depth if split.get(axis) else 0 for axis in range(x.ndim)}
    kinds = {axis: "periodic" if border == "periodic" else "none" for axis in range(x.ndim)}
    if any(depths.values()):
        x = da.overlap.overlap(x, depth=depths, boundary=kinds, allow_rechunk=False)
    return x


def _inner(x, index, axes, depth, border):
    """Per axis the samples of chunk `index` before the halo and after it."""
    ends = []
    for axis in axes:
        count = len(x.chunks[axis])
        before = after = depth if count > 1 else 0
        if border != "periodic":
            before = 0 if index[axis] == 0 else before
            after = 0 if index[axis] == count - 1 else after
        ends.append((before, after))
    return tuple(ends)


# ---- one chunk ----

def _plan(shape, axes, wavelet, border, norm):
    """A plan for this thread, and the axes of arrays in its order."""
    cache = _plans.__dict__.setdefault("cache", {})
    key = shape, axes, wavelet, border, norm
    order = (*reversed(axes), *(-1,) * (3 - len(axes)))
    order += tuple(axis for axis in range(len(shape)) if axis not in axes)
    if key not in cache:
        if len(cache) >= 64:
            cache.pop(next(iter(cache)))
        extent = [shape[axis] if axis >= 0 else 1 for axis in order] + [1]
        # An axis of one sample is its own low band.
        cache[key] = _core.Plan(width=extent[0], height=extent[1], depth=extent[2],
                                planes=extent[3], batch=tuple(extent[4:]), wavelet=wavelet, levels=1,
                                levels_z=1 if extent[2] > 1 else 0, border=border, norm=norm,
                                threads=1)
    return cache[key], order


def _band_extents(extents, bits):
    return [n // 2 if bit else n - n // 2 for n, bit in zip(extents, bits)]


def _bits(band, axes):
    """For each axis whether a band of a plan is high-pass; axes are the plan's in reverse order."""
    letters = band.ljust(axes, "L")[:axes]
    return tuple(letter == "H" for letter in reversed(letters))


def _arrays(plan, axes, bands):
    """The operand of a plan: its bands, by their bits."""
    return [bands[_bits(name, axes)] if 0 not in size else None
            for name, _, _, size, _, _ in plan.bands()]


def _forward(chunk, axes, wavelet, border, norm, ends):
    """The bands of a chunk, without those of its halo, in the order of _all_bits()."""
    chunk = numpy.require(chunk, requirements="A")  # a message may have put it at any address
    plan, order = _plan(chunk.shape, axes, wavelet, border, norm)
    bands = {}
    for bits in _all_bits(len(axes)):
        shape = list(chunk.shape)
        for axis, size in zip(axes, _band_extents([chunk.shape[a] for a in axes], bits)):
            shape[axis] = size
        bands[bits] = numpy.empty(shape, chunk.dtype)
    operand = [(band, order) if band is not None else None
               for band in _arrays(plan, len(axes), bands)]
    plan.run(False, (chunk, order), operand)
    inner = []
    for band in bands.values():
        cut = [slice(None)] * chunk.ndim
        for axis, (before, after) in zip(axes, ends):
            cut[axis] = slice(before // 2, band.shape[axis] - after // 2)
        inner.append(numpy.ascontiguousarray(band[tuple(cut)]))
    return tuple(inner)


def _inverse(bands, axes, wavelet, border, norm, ends):
    """The samples of a chunk from its bands with halos."""
    bands = [numpy.require(band, requirements="A") for band in bands]
    bands = dict(zip(_all_bits(len(axes)), bands))
    low, high = bands[(False,) * len(axes)], bands[(True,) * len(axes)]
    shape = list(low.shape)
    for axis in axes:
        shape[axis] += high.shape[axis]
    chunk = numpy.empty(shape, low.dtype)
    plan, order = _plan(chunk.shape, axes, wavelet, border, norm)
    operand = [(band, order) if band is not None else None
               for band in _arrays(plan, len(axes), bands)]
    plan.run(True, operand, (chunk, order))
    cut = [slice(None)] * chunk.ndim
    for axis, (before, after) in zip(axes, ends):
        cut[axis] = slice(2 * before, chunk.shape[axis] - 2 * after)
    return numpy.ascontiguousarray(chunk[tuple(cut)])


# ---- whole arrays ----

def _all_bits(axes):
    return list(itertools.product((False, True), repeat=axes))


def _name(bits):
    return "".join("d" if bit else "a" for bit in bits)


def _assemble(blocks, grid, dimensions):
    """One array from a dict of blocks by their indices."""
    def nest(index):
        if len(index) == dimensions:
            return blocks[index]
        return [nest((*index, i)) for i in range(grid[len(index)])]
    return da.block(nest(()))


def dwtn(x, wavelet="cdf97", *, axes=None, border="symmetric", norm="jpeg2000"):
    """Transforms 1 to 3 axes of a Dask array by one level.

    Args:
        x: an array of float32 or float64, of the shape ``(n0, n1, ...)``.
        wavelet: a name, such as ``"db2"``, or the path of a wavelet file.
        axes: the axes that are transformed; all if None.
        border: ``"symmetric"``, or ``"periodic"``, which requires even sizes.
        norm: ``"orthonormal"``, ``"jpeg2000"``, ``"pywt"`` or ``"none"``.

    Returns:
        A dict of arrays: ``"a"`` and ``"d"`` for each axis. An axis of n samples has n - n // 2
        low-pass and n // 2 high-pass coefficients.
    """
    axes = _check(axes, x.ndim, border)
    if x.dtype not in (numpy.float32, numpy.float64):
        raise TypeError(f"the array has the type {x.dtype}, but must be float32 or float64")
    depth = _halo(wavelet, norm)
    x = _prepare(x, axes, depth)
    extended = _with_halo(x, axes, depth, border)
    names = [_name(bits) for bits in _all_bits(len(axes))]
    blocks = {name: {} for name in names}
    run = dask.delayed(_forward, nout=len(names), pure=True)
    delayed = extended.to_delayed()
    for index in numpy.ndindex(*x.numblocks):
        ends = _inner(x, index, axes, depth, border)
        bands = run(delayed[index], axes, wavelet, border, norm, ends)
        for i, bits in enumerate(_all_bits(len(axes))):
            shape = [x.chunks[axis][index[axis]] for axis in range(x.ndim)]
            for axis, size in zip(axes, _band_extents([shape[a] for a in axes], bits)):
                shape[axis] = size
            blocks[names[i]][index] = da.from_delayed(bands[i], shape, x.dtype, numpy.empty(
                (0,) * x.ndim, x.dtype))
    return {name: _assemble(blocks[name], x.numblocks, x.ndim) for name in names}


def idwtn(bands, wavelet="cdf97", *, axes=None, border="symmetric", norm="jpeg2000"):
    """The inverse of :func:`dwtn`, with the same arguments.

    Args:
        bands: a dict as from :func:`dwtn`, with all bands.
    """
    low = bands.get("a" * len(next(iter(bands))))
    if low is None:
        raise ValueError(f"bands has {sorted(bands)}, but not the low band")
    axes = _check(axes, low.ndim, border)
    names = [_name(bits) for bits in _all_bits(len(axes))]
    if sorted(bands) != names:
        raise ValueError(f"bands has {sorted(bands)}, but must have {names}")
    depth = _halo(wavelet, norm) // 2
    low_chunks, high_chunks = {}, {}
    for position, axis in enumerate(axes):
        name = "a" * position + "d" + "a" * (len(axes) - position - 1)
        extra = low.shape[axis] - bands[name].shape[axis]
        if extra not in (0, 1):
            raise ValueError(f"along axis {axis} low bands have {low.shape[axis]} coefficients and "
                             f"high bands {bands[name].shape[axis]}, which no image has")
        whole = tuple(2 * n for n in low.chunks[axis])
        whole = _merge((*whole[:-1], whole[-1] - extra), 2 * depth)
        low_chunks[axis] = tuple(n - n // 2 for n in whole)
        high_chunks[axis] = tuple(n // 2 for n in whole)
    parts, delayed = [], []
    for name in names:
        chunks = {axis: low_chunks[axis] if letter == "a" else high_chunks[axis]
                  for axis, letter in zip(axes, name)}
        band = bands[name].rechunk({**{a: low.chunks[a] for a in range(low.ndim)}, **chunks})
        parts.append(band)
        delayed.append(_with_halo(band, axes, depth, border).to_delayed())
    blocks = {}
    run = dask.delayed(_inverse, pure=True)
    for index in numpy.ndindex(*parts[0].numblocks):
        ends = _inner(parts[0], index, axes, depth, border)
        shape = [parts[0].chunks[axis][index[axis]] for axis in range(low.ndim)]
        for axis in axes:
            shape[axis] += parts[-1].chunks[axis][index[axis]]
        chunk = run([part[index] for part in delayed], axes, wavelet, border, norm, ends)
        blocks[index] = da.from_delayed(chunk, shape, low.dtype, numpy.empty((0,) * low.ndim,
                                                                             low.dtype))
    return _assemble(blocks, parts[0].numblocks, low.ndim)


def wavedecn(x, wavelet="cdf97", levels=3, *, axes=None, border="symmetric", norm="jpeg2000"):
    """Transforms 1 to 3 axes of a Dask array by several levels; arguments as of :func:`dwtn`.

    Returns:
        A list: the low band of the last level, then one dict of the other bands per level, from the
        last level to the first.
    """
    if levels < 1:
        raise ValueError(f"levels is {levels}, but must be at least 1")
    details, low = [], x
    count = len(_check(axes, x.ndim, border))
    for _ in range(levels):
        bands = dwtn(low, wavelet, axes=axes, border=border, norm=norm)
        low = bands.pop("a" * count)
        details.append(bands)
    return [low, *reversed(details)]


def waverecn(coefficients, wavelet="cdf97", *, axes=None, border="symmetric", norm="jpeg2000"):
    """The inverse of :func:`wavedecn`, with the same arguments."""
    low, *details = coefficients
    for bands in details:
        name = "a" * len(next(iter(bands)))
        low = idwtn({name: low, **bands}, wavelet, axes=axes, border=border, norm=norm)
    return low
