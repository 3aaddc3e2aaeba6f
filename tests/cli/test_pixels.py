"""Integers that are converted within the transform: the bits of floats that are converted before or
after it, with less memory."""
import os
import struct

import formats
import harness
from harness import MIB, CliTest

CPU = ('-b', 'cpu')
WIDTH, HEIGHT = 37, 22


def rounded(value):
    """The nearest float."""
    return struct.unpack('<f', struct.pack('<f', value))[0]


class PixelsTest(CliTest):
    def images(self):
        """Files of integers, and the value that represents 1."""
        for planes in (1, 2, 3, 4):
            for bits in (8, 16):
                most = (1 << bits) - 1
                samples = formats.noise(WIDTH * HEIGHT * planes, most, planes * bits)
                yield ('%d-%d.png' % (planes, bits), most, planes, samples,
                       formats.png(WIDTH, HEIGHT, samples, planes, bits))
        for most in (255, 100, 1023, 65535):
            for planes in (1, 3):
                samples = formats.noise(WIDTH * HEIGHT * planes, most, planes + most)
                yield ('%d-%d.pnm' % (planes, most), most, planes, samples,
                       formats.pnm(WIDTH, HEIGHT, samples, planes, most))
        samples = formats.noise(WIDTH * HEIGHT, 255, 5)
        yield ('u8.npy', 1, 1, samples, formats.npy((HEIGHT, WIDTH), samples, '|u1'))
        yield ('u8.tiff', 255, 1, samples, formats.tiff(WIDTH, HEIGHT, samples, 1, 8))

    def planes_of(self, data):
        """The samples of coefficients, plane by plane."""
        shape, values = formats.read_npy(data)
        planes = shape[2] if len(shape) == 3 else 1
        return [values[p::planes] for p in range(planes)]


class Forward(PixelsTest):
    def test_same_as_floats(self):
        for name, most, planes, samples, data in self.images():
            self.write(name, data)
            # Files of floats have no alpha, so each plane separately.
            floats = [rounded(value / most) for value in samples]
            for options in (('-w', 'cdf97'), ('-w', 'dd137', '-l', '1')):
                with self.subTest(name, options=options):
                    self.succeed('forward', name, '-o', 'c.npy', '-f', *CPU, *options)
                    got = self.planes_of(self.read('c.npy'))
                    self.assertEqual(len(got), planes)
                    for p, plane in enumerate(got):
                        if planes % 2 == 0 and p == planes - 1:
                            self.assertEqual(list(plane), floats[p::planes])
                            continue
                        self.write('f.npy', formats.npy((HEIGHT, WIDTH), floats[p::planes]))
                        self.succeed('forward', 'f.npy', '-o', 'd.npy', '-f', *CPU, *options)
                        self.assertEqual(plane, self.planes_of(self.read('d.npy'))[0])

    def test_round_trip_is_told(self):
        for name, most, _, _, data in self.images():
            self.write(name, data)
            told = self.succeed('forward', name, '-o', 'c.npy', '-f', *CPU, '-w', 'cdf53',
                                '--norm', 'none', '--check').err
            self.assertRegex(told, r'round trip max\|err\| ([0-9.]+e-0[%s]|0)\b' %
                             ('5678' if most == 1 else '678'), (name, most))

    def test_truncated(self):
        for name, data in (('t.png', next(self.images())[4]),
                           ('t.pgm', formats.pnm(WIDTH, HEIGHT, [1] * (WIDTH * HEIGHT)))):
            self.write(name, data[:-100])
            self.refuse(harness.FILE, name + ': truncated …', 'forward', name, '-o', 'x.npy')


class Back(PixelsTest):
    def test_exact(self):
        for name, most, planes, samples, data in self.images():
            if not name.endswith('.png'):
                continue
            with self.subTest(name):
                self.write(name, data)
                self.succeed('forward', name, '-o', 'c.npy', '-f', *CPU)
                self.succeed('inverse', 'c.npy', '-o', 'back.png', '-f', '--depth',
                             str(most.bit_length()), *CPU)
                self.assertEqual(formats.read_png(self.read('back.png')),
                                 (WIDTH, HEIGHT, planes, most.bit_length(), samples))

    def test_same_as_floats(self):
        """Many values are clamped, in both depths."""
        samples = [rounded(value / 1000 - 0.5) for value in
                   formats.noise(WIDTH * HEIGHT * 3, 2000, 9)]
        self.write('f.npy', formats.npy((HEIGHT, WIDTH, 3), samples))
        self.succeed('forward', 'f.npy', '-o', 'c.npy', *CPU)
        self.succeed('inverse', 'c.npy', '-o', 'back.npy', *CPU)
        floats = formats.read_npy(self.read('back.npy'))[1]
        for bits in (8, 16):
            most = (1 << bits) - 1
            told = self.succeed('inverse', 'c.npy', '-o', 'back.png', '-f', '--depth', str(bits),
                                *CPU).err
            wanted = [int(rounded(rounded(min(max(value, 0.0), 1.0) * most) + 0.5))
                      for value in floats]
            self.assertEqual(formats.read_png(self.read('back.png'))[4], wanted)
            slack = rounded(0.5 / most)
            outside = sum(value < -slack or value > rounded(1 + slack) for value in floats)
            self.assertIn('%d values outside of 0..1 were clamped' % outside, told)

    def test_no_number(self):
        samples = [0.5] * (WIDTH * HEIGHT)
        samples[0] = float('nan')
        self.write('f.npy', formats.npy((HEIGHT, WIDTH), samples))
        self.succeed('forward', 'f.npy', '-o', 'c.npy', '-w', 'haar', '-l', '1', *CPU)
        told = self.succeed('inverse', 'c.npy', '-o', 'back.png', *CPU).err
        self.assertRegex(told, r'[0-9]+ values are NaN and set to 0')
        self.assertEqual(formats.read_png(self.read('back.png'))[4][:2], [0, 0])



def half(value):
    """The nearest binary16 number, the even one of two."""
    return struct.unpack('<e', struct.pack('<e', value))[0]


class Halves(PixelsTest):
    """Coefficients of 16 bits."""

    def check(self, name, *options):
        self.succeed('forward', name, '-o', 'c.npy', '-f', *CPU, *options)
        told = self.succeed('forward', name, '-o', 'h.npy', '-f', '--half', '--check', *CPU,
                            *options).err
        kind, shape, wanted = formats.read_npy_of(self.read('c.npy'))
        got = formats.read_npy_of(self.read('h.npy'))
        self.assertEqual(got, ('f2', shape, [half(value) for value in wanted]))
        return told

    def test_rounded(self):
        self.write('c.png', formats.png(WIDTH, HEIGHT, formats.noise(WIDTH * HEIGHT * 4, 255), 4))
        self.write('v.npy', formats.npy((5, HEIGHT, WIDTH), formats.noise(5 * HEIGHT * WIDTH, 255),
                                        '|u1'))
        for name in ('c.png', 'v.npy'):
            for options in ((), ('--layout', 'mixed', '-l', '1'), ('-w', 'cdf53')):
                with self.subTest(name, options=options):
                    told = self.check(name, *options)
                    error = float(told.split('max|err| ')[1])
                    most = 255 if name == 'v.npy' else 1
                    self.assertTrue(1e-5 * most < error < 2e-3 * most, told)
        self.check('v.npy', '--gop', '2')

    def test_back(self):
        samples = formats.noise(WIDTH * HEIGHT * 3, 255)
        self.write('in.png', formats.png(WIDTH, HEIGHT, samples, 3))
        self.succeed('forward', 'in.png', '-o', 'h.npy', '--half', *CPU)
        self.assertIn('f16 little-endian', self.succeed('info', 'h.npy').text())
        for options in ((), ('-b', 'reference')):
            with self.subTest(options=options):
                self.succeed('inverse', 'h.npy', '-o', 'back.png', '-f', *(options or CPU))
                self.assertEqual(formats.read_png(self.read('back.png'))[4], samples)
        self.succeed('inverse', 'h.npy', '-o', 'part.png', '--region', '8,4,9,7')
        part = [value for y in range(4, 11)
                for value in samples[3 * (y * WIDTH + 8):3 * (y * WIDTH + 17)]]
        self.assertEqual(formats.read_png(self.read('part.png'))[4], part)
        self.succeed('forward', 'pattern:noise:512x512', '-o', 'n.npy', '--half', *CPU)
        self.succeed('inverse', 'n.npy', '-o', 'whole.npy', *CPU)
        told = self.succeed('inverse', 'n.npy', '-o', 'strips.npy', '--memory', '1M', *CPU).err
        self.assertIn('strips', told)
        self.assertEqual(self.read('strips.npy'), self.read('whole.npy'))
        # Both byte orders, also for an image.
        _, shape, halves = formats.read_npy_of(self.read('h.npy'))
        for order in '<>':
            self.write('e.npy', formats.npy(shape, halves, order + 'f2'))
            self.write('f.npy', formats.npy(shape, halves))
            for name in ('e', 'f'):
                self.succeed('forward', name + '.npy', '-o', name + 'c.npy', '-f', *CPU)
            self.assertEqual(self.read('ec.npy'), self.read('fc.npy'))
        for order, word in (('<', 'le'), ('>', 'be')):
            plane = halves[:WIDTH * HEIGHT]
            self.write('plane.raw', struct.pack('%s%de' % (order, len(plane)), *plane))
            self.write('plane.npy', formats.npy((HEIGHT, WIDTH), plane))
            self.succeed('forward', 'plane.raw', '-o', 'ec.npy', '-f', *CPU,
                         '--raw', '%dx%d:f16%s' % (WIDTH, HEIGHT, word))
            self.succeed('forward', 'plane.npy', '-o', 'fc.npy', '-f', *CPU)
            self.assertEqual(self.read('ec.npy'), self.read('fc.npy'))

    def test_refused(self):
        self.write('in.pgm', formats.pnm(8, 8, formats.noise(64, 255)))
        for words, options in (('--half is for a .npy or .exr', ('-o', 'c.tiff')),
                               ('--half is for a .npy or .exr', ('-o', 'c.npz')),
                               ('--half is for a .npy or .exr', ('--picture', 'p.png')),
                               ('--half has too few digits for the integers of '
                                '--reversible', ('-o', 'c.npy', '--reversible'))):
            self.refuse(harness.USAGE, words, 'forward', 'in.pgm', '--half', *CPU, *options)
        self.write('large.npy', formats.npy((8, 8), [1e5] * 64))
        self.refuse(harness.FILE, 'large.npy: 1 coefficient is too large for 16-bit floats (65504)',
                    'forward', 'large.npy', '-o', 'c.npy', '--half', '-w', 'haar', '-l', 'max',
                    *CPU, hint='omit --half, or scale the image')
        # The step is 2^-24: 1e-7 is two steps, 1e-9 none.
        for name, value in (('small.npy', 1e-7), ('tiny.npy', 1e-9)):
            self.write(name, formats.npy((8, 8), [value] * 64))
            self.refuse(harness.FILE, name + ': the coefficients are too small for 16-bit floats '
                        '(%g at most)' % value, 'forward', name, '-o', 'd.npy', '--half', '-l', '1',
                        *CPU, hint='omit --half, or scale the image')
            self.assertFalse(os.path.exists(self.path('d.npy')))
        result = self.run_program('forward', 'tiny.npy', '-o', 'd.npy', '--precision', 'f16', '-b',
                                  'fragment', '--check')
        self.assertEqual(result.code, harness.MISMATCH)
        self.assertIn('hint: its values are too small for 16-bit floats: scale it, or use 32 bits',
                      result.err)
        # The metadata cannot declare them: integer coefficients are stored as integers.
        self.succeed('forward', 'in.pgm', '-o', 'c.npy', '--reversible', *CPU)
        text = self.read('c.npy.json').decode().replace('"u8"', '"f16"')
        self.write('c.npy.json', text.encode())
        self.refuse(harness.FILE, "c.npy.json: unknown stored 'f16'", 'inverse', 'c.npy', '-o',
                    'back.npy', *CPU)


class Memory(PixelsTest):
    @harness.not_sanitized('the sanitizers have memory of their own')
    def test_less_than_floats(self):
        side, options = 4096, ('--memory', '4G')
        data = bytes(range(256)) * (side * side // 256)
        self.write('u8.pgm', b'P5 %d %d 255\n' % (side, side) + data)
        self.write('f.npy', formats.npy((side, side)))
        with open(self.path('f.npy'), 'ab') as file:
            file.write(bytes(4 * side * side))
        floats = side * side * 4
        integers = self.peak('forward', 'u8.pgm', '-o', 'c.npy', *CPU, *options)
        others = self.peak('forward', 'f.npy', '-o', 'd.npy', *CPU, *options)
        # The others need the file and the image as floats; this saves at least three quarters of
        # one.
        self.assertLess(integers + floats * 3 // 4 - 4 * MIB, others)
