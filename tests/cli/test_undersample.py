"""The command undersample, and the report of info on Fourier transforms."""
import cmath
import json
import math
import os
import struct

from formats import noise, npy, read_npy, read_png
from harness import FILE, USAGE, CliTest

WIDTH, HEIGHT = 8, 6


def read_complex(data):
    """Shape and values of a complex64 NPY."""
    length = struct.unpack('<H', data[8:10])[0]
    header = data[10:10 + length].decode()
    assert "'descr': '<c8', 'fortran_order': False" in header, header
    shape = eval(header.split("'shape': ")[1].split('), }')[0] + ')')
    part = struct.unpack('<%df' % (2 * math.prod(shape)), data[10 + length:])
    return shape, [complex(*pair) for pair in zip(part[::2], part[1::2])]


def read_mask(data):
    length = struct.unpack('<H', data[8:10])[0]
    header = data[10:10 + length].decode()
    assert "'descr': '|u1', 'fortran_order': False" in header, header
    shape = eval(header.split("'shape': ")[1].split('), }')[0] + ')')
    assert len(data) == 10 + length + math.prod(shape)
    return shape, list(data[10 + length:])


def transform(values, width, height):
    """The unitary transform by its definition."""
    return [sum(values[y * width + x] * cmath.exp(-2j * math.pi * (u * x / width + v * y / height))
                for y in range(height) for x in range(width)) / math.sqrt(width * height)
            for v in range(height) for u in range(width)]


def places(width, height):
    """The positions of samples with the origin at n/2 in an array with the origin at index 0."""
    return [(y + height // 2) % height * width + (x + width // 2) % width
            for y in range(height) for x in range(width)]


def centred_transform(values, width, height, mask):
    """The unitary transform with both origins at n/2, and zero outside the mask, which is centered
    too."""
    at = places(width, height)
    found = transform([values[i] for i in at], width, height)
    kspace = [0] * len(found)
    for i, value in zip(at, found):
        kspace[i] = value * mask[i]
    return kspace


class UndersampleTest(CliTest):
    def setUp(self):
        super().setUp()
        self.values = [v / 64 - 4 for v in noise(WIDTH * HEIGHT, 512)]
        self.write('i.npy', npy((HEIGHT, WIDTH), self.values))
        self.write('v.npy', npy((5, 6, 7), noise(210, 9)))

    def kspace(self, *options):
        self.succeed('undersample', *options, '-o', 'k.npy', '--mask-output', 'm.npy', '-f')
        return read_complex(self.read('k.npy')), read_mask(self.read('m.npy'))


class Files(UndersampleTest):
    def assert_close(self, given, wanted, tolerance=2e-6):
        self.assertEqual(len(given), len(wanted))
        self.assertLess(max(abs(a - b) for a, b in zip(given, wanted)), tolerance)

    def test_is_the_transform_where_the_mask_says_so(self):
        wanted = transform(self.values, WIDTH, HEIGHT)
        (shape, values), (mask_shape, mask) = self.kspace('i.npy', '--rate', '2', '--seed', '3')
        self.assertEqual((shape, mask_shape), ((HEIGHT, WIDTH), (HEIGHT, WIDTH)))
        self.assertEqual(sum(mask), WIDTH * HEIGHT // 2)
        self.assert_close(values, [k * m for k, m in zip(wanted, mask)], 2e-5)
        (_, values), (_, mask) = self.kspace('i.npy', '--rate', '1')
        self.assertEqual(set(mask), {1})
        self.assert_close(values, wanted, 2e-5)

    def test_centred(self):
        """The convention of BART and fft2c: sums over positions and frequencies relative to n/2."""
        _, (_, mask) = self.kspace('i.npy', '--rate', '2')
        (_, values), (_, middle) = self.kspace('i.npy', '--rate', '2', '--centred')
        moved = places(WIDTH, HEIGHT)
        self.assertEqual([middle[i] for i in moved], mask)
        self.assert_close(values, centred_transform(self.values, WIDTH, HEIGHT, middle), 2e-5)
        self.assertEqual(middle[HEIGHT // 2 * WIDTH + WIDTH // 2], 1)
        # Read back from a copy of the file.
        self.write('mine.npy', self.read('m.npy'))
        (_, again), _ = self.kspace('i.npy', '--from-mask', 'mine.npy', '--centred')
        self.assertEqual(again, values)

    def test_centred_odd_sides_and_coils(self):
        image = [v / 64 for v in noise(35, 64)]
        self.write('o.npy', npy((5, 7), image))
        (_, values), (_, mask) = self.kspace('o.npy', '--rate', '2', '--centered')
        self.assert_close(values, centred_transform(image, 7, 5, mask), 2e-5)
        # Maps are images: they are not changed.
        self.succeed('undersample', 'o.npy', '--coils', '2', '--maps-output', 'a.npy', '-o',
                     'k.npy', '-f')
        (shape, values), (_, mask) = self.kspace('o.npy', '--coils', '2', '--centred',
                                                 '--maps-output', 's.npy')
        self.assertEqual((shape, self.read('s.npy')), ((2, 1, 5, 7), self.read('a.npy')))
        maps = read_complex(self.read('s.npy'))[1]
        for coil in (0, 35):
            seen = [m * v for m, v in zip(maps[coil:], image)]
            self.assert_close(values[coil:coil + 35], centred_transform(seen, 7, 5, mask), 2e-5)

    def test_volume(self):
        (shape, _), (mask_shape, mask) = self.kspace('v.npy', '--rate', '3')
        self.assertEqual((shape, mask_shape), ((5, 6, 7), (5, 6)))
        self.assertEqual(sum(mask), 10)
        (shape, _), (mask_shape, _) = self.kspace('v.npy', '--slice', '4')
        self.assertEqual((shape, mask_shape), ((6, 7), (6, 7)))

    def test_bart(self):
        self.succeed('undersample', 'v.npy', '-o', 'k.cfl')
        self.succeed('undersample', 'v.npy', '-o', 'k.npy')
        self.assertEqual(self.read('k.hdr').splitlines()[:2],
                         [b'# Dimensions', b'7 6 5 1 1 1 1 1 1 1 1 1 1 1 1 1'])
        self.assertEqual(self.read('k.cfl'), self.read('k.npy')[128:])
        self.refuse(FILE, 'k.hdr exists', 'undersample', 'v.npy', '-o', 'k.hdr')
        os.remove(self.path('k.cfl'))
        self.refuse(FILE, 'k.hdr exists', 'undersample', 'v.npy', '-o', 'k.cfl')

    def test_picture(self):
        """Mask, k-space and image; for a volume y and z of the first two, with DC in the middle."""
        _, (_, mask) = self.kspace('v.npy', '--rate', '3', '--picture', 'p.png')
        width, height, planes, _, samples = read_png(self.read('p.png'))
        self.assertEqual((width, height, planes), (6 + 4 + 6 + 4 + 7, 6, 1))
        for z in range(5):
            row = samples[(z + 5 // 2) % 5 * width:][:width]
            for y in range(6):
                kept = mask[z * 6 + y]
                self.assertEqual(row[(y + 3) % 6], 255 * kept)
                if not kept:
                    self.assertEqual(row[10 + (y + 3) % 6], 0)
        self.assertEqual(samples[2 * width + 10 + 3], 255)
        image = [samples[y * width + x] for y in range(6) for x in range(20, 27)]
        self.assertEqual(sorted(image)[-1], 255)
        self.assertLess(sorted(image)[-2], 255)  # only the largest is white
        self.assertEqual(samples[6:10], [128] * 4)

    def test_stdout(self):
        self.succeed('undersample', 'i.npy', '-o', 'k.npy')
        self.assertEqual(self.succeed('undersample', 'i.npy', '-o', '-').out, self.read('k.npy'))

    def test_pad_and_peak(self):
        self.succeed('undersample', 'i.npy', '--normalize', '--pad', '11x8', '-o', 'k.npy',
                     '--truth-output', 't.npy')
        shape, truth = read_npy(self.read('t.npy'))[:2]
        self.assertEqual(tuple(shape), (8, 11))
        largest = max(map(abs, self.values))
        for y in range(8):
            for x in range(11):
                inside = 1 <= x < 9 and 1 <= y < 7
                wanted = self.values[(y - 1) * WIDTH + x - 1] / largest if inside else 0
                self.assertAlmostEqual(truth[y * 11 + x], wanted, 6)

    def test_crop_of_kspace(self):
        """A wave that both resolutions can represent is unchanged; a finer wave is removed."""
        def waves(n, *frequencies):
            return [2 + sum(math.cos(2 * math.pi * f * x / n) for f in frequencies)
                    for _ in range(n) for x in range(n)]
        self.write('w.npy', npy((16, 16), waves(16, 1, 6)))
        self.succeed('undersample', 'w.npy', '--crop-kspace', '8x8', '-o', 'k.npy',
                     '--truth-output', 't.npy')
        self.assert_near(read_npy(self.read('t.npy'))[1], waves(8, 1), 1e-5)
        self.succeed('undersample', 'w.npy', '--crop-kspace', '8x8', '--normalize', '-o', 'k.npy',
                     '-f', '--truth-output', 't.npy')
        self.assert_near(read_npy(self.read('t.npy'))[1], [v / 3 for v in waves(8, 1)], 1e-5)

    def test_noise(self):
        (_, plain), _ = self.kspace('pattern:ball:64x64', '--rate', '2')
        (_, values), (_, mask) = self.kspace('pattern:ball:64x64', '--rate', '2', '--noise', '0.1')
        parts = [part for a, b, m in zip(values, plain, mask) if m
                 for part in ((a - b).real, (a - b).imag)]
        self.assertEqual(len(parts), 4096)
        self.assertAlmostEqual(math.sqrt(sum(p * p for p in parts) / 4096), 0.1, delta=0.006)
        self.assertAlmostEqual(sum(parts) / 4096, 0, delta=0.008)
        self.assertEqual({v for v, m in zip(values, mask) if not m}, {0})

    def test_repeats_to_the_last_bit(self):
        """Repeated runs are bit-identical on a busy machine; a transform that is selected by its
        time is not used."""
        def kspace():
            self.succeed('undersample', 'pattern:ball:160x96x20', '--noise', '0.1', '-f',
                         '-o', 'k.npy')
            return self.read('k.npy')
        self.assertEqual([kspace() == kspace() for _ in range(5)], [True] * 5)

    def test_coils(self):
        self.succeed('undersample', 'i.npy', '--rate', '1', '--coils', '3', '-o', 'k.npy',
                     '--maps-output', 's.npy')
        shape, maps = read_complex(self.read('s.npy'))
        self.assertEqual(shape, (3, 1, HEIGHT, WIDTH))
        count = WIDTH * HEIGHT
        for i in range(count):
            self.assertAlmostEqual(sum(abs(maps[c * count + i]) ** 2 for c in range(3)), 1, 5)
        shape, values = read_complex(self.read('k.npy'))
        self.assertEqual(shape, (3, 1, HEIGHT, WIDTH))
        for c in range(3):
            seen = [v * s for v, s in zip(self.values, maps[c * count:])]
            self.assert_close(values[c * count:(c + 1) * count], transform(seen, WIDTH, HEIGHT),
                              2e-5)


class Masks(UndersampleTest):
    def test_kinds_and_seeds(self):
        seen = set()
        for kind in ('density', 'lines', 'radial', 'poisson'):
            for seed in ('0', '1'):
                told = json.loads(self.succeed('undersample', 'pattern:ball:64x64', '--mask', kind,
                                               '--seed', seed, '-o', 'k.npy', '--mask-output',
                                               'm.npy', '-f', '--json').out)
                _, mask = read_mask(self.read('m.npy'))
                self.assertEqual((told['mask'], told['samples']), (kind, sum(mask)))
                self.assertEqual((told['rate'], told['part']), (4, 0.25))
                seen.add(bytes(mask))
        self.assertEqual(len(seen), 8)

    def test_says_what_it_did(self):
        text = self.succeed('undersample', 'pattern:ball:64x32x16', '-o', 'k.npy').err
        self.assertIn('64x32x16, density: 8192 samples, 1 of 4\n', text)
        text = self.succeed('undersample', 'pattern:ball:64x64', '-o', 'k.npy', '-f', '--noise',
                            '0.1', '--coils', '2').err
        self.assertIn('64x64, 2 coils, density: 1024 samples, 1 of 4, noise of L2 norm 6.4 '
                      '(for --sigma)\n', text)


class Refused(UndersampleTest):
    def test_options(self):
        for message, options in (
                ('no output', []),
                ('-o and --mask-output name the same file', ['-o', 'a.npy', '--mask-output',
                                                             'a.npy']),
                ('--from-mask excludes --mask and --rate', ['-o', 'a.npy', '--from-mask',
                                                                   'm.npy', '--rate', '4']),
                ('--maps-output needs --coils of 2 or more', ['-o', 'a.npy', '--maps-output',
                                                              's.npy']),
                ('only -o supports - (one file is written to stdout)', ['-o', 'a.npy',
                                                                        '--mask-output',
                                                               '-']),
                ("--pad: '4x' is not a size", ['-o', 'a.npy', '--pad', '4x']),
                ("--pad: '4xx5' is not a size", ['-o', 'a.npy', '--pad', '4xx5']),
                ("--pad: '0x4' is not a size", ['-o', 'a.npy', '--pad', '0x4']),
                ("--crop-kspace: '1x2x3x4' is not a size", ['-o', 'a.npy', '--crop-kspace',
                                                            '1x2x3x4']),
                ('--pad: 8x5x1 is less than 8x6x1 along y', ['-o', 'a.npy', '--pad', '8x5']),
                ('--crop-kspace: 8x8x1 is more than 8x6x1 along y', ['-o', 'a.npy',
                                                                     '--crop-kspace', '8x8']),
                ("--slice: '1' is not a slice of the image (0 to 0)",
                 ['-o', 'a.npy', '--slice', '1']),
                ("--slice: 'top' is not a slice of the image (0 to 0)",
                 ['-o', 'a.npy', '--slice', 'top']),
                ('invalid rate 0.5 (1 to 48, for 8x6 phase encodes)', ['-o', 'a.npy', '--rate',
                                                                         '0.5']),
                ('invalid rate 7 (1 to 6, for 6x1 phase encodes)', ['-o', 'a.npy', '--rate', '7',
                                                                      '--mask', 'lines'])):
            with self.subTest(message):
                self.refuse(USAGE, message, 'undersample', 'i.npy', *options)

    def test_files(self):
        self.write('small.npy', npy((2, 2), [1, 1, 0, 1]))
        self.write('half.npy', npy((HEIGHT, WIDTH), [0.5] * 48))
        self.write('none.npy', npy((HEIGHT, WIDTH), [0] * 48))
        self.write('nan.npy', npy((1, 2), [1, float('nan')]))
        for message, options in (
                ('small.npy: a mask of 2x2, but the k-space has 8x6', ['--from-mask', 'small.npy']),
                ('half.npy: a mask has only 0 and 1, not 0.5', ['--from-mask', 'half.npy']),
                ('none.npy: all values of the mask are 0', ['--from-mask',
                                                                              'none.npy']),
                ('cannot write k.png (unknown suffix)', ['-o', 'k.png']),
                ('cannot write no/k.npy (No such file or directory)', ['-o', 'no/k.npy']),
                ('i.npy exists', ['-o', 'i.npy']),
                ('small.npy exists', ['--mask-output', 'small.npy']),
                ('t.png cannot hold coefficients …', ['--truth-output', 't.png']),
                ('cannot write s.png (unknown suffix)', ['--coils', '2', '--maps-output',
                                                         's.png'])):
            with self.subTest(message):
                more = [] if '-o' in options else ['-o', 'a.npy']
                self.refuse(FILE, message, 'undersample', 'i.npy', *options, *more)
        self.refuse(FILE, 'nan.npy: image contains NaN or infinite values', 'undersample',
                    'nan.npy', '-o', 'a.npy')
        self.refuse(FILE, 'missing.npy: no such file', 'undersample', 'missing.npy', '-o', 'a.npy')


class Phantom(UndersampleTest):
    """The zero-filled figures of the head, if it is installed."""
    HEAD = '/usr/share/mricron/templates/ch2.nii.gz'

    def test_slice(self):
        if not os.path.exists(self.HEAD):
            self.skipTest('no %s (mricron-data)' % self.HEAD)
        told = json.loads(self.succeed('undersample', self.HEAD, '--normalize', '--slice', '90',
                                       '--pad', '192x224', '-o', 'k.npy', '--truth-output', 't.npy',
                                       '--json').out)
        self.assertEqual((told['width'], told['height'], told['samples']), (192, 224, 10752))
        truth = read_npy(self.read('t.npy'))[1]
        self.assertAlmostEqual(max(truth), 171 / 254, 6)
        self.assertEqual(len(truth), 224 * 192)


class Info(CliTest):
    def test_fft_and_its_licence(self):
        told = json.loads(self.succeed('info', '--json').out)['build']['fft']
        self.assertRegex(told['library'], r'^(FFTW \d+\.\d+\.\d+|kissfft)$')
        self.assertIn('GPL' if told['library'].startswith('FFTW') else 'BSD', told['licence'])
        line = 'Fourier transforms by %(library)s (%(licence)s)\n' % told
        self.assertIn(line, self.succeed('info').text())
        self.assertIn('\nFFT: %(library)s (%(licence)s)\n' % told,
                      self.succeed('--version', '-v').text())
