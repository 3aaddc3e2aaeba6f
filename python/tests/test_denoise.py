"""Denoising of arrays: scikit-image's denoise_wavelet, and what NumPy computes by the formulas."""
import numpy as np
import pytest

import wavepass as wp

RNG = np.random.default_rng(3)
SIGMA = 0.1
ITS = dict(wavelet='db1', border='pywt-symmetric', shifts=1)


def picture(*shape):
    """Boxes on a ramp, and the same with noise."""
    index = np.indices(shape)
    clean = 0.5 * (sum(i // 9 for i in index) % 2) + 0.2 * index[-1] / shape[-1]
    return clean, clean + RNG.normal(0, SIGMA, shape)


def rms(a):
    return float(np.sqrt(np.mean(np.square(a))))


@pytest.mark.parametrize('shape', [(64, 96), (61, 83), (200,), (33, 40, 37)])
@pytest.mark.parametrize('options', [{}, {'sigma': SIGMA}, {'method': 'visu'}, {'rule': 'hard', 'method': 'visu'},
                                     {'wavelet': 'sym4'}])
def test_settings_of_scikit_image(shape, options):
    restoration = pytest.importorskip('skimage.restoration', reason='scikit-image is not installed')
    _, noisy = picture(*shape)
    used = dict(ITS, **options)
    theirs = restoration.denoise_wavelet(
        noisy, sigma=used.get('sigma'), wavelet=used['wavelet'], mode=used.get('rule', 'soft'), rescale_sigma=True,
        method={'visu': 'VisuShrink', 'bayes': 'BayesShrink'}[used.get('method', 'bayes')])
    assert np.abs(wp.denoise(noisy, **used) - theirs).max() < 2e-6


@pytest.mark.parametrize('sigma', [None, SIGMA])
def test_colors_of_scikit_image(sigma):
    restoration = pytest.importorskip('skimage.restoration', reason='scikit-image is not installed')
    noisy = np.stack([picture(64, 80)[1] for _ in range(3)], -1)
    for ycbcr in False, True:
        theirs = restoration.denoise_wavelet(noisy, sigma, convert2ycbcr=ycbcr, channel_axis=-1, rescale_sigma=True)
        ours = wp.denoise(noisy, sigma, color='ycbcr' if ycbcr else 'planes', channel_axis=-1, **ITS)
        assert np.abs(ours - theirs).max() < 5e-6


def test_defaults_are_better_than_those_of_scikit_image():
    pytest.importorskip('skimage', reason='scikit-image is not installed')
    from skimage import data, restoration

    for image in data.camera(), data.coins():
        clean = image / 255
        for sigma in 0.1, 0.2:
            noisy = clean + RNG.normal(0, sigma, clean.shape)
            theirs, ours = restoration.denoise_wavelet(noisy, rescale_sigma=True), wp.denoise(noisy)
            assert 20 * np.log10(rms(theirs - clean) / rms(ours - clean)) > 0.5


def test_sigma_of_levels():
    _, noisy = picture(64, 64)
    used = []
    clean = wp.denoise(noisy, np.array([0.2, 0.1]), levels=2, shifts=1, thresholds=used)
    assert {(t.level, t.sigma) for t in used} == {(1, 0.2), (2, 0.1)}
    assert np.array_equal(clean, wp.denoise(noisy, [0.2, 0.1], levels=2, shifts=1))
    for bad, message in (([0.1], 'sigma is given for 1 level, and the transform has 2'), ([], 'must be positive'),
                         ([0.1, 0], 'must be positive'), ([0.1] * 100, 'sigma is given for 100 levels'),
                         ([0.1, np.nan], 'must be positive')):
        with pytest.raises(ValueError, match=message):
            wp.denoise(noisy, bad, levels=2)
    with pytest.raises(ValueError, match='also to be estimated'):
        wp.denoise(noisy, [0.2, 0.1], levels=2, per_level=True)


def test_axes_of_one_sample():
    """They are not transformed."""
    noisy = np.repeat([0., 1, 0.3, 0.8], 64) + RNG.normal(0, SIGMA, 256)
    for options in ({}, dict(wavelet='db3'), dict(bank='undecimated'), dict(bank='starlet'), dict(bank='packets'),
                    dict(border='pywt-zero', rule='garrote')):
        expected = wp.denoise(noisy, **options)
        for x in (noisy[None], noisy[:, None], noisy[None, :, None]):
            assert np.array_equal(wp.denoise(x, **options).ravel(), expected)


def test_rejected_values():
    noisy = np.ones((8, 8))
    for sigma in ('12', [None], [[0.1]], 1j):
        with pytest.raises(TypeError, match='must be a number, one for each level'):
            wp.denoise(noisy, sigma)
    with pytest.raises(ValueError, match='shifts is 1.5'):
        wp.denoise(noisy, shifts=1.5)


def test_packets_are_for_fringes():
    grid = np.hypot(*np.mgrid[-1:1:128j, -1:1.3:128j])
    clean = 0.5 + 0.5 * np.cos(90 * grid)
    noisy = clean + RNG.normal(0, SIGMA, clean.shape)
    best, decimated = (wp.denoise(noisy, wavelet='cdf97', bank=bank, levels=3) for bank in ('packets', None))
    assert rms(best - clean) < 0.8 * rms(decimated - clean)
    both = wp.denoise(np.stack([noisy, clean]), axes=(1, 2), bank='packets', levels=3)
    assert np.array_equal(both[0], wp.denoise(noisy, bank='packets', levels=3))


def test_undecimated_is_all_shifts():
    _, noisy = picture(32, 48)
    options = dict(sigma=SIGMA, method='visu', border='periodic', levels=3, wavelet='db2')
    once = wp.denoise(noisy, bank='undecimated', **options)
    assert np.abs(once - wp.denoise(noisy, shifts='all', **options)).max() < 2e-6
    assert np.abs(once - wp.denoise(noisy, shifts=1, **options)).max() > 0.01


@pytest.mark.parametrize('bank', ['undecimated', 'starlet'])
def test_redundant_banks(bank):
    clean, noisy = picture(60, 72)
    used: list = []
    ours = wp.denoise(noisy, bank=bank, levels=3, thresholds=used)
    assert rms(ours - clean) < 0.9 * SIGMA
    assert abs(used[0].sigma - SIGMA) < 0.15 * SIGMA
    assert len(used) == (9 if bank == 'undecimated' else 3)
    batch = np.stack([noisy, noisy[::-1]])
    assert np.array_equal(wp.denoise(batch, bank=bank, levels=3, axes=(1, 2))[0], ours)
    with pytest.raises(ValueError, match='4 shifts cannot be averaged'):
        wp.denoise(noisy, bank=bank, shifts=4)


@pytest.mark.parametrize('rule', ['soft', 'hard', 'garrote'])
def test_one_level_by_its_definition(rule):
    """BayesShrink of Haar's sums and differences."""
    _, noisy = picture(32, 44)
    even, odd = noisy[::2], noisy[1::2]
    parts = {'L': even + odd, 'H': even - odd}
    bands = {x + y: (parts[y][:, ::2] + (1 if x == 'L' else -1) * parts[y][:, 1::2]) / 2
             for x in 'LH' for y in 'LH'}
    sigma = np.median(np.abs(bands['HH'])) / 0.6744897501960817
    for name in 'HL', 'LH', 'HH':
        c = bands[name]
        t = sigma**2 / np.sqrt(max(np.mean(c * c) - sigma**2, 1e-300))
        big = np.abs(c) > t
        shrunk = {'soft': c - t * np.sign(c), 'hard': c, 'garrote': c - t * t / c}[rule]
        bands[name] = np.where(big, shrunk, 0)
    rows = {}
    for y in 'LH':
        rows[y] = np.empty((16, 44))
        rows[y][:, ::2] = bands['L' + y] + bands['H' + y]
        rows[y][:, 1::2] = bands['L' + y] - bands['H' + y]
    expected = np.empty((32, 44))
    expected[::2], expected[1::2] = (rows['L'] + rows['H']) / 2, (rows['L'] - rows['H']) / 2
    used: list = []
    found = wp.denoise(noisy, levels=1, rule=rule, shifts=1, thresholds=used)
    assert np.abs(found - expected).max() < 1e-6
    assert [(t.band, t.level) for t in used] == [('HL', 1), ('LH', 1), ('HH', 1)]
    assert all(np.isclose(t.sigma, sigma, rtol=1e-6) for t in used)


def test_batches_and_axes():
    """Any axes, each entry of a batch by itself."""
    x = RNG.random((3, 20, 4, 24)).astype('float32')
    found = wp.denoise(x, axes=(1, 3))
    for i in range(3):
        for k in range(4):
            assert np.array_equal(found[i, :, k], wp.denoise(x[i, :, k]))
    assert np.array_equal(wp.denoise(x, axes=(-3, -1), shifts=1)[0, :, 2], wp.denoise(x[0, :, 2], shifts=1))
    assert np.array_equal(wp.denoise(x[:, :, 0].T, axes=(0, 1))[..., 1], wp.denoise(x[1, :, 0].T))


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'uint8', 'uint16'])
def test_types(dtype):
    clean, noisy = picture(48, 64)
    x = (noisy.clip(0, 1) * 200).astype(dtype)
    y = wp.denoise(x)
    assert y.dtype == (dtype if dtype.startswith('f') else 'float32')
    assert rms(y - 200 * clean) < 0.75 * rms(x.astype(float) - 200 * clean)
    out = np.empty_like(y)
    assert wp.denoise(x, out=out) is out and np.array_equal(out, y)
    if dtype.startswith('f'):
        assert wp.denoise(x, out=x) is x and np.array_equal(x, y)


def test_tensors():
    torch = pytest.importorskip('torch')
    _, noisy = picture(40, 40)
    found = wp.denoise(torch.from_numpy(noisy))
    assert isinstance(found, torch.Tensor) and np.array_equal(found.numpy(), wp.denoise(noisy))


def test_other_choices_have_an_effect():
    _, noisy = picture(64, 64)
    results = [wp.denoise(noisy, **options) for options in (
        {}, {'method': 'sure'}, {'shifts': 4}, {'shifts': 'all', 'levels': 2}, {'per_level': True},
        {'wavelet': 'cdf97'}, {'levels': 'max'}, {'sigma': 0.05})]
    for i, a in enumerate(results):
        assert all(not np.array_equal(a, b) for b in results[:i])


@pytest.mark.parametrize('message, options', [
    ("unknown method 'bays'", {'method': 'bays'}),
    ("unknown rule 'firm'", {'rule': 'firm'}),
    ('shifts is 0', {'shifts': 0}),
    ("shifts is 'many'", {'shifts': 'many'}),
    ('sigma is 0', {'sigma': 0}),
    ('sigma is nan', {'sigma': float('nan')}),
    ('channel_axis is None', {'color': 'ycbcr'}),
    ('channel_axis is 0, but this axis is one of axes', {'channel_axis': 0, 'axes': (0, 1)}),
    ('axes is', {'axes': 7}),
    ("unknown border 'none'", {'border': 'none'}),
    ('levels are', {'levels': 9}),
    ('also to be estimated', {'sigma': 1, 'per_level': True}),
    ('the result', {'out': np.empty((8, 9))})])
def test_wrong_arguments(message, options):
    with pytest.raises(ValueError, match=message):
        wp.denoise(np.zeros((8, 8)), **options)


def test_complex_and_empty():
    with pytest.raises(TypeError, match='complex128'):
        wp.denoise(np.zeros((8, 8), complex))
    with pytest.raises(ValueError, match='no samples'):
        wp.denoise(np.zeros((8, 0)))
