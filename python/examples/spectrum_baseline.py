#!/usr/bin/env python3
"""Removes the baselines of 500 spectra at once.

   spectrum_baseline.py [PICTURE]

A baseline varies slowly: it is in the low band of many levels. The low band of a spectrum also has a
share of its peaks, so that each round clips the spectrum to the baseline found so far, from which the
next one is computed. All spectra are one batch of signals.
"""
import sys

import numpy as np

import wavepass as wp


def make_spectra(count, samples, rng):
    """Peaks on smooth baselines with noise: the spectra, and the peaks alone."""
    at = np.arange(samples, dtype='float32')
    peaks = np.zeros((count, samples), 'float32')
    for _ in range(12):
        center, width = rng.uniform(0, samples, (count, 1)), rng.uniform(3, 9, (count, 1))
        peaks += rng.uniform(0.1, 1, (count, 1)) * np.exp(-((at - center) / width) ** 2)
    slope, phase = rng.uniform(0.5, 2, (2, count, 1))
    baseline = slope * np.exp(-at / samples) + 0.3 * np.sin(phase + 4 * at / samples)
    noise = rng.normal(0, 0.01, peaks.shape)
    return (peaks + baseline + noise).astype('float32'), peaks


def find_baseline(spectra, levels=7, rounds=30):
    transform = wp.Transform(spectra.shape[-1], 'cdf97', levels=levels, batch=spectra.shape[:-1])
    clipped = spectra
    for _ in range(rounds):
        c = transform.coefficients(transform.forward(clipped))
        low = c['L', levels].copy()
        c.array[...] = 0
        c['L', levels] = low
        baseline = transform.inverse(c)
        clipped = np.minimum(spectra, baseline + 0.01)
    return baseline


def main(picture):
    spectra, peaks = make_spectra(500, 2048, np.random.default_rng(1))
    baseline = find_baseline(spectra)
    error = np.sqrt(np.mean((spectra - baseline - peaks) ** 2))
    print('rms of the spectra %.3f, of the error after removal of the baselines %.3f' % (
        np.sqrt(np.mean((spectra - peaks) ** 2)), error))
    if picture:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(2, 1, figsize=(9, 6), sharex=True, layout='constrained')
        axes[0].plot(spectra[0], label='spectrum')
        axes[0].plot(baseline[0], label='baseline: the low band of level 7')
        axes[1].plot((spectra - baseline)[0], label='spectrum without baseline')
        axes[1].plot(peaks[0], '--', linewidth=1, label='true peaks')
        for axis in axes:
            axis.legend()
        figure.savefig(picture, dpi=100)
    return error


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else None)
