"""Adapters: operators of other libraries agree with the transform, and pass those libraries' own
checks of adjoints."""

import numpy as np
import pytest

import wavepass as wp
from wavepass import adapters

TRANSFORMS = [dict(shape=(12, 16), wavelet='db2', border='periodic', levels=2),
              dict(shape=(9, 13), wavelet='cdf97', levels=2),
              dict(shape=(9, 13), wavelet='db3', border='pywt-zero', levels=2, batch=(3,))]


@pytest.mark.parametrize('options', TRANSFORMS)
def test_pylops(options):
    pylops = pytest.importorskip('pylops')
    transform = wp.Transform(**options)
    operator = adapters.pylops_operator(transform)
    assert pylops.utils.dottest(operator, *operator.shape, rtol=1e-12)
    x = np.random.default_rng(0).random(transform.array_shape)
    assert np.array_equal((operator @ x).reshape(transform.coefficients_shape), transform.forward(x))


@pytest.mark.parametrize('options', TRANSFORMS)
def test_sigpy(options):
    pytest.importorskip('sigpy')
    transform = wp.Transform(**options)
    operator = adapters.sigpy_linop(transform)
    rng = np.random.default_rng(0)
    x = rng.random(operator.ishape) + 1j * rng.random(operator.ishape)
    y = rng.random(operator.oshape) + 1j * rng.random(operator.oshape)
    assert np.isclose(np.vdot(operator * x, y), np.vdot(x, operator.H * y), rtol=1e-12)
    assert np.array_equal((operator * x).real, transform.forward(x.real))


def test_deepinv():
    torch = pytest.importorskip('torch')
    pytest.importorskip('deepinv')
    physics = adapters.deepinv_physics('cdf97', levels=2)
    x = torch.rand(1, 2, 16, 16)
    assert abs(physics.adjointness_test(x)) < 1e-3 * x.numel()
