"""Discrete wavelet transforms of JAX arrays.

Functions transform the last axes of an array; all other axes are the batch. They are linear
primitives of JAX, with ``jit``, ``grad`` of any order, ``jvp``, ``vmap`` and ``vjp``, on the CPU and
on CUDA devices, for float32, float64, float16 and bfloat16.

    >>> import jax, jax.numpy as jnp
    >>> from wavepass.jax import dwt, idwt
    >>> x = jnp.arange(16.0).reshape(4, 4)
    >>> bool(jnp.allclose(idwt(dwt(x, "db2"), "db2"), x, atol=1e-4))
    True
    >>> jax.grad(lambda x: (dwt(x, "haar") ** 2).sum() / 2)(x)[0, 1].round(3).item()
    1.0
"""

import functools

import jax
import jax.extend.core
from jax import numpy as jnp
from jax.interpreters import ad, batching, mlir

from . import _dense, _xla

__all__ = ["dwt", "idwt"]

_NAME = "wavepass_transform"
_transform = jax.extend.core.Primitive(_NAME)


def _shape(x, spec, image, inverse):
    return _dense.result_shape(_dense.parse(spec), x.shape, image, inverse)


@functools.lru_cache(maxsize=256)
def _compiled(spec, image, inverse, adjoint):
    return jax.jit(functools.partial(_transform.bind, spec=spec, image=image, inverse=inverse,
                                     adjoint=adjoint))


@_transform.def_impl
def _(x, **parameters):
    return _compiled(**parameters)(x)


@_transform.def_abstract_eval
def _(x, *, spec, image, inverse, adjoint):
    return jax.core.ShapedArray(_shape(x, spec, image, inverse), x.dtype)


def _transpose(cotangent, x, *, spec, image, inverse, adjoint):
    return [_transform.bind(cotangent, spec=spec, image=image, inverse=not inverse,
                            adjoint=not adjoint)]


ad.deflinear2(_transform, _transpose)


def _batch(arguments, axes, **parameters):
    x, = arguments
    return _transform.bind(jnp.moveaxis(x, axes[0], 0), **parameters), 0


batching.primitive_batchers[_transform] = _batch


def _call(x, *, spec, image, inverse, adjoint):
    """A call of the handler, whose output has arbitrary values in elements that belong to no band."""
    out = jax.ShapeDtypeStruct(_shape(x, spec, image, inverse), x.dtype)
    y = jax.ffi.ffi_call(_NAME, out)(x, spec=spec, inverse=str(inverse), adjoint=str(adjoint))
    parsed = _dense.parse(spec)
    if inverse or not parsed.has_gaps:
        return y
    return jnp.where(_dense.in_bands(parsed, image), y, 0)


mlir.register_lowering(_transform, mlir.lower_fun(_call, multiple_results=False))


for _platform, _handler in ("cpu", _xla.on_cpu), ("CUDA", _xla.on_cuda):
    jax.ffi.register_ffi_target(_NAME, jax.ffi.pycapsule(_handler), platform=_platform)


def _apply(x, spec, image, inverse):
    _dense.check_type(x.dtype.name)
    return _transform.bind(x, spec=spec.text, image=image, inverse=inverse, adjoint=False)


@_dense.document
def dwt(x, wavelet="cdf97", *, rank=2, levels=1, border="periodic", norm="orthonormal", form="array"):
    """Transforms the last `rank` axes of an array.

    Args:
        x: the image, of the shape ``(..., *image)``.
        {parameters}

    Returns:
        The coefficients, of the type of `x`.

    >>> dwt(jnp.ones((4, 6), "float32"), "haar", form="bands")[0]
    Array([[2., 2., 2.],
           [2., 2., 2.]], dtype=float32)
    """
    spec = _dense.spec(rank, wavelet, levels, border, norm, form)
    x = jnp.asarray(x)
    image = _dense.samples_shape(spec, x.shape)
    _dense.coefficient_shape(spec, image)  # checks it
    return _apply(x, spec, image, False)


def idwt(y, wavelet="cdf97", *, rank=2, levels=1, border="periodic", norm="orthonormal",
         form="array", shape=None):
    """The inverse of :func:`dwt`, with the same arguments.

    Args:
        y: coefficients, as from :func:`dwt`.
        shape: the image's shape along the transformed axes; required with the borders of PyWavelets.

    >>> idwt(dwt(jnp.eye(2, dtype="float32"), "haar"), "haar").round(3)
    Array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    spec = _dense.spec(rank, wavelet, levels, border, norm, form)
    y = jnp.asarray(y)
    shape = _dense.inverse_shape(spec, y.shape, shape and [int(n) for n in shape])
    expected = _dense.coefficient_shape(spec, shape)
    if y.shape[y.ndim - len(expected):] != expected:
        raise ValueError(f"the array has the shape {y.shape}, but the coefficients of an image of the "
                         f"shape {shape} have {expected}")
    return _apply(y, spec, shape, True)
