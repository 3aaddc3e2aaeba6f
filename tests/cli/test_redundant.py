"""Redundant banks: files, verify, and what does not support them."""
import os
import random

import formats
from harness import TOO_LARGE, USAGE, CliTest


class Redundant(CliTest):
    def setUp(self):
        super().setUp()
        self.samples = [((x * 37 + y * 11) % 64) / 64 for y in range(21) for x in range(30)]
        self.write('a.npy', formats.npy((21, 30), self.samples))

    def test_round_trip(self):
        for bank, bands in (('undecimated', 7), ('starlet', 3)):
            for options in ((), ('--adjoint',)):
                self.succeed('forward', 'a.npy', '-o', 'c.npy', '-l', '2', '--bank', bank, '-f', *options)
                self.assertEqual(formats.read_npy(self.read('c.npy'))[0], (21 * bands, 30))
                self.succeed('inverse', 'c.npy', '-o', 'b.npy', '-f')
                self.assert_near(formats.read_npy(self.read('b.npy'))[1], self.samples, 1e-5)

    def test_row_strips(self):
        """The files have the bytes of whole images; also with alpha and in tiles."""
        rng = random.Random(2)
        self.write('g.npy', formats.npy((500, 20), [rng.random() for _ in range(500 * 20)]))
        self.write('r.npy', formats.npy((260, 12, 4), [rng.random() for _ in range(260 * 12 * 4)]))
        for name in 'g.npy', 'r.npy':
            for options in (('--bank', 'undecimated', '-w', 'cdf53', '-l', '3'),
                            ('--bank', 'undecimated', '-w', 'db2', '-l', '3', '--border', 'periodic'),
                            ('--bank', 'starlet', '-l', '4'), ('--bank', 'starlet', '-l', '3', '--adjoint')):
                with self.subTest(name=name, options=options):
                    memory = '180K' if 'starlet' in options else '300K'
                    self.succeed('forward', name, '-o', 'w.npy', '-f', *options)
                    told = self.succeed('forward', name, '-o', 's.npy', '-f', '--memory', memory, *options)
                    self.assertIn('in strips', told.err)
                    self.assertEqual(self.read('s.npy'), self.read('w.npy'))
                    self.succeed('inverse', 'w.npy', '-o', 'a.npy', '-f')
                    told = self.succeed('inverse', 's.npy', '-o', 'b.npy', '-f', '--memory', memory)
                    self.assertIn('in strips', told.err)
                    self.assertEqual(self.read('b.npy'), self.read('a.npy'))
        self.write('h.npy', formats.npy((2000, 20), [rng.random() for _ in range(2000 * 20)]))
        self.succeed('forward', 'h.npy', '-o', 'c.tiff', '--memory', '700K', '--bank', 'starlet', '-l', '4')
        self.succeed('forward', 'h.npy', '-o', 'w.npy', '-f', '--bank', 'starlet', '-l', '4')
        self.succeed('inverse', 'c.tiff', '-o', 'a.npy', '-f')
        self.succeed('inverse', 'w.npy', '-o', 'b.npy', '-f')
        self.assertEqual(self.read('b.npy'), self.read('a.npy'))

    def test_verify(self):
        text = self.succeed('verify', '-b', 'cpu,reference', '-w', 'cdf53', '--bank', 'undecimated',
                            '--size', '19x12').text()
        self.assertIn('28 passed, 0 failed, 0 skipped', text)

    def test_picture(self):
        """A panel of each band: details about 128 of 255, the low band in its range."""
        gap, columns = 8, {'undecimated': 3, 'starlet': 1}
        for bank, rows in (('undecimated', 3), ('starlet', 3)):
            with self.subTest(bank):
                self.succeed('forward', 'a.npy', '-o', 'c.npy', '-l', '2', '-b', 'cpu', '--bank', bank, '-f',
                             '--picture', 'p.png', '--no-labels')
                across, down, planes, _, drawn = formats.read_png(self.read('p.png'))
                self.assertEqual((across, down, planes), (columns[bank] * 38 - gap, rows * 29 - gap, 1))
                values = formats.read_npy(self.read('c.npy'))[1]
                bands = [values[i * 630:(i + 1) * 630] for i in range(len(values) // 630)]
                detail = bands[-columns[bank]]  # the first one of level 1, at the top left
                panel = [drawn[y * across + x] for y in range(21) for x in range(30)]
                scale = max(abs(c) / abs(p - 128) for c, p in zip(detail, panel) if 20 < abs(p - 128) < 120)
                for c, p in zip(detail, panel):
                    self.assertAlmostEqual(p, min(max(128 + c / scale, 1), 255), delta=4)
                low = [drawn[(58 + y) * across + x] for y in range(21) for x in range(30)]
                self.assertEqual((min(low), max(low)), (0, 255))
                order = sorted(range(630), key=lambda i: bands[0][i])
                self.assertEqual([low[i] for i in order], sorted(low))

    def test_too_many_rows(self):
        """Files that inverse would reject are not written; .npz has an array for each subband."""
        self.write('long.npy', formats.npy((70000, 1), [y % 7 / 8 for y in range(70000)]))
        for options in (), ('--memory', '1M'):
            self.refuse(TOO_LARGE, 'c.npy: 1x140000x1 samples could not be read again (the limit is 131072 per side)…',
                        'forward', 'long.npy', '-o', 'c.npy', '--bank', 'starlet', '-l', '1', *options)
            self.assertFalse(os.path.exists(self.path('c.npy')))
        self.succeed('forward', 'long.npy', '-o', 'c.npz', '--bank', 'starlet', '-l', '1')
        self.succeed('inverse', 'c.npz', '-o', 'b.npy')
        self.assertEqual(formats.read_npy(self.read('b.npy'))[0], (70000, 1))

    def test_rejected(self):
        self.refuse(USAGE, "…'smdwt' …only the variant…", 'forward', 'a.npy', '-o', 'c.npy', '--bank', 'starlet',
                    '-b', 'cpu', '--variant', 'smdwt')
        self.refuse(TOO_LARGE, 'in row strips it needs …, more than --memory (10.0 KiB)…', 'forward', 'a.npy', '-o',
                    'c.npy', '--bank', 'undecimated',
                    '--memory', '10K')
