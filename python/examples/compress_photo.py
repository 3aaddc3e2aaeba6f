"""Keeps a part of the coefficients of a photo, and draws the quality over that part.

    python compress_photo.py [IMAGE]
"""
import numpy as np
from _picture import gray, photo, plot, psnr, save

import wavepass as wp

image = photo()
c = wp.wavedec2(image, 'cdf97', 5, norm='orthonormal')
order = np.sort(np.abs(c.array), axis=None)[::-1]

shares, quality = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005], []
for share in shares:
    kept = c.copy()
    kept.array[np.abs(kept.array) < order[int(share * image.size)]] = 0
    quality.append(psnr(wp.waverec2(kept), image))
    print(f'{100 * share:5.1f} % of the coefficients: {quality[-1]:.1f} dB')
assert quality[3] > 25 and all(a > b for a, b in zip(quality, quality[1:]))

kept = c.copy()
kept.array[np.abs(kept.array) < order[int(0.02 * image.size)]] = 0
curve = plot([(quality, (180, 60, 30))], 300, len(image))
save('compress_photo', gray(wp.waverec2(kept)), gray(np.log1p(50 * np.abs(kept.array)), 0, 4), curve)
