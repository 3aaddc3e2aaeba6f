#!/usr/bin/python3
"""Compares the coefficients of volumes with those of PyWavelets and BART, value by value.

    scripts/volume_peers.py [--wavepass FILE] [--backend NAME] [--install] [--times WxHxD]

Compares with PyWavelets (wavedecn, mode periodization) for Haar, CDF 5/3 and CDF 9/7, one to three
levels, equal along all axes and different, and inverts the coefficients of PyWavelets. Compares
with BART's cdf97 for one level of CDF 9/7 if BART is installed. wavepass uses periodic borders, the
orthonormal norm and the Mallat layout; PyWavelets' high-pass filters of these wavelets have the
opposite sign. With --times, PyWavelets and wavepass, with one thread and its default borders,
alternately transform a volume of that size. The exit code is 1 if values differ, and 77 if
PyWavelets is missing. Requires Debian's own Python, which finds Debian's packages (scripts/setup.sh
peers).
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77
WAVELETS = {'haar': 'haar', 'cdf53': 'bior2.2', 'cdf97': 'bior4.4'}
SHAPES = ((8, 8, 8), (16, 24, 40), (2, 32, 24), (48, 64, 16))
LEVELS = ((1, 1), (2, 2), (3, 3), (2, 1), (1, 3), (2, 0))
TOLERANCE = 1e-5  # in the norm jpeg2000; with a factor of sqrt(2) for each low-pass axis


def sides(shape):
    return 'x'.join(str(n) for n in reversed(shape))


class Wavepass:
    def __init__(self, program, backend, directory):
        self.program, self.backend, self.directory = program, backend, directory

    def path(self, name):
        return os.path.join(self.directory, name)

    def call(self, command, name, out, options):
        subprocess.run([self.program, command, self.path(name), '-o', self.path(out), '-f', '-q',
                        '--volume', '-b', self.backend, '--border', 'periodic', '--norm',
                        'orthonormal', *options], check=True)

    def forward(self, numpy, volume, options):
        numpy.save(self.path('v.npy'), volume.astype(numpy.float32))
        self.call('forward', 'v.npy', 'c.npy', options)
        return numpy.load(self.path('c.npy'))

    def inverse(self, numpy, coefficients, options):
        """Inverts an array of another program, which has no metadata file."""
        numpy.save(self.path('p.npy'), coefficients.astype(numpy.float32))
        self.call('inverse', 'p.npy', 'b.npy', options)
        return numpy.load(self.path('b.npy'))

    def seconds(self, shape, wavelet):
        """The shortest time of one level, and of a copy of as many bytes."""
        name = self.path('bench.json')
        threads = ['--threads', '1'] if self.backend == 'cpu' else []
        subprocess.run([self.program, 'bench', '-b', self.backend, *threads, '-w', wavelet, '-q',
                        '--size', sides(shape), '--runs', '5', '--no-verify', '--no-transfers',
                        '--json', name, '-f', '--allow-software'],
                       check=True, stdout=subprocess.DEVNULL)
        with open(name, encoding='utf-8') as file:
            rows = json.load(file)['rows']
        return [min(1e-9 * ns for row in rows if row['kind'] == kind for ns in row['samples_ns'])
                for kind in ('transform', 'ceiling')]


def options_of(wavelet, levels):
    return ['-w', wavelet, '-l', str(levels[0]), '--levels-z', str(levels[1])]


def wavedecn(pywt, volume, wavelet, levels):
    """The coefficients of all axes, or of those that have levels, as one array."""
    axes = [axis for axis, count in enumerate((levels[1], levels[0], levels[0])) if count]
    bands = pywt.wavedecn(volume, wavelet, 'periodization', max(levels), axes)
    for level in bands[1:]:
        for key in level:
            level[key] *= (-1) ** key.count('d')
    return pywt.coeffs_to_array(bands, axes=axes)[0]


def by_levels(pywt, volume, wavelet, levels):
    """The levels one after the other, if some axes have more than others."""
    result, low = volume.copy(), volume
    for level in range(1, max(levels) + 1):
        axes = [axis for axis in range(3) if level <= levels[axis == 0]]
        bands = pywt.dwtn(low, wavelet, 'periodization', axes)
        half = [n // 2 if axis in axes else n for axis, n in enumerate(low.shape)]
        for key, band in bands.items():
            place = [slice(0, n) for n in half]
            for axis, letter in zip(axes, key):
                if letter == 'd':
                    place[axis] = slice(half[axis], 2 * half[axis])
            result[tuple(place)] = band * (-1) ** key.count('d')
        low = bands['a' * len(axes)]
    return result


def transform(pywt, volume, wavelet, levels):
    alike = levels[0] == levels[1] or 0 in levels
    return (wavedecn if alike else by_levels)(pywt, volume, wavelet, levels)


def fits(shape, levels):
    return all(n % 2 ** levels[axis == 0] == 0 for axis, n in enumerate(shape))


def tolerance(levels):
    return TOLERANCE * 2 ** ((2 * levels[0] + levels[1]) / 2)


def report(name, error, allowed):
    print('%-52s %.1e of %.1e: values %s' % (name, error, allowed,
                                            'agree' if error <= allowed else 'DIFFER'))
    return not error <= allowed


def check_pywavelets(wavepass, numpy, pywt):
    wrong = 0
    for mine, theirs in WAVELETS.items():
        for levels in LEVELS:
            errors = []
            for shape in SHAPES:
                if not fits(shape, levels):
                    continue
                volume = numpy.random.default_rng(sum(shape)).random(shape)
                wanted = transform(pywt, volume, theirs, levels)
                options = options_of(mine, levels)
                errors += [abs(wavepass.forward(numpy, volume, options) - wanted).max(),
                           abs(wavepass.inverse(numpy, wanted, options) - volume).max()]
            wrong += report('PyWavelets %s, %s, levels %d, %d along z' %
                            (pywt.__version__, mine, *levels), max(errors), tolerance(levels))
    return wrong


class Bart:
    """BART, whose files are complex, x fastest, with the sizes in a separate header."""

    def __init__(self, numpy, directory):
        self.numpy, self.directory = numpy, directory

    def cdf97(self, volume):
        name = os.path.join(self.directory, 'bart')
        with open(name + '.hdr', 'w', encoding='ascii') as file:
            file.write('# Dimensions\n%s\n' % ' '.join(str(n) for n in reversed(volume.shape)))
        volume.astype(self.numpy.complex64).tofile(name + '.cfl')
        subprocess.run(['bart', 'cdf97', '7', name, name + '-out'], check=True)
        return self.numpy.fromfile(name + '-out.cfl', self.numpy.complex64).real.reshape(
            volume.shape)


def check_bart(wavepass, numpy):
    if not shutil.which('bart'):
        print('BART: left out (bart is not installed)')
        return 0
    bart, errors = Bart(numpy, wavepass.directory), []
    for shape in SHAPES:
        volume = numpy.random.default_rng(1).random(shape)
        errors.append(abs(wavepass.forward(numpy, volume, options_of('cdf97', (1, 1))) -
                          bart.cdf97(volume)).max())
    return report('BART cdf97 7, one level', max(errors), tolerance((1, 1)))


def measure(wavepass, numpy, pywt, shape, rounds=3):
    volume = numpy.random.default_rng(1).random(shape).astype(numpy.float32)
    print('%s, one level, the best of %d rounds' % (sides(shape), rounds))
    for mine, theirs in WAVELETS.items():
        peer, own, copies = [], [], []
        for _ in range(rounds):
            start = time.perf_counter()
            pywt.dwtn(volume, theirs, 'periodization')
            peer.append(time.perf_counter() - start)
            seconds, copy = wavepass.seconds(shape, mine)
            own.append(seconds)
            copies.append(copy)
        a, b, c = map(min, (peer, own, copies))
        print('%-6s PyWavelets %8.1f ms  wavepass %7.1f ms  ratio %5.1f  copies %.2f' %
              (mine, 1e3 * a, 1e3 * b, a / b, b / c))


def read_shape(text):
    shape = tuple(int(n) for n in reversed(text.split('x')))
    if len(shape) != 3 or min(shape) < 2 or any(n % 2 for n in shape):
        raise argparse.ArgumentTypeError('three even sizes: 256x256x256')
    return shape


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('--backend', default='cpu')
    parser.add_argument('--install', action='store_true', help='what is missing, first')
    parser.add_argument('--times', type=read_shape, metavar='WxHxD')
    options = parser.parse_args()
    if options.install:
        subprocess.run([os.path.join(ROOT, 'scripts/setup.sh'), 'peers'], check=True)
    try:
        import numpy
        import pywt
    except ImportError as missing:
        print('%s (scripts/setup.sh peers installs it)' % missing, file=sys.stderr)
        return SKIPPED
    # At levels whose filters are longer than the axis, both programs wrap around.
    warnings.filterwarnings('ignore', 'Level value of', UserWarning)
    with tempfile.TemporaryDirectory(prefix='wavepass-peers-') as directory:
        wavepass = Wavepass(options.wavepass, options.backend, directory)
        wrong = check_pywavelets(wavepass, numpy, pywt) + check_bart(wavepass, numpy)
        if options.times:
            measure(wavepass, numpy, pywt, options.times)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
