"""Edits of coefficients: results, reports and errors."""
import json
import math
import os
import random
import statistics

import formats
from harness import FILE, REFERENCE, USAGE, CliTest

WIDTH, HEIGHT, LEVELS = 40, 24, 2
BANDS = 'LL2, HL2, LH2, HH2, HL1, LH1, HH1'
VOLUME = 'pattern:shepp-logan:16x12x10'


class EditTest(CliTest):
    def make(self, *options, levels=LEVELS, image='a.png', name='c.npy'):
        self.succeed('forward', image, '-o', name, '-l', str(levels), '-f', *REFERENCE, *options)
        return self.values(name)

    def setUp(self):
        super().setUp()
        self.write('a.png', formats.png(WIDTH, HEIGHT, formats.noise(WIDTH * HEIGHT, 255)))

    def values(self, name):
        return formats.read_npy(self.read(name))[1]

    def edit(self, *options, name='c.npy'):
        """The coefficients, and the report of --json."""
        result = self.succeed('edit', name, '-o', 'd.npy', '-f', '--json', *options, *REFERENCE)
        return self.values('d.npy'), json.loads(result.out)

    def band(self, name, size=(WIDTH, HEIGHT)):
        """Indices of a subband in the Mallat layout, for sizes that are divisible by two."""
        level = int(name[2])
        width, height = size[0] >> level, size[1] >> level
        x, y = (width if name[0] == 'H' else 0), (height if name[1] == 'H' else 0)
        return [(y + j) * size[0] + x + i for j in range(height) for i in range(width)]


class Edits(EditTest):
    def test_zero_and_only(self):
        plain = self.make()
        for option, names in (('--zero', ('HL1', 'HH2')), ('--only', ('LL2', 'LH1'))):
            with self.subTest(option):
                named = {i for name in names for i in self.band(name)}
                edited, told = self.edit(option, ','.join(names))
                self.assertEqual(edited, [v if (i in named) == (option == '--only') else 0
                                          for i, v in enumerate(plain)])
                self.assertEqual(told['kept']['count'], sum(v != 0 for v in edited))
                self.assertEqual(told['kept']['of'], WIDTH * HEIGHT)

    def test_scale(self):
        plain = self.make()
        edited, _ = self.edit('--scale', 'HL1=2,HH1=-0.5')
        factor = {i: f for name, f in (('HL1', 2), ('HH1', -0.5)) for i in self.band(name)}
        self.assertEqual(edited, [v * factor.get(i, 1) for i, v in enumerate(plain)])

    def test_a_threshold_for_each_band(self):
        plain = self.make('--norm', 'orthonormal')
        limits = {'HL1': 0.3, 'HH2': 0.5}
        for how in ('hard', 'soft'):
            text = how + ':' + ','.join('%s=%g' % item for item in limits.items())
            edited, told = self.edit('--threshold', text)
            limit = {i: t for name, t in limits.items() for i in self.band(name)}
            cut = [0 if abs(v) <= limit.get(i, -1) else
                   v - math.copysign(limit[i], v) if how == 'soft' and i in limit else v
                   for i, v in enumerate(plain)]
            self.assert_near(edited, cut, 1e-6)
            self.assertEqual(told['edits'][0]['threshold'], [0.3, 0.5])
            self.assertNotIn('sigma', told['edits'][0])

    def test_scale_that_overflows(self):
        """Values that are not finite are counted in the result; a warning follows if an edit has
        caused them."""
        self.make()
        scale = ('edit', 'c.npy', '-o', 'd.npy', '-f', '--json', '--scale', 'HL1=1e40')
        result = self.succeed(*scale)
        count = WIDTH * HEIGHT // 4
        self.assertEqual(sum(not math.isfinite(v) for v in self.values('d.npy')), count)
        self.assertEqual(json.loads(result.out)['nonfinite'], count)
        self.assertIn('warning: c.npy: %d values are not finite (NaN or infinite) after the edits'
                      % count, result.err)
        # Created and zeroed again: there is nothing to warn of.
        result = self.succeed(*scale, '--zero', 'HL1')
        self.assertEqual(json.loads(result.out)['nonfinite'], 0)
        self.assertNotIn('finite', result.err)

    def test_thresholds_of_every_norm(self):
        """Thresholds refer to the orthonormal norm, and the reconstructed image does not depend on
        the norm."""
        self.make('--norm', 'orthonormal')
        plain = self.values('c.npy')
        low = set(self.band('LL2'))
        for how in ('hard', 'soft'):
            edited, told = self.edit('--threshold', how + ':0.3', '--reference', 'a.png')
            wanted = [v if i in low else 0 if abs(v) <= 0.3 else v if how == 'hard' else
                      math.copysign(abs(v) - 0.3, v) for i, v in enumerate(plain)]
            self.assert_near(edited, wanted, 1e-6)
            energy = sum(v * v for v in wanted) / sum(v * v for v in plain)
            self.assertAlmostEqual(told['kept']['energy_percent'], 100 * energy, places=3)
            self.assertEqual(told['edits'], [{'edit': 'threshold', 'value': how + ':0.3',
                                              'threshold': [0.3, 0.3]}])
            for norm in ('jpeg2000', 'none'):
                self.make('--norm', norm, name='n.npy')
                _, same = self.edit('--threshold', how + ':0.3', '--reference', 'a.png',
                                    name='n.npy')
                self.assertAlmostEqual(same['psnr'], told['psnr'], places=3)
                self.assertAlmostEqual(same['kept']['energy_percent'],
                                       told['kept']['energy_percent'], places=3)

    def test_order(self):
        self.make()
        first, _ = self.edit('--scale', 'HH1=100', '--keep', '10')
        second, _ = self.edit('--keep', '10', '--scale', 'HH1=100')
        self.assertNotEqual(first, second)
        self.assertEqual(sum(v != 0 for v in first), WIDTH * HEIGHT // 10)
        twice, told = self.edit('--scale', 'HH1=3', '--zero', 'HL1', '--scale', 'HH1=0.5')
        once, _ = self.edit('--scale', 'HH1=1.5', '--zero', 'HL1')
        self.assertEqual(twice, once)
        self.assertEqual([e['edit'] for e in told['edits']], ['scale', 'zero', 'scale'])

    def test_keep(self):
        plain = self.make('--norm', 'orthonormal')
        edited, told = self.edit('--keep', '12.5', '--reference', 'a.png')
        order = sorted(range(len(plain)), key=lambda i: -abs(plain[i]))
        kept = set(order[:len(plain) // 8])
        self.assertEqual(edited, [v if i in kept else 0 for i, v in enumerate(plain)])
        self.assertEqual(told['kept']['percent'], 12.5)
        self.assertEqual(self.edit('--keep', '12.5%')[0], edited)
        self.assertEqual(self.edit('--keep', '100')[0], plain)
        self.assertEqual(set(self.edit('--keep', '0')[0]), {0})

    def test_impulse(self):
        self.make()
        edited, _ = self.edit('--impulse', 'HL2:3,4')
        at = self.band('HL2')[4 * (WIDTH >> 2) + 3]
        self.assertEqual([(i, v) for i, v in enumerate(edited) if v], [(at, 1)])

    def test_colour_and_alpha(self):
        """Each plane has its own noise; alpha has no coefficients."""
        self.write('rgba.png', formats.png(WIDTH, HEIGHT,
                                           formats.noise(WIDTH * HEIGHT * 4, 255), planes=4))
        plain = self.make(image='rgba.png')
        edited, told = self.edit('--threshold', 'soft:universal', '--keep', '50', '--reference',
                                 'rgba.png')
        self.assertEqual(edited[3::4], plain[3::4])
        self.assertEqual((told['planes'], told['alpha'], told['kept']['of']),
                         (4, True, 3 * WIDTH * HEIGHT))
        least, most = told['edits'][0]['sigma']
        self.assertLess(least, most)
        self.succeed('inverse', 'd.npy', '-o', 'back.npy', *REFERENCE)

    def test_gray_of_a_colour_image(self):
        self.write('rgb.png', formats.png(WIDTH, HEIGHT, formats.noise(WIDTH * HEIGHT * 3, 255),
                                          planes=3))
        self.make('--gray', image='rgb.png')
        self.assertGreater(self.edit('--keep', '100', '--reference', 'rgb.png')[1]['psnr'], 110)


class Rules(EditTest):
    SIGMA = 0.125

    def setUp(self):
        super().setUp()
        source = random.Random(3)
        self.clean = [0.25 if x < 30 else 0.75 for y in range(64) for x in range(64)]
        self.noisy = [v + source.gauss(0, self.SIGMA) for v in self.clean]
        self.write('noisy.npy', formats.npy((64, 64), self.noisy))
        self.write('clean.npy', formats.npy((64, 64), self.clean))
        self.plain = self.make('--norm', 'orthonormal', '-w', 'haar', image='noisy.npy', levels=3)

    def test_universal(self):
        diagonal = sorted(abs(self.plain[i]) for i in self.band('HH1', (64, 64)))
        sigma = statistics.median(diagonal) / 0.6744897501960817
        for options, deviation in (((), sigma), (('--sigma', '0.125'), self.SIGMA)):
            edited, told = self.edit('--threshold', 'hard:universal', *options)
            limit = deviation * math.sqrt(2 * math.log(64 * 64))
            rule = told['edits'][0]
            self.assert_near(rule['sigma'] + rule['threshold'], [deviation] * 2 + [limit] * 2, 1e-6)
            low = set(self.band('LL3', (64, 64)))
            self.assertEqual(edited, [v if i in low or abs(v) > limit else 0
                                      for i, v in enumerate(self.plain)])
        self.assertAlmostEqual(sigma, self.SIGMA, delta=0.01)

    def risk(self, band):
        """SURE's threshold from an exhaustive search, in units of the noise."""
        x = sorted(abs(self.plain[i]) / self.SIGMA for i in self.band(band, (64, 64)))
        n = len(x)
        most = math.sqrt(2 * math.log(n))
        if sum(v * v - 1 for v in x) / n <= math.log2(n) ** 1.5 / math.sqrt(n):
            return most
        return min((n - 2 * sum(v <= t for v in x) + sum(min(v, t) ** 2 for v in x), t)
                   for t in [0] + [v for v in x if v <= most])[1]

    def test_sure(self):
        edited, told = self.edit('--threshold', 'soft:sure', '--sigma', '0.125')
        limits = []
        for name in ('HL3', 'LH3', 'HH3', 'HL2', 'LH2', 'HH2', 'HL1', 'LH1', 'HH1'):
            limits.append(self.risk(name) * self.SIGMA)
            for i in self.band(name, (64, 64)):
                shrunk = max(abs(self.plain[i]) - limits[-1], 0)
                self.assertAlmostEqual(edited[i], math.copysign(shrunk, self.plain[i]), places=5)
        self.assert_near(told['edits'][0]['threshold'], [min(limits), max(limits)], 1e-6)
        self.assertGreater(len(set(limits)), 3)

    def test_denoises(self):
        worth = {}
        for rule in ('soft:universal', 'soft:sure', 'hard:0'):
            worth[rule] = self.edit('--threshold', rule, '--reference', 'clean.npy')[1]['psnr']
        self.assertGreater(worth['soft:universal'], worth['hard:0'] + 5)
        self.assertGreater(worth['soft:sure'], worth['hard:0'] + 5)

    def test_is_told(self):
        result = self.succeed('edit', 'c.npy', '--threshold', 'soft:universal', '--reference',
                              'clean.npy', *REFERENCE)
        self.assertRegex(result.err, r'soft:universal: noise of 0\.1\d+ \(estimated\), threshold '
                                     r'0\.\d+\n')
        self.assertRegex(result.err, r'\d+ of 4096 coefficients are not 0, [\d.]+ %, with [\d.]+ % '
                                     r'of the energy; PSNR [\d.]+ dB to clean\.npy\n')
        self.assertNotIn('d.npy', self.files())

    def test_an_image_without_noise(self):
        self.write('flat.npy', formats.npy((32, 32), [0.5] * 1024))
        self.make('-w', 'haar', image='flat.npy', name='c.npy')
        for rule in ('soft:universal', 'soft:sure'):
            _, told = self.edit('--threshold', rule)
            self.assertEqual(told['edits'][0]['threshold'], [0, 0])
        self.assertEqual(told['kept'], {'count': 64, 'of': 1024, 'percent': 6.25,
                                        'energy_percent': 100})


class Volumes(EditTest):
    FORMS = (('--gop', '4'), ('--layout', 'mixed'), ('--levels-z', '1'),
             ('--decomposition', 'spatial-temporal', '--gop', '4'))

    def test_norm_and_form_do_not_matter(self):
        for form in self.FORMS:
            with self.subTest(form):
                told = []
                for norm in ('orthonormal', 'jpeg2000'):
                    self.make('--norm', norm, *form, image=VOLUME)
                    told.append(self.edit('--threshold', 'hard:0.05', '--keep', '20', '--reference',
                                          VOLUME)[1])
                self.assertAlmostEqual(told[0]['psnr'], told[1]['psnr'], delta=0.02)
                self.assertEqual(told[0]['kept']['of'], 16 * 12 * 10)
                self.succeed('inverse', 'd.npy', '-o', 'back.npy', '-f', *REFERENCE)
                self.succeed('compare', 'back.npy', VOLUME, '--metric', 'psnr', '--tol', '10')

    def test_names(self):
        self.make('--decomposition', 'spatial-temporal', image=VOLUME)
        edited, _ = self.edit('--zero', 'HL2.H1,LL2.L2')
        self.assertNotEqual(edited, self.values('c.npy'))
        self.refuse(USAGE, "unknown band 'HLL1'", 'edit', 'c.npy', '--zero', 'HLL1', '-o', 'e.npy',
                    hint='…there are LL2.L2, HL2.L2, …HH1.H1')


class Files(EditTest):
    SAID = ('schema', 'wavelet', 'lifting', 'scheme', 'form', 'border', 'norm', 'layout', 'levels',
            'width', 'height', 'planes', 'alpha', 'source_bits', 'scheme_named')

    def test_description(self):
        """The metadata are kept, with the hash of the new samples, and `inverse` accepts the file.
        """
        self.make('-w', 'cdf53', '-s', 'sep-lifting', '--norm', 'none')
        self.edit('--zero', 'HH1')
        before, after = (json.loads(self.read(n + '.npy.json')) for n in 'cd')
        self.assertNotEqual(before['samples'], after['samples'])
        self.assertEqual({k: before[k] for k in self.SAID}, {k: after[k] for k in self.SAID})
        self.succeed('inverse', 'd.npy', '-o', 'back.npy', *REFERENCE)
        self.edit('--zero', 'HL1', name='d.npy')

    def test_steps_that_were_not_said(self):
        """Without lifting steps in the metadata, those of the named wavelet are used and written.
        """
        self.make('-w', 'cdf53', '-s', 'sep-lifting')
        said = json.loads(self.read('c.npy.json'))
        self.write('c.npy.json', json.dumps({k: v for k, v in said.items() if k != 'lifting'}))
        self.edit('--zero', 'HH1')
        told = json.loads(self.read('d.npy.json'))
        self.assertEqual({k: told[k] for k in self.SAID}, {k: said[k] for k in self.SAID})

    def test_without_a_description(self):
        self.make()
        data = self.read('c.npy')
        wanted, _ = self.edit('--keep', '10')
        result = self.succeed('edit', '-', '-l', str(LEVELS), '--keep', '10', '-o', '-', stdin=data)
        self.write('e.npy', result.out)
        self.assertEqual(self.values('e.npy'), wanted)
        self.succeed('edit', '-', '-l', str(LEVELS), '--keep', '10', '-o', 'f.npy', stdin=data)
        told = json.loads(self.read('f.npy.json'))
        self.assertEqual([told[name] for name in ('scheme', 'form', 'precision')], [None] * 3)
        self.succeed('inverse', 'f.npy', '-o', 'back.npy', *REFERENCE)
        self.refuse(USAGE, 'missing metadata: the transform parameters are unknown', 'edit',
                    '-', '--keep', '10', '-o', 'g.npy', stdin=data)

    def test_a_wavelet_that_is_gone(self):
        self.write('mine.wavelet', 'name mine\nsource here\npredict 0 -1\nupdate 0 1/2\n')
        self.make('-w', './mine.wavelet')
        os.remove(self.path('mine.wavelet'))
        self.edit('--keep', '10')
        self.succeed('inverse', 'd.npy', '-o', 'back.npy', *REFERENCE)

    def test_onto_itself(self):
        self.make()
        self.refuse(FILE, 'c.npy exists', 'edit', 'c.npy', '--keep', '5', '-o', 'c.npy')
        wanted, _ = self.edit('--keep', '5')
        self.succeed('edit', 'c.npy', '--keep', '5', '-o', 'c.npy', '-f')
        self.assertEqual(self.values('c.npy'), wanted)
        self.succeed('inverse', 'c.npy', '-o', 'back.npy', *REFERENCE)

    def test_changed(self):
        self.make()
        other = formats.npy((HEIGHT, WIDTH), [0.5] * (WIDTH * HEIGHT))
        self.write('c.npy', other)
        self.refuse(FILE, 'c.npy.json describes other coefficients of the same size', 'edit',
                    'c.npy', '--keep', '5', '-o', 'd.npy')
        self.edit('--keep', '5', '--ignore-changes')


class Refused(EditTest):
    def setUp(self):
        super().setUp()
        self.make()

    def refuse_edit(self, code, message, *options, hint=None, output=('-o', 'd.npy')):
        with self.subTest(message):
            self.refuse(code, message, 'edit', 'c.npy', *options, *output, hint=hint)

    def test_thresholds(self):
        for text in ('0.1', 'hard', 'hard:', 'soft:x', 'soft:-1', 'hard:nan', 'soft:inf', 'firm:1',
                     'soft:universal2', 'universal'):
            self.refuse_edit(USAGE, "invalid threshold '%s'" % text, '--threshold', text,
                             hint='use hard:T, soft:T or garrote:T, …')
        self.refuse_edit(USAGE, "--threshold: '' is not a value", '--threshold', '')
        for text, message, hint in (
                ('HL1=0.1,HH9=1', "unknown band 'HH9'", 'did you mean …'),
                ('HL1=-1', 'the threshold of HL1 is -1', 'use 0 or more'),
                ('LL2=1', 'LL2 is the low band, which has no threshold', None),
                ('HL1=x', "invalid threshold 'HL1=x'", 'use BAND=T (…'),
                ('HL1=1,HH1', "invalid threshold 'HH1'", 'use BAND=T (…')):
            self.refuse_edit(USAGE, message, '--threshold', 'soft:' + text, hint=hint)
        self.refuse_edit(USAGE, "--sigma: 'x' is not a number of 0 or more", '--keep', '5',
                         '--sigma', 'x')

    def test_percentages(self):
        for text in ('-1', '100.1', 'all', '%', '5%%', 'nan', ''):
            self.refuse_edit(USAGE, "…'%s' is not a …" % text, '--keep=' + text)

    def test_bands(self):
        for option in ('--zero', '--only'):
            for name, shown in (('HL9', 'HL9'), ('HL1,XX1', 'XX1'), ('HL1,', ''), ('HL', 'HL'),
                                ('HLL1', 'HLL1'), ('LL1', 'LL1')):
                self.refuse_edit(USAGE, "unknown band '%s'" % shown, option, name,
                                 hint='…there are ' + BANDS)
        self.refuse_edit(USAGE, "unknown band 'HL3'", '--scale', 'HL3=2', hint='…' + BANDS)
        self.refuse_edit(USAGE, "unknown band 'hl1'", '--zero', 'hl1',
                         hint="did you mean 'HL1'?  there are " + BANDS)

    def test_scales(self):
        for text in ('HL1', 'HL1=', 'HL1=x', '=2', 'HL1=2,HH1', 'HL1=nan', 'HL1=2=3'):
            item = text.split(',')[-1]
            told = "unknown band ''" if text == '=2' else \
                "invalid scale '%s'" % item
            self.refuse_edit(USAGE, told, '--scale', text)

    def test_impulses(self):
        for text in ('HL1', 'HL1:', 'HL1:3', 'HL1:3,x', 'HL1:3,-1', 'HL1:1,2,3'):
            self.refuse_edit(USAGE, "invalid position '%s' of an impulse" % text, '--impulse',
                             text, hint='for example HL2:5,7')
        self.refuse_edit(USAGE, "the impulse 'HL1:20,1' is outside its band (20x12)",
                         '--impulse', 'HL1:20,1')

    def test_nothing_half_done(self):
        """An error in the last edit is found before the first edit is applied."""
        self.write('d.npy', 'mine')
        self.refuse_edit(USAGE, "unknown band 'HL9'", '--keep', '5', '--zero', 'HL9', '-f')

    def test_nothing_to_do(self):
        self.refuse_edit(USAGE, 'nothing to do', hint='--threshold soft:universal, …')
        self.refuse_edit(USAGE, 'no output', '--keep', '5', output=(), hint='-o c2.npy …')
        result = self.run_program('edit', 'c.npy', '--keep', '5', '--json', '-o', '-')
        self.assertEqual((result.code, json.loads(result.out)['error']),
                         (USAGE, '--json and -o - both write to stdout'))
        self.refuse(USAGE, 'the coefficients and --reference cannot both be read from stdin',
                    'edit', '-',
                    '-l', '2', '--keep', '5', '--reference', '-', stdin=self.read('c.npy'))
        many = ['--keep', '5'] * 65
        self.refuse_edit(USAGE, '--keep: more than 64 of these options', *many)

    def test_sizes(self):
        noise = formats.noise(WIDTH * (HEIGHT + 1), 255)
        self.write('b.png', formats.png(WIDTH, HEIGHT + 1, noise))
        self.refuse_edit(FILE, 'b.png has 40x25x1 samples in 1 plane, and the coefficients have '
                               '40x24x1 in 1', '--keep', '5', '--reference', 'b.png')
        self.refuse_edit(FILE, '…nothing.png…', '--keep', '5', '--reference', 'nothing.png')
        self.write('c.npy', formats.npy((HEIGHT, WIDTH + 1), [0.5] * (HEIGHT * (WIDTH + 1))))
        self.refuse_edit(FILE, 'c.npy.json describes 40x24, but the coefficients have 41x24',
                         '--keep', '5')

    def test_outputs(self):
        self.refuse_edit(FILE, 'd.png cannot hold coefficients…', '--keep', '5',
                         output=('-o', 'd.png'))
        self.write('d.npy', 'mine')
        self.refuse_edit(FILE, 'd.npy exists', '--keep', '5')
        self.refuse_edit(FILE, '…missing/d.npy…', '--keep', '5', output=('-o', 'missing/d.npy'))
        self.refuse_edit(USAGE, "--norm none contradicts c.npy.json ('jpeg2000')", '--keep', '5',
                         '--norm', 'none', output=('-o', 'e.npy'))
