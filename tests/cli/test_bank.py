"""Files of redundant coefficients from shader backends, with the scheme in their metadata."""
import json

import formats
from harness import USAGE, CliTest


class Files(CliTest):
    def test_backends_share_files(self):
        self.write('x.npy', formats.npy((14, 19), [(7 * i) % 11 / 11 for i in range(14 * 19)]))
        for bank, scheme in (('starlet', 'nonsep-convolution'), ('undecimated', 'sep-convolution')):
            self.succeed('forward', 'x.npy', '--bank', bank, '-l', '2', '-b', 'fragment', '-o',
                         bank + '.npy')
            self.assertEqual(json.loads(self.read(bank + '.npy.json'))['scheme'], scheme)
            self.succeed('inverse', bank + '.npy', '-b', 'cpu', '-o', bank + '-back.npy')
            self.succeed('compare', 'x.npy', bank + '-back.npy', '--tol', '1e-5')

    def test_lifting_is_not_for_the_starlet(self):
        self.write('x.npy', formats.npy((8, 8), [0.5] * 64))
        self.refuse(USAGE, "scheme 'sep-lifting' does not apply to bank 'starlet'…", 'forward',
                    'x.npy', '--bank', 'starlet', '-s', 'sep-lifting', '-o', 'c.npy')
