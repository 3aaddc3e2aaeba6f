#!/usr/bin/env python3
"""Speed of CUDA kernels compiled at run time, relative to a copy, and of the kernels used before.

  scripts/made_speeds.py MADE.json [BEFORE.json]
  scripts/made_speeds.py --variants FILE.json
  scripts/made_speeds.py --schemes FILE.json...

Reads results of `bench -b cuda` and prints the tables of docs/lab/made-kernels.md in Markdown: the
speed of each transform relative to the ceiling `kernel-copy` of the same file, forward / inverse,
from medians. With --variants it prints the time over that of a copy for each variant, and with
--schemes a row for each block scheme and a column for each wavelet; the files must be from one GPU.
"""
import sys

import bench_results

DIRECTIONS = ('forward', 'inverse')


def read(path):
    """{(wavelet, levels, variant, direction): median}, and the median of a copy."""
    rows = bench_results.read(path)['rows']
    copy = next(r['median_ns'] for r in rows
                if r['kind'] == 'ceiling' and r['work'] == 'kernel-copy')
    times = {(r['wavelet'], r['levels'], r['variant'], r['direction']): r['median_ns']
             for r in rows if r['kind'] == 'transform'}
    return times, copy


def shares(times, copy, wavelet, levels, variants):
    cells = []
    for direction in DIRECTIONS:
        found = [times[key] for key in times
                 if key[:2] == (wavelet, levels) and key[2] in variants and key[3] == direction]
        cells.append('%.0f%%' % (100 * copy / min(found)) if found else '-')
    return ' / '.join(cells)


def over(times, copy, wavelet, levels, variant):
    return ' / '.join('%.2f' % (times[wavelet, levels, variant, d] / copy) for d in DIRECTIONS)


def names(times, part):
    return list(dict.fromkeys(key[part] for key in times))


def print_variants(path):
    times, copy = read(path)
    variants = names(times, 2)
    print('| time over a copy | %s |' % ' | '.join('`%s`' % v for v in variants))
    print('|---|' + '---|' * len(variants))
    for wavelet, levels in dict.fromkeys(key[:2] for key in times):
        print('| %s, %d level%s | %s |' % (
            wavelet, levels, 's' if levels > 1 else '',
            ' | '.join(over(times, copy, wavelet, levels, v) for v in variants)))


def print_wavelets(path, before):
    times, copy = read(path)
    old, old_copy = read(before) if before else ({}, 1)
    print('| wavelet | made | time |%s' % (' before | by |' if before else ''))
    print('|---|---|---|%s' % ('---|---|' if before else ''))
    for wavelet in names(times, 0):
        print('| %s | %s | %s \u00b5s |%s' % (
            wavelet, shares(times, copy, wavelet, 1, ('made',)),
            ' / '.join('%.0f' % (times[wavelet, 1, 'made', d] / 1e3) for d in DIRECTIONS),
            ' %s | %s |' % (shares(old, old_copy, wavelet, 1, names(old, 2)),
                            ', '.join('`%s`' % key[2] for key in old
                                      if key[0] == wavelet and key[3] == 'forward'))
            if before else ''))
    print('\nA copy takes %.1f \u00b5s.' % (copy / 1e3))


def print_schemes(paths):
    columns = [(wavelet, *read(path)) for path in paths for wavelet in names(read(path)[0], 0)]
    print('| scheme | %s |' % ' | '.join(wavelet for wavelet, _, _ in columns))
    print('|---|' + '---|' * len(columns))
    for variant in names(columns[0][1], 2):
        print('| %s | %s |' % (variant.replace('block-', ''), ' | '.join(
            shares(times, copy, wavelet, 1, (variant,)) for wavelet, times, copy in columns)))


def main():
    if len(sys.argv) == 3 and sys.argv[1] == '--variants':
        print_variants(sys.argv[2])
    elif len(sys.argv) > 2 and sys.argv[1] == '--schemes':
        print_schemes(sys.argv[2:])
    elif len(sys.argv) in (2, 3) and not sys.argv[1].startswith('-'):
        print_wavelets(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None)
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main()
