#!/usr/bin/env python3
"""Writes a large image row by row, for measurements of memory and speed.

    scripts/large_image.py WIDTHxHEIGHT FILE.npy|FILE.tif

The samples are the sum of a smooth pattern and reproducible noise. A .npy has gray float32 samples,
a .tif (BigTIFF from 4 GB on; requires python3-tifffile) has RGB of 8 bits in strips of 16 rows.
"""
import sys

import numpy

STRIP = 16


def rows(width, height):
    """Rows of float32 samples from 0 to 1."""
    noise = numpy.random.default_rng(1).random((64, width), dtype=numpy.float32)
    x = numpy.arange(width, dtype=numpy.float32)
    for y in range(height):
        row = 0.5 + 0.4 * numpy.sin((x * (1 + y % 977)) * numpy.float32(1e-4))
        yield (row + 0.1 * noise[y * 7 % 64]).astype('<f4')


def strips(width, height):
    """Strips of RGB samples: the pattern, its mirror image and its negative."""
    block = []
    for y, row in enumerate(rows(width, height)):
        gray = (row * 255).astype(numpy.uint8)
        block.append(numpy.stack((gray, gray[::-1], 255 - gray), axis=1))
        if len(block) == STRIP or y + 1 == height:
            yield numpy.stack(block)
            block = []


def main():
    width, height = map(int, sys.argv[1].split('x'))
    path = sys.argv[2]
    if path.endswith('.npy'):
        with open(path, 'wb') as file:
            numpy.lib.format.write_array_header_1_0(
                file, {'descr': '<f4', 'fortran_order': False, 'shape': (height, width)})
            for row in rows(width, height):
                file.write(row.tobytes())
        return
    import tifffile
    tifffile.imwrite(path, strips(width, height), shape=(height, width, 3), dtype=numpy.uint8,
                     photometric='rgb', rowsperstrip=STRIP, bigtiff=width * height * 3 >= 1 << 32,
                     metadata=None)


main()
