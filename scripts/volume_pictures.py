#!/usr/bin/env python3
"""Draws pictures of volumes from NPY files of wavepass. It needs no packages.

    volume_pictures.py slices V.npy OUT.png            three slices through the middle
    volume_pictures.py cube C.npy OUT.png              subbands on three faces of the cube
    volume_pictures.py bands C.npy OUT.png             subbands of a slice for each band along z
    volume_pictures.py frames A.npy B.npy OUT.png      the middle slice of two, and their difference

For coefficients, the script also reads C.npy.json; the layout must be mallat."""
import array
import json
import math
import struct
import sys
import zlib

GAP = 6


class Volume:
    def __init__(self, path):
        with open(path, 'rb') as file:
            head = file.read(10)
            text = file.read(struct.unpack('<H', head[8:])[0]).decode()
            self.data = array.array('f')
            self.data.frombytes(file.read())
        sides = [int(n) for n in text.split("'shape': (")[1].split(')')[0].split(',') if n.strip()]
        self.depth, self.height, self.width = sides if len(sides) == 3 else [1] + sides
        self.size = (self.width, self.height, self.depth)

    def at(self, x, y, z):
        return self.data[(z * self.height + y) * self.width + x]

    def plane(self, axis, index):
        """The rows of a slice; the later axis points down."""
        w, h, d = self.size
        if axis == 2:
            return [self.data[(index * h + y) * w:(index * h + y + 1) * w] for y in range(h)]
        if axis == 1:
            return [self.data[(z * h + index) * w:(z * h + index + 1) * w] for z in range(d)]
        return [self.data[z * h * w + index:(z + 1) * h * w:w] for z in range(d)]


class Bands:
    """The subband of each coefficient of the Mallat layout."""

    def __init__(self, path, size):
        with open(path + '.json', encoding='utf-8') as file:
            told = json.load(file)
        if told['layout'] != 'mallat':
            sys.exit('%s has layout %s, not mallat' % (path, told['layout']))
        self.levels = (told['levels'], told['levels'], told.get('levels_z', 0))
        self.temporal = told.get('decomposition') == 'spatial-temporal'
        self.group = told.get('gop', size[2])
        lengths = (size[0], size[1], min(self.group, size[2]))
        # The level at which each position is high-pass; 99 if it is low-pass at all levels.
        self.level = [self.places(n, levels) for n, levels in zip(lengths, self.levels)]

    @staticmethod
    def places(n, levels):
        found = [99] * n
        for level in range(1, levels + 1):
            low = (n + 1) // 2
            found[low:n] = [level] * (n - low)
            n = low
        return found

    def name(self, place):
        at = [self.level[a][i % self.group if a == 2 else i] for a, i in enumerate(place)]
        first = min(at[:2]) if self.temporal else min(at)
        high = tuple(level == first for level in at)
        return (first, high[:2], at[2]) if self.temporal else (first, high)

    def low_middle(self, axis):
        return self.level[axis].count(99) // 2


def byte(value):
    return max(0, min(255, int(value + 0.5))) if value == value else 0


def grey(rows, low, high):
    scale = 255 / (high - low or 1)
    return [bytearray(byte((v - low) * scale) for v in row) for row in rows]


def signed(rows, names):
    """Scales each subband separately: low-pass subbands from their minimum to their maximum, the
    others around mid-gray."""
    found = {}
    for row, named in zip(rows, names):
        for value, name in zip(row, named):
            found.setdefault(name, []).append(value)
    scales = {}
    for name, values in found.items():
        low = name[0] == 99 and (len(name) < 3 or name[2] == 99)
        size = sorted(abs(v) for v in values)[int(0.995 * (len(values) - 1))] or 1
        scales[name] = (0, 128, 127 / size)
        if low:
            least, most = min(values), max(values)
            scales[name] = (least, 0, 255 / (most - least)) if most > least else (least, 128, 0)
    out = []
    for row, named in zip(rows, names):
        line = ((v, *scales[n]) for v, n in zip(row, named))
        out.append(bytearray(byte(start + (v - zero) * scale) for v, zero, start, scale in line))
    return out


def beside(pictures):
    height = max(len(p) for p in pictures)
    rows = []
    for y in range(height):
        row = bytearray()
        for p in pictures:
            row += (p[y] if y < len(p) else bytes([255]) * len(p[0])) + bytes([255]) * GAP
        rows.append(row[:-GAP])
    return rows


def save(path, rows):
    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data +
                struct.pack('>I', zlib.crc32(kind + data)))
    raw = b''.join(b'\0' + bytes(row) for row in rows)
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' +
                   chunk(b'IHDR', struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 0, 0, 0, 0)) +
                   chunk(b'IDAT', zlib.compress(raw, 9)) + chunk(b'IEND', b''))


def slices(path, out):
    """In slices with a z axis, z points up, as in a head."""
    volume = Volume(path)
    low, high = min(volume.data), max(volume.data)
    planes = [volume.plane(axis, volume.size[axis] // 2) for axis in (2, 1, 0)]
    save(out, beside([grey(planes[0], low, high)] +
                     [grey(rows[::-1], low, high) for rows in planes[1:]]))


def face(volume, bands, axis):
    index = bands.low_middle(axis)
    places = [[tuple(p) for p in line] for line in places_of(volume.size, axis, index)]
    return signed(volume.plane(axis, index), [[bands.name(p) for p in line] for line in places])


def places_of(size, axis, index):
    others = [a for a in range(3) if a != axis]
    for v in range(size[others[1]]):
        line = []
        for u in range(size[others[0]]):
            place = [0, 0, 0]
            place[axis], place[others[0]], place[others[1]] = index, u, v
            line.append(place)
        yield line


def cube(path, out):
    """The corner of the low-pass subband is in front: x points left, y back, z down."""
    volume = Volume(path)
    bands = Bands(path, volume.size)
    top, front, side = (face(volume, bands, axis) for axis in (2, 1, 0))
    w, h, d = volume.size
    slant = 0.5
    deep = int(h * slant)
    canvas = [bytearray([255]) * (w + deep) for _ in range(d + deep)]
    for v in range(d):
        for u in range(w):
            canvas[deep + v][w - 1 - u] = front[v][u]
    for v in range(deep):
        y = min(h - 1, int(v / slant))
        for u in range(w):
            canvas[deep - 1 - v][w - 1 - u + v] = byte(top[y][u] * 0.9 + 20)
        for z in range(d):
            canvas[deep - 1 - v + z][w + v] = byte(side[z][y] * 0.75)
    save(out, canvas)


def bands_of(path, out):
    volume = Volume(path)
    bands = Bands(path, volume.size)
    pictures = []
    along_z = bands.level[2]
    for level in [99] + list(range(bands.levels[2], 0, -1)):
        at = [z for z in range(len(along_z)) if along_z[z] == level]
        if not at:
            continue
        index = at[len(at) // 2]
        names = [[bands.name(p) for p in line] for line in places_of(volume.size, 2, index)]
        pictures.append(signed(volume.plane(2, index), names))
    save(out, beside(pictures))


def frames(first, second, out):
    a, b = Volume(first), Volume(second)
    index = a.depth // 2
    one, other = a.plane(2, index), b.plane(2, index)
    low, high = min(a.data), max(a.data)
    wrong = [[p - q for p, q in zip(x, y)] for x, y in zip(one, other)]
    error = sum((p - q) ** 2 for p, q in zip(a.data, b.data)) / len(a.data)
    peak = high - low
    print('%s: PSNR %.2f dB' % (second, 10 * math.log10(peak * peak / error)))
    save(out, beside([grey(one, low, high), grey(other, low, high),
                      grey(wrong, -0.1 * peak, 0.1 * peak)]))


COMMANDS = {'slices': (slices, 2), 'cube': (cube, 2), 'bands': (bands_of, 2),
            'frames': (frames, 3)}

if __name__ == '__main__':
    chosen, count = COMMANDS.get(sys.argv[1] if len(sys.argv) > 1 else '', (None, 0))
    if not chosen or len(sys.argv) != 2 + count:
        sys.exit(__doc__)
    chosen(*sys.argv[2:])
