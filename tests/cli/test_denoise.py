"""Denoising: results, reports, kinds of files and errors."""
import json
import math
import os
import random
import statistics

import formats
from harness import FILE, TOO_LARGE, USAGE, CliTest

WIDTH, HEIGHT = 96, 64
SIGMA = 0.08


def picture(plane=0):
    """Rectangles on a ramp, in 0..1."""
    return [0.3 * ((x // 20 + y // 16 + plane) % 2) + 0.3 * x / WIDTH + 0.2
            for y in range(HEIGHT) for x in range(WIDTH)]


def noisy(samples, seed=1, sigma=SIGMA):
    rng = random.Random(seed)
    return [v + rng.gauss(0, sigma) for v in samples]


def integers(samples, largest):
    return [min(max(round(v * largest), 0), largest) for v in samples]


def interleaved(planes):
    return [v for pixel in zip(*planes) for v in pixel]


def distance(a, b):
    return math.sqrt(statistics.fmean((p - q) ** 2 for p, q in zip(a, b)))


class DenoiseTest(CliTest):
    def setUp(self):
        super().setUp()
        self.clean = picture()
        self.noisy = noisy(self.clean)
        self.write('n.npy', formats.npy((HEIGHT, WIDTH), self.noisy))
        self.write('t.npy', formats.npy((HEIGHT, WIDTH), self.clean))

    def values(self, name):
        return formats.read_npy(self.read(name))[1]

    def denoise(self, *options, name='n.npy'):
        """The samples, and the report of --json."""
        result = self.succeed('denoise', name, '-o', 'd.npy', '-f', '--json', *options)
        return self.values('d.npy'), json.loads(result.out)


class Results(DenoiseTest):
    def test_noise_is_reduced(self):
        samples, told = self.denoise('--truth', 't.npy')
        self.assertLess(distance(samples, self.clean), 0.4 * distance(self.noisy, self.clean))
        for key, image in (('psnr_before', self.noisy), ('psnr', samples)):
            self.assertAlmostEqual(told[key], -20 * math.log10(distance(image, self.clean)), 4)
        self.assertEqual((told['method'], told['rule'], told['shifts'], told['wavelet'],
                          told['backend']['requested']), ('bayes', 'soft', 16, 'haar', 'cpu'))
        self.assertAlmostEqual(told['sigma'][0], SIGMA, delta=0.1 * SIGMA)
        self.assertEqual(told['sigma'][0], told['sigma'][1])
        self.assertEqual(len(told['bands']), 3 * told['levels'])
        again, _ = self.denoise()
        self.assertEqual(samples, again)

    def test_methods_and_rules_and_shifts(self):
        """Every choice has an effect, and most reduce the noise."""
        seen = []
        for options in ((), ('--method', 'sure'), ('--method', 'visu'), ('--rule', 'garrote'),
                        ('--rule', 'hard'), ('--shifts', '1'), ('--shifts', 'max', '-l', '2'),
                        ('-w', 'cdf97'), ('-w', 'sym4'), ('-l', '1'), ('--sigma', '0.05'),
                        ('--per-level',), ('--border', 'pywt-symmetric', '-w', 'db2')):
            with self.subTest(options):
                samples, _ = self.denoise(*options)
                self.assertLess(distance(samples, self.clean), distance(self.noisy, self.clean))
                self.assertNotIn(samples, seen)
                seen.append(samples)

    def test_more_shifts_than_samples(self):
        """Borders of PyWavelets have levels whose shifts are longer than a row; tiny thresholds change nothing."""
        for border, width, levels in (('pywt-periodization', 5, '3'), ('pywt-periodic', 8, '5')):
            rows = self.noisy[:width * 7]
            self.write('s.npy', formats.npy((7, width), rows))
            samples, _ = self.denoise('-w', 'db4', '--border', border, '--shifts', 'max', '-l', levels, '--sigma', '1e-30',
                                      name='s.npy')
            self.assertLess(distance(samples, rows), 1e-5)

    def test_thresholds_are_reported(self):
        _, told = self.denoise('--sigma', '0.1', '--method', 'visu', '--shifts', '1', '-l', '2')
        limit = 0.1 * math.sqrt(2 * math.log(WIDTH * HEIGHT))
        self.assertEqual([(b['band'], b['level']) for b in told['bands']],
                         [(b, level) for level in (2, 1) for b in ('HL', 'LH', 'HH')])
        for band in told['bands']:
            self.assertAlmostEqual(band['threshold'], limit, 6)
        # Noise without an image: no threshold is finite.
        self.write('z.npy', formats.npy((HEIGHT, WIDTH), noisy([0.5] * WIDTH * HEIGHT)))
        samples, told = self.denoise('--sigma', '0.2', '-l', '1', name='z.npy')
        self.assertEqual({band['threshold'] for band in told['bands']}, {None})
        result = self.succeed('denoise', 'z.npy', '--dry-run', '-v', '--sigma', '0.2', '-l', '1')
        self.assertIn('plane 0, HH1: noise of 0.2, threshold above all coefficients', result.err)

    def test_sigma_of_levels(self):
        samples, told = self.denoise('--sigma', '0.1,0.05', '-l', '2')
        self.assertEqual([(b['level'], b['sigma']) for b in told['bands']], [(2, 0.05)] * 3 + [(1, 0.1)] * 3)
        self.assertEqual(told['sigma'], [0.05, 0.1])
        self.assertNotIn('estimated', self.succeed('denoise', 'n.npy', '--dry-run', '--sigma', '0.1,0.05', '-l', '2').err)
        self.assertEqual(samples, self.denoise('--sigma', '0.1,0.05', '-l', '2')[0])
        self.refuse(USAGE, 'sigma is given for 2 levels, and the transform has 3…', 'denoise', 'n.npy', '--dry-run', '-l',
                    '3', '--sigma', '0.1,0.05')

    def test_dry_run_writes_nothing(self):
        before = self.files()
        result = self.succeed('denoise', 'n.npy', '--dry-run')
        self.assertRegex(result.err, r'16 shifts, noise of 0\.0\d+ \(estimated\)')
        self.assertEqual(self.files(), before)

    def test_banks(self):
        for bank, bands in ('undecimated', 9), ('starlet', 3):
            samples, told = self.denoise('--bank', bank, '-l', '3')
            self.assertLess(distance(samples, self.clean), 0.7 * SIGMA)
            self.assertEqual((len(told['bands']), told['shifts'], told['bank']), (bands, 1, bank))
        samples, told = self.denoise('--bank', 'packets', '-l', '3')
        self.assertLess(distance(samples, self.clean), 0.7 * SIGMA)
        self.assertEqual((told['shifts'], told['bank'], told['wavelet']), (16, 'packets', 'cdf97'))
        names = {b['band'] for b in told['bands']}  # of a tree that splits the low-pass nodes
        self.assertTrue({'aah', 'aav', 'aad'} <= names and len(names) < 63, names)
        result = self.succeed('denoise', 'n.npy', '--dry-run', '--bank', 'undecimated')
        self.assertIn("bank 'undecimated', noise of", result.err)
        for name in 'v.npy', 'c.npy':
            shape = (4, HEIGHT, WIDTH) if name == 'v.npy' else (HEIGHT, WIDTH, 3)
            clean = picture() * 4 if name == 'v.npy' else interleaved([picture()] * 3)
            self.write(name, formats.npy(shape, noisy(clean)))
            for options in ((), ('--gop', '2')) if name == 'v.npy' else ((),):
                samples, told = self.denoise('--bank', 'undecimated', '-l', '2', *options, name=name)
                self.assertLess(distance(samples, clean), 0.5 * SIGMA)
        os.mkdir(self.path('d'))
        self.succeed('denoise', 'n.npy', 't.npy', '-o', 'd/', '--bank', 'undecimated', '-l', '3')
        self.assertEqual(formats.read_npy(self.read('d/n.npy'))[1],
                         self.denoise('--bank', 'undecimated', '-l', '3')[0])

    def test_memory(self):
        # 16 subbands, and the image.
        options = ('--dry-run', '--bank', 'undecimated', '-l', '5', '--border', 'periodic', '--memory')
        self.refuse(TOO_LARGE, 'n.npy needs 408.0 KiB, more than --memory (400.0 KiB)…', 'denoise', 'n.npy',
                    *options, '400K')
        self.succeed('denoise', 'n.npy', *options, str(17 * 4 * WIDTH * HEIGHT))

    def test_color_is_converted(self):
        planes = [picture(), picture(), picture()]
        rough = [noisy(p, seed) for seed, p in enumerate(planes)]
        self.write('c.npy', formats.npy((HEIGHT, WIDTH, 3), interleaved(rough)))
        wanted = interleaved(planes)
        found = {}
        for space in ('ycbcr', 'planes'):
            samples, told = self.denoise('--color-space', space, name='c.npy')
            found[space] = distance(samples, wanted)
            sigmas = [told['bands'][i]['sigma'] for i in (0, -1)]
            self.assertEqual(sigmas[0] < 0.8 * SIGMA, space == 'ycbcr', sigmas)
        self.assertLess(found['ycbcr'], found['planes'])
        self.assertEqual(self.denoise(name='c.npy')[0],
                         self.denoise('--color-space', 'ycbcr', name='c.npy')[0])

    def test_alpha_is_unchanged(self):
        alpha = [i % 7 / 7 for i in range(WIDTH * HEIGHT)]
        samples = integers(interleaved([self.noisy, alpha]), 255)
        self.write('a.png', formats.png(WIDTH, HEIGHT, samples, planes=2))
        self.succeed('denoise', 'a.png', '-o', 'b.npy')
        samples = self.values('b.npy')
        self.assertEqual([round(255 * v) for v in samples[1::2]], integers(alpha, 255))
        self.assertLess(distance(samples[::2], self.clean), 0.5 * SIGMA)


class Files(DenoiseTest):
    def test_depth_of_a_png(self):
        for bits, largest in ((8, 255), (16, 65535)):
            samples = integers(self.noisy, largest)
            self.write('i.png', formats.png(WIDTH, HEIGHT, samples, bits=bits))
            self.succeed('denoise', 'i.png', '-o', 'o.png', '-f', '-q')
            self.assertEqual(self.read('o.png')[24], bits)
            self.succeed('denoise', 'i.png', '-o', 'o.png', '-f', '-q', '--depth', '16')
            self.assertEqual(self.read('o.png')[24], 16)

    def test_a_folder(self):
        os.mkdir(self.path('out'))
        self.write('m.npy', formats.npy((HEIGHT // 2, WIDTH), self.noisy[:WIDTH * HEIGHT // 2]))
        self.write('bad.npy', b'no array')
        result = self.run_program('denoise', 'n.npy', 'm.npy', 'bad.npy', '-o', 'out/')
        self.assertEqual(result.code, FILE)
        self.assertIn('2 of 3 files', result.err)
        alone, _ = self.denoise()
        self.assertEqual(formats.read_npy(self.read('out/n.npy'))[1], alone)
        alone, _ = self.denoise(name='m.npy')
        self.assertEqual(formats.read_npy(self.read('out/m.npy'))[1], alone)

    def test_volumes_in_groups(self):
        """Each group is a volume of its own, whether slices are read one by one or all at once."""
        slices = [noisy(picture(z // 4), z) for z in range(10)]
        self.write('v.npy', formats.npy((10, HEIGHT, WIDTH), sum(slices, [])))
        self.succeed('denoise', 'v.npy', '-o', 'g.npy', '--gop', '4')
        self.succeed('denoise', 'v.npy', '-o', 'g.tiff', '--gop', '4')
        result = self.succeed('compare', 'g.npy', 'g.tiff', '--json')
        self.assertEqual(json.loads(result.out)['max'], 0)
        expected = []
        for first in (0, 4, 8):
            part = slices[first:first + 4]
            self.write('p.npy', formats.npy((len(part), HEIGHT, WIDTH), sum(part, [])))
            self.succeed('denoise', 'p.npy', '-o', 'q.npy', '-f')
            expected += self.values('q.npy')
        self.assertEqual(self.values('g.npy'), expected)
        # All three axes together reduce more noise than each slice alone.
        clean = sum((picture(z // 4) for z in range(10)), [])
        self.succeed('denoise', 'v.npy', '-o', 'h.npy', '--levels-z', '0')
        self.assertLess(distance(self.values('g.npy'), clean), distance(self.values('h.npy'), clean))


class Errors(DenoiseTest):
    def test_options_that_contradict(self):
        for message, *options in (
                ('no output',),
                ('--dry-run writes nothing, and -o names an output', '--dry-run', '-o', 'x.npy'),
                ('sigma is 0.1, and is also to be estimated in each level', '-o', 'x.npy', '--sigma',
                 '0.1', '--per-level'),
                ('--color-space is for red, green and blue, and n.npy has 1 channel', '-o', 'x.npy',
                 '--color-space', 'ycbcr'),
                ('--depth is for .png; x.npy is written in 32-bit float', '-o', 'x.npy', '--depth',
                 '16'),
                ('--truth needs the whole volume, not --gop', '--truth', 't.npy', '--gop', '2'),
                ("unknown wavelet 'db99'", '-o', 'x.npy', '-w', 'db99'),
                ("4 shifts cannot be averaged with bank 'undecimated'…", '-o', 'x.npy', '--bank',
                 'undecimated', '--shifts', '4'),
                ("unknown border 'sym'", '-o', 'x.npy', '--border', 'sym')):
            with self.subTest(message):
                self.refuse(USAGE, message, 'denoise', 'n.npy', *options)
        self.assertNotIn('x.npy', self.files())

    def test_truth_of_another_size(self):
        self.write('s.npy', formats.npy((2, 2), [0] * 4))
        self.refuse(FILE, 's.npy has 2x2x1 samples in 1 plane, and n.npy has 96x64x1 in 1', 'denoise',
                    'n.npy', '--truth', 's.npy')

    def test_values_that_are_not_finite(self):
        self.noisy[5] = math.nan
        self.write('n.npy', formats.npy((HEIGHT, WIDTH), self.noisy))
        result = self.succeed('denoise', 'n.npy', '-o', 'd.npy')
        self.assertIn('1 value is not finite', result.err)
        self.assertTrue(math.isfinite(self.values('d.npy')[-1]))
