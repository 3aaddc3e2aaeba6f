#!/usr/bin/env python3
"""Compares the speed of one level with that of PyWavelets, for images of many sizes.

   benchmark.py [PICTURE]

Both have the same border and wavelet. The batches have about the same number of samples. PyWavelets
is optional.
"""
import sys
import time

import numpy as np

import wavepass as wp

SIZES = (32, 64, 128, 256, 512, 1024, 2048)
SAMPLES = 1 << 22


def best_of(function, rounds=3):
    """The shortest time of a call, after one call that is not counted."""
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def main(picture):
    try:
        import pywt
    except ImportError:
        pywt = None
    speeds = {'wavepass': [], 'copy': [], 'PyWavelets': []}
    for size in SIZES:
        x = np.random.default_rng(5).random((SAMPLES // size ** 2, size, size), dtype='float32')
        transform = wp.Transform((size, size), 'bior4.4', levels=1, batch=x.shape[:1], border='periodic')
        y = np.empty_like(x)
        calls = {'wavepass': lambda: transform.forward(x, y), 'copy': lambda: np.copyto(y, x)}
        if pywt:
            calls['PyWavelets'] = lambda: pywt.dwt2(x, 'bior4.4', 'periodization')
        for name, call in calls.items():
            speeds[name].append(x.nbytes / best_of(call) / 1e9)
        print('%4d x %-4d  ' % (size, size) +
              '  '.join('%s %.2f GB/s' % (name, speeds[name][-1]) for name in calls))
    if picture:
        import matplotlib.pyplot as plt

        figure, axis = plt.subplots(figsize=(8, 5), layout='constrained')
        for name, speed in speeds.items():
            if speed:
                axis.loglog(SIZES, speed, 'o-', label=name, base=2)
        axis.set(xlabel='width and height of an image', ylabel='GB of samples per second',
                 title='one level of bior4.4, batches of %d samples' % SAMPLES)
        axis.grid(alpha=0.3)
        axis.legend()
        figure.savefig(picture, dpi=100)
    return len(speeds['wavepass'])


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else None)
