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
        plan.run(False, (x, (2, 1, -1, -1, 0)), (x, (2, 1, -1, -1, 0)), None, 0)


def described(array, axes, **changes):
    """An array by its address."""
    fields = dict(address=array.__array_interface__['data'][0], axes=axes, type=array.dtype.name,
                  shape=array.shape, strides=[n // array.itemsize for n in array.strides], device=False)
    return tuple((fields | changes).values())


@pytest.mark.parametrize('kind', ['float32', 'float64', 'float16'])
def test_described_arrays(kind):
    """An array by its address has the coefficients of the object; also its bands."""
    plan = _core.Plan(width=10, height=6, batch=(3,), levels=1, backend='cpu')
    axes, x = (2, 1, -1, -1, 0), RNG.random((3, 12, 10)).astype(kind)[:, ::-2]
    expected, y = np.empty((2, 3, 6, 10), kind)
    plan.run(False, (x, axes), (expected, axes))
    plan.run(False, described(x, axes), described(y, axes))
    assert np.array_equal(y, expected)
    bands = np.empty((3, 4, 3, 5), kind)
    plan.run(False, (x, axes), [described(bands[:, b], axes) for b in range(4)])
    assert np.array_equal(bands[:, 2], y[:, 3:, :5])


@pytest.mark.parametrize('changes, error, text', [
    ({'type': 'int64'}, TypeError, "'int64' are not supported"),
    ({'type': None}, TypeError, None),
    ({'shape': (6, 9)}, ValueError, 'extent of 9'),
    ({'strides': (10,)}, IndexError, None),
    ({'address': 'x'}, TypeError, None),
    ({'address': 0}, ValueError, 'NULL'),
    ({'device': True}, ValueError, "requires the backend 'cuda'"),
    ({'strides': (1, 1)}, ValueError, 'overlap'),
])
def test_wrong_descriptions(changes, error, text):
    plan, x, y = _core.Plan(width=10, height=6), np.ones((6, 10)), np.empty((6, 10))
    with pytest.raises(error, match=text):
        plan.run(False, (x, (1, 0)), described(y, (1, 0), **changes))
