"""OpenGL that is missing, too old, or fails during a run."""
import json
import os
import re

import formats
from harness import (MISMATCH, NO_EGL, TOO_LARGE, UNAVAILABLE, USAGE, CliTest, has_viewer,
                     is_sampled)

IMAGE = 'pattern:noise:400x300'
FRAGMENT = ('-b', 'fragment')
HINT = "'wavepass info' shows what was tried; backend 'cpu' works without a GPU"


class GlTest(CliTest):
    def refuse_fragment(self, code, message, hint=None, image=IMAGE, more=(), **how):
        return self.refuse(code, message, 'forward', image, '-o', 'c.npy', *FRAGMENT, *more,
                           hint=hint, **how)

    def less(self, fault, *mesa):
        """Options for runs with a reduced OpenGL: with the fault library for any driver, and for
        Mesa's renderers also with Mesa's variables."""
        yield {'fault': fault}
        if 'Mesa' in json.loads(self.succeed('info', '--json').out)['gl']['version']:
            yield from ({'env': dict([variable])} for variable in mesa)

    def fall_back(self, reason, **how):
        """The result of -b auto without a usable context."""
        backends = json.loads(self.succeed('info', '--json', **how).out)['backends']
        used = 'cuda' if 'cuda' in [b['name'] for b in backends if b['available']] else 'cpu'
        result = self.succeed('forward', IMAGE, '-f', '-o', 'fallback.npy', '--json', **how)
        warnings = [line for line in result.err.splitlines() if ' warning: ' in line]
        self.assertEqual(len(warnings), 1, result.err)
        self.assertTrue(warnings[0].startswith(
            'wavepass forward: warning: fragment not available ('), warnings[0])
        self.assertIn(reason, warnings[0])
        self.assertTrue(warnings[0].endswith('; using ' + used), warnings[0])
        backend = json.loads(result.out)['backend']
        self.assertEqual((backend['requested'], backend['used']), ('auto', used))
        self.assertIn(reason, backend['reason'])


class Planes(GlTest):
    """All planes of an image in one draw or dispatch."""
    def transform(self, samples, width, height, planes, *options, **how_run):
        """The report of `forward` for such an image, and the result of `inverse`."""
        self.write('in.npy', formats.npy((height, width, planes), samples))
        how = json.loads(self.succeed('forward', 'in.npy', '-f', '-o', 'c.npy', '--check',
                                      '--json', *options, **how_run).out)
        self.assertLess(how['round_trip_max_error'], 1e-5)
        back = self.succeed('inverse', 'c.npy', '-f', '-o', 'out.npy', '-v', *options, **how_run)
        shape, values = formats.read_npy(self.read('out.npy'))
        self.assertEqual(shape, (height, width, planes))
        self.assert_near(values, samples, 1e-5)
        self.assertIn(f'planes, {how["planes_at_once"]} at once:', back.err)
        return how['planes_at_once']

    def test_at_once(self):
        haar = ('-w', 'haar', '-s', 'sep-lift', '-l', '2')
        for planes in (1, 2, 3, 4):
            samples = [s / 255 for s in formats.noise(18 * 11 * planes, 255)]
            for backend, most in (('fragment', planes), ('compute', planes), ('cpu', planes),
                                  ('reference', 1)):
                with self.subTest(backend=backend, planes=planes):
                    self.assertEqual(self.transform(samples, 18, 11, planes, *haar, '-b', backend),
                                     most)

    def test_too_high_for_a_column(self):
        """A texture has the planes side by side."""
        info = json.loads(self.succeed('info', '--json').out)
        rows = next(d for d in info['devices'] if d['available'])['max_texture']
        samples = [0.5] * (3 * 2 * rows)
        self.assertEqual(self.transform(samples, 2, rows, 3, *FRAGMENT, '-w', 'haar', '-l', '1'), 3)

    def test_no_memory_for_all(self):
        samples = [s / 255 for s in formats.noise(18 * 11 * 3, 255)]
        options = (*FRAGMENT, '-w', 'haar', '-s', 'sep-lift', '-l', '2')
        self.assertEqual(self.transform(samples, 18, 11, 3, *options, fault='high-texture'), 1)

    def test_no_memory_for_one(self):
        self.write('high.npy', formats.npy((18, 11, 3), [0.5] * (18 * 11 * 3)))
        self.refuse_fragment(TOO_LARGE, 'no memory on this device for a texture of …',
                             image='high.npy', fault='high-texture')


class Tiles(GlTest):
    def told(self, **how):
        backends = json.loads(self.succeed('info', '--json', **how).out)['backends']
        fragment = [b for b in backends if b['name'] == 'fragment'][0]
        return {v['name']: v['reason'] for v in fragment['variants']}

    def check_missing(self, fault, variant, others, reason):
        told = self.told(fault=fault)
        self.assertIn(reason, told[variant])
        for other in others:
            self.assertIsNone(told[other])
        self.assertIn('- not available (', self.succeed('info', fault=fault).text())
        self.refuse_fragment(UNAVAILABLE, f"variant '{variant}' does not run on this device (…{reason}…",
                             "variant 'passes' does", fault=fault, image='pattern:noise:40x30',
                             more=('--variant', variant))
        self.succeed('forward', IMAGE, '-o', 'c.npy', *FRAGMENT, fault=fault)

    def test_few_attachments(self):
        self.check_missing('attachments', 'tile-2x2', ('passes', 'tile-2x2-store'),
                           'supports 2 attachments per pass, and 4 are required')

    def test_no_image_stores(self):
        self.check_missing('images', 'tile-2x2-store', ('passes', 'tile-2x2'),
                           'cannot store images')

    def test_no_fine_derivatives(self):
        for how in self.less('derivatives',
                             ('MESA_EXTENSION_OVERRIDE', '-GL_ARB_derivative_control')):
            for name, reason in self.told(**how).items():
                with self.subTest(name, how=how):
                    if 'four' in name:
                        self.assertIn('has no GL_ARB_derivative_control', reason)
                    else:
                        self.assertIsNone(reason)

    def test_no_texture_views(self):
        """Without texture views a volume runs as passes, because its tiles require them."""
        volume, haar = 'pattern:noise:24x20x16', ('-w', 'haar', '-l', '1')
        used = [json.loads(self.succeed('forward', volume, '-o', 'c.npy', '-f', '--json', *haar,
                                        *FRAGMENT, fault=fault).out)['variant']
                for fault in (None, 'views')]
        self.assertTrue(used[0].startswith('tile'), used)
        self.assertEqual(used[1], 'passes')
        self.refuse_fragment(UNAVAILABLE, "variant '%s' does not support volumes on this device (… has no "
                             'GL_ARB_texture_view)' % used[0], "variant 'passes' does",
                             fault='views', image=volume, files=self.files(),
                             more=(*haar, '-f', '--variant', used[0]))

    def test_first_pass_is_told_once(self):
        told = self.succeed('forward', IMAGE, '-o', 'c.npy', '-v', '-s', 'sep-lift',
                            *FRAGMENT).err
        stages = re.findall('first pass done|all shaders built', told)
        self.assertEqual(stages, ['first pass done', 'all shaders built'])

    def test_everything_runs_here(self):
        self.assertEqual(set(self.told().values()), {None})

    def test_counts_are_of_the_variant(self):
        def counts(*more):
            result = self.succeed('forward', 'pattern:noise:40x30', '-o', 'c.npy', '-f', '--json',
                                  '-w', 'cdf53', '-s', 'sep-lifting', *FRAGMENT, *more)
            told = json.loads(result.out)
            return told['fetches'], told['operations']
        # Four passes of two fetches; one block of 4x4 quads for four quads.
        self.assertEqual(counts()[0], 8)
        fetches, operations = counts('--variant', 'tile-2x2')
        self.assertEqual(fetches, 4)
        self.assertGreater(operations, counts()[1])

    def test_wavelet_that_does_not_fit(self):
        self.write('far.wavelet', b'source none\npredict -6 -0.5 7 -0.5\nupdate -7 0.25 6 0.25\n')
        result = self.run_program('forward', 'pattern:noise:40x30', '-o', 'c.npy', *FRAGMENT,
                                  '--variant', 'tile-2x2', '-w', 'far.wavelet')
        self.assertEqual(result.code, USAGE)
        self.assertIn('a block of 2x2 texels reads', result.err)
        self.succeed('forward', 'pattern:noise:40x30', '-o', 'c.npy', *FRAGMENT, '-w',
                     'far.wavelet')


class Windows(GlTest):
    """Tiled execution of images that are larger than a texture."""
    def both(self, image, *options):
        """In one piece, and with textures of at most 64x64 texels: bit-identical results, forward
        and inverse."""
        images, told = [], {}
        for fault in (None, 'texture'):
            how = self.succeed('forward', image, '-f', '-o', 'c.npy', '--check', '--json', '-v',
                               *FRAGMENT, *options, fault=fault)
            self.assertEqual('in tiles of up to' in how.err, fault is not None, how.err)
            told[fault] = json.loads(how.out)
            for name in ('i.npy', 'i.png'):
                self.succeed('inverse', 'c.npy', '-f', '-o', name, *FRAGMENT, fault=fault)
            images.append([self.read(name) for name in ('c.npy', 'i.npy', 'i.png')])
        self.assertEqual(images[0], images[1], (image, options))
        self.assertEqual(*(how['variant'] for how in told.values()))
        self.assertLess(told['texture']['round_trip_max_error'], 1e-5)

    def test_same_bits(self):
        self.write('rgb.png', formats.png(211, 167, formats.noise(211 * 167 * 3, 255), 3))
        for options in (('-w', 'cdf53'), ('-w', 'haar', '-l', 'max'), ('-l', '1'),
                        ('-s', 'sep-lifting', '--layout', 'mixed'), ('--norm', 'orthonormal'),
                        ('-w', 'd4', '--border', 'periodic', '-l', '2'),
                        ('-w', 'dd137', '-s', 'nonsep-lifting', '--border', 'periodic', '-l', '2')):
            with self.subTest(options):
                if 'periodic' in options or not is_sampled():
                    self.both('pattern:noise:400x300', *options)
                if 'periodic' not in options:
                    self.both('pattern:noise:301x75', *options)
        self.both('rgb.png')
        self.both('pattern:noise:3000x5', '-l', '2')

    def test_reversible(self):
        self.write('gray.pgm', formats.pnm(203, 141, formats.noise(203 * 141, 255)))
        self.both('gray.pgm', '--reversible', '-w', 'cdf53', '-l', '4')

    def test_wider_than_this_device_takes(self):
        told = json.loads(self.succeed('info', '--json').out)['gl']
        width = 2 * told['max_texture'] + 2
        if width > 65536:
            self.skipTest('textures of %d texels' % told['max_texture'])
        image = 'pattern:noise:%dx34' % width
        self.succeed('forward', image, '-o', 'a.npy', *FRAGMENT)
        self.succeed('forward', image, '-o', 'b.npy', '-b', 'cpu')
        self.succeed('compare', 'a.npy', 'b.npy', '--tol', '1e-5')

    def test_wavelet_that_reaches_farther(self):
        """A wavelet whose support exceeds the halo of a tile."""
        self.write('wide.wavelet', 'name wide\nsource here\n' + ''.join(
            '%s -40 %s 41 %s\n' % (step, tap, tap) for step, tap in
            (('predict', -0.5), ('update', 0.25))))
        self.refuse_fragment(TOO_LARGE, "…exceeds this device's limit of 64 (an image of up to about "
                             '…', "backend 'cpu' has no such limit", fault='texture',
                             more=('-w', 'wide.wavelet', '--border', 'periodic', '-l', '1'))

    def test_textures_that_cannot_be_had(self):
        self.refuse_fragment(TOO_LARGE, 'no memory on this device for a texture of …',
                             fault='texture-memory')
        # Measurements do not split the image into tiles.
        result = self.run_program('bench', '-b', 'fragment', '-w', 'haar', '-s', 'sep-lifting',
                                  '--size', '512', fault='texture')
        self.assertEqual(result.code, TOO_LARGE, result.err)
        self.assertIn("skipped: haar, 512x512, fragment (a texture of 256x256 texels exceeds this "
                      "device's limit of 64", result.err)


class Half(GlTest):
    """--precision f16: numbers with 11 bits."""

    def run_back(self, *more):
        self.succeed('forward', IMAGE, '-o', 'c.npy', '-f', '-w', 'cdf53', *FRAGMENT, *more)
        told = json.loads(self.succeed('inverse', 'c.npy', '-o', 'b.npy', '-f', '--json', *FRAGMENT,
                                       *more).out)
        beside = json.loads(self.read('c.npy.json'))
        return told['precision'], beside['precision'], self.read('b.npy')

    def test_it_is_another_one(self):
        whole, half = self.run_back(), self.run_back('--precision', 'f16')
        self.assertEqual(whole[:2], ('f32', 'f32'))
        self.assertEqual(half[:2], ('f16', 'f16'))
        self.assertNotEqual(whole[2], half[2])

    def test_verify_states_its_error(self):
        tiled = 'haar' if is_sampled() else 'cdf97'  # compiles faster
        for wavelet, variant in (('cdf97', 'passes'), (tiled, 'tile-2x2'), (tiled, 'tile-2x2-store')):
            told = json.loads(self.succeed('verify', '-w', wavelet, '-s', 'sep-lift', '--json',
                                           '--precision', 'f16', '--variant', variant,
                                           *FRAGMENT).out)
            self.assertEqual(told['precision'], 'f16')
            worst = max(row['max_error'] for row in told['rows'] if not row.get('adjoint'))
            self.assertTrue(1e-4 < worst < 8.2e-2, worst)

    def test_numbers_and_their_negatives(self):
        # Haar in two passes computes r - g and g - r: compilers may reuse one for the other.
        self.succeed('verify', '-w', 'haar', '-s', 'ns-lift', '--precision', 'f16', '--variant',
                     'all', *FRAGMENT)

    def test_who_cannot_says_who_can(self):
        for backend in ('compute', 'cpu', 'reference'):
            for command in (('forward', IMAGE, '-o', 'c.npy'), ('verify', '-w', 'haar')):
                self.refuse(USAGE, f"backend '{backend}' does not support precision 'f16'", *command, '-b', backend, '--precision', 'f16',
                            hint="'fragment' does")


class Compute(GlTest):
    """The other backends run if `compute` cannot."""

    def refuse_compute(self, message, hint, **how):
        self.refuse(UNAVAILABLE, message, 'forward', IMAGE, '-o', 'c.npy', '-b', 'compute', '-w',
                    'cdf53', '-s', 'sep-lift', hint=hint, **how)
        self.succeed('forward', IMAGE, '-o', 'c.npy', *FRAGMENT, **how)

    def test_no_compute_shaders(self):
        for how in self.less('gl-4.2', ('MESA_GL_VERSION_OVERRIDE', '4.2')):
            with self.subTest(how=how):
                self.check_4_2(**how)

    def check_4_2(self, **how):
        backends = json.loads(self.succeed('info', '--json', **how).out)['backends']
        told = {b['name']: b for b in backends}
        self.assertTrue(told['fragment']['available'])
        self.assertFalse(told['compute']['available'])
        self.assertIn('4.3', told['compute']['reason'])
        stores = [v['reason'] for v in told['fragment']['variants'] if 'store' in v['name']]
        self.assertEqual(len(stores), 2)
        for reason in stores:
            self.assertIn('cannot store images (requires 4.3)', reason)
        self.assertRegex(self.succeed('info', **how).text(),
                         r'(?m)^  compute +.*\n +not available \(.*4\.3')
        self.refuse_compute("backend 'compute' is not available (…4.3…", '…', **how)
        os.remove(self.path('c.npy'))
        os.remove(self.path('c.npy.json'))

    def test_little_shared_memory(self):
        self.refuse_compute("the support of wavelet 'cdf53' is too large for a workgroup of this "
                            'device: 3 adjacent quads, at least … bytes of shared memory (it has … '
                            'invocations and 256 bytes of shared memory)',
                            "backend 'fragment' has no such limit", fault='shared')
        said = self.run_program('forward', IMAGE, '-o', 'd.npy', '-b', 'compute', fault='shared').err
        least = int(re.search(r'at least (\d+) bytes of shared memory', said).group(1))
        self.assertTrue(256 < least <= 48 << 10, least)
        os.remove(self.path('c.npy'))
        os.remove(self.path('c.npy.json'))
        self.succeed('forward', IMAGE, '-o', 'c.npy', fault='shared')

    def test_few_invocations(self):
        """If the invocations do not fit into one workgroup, small levels run one by one, with the
        same result."""
        def transform(name, tail, **how):
            log = self.succeed('forward', 'pattern:noise:96x80', '-o', name, '-b', 'compute', '-w',
                               'cdf53', '-s', 'sep-lift', '-l', '6', '-vv', **how).err
            self.assertIs('#define TAIL' in log, tail, log)
            return formats.read_npy(self.read(name))
        shape, together = transform('c.npy', True)
        other_shape, one_by_one = transform('d.npy', False, fault='invocations')
        self.assertEqual(shape, other_shape)
        for a, b in zip(together, one_by_one):
            self.assertAlmostEqual(a, b, places=5)


class Software(GlTest):
    """Without a GPU, `auto` selects the CPU, which is faster; a given scheme or variant, or 16
    bits, require shaders."""
    NOTE = 'OpenGL is software-rendered on this machine'

    def setUp(self):
        super().setUp()
        if not json.loads(self.succeed('info', '--json').out)['gl']['software']:
            self.skipTest('there is a GPU')

    def used(self, *options):
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '-f', '--json', *options)
        self.assertNotIn('warning', result.err)
        return json.loads(result.out)['backend']['used'], self.NOTE in result.err

    def test_auto_passes_it_by(self):
        backends = json.loads(self.succeed('info', '--json').out)['backends']
        cuda = [b for b in backends if b['name'] == 'cuda' and b['available']]
        self.assertEqual(self.used(), ('cuda' if cuda else 'cpu', False))
        if not cuda:
            self.assertEqual(self.used('-v'), ('cpu', True))
            self.assertIn('so the cpu backend was used; -b fragment runs shaders',
                          self.succeed('forward', IMAGE, '-o', 'c.npy', '-f', '-v').err)

    def test_shaders_asked_for(self):
        """Without -b one note names the option that requested shaders; with -b there is no note."""
        for options in (('-s', 'sep-lift'), ('--variant', 'tile-2x2'), ('--precision', 'f16')):
            with self.subTest(options):
                self.assertEqual(self.used(*options), ('fragment', True))
        self.assertEqual(self.used('-b', 'fragment', '-s', 'sep-lift'), ('fragment', False))

    def test_bench_follows_the_rule(self):
        def first(*options):
            return self.succeed('bench', '--dry-run', '--size', '64', *options)
        passed_by = first()
        backends = json.loads(self.succeed('info', '--json').out)['backends']
        if not [b for b in backends if b['name'] == 'cuda' and b['available']]:
            self.assertTrue(passed_by.text().startswith('cpu '), passed_by.text())
            self.assertIn(self.NOTE + ", so 'cpu' is measured", passed_by.err)
        for options in (('-s', 'sep-lift'), ('--variant', 'tile-2x2'), ('--precision', 'f16')):
            with self.subTest(options):
                self.assertTrue(first(*options).text().startswith('fragment'))

    def test_the_way_back(self):
        """The metadata contain a scheme that was given with -s, and not one that the program
        selected."""
        for options, used in (((), 'cpu'), (('-s', 'sep-lift'), 'fragment')):
            with self.subTest(options):
                if self.used(*options)[0] == used:
                    told = self.succeed('inverse', 'c.npy', '-o', 'b.npy', '-f', '--json')
                    self.assertEqual(json.loads(told.out)['backend']['used'], used)


class ShaderCache(GlTest):
    """Mesa's shader cache: if its folder cannot be created, the program reports that once, with -v.
    """

    def setUp(self):
        super().setUp()
        if 'Mesa' not in json.loads(self.succeed('info', '--json').out)['gl']['version']:
            self.skipTest("the driver is not Mesa's")
        self.write('file', '')
        os.mkdir(self.path('made'))

    def test_no_folder(self):
        for variable, path, reason in (
                ('XDG_CACHE_HOME', 'file', 'Not a directory'),
                ('XDG_CACHE_HOME', 'file/x', 'Not a directory'),
                ('MESA_SHADER_CACHE_DIR', 'none/x', 'No such file or directory'),
                ('XDG_CACHE_HOME', '', 'No such file or directory')):
            path = path and self.path(path)
            with self.subTest(variable + '=' + path):
                for option in (), ('-v',):
                    told = self.succeed('forward', 'pattern:text:24x16', '-o', 'c.npy', '-f', '-b',
                                        'fragment', *option, env={variable: path}).err
                    self.assertNotIn('for shader cache', told)
                    self.assertEqual(told.count('shader cache'), len(option))
                self.assertIn("  Mesa's shader cache is disabled, and shaders are compiled in each "
                              "run: cannot make the folder '%s' (%s)\n" % (path, reason), told)
        # Only the first of several contexts reports it.
        told = self.succeed('info', '-v', env={'XDG_CACHE_HOME': self.path('file')}).err
        self.assertEqual(told.count('shader cache'), 1)

    def test_folder(self):
        for place in 'made', 'made/', 'new', 'new/':
            with self.subTest(place):
                told = self.succeed('forward', 'pattern:text:24x16', '-o', 'c.npy', '-f', '-b',
                                    'fragment', '-v', env={'XDG_CACHE_HOME': self.path(place)}).err
                self.assertNotIn('shader cache', told)
                self.assertTrue(os.listdir(self.path(place)))


class Absent(GlTest):
    def test_no_egl_by_name(self):
        self.refuse_fragment(UNAVAILABLE, "backend 'fragment' is not available (…EGL…", HINT,
                             env=NO_EGL)

    def test_no_egl_by_default(self):
        self.fall_back('EGL', env=NO_EGL)

    def test_no_egl_warns_even_when_quiet(self):
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '-q', env=NO_EGL)
        self.assertEqual(result.err.count('\n'), 1, result.err)
        self.assertIn('warning: fragment not available', result.err)

    def test_no_egl_named_in_json(self):
        result = self.run_program('forward', IMAGE, '-o', 'c.npy', '--json', *FRAGMENT, env=NO_EGL)
        self.assertEqual((result.code, self.files()), (UNAVAILABLE, {}))
        told = json.loads(result.out)
        self.assertEqual((told['exit'], told['hint']), (UNAVAILABLE, HINT))
        self.assertTrue(told['error'].startswith("backend 'fragment' is not available"))

    def test_info(self):
        text = self.succeed('info', env=NO_EGL).text()
        self.assertTrue(text.startswith('gl: no ('))
        self.assertIn(' 5 variants, which -v lists\n', text)
        self.assertNotIn('--variant tile-2x2', text)
        self.assertIn('--variant tile-2x2', self.succeed('info', '-v', env=NO_EGL).text())
        told = json.loads(self.succeed('info', '--json', env=NO_EGL).out)
        self.assertFalse(told['gl']['available'])
        self.assertFalse([b for b in told['backends'] if b['name'] == 'fragment'][0]['available'])

    def test_verify_skips_with_the_reason(self):
        result = self.succeed('verify', '-w', 'haar', '-s', 'sep-lift', env=NO_EGL)
        self.assertIn('fragment: skip (', result.text())
        # The other GPU backends may be missing, too.
        self.assertRegex(result.text(), r' 0 failed, [34] skipped\n\Z')
        self.refuse(UNAVAILABLE, "backend 'fragment' is not available (…", 'verify', *FRAGMENT,
                    hint=HINT, env=NO_EGL)

    def test_too_old(self):
        for how in self.less('too-old', ('MESA_GL_VERSION_OVERRIDE', '2.1'),
                             ('MESA_GL_VERSION_OVERRIDE', '3.2')):
            with self.subTest(how=how):
                self.refuse_fragment(UNAVAILABLE, "backend 'fragment' is not available (…OpenGL "
                                     '3.3 core…', HINT, **how)
                self.fall_back('OpenGL 3.3 core', **how)

    def test_no_float_targets(self):
        self.refuse_fragment(UNAVAILABLE, "backend 'fragment' is not available (…no float render "
                             'targets: a framebuffer with an RGBA32F texture has status 0x8cdd…',
                             HINT, fault='float-target')
        self.fall_back('no float render targets', fault='float-target')


class Objects(GlTest):
    """Objects of a context are deleted before the context."""

    def check(self, *command, makes=('textures', 'programs', 'framebuffers')):
        told = self.succeed(*command, '-f', fault='objects', timeout=600).err
        lines = re.findall('gl objects: (.*)', told)
        self.assertEqual(len(lines), 1, told)
        objects = {kind: (int(left), int(made))
                   for left, made, kind in re.findall(r'(\d+) of (\d+) (\w+)', lines[0])}
        self.assertEqual({left for left, _ in objects.values()}, {0}, (command, lines))
        for kind in makes:
            self.assertGreater(objects[kind][1], 0, (command, lines))

    def test_transforms(self):
        buffers = 'programs', 'buffers'
        for image, volume in ((IMAGE, False), ('pattern:noise:24x20x16', True)):
            for options in (('-b', 'fragment', '--variant', 'passes'),
                            ('-b', 'fragment', '--variant', 'tile-2x2'), ('-b', 'compute')):
                makes = ({'makes': buffers} if 'compute' in options else {})
                with self.subTest(image=image, options=options):
                    self.check('forward', image, '-o', 'c.npy', '-l', '1', *options, **makes)
                    self.check('inverse', 'c.npy', '-o', 'i.npy', *options, **makes)

    def test_reconstruction(self):
        self.succeed('undersample', 'pattern:shepp-logan:24x20', '--seed', '1', '--rate', '3',
                     '-o', 'k.npy', '--mask-output', 'm.npy')
        self.check('reconstruct', 'k.npy', '-m', 'm.npy', '-b', 'compute', '--iterations', '3', '-o',
                   'r.npy', makes=('programs', 'buffers'))

    def test_viewer(self):
        if not has_viewer():
            self.skipTest('the viewer is not part of this build')
        self.succeed('undersample', 'pattern:shepp-logan:24x20x16', '--seed', '1', '--rate', '3',
                     '-o', 'k.npy', '--mask-output', 'm.npy')
        shot = ('--screenshot', 'v.png', '--events', 'e.txt', '--window', '700x500')
        for files, events in (
                ((IMAGE,), 'set compare side|set b.wavelet haar|wait 2|set levels 2|set mode pass|'
                           'wait 2|set compare off|wait 2|resize 800 600|wait 2'),
                (('pattern:noise:24x20x16',), 'set fourth cube|wait 2|set fourth mip|wait 2'),
                (('--reconstruct', 'k.npy', '-m', 'm.npy', '-b', 'cpu'),
                 'iterate 1|set cross.z 3|wait 1|set pane x|set single true|wait 2|'
                 'set pane y|wait 2|set single false|wait 2')):
            with self.subTest(files=files):
                self.write('e.txt', events.replace('|', '\n') + '\n')
                self.check('view', *files, *shot)


class Failing(GlTest):
    def test_pass_of_too_many_operations(self):
        # A shader of 28,000 operations exceeded the stack of Mesa's compiler, which ended the
        # program.
        self.write('wide.wavelet', 'name wide\nsource here\n' + ''.join(
            step + ''.join(' %d %s/16' % (7 * i - 64 + (i if step == 'update' else 0), tap)
                           for i in range(16)) + '\n'
            for step, tap in (('predict', -1), ('update', 0.5))))
        self.refuse_fragment(TOO_LARGE, "a pass of 'wide/nonsep-convolution/optimized' has …",
                             hint="lifting schemes have fewer, and backend 'cpu' has no such limit",
                             more=('-w', 'wide.wavelet', '--border', 'periodic', '-l', '1', '-s',
                                   'nonsep-convolution', '--variant', 'passes'))

    def test_no_memory_for_a_texture(self):
        self.refuse_fragment(TOO_LARGE, 'no memory on this device for a texture of …',
                             fault='texture-memory')

    def test_volume_deeper_than_this_device_takes(self):
        self.refuse_fragment(TOO_LARGE, "a volume of 65536 slices is too deep for variant 'passes' "
                             '(array textures of this device have …', "backend 'cpu' has no such limit",
                             image='pattern:noise:1x1x65536')

    def test_shader_that_does_not_compile(self):
        result = self.run_program('forward', IMAGE, '-o', 'c.npy', *FRAGMENT, '-vv',
                                  fault='shader-text')
        self.assertEqual((result.code, self.files()), (1, {}), result.err)
        before, error = result.err.split('wavepass forward: error: a shader does not compile (')
        source = before.split('compiling shader ')[-1].splitlines()[1:]
        number, line = re.search(r'^> +(\d+) \| (.*)$', error, re.M).groups()
        self.assertIn('gl_FragCoord', line)
        self.assertEqual(source[int(number) - 1], line)
        self.assertEqual(source[0], '#version 330 core')
        self.assertIn('\nhint: -vv shows all of it\n', error)

    def test_nothing_is_read_back(self):
        # Out of memory in a driver used to give a wrong image without a message.
        self.succeed('forward', IMAGE, '-o', 'c.npy', *FRAGMENT)
        for command in (('forward', IMAGE), ('inverse', 'c.npy')):
            with self.subTest(command=command):
                result = self.run_program(*command, '-o', 'out.npy', *FRAGMENT, fault='read-back')
                self.assertEqual((result.code, 'out.npy' in self.files()), (1, False), result.err)
                self.assertIn(': error: texels could not be read back (', result.err)
                result = self.run_program(*command, '-o', 'out.npy', '-b', 'compute',
                                          fault='read-back')
                self.assertEqual((result.code, 'out.npy' in self.files()), (1, False), result.err)
                self.assertIn(': error: samples could not be read back (', result.err)

    def every_one_is_left_out(self, fault, *options):
        """Every draw or dispatch of a forward and an inverse transform fails once: the result is an
        error, or correct if the failed one was a trial. Returns the number of errors."""
        self.succeed('forward', IMAGE, '-o', 'c.npy', '-f', *options)
        self.succeed('inverse', 'c.npy', '-o', 'i.npy', '-f', *options)
        wanted = {'c.npy': self.read('c.npy'), 'i.npy': self.read('i.npy')}
        told = 0
        for command, name in ((('forward', IMAGE), 'c.npy'), (('inverse', 'c.npy'), 'i.npy')):
            for number in range(1, 200):
                result = self.run_program(*command, '-o', 'out.npy', '-f', *options,
                                          fault='%s:%d' % (fault, number))
                if 'gl fault: %s\n' % fault not in result.err:
                    break
                if result.code == 0:
                    self.assertEqual(self.read('out.npy'), wanted[name], result.err)
                    os.remove(self.path('out.npy'))
                    continue
                told += 1
                self.assertEqual((result.code, 'out.npy' in self.files()), (1, False), result.err)
                self.assertRegex(result.err, r'error: the device (drew|ran) \d+ .* of \d+')
            self.assertEqual((result.code, self.read('out.npy')), (0, wanted[name]))
            os.remove(self.path('out.npy'))
        return told

    def test_a_draw_is_left_out(self):
        # Out of memory in a driver used to give a wrong image without a message.
        small = ('-w', 'cdf53', '-s', 'sep-lifting', '-l', '2')
        self.assertGreater(self.every_one_is_left_out('draw', *FRAGMENT, *small), 12)
        for variant in 'tile-2x2', 'tile-2x2-store':
            with self.subTest(variant=variant):
                self.assertGreater(self.every_one_is_left_out(
                    'draw', *FRAGMENT, *small, '--variant', variant), 3)

    def test_a_dispatch_is_left_out(self):
        self.assertGreater(self.every_one_is_left_out('dispatch', '-b', 'compute', '-l', '2'), 1)

    def test_program_that_does_not_link(self):
        for backend in 'fragment', 'compute':
            self.refuse(1, 'a shader does not compile (…', 'forward', IMAGE, '-o', 'c.npy', '-b',
                        backend, fault='link')

    def test_wrong_shader_is_found_by_verify(self):
        result = self.run_program('verify', '-w', 'cdf53', '-s', 'sep-lifting', *FRAGMENT,
                                  fault='wrong-tap')
        self.assertEqual(result.code, MISMATCH, result.err)
        self.assertIn('\nFAIL cdf53 sep-lift', result.text())
        passed, failed, skipped = re.search(r'^(\d+) passed, (\d+) failed, (\d+) skipped$',
                                            result.text().splitlines()[-1]).groups()
        # Both borders in both forms, one border of PyWavelets, and one adjoint with its products.
        self.assertEqual(int(passed) + int(failed), 12 + 3 + 4)
        self.assertGreater(int(failed), 0)
        self.assertEqual(skipped, '0')


class Window(GlTest):
    """A context from a hidden window instead of EGL."""

    def setUp(self):
        super().setUp()
        self.window = self.display()
        devices = json.loads(self.succeed('info', '--json').out)['devices']
        found = [d for d in devices if d['name'].startswith('GLFW')]
        if not found:
            self.skipTest('built without GLFW')
        self.device = found[0]

    def test_forward(self):
        self.assertFalse(self.device['available'])  # no display
        device = ('-d', str(self.device['device']))
        result = self.succeed('forward', IMAGE, '-o', 'window.npy', *FRAGMENT, *device,
                              env=self.window)
        self.assertIn('fragment/passes on ', result.err)
        self.succeed('forward', IMAGE, '-o', 'egl.npy', *FRAGMENT)
        _, window = formats.read_npy(self.read('window.npy'))
        _, egl = formats.read_npy(self.read('egl.npy'))
        self.assert_near(window, egl, 2e-5)

    def test_without_egl_it_is_the_default(self):
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '-s', 'ns-poly', '--variant',
                              'passes', env={**self.window, **NO_EGL})
        self.assertNotIn('warning', result.err)
        self.assertIn('fragment/passes on ', result.err)
