#!/usr/bin/python3
"""Compares denoising with `wavepass edit` and with scikit-image's denoise_wavelet (PyWavelets).

    scripts/denoise.py [--wavepass FILE] [--backend NAME] [--size N]

Installs both from Debian's packages (scripts/setup.sh peers). Adds white noise of known standard
deviation to photographs of scikit-image. Runs forward, `edit --threshold HOW:universal` and
inverse, and denoise_wavelet with the method VisuShrink and the same wavelet, levels and standard
deviation; in rows with '?' both estimate it. denoise_wavelet has no parameter for the border: its
default, 'symmetric', is --border pywt-symmetric; for --border periodic, PyWavelets' default is set to
'periodization'. The exit code is 1 if PSNRs to the clean image differ by more than 0.1 dB. Requires
Debian's own Python, which finds Debian's packages.
"""
import argparse
import functools
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest.mock
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOUND = 0.1  # dB
LEVELS = 4
WAVELETS = ('haar', 'db2', 'sym4', 'db4', 'coif1', 'bior4.4')
IMAGES = ('camera', 'moon', 'coins', 'brick')
SIGMAS = (0.05, 0.1, 0.2)
BORDERS = (('periodic', 'periodization'), ('pywt-symmetric', 'symmetric'))


def tell(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def psnr(image, clean):
    return -10 * math.log10(((image.astype(float) - clean) ** 2).mean())


class Ours:
    def __init__(self, program, backend, directory):
        self.program, self.backend, self.directory = program, backend, directory

    def path(self, name):
        return os.path.join(self.directory, name)

    def denoise(self, noisy, clean, wavelet, how, sigma, border):
        """The image, and the report of `edit`."""
        numpy.save(self.path('noisy.npy'), noisy)
        numpy.save(self.path('clean.npy'), clean)
        names = {name: self.path(name)
                 for name in ('noisy.npy', 'clean.npy', 'c.npy', 'd.npy', 'back.npy')}
        common = ('-b', self.backend, '-q', '-f')
        tell(self.program, 'forward', names['noisy.npy'], '-o', names['c.npy'], '-w', wavelet,
             '-l', str(LEVELS), '--border', border, *common)
        told = json.loads(tell(
            self.program, 'edit', names['c.npy'], '-o', names['d.npy'], '--threshold',
            how + ':universal', '--reference', names['clean.npy'], '--json', *common,
            *(('--sigma', repr(sigma)) if sigma else ())))
        tell(self.program, 'inverse', names['d.npy'], '-o', names['back.npy'], *common)
        return numpy.load(names['back.npy']), told


def denoise_theirs(noisy, wavelet, how, sigma, mode):
    """denoise_wavelet with a border, which it takes from PyWavelets' default."""
    with warnings.catch_warnings(), \
            unittest.mock.patch.object(pywt, 'wavedecn',
                                       functools.partial(pywt.wavedecn, mode=mode)), \
            unittest.mock.patch.object(pywt, 'waverecn',
                                       functools.partial(pywt.waverecn, mode=mode)):
        warnings.simplefilter('ignore')  # of wavelets that are not orthogonal
        return restoration.denoise_wavelet(noisy, sigma=sigma, wavelet=wavelet, mode=how,
                                           wavelet_levels=LEVELS, method='VisuShrink')


def photograph(name, size):
    image = getattr(data, name)()
    at = [(n - size) // 2 for n in image.shape[:2]]
    return image[at[0]:at[0] + size, at[1]:at[1] + size].astype(numpy.float32) / 255


def print_row(*cells):
    print('%-8s %-14s %-6s %-5s %6s %8s %8s %9s %9s' % cells, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('--backend', default='cpu')
    parser.add_argument('--size', type=int, default=256)
    options = parser.parse_args()
    random = numpy.random.default_rng(20)
    worst, pixel, rows = 0, 0, 0
    print('scikit-image %s, PyWavelets %s, numpy %s, %s; %d levels, %dx%d' %
          (skimage.__version__, pywt.__version__, numpy.__version__,
           tell(options.wavepass, '--version').splitlines()[0], LEVELS, options.size, options.size))
    print_row('wavelet', 'border', 'image', 'how', 'sigma', 'noisy dB', 'ours', 'theirs', 'pixel')
    with tempfile.TemporaryDirectory() as directory:
        ours = Ours(options.wavepass, options.backend, directory)
        for wavelet in WAVELETS:
            for name in IMAGES:
                clean = photograph(name, options.size)
                for sigma in SIGMAS:
                    noise = random.normal(0, sigma, clean.shape)
                    noisy = (clean + noise).astype(numpy.float32)
                    for (how, known), (border, mode) in itertools.product(
                            (('soft', sigma), ('hard', sigma), ('soft', None)), BORDERS):
                        image, told = ours.denoise(noisy, clean, wavelet, how, known, border)
                        theirs = denoise_theirs(noisy, wavelet, how, known, mode)
                        a, b = psnr(image, clean), psnr(theirs, clean)
                        apart = numpy.abs(image - theirs).max()
                        if abs(told['psnr'] - a) > 1e-3:
                            sys.exit('edit --reference said %.4f dB, and it is %.4f' %
                                     (told['psnr'], a))
                        worst, pixel, rows = max(worst, abs(a - b)), max(pixel, apart), rows + 1
                        print_row(wavelet, border, name, how, '%.2f' % sigma if known else
                                  '?%.3f' % told['edits'][0]['sigma'][0], '%.2f' % psnr(
                                      noisy, clean), '%.3f' % a, '%.3f' % b,
                                  '%.1e' % apart)
    print('%d rows, largest difference %.5f dB (bound %.1f), of a pixel %.1e' %
          (rows, worst, BOUND, pixel))
    return worst > BOUND


if __name__ == '__main__':
    subprocess.run([os.path.join(ROOT, 'scripts/setup.sh'), 'peers'], check=True,
                   stdout=subprocess.DEVNULL)
    import numpy
    import pywt
    import skimage
    from skimage import data, restoration
    sys.exit(main())
