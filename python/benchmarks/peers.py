#!/usr/bin/env python3
"""Times one level of 1-D and 2-D transforms of arrays, periodic borders, against PyWavelets.

    python python/benchmarks/peers.py [--quick] [--json FILE]

Same process, same arrays, float32; results are compared first. Each time is the least of several calls,
which alternate between the libraries, so that both see the same load of the machine. Ratios are PyWavelets'
time over that of wavepass.
"""
import argparse
import os
import sys

from timing import least, repeated, write_results

try:
    import numpy as np
except ImportError:  # its table can be printed without
    np = None

ARRAYS = [((4096, 4096), 2), ((24, 512, 512), 2), ((2048, 64, 64), 2), ((16384, 32, 32), 2), ((4096, 1024), 1),
          ((4194304,), 1)]
QUICK = [((512, 512), 2), ((64, 64, 64), 2), ((64, 1024), 1)]
WAVELETS = ['haar', 'db2', 'bior4.4']


def measure(shape, rank, wavelet, seconds):
    """Seconds of PyWavelets, wavepass with one and two threads, forward and inverse, and of a copy."""
    import pywt

    import wavepass as wp

    x = np.random.default_rng(0).random(shape, dtype='float32')
    decompose, reconstruct = (pywt.dwt2, pywt.idwt2) if rank == 2 else (pywt.dwt, pywt.idwt)
    transforms = [wp.Transform(shape[len(shape) - rank:], wavelet, levels=1, batch=shape[:len(shape) - rank],
                               border='periodic', norm='pywt', threads=threads) for threads in (1, 2)]
    out, back = np.empty_like(x), np.empty_like(x)
    c = decompose(x, wavelet, 'periodization')
    parts = [c[0], c[1][1], c[1][0], c[1][2]] if rank == 2 else list(c)  # LL, HL, LH, HH
    y = transforms[0].coefficients(transforms[0].forward(x))
    for part, key in zip(parts, y):
        if np.abs(part - y[key]).max() > 1e-5:
            sys.exit(f'{wavelet} {shape}: band {key} differs from that of PyWavelets')
    inverse_of = (lambda: reconstruct(c, wavelet, 'periodization')) if rank == 2 else (
        lambda: reconstruct(*c, wavelet, 'periodization'))
    forward = least([lambda: decompose(x, wavelet, 'periodization'), lambda: transforms[0].forward(x, out),
                     lambda: transforms[1].forward(x, out), lambda: np.copyto(out, x)], seconds=seconds)
    inverse = least([inverse_of,
                     lambda: transforms[0].inverse(y.array, back), lambda: transforms[1].inverse(y.array, back)],
                    seconds=seconds)
    if np.abs(back - x).max() > 1e-5:
        sys.exit(f'{wavelet} {shape}: the inverse differs')
    return dict(shape=shape, rank=rank, wavelet=wavelet, pywt=forward[0], one=forward[1], two=forward[2],
                copy=forward[3], pywt_inverse=inverse[0], one_inverse=inverse[1], two_inverse=inverse[2])


def small_calls():
    """Microseconds of one 64x64 array, one level."""
    import pywt

    import wavepass as wp

    x = np.random.default_rng(0).random((64, 64), dtype='float32')
    rows = []
    for wavelet in WAVELETS:
        t = wp.Transform((64, 64), wavelet, levels=1, border='periodic')
        y = t.forward(x)

        functions = {'forward': lambda: t.forward(x, y), 'dwt2': lambda: wp.dwt2(x, wavelet, border='periodic'),
                     'pywt': lambda: pywt.dwt2(x, wavelet, 'periodization')}
        times = least([repeated(call, 200) for call in functions.values()], seconds=1)
        rows.append(dict(wavelet=wavelet, **{name: t / 200 * 1e6 for name, t in zip(functions, times)}))
    return rows


def milliseconds(seconds):
    """Three digits of a time."""
    return '%.*f' % (0 if seconds >= .1 else 1 if seconds >= .01 else 2, 1000 * seconds)


def lines_of(results):
    """The tables of results in Markdown, as lines."""
    lines = ['| array | wavelet | PyWavelets | wavepass, 1 thread | times as fast: forward, inverse | 2 threads |',
             '|---|---|---|---|---|---|']
    for r in results['rows']:
        ratios = [r['pywt'] / r['one'], r['pywt_inverse'] / r['one_inverse'], r['pywt'] / r['two'],
                  r['pywt_inverse'] / r['two_inverse']]
        lines.append('| %s%s | %s | %s ms | %s ms | %.1f, %.1f | %.1f, %.1f |' % (
            'x'.join(map(str, r['shape'])), ', 1-D' if r['rank'] == 1 else '', r['wavelet'],
            milliseconds(r['pywt']), milliseconds(r['one']), *ratios))
    lines += ['', '| one array of 64x64 | `Transform.forward(x, out)` | `wp.dwt2(x)` | `pywt.dwt2(x)` |',
              '|---|---|---|---|']
    lines += ['| %s | %.1f us | %.1f us | %.1f us |' % (r['wavelet'], r['forward'], r['dwt2'], r['pywt'])
              for r in results['small']]
    facts = results['facts']
    lines += ['', 'Least times, float32, one level, periodic borders, PyWavelets %s and NumPy %s, %s. The load of the '
              'system before the run was %.1f.' % (facts['pywt'], facts['numpy'], facts['device'], facts['load'])]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--quick', action='store_true', help='small arrays, for tests')
    parser.add_argument('--json', help='write the numbers to this file')
    given = parser.parse_args()
    from importlib.metadata import version

    import wavepass

    facts = dict(wavepass=wavepass.__version__, pywt=version('PyWavelets'), numpy=np.__version__,
                 python=sys.version.split()[0], device=wavepass.Transform(8).info()['device'],
                 load=round(os.getloadavg()[0], 1))
    small = small_calls()
    rows = [measure(shape, rank, wavelet, 0.2 if given.quick else 4)
            for shape, rank in (QUICK if given.quick else ARRAYS) for wavelet in WAVELETS]
    results = dict(facts=facts, rows=rows, small=small)
    print('\n'.join(lines_of(results)))
    if given.json:
        write_results(given.json, results)


if __name__ == '__main__':
    main()
