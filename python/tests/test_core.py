"""The private module _core: bands as arrays, parameters, queries."""
import numpy as np
import pytest

from wavepass import _core

RNG = np.random.default_rng(5)


def bands_of(plan, batch, dtype='float64'):
    return [np.full(batch + size[::-1][-2:], np.nan, dtype) for _, _, _, size, _, _ in plan.bands()]


@pytest.mark.parametrize('part', [1 << 26, 3 * 20 * 12])
def test_bands_as_arrays(part):
    x = RNG.random((7, 12, 20))
    params = dict(width=20, height=12, batch=(7,), wavelet='db3', border='pywt-smooth', norm='pywt', levels=2,
                  part=part)
    plan = _core.Plan(**params)
    axes = (2, 1, -1, -1, 0)
    whole = np.zeros((7,) + plan.extents(True)[1::-1])
    plan.run(False, (x, axes), (whole, axes))
    bands = bands_of(plan, (7,))
    plan.run(False, (x, axes), [(band, axes) for band in bands])
    for band, (_, _, _, (width, height, _), offset, (_, row, _)) in zip(bands, plan.bands()):
        top, left = offset // row, offset % row
        assert np.array_equal(band, whole[:, top:top + height, left:left + width])
    back = np.empty_like(x)
    plan.run(True, [(band, axes) for band in bands], (back, axes))
    assert np.abs(back - x).max() < 1e-12


def test_bands_without_samples_are_none():
    plan = _core.Plan(width=9, rank=1, wavelet='db2', border='pywt-zero', levels=1)
    low, high = np.empty(6), np.empty(6)
    assert [size[1] for _, _, _, size, _, _ in plan.bands()] == [1, 1, 0, 0]
    plan.run(False, (RNG.random(9), (0,)), [(low, (0,)), (high, (0,)), None, None])
    with pytest.raises(TypeError, match='tuple'):
        plan.run(False, (RNG.random(9), (0,)), [(low, (0,)), None, None, None])
    with pytest.raises(ValueError, match='2 arrays of bands, but there are 4'):
        plan.run(False, (RNG.random(9), (0,)), [(low, (0,)), (high, (0,))])


@pytest.mark.parametrize('axes, text', [
    ((1,), 'no dimension for y'), ((1, 0, 0), 'not another dimension'), ((1, 2), 'not another dimension'),
    ((1, 0, -2), 'not another dimension'), ((0, 1), 'extent of 6'), (tuple(range(11)), '11 axes')])
def test_axes_are_checked(axes, text):
    plan = _core.Plan(width=8, height=6)
    with pytest.raises(ValueError, match=text):
        plan.run(False, (RNG.random((6, 8)), axes), (np.empty((6, 8)), (1, 0)))
    with pytest.raises(ValueError, match='none of the axes'):
        plan.run(False, (RNG.random((6, 8, 2)), (1, 0)), (np.empty((6, 8)), (1, 0)))


def test_integers_with_a_maximum():
    x = RNG.integers(0, 256, (16, 16)).astype('uint8')
    plan = _core.Plan(width=16, height=16, levels=2, maximum=255)
    y, back = np.empty((16, 16), 'float32'), np.empty_like(x)
    plan.run(False, (x, (1, 0)), (y, (1, 0)))
    assert abs(y[:4, :4].mean() - x.mean() / 255) < 0.1
    plan.run(True, (y, (1, 0)), (back, (1, 0)))
    assert np.array_equal(back, x)


def test_wavelet_as_steps():
    x, axes = RNG.random((8, 8)), (1, 0)
    results = []
    for params in (dict(wavelet='cdf53'),
                   dict(wavelet_data=('mine', [(0, (-.5, -.5)), (-1, [.25, .25])], 1.0))):
        plan = _core.Plan(width=8, height=8, levels=2, **params)
        results.append(np.empty_like(x))
        plan.run(False, (x, axes), (results[-1], axes))
    assert np.allclose(*results, atol=1e-15)
    for wrong in (3, ('a', [1], 1.0), ('a', [(0, 'x')], 1.0), ('a', [(0, (.5,))])):
        with pytest.raises(TypeError):
            _core.Plan(width=8, height=8, wavelet_data=wrong)
    with pytest.raises(ValueError):
        _core.Plan(width=8, height=8, wavelet_data=('a', [(0, (.5,))] * 65, 1.0))


def test_queries():
    assert _core.max_levels(width=64, height=48)[0] == 6 and _core.max_levels(width=8, height=8, depth=8)[1] == 3
    assert _core.filter('haar', 'none', 'synthesis-low')[0] in (-1, 0)
    with pytest.raises(ValueError, match="'variants'"):
        _core.names('nothing')
    with pytest.raises(ValueError, match='analysis-low'):
        _core.filter('haar', None, 'low')
    with pytest.raises(ValueError, match='no wavelet'):
        _core.filter('no wavelet', None, 'analysis-low')
    with pytest.raises(ValueError, match='opengl'):
        _core.names('variants', 'opengl')
    assert 'fused' in _core.names('variants', 'cpu') and _core.names('devices', 'cpu')


def test_description_and_facts():
    plan = _core.Plan(width=8, height=6, batch=(2,), levels=1, backend='reference')
    x = np.empty((2, 6, 8))
    assert 'reference' in plan.describe(False)
    assert 'f64' in plan.describe(True, (x, (2, 1, -1, -1, 0)), (x, (2, 1, -1, -1, 0)))
    assert plan.info()['backend'] == 'reference' and (plan.levels, plan.levels_z) == (1, 0)
    assert plan.extents(False)[:5] == (8, 6, 1, 1, 2)
    with pytest.raises(ValueError, match="requires the backend 'cuda'"):
        plan.set_stream(0)
