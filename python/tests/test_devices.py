"""Batches that are divided among devices have the results of one device."""
import pickle

import numpy as np
import pytest

import wavepass as wp

RNG = np.random.default_rng(5)


def devices():
    torch = pytest.importorskip('torch')
    count = torch.cuda.device_count()
    if count < 2:
        pytest.skip(f'{count} CUDA devices, but 2 are required')
    return [f'cuda:{i}' for i in range(count)]


@pytest.mark.parametrize('batch, axes', [((7,), None), ((2, 9), None), ((3, 8), (0, 2))])
@pytest.mark.parametrize('border', ['symmetric', 'pywt-zero'])
def test_parts(batch, axes, border):
    options = dict(levels=2, batch=batch, axes=axes, border=border)
    one = wp.Transform((20, 14), 'cdf97', **options)
    many = wp.Transform((20, 14), 'cdf97', devices=['cpu', 'cpu', 'cpu'], **options)
    many = pickle.loads(pickle.dumps(many))
    x = RNG.random(one.array_shape, dtype='float32')
    y = one.forward(x)
    assert np.array_equal(many.forward(x), y)
    assert np.array_equal(many.inverse(y, np.empty_like(x)), one.inverse(y))
    assert np.array_equal(many.forward_adjoint(y), one.forward_adjoint(y))
    assert np.array_equal(many.forward(x.astype('uint8')), one.forward(x.astype('uint8')))
    assert np.array_equal(many.forward(x + 1j), one.forward(x + 1j))


def test_errors():
    with pytest.raises(ValueError, match='a batch'):
        wp.Transform((8, 8), devices=['cpu', 'cpu'])
    with pytest.raises(ValueError, match='devices'):
        wp.Transform((8, 8), batch=(4,), devices=[])
    with pytest.raises(ValueError, match='only one'):
        wp.Transform((8, 8), batch=(4,), device='cpu', devices=['cpu'])
    t = wp.Transform((8, 8), batch=(4,), devices=['cpu', 'cpu'])
    with pytest.raises(ValueError, match='shape'):
        t.forward(np.zeros((5, 8, 8)))
    with pytest.raises(TypeError, match='elements of type'):
        t.forward(np.zeros((4, 8, 8), 'int64'))


def test_cuda():
    many = wp.Transform((64, 64), 'db4', levels=3, batch=(100,), devices=devices())
    one = wp.Transform((64, 64), 'db4', levels=3, batch=(100,), device='cuda')
    x = RNG.random(one.array_shape, dtype='float32')
    assert np.array_equal(many.forward(x), one.forward(x))
