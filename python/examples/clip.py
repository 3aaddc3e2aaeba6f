#!/usr/bin/env python3
"""Removes noise from a clip of video, frame by frame and along time as well.

   clip.py [PICTURE]

Detail coefficients below a threshold are noise and become 0. Along time a still background has few
large coefficients, so that a 3-D transform separates it better than transforms of single frames.
"""
import sys

import numpy as np

import wavepass as wp

SIGMA = 0.15


def make_clip(frames, height, width):
    """A disk and a bar that move over a textured background."""
    y, x = np.mgrid[:height, :width].astype('float32')
    background = 0.45 + 0.2 * np.sin(x / 9 + np.cos(y / 17) * 3) * np.sin(y / 11)
    clip = np.repeat(background[None].astype('float32'), frames, 0)
    for t in range(frames):
        clip[t][(x - 30 - 2 * t) ** 2 + (y - 60) ** 2 < 400] = 0.95
        clip[t][abs(y - 110 + t) < 4] = 0.1
    return clip


def denoise(clip, axes, threshold):
    c = wp.wavedecn(clip, 'cdf97', 3, axes, norm='orthonormal')
    for key in list(c)[1:]:
        band = c[key]
        np.copyto(band, np.sign(band) * np.maximum(abs(band) - threshold, 0))
    return wp.waverecn(c)


def psnr(a, b):
    return -10 * np.log10(np.mean((a - b) ** 2))


def main(picture):
    clip = make_clip(64, 144, 176)
    noisy = clip + np.random.default_rng(3).normal(0, SIGMA, clip.shape).astype('float32')
    results = {'noisy': noisy, 'each frame': denoise(noisy, (1, 2), 1.2 * SIGMA),
               'frames and time': denoise(noisy, (0, 1, 2), 1.6 * SIGMA)}
    for name, result in results.items():
        print('%-16s %.2f dB' % (name, psnr(clip, result)))
    if picture:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 4, figsize=(14, 3.3), layout='constrained')
        for axis, (name, shown) in zip(axes, {'clip': clip, **results}.items()):
            axis.imshow(shown[30], cmap='gray', vmin=0, vmax=1)
            axis.set_title(name if name == 'clip' else '%s: %.1f dB' % (name, psnr(clip, shown)))
            axis.axis('off')
        figure.savefig(picture, dpi=100)
    return psnr(clip, results['frames and time']) - psnr(clip, noisy)


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else None)
