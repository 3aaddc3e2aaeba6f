#!/usr/bin/env python3
"""Compares wp.denoise with scikit-image's denoise_wavelet on scikit-image's photographs.

    scripts/denoise_peers.py [--seed N] [--choices] [--speed DxHxW] [--picture FILE.png]

Adds white noise of standard deviation 0.1 and 0.2 to camera, coins and astronaut, and prints the
PSNR of both with the settings of denoise_wavelet, and of the defaults of wp.denoise. The exit code is
1 if PSNRs with equal settings differ by more than 0.0001 dB, or if the defaults are not better by
0.5 dB. --choices adds rows for other wavelets, rules, methods and numbers of shifts. --speed compares
times of the processor, of one thread, for a volume, and wall times of all processors. --picture writes
a noisy and a denoised image next to each other. Requires scikit-image, PyWavelets, Pillow and the package: PYTHONPATH=python.
"""
import argparse
import os
import sys
import time

from peers import timing

IMAGES = ('camera', 'coins', 'astronaut')
SIGMAS = (0.1, 0.2)
BOUND, BETTER = 1e-4, 0.5  # dB
ITS = dict(wavelet='db1', border='pywt-symmetric', rule='soft', shifts=1)
WAVELETS = ('haar', 'db2', 'db3', 'sym4', 'sym8', 'cdf53', 'cdf97')
SHIFTS = (1, 4, 8, 16, 32, 64)


def load(seed):
    """The photographs, and noisy ones by name and sigma."""
    clean = {name: util.img_as_float(getattr(data, name)()) for name in IMAGES}
    rng = np.random.default_rng(seed)
    return clean, {(name, sigma): clean[name] + rng.normal(0, sigma, clean[name].shape)
                   for name in IMAGES for sigma in SIGMAS}


def channel(image):
    return -1 if image.ndim == 3 else None


def color(image):
    return 'ycbcr' if image.ndim == 3 else 'planes'


def print_row(label, values):
    print('| %-44s |' % label, ' | '.join('%6.2f' % v for v in (*values, np.mean(values))), '|', flush=True)
    return np.array(values)


def measure(clean, noisy, denoise):
    return [psnr(clean[name], denoise(image), data_range=1) for (name, _), image in noisy.items()]


def compare(clean, noisy):
    """The largest difference with equal settings, and the least gain of the defaults."""
    worst, gain, pixel = 0., np.inf, 0.
    print('|', ' | '.join(f'{name} {sigma}' for name, sigma in noisy), '|')
    for ycbcr in False, True:
        chosen = {key: image for key, image in noisy.items() if image.ndim == 3 or not ycbcr}

        def theirs(image):
            return denoise_wavelet(image, channel_axis=channel(image), convert2ycbcr=ycbcr and image.ndim == 3,
                                   rescale_sigma=True)

        def ours(image):
            return wp.denoise(image, channel_axis=channel(image), color=color(image) if ycbcr else 'planes', **ITS)

        note = ', YCbCr' if ycbcr else ''
        a = print_row('denoise_wavelet' + note, measure(clean, chosen, theirs))
        b = print_row('wp.denoise, the same settings' + note, measure(clean, chosen, ours))
        c = print_row('wp.denoise, defaults' + note, measure(clean, chosen, lambda image: wp.denoise(
            image, channel_axis=channel(image), color=color(image) if ycbcr else 'planes')))
        pixel = max(pixel, *(np.abs(theirs(image) - ours(image)).max() for image in chosen.values()))
        worst, gain = max(worst, np.abs(a - b).max()), min(gain, (c - a).min())
    print(f'equal settings: PSNR within {worst:.1e} dB, samples within {pixel:.1e}; '
          f'defaults at least {gain:.2f} dB better')
    return worst, gain


def compare_choices(clean, noisy):
    def row(label, **options):
        print_row(label, measure(clean, noisy, lambda image: wp.denoise(image, channel_axis=channel(image),
                                                                        **options)))

    for wavelet in WAVELETS:
        for shifts in SHIFTS:
            row(f'{wavelet}, {shifts} shifts', wavelet=wavelet, shifts=shifts)
        row(f'{wavelet}, 16 shifts, 5 levels', wavelet=wavelet, shifts=16, levels=5)
    for rule in 'garrote', 'hard':
        row(f'haar, 16 shifts, {rule}', rule=rule)
    for method in 'sure', 'visu':
        row(f'haar, 16 shifts, {method}', method=method)


def compare_speed(shape):
    noisy = np.random.default_rng(0).random(shape, dtype='float32')
    out = np.empty_like(noisy)

    def seconds(call, times):
        return timing.least([call], times, clock=time.process_time)[0]

    theirs = seconds(lambda: denoise_wavelet(noisy, rescale_sigma=True), 2)
    copy = seconds(lambda: np.copyto(out, noisy), 5)
    print(f'{shape}: denoise_wavelet {theirs / noisy.size * 1e9:.1f} ns a sample, '
          f'copy {copy / noisy.size * 1e9:.2f}')
    for label, options in (('the same settings', ITS), ('Haar, border symmetric, one shift', dict(shifts=1)),
                           ('defaults', {})):
        ours = seconds(lambda: wp.denoise(noisy, threads=1, out=out, **options), 5)
        print(f'wp.denoise, {label}: {ours / noisy.size * 1e9:.2f} ns a sample, {theirs / ours:.1f} times')
    walls = [timing.least([call], times, clock=time.perf_counter)[0] for call, times in (
        (lambda: denoise_wavelet(noisy, rescale_sigma=True), 2),
        (lambda: wp.denoise(noisy, threads=os.cpu_count(), out=out, **ITS), 5))]
    print(f'wall time, {os.cpu_count()} threads: denoise_wavelet {walls[0]:.2f} s, wp.denoise {walls[1]:.3f} s, '
          f'{walls[0] / walls[1]:.1f} times')


def draw(clean, noisy, path):
    """Parts of three images: noisy, denoise_wavelet, wp.denoise."""
    from PIL import Image

    rows = []
    for name, top, left in ('astronaut', 20, 120), ('camera', 60, 150):
        image = noisy[name, 0.1]
        panels = [image, denoise_wavelet(image, channel_axis=channel(image), convert2ycbcr=image.ndim == 3,
                                         rescale_sigma=True),
                  wp.denoise(image, channel_axis=channel(image), color=color(image))]
        panels = [np.stack([panel] * 3, -1) if panel.ndim == 2 else panel for panel in panels]
        rows.append(np.hstack([panel[top:top + 220, left:left + 260] for panel in panels]))
    picture = np.uint8(np.clip(np.vstack(rows), 0, 1) * 255 + 0.5)
    Image.fromarray(picture).save(path, optimize=True)
    print(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--choices', action='store_true')
    parser.add_argument('--speed', metavar='DxHxW')
    parser.add_argument('--picture', metavar='FILE.png')
    options = parser.parse_args()
    clean, noisy = load(options.seed)
    print(f'scikit-image {skimage.__version__}, PyWavelets {pywt.__version__}, seed {options.seed}')
    worst, gain = compare(clean, noisy)
    if options.choices:
        compare_choices(clean, noisy)
    if options.speed:
        compare_speed(tuple(map(int, options.speed.split('x'))))
    if options.picture:
        draw(clean, noisy, options.picture)
    return int(worst > BOUND or gain < BETTER)


if __name__ == '__main__':
    os.environ['OMP_NUM_THREADS'] = '1'
    import numpy as np
    import pywt
    import skimage
    from skimage import data, util
    from skimage.metrics import peak_signal_noise_ratio as psnr
    from skimage.restoration import denoise_wavelet

    import wavepass as wp
    sys.exit(main())
