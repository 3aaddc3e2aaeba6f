"""Edits of redundant coefficients, and of those of PyWavelets' borders: bands, norms, images."""
import json
import os
import random
import shlex

import formats
from harness import FILE, USAGE, CliTest
from viewing import IMAGE, ViewTest

WIDTH, HEIGHT = 40, 24
SIZE = WIDTH * HEIGHT
# The deviation of white noise in the planes of a starlet of an image: J.-L. Starck and F. Murtagh,
# Automatic noise estimation from the multiresolution support, PASP 110, 1998.
PLANES = {'W1': 0.890, 'W2': 0.201, 'W3': 0.0857}


class BankTest(CliTest):
    def setUp(self):
        super().setUp()
        noise = random.Random(7)
        self.image = [noise.gauss(0, 1) for _ in range(SIZE)]
        self.write('a.npy', formats.npy((HEIGHT, WIDTH), self.image))

    def values(self, name):
        return formats.read_npy(self.read(name))[1]

    def make(self, *options, name='c.npy'):
        self.succeed('forward', 'a.npy', '-o', name, '-l', '3', '-f', '-b', 'cpu', *options)
        return self.values(name)

    def edit(self, *options, name='c.npy'):
        """The coefficients, their image, and the report of --json."""
        result = self.succeed('edit', name, '-o', 'd.npy', '-f', '--json', '-b', 'cpu', *options)
        self.succeed('inverse', 'd.npy', '-o', 'e.npy', '-f', '-b', 'cpu')
        return self.values('d.npy'), self.values('e.npy'), json.loads(result.out)

    def test_planes_of_a_starlet(self):
        """Factors of planes are an equalizer, since the sum of the planes is the image."""
        plain = self.make('--bank', 'starlet')
        planes = dict(zip(('C3', 'W3', 'W2', 'W1'),
                          (plain[i * SIZE:(i + 1) * SIZE] for i in range(4))))
        _, image, told = self.edit('--scale', 'W1=0.5,W3=2', '--zero', 'C3')
        self.assert_near(image, [0.5 * a + b + 2 * c for a, b, c in
                                 zip(planes['W1'], planes['W2'], planes['W3'])], 1e-5)
        self.assertEqual((told['width'], told['height'], told['kept']['of']),
                         (WIDTH, HEIGHT, 4 * SIZE))
        self.refuse(USAGE, "unknown band 'HL1'", 'edit', 'c.npy', '-o', 'd.npy', '-f', '--zero',
                    'HL1', hint='there are C3, W3, W2, W1')

    def test_thresholds_are_in_units_of_the_noise(self):
        plain = self.make('--bank', 'starlet')
        edited, _, _ = self.edit('--threshold', 'hard:1.5')
        for number, name in enumerate(('W3', 'W2', 'W1'), 1):
            part = slice(number * SIZE, (number + 1) * SIZE)
            pairs = list(zip(plain[part], edited[part]))
            zeroed = max(abs(c) for c, after in pairs if after == 0)
            kept = min(abs(c) for c, after in pairs if after != 0)
            with self.subTest(name):
                self.assertLess(zeroed / 1.5, PLANES[name] * 1.005)
                self.assertGreater(kept / 1.5, PLANES[name] * 0.995)
                self.assertLess(kept - zeroed, 0.1 * kept)

    def test_norms(self):
        """The image after a threshold does not depend on the norm; `pywt` is that of the noise."""
        wanted = None
        for norm in ('pywt', 'jpeg2000', 'orthonormal', 'none'):
            with self.subTest(norm):
                how = ('--bank', 'undecimated', '-w', 'db2', '--border', 'periodic')
                plain = self.make(*how, '--norm', norm)
                edited, image, told = self.edit('--threshold', 'soft:0.7')
                if norm == 'pywt':
                    self.assert_near(edited[SIZE:], [max(abs(c) - 0.7, 0) * (1 if c > 0 else -1)
                                                     for c in plain[SIZE:]], 1e-6)
                    wanted = image
                self.assert_near(image, wanted, 1e-5)
                self.assertLess(told['kept']['energy_percent'], 60)

    def test_bands(self):
        plain = self.make('--bank', 'undecimated')
        edited, _, _ = self.edit('--only', 'LL3,HL1')  # LL3, HL3, LH3, HH3, HL2, LH2, HH2, HL1, …
        self.assertEqual(edited, [c if i // SIZE in (0, 7) else 0 for i, c in enumerate(plain)])
        edited, _, _ = self.edit('--impulse', 'HH2:5,7')
        self.assertEqual([i for i, c in enumerate(edited) if c], [6 * SIZE + 7 * WIDTH + 5])
        edited, _, told = self.edit('--keep', '10')
        self.assertEqual((told['kept']['count'], sum(c != 0 for c in edited)), (SIZE, SIZE))

    def test_reference(self):
        self.make('--bank', 'undecimated')
        _, image, told = self.edit('--zero', 'HH1,HL1', '--reference', 'a.npy')
        error = sum((a - b) ** 2 for a, b in zip(image, self.image)) / SIZE
        result = json.loads(self.succeed('compare', 'e.npy', 'a.npy', '--json').out)
        self.assertAlmostEqual(told['psnr'], result['psnr'], delta=1e-3)
        self.assertGreater(error, 0.01)
        self.write('b.npy', formats.npy((3, 4), [0.5] * 12))
        self.refuse(FILE, 'b.npy has 4x3x1 samples in 1 plane, and the coefficients have 40x24x1 '
                    'in 1', 'edit', 'c.npy', '--zero', 'HH1', '--reference', 'b.npy')

    def test_volumes(self):
        self.succeed('forward', 'pattern:shepp-logan:12x10x8', '--bank', 'undecimated', '-l', '1',
                     '-b', 'cpu', '-o', 'v.npy')
        plain = self.values('v.npy')
        edited, _, _ = self.edit('--zero', 'LLH1', name='v.npy')
        size = 12 * 10 * 8
        self.assertEqual(edited, [0 if i // size == 4 else c for i, c in enumerate(plain)])

    def test_borders_of_pywavelets(self):
        plain = self.make('-w', 'db2', '--border', 'pywt-zero')
        width, high = 7 + 7 + 12 + 21, 21  # bands along x
        edited, image, told = self.edit('--zero', 'HL1', '--reference', 'a.npy')
        self.assertEqual(len(edited), len(plain))
        self.assertEqual(edited, [0 if i % width >= width - high and i // width < 13 else c
                                  for i, c in enumerate(plain)])
        self.assertEqual(len(image), SIZE)
        self.assertLess(told['psnr'], 40)


class Copied(ViewTest):
    def test_copied_command(self):
        """The commands that the viewer copies make its coefficients and its image."""
        for bank, zeroed in (('starlet', 'W1'), ('undecimated', 'HL1 HH2')):
            with self.subTest(bank):
                self.view(('set zeroed ' + zeroed, 'set threshold soft', 'set limit 0.1',
                           'set mode reconstruction', 'wait 3', 'key K', 'save saved.npy'),
                          '--bank', bank, '--window', '320x240')
                for command in self.facts['clipboard'].split(' && '):
                    self.succeed(*shlex.split(command)[1:], '-f')
                got, wanted = (formats.read_npy(self.read(name))[1]
                               for name in ('saved.npy', 'edited.npy'))
                self.assert_near(got, wanted, 1e-5)
                result = json.loads(self.succeed('compare', 'reconstruction.npy', IMAGE,
                                                 '--json').out)
                self.assertAlmostEqual(result['psnr'], self.facts['loss_psnr'], delta=0.01)
                for name in ('coefficients', 'edited', 'reconstruction'):
                    os.remove(self.path(name + '.npy'))
