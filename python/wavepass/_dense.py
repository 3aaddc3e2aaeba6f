"""What the adapters of PyTorch, JAX and Dask share: linear maps of the last axes of dense arrays.

An array has the shape ``batch + image``; its last 1, 2 or 3 axes are transformed. Coefficients have
one of two forms:

``"array"``
    ``batch + coefficients``: all bands in one array, low band first (``pywt.coeffs_to_array``).
``"bands"``
    ``batch + (2 ** rank,) + band``: the bands of one level along an axis of their own, in the order
    LL, HL, LH, HH (HL: high-pass along the last axis).
"""

import functools
import threading
from typing import NamedTuple

from . import _core

FORMS = ("array", "bands")
MOST_BATCH_AXES = 7


class Spec(NamedTuple):
    """The parameters of a transform that are the same for all sizes."""

    rank: int
    wavelet: str
    levels: int
    border: str
    norm: str
    form: str

    @property
    def text(self):
        """The parameters as one string, for frameworks whose attributes are strings."""
        return "|".join(str(field) for field in self)

    @classmethod
    @functools.lru_cache(maxsize=None)
    def parse(cls, text):
        """The inverse of ``text``."""
        rank, wavelet, levels, border, norm, form = text.split("|")
        return cls(int(rank), wavelet, int(levels), border, norm, form)


def spec(rank, wavelet, levels, border, norm, form="array"):
    """Checks the parameters. ValueError names the one that is wrong."""
    if rank not in (1, 2, 3):
        raise ValueError(f"rank: {rank!r} (1, 2 or 3 axes can be transformed)")
    if form not in FORMS:
        raise ValueError(f"form: {form!r} (allowed: {', '.join(map(repr, FORMS))})")
    if form == "bands" and levels != 1:
        raise ValueError(f"levels: {levels!r} (the form 'bands' is one level)")
    return Spec(rank, str(wavelet), int(levels), str(border), str(norm), form)


def _parameters(spec, image, batch=(), **others):
    sizes = tuple(reversed(image)) + (1,) * (3 - spec.rank)
    batch = tuple(reversed(batch))
    if len(batch) > MOST_BATCH_AXES:
        raise ValueError(f"{len(batch)} axes are not transformed, at most {MOST_BATCH_AXES} can be")
    parameters = dict(width=sizes[0], height=sizes[1], depth=sizes[2], planes=(batch or (1,))[0],
                      batch=batch[1:], wavelet=spec.wavelet, levels=spec.levels,
                      border=spec.border, norm=spec.norm, **others)
    if spec.rank == 3:
        parameters["levels_z"] = spec.levels
    if spec.border.startswith("pywt-"):
        parameters["rank"] = spec.rank
    return parameters


@functools.lru_cache(maxsize=1024)
def band_sizes(spec, image):
    """The sizes of the bands, in the library's order, as tuples of the image's axes."""
    plan = _core.Plan(**_parameters(spec, image, backend="cpu", threads=1))
    return tuple(tuple(reversed(size[:spec.rank])) for _, _, _, size, _, _ in plan.bands())


@functools.lru_cache(maxsize=1024)
def coefficient_shape(spec, image):
    """The shape of the coefficients of an image, without the batch."""
    if not spec.border.startswith("pywt-") and spec.form == "array":
        return tuple(image)
    sizes = band_sizes(spec, image)
    if spec.form == "bands":
        if len(set(sizes)) != 1 or len(sizes) != 2 ** spec.rank:
            raise ValueError(f"shape: {tuple(image)} has bands of different sizes, {sizes}; the form "
                             "'bands' requires even sizes, or a border of PyWavelets")
        return (len(sizes), *sizes[0])
    return tuple(sum(size) for size in _along_axes(spec, image))


def _along_axes(spec, image):
    """For each axis the sizes of its low band and of its details."""
    for axis, extent in enumerate(image):
        line = spec._replace(rank=1)
        yield [size[0] for size in band_sizes(line, (extent,))]


class Run:
    """A plan for one shape, direction and device. Calls from several threads are serialized."""

    def __init__(self, spec, image, batch, inverse, adjoint, device):
        self.inverse = inverse
        others = dict(adjoint=adjoint, backend="cpu")
        if device is not None:
            others.update(backend="cuda", device=device + 1)
        self._plan = _core.Plan(**_parameters(spec, image, batch, **others))
        self._lock = threading.Lock()
        axes = spec.rank + len(batch)
        self._image = tuple(range(axes - 1, axes - 1 - spec.rank, -1)) + (-1,) * (3 - spec.rank)
        self._image += tuple(range(len(batch) - 1, -1, -1))
        self._bands = spec.form == "bands" and 2 ** spec.rank

    def _coefficients(self, array):
        """The operand of coefficients: an array, or one array per band."""
        if not self._bands:
            return array, self._image
        address, kind, device, shape, strides, itemsize = array
        axis = len(shape) - 1 - (len(self._image) - self._image.count(-1) - sum(
            1 for a in self._image if a >= 0 and a < 0))
        raise NotImplementedError(axis)


@functools.lru_cache(maxsize=256)
def run(spec, image, batch, inverse, adjoint, device):
    """The plan for a shape; the least recently used one of 256 is forgotten."""
    return Run(spec, image, batch, inverse, adjoint, device)
