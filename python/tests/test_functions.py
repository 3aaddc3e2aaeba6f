"""Functions and transforms of NumPy's arrays, compared with PyWavelets and with definitions."""
import itertools
import pickle

import numpy as np
import pytest

import wavepass as wp

pywt = pytest.importorskip('pywt', reason='PyWavelets is not installed')

RNG = np.random.default_rng(1)
MODES = ['zero', 'constant', 'symmetric', 'reflect', 'periodic', 'smooth', 'antisymmetric', 'antireflect',
         'periodization']


def close(a, b, dtype, largest=1):
    """PyWavelets' tables of taps have errors up to 2e-11 (docs/decisions.md)."""
    scale = max(largest, float(np.abs(b).max()))
    return np.abs(np.asarray(a, float) - b).max() <= (2e-5 if dtype == 'float32' else 2e-10) * scale


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('wavelet', ['haar', 'db3', 'bior2.2', 'sym5'])
def test_wavedec2_has_the_coefficients_of_pywavelets(wavelet, mode, dtype):
    x = RNG.random((3, 29, 34)).astype(dtype)
    c = wp.wavedec2(x, wavelet, 2, border='pywt-' + mode, norm='pywt')
    expected = pywt.wavedec2(x.astype(float), wavelet, mode, 2)
    assert c.array.dtype == dtype
    assert close(c['LL'], expected[0], dtype)
    for level, details in zip((2, 1), expected[1:]):
        # PyWavelets: horizontal (low along x), vertical, diagonal.
        for name, detail in zip(('LH', 'HL', 'HH'), details):
            assert c[name, level].shape == detail.shape
            assert close(c[name, level], detail, dtype, np.abs(c.array).max())
    assert close(wp.waverec2(c), x, dtype)


@pytest.mark.parametrize('shape, axes', [((7, 12), 0), ((7, 12), 1), ((5, 6, 8), 1), ((16,), -1)])
def test_dwt_along_any_axis(shape, axes):
    x = RNG.random(shape)
    c = wp.dwt(x, 'db2', axes, norm='pywt')
    low, high = pywt.dwt(x, 'db2', 'symmetric', axis=axes)
    assert close(c['L'], low, 'float64') and close(c['H', 1], high, 'float64')
    assert close(wp.idwt(c), x, 'float64')


@pytest.mark.parametrize('axes', list(itertools.combinations(range(4), 3)) + [(0, 3), (2, 1), (3,), None])
def test_dwtn_of_any_axes(axes):
    x = RNG.random((4, 6, 8, 10) if axes else (4, 6, 8))
    c = wp.dwtn(x, 'haar', axes, border='pywt-zero', norm='pywt')
    rank = len(axes) if axes else 3
    expected = pywt.dwtn(x, 'haar', 'zero', axes=sorted(axes) if axes else None)
    for name, level in c:
        # Letters of PyWavelets are those of axes in their order; here x, the last axis, is first.
        key = name[::-1].replace('L', 'a').replace('H', 'd')
        assert len(name) == rank and level == 1
        assert close(c[name, 1], expected[key], 'float64')
    assert close(wp.idwtn(c), x, 'float64')


@pytest.mark.parametrize('border', ['symmetric', 'periodic'])
def test_borders_that_keep_the_size(border):
    x = RNG.random((24, 40))
    c = wp.wavedec2(x, 'cdf97', 3, border=border)
    assert c.array.shape == x.shape and c['HL', 1].shape == (12, 20)
    assert abs(c['LL'].mean() - x.mean()) < 0.05  # a gain of 1 at DC
    assert close(wp.waverec2(c.array, 'cdf97', 3, border=border), x, 'float64')


def test_array_of_coefficients_needs_the_shape_only_for_borders_of_pywavelets():
    x = RNG.random((5, 31, 18))
    c = wp.wavedec2(x, 'db4', 2)
    assert c.array.shape != x.shape
    assert close(wp.waverec2(c.array, 'db4', 2, shape=x.shape), x, 'float64')
    with pytest.raises(ValueError, match='extent'):
        wp.waverec2(c.array, 'db4', 2)


def test_elements_in_no_band_are_zero():
    c = wp.wavedecn(RNG.random((9, 9)), 'db5', 3)
    covered = np.zeros(c.array.shape, bool)
    for key in c:
        covered[c.transform._bands[key]] = True
    assert not covered.all() and not c.array[~covered].any()


@pytest.mark.parametrize('dtype', ['uint8', 'uint16', 'float16'])
def test_types_of_16_bits_or_less(dtype):
    x = (RNG.random((16, 16)) * 200).astype(dtype)
    expected = wp.dwt2(x.astype('float32')).array
    c = wp.dwt2(x)
    assert c.array.dtype == ('float16' if dtype == 'float16' else 'float32')
    assert np.array_equal(c.array, expected.astype(c.array.dtype))
    assert wp.dwt2(x, dtype='float64').array.dtype == 'float64'
    assert close(wp.idwt2(c.array.astype('float32')), x, 'float32') or dtype == 'float16'


def test_complex_numbers_are_two_transforms():
    x = (RNG.random((12, 16)) + 1j * RNG.random((12, 16))).astype('complex64')
    c = wp.dwt2(x, 'cdf53')
    assert c.array.dtype == 'complex64'
    assert np.array_equal(c.array.real, wp.dwt2(np.ascontiguousarray(x.real), 'cdf53').array)
    assert np.abs(wp.idwt2(c) - x).max() < 1e-6


def test_strides_are_read_and_written_in_place():
    big = RNG.random((40, 60, 3))
    x = big[::-2, 4:-4:3, ::-1]
    out = np.full((30, 40, 5), 7.0)
    c = out[5:25, 30:12:-1, 1:4]
    wp.dwt2(x, 'haar', (0, 1), border='pywt-zero', out=c)
    assert np.array_equal(c, wp.dwt2(x.copy(), 'haar', (0, 1), border='pywt-zero').array)
    untouched = np.ones(out.shape, bool)
    untouched[5:25, 30:12:-1, 1:4] = False
    assert (out[untouched] == 7).all()
    wide = np.broadcast_to(RNG.random(16)[:, None], (16, 8))  # a stride of 0
    assert np.array_equal(wp.dwt2(wide).array, wp.dwt2(wide.copy()).array)


def test_out_is_returned():
    t = wp.Transform((8, 8), 'haar')
    x, y = RNG.random((8, 8)), np.empty((8, 8))
    assert t.forward(x, y) is y
    assert t.forward(x, t.coefficients(y)) is y
    c = wp.wavedec2(x, 'haar', out=y)
    assert c.array is y
    assert wp.wavedec2(x, 'haar', out=c) is c


def test_seven_dimensions_of_a_batch():
    x = RNG.random((2, 3, 1, 2, 2, 1, 2, 8))
    c = wp.dwt(x, 'db2', border='periodic', norm='pywt')
    low, _ = pywt.dwt(x, 'db2', 'periodization')
    assert close(c['L'], low, 'float64')
    with pytest.raises(ValueError, match='dimensions'):
        wp.dwt(x[None], 'haar')


@pytest.mark.parametrize('border', ['symmetric', 'periodic', 'pywt-zero', 'pywt-antireflect'])
@pytest.mark.parametrize('shape', [(16,), (16, 12), (4, 8, 12)])
def test_adjoints(border, shape):
    t = wp.Transform(shape, 'cdf97', border=border, batch=(2,))
    x, y = RNG.random(t.array_shape), RNG.random(t.coefficients_shape)
    y *= _ones_in_bands(t)  # elements in no band do not count
    assert np.isclose(np.vdot(t.forward(x), y), np.vdot(x, t.forward_adjoint(y)), rtol=1e-12)
    assert np.isclose(np.vdot(t.inverse(y), x), np.vdot(y, t.inverse_adjoint(x)), rtol=1e-12)


def _ones_in_bands(t):
    ones = np.zeros(t.coefficients_shape)
    for index in t._bands.values():
        ones[index] = 1
    return ones


def test_linear_operator():
    linalg = pytest.importorskip('scipy.sparse.linalg', reason='SciPy is not installed')
    t = wp.Transform((6, 8), 'db2', levels=1)
    W = t.as_linear_operator()
    matrix = W @ np.eye(48)
    assert np.allclose(matrix.T, W.H @ np.eye(W.shape[0]), atol=1e-14)
    b = RNG.random(48)
    assert np.allclose(linalg.lsqr(W, W @ b, atol=1e-14, btol=1e-14)[0], b)


def test_pickle():
    t = wp.Transform((9, 12), 'db3', levels=2, batch=(4,), axes=(0, 2), border='pywt-reflect', norm='pywt')
    again = pickle.loads(pickle.dumps(t))
    x = RNG.random((9, 4, 12))
    assert np.array_equal(again.forward(x), t.forward(x)) and repr(again) == repr(t)
    c = pickle.loads(pickle.dumps(wp.dwt2(x)))
    assert np.array_equal(c['HL', 1], wp.dwt2(x)['HL', 1])


def test_reversible():
    x = RNG.integers(0, 256, (13, 17)).astype('float32')
    t = wp.Transform((13, 17), 'cdf53', reversible=True)
    y = t.forward(x)
    assert np.array_equal(y, np.rint(y)) and np.array_equal(t.inverse(y), x)


@pytest.mark.parametrize('border', ['symmetric', 'pywt-constant'])
@pytest.mark.parametrize('shape', [(1, 8, 8), (8, 1, 8), (8, 8, 1), (1, 8), (1, 1, 4)])
def test_axes_of_one_sample(shape, border):
    x = RNG.random(shape)
    c = wp.wavedecn(x, 'cdf53', 1, border=border)
    assert all(len(name) == len(shape) for name, _ in c) and close(wp.waverecn(c), x, 'float64')
    assert sum(c[key].size for key in c) == c.array.size


def test_layout_mixed():
    x = RNG.random((16, 24))
    mallat, mixed = (wp.Transform((16, 24), levels=2, layout=layout) for layout in ('mallat', 'mixed'))
    a, b = mallat.coefficients(mallat.forward(x)), mixed.coefficients(mixed.forward(x))
    assert not np.array_equal(a.array, b.array)
    assert all(np.array_equal(a[key], b[key]) for key in a)


def test_lists_are_doubles():
    c = wp.dwt([1, 2, 3, 4], 'haar', norm='pywt')
    assert c.array.dtype == 'float64' and close(c['L'], pywt.dwt([1, 2, 3, 4], 'haar')[0], 'float64')


def test_filters():
    for name, taps in zip(('analysis-low', 'analysis-high', 'synthesis-low', 'synthesis-high'),
                          pywt.Wavelet('db3').filter_bank):
        found = wp.filters('db3')[name][1]
        assert np.allclose(found, taps) or np.allclose(found, taps[::-1])
