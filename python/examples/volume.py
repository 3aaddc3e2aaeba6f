"""Removes noise from a volume with a 3-D transform, and draws a slice of it.

    python volume.py [VOLUME.npy]
"""
import sys

import numpy as np
from _picture import gray, psnr, save

import wavepass as wp

if len(sys.argv) > 1:
    clean = np.load(sys.argv[1]).astype('float32')
    clean = (clean - clean.min()) / np.ptp(clean)
else:  # shells, and a grid of rods
    z, y, x = np.mgrid[-1:1:96j, -1:1:128j, -1:1:128j].astype('float32')
    radius = np.sqrt(x * x + y * y + z * z)
    clean = np.where(radius < .9, .35 + .25 * np.sin(14 * radius), 0)
    clean += .4 * ((np.hypot(x % .4 - .2, y % .4 - .2) < .06) & (radius < .9))
clean = clean.astype('float32')
noisy = clean + np.random.default_rng(0).normal(0, .15, clean.shape).astype('float32')

c = wp.wavedecn(noisy, 'sym4', 3, border='pywt-symmetric', norm='pywt')
sigma = np.median(np.abs(c['HHH', 1])) / 0.6745
for name, level in c:
    if name != 'LLL':
        band = c[name, level]
        signal = np.sqrt(max(np.mean(band**2) - sigma**2, 1e-12))
        band[:] = np.sign(band) * np.maximum(np.abs(band) - sigma**2 / signal, 0)  # BayesShrink
restored = wp.waverecn(c)
print(f'{psnr(noisy, clean):.1f} dB before, {psnr(restored, clean):.1f} dB after')
assert psnr(restored, clean) > psnr(noisy, clean) + 4
middle = len(clean) // 2
save('volume', gray(noisy[middle]), gray(restored[middle]), gray(clean[middle]))
