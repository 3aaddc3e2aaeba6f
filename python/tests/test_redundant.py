"""Redundant banks: PyWavelets' coefficients, the starlet, batches and adjoints."""
import pickle

import numpy as np
import pytest
import wavepass as wp
import wavepass.pywt as ours

pywt = pytest.importorskip('pywt')
pytestmark = pytest.mark.filterwarnings('ignore:norm=True')


@pytest.mark.parametrize('dtype, tolerance', [('float64', 1e-12), ('float32', 1e-6)])
@pytest.mark.parametrize('wavelet', ['haar', 'db4', 'bior2.2', 'bior3.5'])
def test_coefficients_of_pywavelets(dtype, tolerance, wavelet):
    x = np.random.default_rng(0).random((32, 48)).astype(dtype)
    low, *details = pywt.swt2(x, wavelet, 3, trim_approx=True)
    c = wp.Transform(x.shape, wavelet, levels=3, bank='undecimated', border='periodic', norm='pywt').forward(x)
    expected = [low] + [band for h, v, d in details for band in (v, h, d)]
    assert c.dtype == dtype
    assert abs(c.reshape(10, 32, 48) - expected).max() < 4 * tolerance * abs(low).max()
    for norm in (False, True):
        of = [low] + details if not norm else pywt.swt2(x, wavelet, 3, trim_approx=True, norm=True)
        for a, b in zip(ours.swt2(x, wavelet, 3, trim_approx=True, norm=norm), of):
            assert np.abs(np.array(a) - np.array(b)).max() < 4 * tolerance * abs(low).max()
        assert abs(ours.iswt2(of, wavelet, norm=norm) - x).max() < 10 * tolerance


def test_any_size_and_batch():
    t = wp.Transform((7, 9), 'cdf97', levels=2, batch=(3,), bank='undecimated')
    x = np.random.default_rng(1).random((3, 7, 9))
    c = t.forward(x)
    assert t.border == 'symmetric' and c.shape == (3, 49, 9)
    assert abs(t.inverse(c) - x).max() < 1e-13
    y = np.random.default_rng(2).random(c.shape)
    assert np.isclose(np.vdot(c, y), np.vdot(x, t.forward_adjoint(y)), rtol=1e-13)
    assert np.array_equal(t.coefficients(c)['HL', 1], c[:, 28:35])


def test_starlet():
    x = np.random.default_rng(3).random((5, 6, 7))
    c = wp.wavedecn(x, levels=2, bank='starlet')
    assert list(c) == [('C', 2), ('W', 2), ('W', 1)]
    assert abs(sum(c[key] for key in c) - x).max() < 1e-14
    assert abs(wp.waverecn(c) - x).max() < 1e-14
    with pytest.raises(ValueError, match='shape='):
        wp.waverecn(c.array, levels=2, bank='starlet')


def test_start_level():
    """A transform of each level also has the low bands between them, bit for bit."""
    x = np.random.default_rng(3).random((24, 40))
    options = dict(border='periodic', norm='pywt', bank='undecimated')
    whole = wp.Transform(x.shape, 'db3', levels=3, **options).forward(x).reshape(10, 24, 40)
    low = x
    for level in range(3):
        one = pickle.loads(pickle.dumps(wp.Transform(x.shape, 'db3', levels=1, start_level=level, **options)))
        assert f'start_level={level}' in repr(one) or level == 0
        bands = one.forward(low).reshape(4, 24, 40)
        assert np.array_equal(bands[1:], whole[7 - 3 * level:10 - 3 * level])
        assert abs(one.inverse(bands.reshape(one.coefficients_shape)) - low).max() < 1e-13
        low = bands[0]
    assert np.array_equal(low, whole[0])
    with pytest.raises(ValueError, match='requires a redundant bank'):
        wp.Transform((8, 8), start_level=1)
