"""Edges of a photo: the wavelet modulus, coefficients that are large on several scales.

    python edges.py [IMAGE]

High-pass along x answers to vertical edges, along y to horizontal ones; their hypotenuse does not depend on
the direction (Mallat, Zhong, Characterization of signals from multiscale edges, 1992). Products over scales
remove noise, which has no coefficients on coarse ones.
"""
import numpy as np
from _picture import gray, photo, save

import wavepass as wp

LEVELS = 3
image = photo()
c = wp.wavedec2(image, 'cdf53', LEVELS, border='symmetric')


def enlarge(band, level):
    """A band at the size of the image."""
    return np.kron(band, np.ones((2**level, 2**level), 'float32'))[:image.shape[0], :image.shape[1]]


modulus = [enlarge(np.hypot(c['HL', level], c['LH', level]), level) for level in range(1, LEVELS + 1)]
edges = np.prod([m / np.percentile(m, 99) for m in modulus], 0) ** (1 / LEVELS)
strong = edges > 0.4
print(f'{100 * strong.mean():.1f} % of the pixels are at edges')
assert 0.005 < strong.mean() < 0.3
save('edges', gray(image), gray(1 - np.clip(edges, 0, 1)))
