#!/usr/bin/env python3
"""Prints times of levels of volumes over that of a copy with the same API in the same run.

  scripts/volume_speeds.py FILE.json...

Reads results of `bench` and prints the rows of the table of docs/lab/volumes.md in Markdown:
forward / inverse, medians over the median of the ceiling `copy`, or in ms if a run has no such
ceiling.
"""
import sys

import bench_results

WAVELETS = ('haar', 'cdf53', 'cdf97', 'dd137')


def size_of(row):
    return row['width'], row['height'], row['depth']


def place_of(row):
    """The configuration of a line of the table."""
    return row['backend'], row['variant'], size_of(row), row['levels'], row['layout']


def name_of(place):
    backend, variant, (width, height, depth), levels, layout = place
    cube = width == height == depth
    return '`%s`%s, %s%s%s' % (
        backend, ', `%s`' % variant if variant and backend == 'cuda' else '',
        '%d^3' % width if cube else '%dx%dx%d' % (width, height, depth),
        ', %d levels' % levels if levels > 1 else '',
        ', mixed' if layout == 'mixed' else '')


def cell(times, copy):
    both = [times.get(direction) for direction in ('forward', 'inverse')]
    form = (lambda t: '%.2f' % (t / copy)) if copy else (lambda t: '%.2f ms' % (t / 1e6))
    return ' / '.join(form(t) for t in both if t)


def print_table(rows):
    copies = {(row['backend'], size_of(row)): row['median_ns'] for row in rows
              if row['kind'] == 'ceiling' and row['work'] == 'copy'}
    lines = {}
    for row in rows:
        if row['kind'] == 'transform' and not row['includes']:
            line = lines.setdefault(place_of(row), {})
            line.setdefault(row['wavelet'], {})[row['direction']] = row['median_ns']
    for place, line in lines.items():
        copy = copies.get((place[0], place[2]))
        print('| %s | %s |' % (name_of(place),
                               ' | '.join(cell(line.get(w, {}), copy) for w in WAVELETS)))


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ('-h', '--help'):
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        print_table(bench_results.read(path)['rows'])


if __name__ == '__main__':
    main()
