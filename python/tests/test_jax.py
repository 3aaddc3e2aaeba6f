"""wavepass.jax: values, transformations of JAX, types."""

import functools

import pytest

jax = pytest.importorskip("jax")

import numpy  # noqa: E402
from jax import numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from wavepass.jax import dwt, idwt  # noqa: E402

jax.config.update("jax_enable_x64", True)

FORMS = [("db2", "periodic", 2, "array"), ("cdf97", "symmetric", 3, "array"),
         ("db3", "pywt-smooth", 3, "array"), ("db2", "periodic", 1, "bands"),
         ("db4", "pywt-zero", 1, "bands")]


def rand(*shape):
    return jnp.asarray(numpy.random.default_rng(len(shape)).random(shape))


@pytest.mark.parametrize("wavelet, border, levels, form", FORMS)
def test_transformations(wavelet, border, levels, form):
    options = dict(border=border, levels=levels, form=form)
    forward = functools.partial(dwt, wavelet=wavelet, **options)
    inverse = functools.partial(idwt, wavelet=wavelet, shape=(8, 16), **options)
    x = rand(3, 2, 8, 16)
    y = forward(x)
    assert float(abs(inverse(y) - x).max()) < 1e-12
    assert jnp.array_equal(jax.jit(forward)(x), y)
    assert jnp.array_equal(jax.vmap(forward, in_axes=1)(x), y.swapaxes(0, 1))
    check_grads(forward, (x[0],), order=2)
    check_grads(inverse, (y[0],), order=2)
    gradient = jax.jit(jax.vmap(jax.grad(lambda x: (forward(x) ** 3).sum())))(x)
    assert jnp.allclose(gradient[1], jax.grad(lambda x: (forward(x) ** 3).sum())(x[1]))


@pytest.mark.parametrize("rank, shape", [(1, (3, 8)), (2, (2, 4, 6)), (3, (2, 4, 6, 8))])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("border", ["periodic", "pywt-zero"])
def test_types(rank, shape, dtype, border):
    x = rand(*shape)
    options = dict(rank=rank, form="bands", border=border)
    y = dwt(x.astype(dtype), "db2", **options)
    assert y.dtype == dtype
    assert float(abs(y - dwt(x, "db2", **options)).max()) < 0.03
    assert float(abs(idwt(y, "db2", shape=shape[-rank:], **options) - x).max()) < 0.03


def test_many_threads():
    """XLA may call from several threads; plans of one shape wait for each other."""
    xs = rand(8, 64, 64)
    function = jax.jit(lambda xs: sum(dwt(x, "db4", levels=2) * (i + 1) for i, x in enumerate(xs)))
    expected = sum(dwt(x, "db4", levels=2) * (i + 1) for i, x in enumerate(xs))
    assert jnp.allclose(function(xs), expected)


@pytest.mark.parametrize("call, text", [
    (lambda x: dwt(x, "nonsense"), "nonsense"),
    (lambda x: dwt(x, border="nonsense"), "border is 'nonsense'"),
    (lambda x: dwt(x[:, :7], form="bands"), "even"),
    (lambda x: dwt(x[0]), "1 axes"),
    (lambda x: idwt(x, border="pywt-zero"), "shape"),
    (lambda x: idwt(x, shape=(8,)), "2 entries"),
    (lambda x: idwt(x, shape=(8, 16)), "have"),
])
def test_bad_arguments(call, text):
    with pytest.raises(ValueError, match=text):
        call(rand(8, 8))


def test_bad_types():
    with pytest.raises(TypeError, match="int32"):
        dwt(jnp.ones((4, 4), "int32"))
