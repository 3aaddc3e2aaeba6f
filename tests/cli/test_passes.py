"""explain --show passes: the textures of every pass, the last of which is the result of `forward`.
"""
import json

import formats
from harness import FILE, REFERENCE, USAGE, CliTest

SCHEMES = ('sep-conv', 'sep-poly', 'sep-lift', 'ns-conv', 'ns-poly', 'ns-lift')


def quad_at(shape, quads, x, y):
    start = 4 * (y * shape[1] + x)
    return quads[start:start + 4]


def recompute(stage, shape, quads, before):
    """The result of a step's matrix, constants and scaling for the quads of the step before."""
    old_shape, old_quads = formats.read_npy(before['data'])
    letters, worst = 'rgba', 0
    for y in range(shape[0]):
        for x in range(shape[1]):
            def old(m, n):
                return quad_at(old_shape, old_quads, x + stage['x'] - before['x'] + m,
                               y + stage['y'] - before['y'] + n)
            own = [v * s for v, s in zip(old(0, 0), stage['scale_in'])]
            for c in stage['before']:
                own[letters.index(c['destination'])] += c['c'] * own[letters.index(c['source'])]
            new = []
            for row in stage['matrix']:
                new.append(0)
                for j, terms in enumerate(row):
                    for t in terms:
                        value = own[j] if stage['before'] else (
                            old(t['m'], t['n'])[j] * stage['scale_in'][j])
                        new[-1] += t['c'] * value
            for c in stage['after']:
                new[letters.index(c['destination'])] += c['c'] * new[letters.index(c['source'])]
            new = [v * s for v, s in zip(new, stage['scale_out'])]
            worst = max(worst, *(abs(a - b) for a, b in zip(new, quad_at(shape, quads, x, y))))
    return worst


class Passes(CliTest):
    def dump(self, target, *options):
        self.succeed('explain', target, '--show', 'passes', '--input', 'in.png', '-o', 'out', '-f',
                     *options)
        return json.loads(self.read('out/index.json'))['stages']

    def values(self, stage):
        return formats.read_npy(self.read('out/' + stage['values']))

    def make_image(self, width, height):
        samples = formats.noise(width * height, 255)
        self.write('in.png', formats.png(width, height, samples, 1, 8))

    def coefficients(self, *options):
        self.succeed('forward', 'in.png', '-o', 'c.npy', '-f', '--layout', 'mixed', *REFERENCE,
                     *options)
        return formats.read_npy(self.read('c.npy'))[1]

    def samples(self, stage, width, height):
        """The samples of a step at their positions, row by row."""
        shape, quads = self.values(stage)
        self.assertEqual(shape, ((height + 1) // 2, (width + 1) // 2, 4))
        self.assertEqual((stage['x'], stage['y']), (0, 0))
        return [quads[4 * (y // 2 * shape[1] + x // 2) + y % 2 * 2 + x % 2]
                for y in range(height) for x in range(width)]

    def check(self, wavelet, scheme, width, height, *options):
        self.make_image(width, height)
        stages = self.dump(wavelet + '/' + scheme, *options)
        last = self.samples(stages[-1], width, height)
        self.assertEqual(last, self.coefficients('-w', wavelet, '-s', scheme, '-l', '1', *options))
        return stages

    def test_last_is_forward(self):
        for wavelet in ('haar', 'cdf53', 'cdf97', 'dd137'):
            for scheme in SCHEMES:
                with self.subTest('%s %s' % (wavelet, scheme)):
                    self.check(wavelet, scheme, 22, 14)
        for width, height in ((21, 13), (8, 1), (1, 8), (2, 2)):
            with self.subTest('%dx%d' % (width, height)):
                self.check('cdf97', 'ns-poly', width, height, '--no-optimize', '--norm', 'none')

    def test_results_of_all_levels_are_forward(self):
        for wavelet, width, height, levels, options in (
                ('cdf97', 21, 13, 3, ()), ('cdf53', 32, 16, 4, ('--border', 'periodic')),
                ('haar', 13, 9, 2, ('--norm', 'orthonormal'))):
            with self.subTest(wavelet):
                self.make_image(width, height)
                options = ('-l', str(levels), *options)
                stages = self.dump(wavelet + '/ns-lift', *options)
                self.assertEqual(sum('gather' in stage['name'] for stage in stages), levels - 1)
                found = {}
                for level, stage in enumerate(s for s in stages if s['result']):
                    step = 1 << level
                    wide, high = -(-width // step), -(-height // step)
                    for i, value in enumerate(self.samples(stage, wide, high)):
                        found[i % wide * step, i // wide * step] = value
                told = self.coefficients('-w', wavelet, '-s', 'ns-lift', *options)
                self.assertEqual([found[i % width, i // width] for i in range(width * height)],
                                 told)

    def test_results_with_a_border_of_pywavelets(self):
        """Quad k of a level has coefficient k of each band."""
        self.make_image(11, 9)
        for border, wavelet, taps in (('pywt-zero', 'db3', 6), ('pywt-symmetric', 'cdf97', 10),
                                      ('pywt-smooth', 'cdf53', 6), ('pywt-periodization', 'haar', 2)):
            options = '-l', '2', '--border', border, '--norm', 'pywt'
            stages = self.dump(wavelet + '/sep-lift', *options)
            self.succeed('forward', 'in.png', '-o', 'c.npy', '-f', '-w', wavelet, *REFERENCE,
                         *options)
            (_, width), coefficients = formats.read_npy(self.read('c.npy'))
            one = [(n + taps - 1) // 2 for n in (11, 9)]
            two = [(n + taps - 1) // 2 for n in one]
            self.assertEqual(len(coefficients), (two[0] * 2 + one[0]) * (two[1] * 2 + one[1]))
            counted = 0
            for stage in (stage for stage in stages if stage['result']):
                (_, columns, _), quads = self.values(stage)
                size, high = (one, [2 * n for n in two]) if stage['level'] == 1 else (two, two)
                for component in range(1 if stage['level'] == 1 else 0, 4):
                    for y in range(size[1]):
                        for x in range(size[0]):
                            quad = 4 * ((y - stage['y']) * columns + x - stage['x'])
                            at = ((component // 2 * high[1] + y) * width + component % 2 * high[0] +
                                  x)
                            self.assertAlmostEqual(quads[quad + component], coefficients[at],
                                                   delta=1e-5)
                            counted += 1
            self.assertEqual(counted, 3 * one[0] * one[1] + 4 * two[0] * two[1])

    def test_last_of_inverse_is_inverse(self):
        for levels in '1', '3':
            for options in ((), ('--norm', 'none', '--no-optimize')):
                with self.subTest('%s %s' % (levels, options)):
                    self.make_image(21, 13)
                    stages = self.dump('cdf97/sep-conv', '-l', levels, '--inverse', *options)
                    self.coefficients('-w', 'cdf97', '-s', 'sep-conv', '-l', levels, *options)
                    self.succeed('inverse', 'c.npy', '-o', 'again.npy', '-f', *REFERENCE, '-s',
                                 'sep-conv', *(o for o in options if o == '--no-optimize'))
                    again = formats.read_npy(self.read('again.npy'))[1]
                    self.assertEqual(self.samples(stages[-1], 21, 13), again)
                    self.assertTrue(stages[-1]['result'])

    def test_index_says_what_was_computed(self):
        """The matrices and constants of the index transform the file of every step into the next
        one."""
        self.make_image(14, 10)
        for wavelet in ('haar', 'cdf53', 'cdf97'):
            for scheme in SCHEMES:
                for options in ((), ('--inverse', '-l', '2'), ('--no-optimize',)):
                    with self.subTest('%s %s %s' % (wavelet, scheme, options)):
                        stages = self.dump(wavelet + '/' + scheme, *options)
                        for stage in stages:
                            stage['data'] = self.read('out/' + stage['values'])
                        for stage in stages:
                            if 'matrix' in stage:
                                worst = recompute(stage, *self.values(stage),
                                                  stages[stage['input']])
                                self.assertLess(worst, 2e-6)

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
        self.assertEqual([stage['input'] for stage in stages], [None, 0, 1, 2, 3])
        self.assertEqual([stage.get('barrier_before') for stage in stages],
                         [False, False, True, True, True])
        self.assertEqual(stages[1]['symbols'][3], ['P1(1)* P1(1)', 'P1(1)*', 'P1(1)', '1'])
        for stage in stages[1:]:
            self.assertGreaterEqual(stage['ms'], 0)
        glsl = self.succeed('explain', 'cdf97/ns-lift', '--show', 'glsl').text()
        for stage in stages[1:]:
            self.assertIn(self.read('out/' + stage['shader']).decode(), glsl)
        for stage in stages:
            shape = formats.read_npy(self.read('out/' + stage['values']))[0]
            width, height = formats.read_png(self.read('out/' + stage['picture']))[:2]
            self.assertEqual((height, width), (2 * shape[0], 2 * shape[1]))

    def test_numpy_reads_every_file(self):
        try:
            import numpy
        except ImportError:
            self.skipTest('numpy is not installed')
        self.make_image(11, 7)
        for stage in self.dump('cdf97/ns-poly', '-l', '2'):
            shape, quads = self.values(stage)
            array = numpy.load(self.path('out/' + stage['values']))
            self.assertEqual((array.shape, array.dtype), (shape, numpy.float32))
            self.assertEqual(array.flatten().tolist(), list(quads))

    def test_errors(self):
        passes = ('explain', 'cdf97', '--show', 'passes')
        self.write('in.png', formats.png(4, 4, formats.noise(16, 255), 1, 8))
        self.refuse(USAGE, '--show passes needs an image and a directory', *passes,
                    hint='--input IMAGE -o DIR')
        image = (*passes, '--input', 'in.png', '-o')
        self.refuse(USAGE, '--show passes writes files of several formats', *image, 'out',
                    '--format', 'txt', hint='omit --format')
        self.refuse(USAGE, 'the block form does not run as render passes', 'explain',
                    'cdf97/ns-lift/block', '--show', 'passes', '--input', 'in.png', '-o', 'out',
                    hint="omit '/block'")
        self.refuse(USAGE, '--input is not for --show summary', 'explain', 'cdf97', '--input',
                    'in.png', hint='it is for --show passes, pixel, report, all')
        self.refuse(USAGE, '9 levels are more than a 4x4 image has', *image, 'out', '-l', '9',
                    hint='at most 2 here')
        self.refuse(FILE, 'cannot write out.txt/00_input.npy (Not a directory)', *image,
                    self.write('out.txt', 'x'))
        self.refuse(FILE, 'cannot make directory no/out (No such file or directory)', *image,
                    'no/out')
        self.refuse(FILE, 'no.png: no such file', *passes, '--input', 'no.png', '-o', 'out')
        self.succeed(*image, 'out')
        self.refuse(FILE, 'out/00_input.npy exists', *image, 'out', hint='use -f to overwrite')
