"""Times wavepass against PyWavelets for images of several sizes, and draws the ratio.

    python benchmark.py
"""
import sys
import time

import numpy as np
from _picture import gray, save

import wavepass as wp

try:
    import pywt
except ImportError:
    print('PyWavelets is not installed', file=sys.stderr)
    sys.exit(77)


def least(call, least_seconds=0.05):
    """The least time of a call in seconds."""
    best, end, calls = np.inf, time.perf_counter() + least_seconds, 0
    while time.perf_counter() < end or calls < 5:
        calls += 1
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


sizes, ratios = [32, 64, 128, 256, 512, 1024, 2048], []
for size in sizes:
    x = np.random.default_rng(0).random((size, size), dtype='float32')
    ours = least(lambda x=x: wp.dwt2(x, 'bior4.4', border='pywt-periodization', norm='pywt'))
    theirs = least(lambda x=x: pywt.dwt2(x, 'bior4.4', 'periodization'))
    ratios.append(theirs / ours)
    print(f'{size:5d}x{size:<5d} {1000 * theirs:8.3f} ms PyWavelets, {1000 * ours:7.3f} ms wavepass: '
          f'{ratios[-1]:.1f} times as fast')
assert np.median(ratios) > 1

bars = np.full((300, 90 * len(sizes)), 255, np.uint8)
for i, ratio in enumerate(ratios):
    top = int(299 * (1 - ratio / max(ratios)))
    bars[top:, 90 * i + 10:90 * i + 80] = np.linspace(60, 160, 300)[top:, None]
save('benchmark', bars, gray(np.tile(np.linspace(0, 1, 300)[::-1, None], 20)))
