"""Subtracts the baseline of spectra, a thousand at once: an iteration of low bands and clipping.

    python spectrum_baseline.py

Galloway, Le Ru, Etchegoin, An iterative algorithm for background removal in spectroscopy by wavelet transforms,
2009.
"""
import numpy as np
from _picture import plot, save

import wavepass as wp

rng = np.random.default_rng(1)
x = np.linspace(0, 1, 2048)
peaks = np.zeros((1000, x.size))
for spectrum in peaks:
    for center, width, height in zip(rng.uniform(.05, .95, 12), rng.uniform(.001, .004, 12), rng.uniform(.3, 2, 12)):
        spectrum += height / (1 + ((x - center) / width) ** 2)
baseline = rng.uniform(2, 4, (1000, 1)) * np.exp(-2 * x) + rng.uniform(.5, 2, (1000, 1)) * np.sin(3 * x) ** 2
spectra = peaks + baseline + rng.normal(0, .03, peaks.shape)

estimate = spectra.copy()
for _ in range(30):
    c = wp.wavedec(estimate, 'db6', 6, border='pywt-antireflect')
    low = c['L'].copy()
    c.array[...] = 0
    c['L'] = low
    estimate = np.minimum(estimate, wp.waverec(c))
before = np.sqrt(np.mean((spectra - peaks) ** 2))
after = np.sqrt(np.mean((spectra - estimate - peaks) ** 2))
print(f'distance to the peaks alone: {before:.2f} before, {after:.2f} after')
assert after < before / 4
save('spectrum_baseline', plot([(spectra[0], (90, 120, 200)), (estimate[0], (200, 60, 30)),
                                (spectra[0] - estimate[0], (40, 40, 40))]))
