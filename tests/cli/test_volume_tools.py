"""Volumes in verify, bench, compare and info."""
import gzip
import json
import math
import re
import struct

from formats import nifti, noise, npy, pfm, png, pnm, tiff, y4m
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
                                     {'forward', 'inverse', 'round trip', 'one slice', 'products'})
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
        self.assertIn('\n5.0e-05 for schemes of two lifting pairs or more (cdf97)', text)
        self.assertNotIn('depth', self.verify('flat.npy', '-w', 'haar', *CPU))

    def test_backends_without_volumes_are_left_out_with_the_reason(self):
        told = self.verify('--size', '8x8x8', '-w', 'haar')
        for backend in told['backends']:
            name = backend['name']
            rows = [r for r in told['rows'] if r['backend'] == name]
            self.assertTrue(rows or backend['reason'], name)
        self.assertTrue({'cpu', 'reference'} <= {r['backend'] for r in told['rows']})

    def test_decompositions(self):
        """Verifies both decompositions, the second one with one scheme; only the given one; or one
        if both are equal."""
        def verified(*options):
            rows = self.verify('v.npy', '-w', 'cdf97', *CPU, *options)['rows']
            return [row['decomposition'] for row in rows if row['check'] == 'forward' and
                    row['border'] in ('symmetric', 'periodic') and not row.get('adjoint')]

        dyadic, temporal = 'dyadic', 'spatial-temporal'
        self.assertEqual(verified(), [dyadic] * 2 + [temporal] * 2)
        self.assertEqual(verified('-s', 'ns-lift', '--decomposition', temporal), [temporal] * 2)
        self.assertEqual(verified('--decomposition', dyadic), [dyadic] * 2)
        for levels in (('-l', '1'), ('-l', '0', '--levels-z', '2'), ('--levels-z', '0')):
            self.assertEqual(verified(*levels), [dyadic] * 2)
        self.assertNotIn('decomposition',
                         self.verify('flat.npy', '-w', 'haar', *CPU)['rows'][0])
        text = self.succeed('verify', 'v.npy', '-w', 'haar', *CPU).text()
        self.assertRegex(text, r'\nhaar +any scheme  .*\nhaar +any scheme, t\+2D  ')
        self.refuse(USAGE, 'flat.npy: an image has no levels along z', 'verify', 'flat.npy',
                    '--decomposition', temporal)

    def test_values_that_are_not_finite(self):
        self.write('bad.npy', npy((2, 2, 2), [1.0] * 7 + [float('nan')]))
        self.refuse(FILE, 'bad.npy: image contains NaN or infinite values',
                    'verify', 'bad.npy', '--volume')

    def test_schemes_of_volumes(self):
        self.verify('v.npy', '-w', 'haar', *CPU, '-s', 'planar-lifting,ns-lift')
        self.refuse(USAGE, '…planar-lifting…', 'verify', 'flat.npy', '-w', 'haar', *CPU, '-s',
                    'planar-lifting')
        self.refuse(USAGE, "unknown scheme 'planar-liftign'", 'verify', 'v.npy', '-s',
                    'planar-liftign')

    def test_refused(self):
        self.refuse(USAGE, 'flat.npy: an image has no levels along z', 'verify', 'flat.npy',
                    '--levels-z', '1')
        self.refuse(USAGE, 'flat.npy: 0 levels leave nothing to verify', 'verify', 'flat.npy', '-l',
                    '0')
        self.refuse(USAGE, '--size is for noise, not for a file', 'verify', 'v.npy', '--size',
                    SIZE)
        self.refuse(USAGE, "--size: '8x8x' is not a size (each side 1 to 65536)", 'verify',
                    '--size', '8x8x', hint='for example 640x480 or 64x64x64')
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
        # Two directions and four norms; two borders with two layouts, nine of PyWavelets with one.
        self.assertEqual(len(rows), 2 * 4 * (2 * 2 + 9))
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
                            '0', '--wide').text()
        self.assertTrue(re.search(r'(?m)^\| cdf97 +\| 14x10x9 +\| +1 \| +1 \|', text), text)
        self.assertTrue(re.search(r'(?m)^\| cdf97 +\| 64x64 +\| +1 \| +\|', text), text)
        line = self.succeed('bench', *CPU, '--size', SIZE, '--dry-run').text().splitlines()[0]
        self.assertEqual(line, 'cpu cdf97 forward 14x10x9, 1 level, 1 along z, symmetric, '
                               'jpeg2000, mallat')

    def test_sizes_of_files(self):
        self.assertEqual(self.rows(self.bench(*CPU, size='v.npy'))[0]['depth'], DEPTH)

    def test_auto_takes_a_backend_that_can(self):
        volume, image = (self.rows(self.bench('--allow-software', size=size))[0]['backend']
                         for size in (SIZE, '14x10'))
        self.assertEqual(volume, image)

    def test_what_is_large_is_checked_in_part(self):
        row = self.rows(self.bench(*CPU, '-w', 'haar', '--no-transfers', '--no-ceilings', '-l', '3',
                                   '--levels-z', '1', size='520x515x70'))[0]
        self.assertEqual((row['verified_at'], row['verified']), ('248x251x70', True))

    def test_baseline(self):
        told = self.bench(*CPU, '-l', '1', '--levels-z', '0,1')
        self.write('same.json', json.dumps(told))
        how = ('bench', *CPU, '--size', SIZE, '--runs', '60', '-l', '1', '--levels-z', '1',
               '--baseline')
        for row in told['rows']:
            times = [ns / 1e3 for ns in row['samples_ns']] * 4
            row.update(samples_ns=times, wall_samples_ns=times, median_ns=times[0])
        self.write('fast.json', json.dumps(told))
        for row in told['rows']:
            times = [ns * 1e6 for ns in row['samples_ns']]
            row.update(samples_ns=times, wall_samples_ns=times, median_ns=times[0])
        self.write('slow.json', json.dumps(told))
        row = r'\| cdf97 14x10x9 '
        result = self.decide(row, *how, 'slow.json', '--fail-if-slower', '5%')
        self.assertEqual(result.code, 0, result.err)
        self.assertTrue(re.search(r'(?m)^%s.*FASTER' % row, result.text()), result.text())
        result = self.decide(row, *how, 'fast.json', '--fail-if-slower', '5%')
        self.assertEqual(result.code, MISMATCH, result.text() + result.err)
        self.assertTrue(re.search(r'(?m)^%s.*SLOWER' % row, result.text()), result.text())
        self.assertIn('fail: ', result.text())
        # Rows with another number of levels along z are not compared.
        told = json.loads(self.succeed('compare', 'slow.json', 'slow.json', '--json').out)
        self.assertEqual([(r['levels'], r['levels_z'], r['ratio']) for r in told['rows']
                          if r['kind'] == 'transform'], [(1, 0, 1), (1, 1, 1)])

    def test_refused(self):
        def refuse(message, *options, size=SIZE):
            self.refuse(USAGE, '…' + message + '…', 'bench', '--size', size, *options)
        refuse("'8x8x8x8' is not a size", size='8x8x8x8')
        refuse("'8x0x8' is not a size", size='8x0x8')
        refuse('9 slices have at most 4 levels', *CPU, '--levels-z', '5')
        refuse('9 slices have at most 0 levels with periodic', *CPU, '--border', 'periodic',
               '--levels-z', '1')
        refuse('an image has no levels along z', *CPU, '--levels-z', '1', size='64')
        refuse('0 levels are not', *CPU, '-l', '0')
        refuse("--levels-z: 'x' is not a number of levels", '--levels-z', 'x')
        refuse('planar-lifting', *CPU, '-s', 'planar-lifting', size='64')
        refuse('planes of a volume are transformed one by one', *CPU, '--planes', '3')
        refuse('--tune supports only images', *CPU, '--tune')


class Papers(ToolTest):
    def test_groups_of_frames(self):
        text = self.succeed('bench', '--paper', 'galiano2012-fig3', '--size', '64x48x16', '--runs',
                            '3', '--warmup', '0', '--allow-software', '--wide').text()
        time = r' +[\d.]+ (?:ns|µs|ms) \|'
        self.assertTrue(re.search(r'(?m)^\| cpu +\| fused +\| 64x48x16 \|' + 5 * time +
                                  r' +\? \| +\? \| +[\d.]+ \|$', text), text)
        self.assertIn('Transfers and compute, separate and combined:', text)

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
        # Slice 4 differs by 1/4 in one position, slice 7 by 1/8 in two.
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
        self.refuse(MISMATCH, 'v.npy is 14x10x9, flat.npy is 14x10 (only files of equal size can '
                    'be compared)', 'compare', 'v.npy', 'flat.npy')
        self.write('less.npy', npy((DEPTH - 1, HEIGHT, WIDTH), self.values[WIDTH * HEIGHT:]))
        self.refuse(MISMATCH, '…14x10x8…', 'compare', 'v.npy', 'less.npy')
        self.refuse(USAGE, '--slices is for volumes, and flat.npy is an image', 'compare',
                    'flat.npy', 'flat.npy', '--slices')
        self.refuse(USAGE, '…are for images, not for the results of benchmarks', 'compare',
                    'a.json', 'b.json', '--slices')


class Info(ToolTest):
    def info(self, *options):
        return json.loads(self.succeed('info', '--json', *options).out)

    def check(self, name, data, **wanted):
        with self.subTest(name):
            told = self.info(self.write(name, data))
            self.assertEqual({key: told[key] for key in wanted}, wanted)
            text = self.succeed('info', name).text()
            self.assertIn('format:      ' + wanted['format'], text)
            if wanted.get('type'):
                self.assertIn('samples:     %s\n' % wanted['type'], text)
            return told

    def test_every_format(self):
        image = dict(width=3, height=2, depth=1, kind='image', nonfinite=0)
        six = [0, 10, 20, 30, 40, 255]
        self.check('a.png', png(3, 2, six), format='PNG', type='u8', range=[0, 1],
                   stored_range=[0, 255], planes=1, **image)
        self.check('b.png', png(3, 2, [0, 65535] * 6, planes=2, bits=16), format='PNG',
                   type='u16 big-endian', planes=2, alpha=True, **image)
        self.check('a.ppm', pnm(3, 2, six * 3, planes=3, most=300), format='PNM',
                   type='u16 big-endian', planes=3, stored_range=[0, 255], **image)
        self.check('a.pfm', pfm(3, 2, [-1.5, 2.25, 0, 0, 0, 0]), format='PFM',
                   type='f32 little-endian', range=[-1.5, 2.25], stored_range=None, **image)
        self.check('a.tiff', tiff(3, 2, [0.5] * 6), format='TIFF', planes=1, range=[0.5, 0.5],
                   **image)
        self.check('a.npy', npy((2, 3), six, kind='>u2'), format='NPY', type='u16 big-endian',
                   values='raw', range=[0, 255], stored_range=None, **image)
        self.check('v8.npy', npy((3, 2, 5), [0.25] * 30, kind='<f8'), format='NPY', kind='volume',
                   depth=3, type='f64 little-endian')
        self.check('a.y4m', y4m(4, 2, [bytes([16] * 7 + [235])] * 5, '30000:1001'), format='Y4M',
                   kind='volume', width=4, height=2, depth=5, type='luma u8', range=[0, 1],
                   stored_range=None)
        self.check('a.nii', nifti((3, 2, 1), six, 'u1'), format='NIfTI-1', type='u8', gzip=False,
                   values='raw', range=[0, 255], stored_range=None, **image)

    def test_planes_of_short_last_axes(self):
        self.write('thin.npy', npy((6, 5, 3), self.values[:90]))
        self.assertEqual([self.info('thin.npy')[k] for k in ('kind', 'planes', 'depth')],
                         ['image', 3, 1])
        self.assertEqual([self.info('thin.npy', '--volume')[k]
                          for k in ('kind', 'planes', 'width', 'height', 'depth')],
                         ['volume', 1, 3, 5, 6])

    def test_raw_patterns_and_stdin(self):
        self.write('a.raw', struct.pack('<6h', -5, 0, 1, 2, 3, 400))
        told = self.info('a.raw', '--raw', '3x2:i16le')
        self.assertEqual((told['format'], told['type'], told['range']),
                         ('raw', 'i16 little-endian', [-5, 400]))
        told = self.info('pattern:ball:12x10x6')
        self.assertEqual((told['format'], told['type'], told['depth']), ('pattern', None, 6))
        text = self.succeed('info', '-', stdin=npy((2, 2), [1, 2, 3, 4])).text()
        self.assertIn('values:      1..4\n', text)

    def test_values_that_are_not_finite(self):
        nan, infinity = float('nan'), float('inf')
        self.write('some.npy', npy((1, 4), [nan, 2, infinity, -3]))
        told = self.info('some.npy')
        self.assertEqual((told['range'], told['nonfinite']), ([-3, 2], 2))
        self.write('none.npy', npy((1, 2), [nan, infinity]))
        self.assertEqual(self.info('none.npy')['range'], None)
        self.assertIn('values:      no finite value, 2 not finite\n',
                      self.succeed('info', 'none.npy').text())

    def test_sform(self):
        rows = [[0, 0, 2, -10], [-0.5, 0, 0, 20], [0, -0.75, 0, 30]]
        data = nifti((3, 2, 2), range(12), 'i2', '>', pixdim=[1, 0.5, 0.75, 2, 0, 0, 0, 0],
                     units=2, sform=(1, rows), scale=(2, -3))
        told = self.check('s.nii.gz', gzip.compress(data), format='NIfTI-1', gzip=True,
                          type='i16 big-endian', range=[-3, 19], depth=2,
                          scale={'slope': 2, 'intercept': -3})
        self.assertEqual(told['geometry'],
                         {'voxel_size': [0.5, 0.75, 2], 'orientation': 'PIR', 'affine': rows,
                          'affine_from': 'sform', 'frames': False, 'frame_rate': None})
        text = self.succeed('info', 's.nii.gz').text()
        self.assertIn('format:      NIfTI-1, gzip\nsize:        3x2x2\n', text)
        self.assertIn('values:      -3..19, 2 times the stored value plus -3\n'
                      'voxel:       0.5 x 0.75 x 2 mm\norientation: PIR\n'
                      'affine (s):          0          0          2        -10\n', text)

    def test_qform(self):
        # A rotation by 180 degrees about z; then by 90 degrees about x, with slices in reverse
        # order.
        for quaternion, qfac, letters, rows in (
                ((0, 0, 1), 1, 'LPS', [[-2, 0, 0, 1], [0, -3, 0, 2], [0, 0, 4, 3]]),
                ((math.sqrt(0.5), 0, 0), -1, 'RSA', [[2, 0, 0, 1], [0, 0, 4, 2], [0, 3, 0, 3]])):
            with self.subTest(letters):
                self.write('q.nii', nifti((3, 2, 2), [0] * 12, 'u1', units=2,
                                          pixdim=[qfac, 2, 3, 4, 0, 0, 0, 0],
                                          qform=(1, quaternion, (1, 2, 3))))
                told = self.info('q.nii')['geometry']
                self.assertEqual((told['orientation'], told['affine_from']), (letters, 'qform'))
                self.assert_near([n for row in told['affine'] for n in row],
                                 [n for row in rows for n in row], 1e-6)

    def test_frames(self):
        self.write('a.y4m', y4m(4, 2, [bytes(8)] * 5, '30000:1001'))
        self.assertIn('frames:      5, 30000/1001 per second, 0.16683 s\n',
                      self.succeed('info', 'a.y4m').text())
        told = self.info('a.y4m')['geometry']
        self.assertEqual((told['frames'], told['frame_rate'], told['affine']),
                         (True, [30000, 1001], None))

    def test_coefficients(self):
        self.succeed('forward', 'v.npy', '-o', 'c.npy', *CPU, '-w', 'cdf53', '-l', '2',
                     '--levels-z', '1', '--gop', '5', '--norm', 'orthonormal')
        self.assertEqual(self.info('c.npy')['coefficients'],
                         {'wavelet': 'cdf53', 'levels': 2, 'levels_z': 1,
                          'decomposition': 'dyadic', 'gop': 5, 'border': 'symmetric', 'norm': 'orthonormal', 'layout': 'mallat'})
        text = self.succeed('info', 'c.npy').text()
        self.assertIn('kind:        volume, coefficients\n', text)
        self.assertIn('transform:   cdf53, 2 levels, 1 along z, groups of 5, border symmetric, '
                      'norm orthonormal, layout mallat\n', text)
        self.assertIsNone(self.info('v.npy')['coefficients'])
        self.succeed('forward', 'v.npy', '-o', 't.npy', *CPU, '-l', '2', '--decomposition',
                     'spatial-temporal')
        self.assertEqual(self.info('t.npy')['coefficients']['decomposition'], 'spatial-temporal')
        self.assertIn(' along z separately, ', self.succeed('info', 't.npy').text())

    def test_refused(self):
        whole = nifti((3, 2, 2), range(12), 'i2')
        for name, data, message in (
                ('cut.nii', whole[:-1], 'truncated (needs 376 bytes, has 375)'),
                ('cut.nii.gz', gzip.compress(whole)[:-9], '…'),
                ('text', b'hello world, this is no image', 'unknown format of image or '
                 'volume'),
                ('cut.npy', npy((4, 4), [1] * 15), 'truncated (…'),
                ('cut.y4m', y4m(4, 2, [bytes(8), bytes(7)]), 'frame 2 is truncated')):
            with self.subTest(name):
                self.write(name, data)
                self.refuse(FILE, name + ': ' + message, 'info', name)
                result = self.run_program('info', name, '--json')
                self.assertEqual((result.code, 'error' in json.loads(result.out)), (FILE, True))
        self.refuse(FILE, 'no.nii: no such file', 'info', 'no.nii')
        self.refuse(USAGE, '--volume, --raw, --memory and --plan are for a file', 'info', '--volume')
        self.refuse(FILE, 'cut.nii: …', 'info', 'cut.nii', '--raw', '3x2x2:u8')

    def test_without_a_file(self):
        told = json.loads(self.succeed('info', '--json').out)
        # All backends support them, so this is not reported.
        self.assertFalse(any('volumes' in backend for backend in told['backends']))
        self.assertIn('NIfTI', told['formats']['read_volumes'])
