"""explain: the verifiable arithmetic of one sample, in images and volumes."""
import json
import math
import re

import formats
from harness import FILE, REFERENCE, USAGE, CliTest
from test_explain import SCHEMES, VOLUME_SCHEMES

def names(dims):
    """The names of the components of a quad or octet: one letter per axis, even or odd."""
    return [''.join('eo'[c >> axis & 1] for axis in range(dims)) for c in range(1 << dims)]


class Pixel(CliTest):
    unit = 255  # of in.png, whose samples are 0 to 1

    """The arithmetic evaluates to what --show passes wrote."""
    image, group = 'in.png', 'quad'
    steps, last = 'cdf53/sep-lift', [19, 13]

    def setUp(self):
        super().setUp()
        self.write('in.png', formats.png(20, 14, formats.noise(280, 255), 1, 8))

    def work(self, target, *place_and_options):
        place = [p for p in place_and_options if isinstance(p, int)]
        options = place_and_options[len(place):]
        told = self.succeed('explain', target, '--input', self.image, '--pixel',
                            ','.join(map(str, place)), '--format', 'json', *options).text()
        return json.loads(told)['schemes']

    def dump(self, target, *options):
        self.succeed('explain', target, '--show', 'passes', '--input', self.image, '-o', 'out',
                     '-f', *options)
        stages = json.loads(self.read('out/index.json'))['stages']
        for stage in stages:
            stage['shape'], stage['quads'] = formats.read_npy(self.read('out/' + stage['values']))
        return {stage['name']: stage for stage in stages}, stages

    def dumped(self, stage, name, place):
        """The dump of a volume: the even slice of a layer of octets, then the odd one."""
        component = names(len(place)).index(name)
        x, y, *z = (p - stage[axis] for p, axis in zip(place, 'xyz'))
        rows, columns = stage['shape'][-3:-1]
        slice_ = 2 * z[0] + component // 4 if z else 0
        return self.unit * stage['quads'][4 * ((slice_ * rows + y) * columns + x) + component % 4]

    def evaluate_formula(self, formula, before, group):
        def value(match):
            told = match[2][1:-1].split(',') if match[2] else [0] * len(group)
            steps = [int(step) for step in told]
            return '*(%r)' % self.dumped(before, match[1], [g + s for g, s in zip(group, steps)])
        python = re.sub(r' ?\b([eo]{2,3})\b(\([-+,\d]*\))?', value, formula)
        return eval(re.sub(r'(^|[-+]) ?\*', r'\1 1*', python))

    def check(self, target, *place_and_options):
        place = [p for p in place_and_options if isinstance(p, int)]
        options = place_and_options[len(place):]
        work, = self.work(target, *place_and_options)
        named, stages = self.dump(target, *options)
        pending = {}
        for shown in work['stages']:
            stage = named[shown['name']]
            before = stages[stages.index(stage) - 1]
            own = True  # value after the previous step
            used = ' '.join(line['question'] for line in shown['lines'])
            for name in set(re.findall(r'\b[eo]{2,3}\b', used)) & set(pending):
                self.assert_near(*pending[name], 3e-3)
            if 'pass 1 of' in shown['name'] or 'matrix' not in stage:
                pending = {}
            for line in shown['lines']:
                component, value = line['component'], line['value']
                self.assert_near([eval(line['expression'])], [value], 3e-3)
                if 'matrix' in stage and line['name'] == '' and own:
                    self.assert_near([self.evaluate_formula(line['formula'], before,
                                                            shown[self.group])], [value], 3e-3)
                own = own and line['name'] == ''
                dumped = self.dumped(stage, component, shown[self.group])
                if 'matrix' not in stage:
                    self.assert_near([value], [dumped], 3e-3)
                pending[component] = [value], [dumped]
        last = ''.join('eo'[(p >> stage['level'] - 1) % 2] for p in place)
        self.assert_near([work['result']['value']],
                         [self.dumped(stage, last, shown[self.group])], 3e-3)
        self.assertTrue(stage['result'])
        return work

    def test_values_that_are_not_finite(self):
        shape = (8,) * len(self.last)
        self.write('large.npy', formats.npy(shape, [math.inf] * 8 ** len(shape)))
        told = self.succeed('explain', self.steps, '--input', 'large.npy', '--pixel',
                            ','.join('3' * len(self.last))).text()
        self.assertIn('not finite', told)

    def test_it_evaluates(self):
        for wavelet in ('haar', 'cdf53', 'cdf97', 'dd137'):
            for scheme in SCHEMES:
                for number, options in enumerate(((), ('--inverse',), ('--no-optimize',))):
                    with self.subTest('%s %s %s' % (wavelet, scheme, options)):
                        self.check(wavelet + '/' + scheme, 6 + number % 2, 8 + number // 2, *options)

    def test_deeper_levels(self):
        for x, y in ((0, 0), (8, 8), (12, 4), (2, 0), (19, 13)):
            for options in (('-l', '3'), ('-l', '3', '--inverse', '--norm', 'none')):
                with self.subTest('%d,%d %s' % (x, y, options)):
                    self.check('cdf97/ns-poly', x, y, *options)

    def test_all_schemes_end_alike(self):
        for x, y in ((10, 6), (11, 6), (10, 7), (11, 7)):
            first, *others = (self.work('cdf97/' + scheme, x, y)[0] for scheme in SCHEMES)
            for other in others:
                self.assertEqual(other['result']['name'], first['result']['name'])
                self.assert_near([other['result']['value']], [first['result']['value']], 3e-4)

    def test_it_ends_where_forward_does(self):
        self.succeed('forward', 'in.png', '-o', 'c.npy', '-l', '2', '--layout', 'mixed', '-w',
                     'cdf53', *REFERENCE)
        told = formats.read_npy(self.read('c.npy'))[1]
        for x, y, name in ((4, 8, 'LL2(1,2)'), (6, 8, 'HL2(1,2)'), (5, 9, 'HH1(2,4)')):
            work, = self.work('cdf53', x, y, '-l', '2')
            self.assertEqual(work['result']['name'], name)
            self.assert_near([work['result']['exact']], [told[20 * y + x]], 1e-6)

    def test_two_schemes(self):
        two = ('explain', 'cdf53/ns-lift', '--vs', 'sep-lift/plain', '--input', 'in.png', '--pixel',
               '7,6')
        text = self.succeed(*two).text()
        result = re.search(r'(?m)^cdf53/nonsep-lifting/optimized +HL1\(3,3\) = (.*)$', text)[1]
        self.assertIn('cdf53/sep-lifting/plain', text)
        self.assertRegex(text, r'(?m)^cdf53/sep-lifting/plain +HL1\(3,3\) = %s$' % re.escape(result))
        self.assertLess(float(re.search('difference in the files: (.*)', text)[1]), 1e-9)
        self.assertIn('high-pass in x, shows vertical edges; pywt cV1', ' '.join(text.split()))
        both = json.loads(self.succeed(*two, '--format', 'json').text())['schemes']
        self.assertEqual([w['scheme'] for w in both],
                         ['cdf53/nonsep-lifting/optimized', 'cdf53/sep-lifting/plain'])

    def test_text_has_the_same_lines(self):
        for options in ((), ('--inverse',)):
            work, = self.work('cdf53/sep-lift', 7, 6, *options)
            text = self.succeed('explain', 'cdf53/sep-lift', '--input', 'in.png', '--pixel', '7,6',
                                *options).text()
            text = re.sub(r'\n {5,}(?!=)', ' ', text)
            for stage in work['stages']:
                self.assertIn(stage['name'], text)
                for line in stage['lines']:
                    self.assertIn('= ' + line['expression'], text)

    def test_beyond_the_edge(self):
        """Predict steps read to the right and below, update steps to the left and above."""
        first = [0] * len(self.last)
        for place, ends in ((first, ('S',)), ([9, 7, 4][:len(first)], ()), (self.last, ('T',))):
            work, = self.work(self.steps, *place)
            steps = [stage for stage in work['stages'] if 'label' in stage]
            self.assertEqual({stage['label'][0] for stage in steps}, {'T', 'S'})
            for stage in steps:
                self.assertEqual(stage['beyond'], stage['label'].startswith(ends), (place, stage))

    def test_impulse_in_x(self):
        """An image that varies only along x has coefficients only in HL, which is cV of pywt."""
        self.write('in.png', formats.png(20, 14, [255 if x == 9 else 0 for x in range(20)] * 14, 1, 8))
        values = {}
        for x, y in ((8, 6), (9, 6), (8, 7), (9, 7)):
            result = self.work('cdf97', x, y)[0]['result']
            values[result['name'][:2]] = result['value'], result['meaning']
        self.assertGreater(abs(values['HL'][0]), 100)
        self.assertEqual([values['LH'][0], values['HH'][0]], [0, 0])
        self.assertIn('pywt cV1', values['HL'][1])
        self.assertIn('pywt cH1', values['LH'][1])

    def test_errors(self):
        image = ('explain', 'cdf53', '--input', 'in.png', '--pixel')
        for place in '20,0', '0,14', '-1,3':
            self.refuse(USAGE, 'pixel %s is outside the image (20x14)' % place, *image[:-1],
                        '--pixel=' + place)
        for place in '3', '3;4', 'a,b', '1.5,2', ',':
            self.refuse(USAGE, "--pixel: '%s' is not a position" % place, *image, place,
                        hint='X,Y from …')
        self.refuse(USAGE, "--pixel: '1,2,3,4' is not a position", *image, '1,2,3,4',
                    hint='…X,Y,Z for volumes')
        self.refuse(USAGE, 'a position in an image has two coordinates', *image, '1,2,3',
                    hint='give X,Y')
        self.refuse(USAGE, '--show pixel needs an image and a place in it', 'explain', 'cdf53',
                    '--pixel', '1,1', hint='--input IMAGE --pixel X,Y')
        self.refuse(USAGE, "unknown scheme 'ns-lit'", *image, '1,1', '--vs', 'ns-lit', hint='…')
        self.refuse(USAGE, '--vs is not for --show ops', 'explain', 'cdf53', '--show', 'ops',
                    '--vs', 'ns-lift', hint='it is for --show pixel')
        self.refuse(USAGE, '--pixel is not for --show glsl', *image[:2], '--show', 'glsl',
                    '--pixel', '1,1')
        self.refuse(FILE, 'no.png: no such file', 'explain', '--input', 'no.png', '--pixel', '1,1')


class Voxel(Pixel):
    """The same for a volume."""
    image, group = 'in.npy', 'octet'
    steps, last = 'cdf53/pl-lift', [11, 9, 8]
    size = 12, 10, 9
    unit = 1  # an NPY has numbers

    def setUp(self):
        super().setUp()
        self.write('in.npy', formats.npy(self.size[::-1], formats.noise(1080, 255), '|u1'))

    def test_it_evaluates(self):
        for wavelet in ('haar', 'cdf53', 'cdf97'):
            for scheme in VOLUME_SCHEMES:
                for number, options in enumerate(((), ('--inverse',), ('--no-optimize',))):
                    with self.subTest('%s %s %s' % (wavelet, scheme, options)):
                        self.check(wavelet + '/' + scheme, 4 + number % 2, 5 + number // 2,
                                   3 + number % 2, *options)

    def test_deeper_levels(self):
        for place in ((0, 0, 0), (8, 8, 8), (4, 8, 0), (2, 0, 4), (11, 9, 8)):
            for options in (('-l', '3'), ('-l', '3', '--inverse', '--norm', 'none')):
                with self.subTest('%s %s' % (place, options)):
                    self.check('cdf97/pl-poly', *place, *options)

    def test_all_schemes_end_alike(self):
        for place in ((6, 6, 4), (7, 6, 5), (6, 7, 5), (7, 7, 4)):
            first, *others = (self.work('cdf97/' + scheme, *place)[0] for scheme in VOLUME_SCHEMES)
            for other in others:
                self.assertEqual(other['result']['name'], first['result']['name'])
                self.assert_near([other['result']['value']], [first['result']['value']], 3e-4)

    def test_it_ends_where_forward_does(self):
        """The result is that of `forward`, also if an axis has fewer levels or one sample, and at
        its last, odd sample."""
        width, height, _ = self.size
        for wavelet in ('haar', 'cdf53'):
            self.succeed('forward', 'in.npy', '-o', 'c.npy', '-f', '-l', '2', '--layout', 'mixed',
                         '-w', wavelet, *REFERENCE)
            told = formats.read_npy(self.read('c.npy'))[1]
            for x, y, z, name in ((4, 8, 0, 'LLL2(1,2,0)'), (6, 8, 4, 'HLL2(1,2,1)'),
                                  (5, 9, 3, 'HHH1(2,4,1)'), (4, 4, 6, 'LLH2(1,1,1)'),
                                  (11, 9, 8, 'HHL1(5,4,4)'), (8, 8, 8, 'LLL2(2,2,2)')):
                work, = self.work(wavelet, x, y, z, '-l', '2')
                self.assertEqual(work['result']['name'], name)
                self.assert_near([work['result']['exact']],
                                 [told[(z * height + y) * width + x]], 1e-6)

    def test_axes_with_fewer_levels(self):
        for shape, levels, places in (((2, 6, 9), 3, ((0, 0, 0), (8, 4, 0), (4, 0, 1), (0, 0, 1))),
                                      ((5, 1, 6), 2, ((0, 0, 0), (4, 0, 4), (5, 0, 2), (2, 0, 0))),
                                      ((1, 6, 7), 2, ((4, 4, 0), (2, 0, 0), (6, 5, 0)))):
            depth, height, width = shape
            samples = formats.noise(depth * height * width, 255)
            self.write('in.npy', formats.npy(shape, samples, '|u1'))
            self.succeed('forward', 'in.npy', '--volume', '-o', 'c.npy', '-f', '-l', str(levels),
                         '--layout', 'mixed', '-w', 'cdf53', *REFERENCE)
            told = formats.read_npy(self.read('c.npy'))[1]
            again = samples
            for x, y, z in places:
                with self.subTest(shape=shape, place=(x, y, z)):
                    at = (z * height + y) * width + x
                    for inverse, wanted in (((), told), (('--inverse',), again)):
                        work, = self.work('cdf53', x, y, z, '--volume', '-l', str(levels), *inverse)
                        self.assert_near([work['result']['exact']], [wanted[at]], 1e-6)

    def test_two_schemes(self):
        text = self.succeed('explain', 'cdf53/pl-lift', '--vs', 'sep-lift/plain', '--input',
                            'in.npy', '--pixel', '7,6,5').text()
        self.assertRegex(text, r'(?m)^cdf53/planar-lifting/optimized +HLH1\(3,3,2\) = ')
        self.assertLess(float(re.search('difference in the files: (.*)', text)[1]), 1e-6)
        self.assertIn('high-pass in x and z; pywt dad1', text)
        self.assertIn('eee = voxel(6,6,4) = ', text)

    def test_text_has_the_same_lines(self):
        for options in ((), ('--inverse',)):
            work, = self.work('cdf53/pl-lift', 7, 6, 5, *options)
            text = self.succeed('explain', 'cdf53/pl-lift', '--input', 'in.npy', '--pixel', '7,6,5',
                                *options).text()
            text = re.sub(r'\n {5,}(?!=)', ' ', text)
            for stage in work['stages']:
                self.assertIn('%s, octet (%d,%d,%d)' % (stage['name'], *stage['octet']), text)
                for line in stage['lines']:
                    self.assertIn('= ' + line['expression'], text)

    def test_impulse_in_x(self):
        """A volume that varies along one axis has coefficients only in subbands that are high-pass
        along only that axis."""
        for axis, band in enumerate(('HLL', 'LHL', 'LLH')):
            width, height, depth = self.size
            samples = [255 if (x, y, z)[axis] == 5 else 0
                       for z in range(depth) for y in range(height) for x in range(width)]
            self.write('in.npy', formats.npy(self.size[::-1], samples, '|u1'))
            for number in range(1, 8):
                place = [4 + (number >> a & 1) for a in range(3)]
                result = self.work('cdf97', *place)[0]['result']
                name = ''.join('LH'[number >> a & 1] for a in range(3))
                self.assertTrue(result['name'].startswith(name + '1('))
                self.assertEqual(abs(result['value']) > 100, name == band)
                self.assertIn('pywt %s1' % ''.join('ad'[l == 'H'] for l in reversed(name)),
                              result['meaning'])

    def test_errors(self):
        volume = ('explain', 'cdf53/pl-lift', '--input', 'in.npy', '--pixel')
        for place in '12,0,0', '0,10,0', '0,0,9':
            self.refuse(USAGE, 'voxel %s is outside the volume (12x10x9)' % place, *volume, place)
        self.refuse(USAGE, 'a position in a volume has three coordinates', *volume, '1,2',
                    hint='give X,Y,Z')
        image = ('explain', 'cdf53/pl-lift', '--input', 'in.png', '--pixel', '1,1,0')
        self.refuse(USAGE, "scheme 'planar-lifting' is for volumes, but in.png is an image", *image,
                    hint='--volume treats the image as a volume of one slice')
        self.succeed(*image, '--volume')
        self.refuse(USAGE, '--raw needs a file', 'explain', '--show', 'report', '--raw', '2x2x2:u8',
                    hint='--input FILE')
        self.write('in.raw', bytes(range(60)))
        raw = self.succeed('explain', 'cdf53/pl-lift', '--input', 'in.raw', '--raw', '5x4x3:u8',
                           '--pixel', '0,0,0').text()
        self.assertIn('eee = voxel(0,0,0) = 0\n', raw)
        self.assertIn('eeo = voxel(0,0,1) = 20\n', raw)

    def test_periodic(self):
        self.write('in.npy', formats.npy((4, 6, 8), formats.noise(192, 255), '|u1'))
        self.succeed('forward', 'in.npy', '-o', 'c.npy', '--volume', '-l', '1', '--layout', 'mixed',
                     '-w', 'db2', '--border', 'periodic', *REFERENCE)
        told = formats.read_npy(self.read('c.npy'))[1]
        for x, y, z in ((0, 0, 0), (7, 5, 3), (3, 0, 2)):
            for scheme in VOLUME_SCHEMES:
                work, = self.work('db2/' + scheme, x, y, z, '--volume')
                self.assert_near([work['result']['exact']], [told[(z * 6 + y) * 8 + x]], 1e-4)

    def test_passes_are_files(self):
        _, stages = self.dump('cdf53/pl-lift', '-l', '2')
        index = json.loads(self.read('out/index.json'))
        self.assertEqual([index[key] for key in ('width', 'height', 'depth', 'levels', 'levels_z')],
                         [12, 10, 9, 2, 2])
        # The input and four passes, a gather and four passes; no shaders.
        self.assertEqual([len(stages), sum('shader' in stage for stage in stages)], [10, 0])
        for stage in stages:
            slices, rows, columns, four = stage['shape']
            self.assertEqual([four, slices % 2], [4, 0])
            width, height = formats.read_png(self.read('out/' + stage['picture']))[:2]
            across = width // (2 * columns)
            self.assertEqual([width, height % (2 * rows)], [2 * columns * across, 0])
            self.assertGreaterEqual(across * (height // (2 * rows)), slices)
