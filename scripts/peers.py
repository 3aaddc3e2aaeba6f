#!/usr/bin/python3
"""How fast the cpu backend is beside PyWavelets and the GNU Scientific Library, in one run.

    scripts/peers.py [--wavepass FILE] [--size N] [--rounds N] [--runs N]

Installs both from Debian's packages (scripts/setup.sh peers), checks that all compute the same
coefficients, and times them in turns: a call of each peer, then some runs of wavepass. Each uses
its own way at its best: PyWavelets float32 and one level of CDF 9/7; GSL, which has no single
precision, no CDF 9/7 and no single level, all levels of CDF 5/3 and of Haar in double precision.
Ends with 1 where values differ. Debian's own Python, which sees Debian's packages.
"""
import argparse
import ctypes
import ctypes.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOLERANCE = 1e-5  # of wavepass, over the gain of the orthonormal norm: 2 a level


class Gsl:
    """One wavelet of GSL, transformed in place through ctypes."""

    def __init__(self, family, member, size):
        self.gsl = ctypes.CDLL(ctypes.util.find_library('gsl'))
        pointer, number = ctypes.c_void_p, ctypes.c_size_t
        for name, arguments in (('gsl_wavelet_alloc', [pointer, number]),
                                ('gsl_wavelet_workspace_alloc', [number])):
            getattr(self.gsl, name).restype = pointer
            getattr(self.gsl, name).argtypes = arguments
        self.run = self.gsl.gsl_wavelet2d_nstransform_forward
        self.run.argtypes = [pointer, pointer, number, number, number, pointer]
        kind = pointer.in_dll(self.gsl, 'gsl_wavelet_' + family)
        self.wavelet = self.gsl.gsl_wavelet_alloc(kind, member)
        self.space = self.gsl.gsl_wavelet_workspace_alloc(size)

    def forward(self, image):
        size = image.shape[0]
        if self.run(self.wavelet, image.ctypes.data, size, size, size, self.space):
            raise RuntimeError('GSL refuses the transform')
        return image


def details(size):
    """Slices of HL, LH and HH of the finest level, and whether the high-pass's sign is theirs."""
    low, high = slice(0, size // 2), slice(size // 2, size)
    return ((low, high, -1), (high, low, -1), (high, high, 1))


def opposite(coefficients, levels):
    """What the high-pass of the opposite sign gives: libraries differ in it, by version too."""
    result, edge = coefficients.copy(), coefficients.shape[0]
    for _ in range(levels):
        for rows, columns, sign in details(edge):
            result[rows, columns] *= sign
        edge //= 2
    return result


class Case:
    """A peer's transform and the same one of wavepass."""

    def __init__(self, name, options, transform, differ):
        self.name, self.options, self.transform, self.differ = name, options, transform, differ
        self.peer, self.mine = [], []


def make_cases(size, numpy, pywt):
    levels = size.bit_length() - 1

    def one_level(image):
        return pywt.dwt2(image.astype(numpy.float32), 'bior4.4', 'periodization')

    def in_mallat(bands):
        low, (high_y, high_x, high_both) = bands
        return numpy.block([[low, high_x], [high_y, high_both]])

    def differ_all(theirs, mine, depth):
        return min(abs(any_sign - mine).max()
                   for any_sign in (theirs, opposite(theirs, depth))) / 2 ** depth

    def differ_finest(theirs, mine):
        # GSL's filters lie one sample further, so that its finest bands are shifted by one and
        # deeper ones lie on another grid; three quarters of all values can be compared.
        return min(max(abs(numpy.roll(any_sign[rows, columns], (1, 1), (0, 1)) -
                           mine[rows, columns]).max() for rows, columns, _ in details(size))
                   for any_sign in (theirs, opposite(theirs, 1)))

    return [
        Case('PyWavelets %s, CDF 9/7, 1 level' % pywt.__version__,
             ['-w', 'cdf97', '-l', '1'], one_level,
             lambda theirs, mine: differ_all(in_mallat(theirs), mine, 1)),
        Case('GSL, CDF 5/3, %d levels' % levels,
             ['-w', 'cdf53', '-l', 'max'], Gsl('bspline', 202, size).forward, differ_finest),
        Case('GSL, Haar, %d levels' % levels,
             ['-w', 'haar', '-l', 'max'], Gsl('haar', 2, size).forward,
             lambda theirs, mine: differ_all(theirs, mine, levels)),
    ]


class Wavepass:
    def __init__(self, program, directory, size, runs):
        self.program, self.directory, self.size, self.runs = program, directory, size, runs

    def path(self, name):
        return os.path.join(self.directory, name)

    def call(self, *arguments):
        subprocess.run([self.program, *arguments, '-b', 'cpu', '--border', 'periodic', '--norm',
                        'orthonormal', '-s', 'sep-lifting'], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def forward(self, options):
        self.call('forward', self.path('image.npy'), '-f', '-o', self.path('c.npy'), *options)
        return self.path('c.npy')

    def seconds(self, options):
        """Samples of the transform, and of memcpy of the image."""
        self.call('bench', '--size', str(self.size), '--runs', str(self.runs), '--no-verify',
                  '--no-transfers', '-f', '--json', self.path('bench.json'), *options)
        with open(self.path('bench.json'), encoding='utf-8') as file:
            rows = json.load(file)['rows']
        return [[1e-9 * ns for row in rows if row['kind'] == kind for ns in row['samples_ns']]
                for kind in ('transform', 'ceiling')]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('--size', type=int, default=4096, help='a power of two')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--runs', type=int, default=10, help='of wavepass in each round')
    options = parser.parse_args()
    if options.size < 2 or options.size & (options.size - 1):
        parser.error('GSL transforms powers of two')
    subprocess.run([os.path.join(ROOT, 'scripts/setup.sh'), 'peers'], check=True)
    import numpy
    import pywt
    image = numpy.random.default_rng(1).random((options.size, options.size))
    wrong = 0
    with tempfile.TemporaryDirectory(prefix='wavepass-peers-') as directory:
        wavepass = Wavepass(options.wavepass, directory, options.size, options.runs)
        numpy.save(wavepass.path('image.npy'), image.astype(numpy.float32))
        cases = make_cases(options.size, numpy, pywt)
        copies = []
        for case in cases:
            theirs = case.transform(image.copy())
            case.error = case.differ(theirs, numpy.load(wavepass.forward(case.options)))
            wrong += not case.error <= TOLERANCE
        for _ in range(options.rounds):
            for case in cases:
                argument = image.copy()
                start = time.perf_counter()
                case.transform(argument)
                case.peer.append(time.perf_counter() - start)
                transform, copy = wavepass.seconds(case.options)
                case.mine += transform
                copies += copy
    print('%dx%d; medians; memcpy of the image: %.2f ms' %
          (options.size, options.size, 1e3 * statistics.median(copies)))
    for case in cases:
        peer, mine = statistics.median(case.peer), statistics.median(case.mine)
        print('%-36s %9.2f ms  wavepass %7.2f ms  ratio %6.1f  (min/min %.1f)  values %s (%.1e)' %
              (case.name, 1e3 * peer, 1e3 * mine, peer / mine, min(case.peer) / min(case.mine),
               'agree' if case.error <= TOLERANCE else 'DIFFER', case.error))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
