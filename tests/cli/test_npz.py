"""Subbands in NPZ archives: contents, reading, and errors."""
import io
import json
import os
import resource
import zipfile

import formats
from harness import FILE, REFERENCE, USAGE, CliTest

WIDTH, HEIGHT, LEVELS = 24, 16, 2
PYWT = ('--subbands', 'pywt')
PYWT_NAMES = ['cA2', 'cH2', 'cV2', 'cD2', 'cH1', 'cV1', 'cD1']
OWN_NAMES = ['LL2', 'HL2', 'LH2', 'HH2', 'HL1', 'LH1', 'HH1']
DESCRIPTION = 'wavepass'


def arrays(data):
    """The bytes of each .npy by name, in their order."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name[:-len('.npy')]: archive.read(name) for name in archive.namelist()}


def archive(members, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, 'w', method) as to:
        for name, data in members.items():
            to.writestr(name + '.npy', data)
    return stream.getvalue()


class NpzTest(CliTest):
    def refuse(self, code, message, *arguments, **how):
        return super().refuse(code, '…%s…' % message, *arguments, **how)

    def setUp(self):
        super().setUp()
        self.write('a.png', formats.png(WIDTH, HEIGHT, formats.noise(WIDTH * HEIGHT, 255)))

    def forward(self, *options, image='a.png', name='c.npz', levels=LEVELS):
        self.succeed('forward', image, '-o', name, '-l', str(levels), '-f', *REFERENCE, *options)
        return arrays(self.read(name)) if name.endswith('.npz') else self.values(name)

    def values(self, name):
        return formats.read_npy(self.read(name))[1]

    def band(self, mallat, name, width=WIDTH):
        level, letters = int(name[-1]), name[:2]
        w, h = WIDTH >> level, HEIGHT >> level
        x, y = (w if letters[0] == 'H' else 0), (h if letters[1] == 'H' else 0)
        return [mallat[(y + j) * width + x + i] for j in range(h) for i in range(w)]


class Contents(NpzTest):
    def test_own_names(self):
        members = self.forward()
        self.assertEqual(list(members), OWN_NAMES + [DESCRIPTION])
        mallat = self.forward(name='c.npy')
        for name in OWN_NAMES:
            shape, values = formats.read_npy(members[name])
            self.assertEqual(shape, (HEIGHT >> int(name[-1]), WIDTH >> int(name[-1])))
            self.assertEqual(values, self.band(mallat, name))
        self.assertEqual(self.forward('--layout', 'mixed')['HL1'], members['HL1'])
        self.assertFalse(os.path.exists(self.path('c.npz.json')))

    def test_names_of_pywavelets(self):
        """The borders, the norm and the signs of PyWavelets are used without a message."""
        for wavelet, sign in (('cdf97', -1), ('db4', 1), ('haar', -1), ('coif1', -1)):
            with self.subTest(wavelet):
                members = self.forward(*PYWT, '-w', wavelet)
                self.assertEqual(list(members), PYWT_NAMES + [DESCRIPTION])
                mallat = self.forward('-w', wavelet, '--border', 'periodic', '--norm',
                                      'orthonormal', name='c.npy')
                for theirs, ours in zip('AHVD', ('LL', 'LH', 'HL', 'HH')):
                    factor = sign if theirs in 'HV' else 1
                    self.assertEqual(formats.read_npy(members['c%s2' % theirs])[1],
                                     [factor * v for v in self.band(mallat, ours + '2')])

    def test_says_how_they_are_taken(self):
        told = self.succeed('forward', 'a.png', '-o', 'c.npz', *PYWT, *REFERENCE).err
        self.assertIn("pywt.waverec2() reads c.npz with wavelet 'bior4.4', mode 'periodization'",
                      told)

    def test_description_is_text(self):
        array = self.forward()[DESCRIPTION]
        self.assertIn(b"'|u1'", array)
        described = json.loads(array[array.index(b'\n') + 1:])
        self.forward(name='c.npy')
        beside = json.loads(self.read('c.npy.json'))
        self.assertEqual(described, beside)

    def test_same_bytes_twice(self):
        self.forward()
        first = self.read('c.npz')
        self.forward()
        self.assertEqual(self.read('c.npz'), first)

    def test_full_disk(self):
        """The disk is full in the middle of an array, and at the end of the file."""
        for room in 100 << 10, 256 << 10:
            self.refuse(FILE, '…c.npz…', 'forward', 'pattern:noise:256x256', '-o', 'c.npz',
                        *REFERENCE, limits=((resource.RLIMIT_FSIZE, room),))

    def test_into_a_pipe(self):
        """The directory of an archive is at its end and refers to earlier offsets."""
        os.mkfifo(self.path('c.npz'))
        reader = os.open(self.path('c.npz'), os.O_RDONLY | os.O_NONBLOCK)
        self.refuse(FILE, 'cannot write c.npz (Illegal seek)', 'forward', 'a.png', '-o', 'c.npz', '-f',
                    *REFERENCE)
        os.close(reader)

    def test_no_folder(self):
        self.refuse(FILE, '…nowhere/c.npz…', 'forward', 'a.png', '-o', 'nowhere/c.npz', *REFERENCE)


class ThereAndBack(NpzTest):
    def test_planes_alpha_sizes_and_kinds(self):
        for shape, options in (
                ((13, 17), ()), ((13, 17, 3), ()), ((13, 17, 4), ('--layout', 'mixed')),
                ((16, 12, 3), PYWT), ((1, 9), ()), ((5, 6, 7), ('--volume', '--levels-z', '1')),
                ((6, 6, 8), ('--volume', '--decomposition', 'spatial-temporal')),
                ((12, 12), ('--reversible', '-w', 'cdf53'))):
            count = 1
            for side in shape:
                count *= side
            with self.subTest(shape=shape, options=options):
                whole = '--reversible' in options
                self.write('i.npy', formats.npy(shape, formats.noise(count, 255),
                                                kind='|u1' if whole else '<f4'))
                same = options
                if options == PYWT:
                    same = ('--border', 'periodic', '--norm', 'orthonormal')
                images = []
                for name, words in (('c.npy', same), ('c.npz', options)):
                    self.succeed('forward', 'i.npy', '-o', name, '-f', '-l', '1', *words,
                                 *REFERENCE)
                    self.succeed('inverse', name, '-o', 'back.npy', '-f', *REFERENCE)
                    images.append(self.read('back.npy'))
                self.assertEqual(images[0], images[1])

    def test_alpha(self):
        self.write('rgba.png', formats.png(8, 6, formats.noise(8 * 6 * 4, 255), planes=4))
        members = self.forward(image='rgba.png', levels=1)
        self.assertEqual(formats.read_npy(members['alpha'])[0], (6, 8))
        self.assertEqual(formats.read_npy(members['HL1'])[0], (3, 3, 4))
        self.succeed('inverse', 'c.npz', '-o', 'back.png', *REFERENCE)
        self.assertEqual(formats.read_png(self.read('back.png'))[4],
                         formats.read_png(self.read('rgba.png'))[4])

    def test_of_others(self):
        """Archives of other programs: without metadata, compressed, in double precision, in any
        order."""
        members = self.forward(*PYWT, '-w', 'db2')
        self.succeed('inverse', 'c.npz', '-o', 'back.npy', *REFERENCE)
        double = {}
        for name in reversed(PYWT_NAMES):
            shape, values = formats.read_npy(members[name])
            double[name] = formats.npy(shape, values, kind='<f8')
        self.write('d.npz', archive(double, zipfile.ZIP_DEFLATED))
        self.succeed('inverse', 'd.npz', '-w', 'db2', '-o', 'other.npy', *REFERENCE)
        self.assertEqual(self.read('other.npy'), self.read('back.npy'))
        own = self.forward('--norm', 'none')
        del own[DESCRIPTION]
        self.succeed('inverse', 'c.npz', '-o', 'back.npy', '-f', *REFERENCE)
        self.write('d.npz', archive(own))
        self.succeed('inverse', 'd.npz', '--norm', 'none', '-o', 'other.npy', '-f', *REFERENCE)
        self.assertEqual(self.read('other.npy'), self.read('back.npy'))

    def test_edit_keeps_the_words(self):
        before = self.forward(*PYWT)
        self.succeed('edit', 'c.npz', '-o', 'd.npz', '--zero', 'HL1', *REFERENCE)
        after = arrays(self.read('d.npz'))
        self.assertEqual(list(after), list(before))
        for name in PYWT_NAMES:
            wanted = formats.read_npy(before[name])[1]
            self.assertEqual(formats.read_npy(after[name])[1],
                             [0] * len(wanted) if name == 'cV1' else wanted)
        self.succeed('edit', 'c.npz', '-o', 'e.npy', '--zero', 'HL1', *REFERENCE)
        self.succeed('inverse', 'd.npz', '-o', 'd.npy', *REFERENCE)
        self.succeed('inverse', 'e.npy', '-o', 'f.npy', *REFERENCE)
        self.assertEqual(self.read('d.npy'), self.read('f.npy'))

    def test_info_and_compare(self):
        self.forward()
        told = json.loads(self.succeed('info', 'c.npz', '--json').out)
        self.assertEqual((told['format'], told['width'], told['height']), ('NPZ', WIDTH, HEIGHT))
        self.assertEqual(told['coefficients']['levels'], LEVELS)
        self.forward(name='c.npy')
        told = json.loads(self.succeed('compare', 'c.npz', 'c.npy', '--json').out)
        self.assertEqual(told['max'], 0)

    def test_json_of_forward(self):
        result = self.succeed('forward', 'a.png', '-o', 'c.npz', '--json', *REFERENCE)
        self.assertEqual(json.loads(result.out)['files'],
                         {'coefficients': 'c.npz', 'sidecar': None, 'picture': None})

    def test_old_description_goes(self):
        self.forward()
        self.forward(name='x.npy')
        os.rename(self.path('x.npy.json'), self.path('c.npz.json'))
        self.forward()
        self.assertFalse(os.path.exists(self.path('c.npz.json')))


class Refused(NpzTest):
    def refuse_forward(self, message, *options, image='a.png'):
        self.refuse(USAGE, message, 'forward', image, '-o', 'c.npz', *REFERENCE, *options)
        self.assertNotIn('c.npz', self.files())

    def test_what_pywavelets_has_no_words_for(self):
        for message, options, image in (
                ("PyWavelets has no wavelet 'dd137'", ('-w', 'dd137'), 'a.png'),
                ('except \'periodization\'', ('--border', 'symmetric'), 'a.png'),
                ('are orthonormal', ('--norm', 'none'), 'a.png'),
                ('no integer transforms', ('--reversible', '-w', 'cdf53', '--norm', 'jpeg2000'), 'a.png'),
                ('only for images', (), 'pattern:ball:8x8x4'),
                ('has no levels with periodic', (), 'pattern:text:9x8')):
            with self.subTest(options):
                self.refuse_forward(message, *PYWT, *options, image=image)

    def test_options(self):
        self.refuse(USAGE, '--subbands is for a .npz', 'forward', 'a.png', '-o', 'c.npy', *PYWT)
        self.refuse(USAGE, "unknown subbands 'matlab'", 'forward', 'a.png', '-o', 'c.npz',
                    '--subbands', 'matlab')
        self.refuse_forward('groups of 2 of 8 slices', '--gop', '2', image='pattern:ball:8x8x8')

    def refuse_inverse(self, message, members, *options, code=FILE):
        data = members if isinstance(members, bytes) else archive(members)
        with self.subTest(message):
            self.write('d.npz', data)
            self.refuse(code, message, 'inverse', 'd.npz', '-o', 'b.npy', *REFERENCE, *options)
            self.assertNotIn('b.npy', self.files())

    def test_arrays_that_lie(self):
        good = self.forward(*PYWT)
        bare = {name: data for name, data in good.items() if name != DESCRIPTION}
        short = formats.npy((3, 6), [0] * 18)
        own = ('-w', 'cdf97')
        self.refuse_inverse('does not name its wavelet', bare, code=USAGE)
        self.refuse_inverse("no array 'cD1'", {k: v for k, v in good.items() if k != 'cD1'})
        self.refuse_inverse('cH2 does not have the shape', {**good, 'cH2': short})
        self.refuse_inverse('with periodic borders has', {**bare, 'cH2': short}, *own)
        self.refuse_inverse("the array 'cX' is not a subband of 2 levels", {**good, 'cX': short})
        # This is reported before wrong shapes.
        self.refuse_inverse("the array 'note' is not a subband of 2 levels",
                            {**good, 'note': short, 'cH2': short})
        self.refuse_inverse('no subbands', {'picture': short, 'other': short})
        most = {'a%d' % i: short for i in range(512)}
        self.refuse_inverse('no subbands', most)
        self.refuse_inverse('more than 512 arrays', {**most, 'more': short})
        self.refuse_inverse('is complex', {**good, 'cD2': formats.npy((4, 6), [0] * 48,
                                                                      kind='<c8')})
        self.refuse_inverse('is not a text', {**good, DESCRIPTION: short})
        self.refuse_inverse('no valid JSON', {**good, DESCRIPTION: formats.npy((2,), [65, 66],
                                                                               kind='|u1')})
        self.refuse_inverse('the metadata in d.npz describes other coefficients of the same size',
                            {**good, 'cD2': formats.npy((4, 6), [1] * 24)})
        self.refuse_inverse('contradicts', archive(good), '-l', '1', code=USAGE)
        self.refuse_inverse('contradicts', archive(bare), *own, '--border', 'symmetric',
                            code=USAGE)
        self.refuse_inverse('contradicts', archive(bare), *own, '-l', '1', code=USAGE)

    def test_archives_that_lie(self):
        good = self.forward()
        data = self.read('c.npz')
        self.refuse_inverse('not an NPZ archive', b'')
        self.refuse_inverse('not an NPZ archive', b'PK\3\4' + bytes(60))
        for cut in (len(data) - 10, len(data) // 2):
            self.refuse_inverse('not an NPZ archive', data[:cut])
        at = data.index(b'HH1.npy') + 200
        self.refuse_inverse('damaged', data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
        self.refuse_inverse('not an NPY', {**good, 'HL1': b'no array at all'})
        self.refuse_inverse('but the header requires', {**good, 'HL1': good['HL1'] + b'x'})
        self.refuse_inverse('but the header requires', {**good, 'HL1': good['HL1'][:-1]})
        many = {'a%d' % i: formats.npy((1,), [0]) for i in range(513)}
        self.refuse_inverse('more than 512', many)
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, 'w') as to:
            to.writestr('readme.txt', b'hello')
        self.refuse_inverse('its name must end in .npy', stream.getvalue())
        with self.subTest('a bomb'):
            huge = formats.npy((1 << 17, 1 << 14), ())
            self.refuse_inverse('but the header requires', {'LL1': huge})
        self.refuse_inverse('compression method', archive(good, zipfile.ZIP_BZIP2))

    def test_not_an_image(self):
        self.forward()
        self.refuse(FILE, 'an archive of 8 arrays (LL2, HL2, LH2, HH2, HL1, LH1, HH1, wavepass)…',
                    'forward', 'c.npz', '-o', 'd.npy', *REFERENCE, hint='…')

    def test_nothing_is_written_over(self):
        self.forward()
        before = self.read('c.npz')
        self.refuse(FILE, 'c.npz exists', 'forward', 'pattern:text:8x8', '-o', 'c.npz', *REFERENCE)
        self.assertEqual(self.read('c.npz'), before)
