#!/usr/bin/env python3
"""Compresses a volume: keeps the largest 2 % of its coefficients.

   volume.py [PICTURE]

A 3-D transform of the whole volume against a 2-D transform of each slice, with as many coefficients.
"""
import sys

import numpy as np

import wavepass as wp


def make_volume(size, rng):
    """Ellipsoids of different densities with noise."""
    grid = np.mgrid[-1:1:1j * size, -1:1:1j * size, -1:1:1j * size].astype('float32')
    volume = np.zeros((size, size, size), 'float32')
    for density, scale in (0.5, 0.9), (0.2, 0.75), *((rng.uniform(-0.3, 0.5), 0) for _ in range(14)):
        center = np.zeros(3) if scale else rng.uniform(-0.5, 0.5, 3)
        radius = np.array([scale] * 3) * [1, 0.8, 0.9] if scale else rng.uniform(0.08, 0.25, 3)
        inside = sum(((g - c) / r) ** 2 for g, c, r in zip(grid, center, radius)) < 1
        volume[inside] += density
    return volume + rng.normal(0, 0.01, volume.shape).astype('float32')


def keep_largest(array, share):
    """Sets all but the largest magnitudes to 0."""
    count = int(array.size * share)
    limit = np.partition(abs(array).ravel(), -count)[-count]
    array[abs(array) < limit] = 0


def compress(volume, axes, share):
    c = wp.wavedecn(volume, 'cdf97', 4, axes, norm='orthonormal')
    keep_largest(c.array, share)
    return wp.waverecn(c)


def psnr(a, b):
    return 20 * np.log10(np.ptp(a) / np.sqrt(np.mean((a - b) ** 2)))


def main(picture):
    volume = make_volume(128, np.random.default_rng(2))
    results = {'3-D': compress(volume, (0, 1, 2), 0.02), '2-D, each slice': compress(volume, (1, 2), 0.02)}
    for name, result in results.items():
        print('%-16s %.2f dB' % (name, psnr(volume, result)))
    if picture:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 3, figsize=(12, 4.3), layout='constrained')
        for axis, (name, shown) in zip(axes, {'volume': volume, **results}.items()):
            axis.imshow(shown[64], cmap='gray', vmin=0, vmax=1)
            axis.set_title(name if name == 'volume' else '%s: %.1f dB' % (name, psnr(volume, shown)))
            axis.axis('off')
        figure.suptitle('slice 64 of 128, from 2 % of the coefficients')
        figure.savefig(picture, dpi=100)
    return psnr(volume, results['3-D']) - psnr(volume, results['2-D, each slice'])


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else None)
