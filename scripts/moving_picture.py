#!/usr/bin/env python3
"""Makes the animation docs/passes.png: a transform pass by pass in the viewer.

   moving_picture.py [OUT.png]

The viewer plays events and writes a screenshot after each pass. The script joins the screenshots
into an animated PNG (https://wiki.mozilla.org/APNG_Specification). It needs no packages.
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WAVEPASS = os.environ.get('WAVEPASS', os.path.join(ROOT, 'build/release/wavepass'))
VIEW = ('view', 'pattern:edges:256x256', '-w', 'cdf53', '-s', 'sep-lifting', '-b', 'fragment',
        '--variant', 'passes', '-l', '2', '--window', '1120x540')
SETTINGS = ('set mode pass', 'set quads both', 'set inspector 4', 'key F7')
STEPS = 5  # the image, and the results of four passes
FRAME, LAST = 900, 2500  # milliseconds
SIGNATURE = b'\x89PNG\r\n\x1a\n'


def chunks(png):
    at = len(SIGNATURE)
    while at < len(png):
        length, kind = struct.unpack('>I4s', png[at:at + 8])
        yield kind, png[at + 8:at + 8 + length]
        at += length + 12


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def take_pictures(directory):
    names = ['%02d.png' % i for i in range(STEPS + 1)]
    events = list(SETTINGS)
    for name in names[:-1]:
        events += ['wait 2', 'shot ' + name, 'key .']
    events += ['set mode mosaic', 'wait 2', 'shot ' + names[-1]]
    with open(os.path.join(directory, 'events.txt'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(events) + '\n')
    subprocess.run([WAVEPASS, *VIEW, '--events', 'events.txt', '--screenshot', 'end.png', '-q'],
                   check=True, cwd=directory)
    for name in names:
        with open(os.path.join(directory, name), 'rb') as file:
            yield file.read()


def animate(pictures):
    heads = [dict(chunks(p))[b'IHDR'] for p in pictures]
    if any(h != heads[0] for h in heads):
        sys.exit('the frames differ in size')
    width, height = struct.unpack('>II', heads[0][:8])
    out = [SIGNATURE, chunk(b'IHDR', heads[0]), chunk(b'acTL', struct.pack('>II', len(pictures), 0))]
    number = 0
    for i, picture in enumerate(pictures):
        delay = LAST if i + 1 == len(pictures) else FRAME
        out.append(chunk(b'fcTL', struct.pack('>IIIIIHHBB', number, width, height, 0, 0, delay, 1000,
                                              0, 0)))
        number += 1
        data = b''.join(d for kind, d in chunks(picture) if kind == b'IDAT')
        if i == 0:
            out.append(chunk(b'IDAT', data))
        else:
            out.append(chunk(b'fdAT', struct.pack('>I', number) + data))
            number += 1
    return b''.join(out) + chunk(b'IEND', b'')


def main():
    output = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'docs/passes.png')
    with tempfile.TemporaryDirectory() as directory:
        moving = animate(list(take_pictures(directory)))
    with open(output, 'wb') as file:
        file.write(moving)


if __name__ == '__main__':
    main()
