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

    def test_rejected(self):
        self.refuse(USAGE, "…'smdwt' …only the variant…", 'forward', 'a.npy', '-o', 'c.npy', '--bank', 'starlet',
                    '-b', 'cpu', '--variant', 'smdwt')
        self.refuse(USAGE, "…--picture does not support bank 'starlet'…", 'forward', 'a.npy', '--picture', 'p.png',
                    '--bank', 'starlet')
        self.refuse(USAGE, "…the viewer does not support bank 'starlet'…", 'view', 'a.npy', '--bank', 'starlet',
                    '--screenshot', 'p.png')
        self.refuse(TOO_LARGE, '…more than --memory…', 'forward', 'a.npy', '-o', 'c.npy', '--bank', 'undecimated',
                    '--memory', '10K')
