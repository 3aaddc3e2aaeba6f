"""--adjoint: transposes of the forward and of the inverse transform, and their files."""
import json
import math

import formats
from harness import CliTest, USAGE

PERIODIC = ('--border', 'periodic')


def product(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


class Adjoints(CliTest):
    def noise(self, name, shape, seed):
        samples = [value / 1024 - 0.5
                   for value in formats.noise(math.prod(shape), 1024, seed)]
        return self.write(name, formats.npy(shape, samples))

    def samples(self, name):
        return formats.read_npy(self.read(name))[1]

    def check_products(self, shape, *options):
        """<W x, y> = <x, W^T y>, and the same for the inverse."""
        image, other = self.noise('x.npy', shape, 1), self.noise('y.npy', shape, 2)
        # Coefficients without metadata get the same options; 'forward' writes those of x and y.
        self.succeed('forward', image, '-o', 'wx.npy', '-f', *options)
        self.succeed('forward', other, '-o', 'wy.npy', '-f', *options)
        self.succeed('inverse', 'wy.npy', '--adjoint', '-o', 'back.npy', '-f')
        x, wx, wy = (self.samples(name) for name in ('x.npy', 'wx.npy', 'wy.npy'))
        scale = math.sqrt(product(wx, wx) * product(wy, wy))
        self.assertLess(abs(product(wx, wy) - product(x, self.samples('back.npy'))), 1e-6 * scale)
        # <W^-1 (W y), x> = <W y, (W^-1)^T x>
        self.succeed('forward', image, '--adjoint', '-o', 'a.npy', '-f', *options)
        y, a = self.samples('y.npy'), self.samples('a.npy')
        scale = math.sqrt(product(a, a) * product(wy, wy))
        self.assertLess(abs(product(y, x) - product(wy, a)), 1e-6 * scale)

    def test_products(self):
        for wavelet in ('haar', 'cdf97', 'db3'):
            for backend in ('reference', 'cpu'):
                for norm in ('jpeg2000', 'orthonormal'):
                    with self.subTest(wavelet=wavelet, backend=backend, norm=norm):
                        self.check_products((24, 40), '-w', wavelet, '-b', backend, '--norm', norm,
                                            *PERIODIC)

    def test_volume(self):
        self.check_products((8, 12, 16), '-w', 'cdf53', *PERIODIC)

    def test_symmetric(self):
        """Every size, and a clip in groups, of which the last one is shorter."""
        for wavelet in ('haar', 'cdf97'):
            for shape in ((23, 41), (1, 7), (7, 9, 11)):
                with self.subTest(wavelet=wavelet, shape=shape):
                    self.check_products(shape, '-w', wavelet)
        self.check_products((7, 10, 13), '--gop', '3')
        self.check_products((7, 10, 13), '--gop', '3', '-b', 'fragment')

    def test_pywavelets(self):
        """Borders with more coefficients than samples."""
        for border in ('pywt-zero', 'pywt-symmetric', 'pywt-antireflect', 'pywt-periodization'):
            with self.subTest(border=border):
                self.check_products((23, 41), '-w', 'db3', '-l', '2', '--norm', 'pywt', '--border',
                                    border)

    def test_metadata(self):
        """The inverse of --adjoint needs no option, also of a volume, and other programs that do
        not know the metadata reject them."""
        for shape in ((16, 24), (4, 8, 12)):
            with self.subTest(shape=shape):
                self.noise('x.npy', shape, 1)
                told = json.loads(self.succeed('forward', 'x.npy', '--adjoint', '-o', 'c.npy',
                                               '-f', '--check', '--json', *PERIODIC).text())
                self.assertIs(told['adjoint'], True)
                self.assertLess(told['round_trip_max_error'], 1e-5)
                sidecar = json.loads(self.read('c.npy.json'))
                self.assertEqual((sidecar['schema'], sidecar['adjoint'], sidecar['wavelet']),
                                 (5, True, 'cdf97'))
                told = json.loads(self.succeed('info', 'c.npy', '--json').text())
                self.assertIs(told['coefficients']['adjoint'], True)
                self.assertIn('cdf97 adjoint, ', self.succeed('info', 'c.npy').text())
                told = json.loads(self.succeed('inverse', 'c.npy', '-o', 'back.npy', '-f',
                                               '--json').text())
                self.assertIs(told['adjoint'], True)
                self.assert_near(self.samples('back.npy'), self.samples('x.npy'), 1e-5)

    def test_files(self):
        """Subbands and tiles, a region, strips, and folders."""
        self.noise('x.npy', (64, 96), 1)
        self.succeed('forward', 'x.npy', '--adjoint', '-o', 'c.npy', *PERIODIC)
        x = self.samples('x.npy')
        for name in ('c.npz', 'c.tiff', 'c.pfm'):
            self.succeed('forward', 'x.npy', '--adjoint', '-o', name, *PERIODIC)
            self.succeed('inverse', name, '-o', 'back.npy', '-f')
            self.assert_near(self.samples('back.npy'), x, 1e-5)
        self.succeed('forward', 'x.npy', '--adjoint', '-o', 't.tiff', '--tile', '16', *PERIODIC)
        self.succeed('inverse', 't.tiff', '-o', 'part.npy', '--region', '3,5,40,20')
        part = [x[96 * row + column] for row in range(5, 25) for column in range(3, 43)]
        self.assert_near(self.samples('part.npy'), part, 1e-5)
        self.noise('tall.npy', (2048, 64), 1)
        for name, memory in (('whole.npy', '64M'), ('strips.npy', '400K')):
            told = json.loads(self.succeed('forward', 'tall.npy', '--adjoint', '-o', name, '-b',
                                           'cpu', '--memory', memory, '--json', *PERIODIC).text())
            self.assertEqual('strips' in told, name == 'strips.npy', told)
        self.assertEqual(self.samples('strips.npy'), self.samples('whole.npy'))
        self.noise('y.npy', (64, 96), 2)
        self.succeed('forward', 'y.npy', '-o', 'd.npy', *PERIODIC)
        self.succeed('inverse', 'c.npy', 'd.npy', '-o', './', '--suffix', '.pfm', '-f')
        self.assert_near(formats.read_pfm(self.read('c.pfm'))[-1], x, 1e-5)
        self.assert_near(formats.read_pfm(self.read('d.pfm'))[-1], self.samples('y.npy'), 1e-5)

    def test_refused(self):
        self.noise('x.npy', (16, 16), 1)
        self.write('in.pgm', formats.pnm(16, 16, formats.noise(256, 255)))
        self.refuse(USAGE, 'reversible transforms round, so they have no adjoint', 'forward', 'in.pgm', '--adjoint',
                    '--reversible', '-o', 'c.npy', *PERIODIC)
        why = "a region does not support adjoints with border 'symmetric', which have weights at " \
              "the ends"
        self.succeed('forward', 'x.npy', '--adjoint', '-o', 's.npy')
        self.refuse(USAGE, why, 'inverse', 's.npy', '-o', 'p.npy', '--region', '0,0,4,4',
                    hint="border 'periodic'")
        self.refuse(USAGE, "subbands 'pywt': PyWavelets has no adjoints", 'forward', 'x.npy',
                    '--adjoint', '--subbands', 'pywt', '-w', 'db2', '-o', 'c.npz',
                    hint="use subbands 'wavepass'")
