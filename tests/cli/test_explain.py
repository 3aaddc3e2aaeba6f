"""explain: matrices in symbols, arithmetic that can be checked, comparisons, pages for a class."""
import base64
import cmath
import csv
import io
import json
import math
import os
import random
import re
import textwrap
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import formats
from harness import FILE, REFERENCE, ROOT, USAGE, CliTest

SCHEMES = ('sep-conv', 'sep-poly', 'sep-lift', 'ns-conv', 'ns-poly', 'ns-lift')
VOLUME_SCHEMES = SCHEMES + ('pl-conv', 'pl-poly', 'pl-lift')
LETTERS = 'rgbaRGBA'
WAVELETS = ('haar', 'cdf53', 'cdf97', 'dd137', 'db2', 'cdf1711', 'cdf93')
XHTML = '{http://www.w3.org/1999/xhtml}'
SVG = '{http://www.w3.org/2000/svg}'


class Matrices(CliTest):
    def passes(self, *arguments):
        told = self.succeed('explain', *arguments, '--what', 'matrix', '--format', 'json').text()
        return json.loads(told)['passes']

    def evaluate(self, expression, known, stars):
        """A sum of products of symbols: each as its values in z_m, in z_n and in z_o."""
        total = 0
        for product in expression.split(' + '):
            value = 1
            for symbol in product.split():
                if symbol in '01':
                    value *= int(symbol)
                else:
                    value *= known[symbol.rstrip('*')][stars or symbol.count('*')]
            total += value
        return total

    def test_symbols_are_the_numbers(self):
        random.seed(1)
        z = [cmath.exp(1j * random.uniform(0, 6)) for _ in range(2)]
        for wavelet in WAVELETS:
            for scheme in SCHEMES:
                for form, options in (('', ()), ('/plain', ()), ('/block', ()), ('', ('--inverse',))):
                    with self.subTest('%s %s %s %s' % (wavelet, scheme, form, options)):
                        for p in self.passes(wavelet + '/' + scheme + form, *options):
                            self.check_pass(p, z)

    def test_symbols_of_volumes_are_the_numbers(self):
        random.seed(2)
        z = [cmath.exp(1j * random.uniform(0, 6)) for _ in range(3)]
        for wavelet in ('haar', 'cdf53', 'cdf97'):
            for scheme in VOLUME_SCHEMES:
                for form, options in (('', ()), ('/block', ()), ('', ('--inverse',))):
                    with self.subTest('%s %s %s %s' % (wavelet, scheme, form, options)):
                        for p in self.passes(wavelet + '/' + scheme + form, '--volume', *options):
                            self.check_pass(p, z)

    def check_pass(self, p, z):
        known, size = {}, 2 ** len(z)
        for name, meaning in p['meaning'].items():
            if isinstance(meaning, str):
                known[name] = [self.evaluate(meaning, known, star) for star in range(len(z))]
            else:
                self.assertTrue(all(t['n'] == t.get('o', 0) == 0 for t in meaning))
                known[name] = [sum(t['c'] * v ** -t['m'] for t in meaning) for v in z]
        self.assertEqual([len(p['matrix']), len(p['symbols']), len(p['scale_out'])], [size] * 3)
        for i in range(size):
            for j in range(size):
                number = 0
                for t in p['matrix'][i][j]:
                    term = t['c']
                    for v, axis in zip(z, 'mno'):
                        term *= v ** -t[axis]
                    number += term
                symbol = self.evaluate(p['symbols'][i][j], known, 0)
                self.assertLess(abs(number - symbol), 1e-9 * (1 + abs(number)))

    def test_those_of_the_paper(self):
        """Sections 2 and 4 of Barina et al. 2017."""
        predict, update = self.passes('cdf53/ns-lift/plain')
        self.assertEqual(predict['symbols'], [['1', '0', '0', '0'], ['P', '1', '0', '0'],
                                              ['P*', '0', '1', '0'], ['P* P', 'P*', 'P', '1']])
        self.assertEqual(update['symbols'], [['1', 'U', 'U*', 'U* U'], ['0', '1', '0', 'U*'],
                                             ['0', '0', '1', 'U'], ['0', '0', '0', '1']])
        both = self.passes('cdf53/ns-conv/plain')[0]
        self.assertEqual(both['symbols'], [['V* V', 'V* U', 'U* V', 'U* U'],
                                           ['V* P', 'V*', 'U* P', 'U*'],
                                           ['P* V', 'P* U', 'V', 'U'], ['P* P', 'P*', 'P', '1']])
        self.assertEqual(both['meaning']['V'], 'P U + 1')

    def test_octets_are_two_slices(self):
        """A pass of all axes is, block by block, a slice's matrix times an entry along z."""
        flat = self.passes('cdf53/ns-conv/plain')[0]['symbols']
        both = self.passes('cdf53/ns-conv/plain', '--volume')[0]['symbols']
        for block, row, column in (('V**', 0, 0), ('U**', 0, 4), ('P**', 4, 0), ('1', 4, 4)):
            for i in range(4):
                for j in range(4):
                    factors = [f for f in (block, flat[i][j]) if f != '1']
                    self.assertEqual(both[row + i][column + j], ' '.join(factors) or '1')

    def test_numbers_and_symbols_as_text(self):
        for form in 'txt', 'md', 'tex':
            symbols = self.succeed('explain', 'cdf53/ns-lift/plain', '--what', 'matrix', '--format',
                                   form).text()
            numbers = self.succeed('explain', 'cdf53/ns-lift/plain', '--what', 'matrix', '--format',
                                   form, '--numbers').text()
            self.assertIn('P', symbols)
            self.assertIn('0.0625', numbers)
            self.assertNotIn('0.0625', symbols)

    def test_counts(self):
        for options in ((), ('--plain',), ('-s', 'ns-lift'), ('--volume',), ('-s', 'pl-lift')):
            table = self.succeed('explain', '-w', 'cdf97', '--what', 'ops', '--format', 'csv', *options)
            rows = json.loads(self.succeed('explain', '-w', 'cdf97', '--what', 'ops', '--format',
                                           'json', *options).text())
            wanted = list(csv.DictReader(io.StringIO(table.text())))
            self.assertEqual(len(rows), len(wanted))
            for row, line in zip(rows, wanted):
                for key in 'wavelet', 'scheme', 'steps', 'plain', 'opencl', 'shader':
                    self.assertEqual(str(row[key]), line[key])
                self.assertEqual(sum(row['fetches']), int(line['fetches']))
                volume = '--volume' in options or 'pl-lift' in options
                self.assertEqual(row['bytes_per_voxel' if volume else 'bytes_per_pixel'],
                                 4 * (int(line['fetches']) + int(line['steps'])))

    def test_factoring(self):
        """Every division, multiplied out again: dividend = quotient divisor + remainder."""
        for name in ('cdf97', 'db5', 'db20'):
            told = json.loads(self.succeed('explain', name, '--what', 'factoring',
                                           '--json').text())
            for division in told['divisions']:
                sum_of = dict(enumerate(division['remainder']['c'],
                                        division['remainder']['first']))
                for i, q in enumerate(division['quotient']['c'], division['quotient']['first']):
                    for k, d in enumerate(division['divisor']['c'], division['divisor']['first']):
                        sum_of[i + k] = sum_of.get(i + k, 0) + q * d
                dividend = dict(enumerate(division['dividend']['c'],
                                          division['dividend']['first']))
                for k in sum_of.keys() | dividend.keys():
                    self.assertAlmostEqual(sum_of.get(k, 0), dividend.get(k, 0), places=11)
            # What float32 keeps, by axes that go together.
            self.assertLess(told['bound'][0], 1.3e-5)
            self.assertEqual(told['bound'][1] > 1.1e-5, name != 'cdf97')
            text = self.succeed('explain', name, '--what', 'factoring').text()
            self.assertEqual('float32 keeps' in text, name != 'cdf97')


class Pixel(CliTest):
    """The arithmetic evaluates to what --what passes wrote."""
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
        self.succeed('explain', target, '--what', 'passes', '--input', self.image, '-o', 'out',
                     '-f', *options)
        stages = json.loads(self.read('out/index.json'))['stages']
        for stage in stages:
            stage['shape'], stage['quads'] = formats.read_npy(self.read('out/' + stage['values']))
        return {stage['name']: stage for stage in stages}, stages

    def dumped(self, stage, letter, place):
        """Of a volume the even slice of a layer of octets, then its odd one."""
        component = LETTERS.index(letter)
        x, y, *z = (p - stage[axis] for p, axis in zip(place, 'xyz'))
        rows, columns = stage['shape'][-3:-1]
        slice_ = 2 * z[0] + component // 4 if z else 0
        return 255 * stage['quads'][4 * ((slice_ * rows + y) * columns + x) + component % 4]

    def evaluate_formula(self, formula, before, group):
        def value(match):
            told = match[2][1:-1].split(',') if match[2] else [0] * len(group)
            steps = [int(step) for step in told]
            return '*(%r)' % self.dumped(before, match[1], [g + s for g, s in zip(group, steps)])
        python = re.sub(r' ?([rgbaRGBA])(\([-+,\d]*\))?', value, formula)
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
            own = True # as the stage before left it
            used = ' '.join(line['question'] for line in shown['lines'])
            for letter in set(re.findall(r'\b[rgbaRGBA]\b', used)) & set(pending):
                self.assert_near(*pending[letter], 3e-3)
            if 'pass 1 of' in shown['name'] or 'matrix' not in stage:
                pending = {}
            for line in shown['lines']:
                letter, value = line['component'], line['value']
                self.assert_near([eval(line['expression'])], [value], 3e-3)
                if 'matrix' in stage and line['name'] == '' and own:
                    self.assert_near([self.evaluate_formula(line['formula'], before,
                                                            shown[self.group])], [value], 3e-3)
                own = own and line['name'] == ''
                dumped = self.dumped(stage, letter, shown[self.group])
                if 'matrix' not in stage:
                    self.assert_near([value], [dumped], 3e-3)
                pending[letter] = [value], [dumped]
        letter = LETTERS[sum((p >> stage['level'] - 1) % 2 << axis for axis, p in enumerate(place))]
        self.assert_near([work['result']['value']],
                         [self.dumped(stage, letter, shown[self.group])], 3e-3)
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
                for number, options in enumerate(((), ('--inverse',), ('--plain',))):
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
        """Predicts read to the right and below, updates to the left and above."""
        first = [0] * len(self.last)
        for place, ends in ((first, ('S',)), ([9, 7, 4][:len(first)], ()), (self.last, ('T',))):
            work, = self.work(self.steps, *place)
            steps = [stage for stage in work['stages'] if 'label' in stage]
            self.assertEqual({stage['label'][0] for stage in steps}, {'T', 'S'})
            for stage in steps:
                self.assertEqual(stage['beyond'], stage['label'].startswith(ends), (place, stage))

    def test_impulse_in_x(self):
        """What varies along x alone is in HL alone, and that is pywt's cV."""
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
            self.refuse(USAGE, "--pixel: '%s' is not a place" % place, *image, place,
                        hint='X,Y from …')
        self.refuse(USAGE, "--pixel: '1,2,3,4' is not a place", *image, '1,2,3,4', hint='…X,Y,Z')
        self.refuse(USAGE, 'a place in an image has two numbers', *image, '1,2,3',
                    hint='--pixel X,Y')
        self.refuse(USAGE, '--what pixel needs an image and a place in it', 'explain', 'cdf53',
                    '--pixel', '1,1', hint='--input IMAGE --pixel X,Y')
        self.refuse(USAGE, "unknown scheme 'ns-lit'", *image, '1,1', '--vs', 'ns-lit', hint='…')
        self.refuse(USAGE, '--vs is not for --what ops', 'explain', 'cdf53', '--what', 'ops', '--vs',
                    'ns-lift', hint='it is for --what pixel')
        self.refuse(USAGE, '--pixel is not for --what glsl', *image[:2], '--what', 'glsl',
                    '--pixel', '1,1')
        self.refuse(FILE, 'no.png: no such file', 'explain', '--input', 'no.png', '--pixel', '1,1')


class Voxel(Pixel):
    """The same of a volume."""
    image, group = 'in.npy', 'octet'
    steps, last = 'cdf53/pl-lift', [11, 9, 8]
    size = 12, 10, 9

    def setUp(self):
        super().setUp()
        self.write('in.npy', formats.npy(self.size[::-1], formats.noise(1080, 255), '|u1'))

    def test_it_evaluates(self):
        for wavelet in ('haar', 'cdf53', 'cdf97'):
            for scheme in VOLUME_SCHEMES:
                for number, options in enumerate(((), ('--inverse',), ('--plain',))):
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
        """Also where an axis has fewer levels or one sample, and at its last, odd sample."""
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
            again = [value / 255 for value in samples]
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
        self.assertIn('r = voxel(6,6,4) = ', text)

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
        """What varies along one axis alone is in the bands that are high in it alone."""
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
        self.refuse(USAGE, 'a place in a volume has three numbers', *volume, '1,2',
                    hint='--pixel X,Y,Z')
        image = ('explain', 'cdf53/pl-lift', '--input', 'in.png', '--pixel', '1,1,0')
        self.refuse(USAGE, "scheme 'planar-lifting' is of volumes, and in.png is an image", *image,
                    hint='--volume takes it for a volume of one slice')
        self.succeed(*image, '--volume')
        self.refuse(USAGE, '--raw needs a file', 'explain', '--what', 'report', '--raw', '2x2x2:u8',
                    hint='--input FILE')
        self.write('in.raw', bytes(range(60)))
        raw = self.succeed('explain', 'cdf53/pl-lift', '--input', 'in.raw', '--raw', '5x4x3:u8',
                           '--pixel', '0,0,0').text()
        self.assertIn('r = voxel(0,0,0) = 0\n', raw)
        self.assertIn('R = voxel(0,0,1) = 20\n', raw)

    def test_periodic(self):
        self.write('in.npy', formats.npy((4, 6, 8), formats.noise(192, 255), '|u1'))
        self.succeed('forward', 'in.npy', '-o', 'c.npy', '--volume', '-l', '1', '--layout', 'mixed',
                     '-w', 'db2', '--border', 'periodic', *REFERENCE)
        told = formats.read_npy(self.read('c.npy'))[1]
        for x, y, z in ((0, 0, 0), (7, 5, 3), (3, 0, 2)):
            for scheme in VOLUME_SCHEMES:
                work, = self.work('db2/' + scheme, x, y, z, '--volume')
                self.assert_near([work['result']['exact']], [told[(z * 6 + y) * 8 + x]], 1e-6)

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


class Cuda(CliTest):
    def test_kernel(self):
        """A kernel a scheme, a barrier at least for each pass that reads along x."""
        for scheme, least in (('sep-lifting', 4), ('nonsep-lifting', 4), ('nonsep-convolution', 1)):
            for direction in (), ('--inverse',):
                told = self.succeed('explain', 'cdf97/' + scheme, '--what', 'cuda',
                                    *direction).text()
                self.assertEqual(told.count('__global__'), 1)
                self.assertIn('--variant block-' + scheme, told)
                self.assertIn('wp_load_quad<%s>' % ('true' if direction else 'false'), told)
                self.assertGreaterEqual(told.count('__syncthreads();'), least)
                self.assertEqual(re.findall(r'(?<![\w.])\d+\.\d+(?:e-?\d+)?(?!\d*f)', told), [])
        self.assertNotIn('__syncthreads', self.succeed('explain', 'haar/sep-lift', '--what',
                                                       'cuda').text())

    def test_refused(self):
        self.refuse(USAGE, 'kernels of CUDA are of the block form', 'explain',
                    'cdf97/ns-lift/plain', '--what', 'cuda')
        self.refuse(USAGE, '--plain is not for --what cuda', 'explain', 'cdf97/ns-lift', '--plain',
                    '--what', 'cuda')
        self.refuse(USAGE, '--what cuda is of images alone (…)', 'explain', 'cdf97', '--volume',
                    '--what', 'cuda')


class Diff(CliTest):
    def test_shaders(self):
        schemes = {name: self.succeed('explain', 'cdf97/' + name, '--what', 'glsl').text()
                   for name in ('sep-lift', 'ns-lift/plain')}
        for arguments in (('cdf97', '--diff', *schemes), ('--diff', *schemes, 'cdf97'),
                          ('-w', 'cdf97', '--diff', *schemes)):
            lines = self.succeed('explain', *arguments).text().splitlines(keepends=True)
            self.assertEqual(lines[:2], ['--- cdf97/sep-lifting/optimized\n',
                                         '+++ cdf97/nonsep-lifting/plain\n'])
            self.assertRegex(lines[2], r'^@@ -1,\d+ \+1,\d+ @@$')
            self.assertEqual(''.join(l[1:] for l in lines[3:] if l[0] != '+'), schemes['sep-lift'])
            self.assertEqual(''.join(l[1:] for l in lines[3:] if l[0] != '-'),
                             schemes['ns-lift/plain'])
        same = self.succeed('explain', '--diff', 'ns-lift', 'ns-lift').text()
        self.assertFalse(re.search(r'(?m)^[-+] ', same))

    def test_lines_name_row_and_tap(self):
        """Each line of a row names the place that it fetches in the matrix's notation."""
        for target in ('dd137/ns-lift', 'cdf97/ns-conv', 'cdf53/sep-lift/plain'):
            glsl = self.succeed('explain', target, '--what', 'glsl').text()
            row = None
            for line in glsl.splitlines():
                row = (re.match(r' +q\.([rgba]) = ', line) or [None, row])[1]
                quad = re.search(r'\bq_(m?\d+)_(m?\d+)\.', line)
                if quad is None or 'texelFetch' in line:
                    continue
                m, n = (int(q.replace('m', '-')) for q in quad.groups())
                tap = ''.join(' %s%s' % (name, '' if i == -1 else '^%d' % -i)
                              for name, i in (('zm', m), ('zn', n)) if i)
                self.assertTrue(line.endswith('// row %s, tap%s' % (row, tap or ' 1')), line)

    def test_errors(self):
        hint = 'wavepass explain cdf97 --diff sep-lift ns-lift'
        self.refuse(USAGE, '--diff needs two schemes', 'explain', '--diff', 'ns-lift', hint=hint)
        self.refuse(USAGE, '--diff needs two schemes', 'explain', 'cdf97', '--diff', hint=hint)
        self.refuse(USAGE, "unknown scheme 'ns-lit'", 'explain', 'haar', '--diff', 'ns-conv',
                    'ns-lit', hint='…')
        self.refuse(USAGE, "unexpected argument 'ns-lift'", 'explain', 'haar', 'ns-lift', hint='…')
        self.refuse(USAGE, 'there is no csv of the glsl', 'explain', '--diff', 'ns-lift', 'ns-conv',
                    '--format', 'csv', hint='there is --format txt')


class Width(CliTest):
    """Text fits a terminal of 80 columns, but for shaders and what wide filters draw."""

    TOPICS = ('summary', 'ops', 'matrix', 'diagram', 'footprint', 'filters', 'factoring', 'bands',
              'tiles')

    def check(self, *arguments):
        text = self.succeed('explain', *arguments).out.decode()
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [], arguments)

    def test_topics(self):
        for wavelet in 'cdf97', 'dd137/ns-conv', 'haar/sep-lift', 'db4':
            for topic in self.TOPICS:
                self.check(wavelet, '--what', topic)
        for topic in 'summary', 'ops', 'matrix', 'diagram', 'footprint', 'tiles':
            self.check('db4', '--inverse', '--what', topic)
        self.check('ak511/ns-conv', '--what', 'matrix', '--numbers')
        self.check('db20', '--what', 'ops')
        self.check('--reversible')

    def test_volumes(self):
        for topic in 'summary', 'ops', 'matrix', 'diagram', 'footprint', 'bands':
            self.check('cdf53/pl-lift', '--what', topic)
            self.check('cdf97', '--volume', '--what', topic)
        self.check('cdf97/pl-poly', '--inverse')
        self.check('cdf97', '--volume', '--what', 'matrix', '--inverse')

    def test_pixel(self):
        self.write('in.png', formats.png(16, 12, formats.noise(192, 255), 1, 8))
        self.check('cdf97', '--input', 'in.png', '--pixel', '5,4', '--vs', 'sep-lift')


class Report(CliTest):
    def setUp(self):
        super().setUp()
        self.write('in.png', formats.png(16, 12, formats.noise(192, 255), 1, 8))

    def page(self, *arguments):
        self.succeed('explain', *arguments, '--what', 'report', '-o', 'page.html', '-f')
        data = self.read('page.html').decode()
        root = ElementTree.fromstring(data)
        self.assertEqual(root.tag, XHTML + 'html')
        self.check_accessible(root)
        # Nothing from elsewhere; what runs is the page's own, and asks for nothing.
        self.assertEqual(re.findall(r'<script[^>]*>|<link|\bon[a-z]+="', data), ['<script>'])
        script = root.findtext('.//' + XHTML + 'script')
        self.assertEqual(re.findall(r'https?:|fetch|XMLHttp|import|eval|innerHTML', script), [])
        self.check_contents(root)
        addresses = re.findall(r'(?:src|href|url)[=(]["\']?([^"\')]*)', data)
        begins = r'^(data:image/png;base64,|#)'
        if '--page' in arguments:
            page = escape(arguments[arguments.index('--page') + 1], {'"': '&quot;'})
            begins = r'^(data:image/png;base64,|#|%s#)' % re.escape(page)
        for address in addresses:
            self.assertRegex(address, begins)
        return data, root

    def check_contents(self, root):
        """Every section is led to, in order; every slider has as many stops as there are passes."""
        links = [e.get('href') for e in root.iter(XHTML + 'a') if e.get('href').startswith('#')]
        sections = [e.get('id') for e in root.iter()
                    if e.tag == XHTML + 'section' or (
                        e.tag == XHTML + 'details' and e.get('class') in ('scheme', 'questions',
                                                                         'answers'))]
        self.assertEqual(links, ['#' + section for section in sections])
        self.assertEqual(sections[:3], ['idea', 'wavelet', 'schemes'])
        self.assertEqual(len(list(root.iter(XHTML + 'h2'))), len(
            [section for section in sections if section != 'answers']) + 1)
        for scheme in root.iter(XHTML + 'details'):
            if scheme.get('class') != 'scheme':
                continue
            passes = [e for e in scheme.iter(XHTML + 'article')]
            stops = [e.get('max') for e in scheme.iter(XHTML + 'input')]
            self.assertEqual(stops, [str(len(passes))] if len(passes) > 1 else [])
            for number, step in enumerate(passes, 1):
                self.assertTrue(step.get('id').endswith('-pass-%d' % number))
                self.assertTrue(''.join(step.find(XHTML + 'h3').itertext()).startswith(
                    'Barrier. Pass' if number > 1 else 'Pass 1'))
                self.assertEqual(len(list(step.iter(SVG + 'svg'))) +
                                 len(list(step.iter(XHTML + 'code'))), 1)
                matrices = [e for e in step.iter(XHTML + 'table') if e.get('class') == 'matrix']
                self.assertLessEqual(len(matrices), 1)

    def opened(self, root):
        return [e.get('id') for e in root.iter(XHTML + 'details')
                if e.get('open') and e.get('class') == 'scheme']

    def check_accessible(self, root):
        for image in root.iter(XHTML + 'img'):
            self.assertGreater(len(image.get('alt')), 10)
        for picture in root.iter(SVG + 'svg'):
            self.assertGreater(len(picture.findtext(SVG + 'title')), 5)
            self.assertGreater(len(picture.findtext(SVG + 'desc')), 20)
        ids = [e.get('id') for e in root.iter() if e.get('id')]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertTrue(root.findtext('.//' + XHTML + 'title'))
        used = re.findall(r'url\(#([^)]*)\)', ElementTree.tostring(root).decode())
        self.assertLessEqual(set(used), set(ids))

    def table(self, root, number=0):
        rows = list(root.iter(XHTML + 'table'))[number].iter(XHTML + 'tr')
        return [[''.join(cell.itertext()) for cell in row] for row in rows]

    def test_all_schemes(self):
        data, root = self.page('cdf53', '--input', 'in.png', '--pixel', '5,4')
        table = self.table(root)
        self.assertEqual(table[0][1:], ['sep-convolution', 'sep-polyconvolution', 'sep-lifting',
                                        'nonsep-convolution', 'nonsep-polyconvolution',
                                        'nonsep-lifting'])
        self.assertEqual(table[1][1:], ['2', '2', '4', '1', '1', '2'])
        self.assertEqual(table[2][1:], ['28', '28', '16', '63', '63', '24'])
        self.assertEqual(table[4][1:], ['22', '22', '16', '39', '39', '18'])
        # Polyconvolution of one pair is convolution, and told to be.
        kept = [1, 3, 4, 6]
        self.assertEqual(data.count('polyconvolution is convolution'), 3)
        passes = sum(int(table[1][i]) for i in kept)
        # The image itself; the input and every pass of each scheme.
        self.assertEqual(len(list(root.iter(XHTML + 'img'))), 1 + 4 + passes)
        # The idea, filters; a diagram of each pass, a footprint of each scheme.
        self.assertEqual(len(list(root.iter(SVG + 'svg'))), 3 + 1 + passes + 4)
        # What the default scheme is the same as.
        self.assertEqual(self.opened(root), ['nonsep-convolution'])
        arrows = [e for e in root.iter(SVG + 'path') if (e.get('class') or '').startswith('arrow')]
        self.assertEqual(len(arrows), sum(int(table[4][i]) for i in kept))
        self.assertEqual(data.count('#version 330 core'), passes)
        first = next(root.iter(XHTML + 'img')).get('src').split(',')[1]
        self.assertEqual(formats.read_png(base64.b64decode(first, validate=True)),
                         formats.read_png(self.read('in.png')))
        self.assertEqual(data.count('HL1(2,2) = '), 4)
        self.assertEqual(data.count('class="matrix"'), passes)

    def test_one_scheme_without_an_image(self):
        data, root = self.page('cdf97/ns-lift')
        self.assertEqual(self.table(root)[0][1:], ['nonsep-lifting'])
        self.assertEqual(self.opened(root), ['nonsep-lifting'])
        self.assertEqual(list(root.iter(XHTML + 'img')), [])
        self.assertFalse('sep-convolution/' in data)

    def test_labels(self):
        data, root = self.page('cdf53/sep-lift', '--labels')
        self.assertEqual(data.count('fill-opacity=".85"'), 16)
        self.assertEqual(data.count('>\u22120.5</text>'),
                         len(re.findall(r'<title>[rgba] \+= -0\.5 ', data)))

    def test_what_is_too_large_is_named(self):
        """A page opens whatever the wavelet; what it leaves out is one command away."""
        data, root = self.page('db20')
        self.assertLess(len(data), 8 << 20)
        commands = [e.text for e in root.iter(XHTML + 'code')]
        self.assertIn('wavepass explain db20/nonsep-convolution --what diagram -o picture.svg',
                      commands)
        for command in commands:
            self.succeed(*command.split()[1:], '-f')
        self.assertEqual(self.opened(root), ['nonsep-polyconvolution'])
        # On paper three passes, and the last one.
        steps = [e for e in root.iter(XHTML + 'article') if e.get('id').startswith('nonsep-poly')]
        self.assertEqual([i for i, e in enumerate(steps) if 'skipped' not in e.get('class')],
                         [0, 1, 2, 10])
        self.assertIn('Passes 4 to 10 are made alike', data)

    def test_levels(self):
        """A pass stands with what it leaves of every level; what levels exchange, before them."""
        _, root = self.page('cdf53/sep-lift', '--input', 'in.png', '-l', '2')
        names = [[c.text for c in step.iter(XHTML + 'figcaption')]
                 for step in root.iter(XHTML + 'article')]
        self.assertEqual(names, [['level 1, pass %d of 4' % p, 'level 2, pass %d of 4' % p]
                                 for p in range(1, 5)])

    def test_inverse_and_other_wavelets(self):
        for wavelet in 'haar', 'db2', 'cdf1711':
            self.page(wavelet + '/ns-poly', '--inverse', '--input', 'in.png', '-l', '2', '--pixel',
                      '3,3')

    def test_too_many_levels_of_coefficients(self):
        """Pictures in colour hold four planes when this shows, which go again."""
        self.write('colour.png', formats.png(8, 8, formats.noise(192, 255), 3, 8))
        for image, size in ('in.png', '16x12'), ('colour.png', '8x8'):
            self.refuse(USAGE, '9 levels are more than a %s image takes' % size, 'explain', 'cdf97',
                        '--inverse', '--what', 'report', '--input', image, '-l', '9', '-o',
                        'p.html')
            self.assertFalse(os.path.exists(self.path('p.html')))

    def test_worksheet(self):
        _, plain = self.page('cdf53', '--input', 'in.png', '--pixel', '4,4')
        data, root = self.page('cdf53', '--input', 'in.png', '--pixel', '4,4', '--worksheet')
        task, answers = data.split('<h1 class="answers">Answers</h1>')
        # No count, no entry of a matrix, no arrow, no result before the answers.
        tables = self.table(root), self.table(plain)
        self.assertEqual([row[0] for row in tables[0]], [row[0] for row in tables[1]])
        self.assertEqual({cell for row in tables[0][1:] for cell in row[1:]}, {''})
        self.assertEqual({cell for row in self.table(root, 1)[1:] for cell in row[1:]}, {''})
        self.assertEqual(task.count('class="arrow'), 0)
        self.assertEqual([task.count(text) for text in ('operations for a quad', '#version')], [0, 0])
        self.assertEqual(task.count('LL1(2,2) = ____________\n'), 4)
        result = re.search(r'LL1\(2,2\) = (\S+)\n', answers)[1]
        self.assertEqual(task.count('= %s\n' % result), 0)
        self.assertEqual(self.opened(root), ['nonsep-convolution', 'answer-nonsep-convolution'])
        # What was hidden comes after it, the pictures once.
        self.assertEqual(answers.count('class="arrow'), 22 + 16 + 39 + 18)
        self.assertEqual([text in answers for text in ('#version', '____')], [True, False])
        self.assertEqual(len(list(root.iter(XHTML + 'img'))), len(list(plain.iter(XHTML + 'img'))))

    def questions(self, data):
        """Texts and answers of each list of questions."""
        return [re.findall(r'<li><p>(.*?)</p>\n<p>(.*?)</p>\n</li>', part)
                for part in data.split('Questions</h2>')[1:]]

    def test_questions(self):
        """The same set for the same seed, first to be answered and then with answers."""
        def ask(*options):
            return self.questions(self.page('cdf53', '--worksheet', *options)[0])
        first, second = ask()
        self.assertEqual([text for text, _ in first], [text for text, _ in second])
        self.assertEqual({answer for _, answer in first}, {'____________'})
        self.assertGreater(len(first), 12)
        answers = dict(second)
        self.assertEqual(answers['How many vanishing moments has the analysis high-pass filter?'],
                         '2')
        self.assertEqual(ask('--seed', '1'), [first, second])
        seventh = ask('--seed', '7')
        self.assertNotEqual(seventh, [first, second])
        golden = open(os.path.join(ROOT, 'tests/golden/questions_cdf53_7.txt'), encoding='utf-8').read()
        told = ''.join('%s\n  %s\n' % pair for pair in seventh[1])
        self.assertEqual(told, golden)
        self.assertEqual(self.questions(self.page('cdf53')[0]), [])

    def links(self, root):
        return [(a.get('href'), a.text) for a in root.iter(XHTML + 'a')
                if not a.get('href').startswith('#')]

    def test_links_to_the_page(self):
        _, root = self.page('cdf53/ns-lift', '--input', 'pattern:text:64x64', '-l', '2', '--page',
                            'web/index.html?a=1&b=<2>"')
        begin = 'web/index.html?a=1&b=<2>"#w=cdf53&s=nonsep-lifting&l=2&i=text'
        self.assertEqual(self.links(root), [(begin, 'This scheme in a browser'),
                                            (begin + '&p=1', 'This pass in a browser'),
                                            (begin + '&p=2', 'This pass in a browser')])
        data, root = self.page('cdf53/ns-lift', '--inverse', '--border', 'periodic', '--page', 'x',
                               '--input', 'in.png')
        self.assertEqual(self.links(root)[0][0],
                         'x#w=cdf53&s=nonsep-lifting&l=1&b=periodic&d=inverse')
        self.assertIn('image can be dropped', data)
        # Every scheme of a page, and none without the option.
        _, root = self.page('cdf97', '--page', 'x')
        self.assertEqual(len([1 for _, text in self.links(root) if 'scheme' in text]), 6)
        _, root = self.page('cdf97')
        self.assertEqual(self.links(root), [])
        # A worksheet's are to its questions, and where the answers stand.
        data, root = self.page('cdf53/ns-lift', '--worksheet', '--seed', '7', '--page', 'x')
        self.assertEqual(self.links(root)[0], (
            'x#w=cdf53&q=7', 'These questions, to be filled in and checked in a browser'))
        task, answers = data.split('<h1 class="answers">Answers</h1>')
        self.assertEqual([part.count('href="x#') for part in (task, answers)], [1, 3])
        # A wavelet of one's own is in no page, whatever it is called.
        steps = self.succeed('explain', 'cdf53', '--what', 'steps').out
        self.write('cdf93.wavelet', steps)
        data, root = self.page('./cdf93.wavelet', '--worksheet', '--page', 'x')
        self.assertNotIn('w=', self.links(root)[0][0])
        self.assertIn('wavelet file that is dropped', data)
        for page in 'a#b', 'a b':
            self.refuse(USAGE, '--page: …', 'explain', 'cdf53', '--what', 'report', '--page', page,
                        hint='…index.html…')
        self.refuse(USAGE, '--page is not for --what ops', 'explain', '--what', 'ops', '--page',
                    'x', hint='it is for --what report')
        for option in ('--page', 'x'), ('--worksheet', '--seed', '3'):
            self.refuse(USAGE, '…of images', 'explain', '--volume', '--what', 'report', *option,
                        hint='leave out …')
        self.refuse(USAGE, '--seed is of the questions of a worksheet', 'explain', '--what',
                    'report', '--seed', '3', hint='--worksheet')
        self.refuse(USAGE, '…0…', 'explain', '--what', 'report', '--worksheet', '--seed', '0',
                    hint=None)

    def test_volumes(self):
        self.write('in.npy', formats.npy((5, 12, 16), formats.noise(960, 255), '|u1'))
        data, root = self.page('cdf53', '--input', 'in.npy', '--pixel', '5,4,3')
        table = self.table(root)
        self.assertEqual(table[0], ['for an octet of 2x2x2 samples', 'sep-convolution',
                                    'sep-polyconvolution', 'sep-lifting', 'planar-convolution',
                                    'planar-polyconvolution', 'planar-lifting',
                                    'nonsep-convolution', 'nonsep-polyconvolution',
                                    'nonsep-lifting'])
        self.assertEqual(table[1][1:], ['3', '3', '6', '2', '2', '4', '1', '1', '2'])
        self.assertEqual(table[4][1:], ['64', '64', '48', '98', '98', '52', '227', '227', '62'])
        kept = [1, 3, 4, 6, 7, 9]
        passes = sum(int(table[1][i]) for i in kept)
        # The slice of the voxel; the input and every pass of each scheme.
        self.assertEqual(len(list(root.iter(XHTML + 'img'))), 1 + len(kept) + passes)
        self.assertEqual(len(list(root.iter(SVG + 'svg'))), 3 + 1 + passes + len(kept))
        self.assertEqual(self.opened(root), ['planar-convolution'])
        arrows = [e for e in root.iter(SVG + 'path') if (e.get('class') or '').startswith('arrow')]
        self.assertEqual(len(arrows), sum(int(table[4][i]) for i in kept))
        self.assertEqual(data.count('HLH1(2,2,1) = '), len(kept))
        self.assertEqual(data.count('#version'), 0)
        rows = [len(self.table(root, t)) for t in range(1, 1 + data.count('class="matrix"'))]
        self.assertEqual(rows, [9] * passes)
        first = next(root.iter(XHTML + 'img')).get('src').split(',')[1]
        self.assertEqual(formats.read_png(base64.b64decode(first, validate=True))[4],
                         formats.noise(960, 255)[3 * 192:4 * 192])
        data, _ = self.page('cdf53', '--volume', '--worksheet')
        self.assertIn('each of the eight results', data)
        self.refuse(USAGE, 'there is no slice 5 (the volume has 5)', 'explain', '--what', 'report',
                    '--input', 'in.npy', '--pixel', '1,1,5')
        self.refuse(USAGE, 'the times of results are of images', 'explain', '--volume', '--what',
                    'report', '--results', 'r.json', hint='leave out --results')

    def test_times(self):
        row = {'kind': 'transform', 'backend': 'fragment', 'device': 'some GPU', 'wavelet': 'cdf53',
               'scheme': 'nonsep-lifting', 'form': 'optimized', 'width': 64, 'height': 48,
               'levels': 1, 'direction': 'forward', 'median_ns': 1234500, 'verified': True}
        rows = [row, {**row, 'scheme': 'sep-lifting', 'median_ns': 2e6, 'verified': False},
                {**row, 'wavelet': 'cdf97', 'median_ns': 9e9}, {**row, 'form': 'plain'},
                {**row, 'width': 128, 'median_ns': 3e6}, {**row, 'direction': 'inverse'},
                {**row, 'backend': 'cuda', 'variant': 'walk', 'scheme': None, 'software': True},
                {**row, 'kind': 'ceiling', 'width': 3}, {**row, 'includes': 'upload', 'width': 4}]
        self.write('r.json', json.dumps({'schema_version': 1, 'complete': True, 'environment': {},
                                         'rows': rows}))
        _, root = self.page('cdf53', '--results', 'r.json')
        table = self.table(root, -1)
        self.assertEqual(table[1:], [
            ['fragment, some GPU', '64x48', '1', '', '', '2.0?', '', '', '1.234'],
            ['fragment, some GPU', '128x48', '1', '', '', '', '', '', '3.0'],
            ['cuda walk, some GPU (SOFTWARE)', '64x48', '1', '1.234']])
        data, _ = self.page('haar', '--results', 'r.json')
        self.assertTrue('no row for this wavelet' in data)

    def test_words_of_the_pages(self):
        """All but pictures, which have golden texts of their own, styles and scripts."""
        self.write('in.npy', formats.npy((5, 6, 8), [i % 97 / 97 for i in range(240)]))
        version = self.succeed('--version').text().split()[1]
        for name, *arguments in (
                ('image', 'haar', '--input', 'in.png', '--pixel', '5,4'),
                ('inverse', 'cdf53/ns-lift', '--inverse', '--plain', '--input', 'in.png'),
                ('volume', 'haar/pl-lift', '--input', 'in.npy', '--pixel', '5,4,2'),
                ('digits', 'cdf97/sep-poly'),
                ('worksheet', 'haar/sep-lift', '--worksheet', '--seed', '3')):
            data, _ = self.page(*arguments)
            data = re.sub(r'(?s)<(svg|style|script)\b.*?</\1>', r'<\1/>', data)
            data = re.sub('base64,[^"]*', 'base64,~', data).replace(version, 'VERSION')
            self.check_golden('page_%s.html' % name, data)

    def test_what_is_one_line_of_times(self):
        """Rows that differ in their scheme alone; each that differs in more has its own."""
        row = {'kind': 'transform', 'backend': 'b', 'variant': 'v', 'device': 'd',
               'wavelet': 'haar', 'scheme': 'sep-lifting', 'form': 'optimized',
               'border': 'symmetric', 'norm': 'none', 'layout': 'mallat', 'precision': 'f32',
               'width': 64, 'height': 48, 'levels': 1, 'planes': 1, 'direction': 'forward',
               'median_ns': 1e6, 'verified': True}
        changes = [{'scheme': scheme} for scheme in (
            'nonsep-lifting', 'sep-convolution', 'sep-polyconvolution', 'nonsep-convolution')]
        changes += [{name: value} for name, value in (
            ('backend', 'c'), ('variant', ''), ('device', ''), ('border', 'periodic'),
            ('norm', 'jpeg2000'), ('layout', 'mixed'), ('precision', 'f16'), ('width', 65),
            ('height', 49), ('levels', 2), ('planes', 3), ('verified', None), ('verified', False),
            ('kind', 'transfer'), ('wavelet', 'cdf97'), ('form', 'plain'), ('form', ''),
            ('includes', 'upload'), ('direction', 'inverse'), ('software', True))]
        changes += [{'scheme': None, 'backend': 'e'}, {'software': True, 'backend': 'g'},
                    {'verified': None, 'backend': 'h'}, {'form': '', 'backend': 'i'},
                    {'form': 'plain', 'backend': 'j'}]
        rows = [{**row, 'median_ns': 1e6 * (i + 1), **change} for i, change in enumerate(changes)]
        rows.append({**row, 'median_ns': None, 'backend': 'k'})
        self.write('r.json', json.dumps({'schema_version': 1, 'complete': True, 'environment': {},
                                         'rows': rows}))
        texts = []
        for more in ((), ('--inverse',), ('--plain',)):
            data, _ = self.page('haar', '--results', 'r.json', *more)
            texts.append(re.search(r'(?s)<section id="times">.*?</section>', data)[0])
        self.check_golden('times.html', '\n'.join(texts))

    def test_times_are_those_of_bench(self):
        self.succeed('bench', '-w', 'haar', '-s', 'ns-lift,ns-conv', '--size', '64', '--runs', '3',
                     '-b', 'fragment', '--json', 'b.json', timeout=300)
        rows = [row for row in json.loads(self.read('b.json'))['rows'] if row['kind'] == 'transform']
        _, root = self.page('haar', '--results', 'b.json')
        table = self.table(root, -1)
        told = dict(zip(table[0], table[1]))
        self.assertIn('fragment', told['median, milliseconds'])
        self.assertEqual(told['size'], '64x64')
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assert_near([float(told[row['scheme']])], [1e-6 * row['median_ns']],
                             1e-9 * row['median_ns'])

    def test_bad_results(self):
        for name in 'bad.json', 'no.json':
            self.write('bad.json', '{')
            self.refuse(FILE, '…' + name + '…', 'explain', 'haar', '--what', 'report', '--results',
                        name)

    def test_errors(self):
        self.refuse(USAGE, 'there is no csv of the report', 'explain', '--what', 'report',
                    '--format', 'csv', hint='there is --format html')
        self.refuse(USAGE, '--pixel needs an image', 'explain', '--what', 'report', '--pixel', '1,1')
        self.refuse(USAGE, 'pixel 99,1 is outside the image (16x12)', 'explain', '--what',
                    'report', '--input', 'in.png', '--pixel', '99,1')
        self.refuse(USAGE, '--worksheet is not for --what ops', 'explain', '--what', 'ops',
                    '--worksheet', hint='it is for --what report')


class Formats(CliTest):
    def test_unknown_suffix(self):
        self.refuse(USAGE, 'cannot write d.png (unknown suffix)', 'explain', 'haar', '--what',
                    'diagram', '-o', 'd.png', hint='use .txt, .svg, or say --format')
        self.succeed('explain', 'haar', '--what', 'diagram', '-o', 'd.png', '--format', 'svg')
        ElementTree.fromstring(self.read('d.png'))
        self.succeed('explain', 'haar', '--what', 'glsl', '-o', 'haar.frag')
        self.assertIn(b'texelFetch', self.read('haar.frag'))

    def test_json(self):
        asked = ('explain', 'cdf53', '--what', 'ops')
        self.assertEqual(self.succeed(*asked, '--json').out,
                         self.succeed(*asked, '--format', 'json').out)
        for message, more in (('there is no json of the diagram', ('--what', 'diagram')),
                              ('both --json and --format csv', (*asked[2:], '--format', 'csv')),
                              ('--what all writes files of several formats',
                               ('--what', 'all', '-o', 'out'))):
            with self.subTest(message):
                result = self.run_program('explain', 'cdf53', *more, '--json')
                self.assertEqual((result.code, json.loads(result.out)['error']), (USAGE, message))

    def test_volumes(self):
        """--volume, or a planar scheme, asks for three axes; what has none of them says so."""
        for what in 'summary', 'ops', 'matrix', 'diagram', 'footprint':
            with self.subTest(what):
                told = self.succeed('explain', 'cdf53/pl-lift', '--what', what).text()
                same = self.succeed('explain', '-w', 'cdf53', '-s', 'planar-lifting', '--volume',
                                    '--what', what).text()
                self.assertEqual(told, same)
                flat = self.succeed('explain', 'cdf53/ns-lift', '--what', what).text()
                deep = self.succeed('explain', 'cdf53/ns-lift', '--volume', '--what', what).text()
                self.assertNotEqual(flat, deep)
                self.assertIn('octet', told.lower() if what != 'footprint' else 'octet')
        for what in 'glsl', 'filters', 'tiles':
            for options in (('cdf53', '--volume'), ('cdf53/pl-lift',)):
                if what != 'filters' or '--volume' in options:
                    self.refuse(USAGE, '--what %s is of images alone (…)' % what, 'explain',
                                *options, '--what', what, hint='leave out --volume, …')
        self.refuse(USAGE, '--what glsl is of images alone (…)', 'explain', 'cdf97', '--diff',
                    'pl-lift', 'ns-lift')
        self.refuse(USAGE, "scheme 'pl-lift' is of volumes: …", 'forward', 'pattern:noise:8x8',
                    '-s', 'pl-lift', '-o', 'c.npy', hint="'nonsep-lifting' does the same to an image")
        self.succeed('forward', 'pattern:noise:8x8x8', '-s', 'pl-lift', '-o', 'c.npy')

    def test_bands(self):
        """What forward makes of a volume has bands of these names, in both decompositions."""
        def names(*options):
            told = self.succeed('explain', '--what', 'bands', '--format', 'csv', *options).text()
            return [line.split(',')[0] for line in told.splitlines()[1:]]

        self.assertEqual(names('-l', '1'), ['LL1', 'HL1', 'LH1', 'HH1'])
        self.assertEqual(len(names()), 10)
        self.assertEqual(len(names('--volume')), 22)
        self.assertEqual(names('-l', '1', '--decomposition', 'spatial-temporal', '--levels-z', '2'),
                         [plane + z for z in ('.L2', '.H2', '.H1')
                          for plane in ('LL1', 'HL1', 'LH1', 'HH1')])
        self.assertEqual(names('-l', '1', '--levels-z', '0'), ['LLL1', 'HLL1', 'LHL1', 'HHL1'])
        text = self.succeed('explain', '--what', 'bands', '--decomposition',
                            'spatial-temporal').text()
        self.assertIn('\nt+2D takes all levels of each slice, ', text)
        self.refuse(USAGE, '--what bands knows no size that tells the most levels', 'explain',
                    '--what', 'bands', '-l', 'max')
        self.refuse(USAGE, 'there are at most 31 levels', 'explain', '--what', 'bands', '-l', '32')
        self.refuse(USAGE, '--decomposition is not for --what summary', 'explain',
                    '--decomposition', 'dyadic', hint='it is for --what bands')

    def test_zero_has_no_sign(self):
        filters = self.succeed('explain', 'dd137', '--what', 'filters').text()
        self.assertRegex(filters, r'(?m) 0\.0$')
        self.assertNotRegex(filters, r'-0\.0\b(?!\d)')

    def test_options_of_something_else(self):
        for option, what in ((('--inverse',), 'filters'), (('--plain',), 'filters'),
                             (('-s', 'ns-lift'), 'filters'), (('--norm', 'none'), 'ops')):
            with self.subTest(option=option, what=what):
                self.refuse(USAGE, f'--… is not for --what {what}', 'explain', 'cdf97', '--what',
                            what, *option)


class Everything(CliTest):
    def test_files(self):
        self.write('in.png', formats.png(8, 6, formats.noise(48, 255), 1, 8))
        self.succeed('explain', 'cdf53', '--what', 'all', '--input', 'in.png', '-o', 'out')
        found = {os.path.relpath(os.path.join(d, f), self.path('out'))
                 for d, _, files in os.walk(self.path('out')) for f in files}
        for name in ('report.html', 'worksheet.html', 'ops.csv', 'ops.json', 'ops.md', 'ops.tex',
                     'tiles.csv', 'tiles.md', 'filters.svg', 'filters.csv', 'bands.txt',
                     'nonsep-lifting/diagram.svg',
                     'nonsep-lifting/matrix.tex', 'sep-convolution/footprint.csv',
                     'nonsep-convolution/glsl.glsl', 'sep-lifting/passes/index.json'):
            self.assertIn(name, found)
        self.assertEqual(self.read('out/ops.csv').decode(),
                         self.succeed('explain', 'cdf53', '--what', 'ops', '--format', 'csv').text())
        for name in found:
            if name.endswith(('.svg', '.html')):
                ElementTree.fromstring(self.read('out/' + name))
            if name.endswith('.json'):
                json.loads(self.read('out/' + name))

    def test_files_of_volumes(self):
        self.succeed('explain', 'cdf53/pl-lift', '--what', 'all', '--input', 'pattern:ball:8x6x5',
                     '-o', 'out')
        found = {os.path.relpath(os.path.join(d, f), self.path('out'))
                 for d, _, files in os.walk(self.path('out')) for f in files}
        for name in ('report.html', 'worksheet.html', 'ops.csv', 'ops.json', 'filters.svg',
                     'planar-lifting/diagram.svg', 'planar-lifting/matrix.tex',
                     'planar-lifting/footprint.csv', 'planar-lifting/passes/index.json'):
            self.assertIn(name, found)
        self.assertEqual([name for name in found if 'glsl' in name or 'tiles' in name], [])
        for name in found:
            if name.endswith(('.svg', '.html')):
                ElementTree.fromstring(self.read('out/' + name))

    def near(self, value):
        """Six digits of every number that is no rounding error; of times that they are there."""
        if isinstance(value, dict):
            return {key: part > 0 if key == 'ms' else self.near(part)
                    for key, part in value.items()}
        if isinstance(value, list):
            return [self.near(part) for part in value]
        if isinstance(value, float):
            return float('%.6g' % value) if abs(value) > 1e-9 else 0.0
        return value

    def test_names_and_numbers(self):
        """Which files there are, and what those of them say that programs read."""
        self.write('in.png', formats.png(8, 6, formats.noise(48, 255), 1, 8))
        self.write('in.npy', formats.npy((4, 6, 8), [i % 97 / 97 for i in range(192)]))
        lines = []
        for number, (wavelet, image) in enumerate((('haar', 'in.png'), ('haar/pl-lift', 'in.npy'),
                                                   ('cdf97/sep-lift', 'in.png'))):
            out = 'out%d' % number
            self.succeed('explain', wavelet, '--what', 'all', '--input', image, '-o', out)
            names = sorted(os.path.relpath(os.path.join(d, f), self.path(out))
                           for d, _, files in os.walk(self.path(out)) for f in files)
            lines += ['== %s of %s' % (wavelet, image), *names]
            for name in names:
                if name.endswith('.json'):
                    told = self.near(json.loads(self.read(out + '/' + name)))
                    lines += ['-- ' + name, textwrap.fill(json.dumps(told, sort_keys=True), 100,
                                                          break_on_hyphens=False)]
        self.check_golden('explain_all.txt', '\n'.join(lines) + '\n')

    def test_errors(self):
        self.refuse(USAGE, '--what all needs a directory', 'explain', '--what', 'all', hint='-o DIR')
        self.refuse(FILE, 'cannot make directory no/out (No such file or directory)', 'explain',
                    '--what', 'all', '-o', 'no/out')
        self.refuse(FILE, '…', 'explain', '--what', 'all', '-o', self.write('file', 'x'))
        self.refuse(USAGE, '--what all writes a directory, not to stdout', 'explain', '--what',
                    'all', '-o', '-', hint='-o DIR')
        os.mkdir(self.path('closed'), 0o555)
        somebody = self.somebody()
        if somebody or os.geteuid() != 0:
            self.refuse(FILE, 'cannot write closed/report.html (Permission denied)', 'explain',
                        'haar', '--what', 'all', '-o', 'closed', **somebody)


class WrongWavelets(CliTest):
    def test_factorisation(self):
        """Steps that do not make the filter given are told, with the line and the difference."""
        self.write('bad.wavelet', 'source here\npredict 0 -1/2 1 -1/2\nupdate -1 1/4 0 0.251\n'
                                  'lowpass -2 -1/8 -1 1/4 0 3/4 1 1/4 2 -1/8\n')
        for what in ('summary', 'matrix', 'report'):
            result = self.refuse(FILE, './bad.wavelet:4: …', 'explain', './bad.wavelet', '--what', what)
            self.assertIn('differs by 0.001 at 1: 0.25 is written here', result.err)
        self.write('other.wavelet', 'source here\npredict 0 -1/2 1 -1/2\nupdate -1 1/4 0 1/4\n'
                                    'lowpass -2 -1/8 -1 1/4 0 0.7501 1 1/4 2 -1/8\n')
        self.refuse(FILE, './other.wavelet:4: the lifting steps make another … filter (it '
                                   'differs by 0.0001…', 'explain', './other.wavelet')


class Tiles(CliTest):
    """What the ways that run a level at once compute and read for a texel."""

    def table(self, *arguments):
        text = self.succeed('explain', *arguments, '--what', 'tiles', '--format', 'csv').text()
        head, *lines = text.splitlines()
        self.assertEqual(head,
                         'wavelet,scheme,form,way,operations,operations_of_scheme,fetches')
        rows = [line.split(',') for line in lines]
        return {(row[3], row[1]): (float(row[4]), int(row[5]), float(row[6])) for row in rows}

    def test_counts(self):
        told = self.table('cdf53')
        self.assertEqual(len({scheme for _, scheme in told}), len(SCHEMES))
        # 2x2 quads from 4x4.
        self.assertEqual(told['fragment/tile-2x2', 'sep-lifting'], (27, 16, 4))
        self.assertEqual(told['fragment/tile-2x2-store', 'sep-lifting'], (27, 16, 4))
        # CDF 9/7's 6x6 are nine pieces of 2x2, of which a fragment loads those in the corners.
        wide = self.table('cdf97')
        self.assertEqual(wide['fragment/tile-2x2', 'sep-lifting'][2], 9)
        self.assertEqual(wide['fragment/tile-2x2-four', 'sep-lifting'][2], 4)
        # Workgroups repeat the few quads around their tile.
        operations, once, fetches = told['compute/tiles', 'sep-lifting']
        self.assertTrue(16 == once < operations < 24)
        self.assertTrue(1 < fetches < 1.5)
        # Strips of four columns are read with one on either side; nothing is lifted again along y.
        walked, _, fetches_walked = told['compute/walks', 'sep-lifting']
        self.assertTrue(once < walked < 24)
        self.assertEqual(fetches_walked, 3)
        self.assertNotIn(('compute/walks', 'nonsep-lifting'), told)
        # CDF 9/7 reads two quads each way.
        self.assertEqual(self.table('cdf97/sep-lift')['fragment/tile-2x2', 'sep-lifting'][2], 9)
        self.assertGreater(self.table('cdf97')['compute/tiles', 'nonsep-lifting'][2], fetches)
        # Bands are read by texels of 2x2 samples.
        self.assertEqual(self.table('cdf53', '--inverse')['fragment/tile-2x2', 'sep-lifting'][2],
                         6.25)
        self.assertEqual(self.table('haar')['compute/tiles', 'sep-lifting'][2], 1)

    def test_the_run_counts_the_same(self):
        told = self.table('cdf53', '-s', 'sep-lift')['fragment/tile-2x2', 'sep-lifting']
        result = json.loads(self.succeed('forward', 'pattern:noise:40x30', '-w', 'cdf53', '-s',
                                         'sep-lift', '-b', 'fragment', '--variant', 'tile-2x2', '-o',
                                         'c.npy', '--json').out)
        self.assertEqual((result['operations'], result['fetches']), (told[0], told[2]))

    def test_formats(self):
        rows = json.loads(self.succeed('explain', 'cdf97', '--what', 'tiles', '--format',
                                       'json').out)
        table = self.table('cdf97')
        self.assertEqual(len(rows), len(table))
        for row in rows:
            self.assertAlmostEqual(row['operations'], table[row['way'], row['scheme']][0], 3)
        text = self.succeed('explain', 'cdf97', '--what', 'tiles').text()
        self.assertRegex(text, r'(?m)^fragment/tile-2x2 +sep-lifting +109\.00 +32 +3\.41 +9\.00$')
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertIn('| fragment/tile-2x2 | sep-lifting | 109.00 | 32 | 3.41 | 9.00 |\n',
                      self.succeed('explain', 'cdf97', '--what', 'tiles', '--format', 'md').text())

    def test_what_does_not_fit_is_said(self):
        self.write('far.wavelet', 'source none\npredict -6 -0.5 7 -0.5\nupdate -7 0.25 6 0.25\n')
        text = self.succeed('explain', '-w', 'far.wavelet', '--what', 'tiles').text()
        self.assertNotIn('fragment/', text)
        self.assertIn('\nLeft out: a block of 2x2 texels reads ', text)
