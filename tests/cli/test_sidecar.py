"""The metadata file: it must match, and runs without it."""
import json
import os

import formats
from harness import FILE, REFERENCE, USAGE, CliTest

WIDTH, HEIGHT, LEVELS = 20, 12, 2
SAMPLES = formats.noise(WIDTH * HEIGHT, 255)


class SidecarTest(CliTest):
    OPTIONS = ()
    WAVELET = None

    def setUp(self):
        super().setUp()
        if self.WAVELET:
            self.write('mine.wavelet', self.WAVELET)
        self.write('a.png', formats.png(WIDTH, HEIGHT, SAMPLES))
        self.succeed('forward', 'a.png', '-o', 'c.npy', '-l', str(LEVELS), *self.OPTIONS,
                     *REFERENCE)
        self.good = json.loads(self.read('c.npy.json'))

    def change(self, **items):
        """Changes items; None removes an item."""
        changed = {**self.good, **items}
        self.write('c.npy.json', json.dumps({k: v for k, v in changed.items() if v is not None}))

    def refuse_inverse(self, message, *options, hint=None, code=FILE, name='c.npy'):
        with self.subTest(message + ' '.join(options)):
            self.refuse(code, message, 'inverse', name, '-o', 'b.png', *REFERENCE, *options,
                        hint=hint)

    def invert(self, *options, name='c.npy'):
        result = self.succeed('inverse', name, '-o', 'b.png', '-f', *REFERENCE, *options)
        self.assertEqual(formats.read_png(self.read('b.png'))[4], SAMPLES)
        return result


class Contents(SidecarTest):
    def test_names_every_option(self):
        wanted = {'schema': 1, 'wavelet': 'cdf97', 'scheme': 'nonsep-polyconvolution',
                  'form': 'optimized', 'border': 'symmetric', 'norm': 'jpeg2000',
                  'layout': 'mallat', 'precision': 'f32', 'levels': LEVELS, 'width': WIDTH, 'height': HEIGHT,
                  'planes': 1, 'alpha': False, 'source_bits': 8}
        self.assertEqual({key: self.good[key] for key in wanted}, wanted)
        self.assertTrue(self.good['created_by'].startswith('wavepass '))

    def test_wavelets_have_their_own_names(self):
        """The metadata contain the name of the wavelet, not the alias that was given."""
        self.succeed('forward', 'a.png', '-o', 'c.npy', '-f', '-w', '9/7', *REFERENCE)
        self.assertEqual(json.loads(self.read('c.npy.json'))['wavelet'], 'cdf97')

    def test_is_enough(self):
        self.invert()

    def test_items_of_later_versions_do_no_harm(self):
        self.change(mood='good')
        self.invert()

    def test_scheme_and_backend_are_free(self):
        self.invert('-s', 'sep-lifting', '--no-optimize')

    def name_of(self, *options):
        return json.loads(self.invert('--json', *options).out)['name']

    def test_scheme_that_nobody_named_is_not_taken(self):
        self.assertNotIn('scheme_named', self.good)
        self.change(scheme='sep-lifting', form='plain')
        self.assertEqual(self.name_of(), 'cdf97/nonsep-polyconvolution/optimized')


class NamedScheme(SidecarTest):
    OPTIONS = '-s', 'ns-lift', '--no-optimize'
    name_of = Contents.name_of

    def test_is_taken(self):
        self.assertEqual((self.good['scheme'], self.good['form'], self.good['scheme_named']),
                         ('nonsep-lifting', 'plain', True))
        self.assertEqual(self.name_of(), 'cdf97/nonsep-lifting/plain')
        self.assertEqual(self.name_of('-s', 'sep-lift'), 'cdf97/sep-lifting/optimized')

    def test_nonsense(self):
        for name in ('fastest', 'planar-lifting'):
            self.change(scheme=name)
            self.refuse_inverse(f"c.npy.json: unknown scheme '{name}'")
        self.change(form='pretty')
        self.refuse_inverse("c.npy.json: unknown form 'pretty'")
        self.change(scheme=None)
        self.refuse_inverse('c.npy.json: "scheme" is missing')


class DoesNotFit(SidecarTest):
    def test_size(self):
        self.change(width=21)
        self.refuse_inverse('c.npy.json describes 21x12, but the coefficients have 20x12')
        self.change(height=11)
        self.refuse_inverse('c.npy.json describes 20x11, but the coefficients have 20x12')

    def test_planes(self):
        self.change(planes=3)
        self.refuse_inverse('c.npy.json describes 3 planes, but the coefficients have 1')

    def test_of_another_file(self):
        self.write('other.npy', formats.npy((4, 4), [0.5] * 16))
        os.rename(self.path('c.npy.json'), self.path('other.npy.json'))
        self.refuse_inverse('other.npy.json describes 20x12, but the coefficients have 4x4',
                            name='other.npy')

    def test_levels(self):
        self.change(levels=6)
        self.refuse_inverse('c.npy.json: 6 levels are impossible for 20x12, symmetric (at most 5)')
        self.change(levels=3, border='periodic')
        self.refuse_inverse('c.npy.json: 3 levels are impossible for 20x12, periodic (at most 2)')
        self.change(levels=0, border='symmetric')
        self.refuse_inverse('c.npy.json: no levels, but 20x12, symmetric, has up to 5')

    def test_alpha(self):
        self.change(alpha=True)
        self.refuse_inverse('c.npy.json: 1 plane cannot have alpha')


class Nonsense(SidecarTest):
    def test_no_json(self):
        for text in ('', 'nonsense', '{', '{"schema": 1,}', '{"schema": 1, "schema": 1}',
                     '{"wavelet": "\udce9"}'.encode('utf-8', 'surrogateescape')):
            self.write('c.npy.json', text)
            self.refuse_inverse('c.npy.json: no valid JSON (line …')

    def test_no_object(self):
        for text in ('[]', '[1, 2]'):
            self.write('c.npy.json', text)
            self.refuse_inverse('c.npy.json: no JSON object')

    def test_deep(self):
        self.write('c.npy.json', '[' * 100000)
        self.refuse_inverse('c.npy.json: no valid JSON (line …')

    def test_schema(self):
        self.change(schema=7)
        self.refuse_inverse("c.npy.json: schema 7 is newer than this program's (6)",
                            hint='use the wavepass that wrote it, or a later one')
        for schema in (0, -1, '1', 1.5, 10 ** 12):
            self.change(schema=schema)
            self.refuse_inverse('c.npy.json: "schema" is invalid (…')
        self.change(schema=None)
        self.refuse_inverse('c.npy.json: "schema" is missing (…')

    def test_flags(self):
        for flag in ('alpha', 'reversible', 'adjoint', 'scheme_named'):
            for value in (1, 'true', [True]):
                self.change(**{flag: value})
                self.refuse_inverse('c.npy.json: "%s" is invalid (true or false)' % flag)

    def test_numbers(self):
        for key, bad in (('width', 0), ('width', -20), ('height', 2 ** 31), ('height', '12'),
                         ('planes', 0), ('planes', 5), ('levels', -1), ('levels', 2 ** 40),
                         ('levels', 2.5), ('width', 1e300)):
            self.change(**{key: bad})
            self.refuse_inverse('c.npy.json: "%s" is invalid (a whole number from …' % key)
        for key in ('width', 'height', 'planes', 'levels'):
            self.change(**{key: None})
            self.refuse_inverse('c.npy.json: "%s" is missing (a whole number from …' % key)

    def test_words(self):
        for key in ('border', 'norm', 'layout'):
            self.change(**{key: 'nonsense'})
            self.refuse_inverse("c.npy.json: unknown %s 'nonsense'" % key)
            self.change(**{key: 1})
            self.refuse_inverse('c.npy.json: "%s" is not a text' % key)
            self.change(**{key: None})
            self.refuse_inverse('c.npy.json: "%s" is missing' % key)

    def test_wavelet(self):
        self.change(wavelet='nonsense')
        self.invert()  # with its steps
        os.remove(self.path('b.png'))
        self.change(wavelet='nonsense', lifting=None)
        self.refuse_inverse("c.npy.json: wavelet 'nonsense' is not known here",
                            hint='give its file with -w FILE')
        self.change(wavelet='haar')
        self.refuse_inverse("c.npy.json: the lifting steps differ from those of the wavelet "
                            "'haar' here",
                            hint='give the wavelet file with -w FILE')
        for bad in ('', 'x' * 10000):
            self.change(wavelet=bad)
            self.refuse_inverse('c.npy.json: "wavelet" is empty or too long')

    def test_lifting(self):
        for bad in (['predict 0 nan'], ['nonsense'], [1, 2], [], 'text', {},
                    ['predict 0 1\nzeta 1'], ['predict 0 -1', 'update 0 0.5', 'zeta -1']):
            self.change(lifting=bad)
            with self.subTest(bad):
                result = self.run_program('inverse', 'c.npy', '-o', 'b.png', *REFERENCE)
                self.assertEqual(result.code, FILE, result.err)
                self.assertIn('c.npy.json: ', result.err)
                self.assertNotIn('b.png', self.files())

    def test_directory_in_its_place(self):
        os.remove(self.path('c.npy.json'))
        os.mkdir(self.path('c.npy.json'))
        self.refuse_inverse('…c.npy.json…')


class Missing(SidecarTest):
    def setUp(self):
        super().setUp()
        os.remove(self.path('c.npy.json'))

    def test_says_what_it_needs(self):
        self.refuse_inverse('missing c.npy.json: the transform parameters are unknown',
                            code=USAGE, hint='give -l N, and -w, --border, --norm, --layout unless '
                            'they are cdf97, symmetric, jpeg2000, mallat')

    def test_options_are_enough(self):
        result = self.invert('-l', str(LEVELS))
        self.assertIn('no c.npy.json: assuming cdf97, border symmetric, norm jpeg2000, '
                      'layout mallat\n', result.err)

    def test_every_option(self):
        made = ('-w', 'cdf53', '--border', 'periodic', '--norm', 'orthonormal', '--layout', 'mixed',
                '-l', '1')
        self.succeed('forward', 'a.png', '-f', '-o', 'c.npy', *made, *REFERENCE)
        os.remove(self.path('c.npy.json'))
        self.invert(*made)

    def test_stdin_has_none(self):
        self.refuse(USAGE, 'missing metadata: the transform parameters are unknown', 'inverse',
                    '-', '-o', 'b.png', stdin=self.read('c.npy'))
        self.succeed('inverse', '-', '-o', 'b.png', '-l', str(LEVELS), *REFERENCE,
                     stdin=self.read('c.npy'))
        self.assertEqual(formats.read_png(self.read('b.png'))[4], SAMPLES)

    def test_missing_coefficients(self):
        self.refuse_inverse('d.npy: no such file', name='d.npy')


class Contradictions(SidecarTest):
    def test_every_option(self):
        hint = 'omit the option, or rename the .json'
        for option, given, described in (('wavelet', 'cdf53', 'cdf97'),
                                         ('border', 'periodic', 'symmetric'),
                                         ('norm', 'none', 'jpeg2000'),
                                         ('layout', 'mixed', 'mallat'), ('levels', '1', '2')):
            message = "--%s %s contradicts c.npy.json ('%s')" % (option, given, described)
            self.refuse_inverse(message, '--' + option, given, code=USAGE, hint=hint)
        self.refuse_inverse("--levels 5 contradicts c.npy.json ('2')", '-l', 'max', code=USAGE)

    def test_agreement(self):
        self.invert('-w', '9/7', '--border', 'symmetric', '--norm', 'jpeg2000', '--layout',
                    'mallat', '-l', str(LEVELS))


class OwnWavelet(SidecarTest):
    OPTIONS = ('-w', 'mine.wavelet')
    WAVELET = 'name mine\nsource here\npredict 0 -1\nupdate 0 1/2\n'

    def test_found_again(self):
        self.assertEqual(self.good['wavelet'], 'mine.wavelet')
        self.invert()

    def test_gone(self):
        os.rename(self.path('mine.wavelet'), self.path('yours.wavelet'))
        # The metadata has its steps.
        self.invert()
        self.invert('-w', 'yours.wavelet')

    def test_changed(self):
        # The coefficients were computed with the steps in the metadata.
        self.write('mine.wavelet', self.WAVELET.replace('1/2', '1/4'))
        self.invert()

    def test_path_is_not_opened(self):
        os.mkfifo(self.path('pipe'))
        self.write('secret', 'password: 1234\n')
        for path in '/etc/passwd', 'secret', 'pipe', './secret':
            self.change(wavelet=path)
            result = self.invert()
            self.assertIn("wavelet '%s' is not known here; using its lifting steps in "
                          'c.npy.json' % path, result.err)
            self.change(wavelet=path, lifting=None)
            os.remove(self.path('b.png'))
            self.refuse_inverse("c.npy.json: wavelet '%s' is not known here" % path,
                                hint='give its file with -w FILE')


class NoFile(SidecarTest):
    def test_pipe(self):
        os.remove(self.path('c.npy.json'))
        os.mkfifo(self.path('c.npy.json'))
        self.refuse_inverse('c.npy.json: not a regular file')
