"""What the adapters of PyTorch, JAX and Dask share: transforms of the last axes of dense arrays.

An array has the shape ``batch + image``; its last 1, 2 or 3 axes are transformed. Coefficients have
one of two forms:

``"array"``
    ``batch + coefficients``: all bands in one array, low bands first (``pywt.coeffs_to_array``).
``"bands"``
    ``batch + (2 ** rank,) + band``: the bands of one level along an axis of their own, in the order
    LL, HL, LH, HH (HL: high-pass along the last axis).
"""

import functools
import threading
from typing import NamedTuple

from . import _core

FORMS = ("array", "bands")
BATCH_AXES = 7  # that a plan has beside x, y and z


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
        return "|".join(map(str, self))

    @property
    def expands(self):
        """Has an image more coefficients than samples?"""
        return self.border.startswith("pywt-")

    @property
    def has_gaps(self):
        """May the array of coefficients have elements that belong to no band?"""
        return self.expands and self.form == "array" and self.levels > 1


def spec(rank, wavelet, levels=1, border="periodic", norm="orthonormal", form="array"):
    """Checks the parameters. A ValueError names the one that is wrong and the allowed values."""
    if rank not in (1, 2, 3):
        raise ValueError(f"rank is {rank!r}, but must be 1, 2 or 3")
    if form not in FORMS:
        raise ValueError(f"form is {form!r}, but must be one of {list(FORMS)}")
    if form == "bands" and levels != 1:
        raise ValueError(f"levels is {levels!r}, but must be 1 with the form 'bands'")
    for name, value, kind in ("border", border, "borders"), ("norm", norm, "norms"):
        if value not in _core.names(kind):
            raise ValueError(f"{name} is {value!r}, but must be one of {_core.names(kind)}")
    wavelet = str(wavelet)
    if "|" in wavelet:
        raise ValueError(f"wavelet is {wavelet!r}, but must not contain '|'")
    return Spec(rank, wavelet, int(levels), border, norm, form)


@functools.lru_cache(maxsize=1024)
def parse(text):
    """The Spec whose ``text`` is given."""
    rank, wavelet, levels, border, norm, form = text.split("|")
    return Spec(int(rank), wavelet, int(levels), border, norm, form)


def _parameters(spec, image, batch, **others):
    sizes = tuple(reversed(image)) + (1,) * (3 - spec.rank)
    batch = tuple(reversed(batch)) or (1,)
    if len(batch) > BATCH_AXES:
        raise ValueError(f"the array has {len(batch)} axes that are not transformed, at most "
                         f"{BATCH_AXES} are supported")
    parameters = dict(width=sizes[0], height=sizes[1], depth=sizes[2], planes=batch[0],
                      batch=batch[1:], wavelet=spec.wavelet, levels=spec.levels,
                      border=spec.border, norm=spec.norm, **others)
    if spec.rank == 3:
        parameters["levels_z"] = spec.levels
    if spec.expands:
        parameters["rank"] = spec.rank
    return parameters


@functools.lru_cache(maxsize=1024)
def coefficient_shape(spec, image):
    """The shape of the coefficients of an image with the shape `image`, without the batch."""
    if 0 in image:
        raise ValueError(f"the shape of an image is {tuple(image)}, but must not contain 0")
    plan = _core.Plan(**_parameters(spec, image, (), threads=1))
    if spec.form == "array":
        return tuple(reversed(plan.extents(True)[:spec.rank]))
    bands = [band for band in plan.bands() if 0 not in band[3]]
    sizes = {tuple(reversed(band[3][:spec.rank])) for band in bands}
    if len(sizes) != 1 or len(bands) != 2 ** spec.rank:
        raise ValueError(f"the shape of an image is {tuple(image)}, but must be even along each axis "
                         "with the form 'bands', or the border one of PyWavelets")
    return (2 ** spec.rank, *sizes.pop())


def halves(rank):
    """The axes of an array of the form ``"array"`` with one level, each split into ``(2, band)``, in the
    order of the form ``"bands"``, and the inverse of that permutation. They are counted from the first
    of the 2 * `rank` axes."""
    there = [2 * a for a in range(rank)] + [2 * a + 1 for a in range(rank)]
    return there, [there.index(a) for a in range(2 * rank)]


@functools.lru_cache(maxsize=64)
def in_bands(spec, image):
    """Which elements of the coefficients of one image belong to a band, as an array of bools."""
    import numpy
    mask = numpy.zeros(coefficient_shape(spec, image), bool)
    plan = _core.Plan(**_parameters(spec, image, (), threads=1))
    for _, _, _, size, offset, stride in plan.bands():
        at = numpy.add.outer(numpy.add.outer(*(numpy.arange(size[a]) * stride[a] for a in (2, 1))),
                             numpy.arange(size[0]) * stride[0])
        mask.reshape(-1)[offset + at] = True
    return mask


class Run:
    """A transform of one shape in one direction, on the CPU or a CUDA device.

    Arrays are objects with the buffer protocol, DLPack or ``__cuda_array_interface__``; with the form
    ``"bands"`` coefficients are a list of one array per band that has samples. Calls from several threads wait for
    each other.
    """

    def __init__(self, spec, image, batch, inverse, adjoint, device):
        place = {"backend": "cpu"} if device is None else {"backend": "cuda", "device": device + 1}
        self._plan = _core.Plan(**_parameters(spec, image, batch, adjoint=adjoint, **place))
        self._inverse = inverse
        self._full = [0 not in band[3] for band in self._plan.bands()]
        self._lock = threading.Lock()
        axes = range(spec.rank + len(batch) - 1, -1, -1)
        self._axes = (*axes[:spec.rank], *(-1,) * (3 - spec.rank), *axes[spec.rank:])

    def __call__(self, source, target, stream=None, kind=None):
        """Transforms `source` to `target`. `stream` is a CUDA stream's address. `kind` is
        ``"bfloat16"`` for arrays whose elements of two bytes are that."""
        with self._lock:
            if stream is not None:
                self._plan.set_stream(stream)
            self._plan.run(self._inverse, self._operand(source, kind), self._operand(target, kind))

    def _operand(self, array, kind):
        if isinstance(array, list):
            bands = iter(array)
            return [self._operand(next(bands), kind) if full else None for full in self._full]
        return (array, self._axes) if kind is None else (array, self._axes, kind)


@functools.lru_cache(maxsize=256)
def run(spec, image, batch, inverse, adjoint, device):
    """The Run of these parameters; 256 are kept, without the least recently used ones. `device` is the
    number of a CUDA device, or None for the CPU."""
    return Run(spec, image, batch, inverse, adjoint, device)
