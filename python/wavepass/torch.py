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
from torch.autograd import forward_ad

from . import _dense

__all__ = ["DWT", "IDWT", "DWT1", "DWT2", "DWT3", "IDWT1", "IDWT2", "IDWT3", "dwt", "dwt_adjoint",
           "idwt"]


_TYPES = {getattr(torch, name): name for name in _dense.TYPES}
_PLAIN = torch.Tensor, torch.nn.Parameter


def _run(x, spec, image, inverse, adjoint):
    """Transforms a tensor, without gradients."""
    on_device = x.is_cuda
    if not on_device and not x.is_cpu:
        raise ValueError(f"the tensor is on the device {x.device}, but must be on the CPU or a CUDA "
                         "device")
    device = x.get_device() if on_device else None
    run = _dense.run(spec, x.shape, image, inverse, adjoint, device)
    out = (x.new_zeros if run.has_gaps else x.new_empty)(run.shape)
    if not run.is_empty:
        run(_TYPES[x.dtype], x.data_ptr(), x.shape, x.stride(), out.data_ptr(),
            _stream(device) if on_device else None)
    return out


def _current_stream(device):
    return torch.cuda.current_stream(device).cuda_stream


# The public function makes an object, which takes longer.
_stream = getattr(torch._C, "_cuda_getCurrentRawStream", _current_stream)


# ---- The operator, which torch.compile, modes and subclasses of tensors see.


@operators.custom_op("wavepass::transform", mutates_args=())
def _transform(x: torch.Tensor, spec: str, image: list[int], inverse: bool,
               adjoint: bool) -> torch.Tensor:
    return _run(x, _dense.parse(spec), tuple(image), inverse, adjoint)


@_transform.register_fake
def _(x, spec, image, inverse, adjoint):
    return x.new_empty(_dense.result_shape(_dense.parse(spec), x.shape, image, inverse))


def _set_up(ctx, inputs, output):
    _, ctx.spec, ctx.image, ctx.inverse, ctx.adjoint = inputs


def _differentiate(ctx, gradient):
    return (torch.ops.wavepass.transform(gradient, ctx.spec, ctx.image, not ctx.inverse,
                                         not ctx.adjoint), None, None, None, None)


_transform.register_autograd(_differentiate, setup_context=_set_up)


@_transform.register_vmap
def _(info, in_dims, x, spec, image, inverse, adjoint):
    return torch.ops.wavepass.transform(x.movedim(in_dims[0], 0), spec, image, inverse, adjoint), 0


# ---- The function of tensors that only autograd and torch.func see: the dispatch of an operator in Python takes
# ten times as long.


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, call):
        ctx.call = call
        return _run(x, *call)

    @staticmethod
    def backward(ctx, gradient):
        spec, image, inverse, adjoint = ctx.call
        return _call(gradient, spec, image, not inverse, not adjoint), None

    @staticmethod
    def jvp(ctx, tangent, _):
        return _call(tangent, *ctx.call)


class _Transformed(_Function):
    """The form that torch.func requires, which takes longer."""

    @staticmethod
    def forward(x, call):
        return _run(x, *call)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.call = inputs[1]

    @staticmethod
    def vmap(info, in_dims, x, call):
        return _call(x.movedim(in_dims[0], 0), *call), 0


def _private(name, of=torch._C):
    """A function of PyTorch that has no public equivalent as fast; None if this version lacks it."""
    return getattr(of, name, None)


# Numbers of modes, which see operators; the state of torch.jit.trace; None: no transform of torch.func.
_WATCHES = [_private(name) for name in (
    "_len_torch_dispatch_stack", "_len_torch_function_stack", "_get_tracing_state")]
_transform_of_functions = _private("peek_interpreter_stack", getattr(torch._C, "_functorch", None))
_has_memory = _private("_has_storage")
_IS_KNOWN = None not in (*_WATCHES, _transform_of_functions, _has_memory)


def _is_seen(x):
    """Must a transform of the tensor be an operator?"""
    if torch.compiler.is_compiling() or not _IS_KNOWN or type(x) not in _PLAIN:
        return True
    for watches in _WATCHES:
        if watches():
            return True
    return False


def _call(x, spec, image, inverse, adjoint):
    if not _is_seen(x):
        if _transform_of_functions() is not None:
            return _Transformed.apply(x, (spec, image, inverse, adjoint))
        # Batches of vmap and sparse tensors have no memory; is_neg(): it has the other sign.
        if (x.is_cpu or x.is_cuda) and _has_memory(x) and not x.is_neg():
            if (x.requires_grad and torch.is_grad_enabled()) or forward_ad._current_level >= 0:
                return _Function.apply(x, (spec, image, inverse, adjoint))
            return _run(x, spec, image, inverse, adjoint)
    return torch.ops.wavepass.transform(x, spec.text, list(image), inverse, adjoint)


@torch.compiler.assume_constant_result
def _spec(*parameters):
    return _dense.spec(*parameters)


def _apply(x, spec, image, inverse, adjoint):
    kind = "cpu" if x.is_cpu else "cuda" if x.is_cuda else x.device.type
    if torch.is_autocast_enabled(kind) and x.dtype != torch.float64:
        x = x.to(torch.get_autocast_dtype(kind))
    if x.dtype not in _TYPES:
        _dense.check_type(str(x.dtype))
    return _call(x, spec, image, inverse, adjoint)


def _forward(x, spec, adjoint=False):
    return _apply(x, spec, _dense.samples_shape(spec, x.shape), False, adjoint)


def _inverse(y, spec, shape=None, adjoint=False):
    return _apply(y, spec, _dense.inverse_shape(spec, y.shape, shape), True, adjoint)


@_dense.document
def dwt(x, wavelet="cdf97", *, rank=2, levels=1, border="periodic", norm="orthonormal", form="array"):
    """Transforms the last `rank` axes of a tensor.

    Args:
        x: the image, of the shape ``(..., *image)``.
        {parameters}

    Returns:
        The coefficients, of the type and on the device of `x`.

    >>> dwt(torch.ones(4, 6), "haar", form="bands")[0]
    tensor([[2., 2., 2.],
            [2., 2., 2.]])
    """
    return _forward(x, _spec(rank, wavelet, levels, border, norm, form))


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
    return _inverse(y, _spec(rank, wavelet, levels, border, norm, form), shape)


def dwt_adjoint(y, wavelet="cdf97", *, rank=2, levels=1, border="periodic", norm="orthonormal",
                form="array", shape=None):
    """The transpose of :func:`dwt`, with the arguments of :func:`idwt`: ``<dwt(x), y>`` is
    ``<x, dwt_adjoint(y)>``. With the norm ``"orthonormal"``, a periodic border and an orthogonal wavelet
    it is the inverse.

    >>> x = torch.rand(8, 8)
    >>> torch.allclose(dwt_adjoint(dwt(x, "db2"), "db2"), x, atol=1e-6)
    True
    """
    return _inverse(y, _spec(rank, wavelet, levels, border, norm, form), shape, True)


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
        self.spec = _spec(rank, wavelet, levels, border, norm, form)

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
