#!/usr/bin/env python3
"""Transforms an array larger than the memory of the workers, on a local Dask cluster.

   dask_large.py [--size N] [--chunk N] [--levels N] [--memory BYTES] [--workers N] [--program FILE]
                 [--folder FOLDER]

The array is a file of NumPy that is mapped into memory; the bands are written to files next to it.
With --program, the coefficients are compared bit for bit with those that `wavepass forward` writes.
Prints the seconds and the largest memory of a worker.
"""
import argparse
import os
import subprocess
import tempfile
import time

import dask
import dask.array as da
import distributed
import numpy

from wavepass.dask import wavedecn


class Target:
    """A file of NumPy that tasks write to."""

    def __init__(self, path, shape):
        self.path = path
        numpy.lib.format.open_memmap(path, 'w+', 'float32', shape)

    def __setitem__(self, index, value):
        numpy.lib.format.open_memmap(self.path, 'r+')[index] = value


def write_image(path, size):
    """A smooth image with noise."""
    image = numpy.lib.format.open_memmap(path, 'w+', 'float32', (size, size))
    rng = numpy.random.default_rng(0)
    wave = numpy.sin(numpy.arange(size, dtype='float32') / 50)
    for y in range(0, size, 500):
        rows = image[y:y + 500]
        rows[...] = wave[y:y + 500, None] * wave + rng.random(rows.shape, dtype='float32') / 8


def read_rows(path, rows):
    """Rows of a file, without keeping it mapped, since mapped pages count as a worker's memory."""
    return numpy.array(numpy.load(path, mmap_mode='r')[rows])


def image_of(path, size, chunk):
    """The file as a Dask array whose tasks open it."""
    def load(block_info=None):
        (y, y_end), (x, x_end) = block_info[None]['array-location']
        return numpy.array(numpy.load(path, mmap_mode='r')[y:y_end, x:x_end])

    chunks = da.core.normalize_chunks((chunk, chunk), (size, size), dtype='float32')
    return da.map_blocks(load, chunks=chunks, dtype='float32', meta=numpy.empty((0, 0), 'float32'))


def peak(dask_worker=None):
    """The largest memory of this process, with mapped pages. getrusage() also counts that of the
    process from which this one was forked."""
    with open('/proc/self/status', encoding='ascii') as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith('VmHWM:'))


def compare(folder, names, bands, program, image, size):
    """Compares with the array of coefficients that the program writes."""
    whole = os.path.join(folder, 'whole.npy')
    levels = int(names[1][2:])
    subprocess.run([program, 'forward', image, '-w', 'cdf97', '-l', str(levels), '-o', whole],
                   check=True)
    expected = numpy.load(whole, mmap_mode='r')
    for name, band in zip(names, bands):
        half = -(-size // 2 ** int(name[2:])) if name != 'low' else 0
        y, x = (half if letter == 'd' else 0 for letter in name[:2])
        path = os.path.join(folder, name + '.npy')
        for row in range(0, band.shape[0], 500):
            rows = slice(row, min(row + 500, band.shape[0]))
            part = expected[y + rows.start:y + rows.stop, x:x + band.shape[1]]
            if not numpy.array_equal(read_rows(path, rows), part):
                raise SystemExit('band %s differs in rows %d to %d' % (name, rows.start, rows.stop))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--size', type=int, default=40000)
    parser.add_argument('--chunk', type=int, default=4096)
    parser.add_argument('--levels', type=int, default=3)
    parser.add_argument('--memory', default='4GB')
    parser.add_argument('--workers', type=int, default=2)
    parser.add_argument('--program')
    parser.add_argument('--folder')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path = os.path.join(folder, 'image.npy')
        write_image(path, args.size)
        with distributed.LocalCluster(n_workers=args.workers, threads_per_worker=1,
                                      memory_limit=args.memory, dashboard_address=None) as cluster, \
                distributed.Client(cluster) as client:
            start = time.perf_counter()
            low, *details = wavedecn(image_of(path, args.size, args.chunk), 'cdf97', args.levels)
            names, bands = ['low'], [low]
            for level, group in zip(range(args.levels, 0, -1), details):
                for name, band in group.items():
                    names.append('%s%d' % (name, level))
                    bands.append(band)
            targets = [Target(os.path.join(folder, name + '.npy'), band.shape)
                       for name, band in zip(names, bands)]
            dask.compute(da.store(bands, targets, lock=False, compute=False))
            seconds = time.perf_counter() - start
            most = max(client.run(peak).values())
        print('%d x %d, %d levels, chunks of %d, %d workers: %.1f s, %.2f GB in the larger worker' % (
            args.size, args.size, args.levels, args.chunk, args.workers, seconds, most / 1e9))
        if args.program:
            compare(folder, names, bands, args.program, path, args.size)
            print('all bits are those of wavepass forward')


if __name__ == '__main__':
    main()
