#!/usr/bin/env python3
"""Writes the tables of docs/lab/reconstruction.md from docs/results.

  scripts/reconstruction_tables.py [--check]

The tables, between lines <!-- table NAME --> and <!-- end -->, have the figures of csmri.json
(written by csmri_table.py --json), of h200-reconstruct/*.json (by `bench --reconstruct`) and of
h200-reconstruct/coils (by `reconstruct --json`). --check writes nothing, and fails if the page has
other figures.
"""
import glob
import json
import os

import bench_results
import page_tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, 'docs/results')
BACKENDS = ('cpu', 'cuda', 'compute')
WAYS = ('zero-filled', 'TV', 'Haar', '9/7', 'TV + 0.1 Haar', 'TV + Haar', 'TV + 0.3 9/7')
SPUN = ('Haar, spun', 'TV + Haar, spun', 'TV + 0.3 9/7, spun')
NAMES = {'plane': 'slice', 'volume': 'volume'}
# quan2014, Table 2: zero-filled, TV, TV + wavelet, as printed.
PAPER = (('kiwi x4', 18.7245, 27.8483, 28.3488), ('kiwi x8', 17.2263, 25.6509, 26.1510),
         ('tangerine x4', 22.0418, 35.6646, 43.6321), ('tangerine x8', 20.6875, 33.3996, 36.2106))
SPEED_WORKS = (('tv', None), ('tv+0.1wav', 'haar'), ('tv+wav:spin', 'haar'),
               ('tv+0.3wav', 'cdf97'), ('tv+0.3wav:exact', 'cdf97'))
DEVICES = ('cuda', 'compute')
IMAGES, COILS = ', images of 100 iterations a second', ', eight coils'
WORK_NAMES = ('TV', 'TV + 0.1 Haar', 'TV + Haar, spun', 'TV + 0.3 9/7 as an image',
              'TV + 0.3 9/7, exact')


def read(name):
    with open(os.path.join(RESULTS, name), encoding='utf-8') as file:
        return json.load(file)


def row(*cells):
    return '| %s |' % ' | '.join(cells)


def table(header, rows):
    return [row(*header), '|---' * len(header) + '|', *(row(*cells) for cells in rows)]


def bench_rows():
    paths = sorted(glob.glob(os.path.join(RESULTS, 'h200-reconstruct', '*.json')))
    return [r for path in paths for r in bench_results.read(path)['rows']]


def case_of(figure):
    return figure['phantom'], figure['rate'], figure['noise'], figure['loops']


def case_name(phantom, rate, noise, loops):
    return '%s x%d%s, %s' % (NAMES[phantom], rate, ', noise %g' % noise if noise else '',
                             loops.replace('x', ' x '))


def figures_of(file, ways):
    """{case: {regularization: PSNR of the first backend}}."""
    cases = {}
    for figure in file['figures']:
        if figure['way'] in ways:
            value = figure.get('cpu', figure.get('numpy'))
            cases.setdefault(case_of(figure), {})[figure['way']] = '%.2f' % value
    return {case: cells for case, cells in cases.items() if set(cells) != {'zero-filled'}}


def figures():
    cases = figures_of(read('csmri.json'), WAYS)
    return table(('', *WAYS), [(case_name(*case), *(cells.get(way, '') for way in WAYS))
                               for case, cells in cases.items()])


def spun():
    cases = figures_of(read('csmri.json'), SPUN)
    return table(('spun', *(way.replace(', spun', '') for way in SPUN)),
                 [(case_name(*case), *(cells.get(way, '') for way in SPUN))
                  for case, cells in cases.items()])


def farthest(rows, backend):
    offs = [r[backend] - r['reference'] for r in rows]
    return '%+.2f … %+.2f (%d)' % (min(offs), max(offs), len(offs)) if offs else ''


def backends():
    rows = []
    for backend in BACKENDS:
        own = [r for r in read('csmri.json')['figures'] if backend in r]
        if not own:
            continue
        still = [r for r in own if 'spun' not in r['way']]
        apart = [r[backend + '_apart'] for r in own if backend + '_apart' in r]
        rows.append(('`%s`' % backend, farthest([r for r in still if not r['noise']], backend),
                     farthest([r for r in still if r['noise']], backend),
                     farthest([r for r in own if 'spun' in r['way']], backend),
                     '%.5f' % max(apart) if apart else ''))
    return table(('difference to the reference in dB (number of figures)', 'without noise', 'noise 0.01', 'spun',
                  'largest difference to an iteration of `cpu`'), rows)


def bart():
    rows = []
    for r in read('csmri.json')['bart']:
        rows.append(('%s x%d%s' % (NAMES[r['phantom']], r['rate'],
                                   ', noise %g' % r['noise'] if r['noise'] else ''),
                     '%.2f' % r['TV'], '%.2f' % r['Haar, spun'], '%.2f' % r['ours']))
    return table(('best of BART\'s weights', 'BART, TV', 'BART, Haar spun', 'ours, 16 x 32'), rows)


def psnr_of(rows, size, rate, work):
    found = [r['psnr'] for r in rows if r['work'] == work and r['rate'] == rate and
             (r['width'], r['height'], r['depth']) == size and r['image'] == 'head']
    return found[0] if found else None


def table2():
    rows = [(name + ' (quan2014)', '%.2f' % zeros, '%.2f' % tv, '%.2f' % both, '%.2f' % (both - tv))
            for name, zeros, tv, both in PAPER]
    bench = bench_rows()
    for what, size in (('slice', (192, 224, 1)), ('volume', (128, 128, 128))):
        for work, way in (('tv+0.1wav', 'Haar, weight 0.1'), ('tv+wav:spin', 'Haar spun, weight 1'),
                          ('tv+0.3wav:exact', '9/7, weight 0.3')):
            for rate in (4, 8):
                values = [psnr_of(bench, size, rate, w) for w in ('zero-filled', 'tv', work)]
                if None not in values:
                    rows.append(('head, %s x%d; %s' % (what, rate, way),
                                 *('%.2f' % v for v in values), '%.2f' % (values[2] - values[1])))
    return table(('', 'zero-filled', 'TV', 'TV + wavelet', 'gain'), rows)


def size_name(size):
    return '%d^3' % size[0] if size[0] == size[2] else '%dx%d' % size[:2]


def speed_of(r):
    """The position of a row of the benchmark in the table, and its figure."""
    size = size_name((r['width'], r['height'], r['depth']))
    place = r['backend'], (r['work'], r['wavelet'])
    if r['iterations'] == 512:
        return (size, *place), '%.0f' % (1e9 / r['median_ns'])
    return (size + IMAGES, *place), '%.0f' % (1e9 / r['median_ns'] / r['iterations'])


def coil_speed(backend):
    told = read('h200-reconstruct/coils/%s.json' % backend)
    size = size_name((told['width'], told['height'], told['depth']))
    return ((size + COILS, backend, SPEED_WORKS[1]),
            '%.0f' % (told['iterations'] / told['seconds']))


def speed():
    cells = dict(speed_of(r) for r in bench_rows() if r['backend'] in DEVICES and
                 r['image'] != 'head')
    cells.update(coil_speed(backend) for backend in DEVICES)
    return table(('iterations a second', '', *WORK_NAMES),
                 [(what, '`%s`' % backend,
                   *(cells.get((what, backend, work), '') for work in SPEED_WORKS))
                  for what in ('256x256', '256x256' + IMAGES, '128^3', '128^3' + COILS, '256^3')
                  for backend in DEVICES])


def milliseconds(seconds):
    return '%.0f ms' % (seconds * 1e3)


def one_thread():
    return table(('', 'numpy', '`cpu`', 'ratio', 'over the bound'),
                 [(r['way'], milliseconds(r['numpy_seconds']), milliseconds(r['seconds']),
                   '%.1f' % (r['numpy_seconds'] / r['seconds']), '%.2f' % r['over_bound'])
                  for r in read('csmri.json')['speed']])


BLOCKS = {'figures': figures, 'spun': spun, 'backends': backends, 'bart': bart, 'table2': table2,
          'one_thread': one_thread, 'speed': speed}


if __name__ == '__main__':
    page_tables.fill('docs/lab/reconstruction.md', BLOCKS, __doc__, '\n')
