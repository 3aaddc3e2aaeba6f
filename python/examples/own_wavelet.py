#!/usr/bin/env python3
"""A wavelet of one's own: lifting steps in a text file.

   own_wavelet.py [PICTURE]

The steps below predict odd samples by a cubic polynomial of four even ones, and update the even
samples so that the mean stays. The picture shows the synthesis functions: the inverse of one
coefficient.
"""
import os
import sys
import tempfile

import numpy as np

import wavepass as wp

WAVELET = '''
name    my-cubic
title   cubic prediction, update of two taps
source  Sweldens 1996, The lifting scheme
predict -1 1/16  0 -9/16  1 -9/16  2 1/16
update  -1 1/4  0 1/4
'''


def functions(wavelet, levels=6, samples=1024):
    """The scaling function and the wavelet: the inverse of a coefficient of the last level."""
    transform = wp.Transform(samples, wavelet, levels=levels)
    curves = []
    for band in 'LH':
        c = transform.coefficients(np.zeros(transform.coefficients_shape))
        middle = c[band, levels].shape[0] // 2
        c[band, levels][middle] = 1
        curves.append(transform.inverse(c))
    return curves


def main(picture):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'my-cubic.wavelet')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(WAVELET)
        x = np.random.default_rng(4).random((200, 300))
        error = abs(wp.waverec2(wp.wavedec2(x, path, 5)) - x).max()
        cubic = np.arange(64.) ** 3
        details = wp.dwt(cubic, path, norm='none')['H', 1]
        print('error of the inverse %.1e; largest detail of a cubic inside %.1e, of %.0f at an end' % (
            error, abs(details[2:-2]).max() / cubic[-1], abs(details).max()))
        curves = {'my-cubic': functions(path), 'cdf97': functions('cdf97')}
    if picture:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(2, 2, figsize=(9, 6), sharex=True, layout='constrained')
        for row, (name, pair) in zip(axes, curves.items()):
            for axis, curve, what in zip(row, pair, ('scaling function', 'wavelet')):
                axis.plot(curve)
                axis.set_title('%s, %s' % (name, what))
                axis.set_xlim(256, 768)
        figure.savefig(picture, dpi=100)
    return error


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else None)
