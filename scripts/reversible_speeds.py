#!/usr/bin/env python3
"""Prints the speed of transforms of integers relative to floats and to a copy of the same run.

  scripts/reversible_speeds.py FILE.json...

Reads results of `bench --reversible no,yes` and prints the tables of docs/lab/reversible.md in
Markdown: the speed relative to a copy (the ceiling `copy` or `memcpy`) and to floats, forward /
inverse, from medians.
"""
import sys

import bench_results

DIRECTIONS = ('forward', 'inverse')


def print_table(path):
    rows = bench_results.read(path)['rows']
    copies = {(r['width'], r['height']): r['median_ns'] for r in rows
              if r['kind'] == 'ceiling' and r['work'] in ('copy', 'memcpy')}
    lines = {}
    for row in rows:
        if row['kind'] == 'transform':
            key = row['wavelet'], row['width'], row['height'], row['levels']
            form = 'integers' if row['form'] == 'reversible' else 'floats'
            lines.setdefault(key, {})[form, row['direction']] = row['median_ns']
    backend = next(r for r in rows if r['kind'] == 'transform')
    print('\n| `%s`%s | integers, of a copy | floats, of a copy | speed over floats |' % (
        backend['backend'], ', `%s`' % backend['variant'] if backend['variant'] else ''))
    print('|---|---|---|---|')
    for (wavelet, width, height, levels), time in lines.items():
        if len(time) < 2 * len(DIRECTIONS):
            continue
        copy = copies[width, height]
        share = {form: ' / '.join('%.0f%%' % (100 * copy / time[form, d]) for d in DIRECTIONS)
                 for form in ('integers', 'floats')}
        speed = ' / '.join('%.2f' % (time['floats', d] / time['integers', d]) for d in DIRECTIONS)
        print('| %s, %dx%d%s | %s | %s | %s |' % (
            wavelet, width, height, ', %d levels' % levels if levels > 1 else '',
            share['integers'], share['floats'], speed))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        print_table(path)


if __name__ == '__main__':
    main()
