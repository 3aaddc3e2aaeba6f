"""Volumes in the commands that measure and tell: verify, bench, compare, info."""
import json
import math
import re
import struct

from formats import noise, npy
from harness import FILE, MISMATCH, REFERENCE, USAGE, CliTest

CPU = ('-b', 'cpu')
WIDTH, HEIGHT, DEPTH = 14, 10, 9
SIZE = '%dx%dx%d' % (WIDTH, HEIGHT, DEPTH)


class ToolTest(CliTest):
    def setUp(self):
        super().setUp()
        self.values = [v / 1024 for v in noise(WIDTH * HEIGHT * DEPTH, 1024)]
        self.write('v.npy', npy((DEPTH, HEIGHT, WIDTH), self.values))
        self.write('flat.npy', npy((HEIGHT, WIDTH), self.values[:WIDTH * HEIGHT]))


class Verify(ToolTest):
    def verify(self, *options):
        told = json.loads(self.succeed('verify', '--json', *options).out)
        self.assertEqual((told['failed'], told['passed'] > 0), (0, True))
        return told

    def test_backends_norms_and_sizes(self):
        for backend in (CPU, REFERENCE):
            for options in (['v.npy'], ['--size', SIZE, '--levels-z', 'max'],
                            ['--size', '1x7x5', '-l', '0', '--levels-z', '2'],
                            ['--size', '6x1x33', '-l', 'max'],
                            ['pattern:ball:24x20x16', '--norm', 'orthonormal'],
                            ['v.npy', '--norm', 'none', '--levels-z', '0']):
                with self.subTest(backend=backend, options=options):
                    told = self.verify(*options, '-w', 'cdf97,cdf75,haar', *backend)
                    self.assertEqual({r['check'] for r in told['rows']},
                                     {'forward', 'inverse', 'round trip', 'one slice'})
                    self.assertEqual({r['tolerance'] for r in told['rows']
                                      if r['check'] == 'one slice'}, {0})

    def test_variants_of_the_cpu(self):
        told = self.verify('--size', '40x24x16', '-w', 'cdf97', *CPU, '--variant', 'all')
        self.assertGreaterEqual(len(told['backends']), 4)

    def test_says_what_it_does(self):
        told = self.verify('v.npy', '-w', 'haar', *CPU, '-l', 'max', '--levels-z', '2')
        self.assertEqual((told['width'], told['height'], told['depth'], told['levels'],
                          told['levels_z']), (WIDTH, HEIGHT, DEPTH, 4, 2))
        text = self.succeed('verify', '--size', SIZE, '-w', 'cdf97', *CPU).text()
        self.assertIn('Volume 14x10x9, 3 levels, 3 along z; for periodic borders 8x8x8 of it', text)
        self.assertIn('\n5.0e-05 for schemes that multiply two lifting pairs or more (cdf97)', text)
        self.assertNotIn('depth', self.verify('flat.npy', '-w', 'haar', *CPU))

    def test_backends_without_volumes_are_left_out_with_the_reason(self):
        told = self.verify('--size', '8x8x8', '-w', 'haar')
        for backend in told['backends']:
            name = backend['name']
            rows = [r for r in told['rows'] if r['backend'] == name]
            self.assertTrue(rows or backend['reason'], name)
        self.assertTrue({'cpu', 'reference'} <= {r['backend'] for r in told['rows']})

    def test_values_that_are_not_finite(self):
        self.write('bad.npy', npy((2, 2, 2), [1.0] * 7 + [float('nan')]))
        self.refuse(FILE, 'bad.npy: nothing can be verified with values that are not finite',
                    'verify', 'bad.npy', '--volume')

    def test_refused(self):
        self.refuse(USAGE, 'flat.npy: an image has no levels along z', 'verify', 'flat.npy',
                    '--levels-z', '1')
        self.refuse(USAGE, 'flat.npy: 0 levels leave nothing to verify', 'verify', 'flat.npy', '-l',
                    '0')
        self.refuse(USAGE, '--size is for noise in place of a file', 'verify', 'v.npy', '--size',
                    SIZE)
        self.refuse(USAGE, '…bad size…', 'verify', '--size', '8x8x')
        self.refuse(FILE, 'v.npy: …', 'verify', 'v.npy', '--raw', '9x9x9:u8')


class Bench(ToolTest):
    def bench(self, *options, size=SIZE, **how):
        return json.loads(self.succeed('bench', '--size', size, '--runs', '3', '--warmup', '0',
                                       '--json', '-', *options, **how).out)

    def rows(self, results, kind='transform'):
        return [row for row in results['rows'] if row['kind'] == kind]

    def test_rows_tell_the_third_axis(self):
        results = self.bench(*CPU, '-w', 'cdf97,haar', '-l', '1,2', '--levels-z', '0,2')
        rows = self.rows(results)
        self.assertEqual([(r['width'], r['height'], r['depth']) for r in rows],
                         [(WIDTH, HEIGHT, DEPTH)] * 8)
        self.assertEqual({(r['wavelet'], r['levels'], r['levels_z']) for r in rows},
                         {(w, l, z) for w in ('cdf97', 'haar') for l in (1, 2) for z in (0, 2)})
        samples = WIDTH * HEIGHT * DEPTH
        for row in rows:
            self.assertIs(row['verified'], True)
            self.assertEqual(row['verified_at'], SIZE)
            self.assertLess(row['max_abs_err'], 1e-5)
            self.assertAlmostEqual(row['mpel_s'] * row['median_ns'] / 1e3 / samples, 1, 6)
            self.assertAlmostEqual(row['payload_gbps'] * row['median_ns'] / 8 / samples, 1, 6)
        for kind in ('ceiling', 'transfer'):
            row = self.rows(results, kind)[0]
            self.assertEqual(row['depth'], DEPTH)
            bytes_moved = samples * (8 if kind == 'ceiling' else 4)
            self.assertAlmostEqual(row['traffic_gbps'] * row['median_ns'] / bytes_moved, 1, 6)

    def test_images_have_one_slice(self):
        row = self.rows(self.bench(*CPU, size='64'))[0]
        self.assertEqual((row['depth'], row['levels_z'], row['verified_at']), (1, 0, '64x64'))

    def test_directions_norms_layouts_and_borders(self):
        rows = self.rows(self.bench(*CPU, '--direction', 'all', '--norm', 'all', '--layout', 'all',
                                    '--border', 'all', size='16x16x8', timeout=300))
        self.assertEqual(len(rows), 24)
        self.assertEqual({r['verified'] for r in rows}, {True})

    def test_levels_follow_the_plane(self):
        def levels(*options, size=SIZE):
            return {(r['levels'], r['levels_z']) for r in self.rows(self.bench(*CPU, *options,
                                                                               size=size))}
        self.assertEqual(levels('-l', '1..3', size='14x10x3'), {(1, 1), (2, 2), (3, 2)})
        self.assertEqual(levels('-l', 'max'), {(4, 4)})
        self.assertEqual(levels('-l', '0', '--levels-z', 'max'), {(0, 4)})

    def test_the_table_names_the_size(self):
        text = self.succeed('bench', *CPU, '--size', SIZE + ',64', '--runs', '3', '--warmup',
                            '0').text()
        self.assertTrue(re.search(r'(?m)^\| cdf97 +\| 14x10x9 +\| +1 \| +1 \|', text), text)
        self.assertTrue(re.search(r'(?m)^\| cdf97 +\| 64x64 +\| +1 \| +\|', text), text)
        line = self.succeed('bench', *CPU, '--size', SIZE, '--dry-run').text().splitlines()[0]
        self.assertEqual(line, 'cpu cdf97 forward 14x10x9, 1 level, 1 along z, symmetric, '
                               'jpeg2000, mallat')

    def test_sizes_of_files(self):
        self.assertEqual(self.rows(self.bench(*CPU, size='v.npy'))[0]['depth'], DEPTH)

    def test_auto_takes_a_backend_that_can(self):
        self.assertEqual(self.rows(self.bench('--allow-software'))[0]['backend'], 'cpu')

    def test_what_is_large_is_checked_in_part(self):
        row = self.rows(self.bench(*CPU, '-w', 'haar', '--no-transfers', '--no-ceilings', '-l', '3',
                                   '--levels-z', '1', size='520x515x70'))[0]
        self.assertEqual((row['verified_at'], row['verified']), ('248x251x70', True))

    def test_baseline(self):
        told = self.bench(*CPU, '-l', '1', '--levels-z', '0,1')
        self.write('same.json', json.dumps(told))
        how = ('bench', *CPU, '--size', SIZE, '--runs', '12', '--warmup', '0', '-l', '1',
               '--levels-z', '1', '--baseline')
        for row in told['rows']:
            times = [ns / 1e3 for ns in row['samples_ns']] * 4
            row.update(samples_ns=times, wall_samples_ns=times, median_ns=times[0])
        self.write('fast.json', json.dumps(told))
        for row in told['rows']:
            times = [ns * 1e6 for ns in row['samples_ns']]
            row.update(samples_ns=times, wall_samples_ns=times, median_ns=times[0])
        self.write('slow.json', json.dumps(told))
        text = self.succeed(*how, 'slow.json', '--fail-if-slower', '5%').text()
        self.assertTrue(re.search(r'(?m)^\| cdf97 14x10x9 .*FASTER', text), text)
        result = self.run_program(*how, 'fast.json', '--fail-if-slower', '5%')
        self.assertEqual(result.code, MISMATCH, result.err)
        self.assertIn('fail: ', result.text())
        # Rows of another number of levels along z are others.
        told = json.loads(self.succeed('compare', 'slow.json', 'slow.json', '--json').out)
        self.assertEqual([(r['levels'], r['levels_z'], r['ratio']) for r in told['rows']
                          if r['kind'] == 'transform'], [(1, 0, 1), (1, 1, 1)])

    def test_refused(self):
        def refuse(message, *options, size=SIZE):
            self.refuse(USAGE, '…' + message + '…', 'bench', '--size', size, *options)
        refuse("'8x8x8x8' is not a size", size='8x8x8x8')
        refuse("'8x0x8' is not a size", size='8x0x8')
        refuse('9 slices take no more than 4 levels', *CPU, '--levels-z', '5')
        refuse('9 slices take no more than 0 levels under periodic', *CPU, '--border', 'periodic',
               '--levels-z', '1')
        refuse('an image has no levels along z', *CPU, '--levels-z', '1', size='64')
        refuse('0 levels leave nothing', *CPU, '-l', '0')
        refuse("--levels-z: 'x' is not a number of levels", '--levels-z', 'x')
        refuse('planes of a volume go through one by one', *CPU, '--planes', '3')
        refuse('--tune probes images', *CPU, '--tune')


class Papers(ToolTest):
    def test_groups_of_frames(self):
        text = self.succeed('bench', '--paper', 'galiano2012-fig3', '--size', '64x48x16', '--runs',
                            '3', '--warmup', '0', '--allow-software').text()
        time = r' +[\d.]+ (?:ns|µs|ms) \|'
        self.assertTrue(re.search(r'(?m)^\| cpu +\| fused +\| 64x48x16 \|' + 5 * time +
                                  r' +[\d.]+ \|$', text), text)
        self.assertIn('Transfers and compute, apart and together:', text)

    def test_one_core_stands_for_the_papers(self):
        lines = self.succeed('bench', '--paper', 'galiano2012-fig6', '--dry-run').text()
        found = re.findall(r'(?m)^cpu/conv-row-column cdf97 forward (\S+), 1 level, 1 along z.*'
                           r', 1 thread$', lines)
        self.assertEqual(found, ['%sx%d' % (size, frames) for size in ('1280x640', '1920x1024')
                                 for frames in (16, 32, 64, 128)])

    def test_cube(self):
        lines = self.succeed('bench', '--paper', 'quan2014-volume', '--dry-run').text()
        self.assertIn('512x512x512, 3 levels, 3 along z, symmetric, jpeg2000, mixed', lines)


class Compare(ToolTest):
    def setUp(self):
        super().setUp()
        # Slice 4 differs by 1/4 in one place, slice 7 by 1/8 in two.
        self.changed = list(self.values)
        plane = WIDTH * HEIGHT
        for at, change in ((4 * plane + 2 * WIDTH + 3, 0.25), (7 * plane, 0.125),
                           (8 * plane - 1, -0.125)):
            self.changed[at] += change
        self.write('w.npy', npy((DEPTH, HEIGHT, WIDTH), self.changed))

    def compare(self, *options):
        return json.loads(self.succeed('compare', '--json', *options).out)

    def test_all_samples(self):
        told = self.compare('v.npy', 'w.npy')
        count = len(self.values)
        self.assertEqual((told['width'], told['height'], told['depth'], told['planes']),
                         (WIDTH, HEIGHT, DEPTH, 1))
        self.assertEqual((told['max'], told['max_at'], told['max_at_slice']), (0.25, [3, 2, 0], 4))
        self.assertAlmostEqual(told['mae'], 0.5 / count, 9)
        mse = (0.25 ** 2 + 2 * 0.125 ** 2) / count
        self.assertAlmostEqual(told['mse'], mse, 9)
        self.assertAlmostEqual(told['psnr'], -10 * math.log10(mse), 5)
        self.assertNotIn('slices', told)

    def test_each_slice(self):
        told = self.compare('v.npy', 'w.npy', '--slices')
        self.assertEqual([s['max'] for s in told['slices']], [0, 0, 0, 0, 0.25, 0, 0, 0.125, 0])
        self.assertAlmostEqual(told['slices'][7]['mae'], 0.25 / (WIDTH * HEIGHT), 9)
        text = self.succeed('compare', 'v.npy', 'w.npy', '--slices', '--metric', 'max').text()
        self.assertIn('max   0.25 at (3,2,4) of plane 1\n', text)
        self.assertEqual([line.split() for line in text.splitlines()[3:]],
                         [[str(z), {4: '0.25', 7: '0.125'}.get(z, '0.0')] for z in range(DEPTH)])

    def test_ssim_is_the_mean_of_slices(self):
        self.write('a.npy', npy((3, 12, 12), self.values[:432]))
        self.write('b.npy', npy((3, 12, 12), self.changed[144:576]))
        told = self.compare('a.npy', 'b.npy', '--slices')
        self.assertAlmostEqual(told['ssim'], sum(s['ssim'] for s in told['slices']) / 3, 6)

    def test_tolerance_is_of_all(self):
        self.succeed('compare', 'v.npy', 'w.npy', '--tol', '0.25')
        self.assertEqual(self.run_program('compare', 'v.npy', 'w.npy', '--tol', '0.2').code,
                         MISMATCH)

    def test_a_volume_and_its_round_trip(self):
        self.succeed('forward', 'v.npy', '-o', 'c.npy', *CPU)
        self.succeed('inverse', 'c.npy', '-o', 'back.nii', *CPU)
        self.succeed('compare', 'v.npy', 'back.nii', '--tol', '1e-5')
        self.assertGreater(self.compare('v.npy', 'c.npy')['max'], 0.1)

    def test_difference(self):
        self.succeed('compare', 'v.npy', 'w.npy', '-o', 'd.nii')
        self.assertEqual(self.compare('d.nii', 'v.npy')['depth'], DEPTH)
        self.refuse(FILE, 'd.png cannot hold a volume (9 slices)', 'compare', 'v.npy', 'w.npy',
                    '-o', 'd.png')

    def test_a_file_without_a_header(self):
        self.write('v.raw', struct.pack('<%df' % len(self.values), *self.values))
        told = self.compare('v.raw', 'v.npy', '--raw', SIZE + ':f32le')
        self.assertEqual(told['max'], 0)

    def test_refused(self):
        self.refuse(MISMATCH, 'v.npy is 14x10x9 with 1 plane, flat.npy is 14x10 with 1 (only what '
                    'is of one size can be compared)', 'compare', 'v.npy', 'flat.npy')
        self.write('less.npy', npy((DEPTH - 1, HEIGHT, WIDTH), self.values[WIDTH * HEIGHT:]))
        self.refuse(MISMATCH, '…14x10x8…', 'compare', 'v.npy', 'less.npy')
        self.refuse(USAGE, '--slices is for volumes, and flat.npy is an image', 'compare',
                    'flat.npy', 'flat.npy', '--slices')
        self.refuse(USAGE, '…are for images, not for the results of benchmarks', 'compare',
                    'a.json', 'b.json', '--slices')
