"""verify, compare and explain: results and exit codes."""
import csv
import io
import json
import re
from xml.etree import ElementTree

import formats
from harness import FILE, MISMATCH, REFERENCE, UNAVAILABLE, USAGE, CliTest, sample

# Table 1 of D. Barina et al., "Accelerating Discrete Wavelet Transforms on Parallel Architectures",
# 2017, and the fetches of each pass: steps, plain, OpenCL, shaders, fetches. One cell differs: for
# the separable polyconvolution of CDF 9/7 in shaders 56 is published, and the rule gives 42.
TABLE = {
    'cdf53': {
        'sep-convolution': (2, 28, 20, 22, [3, 3]),
        'sep-lifting': (4, 16, 16, 16, [2] * 4),
        'nonsep-convolution': (1, 63, 23, 39, [9]),
        'nonsep-lifting': (2, 24, 18, 18, [4] * 2),
    },
    'cdf97': {
        'sep-convolution': (2, 64, 56, 58, [5, 5]),
        'sep-polyconvolution': (4, 56, 40, 42, [3] * 4),
        'sep-lifting': (8, 32, 32, 32, [2] * 8),
        'nonsep-convolution': (1, 256, 152, 200, [25]),
        'nonsep-polyconvolution': (2, 126, 46, 62, [9, 9]),
        'nonsep-lifting': (4, 48, 36, 36, [4] * 4),
    },
    'dd137': {
        'sep-convolution': (2, 60, 60, 60, [7, 7]),
        'sep-lifting': (4, 32, 32, 32, [4] * 4),
        'nonsep-convolution': (1, 255, 203, 228, [49]),
        'nonsep-lifting': (2, 64, 50, 50, [16] * 2),
    },
}


class Explain(CliTest):
    def rows(self, *arguments):
        result = self.succeed('explain', *arguments, '--show', 'ops', '--format', 'csv')
        self.assertEqual(result.err, '')
        return list(csv.DictReader(io.StringIO(result.text())))

    def test_table_1(self):
        for wavelet, schemes in TABLE.items():
            rows = {row['scheme']: row for row in self.rows(wavelet)}
            for scheme, (steps, plain, opencl, shader, fetches) in schemes.items():
                with self.subTest('%s/%s' % (wavelet, scheme)):
                    row = rows[scheme]
                    self.assertEqual(row['wavelet'], wavelet)
                    self.assertEqual([int(row[key]) for key in (
                        'steps', 'plain', 'opencl', 'shader', 'fetches')],
                        [steps, plain, opencl, shader, sum(fetches)])

    def test_inverse_has_the_same_counts(self):
        self.assertEqual(len(self.rows('cdf97')), 6)
        self.assertEqual(self.rows('cdf97', '--inverse'), self.rows('cdf97'))

    def test_format_by_suffix(self):
        for name in 'ops.csv', 'ops.md', 'ops.tex':
            self.succeed('explain', 'cdf53', '--show', 'ops', '-o', name)
            told = self.succeed('explain', 'cdf53', '--show', 'ops', '--format',
                                name.split('.')[1])
            self.assertEqual(self.read(name).decode(), told.text())
        self.succeed('explain', 'cdf53/ns-lift', '--show', 'diagram', '-o', 'd.svg')
        self.assertIn(b'<svg', self.read('d.svg'))

    def test_one_scheme(self):
        self.assertEqual([row['scheme'] for row in self.rows('9/7/ns-lift')], ['nonsep-lifting'])
        self.assertEqual(self.rows('-w', '9/7', '-s', 'ns-lift'), self.rows('cdf97/nonsep-lifting'))

    def test_other_tables(self):
        table = self.succeed('explain', 'cdf53', '--show', 'ops', '--format', 'md').text()
        self.assertRegex(table, r'(?m)^\|.*nonsep-lifting.*\| *2 *\| *24 *\| *18 *\| *18 *\|')
        self.assertIn('nonsep-lifting', self.succeed('explain', 'cdf53', '--show', 'ops').text())

    def test_summary_matrix_glsl(self):
        self.assertIn('cdf97', self.succeed('explain', 'cdf97').text())
        self.assertIn('cdf97', self.succeed('explain').text())
        self.assertIn('z', self.succeed('explain', 'cdf53/ns-lift', '--show', 'matrix').text())
        glsl = self.succeed('explain', 'cdf53/ns-lift', '--show', 'glsl').text()
        self.assertEqual(glsl.count('#version 330 core\n'), 2)
        self.assertEqual(glsl.count('void main()'), 2)
        plain = self.succeed('explain', 'cdf53/ns-lift/plain', '--show', 'glsl').text()
        self.assertNotEqual(plain, glsl)
        result = self.succeed('explain', 'cdf53/ns-lift', '--no-optimize', '--show', 'glsl')
        self.assertEqual(result.text(), plain)

    def test_pictures(self):
        for what in ('diagram', 'footprint', 'filters'):
            self.succeed('explain', 'cdf53', '--show', what, '--format', 'svg', '-o', 'a.svg', '-f')
            root = ElementTree.fromstring(self.read('a.svg'))
            self.assertEqual(root.tag, '{http://www.w3.org/2000/svg}svg')
            self.assertIn('cdf53', self.succeed('explain', 'cdf53', '--show', what).text())
            self.refuse(USAGE, '--show %s does not support --format md' % what, 'explain',
                        'cdf53', '--show', what, '--format', 'md', hint='it supports --format txt, …')

    def test_wavelet_files(self):
        self.write('mine.wavelet', 'name mine\nsource here\npredict 0 -1\nupdate 0 1/2\n')
        self.assertEqual(self.rows('./mine.wavelet/sep-lift')[0]['wavelet'], 'mine')

    def test_output_file(self):
        result = self.succeed('explain', 'haar', '-o', 'haar.txt')
        self.assertEqual(result.out, b'')
        self.assertEqual(self.read('haar.txt'), self.succeed('explain', 'haar').out)
        self.refuse(FILE, 'cannot write no/haar.txt (No such file or directory)', 'explain', 'haar',
                    '-o', 'no/haar.txt')

    def test_errors(self):
        self.refuse(USAGE, "unknown wavelet 'cdf79'", 'explain', 'cdf79',
                    hint="did you mean 'cdf97'?  'wavepass info' lists all")
        self.refuse(USAGE, "unknown scheme 'ns-lit'", 'explain', 'cdf97/ns-lit',
                    hint="did you mean 'ns-lift'?  'wavepass info' lists all")
        self.refuse(USAGE, "unknown scheme 'ns-lit'", 'explain', '9/7/ns-lit/plain', hint='…')
        self.refuse(USAGE, "both 'cdf97' and -w name a wavelet", 'explain', 'cdf97', '-w', 'haar')
        self.refuse(USAGE, "both 'haar/ns-conv' and -s name a scheme", 'explain', 'haar/ns-conv',
                    '-s', 'ns-lift')
        self.refuse(USAGE, '…', 'explain', 'haar', '--format', 'csv')
        self.refuse(FILE, 'no/such.wavelet: no such file', 'explain', 'no/such.wavelet')


class Compare(CliTest):
    A = [0.25, 0.5, 0.75, 1.0]
    B = [0.25, 0.25, 0.75, 0.0]

    def setUp(self):
        super().setUp()
        self.write('a.npy', formats.npy((2, 2), self.A))
        self.write('b.npy', formats.npy((2, 2), self.B))

    def test_metrics(self):
        text = self.succeed('compare', 'a.npy', 'b.npy').text()
        self.assertIn('max   1.0 at (1,1) of plane 1\n', text)
        self.assertIn('mae   0.3125\n', text)
        self.assertIn('mse   0.265625\n', text)
        self.assertRegex(text, r'psnr  5\.757311? dB\n')
        self.assertIn('ssim  not defined (a side of less than 11 pixels)\n', text)

    def test_one_metric(self):
        self.assertEqual(self.succeed('compare', 'a.npy', 'b.npy', '--metric', 'mae').text(),
                         'mae   0.3125\n')

    def test_equal(self):
        image = 'pattern:noise:20x20'
        text = self.succeed('compare', image, image).text()
        self.assertIn('max   0.0\n', text)
        self.assertIn('ssim  1.0\n', text)
        self.succeed('compare', image, image, '--metric', 'ssim', '--tol', '1')
        self.succeed('compare', image, image, '--metric', 'psnr', '--tol', '100')

    def test_tolerance(self):
        for options, code in ((('--tol', '1'), 0), (('--tol', '0.999'), MISMATCH),
                              (('--metric', 'mae', '--tol', '0.3125'), 0),
                              (('--metric', 'mae', '--tol', '0.3'), MISMATCH),
                              (('--metric', 'mse', '--tol', '0.2'), MISMATCH),
                              (('--metric', 'psnr', '--tol', '5'), 0),
                              (('--metric', 'psnr', '--tol', '6'), MISMATCH),
                              (('--metric', 'ssim', '--tol', '0'), MISMATCH)):
            with self.subTest(options):
                result = self.run_program('compare', 'a.npy', 'b.npy', *options)
                self.assertEqual((result.code, result.err), (code, ''))
                verdict = result.text().splitlines()[-1]
                self.assertTrue(verdict.startswith('fail: ' if code else 'pass: '), verdict)
                told = self.run_program('compare', 'a.npy', 'b.npy', '--json', *options)
                self.assertEqual(told.code, code)
                self.assertEqual(json.loads(told.out)['tolerance']['pass'], code == 0)

    def test_bad_tolerance(self):
        for text in ('x', '', '1,5', '1x'):
            self.refuse(USAGE, "--tol: '%s' is not a number" % text if text else '…', 'compare',
                        'a.npy', 'b.npy', '--tol', text)

    def test_not_a_number_is_never_within(self):
        self.write('n.npy', formats.npy((2, 2), [float('nan')] + self.A[1:]))
        result = self.run_program('compare', 'a.npy', 'n.npy', '--metric', 'max', '--tol', '1e9')
        self.assertEqual(result.code, MISMATCH)
        self.assertIn('1 sample is not finite, 1 of them unequal', result.text())

    def test_sizes(self):
        for other in ('pattern:noise:3x2', 'pattern:noise:2x3'):
            with self.subTest(other):
                self.refuse(MISMATCH, 'a.npy is 2x2, %s is %s (only files of equal size can be '
                            'compared)' % (other, other[-3:]), 'compare', 'a.npy', other)
        self.refuse(MISMATCH, 'a.npy is gray, pattern:color:2x2 is in color', 'compare', 'a.npy',
                    'pattern:color:2x2')
        self.write('g.npy', formats.npy((2, 2, 2), self.A + self.A))
        self.refuse(MISMATCH, 'pattern:color:2x2 is in color, g.npy is gray with alpha',
                    'compare', 'pattern:color:2x2', 'g.npy')

    def test_difference(self):
        self.succeed('compare', 'a.npy', 'b.npy', '-o', 'd.npy')
        self.assertEqual(formats.read_npy(self.read('d.npy')), ((2, 2), [0, 0.25, 0, 1]))
        self.refuse(FILE, 'd.npy exists', 'compare', 'a.npy', 'b.npy', '-o', 'd.npy',
                    hint='use -f to overwrite')
        self.succeed('compare', 'a.npy', 'b.npy', '-o', 'd.npy', '-f')
        self.succeed('compare', 'a.npy', 'b.npy', '-o', 'd.png')
        self.assertEqual(formats.read_png(self.read('d.png'))[4], [0, 64, 0, 255])
        self.refuse(FILE, 'cannot write d.xyz (unknown suffix)', 'compare', 'a.npy', 'b.npy', '-o',
                    'd.xyz')


class Verify(CliTest):
    def test_final_line(self):
        text = self.succeed('verify', '-w', 'cdf53,haar', '-s', 'sep-lift,ns-conv',
                            *REFERENCE).text()
        # 2 wavelets x 2 schemes x 2 forms x 2 borders x forward, inverse, round trip; for each
        # wavelet these of a border of PyWavelets, and these and products of an adjoint.
        self.assertEqual(text.splitlines()[-1], '62 passed, 0 failed, 0 skipped')

    def test_fragment(self):
        text = self.succeed('verify', '-w', 'cdf97', '-b', 'fragment').text()
        self.assertEqual(text.splitlines()[-1], '79 passed, 0 failed, 0 skipped')
        self.assertEqual(len(re.findall(r'(?m)^cdf97 +\S+(?: +pass [\d.e-]+){4}', text)), 6)

    def test_wavelet_that_amplifies_noise(self):
        """The wavelet's rounding errors grow with every level, and the tolerance with them."""
        text = self.succeed('verify', 'pattern:noise:512x512', '-w', 'cdf75', '-b', 'cpu', '-l',
                            'max').text()
        self.assertTrue(text.splitlines()[-1].endswith(' passed, 0 failed, 0 skipped'), text)

    def test_backend_without_schemes(self):
        """The backend runs once, whatever schemes are given, and reports that."""
        how = ('verify', '-w', 'haar', '-b', 'cpu')
        for schemes in ((), ('-s', 'sep-lift,ns-conv')):
            text = self.succeed(*how, *schemes).text()
            self.assertEqual(text.splitlines()[-1], '13 passed, 0 failed, 0 skipped')
            self.assertTrue(re.search(r'(?m)^haar +any scheme(?: +pass [\d.e-]+){2} *$', text), text)
            self.assertNotIn('plain  ', text)
        told = json.loads(self.succeed(*how, '--json').out)
        self.assertEqual({(r['scheme'], r['form']) for r in told['rows']}, {(None, None)})
        self.assertEqual([b['any_scheme'] for b in told['backends']], [True])

    def test_everything_here(self):
        """Every wavelet, or d4 and one of sixteen, on every available backend."""
        names = [w['name'] for w in json.loads(self.succeed('info', '--json').out)['wavelets']]
        names = sorted({'d4', *sample(names, 'verify')})
        text = self.succeed('verify', '-l', '2', '-w', ','.join(names), 'pattern:noise:24x17',
                            timeout=600).text()
        passed, failed, _ = map(int, re.fullmatch(r'(\d+) passed, (\d+) failed, (\d+) skipped',
                                                  text.splitlines()[-1]).groups())
        self.assertGreater(passed, 60 * len(names))
        self.assertEqual(failed, 0)
        self.assertIn('skip d4 with symmetric borders: the wavelet is not symmetric\n', text)

    def test_variants(self):
        def verify(*more, **how):
            told = json.loads(self.succeed('verify', '-w', 'haar', '-s', 'sep-lift', '--json', *more,
                                           **how).out)
            self.assertEqual(told['failed'], 0)
            return told, [(b['name'], b['variant']) for b in told['backends']]
        told, names = verify('-b', 'cpu', '--variant', 'smdwt,fused')
        self.assertEqual(names, [('cpu', 'fused'), ('cpu', 'smdwt')])
        self.assertEqual([r['variant'] for r in told['rows']], ['fused'] * 13 + ['smdwt'] * 13)
        # Backends without this variant verify their default.
        self.assertEqual(verify('-b', 'cpu,reference', '--variant', 'smdwt')[1],
                         [('cpu', 'smdwt'), ('reference', None)])
        self.assertGreaterEqual(len(verify('-b', 'cpu', '--variant', 'all')[1]), 4)
        text = self.succeed('verify', '-w', 'haar', '-s', 'sep-lift', '-b', 'fragment', '--variant',
                            'tile-2x2', 'pattern:noise:40x30').text()
        self.assertTrue(re.search(r'(?m)^fragment/tile-2x2: ', text), text)

    def test_variants_that_cannot(self):
        far = 'source none\npredict -6 -0.5 7 -0.5\nupdate -7 0.25 6 0.25\n'
        self.write('far.wavelet', far)
        how = ('-w', 'far.wavelet', '-s', 'sep-lift', '-b', 'fragment')
        told = json.loads(self.succeed('verify', *how, '--variant', 'tile-2x2', '--json').out)
        self.assertEqual((told['passed'], told['skipped']), (0, 19))
        self.assertIn('a block of 2x2 texels reads', told['rows'][0]['reason'])
        how = ('verify', '-w', 'haar', '-s', 'sep-lift', '-b', 'fragment', '--variant')
        text = self.succeed(*how, 'all', 'pattern:noise:40x30', fault='images').text()
        self.assertEqual(text.count('-store: skip (fragment shaders of '), 2)
        self.assertIn('fragment/passes: ', text)
        result = self.run_program(*how, 'tile-2x2-store', fault='images')
        self.assertEqual(result.code, UNAVAILABLE)
        self.assertIn("variant 'tile-2x2-store' does not run on this device (", result.err)
        self.refuse(USAGE, "no backend of the list has a variant 'tile-2x3'", *how, 'tile-2x3',
                    hint="did you mean 'tile-2x2'?…")
        self.refuse(USAGE, "no backend of the list has a variant 'fused'", *how, 'fused', hint='…')

    def test_image_and_json(self):
        self.write('a.png', formats.png(21, 16, formats.noise(336 * 3, 255), 3))
        told = json.loads(self.succeed('verify', 'a.png', '-w', 'haar', '-s', 'sep-conv', '--json',
                                       *REFERENCE).out)
        self.assertEqual((told['passed'], told['failed'], told['width']), (19, 0, 21))
        self.assertEqual(len(told['rows']), 19)

    def test_borders_and_adjoints(self):
        borders = ('symmetric', 'periodic', *('pywt-' + name for name in (
            'zero', 'constant', 'symmetric', 'reflect', 'periodic', 'smooth', 'antisymmetric',
            'antireflect', 'periodization')))
        how = ('verify', '-w', 'cdf97', '-b', 'cpu,reference', '-s', 'sep-lift')
        for given, expected in (('all', borders), ('pywt-smooth,periodic', ('periodic', 'pywt-smooth'))):
            for adjoint in (False, True):
                told = json.loads(self.succeed(*how, '--border', given, *['--adjoint'] * adjoint,
                                               '--json').out)
                self.assertEqual((told['failed'], told['skipped']), (0, 0))
                rows = [row for row in told['rows'] if row['backend'] == 'cpu']
                self.assertEqual({row.get('adjoint', False) for row in rows}, {adjoint})
                self.assertEqual([row['border'] for row in rows if row['check'] == 'inverse'],
                                 list(expected))
                self.assertEqual({row['place'] is None for row in rows if
                                  row['check'] == 'products'}, {True} if adjoint else set())
        text = self.succeed(*how, '--adjoint').text()
        self.assertRegex(text, r'(?m)^cdf97 +sep-lifting +periodic, adjoint +pass \S+ +pass \S+ *$')
        self.assertNotIn('pywt', text)
        self.refuse(USAGE, "unknown border 'pywt-zeros'", *how, '--border', 'pywt-zeros',
                    hint="did you mean 'pywt-zero'?…")
        self.refuse(USAGE, 'reversible transforms round, so they have no adjoint', 'verify',
                    '--reversible', '--adjoint')
        self.refuse(USAGE, "border 'pywt-zero' has no reversible transform: …", 'verify',
                    '--reversible', '--border', 'pywt-zero', hint='…')

    def test_errors(self):
        self.refuse(USAGE, "unknown wavelet 'cdf79'", 'verify', '-w', 'haar,cdf79',
                    hint="did you mean 'cdf97'?…")
        self.refuse(USAGE, "unknown scheme 'x'", 'verify', '-s', 'x', hint='…')
        self.refuse(USAGE, '-w: the list is empty', 'verify', '-w', ',')
        self.refuse(FILE, 'no.png: no such file', 'verify', 'no.png', *REFERENCE)
