"""Removes noise from a photo: thresholds coefficients by Bayes' rule for each band (BayesShrink).

    python denoise_photo.py [IMAGE]

Chang, Yu, Vetterli, Adaptive wavelet thresholding for image denoising and compression, 2000. Cycle spinning
(Coifman, Donoho, 1995) averages transforms of shifted images, here as one batch.
"""
import numpy as np
from _picture import gray, photo, psnr, save

import wavepass as wp

clean = photo()
noisy = clean + np.random.default_rng(0).normal(0, 0.1, clean.shape).astype('float32')

shifts = [(y, x) for y in range(4) for x in range(4)]
batch = np.stack([np.roll(noisy, shift, (0, 1)) for shift in shifts])
c = wp.wavedec2(batch, 'sym4', 4, border='periodic', norm='pywt')

sigma = np.median(np.abs(c['HH', 1])) / 0.6745  # of noise, from the finest band
for name, level in c:
    if name == 'LL':
        continue
    band = c[name, level]
    signal = np.sqrt(np.maximum(np.mean(band**2, (-2, -1), keepdims=True) - sigma**2, 1e-12))
    threshold = sigma**2 / signal
    band[:] = np.sign(band) * np.maximum(np.abs(band) - threshold, 0)

restored = np.mean([np.roll(image, (-y, -x), (0, 1)) for image, (y, x) in zip(wp.waverec2(c), shifts)], 0)
print(f'noise {sigma:.3f}; {psnr(noisy, clean):.1f} dB before, {psnr(restored, clean):.1f} dB after')
assert psnr(restored, clean) > psnr(noisy, clean) + 5
save('denoise_photo', gray(noisy), gray(restored))
