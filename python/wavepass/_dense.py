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
import math
from typing import NamedTuple

from . import _core

FORMS = ("array", "bands")
BATCH_AXES = 7  # that a plan has beside x, y and z
TYPES = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2}  # bytes of elements


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


@functools.lru_cache(maxsize=1024)
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


def samples_shape(spec, shape):
    """The shape of the image in an array of the shape `shape`; a ValueError if it cannot be transformed."""
    image = shape[len(shape) - spec.rank:]
    _check_axes(shape, spec.rank, "the transform")
    if spec.form == "bands" and not spec.expands and any(n % 2 for n in image):
        raise ValueError(f"the image has the shape {tuple(image)}, but must be even along each axis "
                         "with the form 'bands', or the border one of PyWavelets")
    return tuple(image)


def inverse_shape(spec, shape, image):
    """The shape of the image whose coefficients have the shape `shape`. `image` is the one that the caller
    has given, or None; a ValueError if it is required or wrong."""
    _check_axes(shape, spec.rank + (spec.form == "bands"), "the inverse")
    if image is None:
        if spec.expands:
            raise ValueError("shape: is required with the borders of PyWavelets, since images of "
                             "different shapes have as many coefficients")
        image = shape[len(shape) - spec.rank:]
        if spec.form == "bands":
            image = [2 * n for n in image]
    image = tuple(image)
    if len(image) != spec.rank:
        raise ValueError(f"shape is {image}, but must have {spec.rank} entries")
    return image


def _check_axes(shape, axes, what):
    if len(shape) < axes:
        raise ValueError(f"the array has {len(shape)} axes, but {what} requires at least {axes}")


def check_type(name):
    """A TypeError unless elements of the type are supported."""
    if name not in TYPES:
        raise TypeError(f"the array has the type {name}, but must be float32, float64, float16 or bfloat16")


def result_shape(spec, shape, image, inverse):
    """The shape of the result for an array of the shape `shape`; extents may be symbols."""
    batch = shape[:len(shape) - spec.rank - (inverse and spec.form == "bands")]
    if inverse or (spec.form == "array" and not spec.expands):
        return (*batch, *image)
    if spec.expands:
        return (*batch, *coefficient_shape(spec, tuple(int(n) for n in image)))
    return (*batch, 2 ** spec.rank, *(n // 2 for n in image))


def document(function):
    """Inserts what the adapters' functions have in common into the docstring of one."""
    function.__doc__ = function.__doc__.replace("{parameters}", PARAMETERS)
    return function


PARAMETERS = """wavelet: a name, such as ``"db2"``, or the path of a wavelet file.
        rank: 1, 2 or 3.
        levels: number of levels.
        border: the extension at the ends, a name that ``wavepass.borders()`` lists.
        norm: ``"orthonormal"``, ``"jpeg2000"``, ``"pywt"`` or ``"none"``.
        form: ``"array"``, all bands in one array of the image's size (larger with the borders of
            PyWavelets); or ``"bands"``, one level with a shape of ``(..., 2 ** rank, *band)``: LL,
            HL, LH, HH for images."""


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


def dense_strides(shape):
    """The strides of an array without gaps, in elements."""
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))


class Run:
    """A transform of arrays of one shape in one direction, on the CPU or a CUDA device. Calls from several
    threads wait for each other."""

    def __init__(self, spec, shape, image, inverse, adjoint, device):
        #: The shape and the strides of the result, which has no gaps.
        self.shape = result_shape(spec, shape, image, inverse)
        self.strides = dense_strides(self.shape)
        #: Must the result be zeros before a call? It then has elements that belong to no band.
        self.has_gaps = spec.has_gaps and not inverse
        #: Is there nothing to transform?
        self.is_empty = 0 in shape or 0 in self.shape
        if self.is_empty:
            return
        on_device = device is not None
        place = {"backend": "cuda", "device": device + 1} if on_device else {"backend": "cpu"}
        batch = tuple(self.shape[:len(self.shape) - spec.rank] if inverse else shape[:len(shape) - spec.rank])
        plan = _core.Plan(**_parameters(spec, image, batch, adjoint=adjoint, **place))
        axes = range(spec.rank + len(batch) - 1, -1, -1)
        self._axes = (*axes[:spec.rank], *(-1,) * (3 - spec.rank), *axes[spec.rank:])
        self._call = plan.run
        self._inverse = inverse
        self._on_device = on_device
        self._split = [self._whole, self._whole]
        if spec.form == "bands":
            self._split[not inverse] = self._bands
            self._full = [0 not in band[3] for band in plan.bands()]
            self._axis = len(batch)

    def __call__(self, kind, source, shape, strides, target, stream=None):
        """Transforms an array of elements of the type `kind` at the address `source` to the address
        `target`. Strides are in elements; `stream` is a CUDA stream as a number."""
        of_source, of_target = self._split
        self._call(self._inverse, of_source(kind, source, shape, strides),
                   of_target(kind, target, self.shape, self.strides), None, stream)

    def _whole(self, kind, address, shape, strides):
        return address, self._axes, kind, shape, strides, self._on_device

    def _bands(self, kind, address, shape, strides):
        axis, step = self._axis, strides[self._axis] * TYPES[kind]
        shape, strides = ((*of[:axis], *of[axis + 1:]) for of in (shape, strides))
        addresses = iter(range(len(self._full)))
        return [(address + step * next(addresses), self._axes, kind, shape, strides, self._on_device)
                if full else None for full in self._full]


@functools.lru_cache(maxsize=256)
def run(spec, shape, image, inverse, adjoint, device):
    """The Run that transforms arrays of the shape `shape`, from or to images of the shape `image`; 256 are
    kept, without the least recently used ones. `device` is the number of a CUDA device, or None for the
    CPU."""
    return Run(spec, shape, image, inverse, adjoint, device)
