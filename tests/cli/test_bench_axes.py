"""The benchmark: products of its axes, with planes and precisions."""
import csv
import json
import os
import re

from harness import USAGE
from test_bench import QUICK, BenchTest


class Planes(BenchTest):
    THREE = ('-b', 'fragment', '-s', 'sep-lift', '--size', '64x32', '--planes')

    def test_rows_count_all_planes(self):
        rows = self.bench(*self.THREE, '3,1', '--variant', 'passes,tile-2x2', '--direction',
                          'forward,inverse')['rows']
        transforms = [row for row in rows if row['kind'] == 'transform']
        self.assertEqual([row['planes'] for row in transforms], [3] * 4 + [1] * 4)
        for row in transforms:
            moved = row['payload_gbps'] * row['median_ns']
            self.assertAlmostEqual(moved / (2 * 4 * 64 * 32 * row['planes']), 1, 6)
            self.assertIs(row['verified'], True)
            self.assertLess(row['max_abs_err'], 1e-5)
        traffic = {(row['planes'], row['variant'], row['direction']):
                   row['traffic_gbps'] * row['median_ns'] for row in transforms}
        for (planes, *which), moved in traffic.items():
            self.assertAlmostEqual(moved / traffic[1, *which], planes, 6)
        # Only the first configuration has transfers; ceilings have one plane.
        for row in rows:
            if row['kind'] == 'transfer':
                self.assertEqual(row['planes'], 3)
                self.assertAlmostEqual(
                    row['traffic_gbps'] * row['median_ns'] / (4 * 3 * 64 * 32), 1, 6)
            elif row['kind'] == 'ceiling':
                self.assertEqual(row['planes'], 1)
        self.assertEqual(len(rows), 8 + 6 + 4)

    def test_backends_that_take_them(self):
        self.check_dry_run(('--planes', '1,3'), ('fragment', ''), ('fragment', ', 3 planes'),
                           ('cpu',
                            ''), left_out="3 planes of 64x64 at once: backend 'cpu' supports 1")
        self.refuse(USAGE, "--planes: '0' is not a number of planes from 1 to 64", 'bench',
                    '--planes', '0', hint='1 or 3')


class Batches(BenchTest):
    def test_rows_count_all_images(self):
        """Slices of a call of the caller's memory, and planes, are one row of all images."""
        results = self.bench('-b', 'cpu,fragment', '-s', 'ns-conv', '-w', 'haar', '--size', '64x32',
                             '--batch', '4,32', '-l', '3', '--direction', 'all')
        rows = results['rows']
        transforms = self.transforms(results)
        self.assertEqual(sorted((row['backend'], row['batch']) for row in transforms),
                         sorted([('cpu', 4), ('cpu', 32), ('fragment', 4), ('fragment', 32)] * 2))
        for row in transforms:
            moved = row['payload_gbps'] * row['median_ns']
            self.assertAlmostEqual(moved / (2 * 4 * 64 * 32 * row['batch']), 1, 6)
            self.assertEqual((row['width'], row['height'], row['depth'], row['planes'],
                              row['levels_z']), (64, 32, 1, 1, 0))
            self.assertIs(row['verified'], True)
            self.assertEqual(row['images'], 1 if row['backend'] == 'cpu' else row['images'])
        for row in rows:
            if row['kind'] == 'transfer':
                moved = row['traffic_gbps'] * row['median_ns']
                self.assertAlmostEqual(moved / (4 * 64 * 32 * row['batch']), 1, 6)
        # A row without a batch is another configuration.
        plain = self.bench('-b', 'cpu', '-w', 'haar', '--size', '64x32')
        self.assertIsNone(self.transforms(plain)[0]['batch'])

    def test_compare_and_plot(self):
        run = ('bench', '-b', 'cpu', '-w', 'haar', '--size', '64', '--runs', '3', '--warmup', '0',
               '--no-transfers', '--batch')
        self.succeed(*run, '1..16:x4', '--json', 'a.json', '--svg', 'a.svg')
        self.succeed(*run, '4', '--json', 'b.json')
        text = self.succeed('compare', 'a.json', 'b.json').text()
        self.assertIn('| haar 64x64 ', text)
        for batch in 1, 16:
            self.assertRegex(text, r'only in a.json: transform cpu[^:]*\s%d in a batch 64x64' % batch)
        # One line of three points for the transform, and one for the ceiling.
        lines = re.findall(r'<path d="M[^"L]*L[^"L]*L[^"L]*" fill="none" stroke="#(?!999)',
                           self.read('a.svg').decode())
        self.assertEqual(len(lines), 2)

    def test_backends_that_take_them(self):
        self.check_dry_run(('--batch', '65'), ('fragment', ', 65 in a batch'),
                           ('cpu', ', 65 in a batch'), backends='fragment,cpu,reference',
                           left_out="65 planes of 64x64 at once: backend 'reference' supports 1")
        self.refuse(USAGE, "--batch: '0' is not a number of images from 1 to 65536", 'bench',
                    '--batch', '0', hint='64, or 1..256:x4')
        self.refuse(USAGE, 'nothing to measure (a batch is of images of one plane)', 'bench', '-b',
                    'cpu', '--size', '8x8x8', '--batch', '4')


class Precision(BenchTest):
    F16 = ('-b', 'fragment', '-s', 'sep-lift', '--size', '64x32', '--precision')

    def test_rows_of_both(self):
        rows = self.bench(*self.F16, 'f16,f32', '--variant', 'passes,tile-2x2')['rows']
        pixels = 64 * 32
        for row in rows:
            name = row['work'] or row['variant']
            size = {'f32': 4, 'f16': 2}[row['precision']]
            if row['kind'] == 'transform':
                moved = row['payload_gbps'] * row['median_ns']
                self.assertAlmostEqual(moved / (2 * size * pixels), 1, 6)
                self.assertIs(row['verified'], True)
                self.assertLess(row['max_abs_err'], 1e-5 if size == 4 else 8.2e-2)
                self.assertEqual(row['max_abs_err'] > 1e-5, size == 2)
                self.assertEqual(row['ceiling']['name'].endswith('-f16'), size == 2)
            elif row['kind'] == 'ceiling':
                self.assertEqual(name.endswith('-f16'), size == 2)
                if name.startswith('copy'):
                    moved = row['traffic_gbps'] * row['median_ns']
                    self.assertAlmostEqual(moved / (2 * size * pixels), 1, 6)
            else:  # floats on the host's side
                self.assertAlmostEqual(row['traffic_gbps'] * row['median_ns'] / (4 * pixels), 1, 6)
        found = {p: {(r['kind'], r['work'] or r['variant']) for r in rows if r['precision'] == p}
                 for p in ('f32', 'f16')}
        self.assertEqual({(kind, name.replace('-f16', '')) for kind, name in found['f16']},
                         found['f32'])
        self.assertEqual(len(rows), 2 * (2 + 6 + 4))
        # A pass transfers half the bytes.
        traffic = {r['precision']: r['traffic_gbps'] * r['median_ns'] for r in rows
                   if r['variant'] == 'passes' and r['kind'] == 'transform'}
        self.assertAlmostEqual(traffic['f32'] / traffic['f16'], 2, 6)

    def test_outputs_name_it_where_there_are_two(self):
        both = self.succeed(*QUICK, *self.F16, 'all', '--csv', 'a.csv', '--wide').text()
        self.assertRegex(both, r'\| precision +\| size')
        with open(self.path('a.csv'), encoding='utf-8') as file:
            self.assertEqual({row['precision'] for row in csv.DictReader(file)}, {'f32', 'f16'})
        one = self.succeed(*QUICK, *self.F16, 'f16', '--wide').text()
        self.assertRegex(one, r'All rows: .* mallat f16 1 plane')
        self.assertNotIn('| precision ', one)

    def test_backends_that_have_it(self):
        self.check_dry_run(('--precision', 'f32,f16'), ('fragment', ''), ('fragment', ', f16'),
                           ('cpu', ''), left_out="backend 'cpu' does not support precision 'f16'")
        self.refuse(USAGE, "nothing to measure (backend 'cpu' does not support precision "
                    "'f16')", 'bench', '-b', 'cpu', '--precision', 'f16')
        self.refuse(USAGE, "unknown precision 'f64'", 'bench', '--precision', 'f64',
                    hint='--precision supports f32, f16, all')

    def test_files_that_do_not_say(self):
        """Files without a precision have 32 bits."""
        results = self.bench('-b', 'reference', '-s', 'ns-conv', '--no-transfers')
        for row in results['rows']:
            self.assertEqual(row.pop('precision'), 'f32')
        self.write('old.json', json.dumps(results))
        self.succeed(*QUICK, '-b', 'reference', '-s', 'ns-conv', '--no-transfers', '--json',
                     'new.json')
        told = json.loads(self.succeed('compare', 'old.json', 'new.json', '--json').out)
        self.assertEqual(len(told['rows']), 1)


class Axes(BenchTest):
    def configurations(self, *arguments):
        lines = self.succeed('bench', '--dry-run', '--allow-software', *arguments).text()
        lines = lines.splitlines()
        self.assertRegex(lines[-1], r'^%d configurations?, ' % (len(lines) - 1))
        return lines[:-1]

    def test_products_and_ranges(self):
        found = self.configurations('-w', 'haar,cdf97', '-s', 'sep-lift,ns-conv', '--size',
                                    '64..256,100x50', '-l', '1..3', '--direction', 'all')
        self.assertEqual(len(found), 2 * 2 * 4 * 3 * 2)
        self.assertEqual(len(set(found)), len(found))
        self.assertEqual(len(self.configurations('--size', '64..300:x3', '-s', 'ns-conv')), 2)
        self.assertEqual(len(self.configurations('--size', '64..256:+64', '-s', 'ns-conv')), 4)

    def test_all_schemes_leaves_equal_ones_out(self):
        self.assertEqual(len(self.configurations('-w', 'cdf53', '-s', 'all', '--size', '64')),
                         4)
        self.assertEqual(len(self.configurations('-w', 'cdf97', '-s', 'all', '--size', '64')),
                         6)
        self.assertEqual(len(self.configurations('-w', 'cdf53', '-s', 'ns-poly', '--size', '64')),
                         1)

    def test_backend_without_schemes_says_so(self):
        note = "note: backend 'cpu' has no schemes and forms: one row is measured for all of them"
        for axis in (('-s', 'sep-lift,ns-conv'), ('--form', 'all'), ('--no-optimize',)):
            result = self.succeed('bench', '--dry-run', '-b', 'cpu,reference', *axis)
            self.assertEqual(result.err.count(note), 1, result.err)
            self.assertEqual(len(re.findall('(?m)^cpu ', result.text())), 1)
        for silent in (('-b', 'cpu'), ('-b', 'reference', '-s', 'sep-lift')):
            self.assertNotIn('note', self.succeed('bench', '--dry-run', *silent).err)

    def test_backends_that_have_no_schemes(self):
        self.assertEqual(len(self.configurations('-b', 'cpu', '-s', 'all', '--size', '64')), 1)

    def test_threads(self):
        cores = len(os.sched_getaffinity(0))
        cpu = ('-b', 'cpu', '--size', '64', '--threads')
        self.assertEqual(len(self.configurations(*cpu, '1..%d' % (cores + 3))), cores)
        self.assertEqual(len(self.configurations('-s', 'ns-conv', *cpu[2:], '1',
                                                 '-b', 'reference,cpu')), 2)
        rows = self.bench('-b', 'cpu', '--threads', '1')['rows']
        self.assertGreater(len(rows), 3)
        for row in rows:
            self.assertEqual(row['threads'], 1)
            self.assertIn('1 thread,', row['device'])
        self.assertEqual({row['threads'] for row in self.bench('-b', 'cpu')['rows']}, {None})
        self.refuse(USAGE, '--threads: no backend of the list uses CPU threads',
                    'bench', '-b', 'reference', '--threads', '1')

    def test_combinations_that_cannot_be(self):
        found = self.configurations('--size', '8,64', '-l', '5', '-s', 'ns-conv')
        self.assertEqual(len(found), 1)
        self.refuse(USAGE, 'nothing to measure (8x8 has at most 3 levels with symmetric '
                    'borders)', 'bench', '--size', '8', '-l', '5')

    def test_borders_and_adjoints(self):
        how = ('bench', '-w', 'cdf97', '--size', '21x13', '-l', '2', '--border',
               'symmetric,pywt-smooth', '--direction', 'all', '--adjoint', 'all', '-s', 'sep-lift',
               '--runs', '2', '--no-ceilings', '--no-transfers')
        self.succeed(*how, '-b', 'cpu,reference', '--json', 'b.json')
        rows = json.loads(self.read('b.json'))['rows']
        self.assertEqual(len({(row['backend'], row['border'], row['direction']) for row in rows}), 16)
        for row in rows:
            self.assertTrue(row['verified'], row)
            plan = row['border'] == 'pywt-smooth' or row['direction'].endswith(' adjoint')
            self.assertEqual(row['includes'], 'upload,download' if plan and
                             row['backend'] == 'reference' else None)
        text = self.succeed(*how, '-b', 'cpu', '--baseline', 'b.json').text()
        self.assertIn('cdf97 inverse adjoint pywt-smooth 21x13', text)
        self.assertRegex(text, r', 8 UNDECIDED|\b0 UNDECIDED')

    def test_an_image_gives_its_size(self):
        self.succeed('forward', 'pattern:noise:40x30', '-l', '1', '-o', 'c.npy')
        self.assertIn(' 40x30, ', self.configurations('--size', 'c.npy', '-s', 'ns-conv')[0])

    def test_mistakes(self):
        for message, *arguments in (
                ("unknown wavelet 'cdf79'", '-w', 'cdf79'),
                ("unknown direction 'backward'", '--direction', 'backward'),
                ("--size: '0' is not a size (1 to 65536 a side)", '--size', '0'),
                ("--size: '100000' is not a size (1 to 65536 a side)", '--size', '100000'),
                ("--size: '64x65537' is not a size …", '--size', '64x65537'),
                ("--levels: 'some' is not a number of levels from 0 to 31", '-l', 'some'),
                ("--threads: '0' is not a number of threads from 1 to 4096", '--threads', '0'),
                ("--max-noise: 'low' is not a number of percent", '--max-noise', 'low'),
                ("--context: 'x' is not KEY=VALUE", '--context', 'x'),
                ("unknown paper 'nobody1999'", '--paper', 'nobody1999'),
                ("no available backend has a variant 'quick'", '--variant', 'quick'),
                ('only one of the outputs can be written to stdout', '--json', '-', '--csv', '-'),
                ("option '--json' needs a value", '--json')):
            with self.subTest(message):
                self.refuse(USAGE, message, 'bench', *arguments)

    # One backend each: omitted combinations are only reported for the first.
    AXES = (
        ('-w', 'haar,d4', '--size', '64', '-b', 'cpu'),
        ('-w', 'd4', '--border', 'symmetric,periodic', '--size', '6x64'),
        ('-w', 'haar', '--border', 'symmetric,pywt-zero', '--adjoint', 'all', '--size', '9x8', '-b',
         'cpu', '--direction', 'all', '--layout', 'all', '-l', 'max', '--reversible', 'all'),
        ('--border', 'pywt-zero', '--size', '9', '--include', 'windows', '-b', 'cpu'),
        ('--size', '8,64', '-l', '1,5', '-b', 'cpu'), ('--size', '2', '-l', '1..2'),
        ('--size', '8x6', '--border', 'periodic', '-l', '2', '-b', 'cpu'),
        ('--size', '64', '--levels-z', '1', '-b', 'cpu'), ('--size', '8x8x2', '--levels-z', '1,3'),
        ('--size', '8x8x3', '--levels-z', '0,1,max', '-l', '0,1,max', '-b', 'cpu'),
        ('--size', '8x8x8', '--planes', '1,3', '-b', 'cpu'), ('--size', '8', '--planes', '1,3'),
        ('--size', '8', '--include', 'overlapped,upload', '-s', 'ns-conv'),
        ('--size', '8', '--include', 'all', '-b', 'cpu'),
        ('--size', '8', '--include', 'windows'), ('--size', '8', '--levels', '0'),
        ('--size', '8', '--precision', 'all', '-b', 'cpu'),
        ('--size', '8', '--variant', 'all', '-b', 'cpu', '--reversible', 'all', '-w', 'cdf53'),
        ('--size', '8', '--variant', 'conv-row-column', '-b', 'cpu', '--reversible', 'yes', '-w',
         'cdf53'),
        ('--size', '8', '-w', 'cdf97', '--reversible', 'all', '-s', 'ns-conv'),
        ('--size', '8,8x8x8', '-w', 'cdf53', '--reversible', 'all', '-s', 'sep-lift'),
        ('--size', '8', '-w', 'cdf53', '--norm', 'all', '--reversible', 'yes'),
        ('--size', '8', '-s', 'all,ns-poly', '--form', 'all', '-w', 'haar,haar'),
        ('--size', '8', '-s', 'sep-lift', '--layout', 'all', '--direction', 'all'),
        ('--size', '8x8x8', '-s', 'all', '-w', 'haar'),
        ('--size', '64', '--variant', 'fused,smdwt', '-b', 'cpu,reference', '-s', 'ns-conv'),
        ('--size', '8', '--threads', '1,4096', '-b', 'cpu'),
        ('--size', '4..40:x3,5..9:+2,6x7,8x9x4,7..8,16,5..9:+2', '-b', 'cpu'),
        ('--size', '65535..65536:+2,32768..65536', '-b', 'cpu'),
        ('--size', '000000000000016..32', '-b', 'cpu'), ('--size', '0000000000000016..32'),
        ('--size', '16..000000000000032', '-b', 'cpu'), ('--size', '16..0000000000000032:x2'),
        ('--size', '16..0000000000000320', '-b', 'cpu'),
        ('--size', '000000000000016x8', '-b', 'cpu'), ('--size', '0000000000000016x8'),
        ('--size', '8:x2'), ('--size', '8..16:*2'), ('--size', '8..16:x'), ('--size', '8x8x8x8'),
        ('--size', '8,,8'), ('--size', '8', '-l', '0x1'), ('--size', '8', '--levels-z', 'x'),
        ('--size', '8', '--planes', 'x'), ('--size', '8', '--threads', 'x'),
        ('--size', '8', '--include', 'both'), ('--size', '8', '-w', 'haar,none'),
        ('--size', '8', '-b', 'cpu', '--variant', 'fusd'), ('--size', '8', '-s', 'none'),
        ('--size', '8', '--device', '0', '-b', 'all'), ('--size', '8', '--timer', 'gpu'),
        ('--size', '8', '--reconstruct', 'zero-filled,tv,wav:spin', '-w', 'haar,cdf53', '--rate',
         '2,4', '-b', 'cpu', '-l', '1'),
        ('--size', '8', '--reconstruct', 'tv,tv+0.5wav', '-w', 'haar', '-l', '1,2', '-b', 'cpu'),
    )

    def test_products_as_texts(self):
        lines = []
        for options in self.AXES:
            usual = () if '-b' in options else ('-b', 'reference')
            result = self.run_program('bench', '--dry-run', *usual, *options)
            said = re.sub(r'(?m)^.*the computer is busy.*\n', '', result.err)
            said = re.sub(r"('cpu' has) \d+", r'\1 ~', said)
            code = 'exit %d\n' % result.code if result.code else ''
            lines.append('$ bench %s\n%s%s%s' % (' '.join(options), said, result.text(), code))
        self.check_golden('bench_axes.txt', '\n'.join(lines))

    def test_list(self):
        """The list, without variants and ceilings, which depend on the build."""
        text = self.succeed('bench', '--list').text()
        self.check_golden('bench_list.txt', re.sub(r'(?m)^(  [\w-]+: ).*$', r'\1~', text))

    def test_options_that_count_for_nothing(self):
        paper = ('--paper', 'barina2017-fig7', '--size', '64')
        for name, value in (('wavelet', 'haar'), ('scheme', 'sep-lift'), ('backend', 'cpu')):
            self.refuse(USAGE, '--%s cannot be combined with --paper' % name, 'bench', *paper,
                        '--' + name, value)
        self.refuse(USAGE, '--levels cannot be combined with --paper barina2017-fig7', 'bench',
                    *paper, '-l', '2', hint="its sweep is levels '1'")
        inverse = self.configurations(*paper, '--direction', 'inverse')
        self.assertTrue(inverse and all(' inverse 64x64' in line for line in inverse), inverse)
        for mode in ('--profile', '--dry-run', '--list'):
            for output in ('--json', '--csv', '--markdown', '--svg'):
                self.refuse(USAGE, '%s cannot be combined with %s' % (output, mode), 'bench', mode,
                            '--size', '32', output, 'f')

    def test_lists(self):
        text = self.succeed('bench', '--list').text()
        for word in ('cdf97', 'nonsep-lifting', 'fragment', 'reference', 'optimized'):
            self.assertIn(word, text)
        self.assertRegex(text, r'(?m)^  compute: tiles walks; copy .*$')
        self.assertRegex(text, r'(?m)^  reference: no variants$')
        self.assertNotRegex(text, r'(?m)^  \S+:(;|$)')
