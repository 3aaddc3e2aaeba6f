"""Invalid options: exit code 2, and suggestions for misspelled names."""
import json
import os
import shutil

import formats
import harness
from harness import FILE, REFERENCE, UNAVAILABLE, USAGE, CliTest
from test_help import COMMANDS

IMAGE = 'pattern:noise:24x16'


class OptionTest(CliTest):
    def refuse_forward(self, message, *options, hint=None, image=IMAGE, code=USAGE):
        with self.subTest(' '.join(options)):
            self.refuse(code, message, 'forward', image, '-o', 'c.npy', *options, hint=hint)


class Levels(OptionTest):
    def test_too_many(self):
        self.refuse_forward('6 levels are more than a 24x16 image has', '-l', '6',
                            hint='at most 5 here')
        self.refuse_forward('2147483647 levels are more than a 24x16 image has', '-l',
                            '2147483647', hint='at most 5 here')

    def test_too_many_for_one_pixel(self):
        self.refuse_forward('1 level is more than a 1x1 image has', '-l', '1',
                            image='pattern:noise:1x1')

    def test_most(self):
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '-l', 'max', *REFERENCE)
        self.assertIn(', 5 levels, 24x16,', result.err)

    def test_fewer_by_default_where_the_image_is_small(self):
        result = self.succeed('forward', 'pattern:noise:3x2', '-o', 'c.npy', *REFERENCE)
        self.assertIn('2 levels, the most for 3x2 with symmetric borders\n', result.err)

    def test_no_number(self):
        for text in ('-1', 'x', '', '3x', '1.5', ' 3', '99999999999', 'Max', 'maximum'):
            message = ("--levels: '%s' is not a number of levels" % text)
            self.refuse_forward(message, '--levels=' + text, hint='1, 2, 3, … or max')
        self.refuse_forward('0 levels leave an image as it is', '--levels=0',
                            hint='1, 2, 3, … or max')

    def test_periodic_borders_need_even_sizes(self):
        self.refuse_forward('periodic borders need even sizes, and level 1 would split 5x4',
                            '--border', 'periodic', '-l', '1', image='pattern:noise:5x4',
                            hint="at most 0 levels here; border 'symmetric' supports every size")
        self.refuse_forward('periodic borders need even sizes, and level 3 would split 5x3',
                            '--border', 'periodic', '-l', '3', image='pattern:noise:20x12',
                            hint="at most 2 levels here; border 'symmetric' supports every size")
        self.refuse_forward('periodic borders need even sizes, and level 1 would split 5x4',
                            '-w', 'db2', '--border', 'periodic', '-l', '1',
                            image='pattern:noise:5x4',
                            hint='at most 0 levels here; crop the image, because this wavelet '
                                 'supports no other border')
        self.refuse_forward('5x4 has no levels with periodic borders (they need even sizes)',
                            '--border', 'periodic', image='pattern:noise:5x4',
                            hint="crop the image, or use border 'symmetric' with a symmetric "
                                 'wavelet such as cdf97')


# The minimum and maximum number of arguments of each command (None: no limit), and options that
# keep it from doing anything.
ARGUMENTS = {
    'forward': (1, None), 'inverse': (1, None), 'edit': (1, None),
    'denoise': (1, None), 'verify': (0, 1, '-w', 'none'),
    'bench': (0, 0, '--paper', 'none'), 'compare': (2, 2), 'explain': (0, 3),
    'view': (0, 256, '-w', 'none'), 'info': (0, 1), 'undersample': (1, 1), 'reconstruct': (1, 1),
    'help': (0, 1),
}


class Counts(OptionTest):
    def test_one_too_many_or_too_few(self):
        self.assertEqual(set(ARGUMENTS), set(COMMANDS))
        for command, (least, most, *more) in ARGUMENTS.items():
            usage = self.succeed(command, '--help').text().splitlines()[0]
            hint = usage.replace('usage: ', '').replace(' [OPTIONS]', '' if most != 0 else ' ')
            names = ['none%d' % i for i in range(300)]
            with self.subTest(command):
                if least:
                    self.refuse(USAGE, 'an argument is missing', command, *names[:least - 1], *more,
                                hint=hint)
                if most is not None:
                    self.refuse(USAGE, "'none%d' is one argument too many" % most, command,
                                *names[:most + 1], *more, hint=hint)
                for count in {least, 300 if most is None else most}:
                    said = self.run_program(command, *names[:count], *more).err
                    self.assertNotIn('argument is missing', said)
                    self.assertNotIn('argument too many', said)


class Names(OptionTest):
    def test_wavelet(self):
        for given, near in (('cdf79', 'cdf97'), ('bior44', 'bior4.4'), ('CDF97', 'cdf97'),
                            ('harr', 'haar'), ('dd173', 'dd137'), ('9/8', '9/7')):
            self.refuse_forward("unknown wavelet '%s'" % given, '-w', given,
                                hint="did you mean '%s'?  'wavepass info' lists all" % near)
        for given, has in (('db21', 'db has 1 2 …19 20'), ('bior3.6', 'bior has …3.5 3.7…'),
                           ('coif', 'coif has 1 2 3 4 5'), ('cdf54', 'cdf has 53 97 …')):
            self.refuse_forward("unknown wavelet '%s'" % given, '-w', given,
                                hint="%s; 'wavepass info' lists all" % has)
        self.refuse_forward("unknown wavelet 'meyer-and-friends'", '-w', 'meyer-and-friends',
                            hint="'wavepass info' lists all")

    def test_scheme(self):
        for given, near in (('nonsep-liftin', 'nonsep-lifting'), ('ns-pol', 'ns-poly'),
                            ('sepconv', 'sep-conv')):
            self.refuse_forward("unknown scheme '%s'" % given, '-s', given,
                                hint="did you mean '%s'?  'wavepass info' lists all" % near)

    def test_backend(self):
        self.refuse_forward("unknown backend 'fragmnt'", '-b', 'fragmnt',
                            hint="did you mean 'fragment'?  'wavepass info' lists all")
        self.refuse_forward("backend 'reference' has no variants, so no 'hybrid'",
                            '-b', 'reference', '--variant', 'hybrid')
        self.refuse_forward("unknown backend 'quantum'", '-b', 'quantum',
                            hint="'wavepass info' lists all")

    def test_border_norm_layout(self):
        self.refuse_forward("unknown border 'symetric'", '--border', 'symetric',
                            hint="did you mean 'symmetric'?  --border supports symmetric, periodic, "
                                 "pywt-zero, pywt-constant, pywt-symmetric, pywt-reflect, "
                                 "pywt-periodic, pywt-smooth, pywt-antisymmetric, "
                                 "pywt-antireflect, pywt-periodization")
        self.refuse_forward("unknown norm 'jpg2000'", '--norm', 'jpg2000', hint="did you mean "
                            "'jpeg2000'?  --norm supports jpeg2000, orthonormal, none, pywt")
        self.refuse_forward("unknown layout 'malat'", '--layout', 'malat',
                            hint="did you mean 'mallat'?  --layout supports mallat, mixed")

    def test_command(self):
        self.refuse(USAGE, "unknown command 'forwad'", 'forwad', IMAGE,
                    hint="did you mean 'forward'?  'wavepass' lists all")
        self.refuse(USAGE, "unknown command 'xyzzy'", 'xyzzy', hint="'wavepass' lists all")
        self.refuse(USAGE, "unknown command 'forwad'", 'help', 'forwad',
                    hint="did you mean 'forward'?…")

    def test_option(self):
        self.refuse_forward("unknown option '--levles'", '--levles', '3',
                            hint="did you mean '--levels'?  --help lists all")
        self.refuse_forward("unknown option '--wavlet=haar'", '--wavlet=haar',
                            hint="did you mean '--wavelet'?  --help lists all")
        self.refuse_forward("unknown option '-z'", '-z', hint='--help lists all')
        self.refuse(USAGE, "unknown option '--jsn'", '--jsn', 'info',
                    hint="did you mean '--json'?…")

    def test_names_of_other_commands(self):
        self.refuse(USAGE, "unknown metric 'snr'", 'compare', 'a', 'b', '--metric', 'snr',
                    hint="did you mean 'psnr'?  --metric supports max, mae, mse, psnr, ssim")
        self.refuse(USAGE, "unknown topic 'opps'", 'explain', 'haar', '--show', 'opps',
                    hint="did you mean 'ops'?…")
        self.refuse(USAGE, "unknown format 'pdf'", 'explain', 'haar', '--format', 'pdf',
                    hint='…--format supports txt, csv, md, svg, tex, json, html')
        self.refuse(USAGE, "unknown depth '12'", 'inverse', 'c.npy', '-o', 'c.png', '--depth', '12',
                    hint='…--depth supports 8, 16')
        self.refuse(USAGE, "unknown color 'red'", 'info', '--color', 'red',
                    hint='…--color supports auto, always, never')


class Arguments(OptionTest):
    def test_value_missing(self):
        self.refuse(USAGE, "option '-o' needs a value", 'forward', IMAGE, '-o')
        self.refuse(USAGE, "option '--wavelet' needs a value", 'forward', IMAGE, '--wavelet')

    def test_value_too_much(self):
        self.refuse(USAGE, "option '--gray=3' has no value", 'forward', IMAGE, '--gray=3')

    def test_empty_values(self):
        for option in ('-w', '-s', '-b', '--border', '--norm', '--layout', '-d'):
            with self.subTest(option):
                result = self.run_program('forward', IMAGE, '-o', 'c.npy', option, '')
                self.assertEqual((result.code, self.files()), (USAGE, {}), result.err)

    def test_no_output(self):
        self.refuse(USAGE, 'no output', 'forward', IMAGE, hint='-o c.npy writes the coefficients, '
                    '--picture bands.png a preview image of them')
        self.refuse(USAGE, 'no output', 'inverse', 'c.npy', hint='-o image.png')

    def test_what_goes_ill_together(self):
        self.refuse(USAGE, '--no-labels needs --picture', 'forward', IMAGE, '-o', 'c.npy',
                    '--no-labels')
        self.refuse(USAGE, '--picture needs the name of a file, not -', 'forward', IMAGE,
                    '--picture', '-')
        self.refuse(USAGE, '-o and --picture name the same file', 'forward', IMAGE, '-o', 'c.npy',
                    '--picture', 'c.npy')
        self.refuse(USAGE, '--depth is for .png; i.npy is written in 32-bit float', 'inverse',
                    'c.npy', '-o', 'i.npy', '--depth', '16')
        self.refuse(USAGE, 'only one of the two can be read from stdin', 'compare', '-', '-')

    def test_devices(self):
        for text in ('-1', 'x', '1.5', '99999999999'):
            self.refuse_forward("--device: '%s' is not a device number" % text, '--device=' + text,
                                hint="'wavepass info' lists the devices")
        # Without -b, too: a device that was selected by number never falls back.
        for backend in ((), ('-b', 'fragment')):
            self.refuse_forward("backend 'fragment' is not available (there is no device 99, the last "
                                'one is …',
                                *backend, '-d', '99', code=UNAVAILABLE)
            for command in (('bench', '--size', '32', '--runs', '1'),
                            ('verify', 'pattern:text:32x32', '-w', 'haar')):
                self.refuse(UNAVAILABLE, "backend 'fragment' is not available (there is no device "
                            '99, the last one is …', *command, *backend, '-d', '99')
        self.refuse(USAGE, '-b all and a device number exclude each other (…', 'bench', '-b',
                    'all', '-d', '0')

    def test_options_behind_two_dashes_are_files(self):
        self.refuse(FILE, '--json: no such file', 'forward', '-o', 'c.npy', *REFERENCE, '--',
                    '--json')


class Dashes(OptionTest):
    """A file name that begins with a dash is parsed as options, and the hint shows the right form.
    """

    def test_hint(self):
        image = formats.png(8, 8, formats.noise(64, 255))
        for name in '-dash.png', '-x.png', '--dash.png', '-wave.png', '-late.png':
            self.write(name, image)
            with self.subTest(name):
                hint = '%s is a file, which was read as an option: write ./%s, or -- before it' % (
                    name, name)
                self.refuse(USAGE, '…', 'forward', name, '-o', 'c.npy', *REFERENCE, hint=hint)
                told = self.run_program('info', name, '--json')
                self.assertEqual((told.code, json.loads(told.out)['hint']), (USAGE, hint))
                for words in ('./' + name,), ('--', name):
                    self.succeed('forward', '-o', 'c.npy', '-f', *REFERENCE, *words)
                os.remove(self.path(name))
                os.remove(self.path('c.npy'))
                os.remove(self.path('c.npy.json'))

    def test_other_hints_stay(self):
        self.write('-dash.png', formats.png(8, 8, formats.noise(64, 255)))
        self.refuse_forward("unknown option '-no.png'", '-no.png', hint='--help lists all')
        self.refuse(USAGE, "unknown wavelet 'cdf79'", 'forward', '-w', 'cdf79', '-o', 'c.npy',
                    *REFERENCE, '--', '-dash.png', hint="did you mean 'cdf97'? …")


class WaveletFiles(OptionTest):
    GOOD = 'name mine\nsource here\npredict 0 -1\nupdate 0 1/2\nzeta 1\n'

    def test_good(self):
        self.write('mine.wavelet', self.GOOD)
        result = self.succeed('forward', IMAGE, '-o', 'c.npy', '-w', 'mine.wavelet', *REFERENCE)
        self.assertIn('mine/nonsep-polyconvolution', result.err)

    def test_nonsense_is_told_with_its_line(self):
        for text, message in (
                (self.GOOD + 'predikt 0 1\n',
                 "w.wavelet:6: unknown keyword 'predikt' (did you mean 'predict'?)"),
                (self.GOOD.replace('-1', 'one'), "w.wavelet:3: bad number 'one' (…"),
                (self.GOOD.replace('0 -1', '0'), 'w.wavelet:3: …'),
                (self.GOOD.replace('zeta 1', 'zeta 0'), "w.wavelet:5: zeta '0' is zero"),
                (self.GOOD.replace('zeta 1', 'zeta 1/0'), "w.wavelet:5: bad number '1/0' (…"),
                (self.GOOD.replace('1/2', 'sqrt(-1)'), "w.wavelet:4: bad number 'sqrt(-1)' (…"),
                (self.GOOD.replace('name mine', 'name cdf97'), "w.wavelet:1: name 'cdf97' is …"),
                (self.GOOD.replace('0 -1', '0 nan'), "w.wavelet:3: bad number 'nan' (…"),
                (self.GOOD.replace('0 -1', '99999 -1'), 'w.wavelet:3: …'),
                ('', 'w.wavelet: …'), ('\0\1\2', 'w.wavelet:…')):
            self.write('w.wavelet', text)
            self.refuse_forward(message, '-w', 'w.wavelet', *REFERENCE, code=FILE)

    def test_an_image_is_no_wavelet(self):
        self.write('w.png', formats.png(4, 4, [1] * 16))
        self.refuse_forward('w.png…', '-w', 'w.png', *REFERENCE, code=FILE)

    def test_missing(self):
        self.refuse_forward('no/such.wavelet: no such file', '-w', 'no/such.wavelet', code=FILE)
        self.refuse_forward('such.wavelet: no such file', '-w', 'such.wavelet', code=FILE)

    def test_not_symmetric(self):
        self.refuse_forward("wavelet 'db2' is not symmetric, so symmetric borders cannot be "
                            'inverted', '-w', 'db2', *REFERENCE,
                            hint="border 'periodic' works with every wavelet")
        self.succeed('forward', IMAGE, '-o', 'c.npy', '-w', 'db2', '--border', 'periodic',
                     *REFERENCE)

    def test_not_symmetric_and_odd(self):
        """The hints for a wavelet that is not symmetric and for odd sizes do not refer to each
        other."""
        odd = {'image': 'pattern:text:31x32', 'hint': '…crop the image, or use …symmetric wavelet …'}
        self.refuse_forward("wavelet 'sym4' is not symmetric, so symmetric borders cannot be "
                            'inverted', '-w', 'sym4', *REFERENCE, **odd)
        self.refuse_forward('31x32 has no levels with periodic borders (they need even sizes)',
                            '-w', 'sym4', '--border', 'periodic', *REFERENCE, **odd)

    def test_not_symmetric_and_few_levels(self):
        """The hint names the border and its number of levels, and a run with them succeeds."""
        for size, most, count in (('66x34', '', '1 level'), ('44x36', '5', '2 levels')):
            image, levels = 'pattern:text:' + size, (('-l', most) if most else ())
            self.refuse_forward("wavelet 'db4' is not symmetric, so symmetric borders cannot be "
                                'inverted', '-w', 'db4', *levels, *REFERENCE, image=image,
                                hint="border 'periodic' works with every wavelet, for at most %s "
                                     'of %s; a symmetric wavelet such as cdf97 has no limit'
                                     % (count, size))
            self.succeed('forward', image, '-w', 'db4', '--border', 'periodic', '-l', count[0],
                         '-o', 'd.npy', '-f', *REFERENCE)

    def test_taps(self):
        self.succeed('forward', IMAGE, '-o', 't.npy', '--taps', '1 1; -1 1', *REFERENCE)
        self.succeed('forward', IMAGE, '-o', 'h.npy', '-w', 'haar', *REFERENCE)
        with open(self.path('t.npy'), 'rb') as one, open(self.path('h.npy'), 'rb') as other:
            self.assertEqual(one.read(), other.read())
        # Without the taps: the metadata has the steps.
        self.succeed('inverse', 't.npy', '-o', 'back.npy', *REFERENCE)
        # Even lengths are half-sample symmetric, which the mirror about a sample does not continue.
        even = '1 3 3 1; -1 -3 3 1'
        self.refuse_forward("wavelet 'taps' is not symmetric, so symmetric borders cannot be "
                            'inverted', '--taps', even, *REFERENCE,
                            hint="border 'periodic' works with every wavelet")
        self.succeed('forward', IMAGE, '-o', 'e.npy', '--taps', even, '--border', 'periodic',
                     *REFERENCE)

    def test_taps_in_reverse_order(self):
        """PyWavelets' dec_lo of db4 is another wavelet here; a warning names the option for db4."""
        low = ('0.2303778133088965', '0.7148465705529157', '0.6308807679298589',
               '-0.027983769416859854', '-0.18703481171909309', '0.030841381835560764',
               '0.0328830116668852', '-0.010597401785069032')
        for name, size in (('a', '32x24'), ('b', '24x16')):
            self.succeed('forward', 'pattern:noise:' + size, '-o', name + '.npy', '-l', '1',
                         *REFERENCE)
        command = ('forward', 'a.npy', 'b.npy', '-o', './', '--suffix', '.c.npy', '-f',
                   '--border', 'periodic', '-l', '1', *REFERENCE)
        result = self.succeed(*command, '--taps', ' '.join(reversed(low)) + ';')
        self.assertEqual(result.err.count('warning: '), 1, result.err)
        self.assertIn('the taps are those of db4 in reverse order\n'
                      "hint: for db4 give PyWavelets' rec_lo, not dec_lo\n", result.err)
        # In the order of rec_lo they are db4; symmetric ones are equal in both orders.
        for taps in (' '.join(low) + ';', '1 1;'):
            self.assertNotIn('warning', self.succeed(*command, '--taps', taps).err)
        rec, db4 = (self.succeed('forward', 'a.npy', '-o', '-', '--border', 'periodic', '-l', '1',
                                 *way, *REFERENCE).out
                    for way in (('--taps', ' '.join(low) + ';'), ('-w', 'db4')))
        self.assert_near(formats.read_npy(rec)[1], formats.read_npy(db4)[1], 1e-6)

    def test_bad_taps(self):
        for taps, reason in (
                ('1 2 1; 1 -1', 'no perfect reconstruction: the determinant must be a single term, '
                                'and is -1.0 z - 3.0'),
                ('0 0; 0', 'all taps of the low-pass filter are zero'),
                ('1 one; 1', "bad number 'one' (…"),
                ('1 2 3;', 'an orthogonal low-pass has an even number of taps, and this one …'),
                ('1;1', 'the filters have one tap each and transform nothing'),
                ('1 -1;1 1', 'the gain of the low-pass filter at DC is 0 (are the filters '
                             'exchanged?)'),
                ('1 ' * 65 + ';', 'the low-pass filter has 65 taps (at most 64 are supported)')):
            self.refuse_forward('the taps are not a wavelet: ' + reason, '--taps', taps, *REFERENCE)

    def test_steps_to_a_file(self):
        self.succeed('explain', 'cdf97', '--show', 'steps', '-o', 'mine.wavelet')
        self.succeed('forward', IMAGE, '-o', 'a.npy', '-w', 'mine.wavelet', *REFERENCE)
        self.succeed('forward', IMAGE, '-o', 'b.npy', '-w', 'cdf97', *REFERENCE)
        with open(self.path('a.npy'), 'rb') as one, open(self.path('b.npy'), 'rb') as other:
            self.assertEqual(one.read(), other.read())

    def test_built_in_wherever_the_program_is(self):
        program = shutil.copy(harness.PROGRAM, self.path('wavepass'))
        self.succeed('forward', IMAGE, '-o', 'c.npy', '-w', 'cdf75', *REFERENCE, program=program)

    def test_file_of_the_user_wins(self):
        os.mkdir(self.path('own'))
        self.write('own/cdf75.wavelet', 'source here\npredict 0 -1\nupdate 0 1/2\n')
        own = {'WAVEPASS_WAVELETS': self.path('own')}
        for name, wavelet, env in ('own', 'cdf75', own), ('haar', 'haar', own), (
                'cdf75', 'cdf75', {}):
            self.succeed('forward', IMAGE, '-o', name + '.npy', '-w', wavelet, *REFERENCE, env=env)
        self.assertEqual(self.read('own.npy'), self.read('haar.npy'))
        self.assertNotEqual(self.read('own.npy'), self.read('cdf75.npy'))

        wavelets = json.loads(self.succeed('info', '--json', env=own).out)['wavelets']
        files = {wavelet['name']: wavelet['file'] for wavelet in wavelets}
        self.assertEqual(files.pop('cdf75'), self.path('own/cdf75.wavelet'))
        self.assertEqual(set(files.values()), {None})
        self.assertIn('d4', files)
        self.assertEqual(self.succeed('info', env=own).text().count('file: %s\n' % self.path(
            'own/cdf75.wavelet')), 1)

    def test_bad_file_of_the_user(self):
        self.write('bad.wavelet', 'nonsense\n')
        here = {'WAVEPASS_WAVELETS': self.directory}
        self.assertIn('cannot be read', self.succeed('info', env=here).text())
        self.refuse(FILE, '…bad.wavelet:1: …', 'forward', IMAGE, '-o', 'c.npy', '-w', 'bad',
                    env=here)
