"""Bad volumes: message and exit code of every command that reads one, and no remaining file."""
import gzip
import os
import resource
import struct

from formats import nifti, noise, npy, tiff_pages, y4m
from harness import FILE, REFERENCE, TOO_LARGE, USAGE, CliTest, memory_limit, not_sanitized

CPU = ('-b', 'cpu')
SIDES = (6, 5, 4)
SAMPLES = noise(120, 1000)
GOOD = nifti(SIDES, SAMPLES, 'i2')
NAN, INFINITY = float('nan'), float('inf')

# Other commands that read a volume, and write nothing.
READERS = (('info',), ('compare',), ('verify', '-w', 'haar', *REFERENCE))


class BadVolume(CliTest):
    def refuse_everywhere(self, name, message, code=FILE, hint=None):
        """Every command rejects the file with the same message, before it allocates the size that
        the header states."""
        how = {'limits': memory_limit(), 'timeout': 20, 'hint': hint}
        told = '%s: %s' % (name, message)
        self.refuse(code, told, 'forward', name, '-o', 'x.npy', *CPU, **how)
        for command, *options in READERS:
            files = (name, name) if command == 'compare' else (name,)
            self.refuse(code, told, command, *files, *options, **how)

    def refuse_data(self, name, data, message, **how):
        with self.subTest(message):
            self.write(name, data)
            self.refuse_everywhere(name, message, **how)


class Nifti(BadVolume):
    def test_truncated(self):
        for size, message in ((200, 'truncated (needs 348 bytes, has 200)'),
                              (348, 'truncated (needs 592 bytes, has 348)'),
                              (591, 'truncated (needs 592 bytes, has 591)')):
            self.refuse_data('a.nii', GOOD[:size], message)

    def test_gzip_that_was_cut_off(self):
        zipped = gzip.compress(GOOD)
        for left in (8, 9, len(zipped) // 2, len(zipped) - 20):
            with self.subTest(left):
                self.write('a.nii.gz', zipped[:-left])
                self.refuse_everywhere('a.nii.gz', 'truncated (…')

    def test_gzip_that_is_damaged(self):
        zipped = bytearray(gzip.compress(GOOD))
        zipped[-8] ^= 1
        self.refuse_data('a.nii.gz', bytes(zipped), 'damaged gzip (incorrect data check)')
        self.refuse_data('a.nii.gz', gzip.compress(b'x' * 400),
                         'the gzip file does not contain NIfTI', hint='decompress it first')

    def test_too_long(self):
        self.refuse_data('a.nii', GOOD + b'\0',
                         'too long (the header requires 592 bytes, the file has 593)')

    def test_lies(self):
        cube = [32767] * 3
        for message, members in (
                ('truncated (needs 70362301923678 bytes, has 592)', {'dim': [3, *cube]}),
                ('damaged NIfTI (-5 samples along axis 2)', {'dim': [3, 6, -5, 4]}),
                ('empty volume (0x5x4)', {'dim': [3, 0, 5, 4]}),
                ('damaged NIfTI (8 axes)', {'dim': [8, 6, 5, 4]}),
                ('damaged NIfTI (-1 axes)', {'dim': [-1, 6, 5, 4]}),
                ('not supported (NIfTI with RGB samples)', {'type': 128}),
                ('damaged NIfTI (samples of unknown type -2)', {'type': -2}),
                ('damaged NIfTI (slope 2, intercept nan)', {'scale': (2, NAN)}),
                ('damaged NIfTI (samples begin at byte 100)', {'start': 100}),
                ('damaged NIfTI (samples begin at byte nan)', {'start': NAN}),
                ("damaged NIfTI, or Analyze 7.5 (its magic is not 'n+1')", {'magic': b'nix\0'}),
                ('the header of a NIfTI pair; the names of the two files must end in .hdr and .img',
                 {'magic': b'ni1\0'}),
                ('a series of 2 volumes of 6x5x2…', {'dim': [4, 6, 5, 2, 2]})):
            self.refuse_data('a.nii', nifti(SIDES, SAMPLES, 'i2', **members), message)

    def test_lies_in_a_gzip(self):
        data = nifti(SIDES, SAMPLES, 'i2', dim=[3, 32767, 32767, 32767])
        self.refuse_data('a.nii.gz', gzip.compress(data), 'truncated (…')


class Tiff(BadVolume):
    def test_pages_of_unlike_size(self):
        pages = [(4, 3, [0.5] * 12), (4, 3, [0.25] * 12), (3, 4, [1.0] * 12)]
        self.refuse_data('a.tiff', tiff_pages(pages), 'page 3 has another format than page 1 (3x4, '
                         '1 planes of 32 bits; not 4x3, 1 of 32)')

    def test_pages_of_unlike_type(self):
        pages = [(4, 3, [0.5] * 12), (4, 3, [7] * 12, 16)]
        self.refuse_data('a.tiff', tiff_pages(pages), 'page 2 has another format than page 1 (4x3, '
                         '1 planes of 16 bits; not 4x3, 1 of 32)')

    def test_a_page_that_is_cut_off(self):
        data = tiff_pages([(4, 3, [0.5] * 12)] * 3)
        self.succeed('info', self.write('good.tiff', data))
        with self.subTest('in the last page'):
            self.write('a.tiff', data[:-5])
            self.refuse_everywhere('a.tiff', '…')


class Y4m(BadVolume):
    def test_ends_within_a_frame(self):
        for frames, message in (([bytes(8), bytes(7)], 'frame 2 is truncated'),
                                ([bytes(8)] * 4 + [b''], 'frame 5 is truncated')):
            self.refuse_data('a.y4m', y4m(4, 2, frames), message)

    def test_ends_within_a_line(self):
        data = y4m(4, 2, [bytes(8)] * 2)
        self.refuse_data('a.y4m', data + b'FRA', 'missing FRAME header')
        self.refuse_data('a.y4m', data[:20], '…')

    def test_no_frames(self):
        self.refuse_data('a.y4m', y4m(4, 2, []), 'empty volume (4x2x0)')

    def test_lies(self):
        for width, height in ((0, 2), (-4, 2), (2 ** 31, 2), (131073, 1)):
            with self.subTest(width):
                self.write('a.y4m', y4m(width, height, [bytes(8)]))
                self.refuse_everywhere('a.y4m', '…')


class Raw(BadVolume):
    def refuse_raw(self, raw, message, code=FILE):
        with self.subTest(raw):
            for command in (('forward', 'a.raw', '-o', 'x.npy'), ('info', 'a.raw'),
                            ('verify', 'a.raw')):
                self.refuse(code, message, *command, '--raw', raw, limits=memory_limit())

    def test_sizes_that_do_not_fit(self):
        self.write('a.raw', struct.pack('<120h', *SAMPLES))
        self.succeed('info', 'a.raw', '--raw', '6x5x4:i16le')
        for raw, takes in (('6x5x5:i16le', 300), ('6x5x3:i16le', 180), ('6x5x4:f32le', 480),
                           ('6x5x4:i16le:1', 241), ('131072x131072x131072:f64be', 2 ** 54)):
            self.refuse_raw(raw, "a.raw: has 240 bytes, but raw '%s' requires %d" % (raw, takes))

    def test_what_makes_no_sense(self):
        self.write('a.raw', bytes(240))
        for raw, message in (('6x5x0:u8', "raw '6x5x0:u8': bad size…"),
                             ('6:u8', "raw '6:u8': bad size…"),
                             ('131073x1x1:u8', "raw '131073x1x1:u8': bad size…"),
                             ('6x5x4x2:u8', "raw '6x5x4x2:u8': bad size…"),
                             ('6x5x4', "raw '6x5x4': bad size…"),
                             ('6x5x4:u7', "…'u7'…"),
                             ('6x5x4:u8:', "raw '6x5x4:u8:': bad offset (a number of bytes)"),
                             ('6x5x4:u8:-1', "raw '6x5x4:u8:-1': bad offset (a number of bytes)")):
            self.refuse_raw(raw, message, USAGE)

    def test_a_pipe_that_is_longer_or_shorter(self):
        for size, message in ((119, "has 119 bytes, but raw '6x5x4:u8' requires 120"),
                              (121, "has more than the 120 bytes that raw '6x5x4:u8' requires")):
            with self.subTest(size):
                self.refuse(FILE, 'standard input: ' + message, 'forward', '-', '--raw', '6x5x4:u8',
                            '-o', 'x.npy', stdin=bytes(size))


class Npy(BadVolume):
    def test_axes_and_sizes(self):
        for shape in ((4, 5, 6, 7), (4, 5, 6, 1, 1)):
            self.write('array.npy', npy(shape, [0.5] * 840))
            self.refuse(FILE, 'array.npy: not an image or volume (an NPY of %d axes…' % len(shape),
                        'forward', 'array.npy', '-o', 'x.npy', *CPU)
        for shape, message in (((0, 5, 6), 'empty volume (6x5x0)'),
                               ((4, 5, 0), 'empty volume (0x5x4)'),
                               ((131073, 1, 9), 'volume too large (9x1x131073; the limit is '
                                                '131072 per side)'),
                               ((131072, 131072, 131072), 'truncated (…')):
            self.refuse_data('a.npy', npy(shape, [0.5] * 120), message)

    def test_truncated(self):
        self.refuse_data('a.npy', npy((4, 5, 6), [0.5] * 119), 'truncated (…')

    def test_complex(self):
        self.refuse_data('a.npy', npy((4, 5, 6), [0.5] * 240, kind='<c8'), '…c8…')


class Levels(BadVolume):
    def setUp(self):
        super().setUp()
        self.write('v.nii', GOOD)

    def refuse_options(self, message, *options, hint=None):
        with self.subTest(message):
            self.refuse(USAGE, message, 'forward', 'v.nii', '-o', 'x.npy', *CPU, *options,
                        hint=hint)

    def test_beyond_an_axis(self):
        self.refuse_options('4 levels are more than a 6x5x4 volume has', '-l', '4',
                            hint='at most 3 here')
        self.refuse_options('3 levels are more along z than 4 slices have', '-l', '1', '--levels-z',
                            '3', hint='at most 2 here')
        self.refuse_options('2 levels are more along z than 2 slices have', '-l', '1', '--levels-z',
                            '2', '--gop', '2')

    def test_periodic_borders_and_odd_sizes(self):
        self.write('odd.npy', npy((5, 4, 8), [0.5] * 160))
        self.refuse(USAGE, 'periodic borders need even sizes, and level 1 would split 8x4x5',
                    'forward', 'odd.npy', '-o', 'x.npy', *CPU, '--border', 'periodic', '-l', '2',
                    '--levels-z', '1', hint='at most 0 levels here; …')
        self.succeed('forward', 'odd.npy', '-o', 'x.npy', *CPU, '--border', 'periodic', '-l', '2',
                     '--levels-z', '0')
        # Each group, including the last one, is a separate volume.
        self.write('seven.npy', npy((7, 4, 8), [0.5] * 224))
        self.refuse(USAGE, 'periodic borders need even sizes, and level 1 would split 8x4x3',
                    'forward', 'seven.npy', '-o', 'y.npy', *CPU, '--border', 'periodic', '-l', '1',
                    '--levels-z', '1', '--gop', '4')

    def test_groups(self):
        for gop in ('0', '-1', 'x'):
            self.refuse_options("…'%s' is not an integer…" % gop, '--gop', gop)

    def test_images(self):
        self.write('flat.npy', npy((5, 6), [0.5] * 30))
        self.refuse(USAGE, 'an image has no levels along z (1 requested)', 'forward', 'flat.npy', '-o',
                    'x.npy', '--levels-z', '1', *CPU)
        self.refuse(USAGE, 'flat.npy: an image has no levels along z', 'verify', 'flat.npy',
                    '--levels-z', '1')


class NothingHalfWritten(BadVolume):
    """A write that fails leaves no file, however much was written before."""

    def setUp(self):
        super().setUp()
        self.write('v.npy', npy((20, 30, 40), [s / 1000 for s in noise(24000, 1000)]))
        self.succeed('forward', 'v.npy', '-o', 'good.npy', *CPU)

    def test_forward(self):
        for name in ('c.npy', 'c.nii', 'c.nii.gz', 'c.tiff'):
            with self.subTest(name):
                self.refuse(FILE, '…%s…' % name, 'forward', 'v.npy', '-o', name, *CPU,
                            limits=((resource.RLIMIT_FSIZE, 20000),))

    def test_inverse(self):
        for name in ('b.npy', 'b.nii', 'b.nii.gz', 'b.tiff', 'b.y4m'):
            with self.subTest(name):
                self.refuse(FILE, '…%s…' % name, 'inverse', 'good.npy', '-o', name, *CPU,
                            limits=((resource.RLIMIT_FSIZE, 5000),))

    def test_coefficients_that_are_cut_off(self):
        self.write('good.npy', self.read('good.npy')[:-4])
        self.refuse(FILE, 'good.npy: truncated (…', 'inverse', 'good.npy', '-o', 'b.nii', *CPU)

    def test_what_is_there_stays(self):
        self.write('b.nii', 'mine')
        self.refuse(FILE, '…b.nii…', 'inverse', 'good.npy', '-o', 'b.nii', *CPU)
        self.refuse(FILE, '…b.nii…', 'inverse', 'good.npy', '-o', 'b.nii', '-f', *CPU,
                    limits=((resource.RLIMIT_FSIZE, 5000),))

    @not_sanitized('the sanitizers reserve more address space than any limit')
    def test_memory_that_runs_out(self):
        with open(self.path('large.raw'), 'wb') as file:
            os.truncate(file.fileno(), 1 << 29)
        files = sorted(os.listdir(self.directory))
        result = self.run_program('forward', 'large.raw', '--raw', '1024x1024x512:u8', '-o',
                                  'x.npy', *CPU, limits=((resource.RLIMIT_AS, 1 << 30),))
        self.assertEqual(result.code, TOO_LARGE, result.err)
        self.assertEqual(sorted(os.listdir(self.directory)), files)
