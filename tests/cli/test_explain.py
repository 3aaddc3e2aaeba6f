"""explain: matrices in symbols, arithmetic that can be checked, comparisons, pages for a class."""
import base64
import cmath
import csv
import io
import json
import os
import random
import re
from xml.etree import ElementTree

import formats
from harness import FILE, REFERENCE, USAGE, CliTest

SCHEMES = ('sep-conv', 'sep-poly', 'sep-lift', 'ns-conv', 'ns-poly', 'ns-lift')
LETTERS = 'rgba'
WAVELETS = ('haar', 'cdf53', 'cdf97', 'dd137', 'db2', 'cdf1711', 'cdf93')
XHTML = '{http://www.w3.org/1999/xhtml}'
SVG = '{http://www.w3.org/2000/svg}'


class Matrices(CliTest):
    def passes(self, *arguments):
        told = self.succeed('explain', *arguments, '--what', 'matrix', '--format', 'json').text()
        return json.loads(told)['passes']

    def evaluate(self, expression, known, star):
        """A sum of products of symbols: each as a pair of its values in z_m and in z_n."""
        total = 0
        for product in expression.split(' + '):
            value = 1
            for symbol in product.split():
                if symbol in '01':
                    value *= int(symbol)
                else:
                    value *= known[symbol.rstrip('*')][star or symbol.endswith('*')]
            total += value
        return total

    def test_symbols_are_the_numbers(self):
        random.seed(1)
        zm, zn = (cmath.exp(1j * random.uniform(0, 6)) for _ in range(2))
        for wavelet in WAVELETS:
            for scheme in SCHEMES:
                for form, options in (('', ()), ('/plain', ()), ('/block', ()), ('', ('--inverse',))):
                    with self.subTest('%s %s %s %s' % (wavelet, scheme, form, options)):
                        for p in self.passes(wavelet + '/' + scheme + form, *options):
                            self.check_pass(p, zm, zn)

    def check_pass(self, p, zm, zn):
        known = {}
        for name, meaning in p['meaning'].items():
            if isinstance(meaning, str):
                known[name] = [self.evaluate(meaning, known, star) for star in (False, True)]
            else:
                self.assertTrue(all(t['n'] == 0 for t in meaning))
                known[name] = [sum(t['c'] * z ** -t['m'] for t in meaning) for z in (zm, zn)]
        for i in range(4):
            for j in range(4):
                number = sum(t['c'] * zm ** -t['m'] * zn ** -t['n'] for t in p['matrix'][i][j])
                symbol = self.evaluate(p['symbols'][i][j], known, False)
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
        for options in ((), ('--plain',), ('-s', 'ns-lift')):
            table = self.succeed('explain', '-w', 'cdf97', '--what', 'ops', '--format', 'csv', *options)
            rows = json.loads(self.succeed('explain', '-w', 'cdf97', '--what', 'ops', '--format',
                                           'json', *options).text())
            wanted = list(csv.DictReader(io.StringIO(table.text())))
            self.assertEqual(len(rows), len(wanted))
            for row, line in zip(rows, wanted):
                for key in 'wavelet', 'scheme', 'steps', 'plain', 'opencl', 'shader':
                    self.assertEqual(str(row[key]), line[key])
                self.assertEqual(sum(row['fetches']), int(line['fetches']))
                self.assertEqual(row['bytes_per_pixel'],
                                 4 * (int(line['fetches']) + int(line['steps'])))


class Pixel(CliTest):
    """The arithmetic evaluates to what --what passes wrote."""

    def setUp(self):
        super().setUp()
        self.write('in.png', formats.png(20, 14, formats.noise(280, 255), 1, 8))

    def work(self, target, x, y, *options):
        told = self.succeed('explain', target, '--input', 'in.png', '--pixel', '%d,%d' % (x, y),
                            '--format', 'json', *options).text()
        return json.loads(told)['schemes']

    def dump(self, target, *options):
        self.succeed('explain', target, '--what', 'passes', '--input', 'in.png', '-o', 'out', '-f',
                     *options)
        stages = json.loads(self.read('out/index.json'))['stages']
        for stage in stages:
            stage['shape'], stage['quads'] = formats.read_npy(self.read('out/' + stage['values']))
        return {stage['name']: stage for stage in stages}, stages

    def dumped(self, stage, letter, x, y):
        at = (y - stage['y']) * stage['shape'][1] + x - stage['x']
        return 255 * stage['quads'][4 * at + LETTERS.index(letter)]

    def evaluate_formula(self, formula, before, quad):
        def value(match):
            m, n = int(match[3] or 0), int(match[4] or 0)
            return '*(%r)' % self.dumped(before, match[1], quad[0] + m, quad[1] + n)
        python = re.sub(r' ?([rgba])(\(([+-]?\d+),([+-]?\d+)\))?', value, formula)
        return eval(re.sub(r'(^|[-+]) ?\*', r'\1 1*', python))

    def check(self, target, x, y, *options):
        work, = self.work(target, x, y, *options)
        named, stages = self.dump(target, *options)
        pending = {}
        for shown in work['stages']:
            stage = named[shown['name']]
            before = stages[stages.index(stage) - 1]
            own = True # as the stage before left it
            used = ' '.join(line['question'] for line in shown['lines'])
            for letter in set(re.findall(r'\b[rgba]\b', used)) & set(pending):
                self.assert_near(*pending[letter], 3e-3)
            if 'pass 1 of' in shown['name'] or 'matrix' not in stage:
                pending = {}
            for line in shown['lines']:
                letter, value = line['component'], line['value']
                self.assert_near([eval(line['expression'])], [value], 3e-3)
                if 'matrix' in stage and line['name'] == '' and own:
                    self.assert_near([self.evaluate_formula(line['formula'], before,
                                                            shown['quad'])], [value], 3e-3)
                own = own and line['name'] == ''
                dumped = self.dumped(stage, letter, *shown['quad'])
                if 'matrix' not in stage:
                    self.assert_near([value], [dumped], 3e-3)
                pending[letter] = [value], [dumped]
        letter = LETTERS[(x >> stage['level'] - 1) % 2 + (y >> stage['level'] - 1) % 2 * 2]
        self.assert_near([work['result']['value']],
                         [self.dumped(stage, letter, *shown['quad'])], 3e-3)
        self.assertTrue(stage['result'])
        return work

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
        self.assertIn('high-pass in x, shows vertical edges; pywt cV1', text)
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
        self.refuse(USAGE, '--what pixel needs an image and a place in it', 'explain', 'cdf53',
                    '--pixel', '1,1', hint='--input IMAGE --pixel X,Y')
        self.refuse(USAGE, "unknown scheme 'ns-lit'", *image, '1,1', '--vs', 'ns-lit', hint='…')
        self.refuse(USAGE, '--vs is not for --what ops', 'explain', 'cdf53', '--what', 'ops', '--vs',
                    'ns-lift', hint='it is for --what pixel')
        self.refuse(USAGE, '--pixel is not for --what glsl', *image[:2], '--what', 'glsl',
                    '--pixel', '1,1')
        self.refuse(FILE, 'no.png: no such file', 'explain', '--input', 'no.png', '--pixel', '1,1')


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
        # Nothing from elsewhere, nothing that runs.
        self.assertEqual(re.findall(r'<script|<link|\bon[a-z]+="', data), [])
        addresses = re.findall(r'(?:src|href|url)[=(]["\']?([^"\')]*)', data)
        for address in addresses:
            self.assertRegex(address, r'^(data:image/png;base64,|#)')
        return data, root

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
        # Filters; diagram and footprint of each scheme.
        self.assertEqual(len(list(root.iter(SVG + 'svg'))), 1 + 2 * 4)
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
        self.assertEqual(list(root.iter(XHTML + 'img')), [])
        self.assertFalse('sep-convolution/' in data)

    def test_inverse_and_other_wavelets(self):
        for wavelet in 'haar', 'db2', 'cdf1711':
            self.page(wavelet + '/ns-poly', '--inverse', '--input', 'in.png', '-l', '2', '--pixel',
                      '3,3')

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
        # What was hidden comes after it, the pictures once.
        self.assertEqual(answers.count('class="arrow'), 22 + 16 + 39 + 18)
        self.assertEqual([text in answers for text in ('#version', '____')], [True, False])
        self.assertEqual(len(list(root.iter(XHTML + 'img'))), len(list(plain.iter(XHTML + 'img'))))

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
                     'tiles.csv', 'tiles.md', 'filters.svg', 'filters.csv',
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
        # 2x2 quads from 4x4, of which two fragments side by side have 2x4 in common.
        self.assertEqual(told['fragment/tile-2x2', 'sep-lifting'], (27, 16, 4))
        self.assertEqual(told['fragment/tile-2x2-store', 'sep-lifting'], (27, 16, 4))
        self.assertEqual(told['fragment/tile-2x2-pair', 'sep-lifting'], (27, 16, 3))
        # Workgroups repeat the few quads around their tile.
        operations, once, fetches = told['compute', 'sep-lifting']
        self.assertTrue(16 == once < operations < 24)
        self.assertTrue(1 < fetches < 1.5)
        # CDF 9/7 reads two quads each way.
        self.assertEqual(self.table('cdf97/sep-lift')['fragment/tile-2x2', 'sep-lifting'][2], 9)
        self.assertGreater(self.table('cdf97')['compute', 'nonsep-lifting'][2], fetches)
        # Bands are read by texels of 2x2 samples.
        self.assertEqual(self.table('cdf53', '--inverse')['fragment/tile-2x2', 'sep-lifting'][2],
                         6.25)
        self.assertEqual(self.table('haar')['compute', 'sep-lifting'][2], 1)

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
