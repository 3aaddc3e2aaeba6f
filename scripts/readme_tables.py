#!/usr/bin/env python3
"""Writes the tables of speed in README.md, docs/lab/speed.md and docs/benchmarking.md from
docs/results.

  scripts/readme_tables.py [--check]

Writes the time, GB/s and percentage of copy speed of each backend, and the results of
scripts/peers.py (docs/results/peers.json), scripts/batch_peers.py (batch-peers.json) and
python/benchmarks/{peers,copies,devices}.py (h200-python-*.json, python-peers.json), between the lines <!-- table NAME --> and <!-- end -->.
--check writes nothing, and fails if a page has other figures.
"""
import contextlib
import importlib.util
import io
import json
import os
import textwrap

import batch_peers
import bench_results
import page_tables
import peers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, 'docs/results')
WAVELETS = (('haar', 'Haar'), ('cdf53', 'CDF 5/3'), ('cdf97', 'CDF 9/7'), ('dd137', 'DD 13/7'))
# Backend, file, and the name of its copy in the file and in the table.
SOURCES = (
    ('cuda', 'h200-patches/8192x8192.json', 'kernel-copy', 'kernel'),
    ('compute', 'h200-tiles/walks.json', 'copy', 'compute shader'),
    ('fragment', 'h200-tiles/four.json', 'copy', 'render pass'),
    ('cpu', 'cpu-two-cores.json', 'memcpy', 'memcpy'),
)


def read(name):
    with open(os.path.join(RESULTS, name), encoding='utf-8') as file:
        return json.load(file)


class Source:
    """The rows of one backend in one file."""

    def __init__(self, backend, file, copy, copy_name):
        results = bench_results.read(os.path.join(RESULTS, file))
        self.backend, self.copy_name = backend, copy_name
        self.rows = [row for row in results['rows'] if row['backend'] == backend]
        device = next(one['device'] for one in results['environment']['backends']
                      if one['name'] == backend)
        self.device = device.removeprefix('CPU, ').split(',')[0].split('/')[0]
        self.size = next(row['width'] for row in self.rows if row['kind'] == 'transform')
        self.copy = next(row['median_ns'] for row in self.rows
                         if (row['kind'], row['work']) == ('ceiling', copy))

    def fastest(self, wavelet, direction):
        """The time of one level with the fastest variant, in ns; None if there is no row."""
        return min((row['median_ns'] for row in self.rows
                    if (row['kind'], row['wavelet'], row['direction'], row['levels']) ==
                    ('transform', wavelet, direction, 1)), default=None)

    def speed(self, time):
        """A time in ms, and the GB/s of one read and one write of each sample (4 bytes)."""
        return '%#.3g ms, %.0f GB/s' % (time / 1e6, 8 * self.size ** 2 / time)

    def cell(self, wavelet, direction):
        time = self.fastest(wavelet, direction)
        return '–' if time is None else '%s, %.0f %%' % (self.speed(time), 100 * self.copy / time)


def speeds(wavelets, directions):
    lines = ['| backend | copy | %s |' % ' | '.join(name for _, name in wavelets),
             '|---|---' + '|---' * len(wavelets) + '|']
    for source in (Source(*each) for each in SOURCES):
        lines += ['| `%s`, %s, %d²%s | %s: %s | %s |' % (
            source.backend, source.device, source.size,
            ', ' + direction if len(directions) > 1 else '', source.copy_name,
            source.speed(source.copy),
            ' | '.join(source.cell(wavelet, direction) for wavelet, _ in wavelets))
            for direction in directions]
    return lines


def number():
    source = Source(*SOURCES[0])
    time = source.fastest('cdf97', 'forward')
    return ['One level of CDF 9/7 of %dx%d samples takes %#.3g ms on an %s: **%.0f %% of the' % (
        source.size, source.size, time / 1e6, source.device, 100 * source.copy / time),
            'speed of copying the image** in GPU memory.']


def units():
    cuda, fragment = (next(Source(*each) for each in SOURCES if each[0] == backend)
                      for backend in ('cuda', 'fragment'))
    return ['Data-center GPUs have few raster units, which limit every render pass: on this GPU a copy in',
            'a render pass takes %.0f times as long as a copy in a CUDA kernel. So compare percentages' % (
                fragment.copy / cuda.copy), 'only within one API.']


def printed(script, file):
    """The table that a script prints for a file of its results."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        script.print_table(read(file))
    return text.getvalue().splitlines()


def python_ratios():
    """The range of ratios to PyWavelets of images, of small images and of signals, with one thread."""
    groups = {'an image of 4096x4096': [], 'batches of small images': [], 'batches of signals': []}
    for row in read('python-peers.json')['rows']:
        name = list(groups)[2 if row['rank'] == 1 else 0 if len(row['shape']) == 2 else 1]
        groups[name] += [row['pywt'] / row['one'], row['pywt_inverse'] / row['one_inverse']]
    return textwrap.wrap('One thread transforms %s ([the table](docs/python.md#speed)).' % ', '.join(
        '%s **%.0f to %.0f** times as fast as PyWavelets' % (name, min(ratios), max(ratios))
        if not i else '%s %.0f to %.0f times' % (name, min(ratios), max(ratios))
        for i, (name, ratios) in enumerate(groups.items())), 96)


def python_table():
    path = os.path.join(ROOT, 'python/benchmarks/peers.py')
    spec = importlib.util.spec_from_file_location('python_peers', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.lines_of(read('python-peers.json'))


def copies_table():
    data = read('h200-python-copies.json')
    columns = 'forward', 'inverse', 'autograd'
    lines = ['| array | copy, us | forward | inverse | forward and gradient |', '|---|---|---|---|---|']
    for row in data['rows']:
        lines.append('| %s | %.3g | %s |' % (
            row['case'], row['copy_us'], ' | '.join('%.2f' % row['copies'][c] for c in columns)))
    two = read('h200-python-devices.json')
    return lines + ['', '%s, PyTorch %s. With %d devices a batch of %s of NumPy takes %.2f of the time of one.' % (
        data['environment']['device'], data['environment']['torch'], two['devices'],
        'x'.join(map(str, two['shape'])), two['ratio'])]


if __name__ == '__main__':
    page_tables.fill('README.md', {'number': number, 'units': units, 'python': python_ratios,
                                   'peers': lambda: printed(peers, 'peers.json'),
                                   'speed': lambda: speeds(WAVELETS[1:3], ('forward',))}, __doc__)
    page_tables.fill('docs/python.md', {'python': python_table, 'copies': copies_table}, __doc__)
    page_tables.fill('docs/lab/speed.md',
                     {'speed': lambda: speeds(WAVELETS, ('forward', 'inverse'))}, __doc__, '\n')
    page_tables.fill('docs/benchmarking.md',
                     {'batches': lambda: printed(batch_peers, 'batch-peers.json')}, __doc__, '\n')
