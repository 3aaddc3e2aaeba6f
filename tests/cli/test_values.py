"""The conversions of numbers and shapes when files are read and written."""
import json
import struct

import formats
from harness import CliTest, FILE

CPU = ('-b', 'cpu')
WIDTH, HEIGHT = 9, 7
SAMPLES = formats.noise(WIDTH * HEIGHT, 255, 3)


class Values(CliTest):
    def info(self, *arguments):
        return json.loads(self.succeed('info', '--json', *arguments).out)

    def test_rule(self):
        self.write('a.npy', formats.npy((HEIGHT, WIDTH), SAMPLES, '|u1'))
        self.write('a.png', formats.png(WIDTH, HEIGHT, SAMPLES))
        low, high = min(SAMPLES), max(SAMPLES)
        for name, option, values in (('a.npy', 'auto', 'raw'), ('a.npy', 'unit', 'unit'),
                                     ('a.png', 'auto', 'unit'), ('a.png', 'raw', 'raw')):
            with self.subTest(name, option=option):
                told = self.info(name, '--values', option)
                self.assertEqual(told['values'], values)
                one = 255 if values == 'unit' else 1
                self.assert_near(told['range'], [low / one, high / one], 1e-6)

    def test_white_is_kept(self):
        """The picture of an array has its integers."""
        self.write('a.npy', formats.npy((HEIGHT, WIDTH), SAMPLES, '|u1'))
        for coefficients in ('c.npy', 'c.npz', 'c.tiff'):
            self.succeed('forward', 'a.npy', '-o', coefficients, '-w', 'haar', *CPU)
            self.succeed('inverse', coefficients, '-o', 'back.png', '-f', *CPU)
            self.assertEqual(formats.read_png(self.read('back.png'))[4], SAMPLES)
        described = json.loads(self.read('c.npy.json'))
        self.assertEqual((described['values'], described['peak']), ('raw', 255))
        told = json.loads(self.succeed('compare', 'a.npy', 'a.npy', '--json').out)
        self.assertEqual(told['max'], 0)

    def test_shapes_come_back(self):
        for shape in ((1, HEIGHT, WIDTH), (HEIGHT, WIDTH, 1), (1, HEIGHT, WIDTH, 1)):
            self.write('a.npy', formats.npy(shape, SAMPLES))
            for option in ((), ('--volume',)):
                with self.subTest(shape=shape, option=option):
                    self.succeed('forward', 'a.npy', '-o', 'c.npy', '-w', 'haar', '-l', '1', '-f',
                                 *CPU, *option)
                    self.succeed('inverse', 'c.npy', '-o', 'b.npy', '-f', *CPU)
                    self.assertEqual([formats.read_npy(self.read(name))[0]
                                      for name in ('c.npy', 'b.npy')], [shape, shape])

    def test_large_integers(self):
        header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1L, 3L), }"
        data = struct.pack('<3q', 1 << 24, (1 << 24) + 1, -(1 << 28))
        self.write('a.npy', formats.npy(None, (), header=header) + data)
        result = self.succeed('info', 'a.npy', '--json')
        self.assertIn('warning: a.npy: 3 integers are 16777216 (2^24) or more, which float32 may '
                      'round', result.err)
        self.assertEqual(json.loads(result.out)['range'], [-(2.0 ** 28), 2.0 ** 24])

    def test_one_volume_of_a_series(self):
        volumes = [[n * 100 + i for i in range(24)] for n in range(3)]
        data = formats.nifti((4, 3, 2), sum(volumes, []), 'i2', dim=[4, 4, 3, 2, 3])
        self.write('a.nii', data)
        self.refuse(FILE, 'a.nii: a series of 3 volumes of 4x3x2; one of them must be selected',
                    'forward', 'a.nii', '-o', 'c.npy', *CPU,
                    hint='--volume-index N selects one, from 0 on')
        for number, samples in enumerate(volumes):
            told = self.info('a.nii', '--volume-index', str(number))
            self.assertEqual((told['depth'], told['range']), (2, [samples[0], samples[-1]]))
        self.refuse(FILE, 'a.nii: there is no volume 3 (volumes are numbered 0 to 2)', 'info',
                    'a.nii', '--volume-index', '3')
