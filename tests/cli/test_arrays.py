"""`--axes`: axes of arrays of up to eight dimensions."""
import json
import itertools
import os
import random
import unittest

import formats
from harness import FILE, REFERENCE, TOO_LARGE, USAGE, CliTest, memory_limit


def strides(shape):
    steps, step = [], 1
    for side in reversed(shape):
        steps.insert(0, step)
        step *= side
    return steps


def entries(shape, axes):
    """The positions in an array of the samples of each entry of the batch, in the order of the
    transformed axes."""
    steps = strides(shape)
    others = [a for a in range(len(shape)) if a not in axes]

    def places(of):
        return [sum(i * steps[a] for i, a in zip(index, of))
                for index in itertools.product(*(range(shape[a]) for a in of))]
    return [[first + inside for inside in places(sorted(axes))] for first in places(others)]


class Arrays(CliTest):
    def array(self, name, shape, kind='<f4', seed=1):
        count = 1
        for side in shape:
            count *= side
        samples = formats.noise(count, 255, seed)
        if kind[1] == 'f':
            samples = [s / 256 for s in samples]
        self.write(name, formats.npy(shape, samples, kind))
        return samples

    def check_entries(self, shape, axes, *options):
        """The coefficients are those of each entry alone, and the inverse restores the array."""
        samples = self.array('a.npy', shape)
        names = ','.join(str(a) for a in axes)
        self.succeed('forward', 'a.npy', '--axes', names, '-o', 'c.npy', '-f', *options)
        got_shape, got = formats.read_npy(self.read('c.npy'))
        self.assertEqual(got_shape, shape)
        axes = [a % len(shape) for a in axes]
        sides = tuple(shape[a] for a in sorted(axes))
        one = (1,) * (2 - len(sides)) + sides
        volume = ['--volume'] if len(sides) == 3 else []
        for places in entries(shape, axes):
            self.write('one.npy', formats.npy(one, [samples[i] for i in places]))
            self.succeed('forward', 'one.npy', '-o', 'one-c.npy', '-f', *volume, *options)
            _, wanted = formats.read_npy(self.read('one-c.npy'))
            self.assertEqual([got[i] for i in places], wanted)
        backend = options[options.index('-b') + 1]
        self.succeed('inverse', 'c.npy', '-o', 'again.npy', '-f', '-b', backend)
        again_shape, again = formats.read_npy(self.read('again.npy'))
        self.assertEqual(again_shape, shape)
        self.assert_near(again, samples, 1e-5)

    def test_images(self):
        self.check_entries((2, 3, 8, 12), (-2, -1), '-b', 'cpu', '-w', 'haar', '-l', '2')

    def test_strided_images(self):
        self.check_entries((6, 3, 7, 2), (2, 0), *REFERENCE, '-l', '1')

    def test_signals(self):
        self.check_entries((9, 16, 2), (1,), '-b', 'cpu', '-w', 'db4', '--border', 'periodic')

    def test_volumes(self):
        self.check_entries((5, 2, 6, 4), (0, 2, 3), '-b', 'cpu', '-l', '1', '--levels-z', '2')

    def test_axes_of_one_sample(self):
        for shape, axes in (((1, 8, 6), '0,1,2'), ((8, 1, 1), '0,1,2'), ((1, 2, 8), '0,2'),
                            ((3, 1), '-1'), ((1, 1, 1), '0,1,2')):
            samples = self.array('a.npy', shape)
            self.succeed('forward', 'a.npy', '--axes', axes, '-o', 'c.npy', '-f', '-b', 'cpu')
            self.succeed('inverse', 'c.npy', '-o', 'x.npy', '-f', '-b', 'cpu')
            got_shape, got = formats.read_npy(self.read('x.npy'))
            self.assertEqual(got_shape, shape)
            self.assert_near(got, samples, 1e-5)

    def test_mixed_layout(self):
        self.check_entries((3, 6, 4), (0, 1), '-b', 'cpu', '--layout', 'mixed', '-l', '1')

    def test_eight_axes(self):
        shape = (2, 1, 3, 4, 1, 2, 6, 2)
        samples = self.array('a.npy', shape)
        self.succeed('forward', 'a.npy', '--axes', '3,6', '-o', 'c.npy', '--check', *REFERENCE)
        self.succeed('inverse', 'c.npy', '-o', 'again.npy', *REFERENCE)
        again_shape, again = formats.read_npy(self.read('again.npy'))
        self.assertEqual(again_shape, shape)
        self.assert_near(again, samples, 1e-5)
        self.write('nine.npy', formats.npy((1,) * 9, [0.5]))
        self.refuse(FILE, 'nine.npy: damaged NPY, or not a plain array of up to 8 axes',
                    'forward', 'nine.npy', '--axes', '0', '-o', 'd.npy')

    def test_metadata(self):
        self.array('a.npy', (3, 8, 2, 6))
        self.succeed('forward', 'a.npy', '--axes', '3,1', '-o', 'c.npy', '-l', '1', *REFERENCE)
        metadata = json.loads(self.read('c.npy.json'))
        self.assertEqual((metadata['schema'], metadata['shape'], metadata['axes'],
                          metadata['width'], metadata['height']), (4, [3, 8, 2, 6], [1, 3], 6, 8))
        good = self.read('c.npy.json')
        for change, message in (
                ({'axes': [1, 4]}, '"axes" is invalid (up to 3 whole numbers)'),
                ({'axes': [1, 1]}, '"axes" is invalid (up to 3 whole numbers)'),
                ({'axes': []}, '"axes" is invalid (up to 3 whole numbers)'),
                ({'axes': ['1']}, '"axes" is invalid (up to 3 whole numbers)'),
                ({'shape': [3, 8, 2, 0]}, '"shape" is invalid (up to 8 whole numbers)'),
                ({'shape': [1] * 9}, '"shape" is invalid (up to 8 whole numbers)'),
                ({'shape': None}, '"shape" is invalid (up to 8 whole numbers)'),
                ({'axes': [0, 3]}, '"shape" and "axes" contradict the size'),
                ({'depth': 2}, '"shape" and "axes" contradict the size')):
            self.write('c.npy.json', json.dumps({**metadata, **change}))
            self.refuse(FILE, 'c.npy.json: ' + message, 'inverse', 'c.npy', '-o', 'x.npy')
        self.write('c.npy.json', json.dumps({**metadata, 'shape': [2, 8, 3, 6]}))
        self.refuse(FILE, 'c.npy.json describes axes 1, 3 of 2x8x3x6, but the array has another '
                          'shape', 'inverse', 'c.npy', '-o', 'x.npy')
        self.write('c.npy.json', good)
        self.refuse(USAGE, '--axes 0,1 contradicts c.npy.json (axes 1, 3 of 3x8x2x6)',
                    'inverse', 'c.npy', '-o', 'x.npy', '--axes', '0,1', hint='omit the option')
        self.succeed('inverse', 'c.npy', '-o', 'x.npy', '--axes', '1,3', *REFERENCE)
        shape, samples = formats.read_npy(self.read('c.npy'))
        self.write('c.npy', formats.npy(shape, samples[::-1]))
        self.refuse(FILE, 'c.npy.json describes other coefficients of the same size',
                    'inverse', 'c.npy', '-o', 'x.npy', '-f')
        self.succeed('inverse', 'c.npy', '-o', 'x.npy', '-f', '--ignore-changes', *REFERENCE)

    def test_without_metadata(self):
        samples = self.array('a.npy', (4, 8))
        piped = self.succeed('forward', 'a.npy', '--axes', '-1', '-o', '-', '-l', '1', *REFERENCE)
        self.succeed('inverse', '-', '-o', 'x.npy', '--axes', '1', '-l', '1', *REFERENCE,
                     stdin=piped.out)
        self.assert_near(formats.read_npy(self.read('x.npy'))[1], samples, 1e-5)
        self.write('c.npy', piped.out)
        self.refuse(USAGE, 'missing c.npy.json…', 'inverse', 'c.npy', '-o', 'y.npy', '--axes', '1')

    def test_types(self):
        floats = self.array('f.npy', (2, 4, 4, 6))
        self.write('d.npy', formats.npy((2, 4, 4, 6), floats, '<f8'))
        result = self.succeed('forward', 'd.npy', '--axes', '2,3', '-o', 'd-c.npy', *REFERENCE)
        self.assertIn('d.npy: values of type <f8 are converted to float32', result.err)
        result = self.succeed('forward', 'f.npy', '--axes', '2,3', '-o', 'f-c.npy', *REFERENCE)
        self.assertNotIn('converted', result.err)
        self.assertEqual(self.read('d-c.npy'), self.read('f-c.npy'))
        self.array('u.npy', (2, 4, 4), '|u1')
        self.succeed('forward', 'u.npy', '--axes', '1', '-o', 'u-c.npy', '-l', '1', *REFERENCE)
        self.succeed('inverse', 'u-c.npy', '-o', 'u-again.npy', *REFERENCE)
        self.assert_near(formats.read_npy(self.read('u-again.npy'))[1],
                         formats.noise(32, 255, 1), 1e-3)
        self.write('z.npy', formats.npy((2, 4, 4), [0.5] * 64, '<c8'))
        self.refuse(FILE, "z.npy: complex samples (NPY of type '<c8')", 'forward', 'z.npy',
                    '--axes', '1', '-o', 'x.npy',
                    hint='save both parts, as an axis of 2, as float32')

    def test_doubles(self):
        chance = random.Random(7)
        for shape, axes, options in (
                ((12, 10), None, ()), ((9,), None, ('-w', 'haar')), ((3, 8, 2, 6), '1,3', ()),
                ((7, 9), None, ('-w', 'db4', '--border', 'pywt-smooth', '-l', '1')),
                ((2, 8, 5), '0,2', ('--border', 'pywt-zero', '--adjoint', '-l', '1'))):
            count = 1
            for side in shape:
                count *= side
            samples = [chance.uniform(-1, 1) for _ in range(count)]
            self.write('a.npy', formats.npy(shape, samples, '<f8'))
            for more in ((), REFERENCE):
                result = self.succeed('forward', 'a.npy', '--double', '-o', 'c.npy', '-f', '--check',
                                      '--json', *options, *(['--axes', axes] if axes else ()), *more)
                self.assertNotIn('converted', result.err)
                self.assertLess(json.loads(result.out)['round_trip_max_error'], 1e-13)
                metadata = json.loads(self.read('c.npy.json'))
                self.assertEqual((metadata['schema'], metadata['type'], metadata['shape']),
                                 (6, 'f64', list(shape)))
                self.assertEqual(formats.read_npy_of(self.read('c.npy'))[0], 'f8')
                self.succeed('inverse', 'c.npy', '-o', 'again.npy', '-f', *more)
                kind, again_shape, again = formats.read_npy_of(self.read('again.npy'))
                self.assertEqual((kind, again_shape), ('f8', shape))
                self.assert_near(again, samples, 1e-13)
        self.assertIn('samples:     <f8\n', self.succeed('info', 'c.npy').text())
        self.write('c.npy.json', json.dumps({**metadata, 'type': 'f16'}))
        self.refuse(FILE, 'c.npy.json: "type" is not "f64"', 'inverse', 'c.npy', '-o', 'x.npy')

    def test_doubles_are_not_for_everything(self):
        self.array('a.npy', (2, 4, 6), '<f8')
        self.refuse(USAGE, '--double: a.npy has 3 axes', 'forward', 'a.npy', '--double', '-o', 'c.npy',
                    hint='select up to 3 of them, as with --axes -2,-1')
        self.refuse(USAGE, 'c.tiff: an array is written to a .npy', 'forward', 'a.npy', '--double',
                    '-o', 'c.tiff')
        self.refuse(TOO_LARGE, 'a.npy needs 0.8 KiB, more than --memory (0.4 KiB)…', 'forward', 'a.npy',
                    '--double', '--axes', '1', '-o', 'c.npy', '--memory', '400')

    def test_more_coefficients_than_samples(self):
        samples = self.array('a.npy', (3, 7, 2, 5))
        self.succeed('forward', 'a.npy', '--axes', '1,3', '-w', 'db2', '-l', '1', '--border',
                     'pywt-symmetric', '-o', 'c.npy', *REFERENCE)
        shape, coefficients = formats.read_npy(self.read('c.npy'))
        self.assertEqual(shape, (3, 10, 2, 8))
        one = [samples[(70 + y * 10 + 5) + x] for y in range(7) for x in range(5)]
        self.write('one.npy', formats.npy((7, 5), one))
        self.succeed('forward', 'one.npy', '-w', 'db2', '-l', '1', '--border', 'pywt-symmetric',
                     '-o', 'd.npy', *REFERENCE)
        self.assertEqual([coefficients[160 + y * 16 + 8 + x] for y in range(10) for x in range(8)],
                         formats.read_npy(self.read('d.npy'))[1])
        self.succeed('inverse', 'c.npy', '-o', 'again.npy', *REFERENCE)
        again_shape, again = formats.read_npy(self.read('again.npy'))
        self.assertEqual(again_shape, (3, 7, 2, 5))
        self.assert_near(again, samples, 1e-5)
        os.remove(self.path('c.npy.json'))
        self.refuse(USAGE, "missing c.npy.json: with border 'pywt-symmetric' the size of the image "
                    'is not that of the coefficients', 'inverse', 'c.npy', '-o', 'x.npy', '--axes', '1,3',
                    '-w', 'db2', '-l', '1', '--border', 'pywt-symmetric', '--norm', 'jpeg2000',
                    '--layout', 'mallat')

    def test_wrong_axes(self):
        self.array('a.npy', (2, 4, 6))
        for axes, message in (
                ('3', 'an array of 3 axes has no axis 3 (0 to 2, or -3 to -1)'),
                ('-4', 'an array of 3 axes has no axis -4 (0 to 2, or -3 to -1)'),
                ('1,-2', "'1,-2' has axis 1 twice"),
                ('one', "'one' is not a list of axes"), ('1,', "'1,' is not a list of axes"),
                (',1', "',1' is not a list of axes"), ('1 2', "'1 2' is not a list of axes"),
                ('99999999999999999999', 'an array of 3 axes has no axis …')):
            self.refuse(USAGE, 'axes: ' + message, 'forward', 'a.npy', '--axes', axes,
                        '-o', 'c.npy')
        self.array('b.npy', (2, 2, 2, 2))
        self.refuse(USAGE, "axes: '0,1,2,3' has more than 3 axes", 'forward', 'b.npy', '--axes',
                    '0,1,2,3', '-o', 'c.npy')
        self.write('0.npy', formats.npy('()', [1]))
        self.refuse(FILE, '0.npy: a single number has no axes', 'forward', '0.npy', '--axes', '0',
                    '-o', 'c.npy')

    def test_wrong_use(self):
        self.array('a.npy', (2, 4, 6))
        for options in (('--picture', 'p.png'), ('--channel', 'luma'), ('--gray',), ('--half',),
                        ('--tile', '16'), ('--gop', '2'), ('--volume',), ('--reversible',),
                        ('--values', 'unit')):
            result = self.run_program('forward', 'a.npy', '--axes', '1', '-o', 'c.npy', *options)
            self.assertEqual(result.code, USAGE, options)
            self.assertFalse(os.path.exists(self.path('c.npy')), options)
        self.refuse(USAGE, '--volume is for images or volumes, not for axes of an array',
                    'forward', 'a.npy', '--axes', '1', '-o', 'c.npy', '--volume')
        self.refuse(USAGE, 'c.tiff: an array is written to a .npy', 'forward', 'a.npy', '--axes',
                    '1', '-o', 'c.tiff')
        self.refuse(FILE, 'a.pgm: not an NPY file', 'forward',
                    self.write('a.pgm', formats.pnm(4, 4, [1] * 16)), '--axes', '1', '-o', 'c.npy')
        self.refuse(USAGE, '9 levels are more than a 6x1 image has', 'forward', 'a.npy', '--axes',
                    '2', '-l', '9', '-o', 'c.npy')
        self.array('b.npy', (2, 3, 4, 5, 6))
        self.refuse(FILE, 'b.npy: not an image or volume (an NPY of 5 axes)', 'forward', 'b.npy',
                    '-o', 'c.npy', hint="…'forward' with the option axes transforms axes of any array")
        self.succeed('forward', 'b.npy', '--axes', '1', '-o', 'c.npy', '-l', '1', *REFERENCE)
        self.refuse(FILE, 'c.npy: coefficients of axis 1 of 2x3x4x5x6, not of an image or volume',
                    'edit', 'c.npy', '--keep', '5', '-o', 'd.npy',
                    hint="'inverse' and 'info' read them")
        self.refuse(FILE, 'c.npy exists…', 'forward', 'b.npy', '--axes', '1', '-o', 'c.npy')
        self.succeed('forward', 'a.npy', '-o', 'i.npy', *REFERENCE, '--volume')
        self.refuse(USAGE, 'i.npy.json describes an image or volume, not axes of an array',
                    'inverse', 'i.npy', '--axes', '1', '-o', 'x.npy', hint='omit --axes')

    def test_too_large(self):
        self.array('a.npy', (2, 4, 6))
        self.refuse(TOO_LARGE, 'a.npy needs 0.4 KiB, more than --memory (0.1 KiB)…: arrays are '
                               'transformed as a whole', 'forward', 'a.npy', '--axes', '1', '-o',
                    'c.npy', '--memory', '100')
        for shape, code, message in (
                ((1 << 20, 1 << 20, 4), TOO_LARGE, 'h.npy needs 32768.0 GiB, the machine has …'),
                ((1 << 40, 1 << 40, 4), FILE, 'h.npy: the array is too large for the address space'),
                ((0, 4, 4), FILE, 'h.npy: the array is empty (axis 0 has length 0)'),
                ((3, 4, 4), FILE, 'h.npy: 96 bytes of samples, but the header requires 192')):
            header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
            self.write('h.npy', formats.npy((), [0.5] * 24, header=header))
            self.refuse(code, message, 'forward', 'h.npy', '--axes', '1', '-o', 'c.npy',
                        limits=memory_limit())
        self.write('l.npy', formats.npy((1, (1 << 24) + 1), [], '|u1') + bytes((1 << 24) + 1))
        self.refuse(FILE, 'l.npy: axis 1 is too long (16777217; the limit is 16777216)', 'forward',
                    'l.npy', '--axes', '1', '-o', 'c.npy')

    def test_many_files(self):
        os.mkdir(self.path('out'))
        a, b = self.array('a.npy', (2, 4, 6)), self.array('b.npy', (3, 4, 6), seed=2)
        self.succeed('forward', 'a.npy', 'b.npy', '--axes', '1,2', '-o', 'out/', '-l', '1',
                     *REFERENCE)
        os.mkdir(self.path('back'))
        self.succeed('inverse', 'out/a.npy', 'out/b.npy', '-o', 'back/', '--suffix', '.npy',
                     *REFERENCE)
        for name, samples in (('a', a), ('b', b)):
            self.assert_near(formats.read_npy(self.read('back/%s.npy' % name))[1], samples, 1e-5)

    def test_reports(self):
        self.array('a.npy', (3, 4, 5, 8, 2))
        result = json.loads(self.succeed('forward', 'a.npy', '--axes', '1,3', '-o', 'c.npy',
                                         '--check', '--json', *REFERENCE).out)
        self.assertEqual((result['shape'], result['axes'], result['width'], result['height'],
                          result['planes']), ([3, 4, 5, 8, 2], [1, 3], 8, 4, 30))
        self.assertLess(result['round_trip_max_error'], 1e-5)
        text = self.succeed('info', 'c.npy').text()
        self.assertIn('shape:       (3, 4, 5, 8, 2)\n', text)
        self.assertIn('kind:        array, coefficients of axes 1, 3 of 3x4x5x8x2\n', text)
        self.assertIn('transform:   cdf97, 3 levels, border symmetric', text)
        info = json.loads(self.succeed('info', 'c.npy', '--json').out)
        self.assertEqual((info['kind'], info['coefficients']['axes']), ('array', [1, 3]))
        info = json.loads(self.succeed('info', 'a.npy', '--json').out)
        self.assertEqual((info['shape'], info['coefficients']), ([3, 4, 5, 8, 2], None))
        result = json.loads(self.succeed('info', '--plan', 'a.npy', '--axes', '1,3', '-l', '1',
                                         '--json', *REFERENCE).out)
        self.assertEqual(result['forward'], '(loop over the batch: 3 x 2\n'
                                            '  (loop over planes: 5\n'
                                            '    (reference 8x4, 1 level)))')


if __name__ == '__main__':
    unittest.main()
