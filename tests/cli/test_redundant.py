"""Redundant banks: files, verify, and what does not support them."""
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

    def test_rejected(self):
        self.refuse(USAGE, "…'smdwt' …only the variant…", 'forward', 'a.npy', '-o', 'c.npy', '--bank', 'starlet',
                    '-b', 'cpu', '--variant', 'smdwt')
        self.refuse(TOO_LARGE, '…more than --memory…', 'forward', 'a.npy', '-o', 'c.npy', '--bank', 'undecimated',
                    '--memory', '10K')
