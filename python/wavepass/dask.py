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
import typing

import dask
import dask.array as da
import numpy

from . import _core

__all__ = ["dwtn", "idwtn", "wavedecn", "waverecn"]

_plans = threading.local()  # a plan runs in one thread at a time


class _Rule(typing.NamedTuple):
    """A border: the lengths of bands, and where halos at the ends of the array come from."""

    surplus: int  # n samples have (n + surplus + 1) // 2 low-pass coefficients
    paired: bool  # as many high-pass coefficients; otherwise n // 2
    wraps: bool  # samples of halos come from the other end
    wraps_bands: bool  # and so do coefficients
    repeats: bool  # the last sample of an odd number is repeated
    depth: int  # samples of a halo, an even number

    def band(self, samples, high):
        return samples // 2 if high and not self.paired else (samples + self.surplus + 1) // 2

    def samples(self, low, high):
        return low + high - self.surplus


@functools.lru_cache(maxsize=256)
def _rule(wavelet, norm, border):
    known = _core.names("borders")
    if border not in known:
        raise ValueError(f"border is {border!r}, but must be one of {known}")
    # A halo is at least the reach of all lifting steps, which is less than twice the support of the
    # filters.
    reach = 0
    for which in "analysis-low", "analysis-high", "synthesis-low", "synthesis-high":
        first, taps = _core.filter(wavelet, norm, which)
        reach = max(reach, abs(first), abs(first + len(taps)))
    depth = 2 * (reach + 1)
    if not border.startswith("pywt-"):
        periodic = border == "periodic"
        return _Rule(0, False, periodic, periodic, False, depth)
    if border == "pywt-periodization":
        return _Rule(0, True, True, True, True, depth)
    plan = _core.Plan(width=64, height=1, rank=1, levels=1, wavelet=wavelet, border=border, norm=norm)
    surplus = 2 * plan.bands()[0][3][0] - 64
    # Extended bands are the same whatever the border; so is their inverse.
    return _Rule(surplus, True, border == "pywt-periodic", False, False, depth + surplus)


def _check(axes, dimensions):
    axes = range(dimensions) if axes is None else axes
    axes = tuple(axis + dimensions if axis < 0 else axis for axis in axes)
    if not 1 <= len(axes) <= 3 or len(set(axes)) != len(axes) or not all(
            0 <= axis < dimensions for axis in axes):
        raise ValueError(f"axes is {axes}, but must be 1 to 3 different axes of an array of "
                         f"{dimensions}")
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


def _prepare(x, axes, rule):
    for axis in axes:
        if rule.repeats and x.shape[axis] % 2:
            x = da.concatenate([x, da.take(x, [-1], axis)], axis)
    return x.rechunk({axis: _merge(x.chunks[axis], rule.depth) for axis in axes})


def _with_halo(x, axes, depth, wraps):
    """The array with halos around its chunks along axes that have several."""
    depths = {axis: depth if axis in axes and len(x.chunks[axis]) > 1 else 0 for axis in range(x.ndim)}
    if any(depths.values()):
        kind = "periodic" if wraps else "none"
        x = da.overlap.overlap(x, depth=depths, boundary=dict.fromkeys(depths, kind),
                               allow_rechunk=False)
    return x


def _before(x, index, axes, depth, wraps):
    """Elements of the halo before chunk `index`, per axis."""
    return tuple(depth if len(x.chunks[axis]) > 1 and (wraps or index[axis] > 0) else 0
                 for axis in axes)


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
        # An axis of one sample is its own low band, except with the borders of PyWavelets.
        rank = len(axes) if border.startswith("pywt-") else 0
        cache[key] = _core.Plan(width=extent[0], height=extent[1], depth=extent[2],
                                planes=extent[3], batch=tuple(extent[4:]), wavelet=wavelet, levels=1,
                                levels_z=1 if extent[2] > 1 or rank == 3 else 0, rank=rank,
                                border=border, norm=norm, threads=1)
    return cache[key], order


def _bits(band, axes):
    """For each axis whether a band of a plan is high-pass; axes are the plan's in reverse order."""
    letters = band.ljust(axes, "L")[:axes]
    return tuple(letter == "H" for letter in reversed(letters))


def _arrays(plan, axes, bands):
    """The operand of a plan: its bands, by their bits."""
    return [bands[_bits(name, axes)] if 0 not in size else None
            for name, _, _, size, _, _ in plan.bands()]


def _forward(chunk, axes, wavelet, border, norm, before, sizes):
    """The bands of a chunk, without those of its halo, in the order of _all_bits().

    Args:
        before: samples of the halo before the chunk, per axis.
        sizes: of each band the coefficients of the chunk, per axis.
    """
    rule = _rule(wavelet, norm, border)
    chunk = numpy.require(chunk, requirements="A")  # a message may have put it at any address
    plan, order = _plan(chunk.shape, axes, wavelet, border, norm)
    bands = {}
    for bits in _all_bits(len(axes)):
        shape = list(chunk.shape)
        for axis, bit in zip(axes, bits):
            shape[axis] = rule.band(shape[axis], bit)
        bands[bits] = numpy.empty(shape, chunk.dtype)
    operand = [(band, order) if band is not None else None
               for band in _arrays(plan, len(axes), bands)]
    plan.run(False, (chunk, order), operand)
    starts = [n // 2 for n in before]
    return tuple(_cut(band, axes, starts, size) for band, size in zip(bands.values(), sizes))


def _inverse(bands, axes, wavelet, border, norm, before, size):
    """The samples of a chunk, `size` per axis, from its bands with halos, `before` coefficients."""
    rule = _rule(wavelet, norm, border)
    bands = [numpy.require(band, requirements="A") for band in bands]
    bands = dict(zip(_all_bits(len(axes)), bands))
    low, high = bands[(False,) * len(axes)], bands[(True,) * len(axes)]
    shape = list(low.shape)
    for axis in axes:
        shape[axis] = rule.samples(shape[axis], high.shape[axis])
    chunk = numpy.empty(shape, low.dtype)
    plan, order = _plan(chunk.shape, axes, wavelet, border, norm)
    operand = [(band, order) if band is not None else None
               for band in _arrays(plan, len(axes), bands)]
    plan.run(True, operand, (chunk, order))
    return _cut(chunk, axes, [2 * n for n in before], size)


def _cut(array, axes, starts, sizes):
    part = [slice(None)] * array.ndim
    for axis, start, size in zip(axes, starts, sizes):
        part[axis] = slice(start, start + size)
    return numpy.ascontiguousarray(array[tuple(part)])


# ---- whole arrays ----

def _all_bits(axes):
    return list(itertools.product((False, True), repeat=axes))


def _name(bits):
    return "".join("d" if bit else "a" for bit in bits)


def _block(value, shape, dtype):
    return da.from_delayed(value, shape, dtype, numpy.empty((0,) * len(shape), dtype))


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
        border: ``"symmetric"``, ``"periodic"``, which requires even sizes, or one of PyWavelets:
            ``"pywt-zero"``, ``"pywt-symmetric"``, ...
        norm: ``"orthonormal"``, ``"jpeg2000"``, ``"pywt"`` or ``"none"``.

    Returns:
        A dict of arrays: ``"a"`` and ``"d"`` for each axis. An axis of n samples has n - n // 2
        low-pass and n // 2 high-pass coefficients; with borders of PyWavelets, as many as there.
    """
    axes = _check(axes, x.ndim)
    if x.dtype not in (numpy.float32, numpy.float64):
        raise TypeError(f"the array has the type {x.dtype}, but must be float32 or float64")
    rule = _rule(wavelet, norm, border)
    x = _prepare(x, axes, rule)
    names = [_name(bits) for bits in _all_bits(len(axes))]
    blocks = {name: {} for name in names}
    run = dask.delayed(_forward, nout=len(names), pure=True)
    delayed = _with_halo(x, axes, rule.depth, rule.wraps).to_delayed()
    for index in numpy.ndindex(*x.numblocks):
        shape = [x.chunks[axis][index[axis]] for axis in range(x.ndim)]
        last = {axis: index[axis] == x.numblocks[axis] - 1 for axis in axes}
        sizes = [tuple(rule.band(shape[axis], bit) if last[axis] else shape[axis] // 2
                       for axis, bit in zip(axes, bits)) for bits in _all_bits(len(axes))]
        before = _before(x, index, axes, rule.depth, rule.wraps)
        bands = run(delayed[index], axes, wavelet, border, norm, before, sizes)
        for name, band, size in zip(names, bands, sizes):
            for axis, n in zip(axes, size):
                shape[axis] = n
            blocks[name][index] = _block(band, shape, x.dtype)
    return {name: _assemble(blocks[name], x.numblocks, x.ndim) for name in names}


def idwtn(bands, wavelet="cdf97", *, axes=None, border="symmetric", norm="jpeg2000"):
    """The inverse of :func:`dwtn`, with the same arguments.

    Args:
        bands: a dict as from :func:`dwtn`, with all bands.

    Returns:
        The array; with borders of PyWavelets its sizes are even, as there: an odd one is one larger.
    """
    low = bands.get("a" * len(next(iter(bands))))
    if low is None:
        raise ValueError(f"bands has {sorted(bands)}, but not the low band")
    axes = _check(axes, low.ndim)
    names = [_name(bits) for bits in _all_bits(len(axes))]
    if sorted(bands) != names:
        raise ValueError(f"bands has {sorted(bands)}, but must have {names}")
    rule = _rule(wavelet, norm, border)
    depth = rule.depth // 2
    sizes, chunks = {}, {"a": {}, "d": {}}  # of the samples, and of low and high bands, per axis
    for position, axis in enumerate(axes):
        name = "a" * position + "d" + "a" * (len(axes) - position - 1)
        count, high = low.shape[axis], bands[name].shape[axis]
        whole = rule.samples(count, high)
        if whole < 1 or (rule.band(whole, False), rule.band(whole, True)) != (count, high):
            raise ValueError(f"along axis {axis} low bands have {count} coefficients and high bands "
                             f"{high}, which no image has with the border {border}")
        parts, left = [], whole
        for size in low.chunks[axis]:
            parts.append(min(2 * size, left))
            left -= parts[-1]
        sizes[axis] = _merge(parts, 2 * depth)
        inner = tuple(n // 2 for n in sizes[axis][:-1])
        chunks["a"][axis] = (*inner, count - sum(inner))
        chunks["d"][axis] = (*inner, high - sum(inner))
    parts, delayed = [], []
    for name in names:
        parts.append(bands[name].rechunk({**dict(enumerate(low.chunks)), **{
            axis: chunks[letter][axis] for axis, letter in zip(axes, name)}}))
        delayed.append(_with_halo(parts[-1], axes, depth, rule.wraps_bands).to_delayed())
    blocks = {}
    run = dask.delayed(_inverse, pure=True)
    for index in numpy.ndindex(*parts[0].numblocks):
        before = _before(parts[0], index, axes, depth, rule.wraps_bands)
        shape = [parts[0].chunks[axis][index[axis]] for axis in range(low.ndim)]
        for axis in axes:
            shape[axis] = sizes[axis][index[axis]]
        chunk = run([part[index] for part in delayed], axes, wavelet, border, norm, before,
                    [shape[axis] for axis in axes])
        blocks[index] = _block(chunk, shape, low.dtype)
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
    count = len(_check(axes, x.ndim))
    for _ in range(levels):
        bands = dwtn(low, wavelet, axes=axes, border=border, norm=norm)
        low = bands.pop("a" * count)
        details.append(bands)
    return [low, *reversed(details)]


def waverecn(coefficients, wavelet="cdf97", *, axes=None, border="symmetric", norm="jpeg2000"):
    """The inverse of :func:`wavedecn`, with the same arguments; sizes as of :func:`idwtn`."""
    low, *details = coefficients
    paired = _rule(wavelet, norm, border).paired
    for bands in details:
        name = "a" * len(next(iter(bands)))
        if paired:  # an odd size of this level is one larger
            low = low[tuple(slice(n) for n in next(iter(bands.values())).shape)]
        low = idwtn({name: low, **bands}, wavelet, axes=axes, border=border, norm=norm)
    return low
