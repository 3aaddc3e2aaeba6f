"""Keeps 5 % of the coefficients and removes noise, in wavelets and in the best basis of wavelet packets.

    python best_basis.py [IMAGE]
"""
import sys

import numpy as np
from _picture import gray, photo, psnr, save

import wavepass as wp

y, x = np.mgrid[-1:1:512j, -1:1:512j]
fringes = (0.5 + 0.5 * np.cos(300 * np.hypot(x, y + 0.3) + 4 * x) * (abs(x) < 0.8)).astype('float32')
image = photo() if len(sys.argv) > 1 else fringes  # a texture, which has high frequencies
noisy = image + np.random.default_rng(0).normal(0, 0.2, image.shape).astype('float32')
how = dict(wavelet='db4', levels=4, border='periodic', norm='orthonormal')


def kept(x, options):
    """Of 5 % of the coefficients."""
    c = wp.wavedec2(x, **how, **options)
    c.array[np.abs(c.array) < np.quantile(np.abs(c.array), 0.95)] = 0
    return wp.waverec2(c)


def clean(x, options, sigma=0.2):
    """By hard thresholds: all coefficients below 3 sigma are noise."""
    c = wp.wavedec2(x, **how, **options)
    c.array[np.abs(c.array) < 3 * sigma] = 0
    return wp.waverec2(c)


def best(x):
    # The error of hard thresholds, as a function of one's own.
    return dict(bank='packets', tree=wp.best_tree(x, how['wavelet'], how['levels'], border=how['border'],
                                                  cost=lambda c: np.minimum(c * c, 0.36).sum()))


results = [(name, kept(image, options(image)), clean(noisy, options(noisy)))
           for name, options in (('wavelets', lambda x: {}), ('best basis', best))]
for name, few, denoised in results:
    print(f'{name}: 5 % of the coefficients {psnr(few, image):.1f} dB, without noise {psnr(denoised, image):.1f} dB')
if len(sys.argv) == 1:
    assert psnr(results[1][1], image) > psnr(results[0][1], image) + 3
    assert psnr(results[1][2], image) > psnr(results[0][2], image) + 1
nodes = wp.wavedec2(image, **how, **best(image))
save('best_basis', gray(results[0][2]), gray(results[1][2]), gray(np.log1p(50 * np.abs(nodes.array)), 0, 4))
