"""explain --what passes: the textures of every pass, and that the last is what forward gives."""
import json

import formats
from harness import FILE, REFERENCE, USAGE, CliTest

SCHEMES = ('sep-conv', 'sep-poly', 'sep-lift', 'ns-conv', 'ns-poly', 'ns-lift')


class Passes(CliTest):
    def dump(self, target, *options):
        self.succeed('explain', target, '--what', 'passes', '--input', 'in.png', '-o', 'out', '-f',
                     *options)
        return json.loads(self.read('out/index.json'))['stages']

    def coefficients(self, *options):
        self.succeed('forward', 'in.png', '-o', 'c.npy', '-f', '-l', '1', '--layout', 'mixed',
                     *REFERENCE, *options)
        return formats.read_npy(self.read('c.npy'))[1]

    def check(self, wavelet, scheme, width, height, *options):
        samples = formats.noise(width * height, 255)
        self.write('in.png', formats.png(width, height, samples, 1, 8))
        stages = self.dump(wavelet + '/' + scheme, *options)
        shape, quads = formats.read_npy(self.read('out/' + stages[-1]['values']))
        self.assertEqual(shape, ((height + 1) // 2, (width + 1) // 2, 4))
        self.assertEqual((stages[-1]['x'], stages[-1]['y']), (0, 0))
        last = [quads[4 * (y // 2 * shape[1] + x // 2) + y % 2 * 2 + x % 2]
                for y in range(height) for x in range(width)]
        self.assertEqual(last, self.coefficients('-w', wavelet, '-s', scheme, *options))
        return stages

    def test_last_is_forward(self):
        for wavelet in ('haar', 'cdf53', 'cdf97', 'dd137'):
            for scheme in SCHEMES:
                with self.subTest('%s %s' % (wavelet, scheme)):
                    self.check(wavelet, scheme, 22, 14)
        for width, height in ((21, 13), (8, 1), (1, 8), (2, 2)):
            with self.subTest('%dx%d' % (width, height)):
                self.check('cdf97', 'ns-poly', width, height, '--plain', '--norm', 'none')

    def test_input_is_the_image(self):
        stages = self.check('cdf97', 'ns-conv', 12, 8)
        first = stages[0]
        shape, quads = formats.read_npy(self.read('out/' + first['values']))
        image = formats.noise(12 * 8, 255)
        for y in range(8):
            for x in range(12):
                quad = (y // 2 - first['y']) * shape[1] + x // 2 - first['x']
                self.assert_near([quads[4 * quad + y % 2 * 2 + x % 2]], [image[12 * y + x] / 255],
                                 1e-6)

    def test_what_is_written(self):
        stages = self.check('cdf97', 'ns-lift', 16, 16)
        self.assertEqual([stage.get('multiply_adds') for stage in stages], [None, 9, 9, 9, 9])
        self.assertEqual([stage.get('reads') for stage in stages], [None, 4, 4, 4, 4])
        self.assertEqual([stage.get('input') for stage in stages], [None, 0, 1, 2, 3])
        self.assertEqual([stage.get('barrier_before') for stage in stages],
                         [None, False, True, True, True])
        glsl = self.succeed('explain', 'cdf97/ns-lift', '--what', 'glsl').text()
        for stage in stages[1:]:
            self.assertIn(self.read('out/' + stage['shader']).decode(), glsl)
        for stage in stages:
            shape = formats.read_npy(self.read('out/' + stage['values']))[0]
            width, height = formats.read_png(self.read('out/' + stage['picture']))[:2]
            self.assertEqual((height, width), (2 * shape[0], 2 * shape[1]))

    def test_errors(self):
        passes = ('explain', 'cdf97', '--what', 'passes')
        self.write('in.png', formats.png(4, 4, formats.noise(16, 255), 1, 8))
        self.refuse(USAGE, '--what passes needs an image and a directory', *passes,
                    hint='--input IMAGE -o DIR')
        image = (*passes, '--input', 'in.png', '-o')
        self.refuse(USAGE, '…', *image, 'out', '--inverse', hint='…')
        self.refuse(USAGE, '--input is for --what passes', 'explain', 'cdf97', '--input', 'in.png')
        self.refuse(FILE, 'cannot make directory no/out (No such file or directory)', *image,
                    'no/out')
        self.refuse(FILE, 'no.png: no such file', *passes, '--input', 'no.png', '-o', 'out')
        self.succeed(*image, 'out')
        self.refuse(FILE, 'out/00_input.npy exists', *image, 'out', hint='use -f to overwrite')
