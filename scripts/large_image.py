#!/usr/bin/env python3
"""Writes a large image as NPY, row after row, for measurements of memory and speed.

    scripts/large_image.py WIDTHxHEIGHT FILE.npy

Samples are a smooth pattern and noise, as float32; the same every time.
"""
import sys

import numpy


def main():
    width, height = map(int, sys.argv[1].split('x'))
    noise = numpy.random.default_rng(1).random((64, width), dtype=numpy.float32)
    x = numpy.arange(width, dtype=numpy.float32)
    with open(sys.argv[2], 'wb') as file:
        numpy.lib.format.write_array_header_1_0(
            file, {'descr': '<f4', 'fortran_order': False, 'shape': (height, width)})
        for y in range(height):
            row = 0.5 + 0.4 * numpy.sin((x * (1 + y % 977)) * numpy.float32(1e-4))
            file.write((row + 0.1 * noise[y * 7 % 64]).astype('<f4').tobytes())


main()
