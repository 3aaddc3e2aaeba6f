#!/usr/bin/env python3
"""Times many images in one call, and in a shell loop with one call per image.

    scripts/many_speeds.py [--wavepass FILE] [--count N] [--size N] [--runs N] [--backend NAME]

Runs both alternately, --runs times (default 5), for 200 PNG files of 512x512 with one backend
(default: cpu), forward and inverse. Prints the median, the minimum and the maximum of the ratios of
the pairs. The exit code is 1 if files differ, or if the median for forward is below 5; inverse
spends most of its time on the compression of PNG, which is the same in both.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'cli'))
import formats  # noqa: E402  pylint: disable=wrong-import-position

LEAST = 5
LOOP = ('for f in "$1"/*%s; do n=${f##*/}; '
        '"$0" %s "$f" -o "$2/${n%%%s}%s" -b %s -q -f || exit; done')


def seconds(*command):
    start = time.monotonic()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def same(one, other):
    names = sorted(os.listdir(one))
    if names != sorted(os.listdir(other)):
        return False
    for name in names:
        with open(os.path.join(one, name), 'rb') as a, open(os.path.join(other, name), 'rb') as b:
            if a.read() != b.read():
                return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--size', type=int, default=512)
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--backend', default='cpu')
    options = parser.parse_args()
    program, samples = os.path.abspath(options.wavepass), options.size * options.size
    noise = bytes(int(v) for v in formats.noise(samples, 255))
    slow = False
    with tempfile.TemporaryDirectory() as directory:
        folders = [os.path.join(directory, name) for name in ('in', 'c1', 'c2', 'i1', 'i2')]
        for folder in folders:
            os.mkdir(folder)
        for i in range(options.count):
            at = i * 977 % samples
            with open(os.path.join(folders[0], 'i%04d.png' % i), 'wb') as file:
                file.write(formats.png(options.size, options.size, noise[at:] + noise[:at]))
        print('%d images of %dx%d, %s, %d pairs of runs' % (
            options.count, options.size, options.size, options.backend, options.runs))
        for command, source, loop, many, old, new in (
                ('forward', folders[0], folders[1], folders[2], '.png', '.npy'),
                ('inverse', folders[1], folders[3], folders[4], '.npy', '.png')):
            pairs = []
            for _ in range(options.runs):
                inputs = sorted(os.path.join(source, name) for name in os.listdir(source)
                                if name.endswith(old))
                one = seconds('sh', '-c', LOOP % (old, command, old, new, options.backend), program,
                              source, loop)
                pairs.append((one, seconds(program, command, *inputs, '-o', many, '-b',
                                           options.backend, '-f')))
            if not same(loop, many):
                sys.exit('%s: the files differ' % command)
            ratios = sorted(a / b for a, b in pairs)
            median = statistics.median(ratios)
            slow = slow or (command == 'forward' and median < LEAST)
            print('%s: loop %.2f s, one call %.2f s; ratio %.2f (%.2f to %.2f)' % (
                command, statistics.median(a for a, _ in pairs),
                statistics.median(b for _, b in pairs), median, ratios[0], ratios[-1]))
    return slow


if __name__ == '__main__':
    sys.exit(main())
