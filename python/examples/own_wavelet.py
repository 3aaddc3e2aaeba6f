"""A wavelet of one's own, from the taps of its filters: files in, functions out.

    python own_wavelet.py

The library factors the filters into lifting steps (docs/wavelet-files.md). The scaling function and the wavelet
are inverse transforms of single coefficients.
"""
import os
import tempfile

import numpy as np
from _picture import plot, save

import wavepass as wp

# Cohen, Daubechies and Feauveau's 9/7 from the taps of its low-pass filters, as in JPEG 2000.
ANALYSIS = [.026748757410810, -.016864118442875, -.078223266528990, .266864118442875, .602949018236360,
            .266864118442875, -.078223266528990, -.016864118442875, .026748757410810]
SYNTHESIS = [-.091271763114250, -.057543526228500, .591271763114250, 1.115087052457000, .591271763114250,
             -.057543526228500, -.091271763114250]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'mine.wavelet')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('source ISO/IEC 15444-1, table F.4\n')
        for line, taps in (('lowpass', ANALYSIS), ('dual', SYNTHESIS)):
            first = -(len(taps) // 2)
            file.write(line + ''.join(f' {first + i} {tap}' for i, tap in enumerate(taps)) + '\n')
    t = wp.Transform(1024, path, levels=6)
    known = wp.Transform(1024, 'cdf97', levels=6)

    x = np.random.default_rng(0).random(1024)
    difference = np.abs(t.forward(x) - known.forward(x)).max()
    print(f'largest difference to the built-in wavelet: {difference:.1e}')
    assert difference < 1e-9

    curves = []
    for name, color in (('L', (40, 90, 200)), ('H', (200, 60, 30))):
        c = t.coefficients(np.zeros(1024))
        c[name, 6][8] = 1
        function = t.inverse(c)
        curves.append((function[256:768] / np.abs(function).max(), color))
save('own_wavelet', plot(curves))
