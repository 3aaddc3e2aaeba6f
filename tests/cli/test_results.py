"""Results: exact images, coefficients at their positions, and equal values in every format."""
import json
import math
import os
import re

import formats
from harness import ROOT, CliTest

REFERENCE, FRAGMENT = ('-b', 'reference'), ('-b', 'fragment')
SCHEMES = ('sep-convolution', 'sep-polyconvolution', 'sep-lifting', 'nonsep-convolution',
           'nonsep-polyconvolution', 'nonsep-lifting')


class ResultTest(CliTest):
    def coefficients(self, image, *options, backend=REFERENCE):
        """Shape and samples of the coefficients."""
        self.succeed('forward', image, '-o', 'out.npy', '-f', *backend, *options)
        return formats.read_npy(self.read('out.npy'))

    def there_and_back(self, width, height, planes=1, bits=8, options=(), backend=REFERENCE):
        samples = formats.noise(width * height * planes, (1 << bits) - 1)
        self.write('in.png', formats.png(width, height, samples, planes, bits))
        self.succeed('forward', 'in.png', '-o', 'c.npy', '-f', *backend, *options)
        self.succeed('inverse', 'c.npy', '-o', 'out.png', '-f', '--depth', str(bits), *backend)
        self.assertEqual(formats.read_png(self.read('out.png')),
                         (width, height, planes, bits, samples))


class RoundTrip(ResultTest):
    def test_planes_and_depths(self):
        for backend in (REFERENCE, FRAGMENT):
            for planes in (1, 2, 3, 4):
                for bits in (8, 16):
                    with self.subTest('%s %d planes %d bits' % (backend[1], planes, bits)):
                        self.there_and_back(33, 18, planes, bits, backend=backend)
        self.succeed('compare', 'in.png', 'out.png', '--metric', 'max', '--tol', '0')

    def test_sizes(self):
        for backend in (REFERENCE, FRAGMENT):
            for width, height in ((1, 1), (1, 7), (7, 1), (2, 2), (5, 7), (3, 64), (64, 64),
                                  (131, 97)):
                with self.subTest('%s %dx%d' % (backend[1], width, height)):
                    self.there_and_back(width, height, backend=backend)
                    if width > 1 or height > 1:
                        self.there_and_back(width, height, options=('-l', 'max'), backend=backend)

    def test_schemes(self):
        for scheme in SCHEMES:
            for form in ((), ('--no-optimize',)):
                with self.subTest('%s %s' % (scheme, form)):
                    self.there_and_back(21, 14, options=('-s', scheme, *form), backend=FRAGMENT)

    def test_layouts_norms_borders(self):
        for layout in ('mallat', 'mixed'):
            for norm in ('jpeg2000', 'orthonormal', 'none'):
                for border in ('symmetric', 'periodic'):
                    options = ('--layout', layout, '--norm', norm, '--border', border)
                    with self.subTest(options):
                        self.there_and_back(40, 24, options=options, backend=FRAGMENT)

    def test_wavelets(self):
        for wavelet in ('haar', 'cdf53', 'cdf97', 'dd137', 'legall', '5/3', '9/7', '13/7',
                        'bior2.2', 'bior4.4', 'cdf75',
                        os.path.join(ROOT, 'assets/wavelets/cdf93.wavelet')):
            with self.subTest(wavelet):
                self.there_and_back(23, 16, options=('-w', wavelet), backend=FRAGMENT)
        self.there_and_back(32, 16, options=('-w', 'db2', '--border', 'periodic'))

    def test_formats_of_images(self):
        values = [-7.25, 1000.0] + [v / 255 for v in formats.noise(94, 255)]
        self.write('a.npy', formats.npy((6, 16), values))
        self.write('a.pfm', formats.pfm(16, 6, values))
        self.write('a.tiff', formats.tiff(16, 6, values))
        readers = {'npy': lambda d: formats.read_npy(d)[1], 'pfm': lambda d: formats.read_pfm(d)[3],
                   'tiff': lambda d: formats.read_tiff(d)[3]}
        for kind, read in readers.items():
            self.succeed('forward', 'a.' + kind, '-o', 'c.npy', '-f', *REFERENCE)
            self.succeed('inverse', 'c.npy', '-o', 'b.' + kind, *REFERENCE)
            with self.subTest(kind):
                self.assert_near(read(self.read('b.' + kind)), values, 1e-3)
                self.succeed('compare', 'a.' + kind, 'b.' + kind, '--tol', '1e-3')

    def test_clamping_is_told(self):
        self.write('a.npy', formats.npy((2, 2), [-7.25, 1000, 0.25, 1]))
        self.succeed('forward', 'a.npy', '-o', 'c.npy', *REFERENCE)
        result = self.succeed('inverse', 'c.npy', '-o', 'b.png', *REFERENCE)
        self.assertIn('warning: 2 values outside of 0..1 were clamped\n'
                      'hint: .npy, .tiff, .pfm and .exr keep them\n', result.err)
        self.assertEqual(formats.read_png(self.read('b.png'))[4], [0, 255, 64, 255])

    def test_jpeg_and_text_formats(self):
        self.write('a.jpg', formats.jpeg(40, 24))
        self.assertEqual(self.coefficients('a.jpg')[0], (24, 40))
        self.write('a.pgm', 'P2 # a comment\n3 2\n# another\n10\n0 5 10\n10 5 0\n')
        self.succeed('forward', 'a.pgm', '-o', 'c.npy', *REFERENCE)
        self.succeed('inverse', 'c.npy', '-o', 'b.npy', *REFERENCE)
        self.assert_near(formats.read_npy(self.read('b.npy'))[1], [0, .5, 1, 1, .5, 0], 1e-6)


class Bands(ResultTest):
    def quadrants(self, values, width, height):
        """The largest magnitudes in HL, LH and HH of one level, layout mallat."""
        def largest(x0, x1, y0, y1):
            return max(abs(values[y * width + x]) for y in range(y0, y1) for x in range(x0, x1))
        w, h = (width + 1) // 2, (height + 1) // 2
        return largest(w, width, 0, h), largest(0, w, h, height), largest(w, width, h, height)

    def test_what_varies_along_x_is_in_hl(self):
        for backend in (REFERENCE, FRAGMENT):
            row = [v / 255 for v in formats.noise(15, 255)]
            self.write('x.npy', formats.npy((10, 15), row * 10))
            _, values = self.coefficients('x.npy', '-l', '1', backend=backend)
            hl, lh, hh = self.quadrants(values, 15, 10)
            self.assertGreater(hl, 0.1)
            self.assertLess(max(lh, hh), 1e-5)

    def test_what_varies_along_y_is_in_lh(self):
        for backend in (REFERENCE, FRAGMENT):
            column = [v / 255 for v in formats.noise(10, 255)]
            self.write('y.npy', formats.npy((10, 15), [v for v in column for _ in range(15)]))
            _, values = self.coefficients('y.npy', '-l', '1', backend=backend)
            hl, lh, hh = self.quadrants(values, 15, 10)
            self.assertGreater(lh, 0.1)
            self.assertLess(max(hl, hh), 1e-5)

    def test_mixed_has_the_same_coefficients_in_other_places(self):
        image = 'pattern:noise:15x10'
        _, mallat = self.coefficients(image, '-l', '1', '--layout', 'mallat')
        _, mixed = self.coefficients(image, '-l', '1', '--layout', 'mixed')
        moved = [mallat[(y // 2 + 5 * (y % 2)) * 15 + x // 2 + 8 * (x % 2)]
                 for y in range(10) for x in range(15)]
        self.assertEqual(mixed, moved)

    def test_a_constant_stays_itself_in_ll(self):
        self.write('a.npy', formats.npy((8, 8), [0.75] * 64))
        _, values = self.coefficients('a.npy', '-l', '3')
        self.assert_near(values, [0.75] + [0] * 63, 1e-6)
        _, values = self.coefficients('a.npy', '-l', '3', '--norm', 'orthonormal', '--border',
                                      'periodic')
        self.assert_near(values, [0.75 * 8] + [0] * 63, 1e-5)

    def test_haar_by_hand(self):
        # Without scaling: high = odd - even, low = even + high / 2, first along x, then along y.
        self.write('a.npy', formats.npy((2, 2), [1, 3, 7, 13]))
        _, values = self.coefficients('a.npy', '-w', 'haar', '-l', '1', '--norm', 'none')
        self.assert_near(values, [6, 4, 8, 4], 1e-6)

    def test_planes_are_independent(self):
        samples = formats.noise(24 * 10 * 3, 255)
        self.write('rgb.png', formats.png(24, 10, samples, 3))
        for backend in ('reference', 'cpu', 'fragment'):
            shape, values = self.coefficients('rgb.png', backend=('-b', backend))
            self.assertEqual(shape, (10, 24, 3))
            for p in range(3):
                self.write('one.png', formats.png(24, 10, samples[p::3]))
                _, alone = self.coefficients('one.png', backend=('-b', backend))
                self.assert_near(values[p::3], alone, 1e-6)

    def test_16_bits_are_the_nearest(self):
        # LL of Haar is a mean of four samples: truncation would give errors of -0.9 units in the
        # last place.
        _, wanted = self.coefficients('pattern:noise:96x64', '-w', 'haar', '-s', 'ns-conv', '-l', '1')
        for variant in ('passes', 'tile-2x2', 'tile-2x2-store'):
            with self.subTest(variant):
                _, found = self.coefficients(
                    'pattern:noise:96x64', '-w', 'haar', '-s', 'ns-conv', '-l', '1', '--precision',
                    'f16', '--variant', variant, backend=('-b', 'fragment'))
                places = [y * 96 + x for y in range(32) for x in range(48)]
                units = [(found[i] - wanted[i]) * 2 ** (11 - math.frexp(wanted[i])[1])
                         for i in places]
                self.assertLess(abs(sum(units) / len(units)), 0.05)
                self.assertLess(max(map(abs, units)), 1.5)

    def test_alpha_passes_through(self):
        samples = formats.noise(12 * 10 * 4, 255)
        self.write('rgba.png', formats.png(12, 10, samples, 4))
        shape, values = self.coefficients('rgba.png')
        self.assertEqual(shape, (10, 12, 4))
        self.assert_near(values[3::4], [s / 255 for s in samples[3::4]], 1e-7)

    def test_gray(self):
        samples = formats.noise(12 * 10 * 3, 255)
        self.write('rgb.png', formats.png(12, 10, samples, 3))
        self.assertEqual(self.coefficients('rgb.png', '--gray')[0], (10, 12))
        self.write('same.png', formats.png(4, 4, [90] * 48, 3))
        _, same = self.coefficients('same.png', '--gray', '-l', '2')
        self.assertAlmostEqual(same[0], 90 / 255, 5)

    def test_backends_and_schemes_agree(self):
        image = 'pattern:color:37x22'
        _, wanted = self.coefficients(image, '-s', 'sep-lifting', '--no-optimize')
        for scheme in SCHEMES:
            with self.subTest(scheme):
                self.assert_near(self.coefficients(image, '-s', scheme, backend=FRAGMENT)[1],
                                 wanted, 1e-5)


class Files(ResultTest):
    def test_formats_are_equal(self):
        for image, planes in (('pattern:noise:19x12', 1), ('pattern:color:19x12', 3)):
            for name in ('c.npy', 'c.pfm', 'c.tiff', 'c.tif'):
                self.succeed('forward', image, '-o', name, '-f', *REFERENCE)
            shape, values = formats.read_npy(self.read('c.npy'))
            self.assertEqual(shape, (12, 19) if planes == 1 else (12, 19, planes))
            self.assertEqual(formats.read_pfm(self.read('c.pfm')), (19, 12, planes, values))
            self.assertEqual(formats.read_tiff(self.read('c.tiff')), (19, 12, planes, values))
            self.assertEqual(self.read('c.tiff'), self.read('c.tif'))
            self.assertEqual(self.read('c.npy.json'), self.read('c.tiff.json'))
            for name in ('c.pfm', 'c.tiff'):
                self.succeed('compare', 'c.npy', name, '--metric', 'max', '--tol', '0')
                self.succeed('inverse', name, '-o', name + '.png', '-f', *REFERENCE)

    def test_picture_alone(self):
        self.succeed('forward', 'pattern:color:96x80', '--picture', 'p.png', *REFERENCE)
        self.assertEqual(list(self.files()), ['p.png'])
        width, height, planes, bits, samples = formats.read_png(self.read('p.png'))
        self.assertGreaterEqual((width, height), (96, 80))
        self.assertEqual((planes, bits), (3, 8))
        self.assertGreater(len(set(samples)), 50)

    def test_picture_without_labels_has_the_image_size(self):
        self.succeed('forward', 'pattern:noise:96x80', '--picture', 'p.png', '--no-labels',
                     *REFERENCE)
        self.assertEqual(formats.read_png(self.read('p.png'))[:2], (96, 80))

    def test_pictures_of_every_kind(self):
        for name, options in (('mixed', ('--layout', 'mixed')), ('tiny', ()),
                              ('max', ('-l', 'max'))):
            size = '1x1' if name == 'tiny' else '70x50'
            with self.subTest(name):
                self.succeed('forward', 'pattern:noise:' + size, '--picture', name + '.png',
                             *options, *REFERENCE)
                formats.read_png(self.read(name + '.png'))

    def test_everything_at_once(self):
        result = self.succeed('forward', 'pattern:text:70x50', '-o', 'c.npy', '--picture', 'p.png',
                              '--json', *REFERENCE)
        self.assertEqual(list(self.files()), ['c.npy', 'c.npy.json', 'p.png'])
        self.assertEqual(json.loads(result.out)['files'],
                         {'coefficients': 'c.npy', 'sidecar': 'c.npy.json', 'picture': 'p.png'})


class Pipes(ResultTest):
    IMAGE = formats.png(24, 10, formats.noise(240, 255))

    def test_there_and_back(self):
        forward = self.succeed('forward', '-', '-o', '-', *REFERENCE, stdin=self.IMAGE)
        self.assertEqual(formats.read_npy(forward.out)[0], (10, 24))
        inverse = self.succeed('inverse', '-', '-l', '3', '-o', '-', *REFERENCE, stdin=forward.out)
        shape, values = formats.read_npy(inverse.out)
        self.assertEqual(shape, (10, 24))
        self.assert_near(values, [v / 255 for v in formats.noise(240, 255)], 1e-6)
        self.assertEqual(self.files(), {})

    def test_same_as_files(self):
        self.write('a.png', self.IMAGE)
        self.succeed('forward', 'a.png', '-o', 'c.npy', *REFERENCE)
        piped = self.succeed('forward', '-', '-o', '-', *REFERENCE, stdin=self.IMAGE)
        self.assertEqual(piped.out, self.read('c.npy'))

    def test_large(self):
        # More than a pipe and a reader's first buffer can hold.
        samples = formats.noise(300 * 200 * 3, 65535)
        data = formats.png(300, 200, samples, 3, 16)
        forward = self.succeed('forward', '-', '-o', '-', *REFERENCE, stdin=data)
        self.assertEqual(formats.read_npy(forward.out)[0], (200, 300, 3))

    def test_compare(self):
        self.write('a.png', self.IMAGE)
        result = self.succeed('compare', '-', 'a.png', '--tol', '0', stdin=self.IMAGE)
        self.assertTrue(result.text().endswith('pass: max 0.0 <= 0.0\n'), result.text())


class Notes(ResultTest):
    def test_polyconvolution_of_one_pair(self):
        for wavelet in ('haar', 'cdf53', 'dd137'):
            for scheme in ('sep-poly', 'ns-poly'):
                result = self.succeed('forward', 'pattern:noise:9x9', '-o', 'c.npy', '-f', '-w',
                                      wavelet, '-s', scheme, *REFERENCE)
                self.assertIn('note: with one lifting pair, polyconvolution is convolution\n',
                              result.err)
        result = self.succeed('forward', 'pattern:noise:9x9', '-o', 'c.npy', '-f', *REFERENCE)
        self.assertNotIn('note:', result.err)

    def test_summary(self):
        result = self.succeed('forward', 'pattern:color:30x20', '-o', 'c.npy', '-w', '5/3', '-s',
                              'ns-lift', '--check', *REFERENCE)
        self.assertRegex(result.err, r'^wavepass forward: cdf53/nonsep-lifting/optimized, '
                         r'3 levels, 30x20, 3 planes, reference on CPU.*, [\d.]+ ms, '
                         r'round trip max\|err\| [\d.e-]+\n$')
        checked = result.err
        result = self.succeed('forward', 'pattern:color:30x20', '-o', 'c.npy', '-f', '-w', '5/3',
                              '-s', 'ns-lift', *REFERENCE)
        ends = r', [\d.]+ ms(, round trip .*)?\n$'
        self.assertEqual(re.sub(ends, '', result.err), re.sub(ends, '', checked))
        self.assertRegex(result.err, r' ms\n$')
        result = self.succeed('forward', 'pattern:color:30x20', '-o', 'c.npy', '-f', *FRAGMENT)
        if json.loads(self.succeed('info', '--json').out)['gl']['software']:
            self.assertIn(' SOFTWARE, ', result.err)
