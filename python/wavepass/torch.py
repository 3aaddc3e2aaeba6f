"""Discrete wavelet transforms of PyTorch tensors, with gradients.

Functions and modules transform the last axes of a tensor; all other axes are the batch. Tensors are
on the CPU or on CUDA devices, of the types float32, float64, float16 and bfloat16. They may have any
strides, and are not copied. Work on a CUDA device is enqueued in PyTorch's current stream.

    >>> import torch
    >>> from wavepass.torch import DWT2, IDWT2
    >>> x = torch.rand(8, 3, 64, 64, requires_grad=True)
    >>> y = DWT2("db2", levels=3)(x)
    >>> y.shape
    torch.Size([8, 3, 64, 64])
    >>> torch.allclose(IDWT2("db2", levels=3)(y), x, atol=1e-5)
    True

Gradients are exact: the gradient of a transform is its adjoint, which is a transform too, so that
gradients of any order exist. ``torch.compile(fullgraph=True)``, ``torch.func.vmap`` and autocast are
supported.
"""

import torch
from torch import library as operators

from . import _dense

__all__ = ["DWT", "IDWT", "DWT1", "DWT2", "DWT3", "IDWT1", "IDWT2", "IDWT3", "dwt", "dwt_adjoint",
           "idwt"]


def _bands(tensor, rank):
    return list(tensor.unbind(tensor.dim() - rank - 1))


@operators.custom_op("wavepass::transform", mutates_args=())
def _transform(x: torch.Tensor, spec: str, image: list[int], inverse: bool,
               adjoint: bool) -> torch.Tensor:
    parsed = _dense.parse(spec)
    x = x.detach()
    out = _empty(x, parsed, tuple(image), inverse)
    if out.numel() == 0:
        return out
    batch = _batch(x, parsed, inverse)
    source, target = x, out
    if parsed.form == "bands":
        source, target = ((_bands(x, parsed.rank), out) if inverse
                          else (x, _bands(out, parsed.rank)))
    device, stream = None, None
    if x.is_cuda:
        device, stream = x.device.index, torch.cuda.current_stream(x.device).cuda_stream
    elif x.device.type != "cpu":
        raise ValueError(f"the tensor is on the device {x.device}, but must be on the CPU or a CUDA "
                         "device")
    run = _dense.run(parsed, tuple(image), batch, inverse, adjoint, device)
    run(source, target, stream)
    return out


def _batch(x, spec, inverse):
    axes = spec.rank + (inverse and spec.form == "bands")
    return tuple(x.shape[:x.dim() - axes])


def _empty(x, spec, image, inverse):
    """The output of a transform: zeros if it has elements that belong to no band, else not
    initialized."""
    if inverse or (spec.form == "array" and not spec.expands):
        shape = image
    elif spec.expands:
        shape = _dense.coefficient_shape(spec, tuple(int(n) for n in image))
    else:
        shape = (2 ** spec.rank, *(n // 2 for n in image))
    create = x.new_empty if inverse or not spec.has_gaps else x.new_zeros
    return create((*_batch(x, spec, inverse), *shape))


@_transform.register_fake
def _(x, spec, image, inverse, adjoint):
    return _empty(x, _dense.parse(spec), tuple(image), inverse)


def _set_up(ctx, inputs, output):
    _, ctx.spec, ctx.image, ctx.inverse, ctx.adjoint = inputs


def _differentiate(ctx, gradient):
    return (torch.ops.wavepass.transform(gradient, ctx.spec, ctx.image, not ctx.inverse,
                                         not ctx.adjoint), None, None, None, None)


_transform.register_autograd(_differentiate, setup_context=_set_up)


@_transform.register_vmap
def _(info, in_dims, x, spec, image, inverse, adjoint):
    return torch.ops.wavepass.transform(x.movedim(in_dims[0], 0), spec, image, inverse, adjoint), 0


def _apply(x, spec, image, inverse, adjoint):
    kind = x.device.type
    if torch.is_autocast_enabled(kind) and x.dtype != torch.float64:
        x = x.to(torch.get_autocast_dtype(kind))
    if x.dtype not in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        raise TypeError(f"the tensor has the type {x.dtype}, but must be float32, float64, float16 or "
                        "bfloat16")
    if spec.form == "array" or x.dtype in (torch.float32, torch.float64):
        return torch.ops.wavepass.transform(x, spec.text, image, inverse, adjoint)
    # The library has one array per band only for float32 and float64.
    whole = spec._replace(form="array")
    if inverse:
        return _apply(_from_bands(x, spec.rank), whole, image, inverse, adjoint)
    return _to_bands(_apply(x, whole, image, inverse, adjoint), spec.rank)


def _to_bands(y, rank):
    first = y.dim() - rank
    for a in range(rank):
        y = y.unflatten(first + 2 * a, (2, y.shape[first + 2 * a] // 2))
    y = y.permute(*range(first), *(first + a for a in _dense.halves(rank)[0]))
    return y.flatten(first, first + rank - 1)


def _from_bands(y, rank):
    first = y.dim() - rank - 1
    y = y.unflatten(first, (2,) * rank)
    y = y.permute(*range(first), *(first + a for a in _dense.halves(rank)[1]))
    for a in range(rank):
        y = y.flatten(first + a, first + a + 1)
    return y


def _check_axes(x, axes, what):
    if x.dim() < axes:
        raise ValueError(f"the tensor has {x.dim()} axes, but {what} requires at least {axes}")


def _forward(x, spec, adjoint=False):
    _check_axes(x, spec.rank, "the transform")
    image = list(x.shape[x.dim() - spec.rank:])
    if spec.form == "bands" and not spec.expands and any(n % 2 for n in image):
        raise ValueError(f"the image has the shape {tuple(image)}, but must be even along each axis "
                         "with the form 'bands', or the border one of PyWavelets")
    return _apply(x, spec, image, False, adjoint)


def _inverse(y, spec, shape=None, adjoint=False):
    axes = spec.rank + (spec.form == "bands")
    _check_axes(y, axes, "the inverse")
    if shape is None:
        if spec.expands:
            raise ValueError("shape: is required with the borders of PyWavelets, since images of "
                             "different shapes have as many coefficients")
        shape = y.shape[y.dim() - spec.rank:]
        if spec.form == "bands":
            shape = [2 * n for n in shape]
    shape = list(shape)
    if len(shape) != spec.rank:
        raise ValueError(f"shape is {tuple(shape)}, but must have {spec.rank} entries")
    return _apply(y, spec, shape, True, adjoint)


def dwt(x, wavelet="cdf97", *, rank=2, levels=1, border="periodic", norm="orthonormal", form="array"):
    """Transforms the last `rank` axes of a tensor.

    Args:
        x: the image, of the shape ``(..., *image)``.
        wavelet: a name, such as ``"db2"``, or the path of a wavelet file.
        rank: 1, 2 or 3.
        levels: number of levels.
        border: the extension at the ends, a name that ``wavepass.borders()`` lists.
        norm: ``"orthonormal"``, ``"jpeg2000"``, ``"pywt"`` or ``"none"``.
        form: ``"array"``, all bands in one array of the image's size (larger with the borders of
            PyWavelets); or ``"bands"``, one level with a shape of ``(..., 2 ** rank, *band)``: LL,
            HL, LH, HH for images.

    Returns:
        The coefficients, of the type and on the device of `x`.

    >>> dwt(torch.ones(4, 6), "haar", form="bands")[0]
    tensor([[2., 2., 2.],
            [2., 2., 2.]])
    """
    return _forward(x, _dense.spec(rank, wavelet, levels, border, norm, form))


def idwt(y, wavelet="cdf97", *, rank=2, levels=1, border="periodic", norm="orthonormal",
         form="array", shape=None):
    """The inverse of :func:`dwt`, with the same arguments.

    Args:
        y: coefficients, as from :func:`dwt`.
        shape: the image's shape along the transformed axes; required with the borders of PyWavelets.

    >>> x = torch.rand(5, 6)
    >>> y = dwt(x, "db2", border="pywt-symmetric")
    >>> torch.allclose(idwt(y, "db2", border="pywt-symmetric", shape=x.shape), x, atol=1e-6)
    True
    """
    return _inverse(y, _dense.spec(rank, wavelet, levels, border, norm, form), shape)


def dwt_adjoint(y, wavelet="cdf97", *, rank=2, levels=1, border="periodic", norm="orthonormal",
                form="array", shape=None):
    """The transpose of :func:`dwt`, with the arguments of :func:`idwt`: ``<dwt(x), y>`` is
    ``<x, dwt_adjoint(y)>``. With the norm ``"orthonormal"``, a periodic border and an orthogonal wavelet
    it is the inverse.

    >>> x = torch.rand(8, 8)
    >>> torch.allclose(dwt_adjoint(dwt(x, "db2"), "db2"), x, atol=1e-6)
    True
    """
    return _inverse(y, _dense.spec(rank, wavelet, levels, border, norm, form), shape, True)


class _Module(torch.nn.Module):
    """What the modules share. Parameters as in :func:`dwt`; they are not learned.

    With ``channels=True`` (one level) the bands are channels, as of a strided convolution: images
    ``(N, C, *image)`` have coefficients ``(N, 2 ** rank * C, *band)``; channel ``b + 2 ** rank * c``
    is band b of channel c.
    """

    def __init__(self, rank, wavelet="cdf97", levels=1, border="periodic", norm="orthonormal",
                 channels=False):
        super().__init__()
        form = "bands" if channels else "array"
        self.spec = _dense.spec(rank, wavelet, levels, border, norm, form)

    def extra_repr(self):
        return ", ".join(f"{name}={value!r}" for name, value in self.spec._asdict().items())


class DWT(_Module):
    __doc__ = f"""The transform of the last `rank` axes as a module. {_Module.__doc__}
    >>> DWT(2, "haar", channels=True)(torch.rand(1, 3, 8, 8)).shape
    torch.Size([1, 12, 4, 4])
    """

    def forward(self, x):
        y = _forward(x, self.spec)
        return y if self.spec.form == "array" else y.flatten(-self.spec.rank - 2, -self.spec.rank - 1)


class IDWT(_Module):
    __doc__ = f"""The inverse of :class:`DWT` as a module. {_Module.__doc__}
    With the borders of PyWavelets the image's shape is the second argument of a call.

    >>> IDWT(2, "haar", channels=True)(torch.rand(1, 12, 4, 4)).shape
    torch.Size([1, 3, 8, 8])
    """

    def forward(self, y, shape=None):
        if self.spec.form == "bands":
            axis = y.dim() - self.spec.rank - 1
            bands = 2 ** self.spec.rank
            if axis < 0 or y.shape[axis] % bands:
                raise ValueError(f"the tensor has the shape {tuple(y.shape)}, but must have a multiple "
                                 f"of {bands} channels, one for each band")
            y = y.unflatten(axis, (y.shape[axis] // bands, bands))
        return _inverse(y, self.spec, shape)


def _of_rank(base, rank):
    class Ranked(base):
        def __init__(self, wavelet="cdf97", levels=1, border="periodic", norm="orthonormal",
                     channels=False):
            super().__init__(rank, wavelet, levels, border, norm, channels)

    Ranked.__name__ = Ranked.__qualname__ = f"{base.__name__}{rank}"
    Ranked.__doc__ = f":class:`{base.__name__}` of the last {rank} axes, or of the last one." if (
        rank == 1) else f":class:`{base.__name__}` of the last {rank} axes."
    Ranked.__module__ = __name__
    return Ranked


DWT1, DWT2, DWT3 = (_of_rank(DWT, rank) for rank in (1, 2, 3))
IDWT1, IDWT2, IDWT3 = (_of_rank(IDWT, rank) for rank in (1, 2, 3))
