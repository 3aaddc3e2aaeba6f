"""explain: reports, pages for a class, and the other text formats."""
import base64
import json
import os
import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import formats
from harness import FILE, ROOT, USAGE, CliTest

XHTML = '{http://www.w3.org/1999/xhtml}'
SVG = '{http://www.w3.org/2000/svg}'


class Report(CliTest):
    def setUp(self):
        super().setUp()
        self.write('in.png', formats.png(16, 12, formats.noise(192, 255), 1, 8))

    def page(self, *arguments):
        self.succeed('explain', *arguments, '--show', 'report', '-o', 'page.html', '-f')
        data = self.read('page.html').decode()
        root = ElementTree.fromstring(data)
        self.assertEqual(root.tag, XHTML + 'html')
        self.check_accessible(root)
        # Self-contained: only the page's own script, which loads nothing.
        self.assertEqual(re.findall(r'<script[^>]*>|<link|\bon[a-z]+="', data), ['<script>'])
        script = root.findtext('.//' + XHTML + 'script')
        self.assertEqual(re.findall(r'https?:|fetch|XMLHttp|import|eval|innerHTML', script), [])
        self.check_contents(root)
        addresses = re.findall(r'(?:src|href|url)[=(]["\']?([^"\')]*)', data)
        begins = r'^(data:image/png;base64,|#)'
        if '--web-url' in arguments:
            page = escape(arguments[arguments.index('--web-url') + 1], {'"': '&quot;'})
            begins = r'^(data:image/png;base64,|#|%s#)' % re.escape(page)
        for address in addresses:
            self.assertRegex(address, begins)
        return data, root

    def check_contents(self, root):
        """The contents list every section in order, and every slider has as many positions as there
        are passes."""
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
        # Polyconvolution with one pair is convolution, and the report says so.
        kept = [1, 3, 4, 6]
        self.assertEqual(data.count('polyconvolution is convolution'), 3)
        passes = sum(int(table[1][i]) for i in kept)
        # The image; the input and each pass of each scheme.
        self.assertEqual(len(list(root.iter(XHTML + 'img'))), 1 + 4 + passes)
        # The idea, filters; a diagram of each pass, a footprint of each scheme.
        self.assertEqual(len(list(root.iter(SVG + 'svg'))), 3 + 3 + passes + 4)
        # The scheme that equals the default scheme.
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
                         len(re.findall(r'<title>[eo]{2} \+= -0\.5 ', data)))

    def test_what_is_too_large_is_named(self):
        """The page of every wavelet opens, and names the command for each omitted part."""
        data, root = self.page('db20')
        self.assertLess(len(data), 8 << 20)
        commands = [e.text for e in root.iter(XHTML + 'code')]
        self.assertIn('wavepass explain db20/nonsep-convolution --show diagram -o picture.svg',
                      commands)
        for command in commands:
            self.succeed(*command.split()[1:], '-f')
        self.assertEqual(self.opened(root), ['nonsep-polyconvolution'])
        # The printed page shows three passes and the last one.
        steps = [e for e in root.iter(XHTML + 'article') if e.get('id').startswith('nonsep-poly')]
        self.assertEqual([i for i, e in enumerate(steps) if 'skipped' not in e.get('class')],
                         [0, 1, 2, 10])
        self.assertIn('Passes 4 to 10 are similar', data)

    def test_levels(self):
        """A section per pass has its results for every level; the transfers between levels precede
        them."""
        _, root = self.page('cdf53/sep-lift', '--input', 'in.png', '-l', '2')
        names = [[c.text for c in step.iter(XHTML + 'figcaption')]
                 for step in root.iter(XHTML + 'article')]
        self.assertEqual(names, [['level %d, pass %d of 4: %s' % (level, p, 'LL, HL above LH, HH'
                                                                  if p == 4 else
                                                                  'ee, oe above eo, oo')
                                  for level in (1, 2)]
                                 for p in range(1, 5)])

    def test_inverse_and_other_wavelets(self):
        for wavelet in 'haar', 'db2', 'cdf1711':
            self.page(wavelet + '/ns-poly', '--inverse', '--input', 'in.png', '-l', '2', '--pixel',
                      '3,3')

    def test_too_many_levels_of_coefficients(self):
        """For color pictures the error occurs after four planes have been allocated; they are
        freed."""
        self.write('colour.png', formats.png(8, 8, formats.noise(192, 255), 3, 8))
        for image, size in ('in.png', '16x12'), ('colour.png', '8x8'):
            self.refuse(USAGE, '9 levels are more than a %s image has' % size, 'explain', 'cdf97',
                        '--inverse', '--show', 'report', '--input', image, '-l', '9', '-o',
                        'p.html')
            self.assertFalse(os.path.exists(self.path('p.html')))

    def test_worksheet(self):
        _, plain = self.page('cdf53', '--input', 'in.png', '--pixel', '4,4')
        data, root = self.page('cdf53', '--input', 'in.png', '--pixel', '4,4', '--worksheet')
        task, answers = data.split('<h1 class="answers">Answers</h1>')
        # No counts, matrix entries, arrows or results before the answers.
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
        # The answers contain the hidden parts, and each picture once.
        self.assertEqual(answers.count('class="arrow'), 22 + 16 + 39 + 18)
        self.assertEqual([text in answers for text in ('#version', '____')], [True, False])
        self.assertEqual(len(list(root.iter(XHTML + 'img'))), len(list(plain.iter(XHTML + 'img'))))

    def questions(self, data):
        """The texts and answers of each list of questions."""
        return [re.findall(r'<li><p>(.*?)</p>\n<p>(.*?)</p>\n</li>', part)
                for part in data.split('Questions</h2>')[1:]]

    def test_questions(self):
        """A seed gives the same set, first without and then with answers."""
        def ask(*options):
            return self.questions(self.page('cdf53', '--worksheet', *options)[0])
        first, second = ask()
        self.assertEqual([text for text, _ in first], [text for text, _ in second])
        self.assertEqual({answer for _, answer in first}, {'____________'})
        self.assertGreater(len(first), 12)
        answers = dict(second)
        self.assertEqual(answers['How many vanishing moments does the analysis high-pass filter have?'],
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
        _, root = self.page('cdf53/ns-lift', '--input', 'pattern:text:64x64', '-l', '2',
                            '--web-url', 'web/index.html?a=1&b=<2>"')
        begin = 'web/index.html?a=1&b=<2>"#w=cdf53&s=nonsep-lifting&l=2&i=text'
        self.assertEqual(self.links(root), [(begin, 'Run this scheme in a browser'),
                                            (begin + '&p=1', 'Run this pass in a browser'),
                                            (begin + '&p=2', 'Run this pass in a browser')])
        data, root = self.page('cdf53/ns-lift', '--inverse', '--border', 'periodic', '--web-url', 'x',
                               '--input', 'in.png')
        self.assertEqual(self.links(root)[0][0],
                         'x#w=cdf53&s=nonsep-lifting&l=1&b=periodic&d=inverse')
        self.assertIn('to use this image, drop it', data)
        # All schemes of a page, and none without the option.
        _, root = self.page('cdf97', '--web-url', 'x')
        self.assertEqual(len([1 for _, text in self.links(root) if 'scheme' in text]), 6)
        _, root = self.page('cdf97')
        self.assertEqual(self.links(root), [])
        # Links of a worksheet lead to its questions, and are in the answers.
        data, root = self.page('cdf53/ns-lift', '--worksheet', '--seed', '7', '--web-url', 'x')
        self.assertEqual(self.links(root)[0], (
            'x#w=cdf53&q=7', 'Answer and check these questions in a browser'))
        task, answers = data.split('<h1 class="answers">Answers</h1>')
        self.assertEqual([part.count('href="x#') for part in (task, answers)], [1, 3])
        # A user's wavelet is not in the page, even if its name is.
        steps = self.succeed('explain', 'cdf53', '--show', 'steps').out
        self.write('cdf93.wavelet', steps)
        data, root = self.page('./cdf93.wavelet', '--worksheet', '--web-url', 'x')
        self.assertNotIn('w=', self.links(root)[0][0])
        self.assertIn('drop its wavelet file', data)
        for page in 'a#b', 'a b':
            self.refuse(USAGE, "'%s' is not a valid address…" % page, 'explain', 'cdf53', '--show',
                        'report', '--web-url', page, hint='…index.html…')
        self.refuse(USAGE, '--web-url is not for --show ops', 'explain', '--show', 'ops',
                    '--web-url', 'x', hint='it is for --show report')
        for option in ('--web-url', 'x'), ('--worksheet', '--seed', '3'):
            self.refuse(USAGE, '…only for images', 'explain', '--volume', '--show', 'report', *option,
                        hint='omit …')
        self.refuse(USAGE, '--seed is for worksheets', 'explain', '--show',
                    'report', '--seed', '3', hint='--worksheet')
        self.refuse(USAGE, '…0…', 'explain', '--show', 'report', '--worksheet', '--seed', '0',
                    hint=None)

    def test_volumes(self):
        self.write('in.npy', formats.npy((5, 12, 16), formats.noise(960, 255), '|u1'))
        data, root = self.page('cdf53', '--input', 'in.npy', '--pixel', '5,4,3')
        table = self.table(root)
        self.assertEqual(table[0], ['for an octet of 2x2x2 samples', 'sep-conv', 'sep-poly',
                                    'sep-lift', 'pl-conv', 'pl-poly', 'pl-lift', 'ns-conv',
                                    'ns-poly', 'ns-lift'])
        self.assertEqual(table[1][1:], ['3', '3', '6', '2', '2', '4', '1', '1', '2'])
        self.assertEqual(table[4][1:], ['64', '64', '48', '98', '98', '52', '227', '227', '62'])
        kept = [1, 3, 4, 6, 7, 9]
        passes = sum(int(table[1][i]) for i in kept)
        # The slice of the voxel; the input and each pass of each scheme.
        self.assertEqual(len(list(root.iter(XHTML + 'img'))), 1 + len(kept) + passes)
        self.assertEqual(len(list(root.iter(SVG + 'svg'))), 3 + 3 + passes + len(kept))
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
        self.refuse(USAGE, 'slice 5 is out of range (0 to 4)', 'explain', '--show', 'report',
                    '--input', 'in.npy', '--pixel', '1,1,5')
        self.refuse(USAGE, 'times of results are only for images', 'explain', '--volume', '--show',
                    'report', '--results', 'r.json', hint='omit the results')

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
            ['fragment, some GPU'], ['64x48', '1', '', '', '2.0?', '', '', '1.234'],
            ['128x48', '1', '', '', '', '', '', '3.0'],
            ['cuda walk, some GPU (SOFTWARE)'], ['64x48', '1', '1.234']])
        data, _ = self.page('haar', '--results', 'r.json')
        self.assertTrue('no row for this wavelet' in data)

    def test_words_of_the_pages(self):
        """All texts except pictures, which have separate golden texts, styles and scripts."""
        self.write('in.npy', formats.npy((5, 6, 8), [i % 97 / 97 for i in range(240)]))
        version = self.succeed('--version').text().split()[1]
        for name, *arguments in (
                ('image', 'haar', '--input', 'in.png', '--pixel', '5,4'),
                ('inverse', 'cdf53/ns-lift', '--inverse', '--no-optimize', '--input', 'in.png'),
                ('volume', 'haar/pl-lift', '--input', 'in.npy', '--pixel', '5,4,2'),
                ('digits', 'cdf97/sep-poly'),
                ('worksheet', 'haar/sep-lift', '--worksheet', '--seed', '3')):
            data, _ = self.page(*arguments)
            data = re.sub(r'(?s)<(svg|style|script)\b.*?</\1>', r'<\1/>', data)
            data = re.sub('base64,[^"]*', 'base64,~', data).replace(version, 'VERSION')
            self.check_golden('page_%s.html' % name, data)

    def test_what_is_one_line_of_times(self):
        """Rows that differ only in the scheme share a line; other rows have lines of their own."""
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
        for more in ((), ('--inverse',), ('--no-optimize',)):
            data, _ = self.page('haar', '--results', 'r.json', *more)
            texts.append(re.search(r'(?s)<section id="times">.*?</section>', data)[0])
        self.check_golden('times.html', '\n'.join(texts))

    def test_times_are_those_of_bench(self):
        self.succeed('bench', '-w', 'haar', '-s', 'ns-lift,ns-conv', '--size', '64', '--runs', '3',
                     '-b', 'fragment', '--json', 'b.json', timeout=300)
        rows = [row for row in json.loads(self.read('b.json'))['rows'] if row['kind'] == 'transform']
        _, root = self.page('haar', '--results', 'b.json')
        table = self.table(root, -1)
        told = dict(zip(table[0], table[2]))
        self.assertIn('fragment', table[1][0])
        self.assertEqual(told['size'], '64x64')
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assert_near([float(told[row['scheme'].replace('nonsep-lifting', 'ns-lift').replace(
                'nonsep-convolution', 'ns-conv')])], [1e-6 * row['median_ns']],
                             1e-9 * row['median_ns'])

    def test_bad_results(self):
        for name in 'bad.json', 'no.json':
            self.write('bad.json', '{')
            self.refuse(FILE, '…' + name + '…', 'explain', 'haar', '--show', 'report', '--results',
                        name)

    def test_errors(self):
        self.refuse(USAGE, '--show report does not support --format csv', 'explain', '--show', 'report',
                    '--format', 'csv', hint='it supports --format html')
        self.refuse(USAGE, '--pixel needs an image', 'explain', '--show', 'report', '--pixel', '1,1')
        self.refuse(USAGE, 'pixel 99,1 is outside the image (16x12)', 'explain', '--show',
                    'report', '--input', 'in.png', '--pixel', '99,1')
        self.refuse(USAGE, '--worksheet is not for --show ops', 'explain', '--show', 'ops',
                    '--worksheet', hint='it is for --show report')


class Formats(CliTest):
    def test_unknown_suffix(self):
        self.refuse(USAGE, 'cannot write d.png (unknown suffix)', 'explain', 'haar', '--show',
                    'diagram', '-o', 'd.png', hint='use .txt, .svg, or --format')
        self.succeed('explain', 'haar', '--show', 'diagram', '-o', 'd.png', '--format', 'svg')
        ElementTree.fromstring(self.read('d.png'))
        self.succeed('explain', 'haar', '--show', 'glsl', '-o', 'haar.frag')
        self.assertIn(b'texelFetch', self.read('haar.frag'))

    def test_json(self):
        asked = ('explain', 'cdf53', '--show', 'ops')
        self.assertEqual(self.succeed(*asked, '--json').out,
                         self.succeed(*asked, '--format', 'json').out)
        for message, more in (('--show diagram does not support --format json', ('--show', 'diagram')),
                              ('both --json and --format csv', (*asked[2:], '--format', 'csv')),
                              ('--show all writes files of several formats',
                               ('--show', 'all', '-o', 'out'))):
            with self.subTest(message):
                result = self.run_program('explain', 'cdf53', *more, '--json')
                self.assertEqual((result.code, json.loads(result.out)['error']), (USAGE, message))

    def test_volumes(self):
        """--volume or a planar scheme selects three axes; sections without a form for three axes
        are rejected."""
        for what in 'summary', 'ops', 'matrix', 'diagram', 'footprint':
            with self.subTest(what):
                told = self.succeed('explain', 'cdf53/pl-lift', '--show', what).text()
                same = self.succeed('explain', '-w', 'cdf53', '-s', 'planar-lifting', '--volume',
                                    '--show', what).text()
                self.assertEqual(told, same)
                flat = self.succeed('explain', 'cdf53/ns-lift', '--show', what).text()
                deep = self.succeed('explain', 'cdf53/ns-lift', '--volume', '--show', what).text()
                self.assertNotEqual(flat, deep)
                self.assertIn('octet', told.lower() if what != 'footprint' else 'octet')
        for what in 'glsl', 'filters', 'tiles':
            for options in (('cdf53', '--volume'), ('cdf53/pl-lift',)):
                if what != 'filters' or '--volume' in options:
                    self.refuse(USAGE, '--show %s supports only images (…)' % what, 'explain',
                                *options, '--show', what, hint='omit --volume, …')
        self.refuse(USAGE, '--show glsl supports only images (…)', 'explain', 'cdf97', '--diff',
                    'pl-lift', 'ns-lift')
        self.refuse(USAGE, "scheme 'pl-lift' is only for volumes: …", 'forward', 'pattern:noise:8x8',
                    '-s', 'pl-lift', '-o', 'c.npy',
                    hint="'nonsep-lifting' is the same scheme for images")
        self.succeed('forward', 'pattern:noise:8x8x8', '-s', 'pl-lift', '-o', 'c.npy')

    def test_bands(self):
        """The subbands of `forward` for a volume have these names, in both decompositions."""
        def names(*options):
            told = self.succeed('explain', '--show', 'bands', '--format', 'csv', *options).text()
            return [line.split(',')[0] for line in told.splitlines()[1:]]

        self.assertEqual(names('-l', '1'), ['LL1', 'HL1', 'LH1', 'HH1'])
        self.assertEqual(len(names()), 10)
        self.assertEqual(len(names('--volume')), 22)
        self.assertEqual(names('-l', '1', '--decomposition', 'spatial-temporal', '--levels-z', '2'),
                         [plane + z for z in ('.L2', '.H2', '.H1')
                          for plane in ('LL1', 'HL1', 'LH1', 'HH1')])
        self.assertEqual(names('-l', '1', '--levels-z', '0'), ['LLL1', 'HLL1', 'LHL1', 'HHL1'])
        text = self.succeed('explain', '--show', 'bands', '--decomposition',
                            'spatial-temporal').text()
        self.assertIn('\nThe spatial-temporal decomposition (t+2D) first transforms each slice', text)
        self.refuse(USAGE, '--show bands has no size that limits the levels', 'explain',
                    '--show', 'bands', '-l', 'max')
        self.refuse(USAGE, 'at most 31 levels are supported', 'explain', '--show', 'bands', '-l', '32')
        self.refuse(USAGE, '--decomposition is not for --show summary', 'explain',
                    '--decomposition', 'dyadic', hint='it is for --show bands')

    def test_zero_has_no_sign(self):
        filters = self.succeed('explain', 'dd137', '--show', 'filters').text()
        self.assertRegex(filters, r'(?m) 0\.0$')
        self.assertNotRegex(filters, r'-0\.0\b(?!\d)')

    def test_options_of_something_else(self):
        for option, what in ((('--inverse',), 'filters'), (('--no-optimize',), 'filters'),
                             (('-s', 'ns-lift'), 'filters'), (('--norm', 'none'), 'ops')):
            with self.subTest(option=option, what=what):
                self.refuse(USAGE, f'--… is not for --show {what}', 'explain', 'cdf97', '--show',
                            what, *option)
