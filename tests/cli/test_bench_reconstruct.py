"""Reconstructions in the benchmark: rows, papers and errors. No test checks a time."""
import json
import math
import re

from formats import npy
from harness import FILE, UNAVAILABLE, USAGE, CliTest

SMALL = ('bench', '-b', 'cpu', '-w', 'haar', '-l', '3', '--size', '32x48', '--loops', '3x4')
WAYS = 'zero-filled,tv,tv+0.1wav,wav:spin'


class BenchReconstructTest(CliTest):
    def rows(self, *options, ways=WAYS):
        told = json.loads(self.succeed(*SMALL, '--reconstruct', ways, '--json', '-', *options).out)
        self.assertTrue(told['complete'])
        self.assertEqual({row['kind'] for row in told['rows']}, {'reconstruction'})
        return told['rows']


class Rows(BenchReconstructTest):
    def test_members(self):
        rows = self.rows('--rate', '4,8')
        self.assertEqual([(row['work'], row['rate']) for row in rows],
                         [(way, rate) for rate in (4, 8) for way in WAYS.split(',')])
        for row in rows:
            self.assertEqual((row['width'], row['height'], row['depth'], row['image']),
                             (32, 48, 1, 'shepp-logan'))
        zero, tv, both, spun = rows[:4]
        self.assertIsNone(zero['backend'])
        self.assertIsNone(zero['median_ns'])
        self.assertEqual((tv['backend'], tv['form'], tv['wavelet'], tv['levels']),
                         ('cpu', 'none', None, None))
        self.assertEqual((both['form'], both['wavelet'], both['levels']),
                         ('coefficients', 'haar', 3))
        self.assertEqual(spun['form'], 'image')
        for row in (tv, both, spun):
            self.assertEqual(row['iterations'], 12)
            self.assertEqual(len(row['samples_ns']), 3)
            self.assertGreater(row['compile_ns'], 0)
            self.assertGreater(row['psnr'], zero['psnr'])
        # Fewer samples, lower PSNR.
        self.assertLess(rows[4]['psnr'], zero['psnr'])

    def test_is_what_reconstruct_does(self):
        self.succeed('undersample', 'pattern:shepp-logan:32x48', '--normalize', '--seed', '7', '-o',
                     'k.npy', '--mask-output', 'm.npy', '--truth-output', 't.npy')
        told = json.loads(self.succeed(
            'reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '--truth', 't.npy', '--tv', '1',
            '--wav', '0.1', '-l', '3', '--outer', '3', '--inner', '4', '--json').out)
        row = self.rows(ways='tv+0.1wav')[0]
        self.assertAlmostEqual(row['psnr'], told['psnr'], 3)

    def test_file_is_made_coarser_and_keeps_its_shape(self):
        values = [2 + math.cos(2 * math.pi * x / 96) for y in range(64) for x in range(96)]
        self.write('wave.npy', npy((64, 96), values))
        row = self.rows('--image', 'wave.npy', '--size', '48x32', ways='zero-filled')[0]
        self.assertEqual((row['image'], row['width'], row['height']), ('wave.npy', 48, 32))
        self.assertGreater(row['psnr'], 20)
        self.rows('--image', 'wave.npy', '--size', '128x100', ways='zero-filled')

    def test_each_once(self):
        rows = self.rows('-w', 'haar,cdf97', ways='zero-filled,tv,wav')
        self.assertEqual([(row['work'], row['wavelet']) for row in rows],
                         [('zero-filled', None), ('tv', None), ('wav', 'haar'), ('wav', 'cdf97')])

    def test_volume_and_table(self):
        text = self.succeed(*SMALL, '--reconstruct', 'tv', '--size', '16x16x8', '--wide').text()
        self.assertRegex(text, r'\| tv +\| shepp-logan +\| +4 \| +16x16x8 \| +[\d.]+ dB \| +12 \|')
        self.assertIn('Reconstructions: time per iteration', text)

    def test_dry_run(self):
        lines = self.succeed(*SMALL, '--reconstruct', 'tv+wav', '--dry-run').text().splitlines()
        self.assertEqual(lines, ['cpu tv+wav haar, 3 levels, 32x48 of shepp-logan, x4, 3x4',
                                 '1 reconstruction'])


class Papers(BenchReconstructTest):
    def test_table(self):
        result = self.succeed('bench', '--paper', 'quan2014-table2', '--size', '32x32', '--markdown',
                              'table.md', '--csv', 'rows.csv')
        table = self.read('table.md').decode()
        for name, printed in (('kiwi x4: TV + wavelet', '28.3488'), ('kiwi x8: gain', '0.5001'),
                              ('tangerine x4: gain', '7.9675'),
                              ('tangerine x8: zero-filled', '20.6875')):
            line = next(line for line in table.splitlines() if line.startswith('| ' + name))
            self.assertRegex(line, r'\| dB +\| +%s \| +-?[\d.]+ \| +[-+][\d.]+ dB \|$'
                             % re.escape(printed))
        self.assertIn("kiwi and tangerine are not public", table)
        self.assertIn('reconstruction,', self.read('rows.csv').decode())
        self.assertNotIn('error', result.err)


class Refused(BenchReconstructTest):
    def no(self, message, *options, code=USAGE, **how):
        self.refuse(code, message, *SMALL, *options, **how)

    def test_ways(self):
        for way in ('tv+tv', 'zero', 'tv:spin', '0tv', '-1wav', 'wav:fast', 'tv+', 'zero-filled:spin',
                    'nanwav'):
            with self.subTest(way):
                self.no("--reconstruct: invalid method '%s'" % way, '--reconstruct', way,
                        hint='for example zero-filled, …')

    def test_options(self):
        for message, options in (
                ("--loops: '3' is not OUTERxINNER", ('--loops', '3')),
                ("--loops: '0x4' is not OUTERxINNER", ('--loops', '0x4')),
                ("--rate: '0' is not a list of integers", ('--rate', '0')),
                ("--rate: '2.5' is not a list of integers", ('--rate', '2.5')),
                ('--border cannot be combined with --reconstruct', ('--border', 'periodic')),
                ('--svg cannot be combined with --reconstruct', ('--svg', 'x.svg'))):
            with self.subTest(message):
                self.no(message, '--reconstruct', 'tv', *options, hint='…')
        self.refuse(USAGE, '--reconstruct cannot be combined with --tune', 'bench',
                    '--reconstruct', 'tv', '--tune', hint='…')
        self.no('invalid rate 9999 (…)', '--reconstruct', 'tv', '--rate', '9999')
        self.no('missing.npy: …', '--reconstruct', 'tv', '--image', 'missing.npy', code=FILE)
        self.refuse(USAGE, '--rate needs --reconstruct', 'bench', '--rate', '4')

    def test_backend_without_an_engine(self):
        self.refuse(UNAVAILABLE, 'no backend of the list can reconstruct on this machine', 'bench',
                    '-b', 'reference', '--reconstruct', 'tv', '--size', '16')
