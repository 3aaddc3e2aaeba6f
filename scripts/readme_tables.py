#!/usr/bin/env python3
"""The README's tables of speed, from the results that are kept in docs/results.

  scripts/readme_tables.py [--check]

Between lines <!-- table NAME --> and <!-- end --> it puts what each backend reaches of a copy by
its own means, and what scripts/peers.py measured (docs/results/peers.json). --check writes nothing,
and fails where the README says something else.
"""
import contextlib
import io
import json
import os

import page_tables
import peers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, 'docs/results')
WAVELETS = (('haar', 'Haar'), ('cdf53', 'CDF 5/3'), ('cdf97', 'CDF 9/7'), ('dd137', 'DD 13/7'))
# Backend, files, what its copy is called in them, and in the table.
SOURCES = (
    ('cuda', ('h200-patches/8192x8192.json',), 'kernel-copy', 'a kernel that copies'),
    ('compute', ('h200-tiles/walks.json',), 'copy', 'a compute shader that copies'),
    ('fragment', ('h200-tiles/four.json',), 'copy', 'a pass that copies'),
    ('cpu', ('cpu-two-cores.json',), 'memcpy', 'memcpy'),
)


def read(name):
    with open(os.path.join(RESULTS, name), encoding='utf-8') as file:
        return json.load(file)


def share(results, backend, copy, wavelet, direction):
    """The copy's time over that of the fastest variant, in percent; None where there is none."""
    rows = [row for row in results['rows'] if row['backend'] == backend]
    times = [row['median_ns'] for row in rows
             if (row['kind'], row['wavelet'], row['direction'], row['levels']) ==
             ('transform', wavelet, direction, 1)]
    copies = [row['median_ns'] for row in rows if (row['kind'], row['work']) == ('ceiling', copy)]
    return 100 * copies[0] / min(times) if times and copies else None


def copies():
    lines = ['| backend | beside | %s |' % ' | '.join(title for _, title in WAVELETS),
             '|---|---' + '|---' * len(WAVELETS) + '|']
    for backend, files, copy, words in SOURCES:
        results = [read(name) for name in files]
        device = next(one['device'] for one in results[0]['environment']['backends']
                      if one['name'] == backend)
        device = device.removeprefix('CPU, ').split(',')[0].split('/')[0]
        size = next(row['width'] for row in results[0]['rows'] if row['kind'] == 'transform')
        cells = []
        for wavelet, _ in WAVELETS:
            found = [share(one, backend, copy, wavelet, direction)
                     for direction in ('forward', 'inverse') for one in results]
            found = ['%.0f' % each for each in found if each is not None]
            cells.append(' / '.join(found) or '–')
        lines.append('| `%s`, %s | %s, %d² | %s |' % (backend, device, words, size,
                                                     ' | '.join(cells)))
    return lines


def peers_table():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        peers.print_table(read('peers.json'))
    return text.getvalue().splitlines()


BLOCKS = {'copies': copies, 'peers': peers_table}


if __name__ == '__main__':
    page_tables.fill('README.md', BLOCKS, __doc__)
