"""explain: symbolic matrices, comparisons, tiles, and all output for every wavelet and scheme."""
import cmath
import csv
import io
import json
import os
import random
import re
import textwrap
from xml.etree import ElementTree

import formats
from harness import FILE, USAGE, CliTest

SCHEMES = ('sep-conv', 'sep-poly', 'sep-lift', 'ns-conv', 'ns-poly', 'ns-lift')
VOLUME_SCHEMES = SCHEMES + ('pl-conv', 'pl-poly', 'pl-lift')
WAVELETS = ('haar', 'cdf53', 'cdf97', 'dd137', 'db2', 'cdf1711', 'cdf93')


class Matrices(CliTest):
    def passes(self, *arguments):
        told = self.succeed('explain', *arguments, '--show', 'matrix', '--format', 'json').text()
        return json.loads(told)['passes']

    def evaluate(self, expression, known, stars):
        """A sum of products of symbols, each as its values in z_m, z_n and z_o."""
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
        """A pass of all axes is, block by block, the matrix of a slice times an entry along z."""
        flat = self.passes('cdf53/ns-conv/plain')[0]['symbols']
        both = self.passes('cdf53/ns-conv/plain', '--volume')[0]['symbols']
        for block, row, column in (('V**', 0, 0), ('U**', 0, 4), ('P**', 4, 0), ('1', 4, 4)):
            for i in range(4):
                for j in range(4):
                    factors = [f for f in (block, flat[i][j]) if f != '1']
                    self.assertEqual(both[row + i][column + j], ' '.join(factors) or '1')

    def test_numbers_and_symbols_as_text(self):
        for form in 'txt', 'md', 'tex':
            symbols = self.succeed('explain', 'cdf53/ns-lift/plain', '--show', 'matrix', '--format',
                                   form).text()
            numbers = self.succeed('explain', 'cdf53/ns-lift/plain', '--show', 'matrix', '--format',
                                   form, '--numbers').text()
            self.assertIn('P', symbols)
            self.assertIn('0.0625', numbers)
            self.assertNotIn('0.0625', symbols)

    def test_counts(self):
        for options in ((), ('--no-optimize',), ('-s', 'ns-lift'), ('--volume',), ('-s',
                                                                                   'pl-lift')):
            table = self.succeed('explain', '-w', 'cdf97', '--show', 'ops', '--format', 'csv',
                                 *options)
            rows = json.loads(self.succeed('explain', '-w', 'cdf97', '--show', 'ops', '--format',
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
        """Every division of the factorization is multiplied out: dividend = quotient divisor +
        remainder."""
        for name in ('cdf97', 'db5', 'db20'):
            told = json.loads(self.succeed('explain', name, '--show', 'factoring',
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
            # The accuracy in float32, for fused axes.
            self.assertLess(told['bound'][0], 1.3e-5)
            self.assertEqual(told['bound'][1] > 1.1e-5, name != 'cdf97')
            text = self.succeed('explain', name, '--show', 'factoring').text()
            self.assertEqual('float32 error' in text, name != 'cdf97')


class Cuda(CliTest):
    def test_kernel(self):
        """One kernel per scheme, with at least one barrier for each pass that reads along x."""
        for scheme, least in (('sep-lifting', 4), ('nonsep-lifting', 4), ('nonsep-convolution', 1)):
            for direction in (), ('--inverse',):
                told = self.succeed('explain', 'cdf97/' + scheme, '--show', 'cuda',
                                    *direction).text()
                self.assertEqual(told.count('__global__'), 1)
                self.assertIn('--variant block-' + scheme, told)
                self.assertIn('wp_load_quad<%s>' % ('true' if direction else 'false'), told)
                self.assertGreaterEqual(told.count('__syncthreads();'), least)
                self.assertEqual(re.findall(r'(?<![\w.])\d+\.\d+(?:e-?\d+)?(?!\d*f)', told), [])
        self.assertNotIn('__syncthreads', self.succeed('explain', 'haar/sep-lift', '--show',
                                                       'cuda').text())

    def test_refused(self):
        self.refuse(USAGE, 'CUDA kernels use the block form', 'explain',
                    'cdf97/ns-lift/plain', '--show', 'cuda')
        self.refuse(USAGE, '--no-optimize is not for --show cuda', 'explain', 'cdf97/ns-lift', '--no-optimize',
                    '--show', 'cuda')
        self.refuse(USAGE, '--show cuda supports only images (…)', 'explain', 'cdf97', '--volume',
                    '--show', 'cuda')


class Diff(CliTest):
    def test_shaders(self):
        schemes = {name: self.succeed('explain', 'cdf97/' + name, '--show', 'glsl').text()
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
        """Each line of a row names the fetched position in the notation of the matrix."""
        for target in ('dd137/ns-lift', 'cdf97/ns-conv', 'cdf53/sep-lift/plain'):
            glsl = self.succeed('explain', target, '--show', 'glsl').text()
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
        self.refuse(USAGE, '--show glsl does not support --format csv', 'explain', '--diff', 'ns-lift', 'ns-conv',
                    '--format', 'csv', hint='it supports --format txt')


class Borders(CliTest):
    """--show border: the sums before and after the extension is replaced give the coefficients."""

    N = 60

    def value(self, expression, values):
        total = 0.0
        for sign, factor, name, index in re.findall(
                r'([+-]?) ?(\d[\d.]*(?:e[+-]?\d+)?)? ?(x|low|high)\[([^]]+)\]', expression):
            end = self.N if 'n' in index else len(values['low'])
            at = end + int(index[1:] or 0) if index[0] in 'nb' else int(index)
            total += (-1 if sign == '-' else 1) * float(factor or 1) * values[name][at]
        return total

    def check(self, wavelet, border, norm, *inverse):
        text = self.succeed('explain', wavelet, '--show', 'border', '--border', border, '--norm',
                            norm, *inverse).text()
        text = re.sub(r'\n +([+-] )', r' \1', text)
        self.succeed('forward', 'x.npy', '-w', wavelet, '-l', '1', '--border', border, '--norm',
                     norm, '-b', 'reference', '-o', 'c.npy', '-f')
        coefficients = formats.read_npy(self.read('c.npy'))[-1]
        half = len(coefficients) // 2
        values = {'x': self.x, 'low': coefficients[:half], 'high': coefficients[half:]}
        extension, sums = text.split('The sums', 1)
        extended = dict(re.findall(r'(?m)^  (x\[\S+) = (.*)', extension))
        checked = 0
        for name, read, folded in re.findall(r'(?m)^  (\S+\[\S+) = (.*)\n += (.*)', sums):
            expected = self.value(name, values)
            self.assertAlmostEqual(self.value(folded, values), expected, places=3)
            if not inverse:
                for outside, source in extended.items():
                    read = read.replace(outside, f'({source})')
                total = 0.0
                for sign, factor, inner, plain in re.findall(
                        r'([+-]?) ?(\d[\d.]*(?:e[+-]?\d+)?)? ?(?:\(([^)]*)\)|(x\[[^]]+\]))', read):
                    total += ((-1 if sign == '-' else 1) * float(factor or 1) *
                              self.value(inner or plain, values))
                self.assertAlmostEqual(total, expected, places=3)
            checked += 1
        return checked

    def test_sums_are_coefficients(self):
        self.x = [v / 64 - 1 for v in formats.noise(self.N, 127)]
        self.write('x.npy', formats.npy((1, self.N), self.x))
        for border in ('symmetric', 'periodic', 'pywt-zero', 'pywt-constant', 'pywt-symmetric',
                       'pywt-reflect', 'pywt-periodic', 'pywt-smooth', 'pywt-antisymmetric',
                       'pywt-antireflect', 'pywt-periodization'):
            self.assertGreater(self.check('cdf53', border, 'jpeg2000'), 2)
            if border != 'symmetric':
                self.assertGreater(self.check('db3', border, 'pywt'), 2)
        for border in 'symmetric', 'periodic', 'pywt-periodization':
            self.assertGreater(self.check('cdf97', border, 'none', '--inverse'), 4)

    def test_without_sums(self):
        self.assertIn('No sum reads beyond an end: the filters',
                      self.succeed('explain', 'haar', '--show', 'border').text())
        text = self.succeed('explain', 'cdf97', '--show', 'border', '--inverse', '--border',
                            'pywt-zero').text()
        self.assertIn('No sum reads beyond an end: there are', text)
        self.assertIn('b = n/2 + 4,', text)

    def test_drawing(self):
        root = ElementTree.fromstring(self.succeed('explain', 'cdf53', '--show', 'border',
                                                   '--border', 'pywt-smooth', '--format',
                                                   'svg').text())
        texts = [element.text for element in root.iter('{http://www.w3.org/2000/svg}text')]
        for text in 'x[-4]', 'x[n+2]', '= 2.0 x[0] - x[1]', 'low[b-1]', '0.875':
            self.assertIn(text, texts)

    def test_mistakes(self):
        self.refuse(USAGE, "wavelet 'db4' is not symmetric, …", 'explain', 'db4', '--show', 'border',
                    '--border', 'symmetric', hint='…')


class Width(CliTest):
    """Texts fit into 80 columns, except shaders and diagrams of wide filters."""

    TOPICS = ('summary', 'ops', 'matrix', 'diagram', 'footprint', 'filters', 'factoring', 'bands',
              'border', 'shift', 'tiles')

    def check(self, *arguments):
        text = self.succeed('explain', *arguments).out.decode()
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [], arguments)

    def test_topics(self):
        for wavelet in 'cdf97', 'dd137/ns-conv', 'haar/sep-lift', 'db4':
            for topic in self.TOPICS:
                self.check(wavelet, '--show', topic)
        for topic in 'summary', 'ops', 'matrix', 'diagram', 'footprint', 'tiles':
            self.check('db4', '--inverse', '--show', topic)
        self.check('ak511/ns-conv', '--show', 'matrix', '--numbers')
        self.check('db20', '--show', 'ops')
        self.check('--reversible')

    def test_volumes(self):
        for topic in 'summary', 'ops', 'matrix', 'diagram', 'footprint', 'bands':
            self.check('cdf53/pl-lift', '--show', topic)
            self.check('cdf97', '--volume', '--show', topic)
        self.check('cdf97/pl-poly', '--inverse')
        self.check('cdf97', '--volume', '--show', 'matrix', '--inverse')

    def test_pixel(self):
        self.write('in.png', formats.png(16, 12, formats.noise(192, 255), 1, 8))
        self.check('cdf97', '--input', 'in.png', '--pixel', '5,4', '--vs', 'sep-lift')


class Everything(CliTest):
    def test_files(self):
        self.write('in.png', formats.png(8, 6, formats.noise(48, 255), 1, 8))
        self.succeed('explain', 'cdf53', '--show', 'all', '--input', 'in.png', '-o', 'out')
        found = {os.path.relpath(os.path.join(d, f), self.path('out'))
                 for d, _, files in os.walk(self.path('out')) for f in files}
        for name in ('report.html', 'worksheet.html', 'ops.csv', 'ops.json', 'ops.md', 'ops.tex',
                     'tiles.csv', 'tiles.md', 'filters.svg', 'filters.csv', 'bands.txt',
                     'nonsep-lifting/diagram.svg',
                     'nonsep-lifting/matrix.tex', 'sep-convolution/footprint.csv',
                     'nonsep-convolution/glsl.glsl', 'sep-lifting/passes/index.json'):
            self.assertIn(name, found)
        self.assertEqual(self.read('out/ops.csv').decode(),
                         self.succeed('explain', 'cdf53', '--show', 'ops', '--format',
                                      'csv').text())
        for name in found:
            if name.endswith(('.svg', '.html')):
                ElementTree.fromstring(self.read('out/' + name))
            if name.endswith('.json'):
                json.loads(self.read('out/' + name))

    def test_files_of_volumes(self):
        self.succeed('explain', 'cdf53/pl-lift', '--show', 'all', '--input', 'pattern:ball:8x6x5',
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
        """Six digits of every number except rounding errors, and only the presence of times."""
        if isinstance(value, dict):
            return {key: part > 0 if key == 'ms' else self.near(part)
                    for key, part in value.items()}
        if isinstance(value, list):
            return [self.near(part) for part in value]
        if isinstance(value, float):
            return float('%.6g' % value) if abs(value) > 1e-9 else 0.0
        return value

    def test_names_and_numbers(self):
        """The names of the files, and the contents of those that programs read."""
        self.write('in.png', formats.png(8, 6, formats.noise(48, 255), 1, 8))
        self.write('in.npy', formats.npy((4, 6, 8), [i % 97 / 97 for i in range(192)]))
        lines = []
        for number, (wavelet, image) in enumerate((('haar', 'in.png'), ('haar/pl-lift', 'in.npy'),
                                                   ('cdf97/sep-lift', 'in.png'))):
            out = 'out%d' % number
            self.succeed('explain', wavelet, '--show', 'all', '--input', image, '-o', out)
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
        self.refuse(USAGE, '--show all needs a directory', 'explain', '--show', 'all',
                    hint='-o DIR')
        self.refuse(FILE, 'cannot make directory no/out (No such file or directory)', 'explain',
                    '--show', 'all', '-o', 'no/out')
        self.refuse(FILE, '…', 'explain', '--show', 'all', '-o', self.write('file', 'x'))
        self.refuse(USAGE, '--show all writes a directory, not to stdout', 'explain', '--show',
                    'all', '-o', '-', hint='-o DIR')
        os.mkdir(self.path('closed'), 0o555)
        somebody = self.somebody()
        if somebody or os.geteuid() != 0:
            self.refuse(FILE, 'cannot write closed/report.html (Permission denied)', 'explain',
                        'haar', '--show', 'all', '-o', 'closed', **somebody)


class WrongWavelets(CliTest):
    def test_factorisation(self):
        """Steps that do not give the stated filter are reported with the line and the difference.
        """
        self.write('bad.wavelet', 'source here\npredict 0 -1/2 1 -1/2\nupdate -1 1/4 0 0.251\n'
                                  'lowpass -2 -1/8 -1 1/4 0 3/4 1 1/4 2 -1/8\n')
        for what in ('summary', 'matrix', 'report'):
            result = self.refuse(FILE, './bad.wavelet:4: …', 'explain', './bad.wavelet', '--show',
                                 what)
            self.assertIn('differs by 0.001 at 1: 0.25 in the file', result.err)
        self.write('other.wavelet', 'source here\npredict 0 -1/2 1 -1/2\nupdate -1 1/4 0 1/4\n'
                                    'lowpass -2 -1/8 -1 1/4 0 0.7501 1 1/4 2 -1/8\n')
        self.refuse(FILE, './other.wavelet:4: the lifting steps give a different … filter (it '
                                   'differs by 0.0001…', 'explain', './other.wavelet')


class Tiles(CliTest):
    """Operations and fetches per texel of the variants that run a level at once."""

    def table(self, *arguments):
        text = self.succeed('explain', *arguments, '--show', 'tiles', '--format', 'csv').text()
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
        # The 6x6 quads of CDF 9/7 are nine blocks of 2x2, and a fragment loads the four in the
        # corners.
        wide = self.table('cdf97')
        self.assertEqual(wide['fragment/tile-2x2', 'sep-lifting'][2], 9)
        self.assertEqual(wide['fragment/tile-2x2-four', 'sep-lifting'][2], 4)
        # Workgroups recompute the few quads around their tile.
        operations, once, fetches = told['compute/tiles', 'sep-lifting']
        self.assertTrue(16 == once < operations < 24)
        self.assertTrue(1 < fetches < 1.5)
        # Strips of four columns are read with one column on each side; nothing is recomputed along
        # y.
        walked, _, fetches_walked = told['compute/walks', 'sep-lifting']
        self.assertTrue(once < walked < 24)
        self.assertEqual(fetches_walked, 3)
        self.assertNotIn(('compute/walks', 'nonsep-lifting'), told)
        # CDF 9/7 reads two quads on each side.
        self.assertEqual(self.table('cdf97/sep-lift')['fragment/tile-2x2', 'sep-lifting'][2], 9)
        self.assertGreater(self.table('cdf97')['compute/tiles', 'nonsep-lifting'][2], fetches)
        # Subbands are read in texels of 2x2 samples.
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
        rows = json.loads(self.succeed('explain', 'cdf97', '--show', 'tiles', '--format',
                                       'json').out)
        table = self.table('cdf97')
        self.assertEqual(len(rows), len(table))
        for row in rows:
            self.assertAlmostEqual(row['operations'], table[row['way'], row['scheme']][0], 3)
        text = self.succeed('explain', 'cdf97', '--show', 'tiles').text()
        self.assertRegex(text, r'(?m)^fragment/tile-2x2 +sep-lifting +109\.00 +32 +3\.41 +9\.00$')
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertIn('| fragment/tile-2x2 | sep-lifting | 109.00 | 32 | 3.41 | 9.00 |\n',
                      self.succeed('explain', 'cdf97', '--show', 'tiles', '--format', 'md').text())

    def test_what_does_not_fit_is_said(self):
        self.write('far.wavelet', 'source none\npredict -6 -0.5 7 -0.5\nupdate -7 0.25 6 0.25\n')
        text = self.succeed('explain', '-w', 'far.wavelet', '--show', 'tiles').text()
        self.assertNotIn('fragment/', text)
        self.assertIn('\nOmitted: a block of 2x2 texels reads ', text)


class Banks(CliTest):
    """Passes of redundant banks."""

    def test_counts(self):
        text = self.succeed('explain', 'cdf97', '--bank', 'starlet').text()
        self.assertRegex(text, r'(?m)^sep-convolution +2 +\d+ +10 = 5 \+ 5$')
        self.assertRegex(text, r'(?m)^nonsep-convolution +1 +\d+ +25$')
        self.assertIn('Default: nonsep-convolution.', text)
        text = self.succeed('explain', 'cdf97', '--bank', 'undecimated').text()
        self.assertRegex(text, r'(?m)^sep-convolution +2 +48 +18 = 9 \+ 9$')
        self.assertRegex(text, r'(?m)^sep-lifting +8 ')
        self.assertIn('Default: sep-convolution.', text)

    def test_matrix(self):
        text = self.succeed('explain', 'haar/ns-conv', '--bank', 'undecimated', '--show',
                            'matrix').text()
        self.assertIn('haar/undecimated/nonsep-convolution, forward', text)
        self.assertIn('s = 2^(l-1)', text)
        self.assertIn('0.25', text)

        for form, begin in ('tex', '\\['), ('md', '$$'):
            text = self.succeed('explain', 'haar/ns-conv', '--bank', 'undecimated', '--show',
                                'matrix', '--format', form).text()
            self.assertIn(begin, text)
            self.assertIn('0.25', text)

    def test_tables(self):
        rows = [self.succeed('explain', 'cdf97', '--bank', 'undecimated', '--show', 'ops', '--format',
                             form).text().splitlines() for form in ('csv', 'md')]
        self.assertEqual(rows[0][:2], ['scheme,passes,operations,fetches', 'sep-convolution,2,48,18'])
        self.assertEqual(rows[1][2], '| sep-convolution | 2 | 48 | 18 |')
        self.assertEqual([len(r) for r in rows], [7, 8])

    def test_diagrams(self):
        """A disc or ring for each multiply-add, and a texture for each band in and out."""
        for target, options, taps, textures in (
                ('haar/ns-conv', (), 16, 5), ('haar/sep-conv', (), 2 * 2 + 4 * 2, 1 + 2 + 2 + 4),
                ('cdf53/ns-conv', ('--inverse',), None, 5),
                ('haar/ns-conv', ('--volume', '--labels'), 64, 9),
                ('cdf97/ns-conv', ('--bank', 'starlet'), None, 3)):
            with self.subTest(target=target, options=options):
                self.succeed('explain', target, '--bank', 'undecimated', '--show', 'diagram', '-o',
                             'd.svg', '-f', *options)
                drawing = ElementTree.fromstring(self.read('d.svg'))
                found = {tag: len(drawing.findall('.//{http://www.w3.org/2000/svg}' + tag))
                         for tag in ('circle', 'rect')}
                boxes = [r for r in drawing.iter('{http://www.w3.org/2000/svg}rect') if r.get('rx')]
                self.assertEqual(len(boxes), textures)
                if taps:
                    self.assertEqual(found['circle'], taps)

    def test_shaders_read_at_the_distance_of_the_taps(self):
        text = self.succeed('explain', '--bank', 'starlet', '--show', 'glsl').text()
        self.assertEqual(text.count(' = fetch(p + dilation * ivec3('), 24)

    def test_what_does_not_fit_is_said(self):
        self.refuse(USAGE, "scheme 'sep-lifting' does not apply to bank 'starlet'…", 'explain',
                    'cdf97/sep-lift', '--bank', 'starlet', hint="scheme 'sep-convolution' or …")
        self.refuse(USAGE, '--bank starlet does not support --format json …', 'explain', '--bank',
                    'starlet', '--show', 'matrix', '--format', 'json')
        self.refuse(USAGE, '--bank starlet does not support --format tex …', 'explain', '--bank',
                    'starlet', '--show', 'ops', '--format', 'tex')
        self.refuse(USAGE, "--diff is for bank 'decimated', not 'starlet'", 'explain', '--bank',
                    'starlet', '--diff', 'ns-conv', 'sep-conv')
