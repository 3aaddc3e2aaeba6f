#!/usr/bin/env python3
"""Compares every wavelet of the families with PyWavelets, and prints a table.

   wavelet_families.py [--backend NAME] [--scheme NAME] [--size N] [-o FILE.md] [WAVELET ...]

Transforms noise in 0..1 with periodic borders ('periodization') and the orthonormal norm, with one
and with three levels. PyWavelets computes in double precision; an error is the largest difference
over the gain of the subband. If the determinant of its filters is -1, the high-pass has the
opposite sign. The bounds are those that `verify` uses (src/wavelet/wavelet_growth.h): for one axis
after the other, as on cpu and cuda, and for steps that transform both axes, as in the schemes of
lifting steps. The exit code is 1 if an error exceeds its bound.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import pywt
except ImportError as missing:
    print('skipped: %s (scripts/setup.sh peers)' % missing)
    sys.exit(0)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WAVEPASS = os.environ.get('WAVEPASS', os.path.join(ROOT, 'build/release/wavepass'))


def tell(*arguments):
    done = subprocess.run([WAVEPASS, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def high_sign(wavelet):
    """The sign by which the high-pass differs: that of the determinant at z = 1."""
    low, high = numpy.array(wavelet.dec_lo), numpy.array(wavelet.dec_hi)
    # Convolution reverses the filters, and the coefficient is at sample F / 2.
    even = (wavelet.dec_len // 2) % 2
    determinant = (low[even::2].sum() * high[1 - even::2].sum() -
                   low[1 - even::2].sum() * high[even::2].sum())
    return numpy.sign(determinant)


def bands(coefficients, level, sign):
    """The subbands of a level of an array in the Mallat layout, with PyWavelets' names and
    signs."""
    height, width = (n >> level for n in coefficients.shape)
    yield 'A', coefficients[:height, :width]
    yield 'V', sign * coefficients[:height, width:2 * width]
    yield 'H', sign * coefficients[height:2 * height, :width]
    yield 'D', coefficients[height:2 * height, width:2 * width]


def facts_of(name):
    """Steps, taps, the largest tap, and growth and bound for one axis and for two."""
    told = tell('explain', name, '--show', 'steps')
    steps = [line.split()[1:] for line in told.split('\n')
             if line.startswith(('predict', 'update'))]
    factoring = json.loads(tell('explain', name, '--show', 'factoring', '--json'))
    return (len(steps), sum(len(s) // 2 for s in steps),
            max(abs(float(tap)) for s in steps for tap in s[1::2]),
            [max(ways) for ways in factoring['growth']], factoring['bound'])


def worst_error(name, image, path, levels, where, directory):
    output = os.path.join(directory, '%s-%d.npy' % (name, levels))
    tell('forward', path, '-o', output, '-w', name, '--border', 'periodic', '--norm',
         'orthonormal', '-l', str(levels), *where, '-q')
    ours = numpy.load(output)
    wavelet, theirs, worst = pywt.Wavelet(name), image.astype(float), 0
    for level in range(1, levels + 1):
        theirs, (h, v, d) = pywt.dwt2(theirs, wavelet, 'periodization')
        expected = {'A': theirs, 'H': h, 'V': v, 'D': d}
        gain = 2.0 ** (level - 1)  # of the low-pass subband that the level transforms
        for band, values in bands(ours, level, high_sign(wavelet)):
            if band != 'A' or level == levels:
                error = numpy.abs(values - expected[band]).max()
                worst = max(worst, error / gain / (2 if band == 'A' else 1))
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--backend', default='cpu')
    parser.add_argument('--scheme', default='', help='of backends that have them')
    parser.add_argument('--size', type=int, default=128)
    parser.add_argument('-o', '--output', default='', help='writes the table there, too')
    parser.add_argument('wavelet', nargs='*')
    options = parser.parse_args()
    lines = []

    def write(line):
        lines.append(line)
        print(line, flush=True)

    where = ['-b', options.backend] + (['-s', options.scheme] if options.scheme else [])
    write('Made by scripts/wavelet_families.py: PyWavelets %s, numpy %s, %s, %s%s.\n' % (
        pywt.__version__, numpy.__version__, tell('--version').splitlines()[0], options.backend,
        ', ' + options.scheme if options.scheme else ''))
    most = {'db': 20, 'sym': 20, 'coif': 5}  # PyWavelets has more members of some families
    names = options.wavelet or [n for f in ('haar', 'db', 'sym', 'coif', 'bior', 'rbio')
                                for n in pywt.wavelist(f)
                                if f not in most or int(n[len(f):]) <= most[f]]
    image = numpy.random.default_rng(1).random((options.size, options.size), numpy.float32)
    bad = []
    write('| wavelet | steps | taps | largest tap | growth | bound | growth, both axes | bound | '
          'one level | three levels |\n|' + '---|' * 10)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'image.npy')
        numpy.save(path, image)
        for name in names:
            steps, taps, largest, growth, bound = facts_of(name)
            errors = [worst_error(name, image, path, levels, where, directory)
                      for levels in (1, 3)]
            held = bound[bool(options.scheme)]
            if max(errors) > held:
                bad.append(name)
            write('| %s | %d | %d | %.3g | %.3g | %.1e | %.3g | %.1e | %.1e | %.1e |%s' % (
                name, steps, taps, largest, growth[0], bound[0], growth[1], bound[1], *errors,
                ' above its bound' if name in bad else ''))
    write('\n%d wavelets, %d above their bounds%s' % (len(names), len(bad),
                                                    ': ' + ' '.join(bad) if bad else ''))
    if options.output:
        with open(options.output, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
    return int(bool(bad))


if __name__ == '__main__':
    sys.exit(main())
