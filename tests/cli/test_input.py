"""Bad input: message, exit code, and no remaining file."""
import math
import os
import re
import resource

import formats
from harness import FILE, MISMATCH, REFERENCE, TOO_LARGE, USAGE, CliTest, memory_limit, not_sanitized

WIDTH, HEIGHT = 13, 9
SAMPLES = formats.noise(WIDTH * HEIGHT * 3, 255)
REALS = [-7.25, 1000.0] + [s / 255 for s in SAMPLES[2:]]

# A valid file of each kind, and the size of its header.
GOOD = {
    'a.png': formats.png(WIDTH, HEIGHT, SAMPLES, planes=3),
    'a.jpg': formats.jpeg(40, 24),
    'a.ppm': formats.pnm(WIDTH, HEIGHT, SAMPLES, planes=3),
    'a.npy': formats.npy((HEIGHT, WIDTH, 3), REALS),
    'a.pfm': formats.pfm(WIDTH, HEIGHT, REALS, planes=3),
    'a.tiff': formats.tiff(WIDTH, HEIGHT, REALS, planes=3),
}

# Invalid widths and heights: 0, and absurdly large ones.
EMPTY = [(0, 5), (5, 0), (0, 0)]
ABSURD = [(131073, 1), (1, 131073), (100000, 100000), (2147483647, 2147483647),
          (2147483648, 1), (4294967295, 4294967295), (65536, 65536), (131072, 131072)]


class InputTest(CliTest):
    def refuse_file(self, name, message, hint=None, **how):
        """Every command that reads an image rejects the file with the same message."""
        how.setdefault('limits', memory_limit())
        how.setdefault('timeout', 20)
        self.refuse(FILE, message, 'forward', name, '-o', 'c.npy', *REFERENCE, hint=hint, **how)

    def refuse_data(self, name, data, message, hint=None):
        self.write(name, data)
        self.refuse_file(name, message, hint)


class Waiting(InputTest):
    def test_pipe_among_the_wavelets(self):
        os.mkdir(self.path('wavelets'))
        os.mkfifo(self.path('wavelets/mine.wavelet'))
        self.write('wavelets/yours.wavelet', 'name yours\nsource here\npredict 0 -1\nupdate 0 1/2\n')
        where = {'WAVEPASS_WAVELETS': self.path('wavelets')}
        self.assertIn('yours', self.succeed('info', env=where, timeout=30).text())
        self.succeed('forward', 'pattern:noise:8x8', '-w', 'yours', '-o', 'c.npy', *REFERENCE,
                     env=where, timeout=30)


    def write_wide(self, pairs):
        """Writes wide data: passes read 16 distant positions each, in boxes of some 10^6 samples.
        """
        text, chance = 'name wide\nsource here\n', formats.noise(pairs * 2 * 16, 98)
        for step in range(2 * pairs):
            places = [-64 + 8 * i + (step * i) % 5 for i in range(16)]
            taps = [1 + tap for tap in chance[16 * step:16 * step + 16]]
            if step % 2 == 0:  # the high-pass band of a constant is zero
                taps[-1] += (-10000 if step == 0 else 0) - sum(taps)
            text += ('predict' if step % 2 == 0 else 'update') + ''.join(
                ' %d %.4f' % (k, tap / 10000) for k, tap in zip(places, taps)) + '\n'
        self.write('wide.wavelet', text)

    @not_sanitized('the sanitizers take longer than any limit')
    def test_wavelet_of_wide_taps(self):
        self.write_wide(4)
        self.succeed('forward', 'pattern:noise:64x64', '-w', 'wide.wavelet', '--border', 'periodic',
                     '-o', 'c.npy', '-l', '1', '-b', 'cpu', limits=((resource.RLIMIT_CPU, 3),))

    @not_sanitized('the sanitizers take longer than any limit')
    def test_what_explain_takes_of_wide_taps(self):
        self.write_wide(8)
        limits = (resource.RLIMIT_CPU, 5), (resource.RLIMIT_AS, 1 << 30)
        for what in (), ('--show', 'ops'), ('--show', 'filters'), ('--show', 'glsl'):
            text = self.succeed('explain', './wide.wavelet', *what, limits=limits).text()
            if what in ((), ('--show', 'ops')):
                self.assertIn('Omitted: nonsep-convolution has 51151104 terms in a '
                              'pass (4194304 at most).', text)
        for what, kind, terms, most in (('ops', 'nonsep-convolution', 51151104, 4194304),
                                        ('diagram', 'nonsep-polyconvolution', 28561, 24576),
                                        ('footprint', 'nonsep-polyconvolution', 28561, 24576)):
            self.refuse(TOO_LARGE, 'wide/%s has %d terms in a pass (%d at most for --show %s)' % (
                kind, terms, most, what), 'explain', './wide.wavelet/' + kind, '--show', what,
                limits=limits, hint='lifting schemes have fewer')
        self.refuse(TOO_LARGE, "scheme 'nonsep-convolution' of wavelet 'wide' has 51151104 terms in "
                    'a pass (at most 4194304)', 'forward', 'pattern:noise:64x64', '-w',
                    'wide.wavelet', '--border', 'periodic', '-o', 'c.npy', '-l', '1', '-b',
                    'reference', '-s', 'nonsep-convolution', hint='lifting schemes have fewer',
                    limits=limits)


class NoImage(InputTest):
    def test_missing(self):
        self.refuse_file('nothing.png', 'nothing.png: no such file')

    def test_missing_directory(self):
        self.refuse_file('no/where.png', 'no/where.png: no such file')

    def test_missing_for_every_command(self):
        for arguments in (['inverse', 'n.npy', '-o', 'x.npy'], ['compare', 'n.npy', 'b'],
                          ['verify', 'n.npy']):
            with self.subTest(arguments[0]):
                self.refuse(FILE, 'n.npy: no such file', *arguments)

    def test_directory(self):
        self.refuse_file('.', '.: is a directory')

    def test_control_characters_in_a_name(self):
        self.refuse_file('a\033[31mb\r\x7f', 'a?[31mb??: no such file')

    def test_below_a_file(self):
        self.write('file', 'x')
        self.refuse_file('file/a.png', 'cannot read file/a.png (Not a directory)')

    def test_without_permission(self):
        self.write('a.png', GOOD['a.png'])
        os.chmod(self.path('a.png'), 0)
        self.refuse(FILE, 'cannot read a.png (Permission denied)', 'compare', 'a.png', 'a.png',
                    **self.somebody())

    def test_empty(self):
        for name in ('a.png', 'a.npy', 'noname'):
            with self.subTest(name):
                self.refuse_data(name, b'', name + ': empty file')

    def test_empty_stdin(self):
        self.refuse(FILE, 'standard input: empty file', 'forward', '-', '-o', 'c.npy', *REFERENCE)

    def test_text(self):
        self.refuse_data('a.png', 'Dear reader,\nthis is not an image.\n',
                         'a.png: unknown format of image or volume',
                         hint='reads volumes from NPY, NIfTI, TIFF, Y4M, FITS, and images from PNG, '
                         'JPEG, BMP, TGA, PBM, PGM, PPM, PAM, HDR, PFM, TIFF, NPY, EXR, FITS')

    def test_text_that_looks_like_a_header(self):
        for text in ('P5 is a postcode', 'Pf x', 'BM', 'II*\0nonsense', '\x00\x00', 'P5', 'PF\n'):
            with self.subTest(text):
                self.write('a', text)
                result = self.run_program('forward', 'a', '-o', 'c.npy', *REFERENCE)
                self.assertEqual(result.code, FILE, result.err)
                self.assertTrue(result.err.startswith('wavepass forward: error: a: '), result.err)

    def test_unreadable_stream_of_zeros(self):
        self.refuse_file('/dev/zero', '/dev/zero: unknown format of image or volume')



class Truncated(InputTest):
    def cut(self, name, at):
        data = GOOD[name]
        self.write(name, data[:at])
        with self.subTest('%s cut to %d of %d bytes' % (name, at, len(data))):
            before = self.files()
            result = self.run_program('forward', name, '-o', 'c.npy', *REFERENCE, timeout=20,
                                      limits=memory_limit())
            self.assertEqual(result.code, FILE, result.err)
            self.assertTrue(result.err.startswith('wavepass forward: error: %s: ' % name),
                            result.err)
            self.assertEqual(result.err.count('error:'), 1)
            self.assertEqual(self.files(), before)
            return result.err

    def cut_everywhere(self, name, spare=0):
        """Truncates a file at every position. `spare` is the number of bytes at the end that a
        reader may ignore."""
        length = len(GOOD[name]) - spare
        for at in sorted({1, 2, 4, 7, 9, 12, 20, 30, 33, length // 4, length // 2,
                          length * 3 // 4, length - 13, length - 2, length - 1}):
            self.cut(name, at)

    def test_the_whole_files_are_good(self):
        for name, data in GOOD.items():
            self.write(name, data)
            self.succeed('forward', name, '-o', name + '.npy', '-l', '1', *REFERENCE)
            self.assertIn(name + '.npy', self.files())

    def test_png(self):
        self.cut_everywhere('a.png')
        self.assertIn('truncated (needs ', self.cut('a.png', len(GOOD['a.png']) // 2))

    def test_jpeg(self):
        self.cut_everywhere('a.jpg')
        self.assertIn('truncated (no end of the JPEG in its ',
                      self.cut('a.jpg', len(GOOD['a.jpg']) - 2))

    def warnings_of_jpeg(self, data):
        """The warnings for an accepted file, or None if it is rejected."""
        self.write('b.jpg', data)
        result = self.run_program('forward', 'b.jpg', '-o', 'b.npy', '-f', '-l', '1', *REFERENCE)
        if result.code == FILE:
            self.assertIn(' b.jpg: ', result.err)
            return None
        self.assertEqual(result.code, 0, result.err)
        return re.findall(r'warning: b\.jpg: damaged JPEG; parts may be gray or wrong \((.*)\)',
                          result.err)

    def assert_damaged(self, data):
        warnings = self.warnings_of_jpeg(data)
        self.assertEqual(len(warnings or ()), 1, warnings)

    def test_jpeg_whose_data_are_cut(self):
        # With an end marker, as programs that repair files write it; decoders insert zeros before
        # it.
        whole = formats.jpeg(40, 24)
        begin = whole.index(b'\xff\xda') + 10
        self.assertEqual(self.warnings_of_jpeg(whole), [])
        for at in range(begin, len(whole) - 2):
            self.assert_damaged(whole[:at] + b'\xff\xd9')

    def test_jpeg_that_loses_what_is_between_restarts(self):
        whole = formats.jpeg(40, 24, restart=5)
        self.assertEqual(self.warnings_of_jpeg(whole), [])
        second, third = whole.index(b'\xff\xd0'), whole.index(b'\xff\xd1')
        self.assert_damaged(whole[:second + 2] + whole[third:])
        self.assert_damaged(whole[:second] + whole[third:])
        self.assert_damaged(whole[:second] + b'\xff\xd9')

    def test_progressive_jpeg_whose_scans_are_cut(self):
        whole = formats.PROGRESSIVE_JPEG
        self.assertEqual(self.warnings_of_jpeg(whole), [])
        scans = [found.start() for found in re.finditer(b'\xff\xda', whole)]
        self.assertGreater(len(scans), 8)
        for scan in scans:
            head = scan + 2 + int.from_bytes(whole[scan + 2:scan + 4], 'big')
            with self.subTest('scan at %d' % scan):
                behind = next(found.start() for found in re.finditer(
                    b'\xff[\xc4\xd9\xda]', whole) if found.start() > head)
                for cut in head, (head + behind) // 2, behind - 1:
                    cut -= whole[cut - 1] == 0xff
                    self.assert_damaged(whole[:cut] + whole[behind:])

    def test_jpeg_with_bytes_around_its_image(self):
        whole = formats.jpeg(40, 24)
        thumbnail = whole[:-20] + b'\xff\xd9'  # damaged, but not part of the image
        inside = b'\xff\xe1' + (len(thumbnail) + 2).to_bytes(2, 'big') + thumbnail
        self.assertEqual(self.warnings_of_jpeg(whole[:2] + inside + whole[2:]), [])
        self.assertEqual(self.warnings_of_jpeg(whole + b'\xff\xda and more'), [])

    def test_jpeg_of_more_scans_than_any_image_has(self):
        whole = formats.PROGRESSIVE_JPEG
        scans = [found.start() for found in re.finditer(b'\xff\xda', whole)]
        rest = 500 - len(scans)
        self.assert_damaged(whole[:-2] + rest * whole[scans[-1]:-2] + whole[-2:])
        self.refuse_data('a.jpg', whole[:-2] + (rest + 1) * whole[scans[-1]:-2] + whole[-2:],
                         'a.jpg: damaged JPEG (more than 500 scans)')

    def test_ppm(self):
        self.cut_everywhere('a.ppm')
        size = len(GOOD['a.ppm'])
        self.assertIn('truncated (needs %d bytes, has %d)' % (size, size - 1),
                      self.cut('a.ppm', size - 1))

    def test_npy(self):
        self.cut_everywhere('a.npy')
        size = len(GOOD['a.npy'])
        self.assertIn('truncated (needs %d bytes, has %d)' % (size, size - 3),
                      self.cut('a.npy', size - 3))

    def test_pfm(self):
        self.cut_everywhere('a.pfm')
        size = len(GOOD['a.pfm'])
        self.assertIn('truncated (needs %d bytes, has %d)' % (size, size - 4),
                      self.cut('a.pfm', size - 4))

    def test_tiff(self):
        self.cut_everywhere('a.tiff', spare=4)  # offset of the next directory

    def test_tiff_with_its_directory_first(self):
        # Most writers put the directory first: truncation then removes samples.
        data = bytearray(formats.tiff(8, 8, [0.5] * 64))
        directory = data[8 + 256:]
        data = data[:4] + (8).to_bytes(4, 'little') + directory
        at = 8 + 2 + 12 * 5 + 8  # the value of the sixth tag, the offset of the strip
        data[at:at + 4] = len(data).to_bytes(4, 'little')
        self.write('a.tiff', bytes(data) + b'\0' * 256)
        self.succeed('forward', 'a.tiff', '-o', 'ok.npy', '-l', '1', *REFERENCE)
        self.refuse_data('a.tiff', bytes(data) + b'\0' * 255, 'a.tiff: truncated (needs …')

    def change_tag(self, data, tag, value):
        """Changes a tag in a file of formats.tiff(), whose directory is at its end."""
        at = int.from_bytes(data[4:8], 'little')
        for entry in range(at + 2, len(data) - 4, 12):
            if int.from_bytes(data[entry:entry + 2], 'little') == tag:
                return data[:entry + 8] + value.to_bytes(4, 'little') + data[entry + 12:]
        self.fail('no tag %d' % tag)

    def test_tiff_with_strips_missing(self):
        # One or all of four strips have no offset: the bytes of the header must not be read
        # instead.
        several = formats.tiff(8, 8, [0.5] * 64, rows_per_strip=2)
        self.refuse_data('a.tiff', several, 'a.tiff: damaged TIFF (strip 2 is not in the file)')
        one = formats.tiff(8, 8, [0.5] * 64)
        for offset in 0, 1, 7:
            self.refuse_data('a.tiff', self.change_tag(one, 273, offset),
                             'a.tiff: damaged TIFF (strip 1 is not in the file)')

    def test_what_libtiff_warns_of(self):
        data = formats.tiff(8, 8, [7] * 64, bits=8)
        entry = int.from_bytes(data[4:8], 'little') + 2
        # An unknown tag is not reported; a tag out of order may be damage.
        own = data.replace((339).to_bytes(2, 'little') + b'\3\0', b'\xe8\xfd\3\0')
        self.assertNotEqual(own, data)
        swapped = data[:entry] + data[entry + 12:entry + 24] + data[entry:entry + 12] + \
            data[entry + 24:]
        for name, bad, told in ('own', own, 0), ('swapped', swapped, 1):
            with self.subTest(name):
                self.write('a.tiff', bad)
                result = self.succeed('forward', 'a.tiff', '-o', 'c.npy', '-f', '-l', '1',
                                      *REFERENCE)
                self.assertEqual(result.err.count('warning: a.tiff: '), told, result.err)
                result = self.succeed('forward', 'a.tiff', '-o', 'c.npy', '-f', '-l', '1', '-v',
                                      *REFERENCE)
                self.assertIn('a.tiff: ', result.err)

    def test_stdin(self):
        self.refuse(FILE, 'standard input: truncated (needs …', 'forward', '-', '-o', 'c.npy',
                    *REFERENCE, stdin=GOOD['a.npy'][:200])

    def test_stdin_that_never_ends(self):
        for name, head in (('PGM', b'P5 300 300 255\n'), ('PPM', b'P6 8 8 65535\n'),
                           ('PFM', b'PF 300 300 -1\n'), ('NPY', formats.npy((300, 300), [])),
                           ('P2', b'P2 8 8 255\n' + b'7 ' * 64)):
            if name == 'P2' and not memory_limit():
                continue  # it would use 4 GiB
            self.write('head', head)
            with self.subTest(name):
                result = self.run_program(
                    'forward', '-', '-o', 'c.npy', '-f', '-l', '1', *REFERENCE,
                    wrapper=('sh', '-c', '(cat head; exec cat /dev/zero) | "$0" "$@"'),
                    limits=memory_limit(), timeout=60)
                # Text may continue indefinitely before its last number: memory is exhausted.
                self.assertEqual(result.code, TOO_LARGE if name == 'P2' else 0, result.err)

    def test_random_damage_never_crashes(self):
        for name, data in GOOD.items():
            for seed in range(12):
                bad = bytearray(data)
                for value in formats.noise(6, len(bad) * 256 - 1, seed)[1:-1]:
                    bad[value // 256] = value % 256
                self.write(name, bytes(bad))
                with self.subTest('%s %d' % (name, seed)):
                    result = self.run_program('forward', name, '-o', 'x.npy', '-f', '-q',
                                              *REFERENCE, timeout=30)
                    self.assertIn(result.code, (0, FILE), result.err)


class Sizes(InputTest):
    def refuse_sizes(self, name, make):
        for width, height in EMPTY:
            with self.subTest('%s %dx%d' % (name, width, height)):
                self.refuse_data(name, make(width, height),
                                 '%s: empty image (%dx%d)' % (name, width, height))
        for width, height in ABSURD:
            with self.subTest('%s %dx%d' % (name, width, height)):
                large = max(width, height) > 131072
                self.refuse_data(name, make(width, height), '%s: image too large (%dx%d; the limit'
                                 ' is 131072 per side)' % (name, width, height) if large
                                 else name + ': truncated (needs …')

    def test_png(self):
        self.refuse_sizes('a.png', formats.png)

    def test_png_of_16_bits_and_alpha(self):
        self.refuse_sizes('a.png', lambda w, h: formats.png(w, h, planes=4, bits=16))

    def test_pgm(self):
        self.refuse_sizes('a.pgm', formats.pnm)

    def test_ppm_of_16_bits(self):
        self.refuse_sizes('a.ppm', lambda w, h: formats.pnm(w, h, planes=3, most=65535))

    def test_pgm_in_text(self):
        self.refuse_sizes('a.pgm', lambda w, h: b'P2 %d %d 255\n1' % (w, h))

    def test_npy(self):
        self.refuse_sizes('a.npy', lambda w, h: formats.npy((h, w)))

    def test_npy_of_four_planes(self):
        self.refuse_sizes('a.npy', lambda w, h: formats.npy((h, w, 4), kind='<f8'))

    def test_pfm(self):
        self.refuse_sizes('a.pfm', formats.pfm)

    def test_tiff(self):
        self.refuse_sizes('a.tiff', formats.tiff)

    def test_tiff_in_small_strips(self):
        self.refuse_sizes('a.tiff', lambda w, h: formats.tiff(w, h, rows_per_strip=1))

    def test_jpeg(self):
        data = formats.jpeg(16, 16)
        at = data.index(b'\xff\xc0') + 5
        empty, wide = ('damaged JPEG (%s…)' % text for text in ('Empty JPEG image', 'Maximum supp'))
        for height, width, text in ((0, 16, empty), (16, 0, empty), (65535, 65535, wide),
                                    (65280, 65280, 'truncated (needs …')):
            bad = data[:at] + height.to_bytes(2, 'big') + width.to_bytes(2, 'big') + data[at + 4:]
            self.refuse_data('a.jpg', bad, 'a.jpg: ' + text)

    def test_numbers_that_are_none(self):
        damaged = {
            'pgm': 'a.pgm: damaged PNM (needs width, height, and a maximum of 1 to 65535)',
            'pfm': 'a.pfm: damaged PFM (needs width, height, and a scale other than 0)',
        }
        for width, height in ((-5, 5), (5, -5), (-2147483648, 1), (4294967296, 1), ('x', 5),
                              (99999999999999999999, 1), ('0x10', 5), ('1e3', 5)):
            with self.subTest('%sx%s' % (width, height)):
                self.refuse_data('a.pgm', formats.pnm(width, height), damaged['pgm'])
                self.refuse_data('a.pfm', formats.pfm(width, height), damaged['pfm'])
        for most in (0, -1, 65536, 'x'):
            self.refuse_data('a.pgm', b'P5\n2 2\n%s\nabcdefgh' % str(most).encode(), damaged['pgm'])
        for scale in ('0', '-0', 'x', '1,0'):
            self.refuse_data('a.pfm', b'Pf\n1 1\n%s\nabcd' % scale.encode(), damaged['pfm'])

    def test_negative_tiff(self):
        # Negative sizes are read as huge unsigned numbers.
        self.refuse_data('a.tiff', formats.tiff(-5, 5), 'a.tiff: image too large (4294967291x5…')

    def test_sample_above_the_maximum(self):
        self.refuse_data('a.pgm', formats.pnm(2, 2, [1, 2, 3, 101], most=100),
                         'a.pgm: damaged PNM (a sample of row 2 exceeds 100)')
        self.refuse_data('a.pgm', b'P2 2 2 100 1 2 3 101',
                         'a.pgm: damaged PNM (sample 4 is missing or not a number up to 100)')


class Npy(InputTest):
    def refuse_header(self, header, message, hint=None, samples=(0.5,) * 16):
        with self.subTest(header):
            self.refuse_data('a.npy', formats.npy(None, samples, header=header),
                             'a.npy: ' + message, hint)

    def test_types(self):
        for kind in ('|O', '<m8', '<U4', '<f3', '|V8', '<f16', ''):
            self.refuse_header(
                "{'descr': '%s', 'fortran_order': False, 'shape': (4, 4), }" % kind,
                "not supported (NPY of type '%s')" % kind,
                'save it as bool, an integer of 8 to 64 bits, float16, float32 or float64')
        self.refuse_header("{'descr': '<c8', 'fortran_order': False, 'shape': (4, 4), }",
                           "complex samples (NPY of type '<c8'), not an image or volume")

    def test_pickled_objects(self):
        pickle = b"\x80\x04\x8c\x08builtins\x8c\x04exec\x93."
        data = formats.npy((2, 2), kind='|O') + pickle
        self.refuse_data('a.npy', data, "a.npy: not supported (NPY of type '|O')")

    def test_records(self):
        self.refuse_header("{'descr': [('r', '<f4'), ('g', '<f4')], 'fortran_order': False, "
                           "'shape': (2, 2), }",
                           'damaged NPY, or not a plain array of up to 8 axes')

    def test_shapes(self):
        plain = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }"
        for shape, axes in (('()', '0 axes'), ('(16,)', '1 axes'), ('(1, 1, 1, 1, 1)', '5 axes'),
                            ('(2, 2, 2, 0)', '4 axes and an unsupported number of planes')):
            self.refuse_header(plain % shape, 'not an image or volume (an NPY of %s)' % axes)
        self.refuse_header(plain % '(2, 2, 0)', 'empty volume (0x2x2)')
        for shape in ('(-4, 4)', '(4, -4)', '4', '(4 4)', '(4, 4', "('4', 4)", '(%s)' % ('1, ' * 9),
                      '(4.0, 4)', '(999999999999999999999, 1)', '(4LL, 4)'):
            self.refuse_header(plain % shape, 'damaged NPY, or not a plain array of up to 8 axes')
        self.refuse_header(plain % '(4294967296, 4294967296)', 'image too large (…')
        self.refuse_header(plain % '(999999999999999999, 1)', 'image too large (…')

    def test_headers(self):
        for header in ('', '{', '{}', 'nonsense', "{'descr': '<f4'}", "{'shape': (4, 4)}",
                       "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (4, 4), }",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), 'x': 1}",
                       "{'descr': '<f4, 'fortran_order': False, 'shape': (4, 4), }",
                       "{'descr': '%s'}" % ('f' * 500)):
            self.refuse_header(header, 'damaged NPY, or not a plain array of up to 8 axes')

    def test_length_of_the_header(self):
        data = bytearray(formats.npy((2, 2), [0.5] * 4))
        data[8:10] = b'\xff\xff'
        self.refuse_data('a.npy', bytes(data), 'a.npy: truncated (needs 65545 bytes, has %d)'
                         % len(data))
        data = bytearray(formats.npy((2, 2), [0.5] * 4, version=2))
        data[8:12] = b'\xff\xff\xff\xff'
        self.refuse_data('a.npy', bytes(data), 'a.npy: truncated (needs 4294967307 bytes, has %d)'
                         % len(data))

    def test_version(self):
        data = bytearray(formats.npy((2, 2), [0.5] * 4))
        data[6] = 9
        self.refuse_data('a.npy', bytes(data), 'a.npy: not supported (NPY version 9)')

    def test_fortran_order(self):
        # Fortran order: only the reported order of the file differs.
        values = [-7.25, 1000, 3, 4, 5, 6]
        self.write('c.npy', formats.npy((2, 3), values))
        self.write('f.npy', formats.npy((2, 3), [values[y * 3 + x] for x in range(3)
                                                 for y in range(2)], fortran=True))
        self.succeed('compare', 'c.npy', 'f.npy', '--metric', 'max', '--tol', '0')
        self.write('f.npy', self.read('f.npy').replace(b'True', b'False'))
        result = self.run_program('compare', 'c.npy', 'f.npy', '--metric', 'max', '--tol', '0')
        self.assertEqual(result.code, MISMATCH)


class NotFinite(InputTest):
    """NaN and infinite values are reported and preserved."""

    VALUES = [0.25] * (16 * 12)

    def make(self, name, bad):
        values = list(self.VALUES)
        for i, value in enumerate(bad):
            values[37 * i + 5] = value
        maker = {'npy': lambda: formats.npy((12, 16), values),
                 'pfm': lambda: formats.pfm(16, 12, values),
                 'tiff': lambda: formats.tiff(16, 12, values)}[name.rsplit('.', maxsplit=1)[-1]]
        return self.write(name, maker())

    def test_counted_and_carried_through(self):
        bad = (math.nan, math.inf, -math.inf)
        for name in ('a.npy', 'a.pfm', 'a.tiff'):
            for backend, *more in (('reference',), ('fragment',),
                                   ('fragment', '--precision', 'f16')):
                with self.subTest(' '.join((name, backend, *more))):
                    self.make(name, bad)
                    result = self.succeed('forward', name, '-b', backend, *more, '-o', 'c.npy',
                                          '--picture', 'c.png', '--check', '-f')
                    self.assertIn('warning: %s: 3 values are not finite (NaN or infinite); '
                                  'carried through\n' % name, result.err)
                    self.assertIn('round trip not checked: 3 values are not finite', result.err)
                    _, values = formats.read_npy(self.read('c.npy'))
                    self.assertTrue(any(math.isnan(v) for v in values))
                    self.assertFalse(all(math.isnan(v) for v in values))
                    width, height, _, _, _ = formats.read_png(self.read('c.png'))
                    self.assertGreaterEqual((width, height), (16, 12))

    def test_one(self):
        self.make('a.npy', (math.nan,))
        result = self.succeed('forward', 'a.npy', '-o', 'c.npy', *REFERENCE)
        self.assertIn('a.npy: 1 value is not finite (NaN or infinite); carried through', result.err)

    def test_double_beyond_float(self):
        self.write('a.npy', formats.npy((1, 3), [1e300, -1e300, 0.5], kind='<f8'))
        result = self.succeed('forward', 'a.npy', '-o', 'c.npy', *REFERENCE)
        self.assertIn('2 values are not finite', result.err)

    def test_everything(self):
        self.write('a.npy', formats.npy((8, 8), [math.nan] * 64))
        result = self.succeed('forward', 'a.npy', '-o', 'c.npy', '--picture', 'c.png', *REFERENCE)
        self.assertIn('64 values are not finite', result.err)
        self.assertIn('c.png', self.files())

    def test_back_to_an_image(self):
        self.make('a.npy', (math.nan,))
        self.succeed('forward', 'a.npy', '-o', 'c.npy', '-l', '1', *REFERENCE)
        for name in ('b.png', 'b.npy'):
            result = self.succeed('inverse', 'c.npy', '-o', name, *REFERENCE)
            self.assertIn('not finite', result.err)
            self.assertEqual('are NaN and set to 0\n' in result.err, name == 'b.png', result.err)

    def test_huge_values_do_not_harm(self):
        self.write('a.npy', formats.npy((4, 4), [3e38, -3e38] * 8))
        self.succeed('forward', 'a.npy', '-o', 'c.npy', '--picture', 'c.png', *REFERENCE)
        self.assertEqual(len(formats.read_npy(self.read('c.npy'))[1]), 16)

    def test_what_does_not_come_back_is_said(self):
        values = [3e38 * (1 if i * i % 7 < 3 else -1) for i in range(64)]
        self.write('a.npy', formats.npy((8, 8), values))
        for backend in ('reference', 'cpu', 'fragment'):
            with self.subTest(backend):
                result = self.succeed('forward', 'a.npy', '-o', 'c.npy', '-f', '-w', 'haar', '-b',
                                      backend, '--check')
                self.assertIn("warning: the image's values are too large for 32-bit samples",
                              result.err)
                self.assertTrue(result.err.endswith('round trip max|err| inf\n'), result.err)

    def test_verify_refuses(self):
        self.make('a.npy', (math.nan,))
        self.refuse(FILE, 'a.npy: image contains NaN or infinite values',
                    'verify', 'a.npy', '-b', 'reference', '-w', 'haar')


class Patterns(InputTest):
    def test_bad_names_and_sizes(self):
        for name, message in (
                ('nois', "unknown pattern 'nois'"), ('', "unknown pattern ''"),
                ('noise:0x8', "pattern 'noise:0x8': bad size (WIDTHxHEIGHT or "
                              "WIDTHxHEIGHTxDEPTH, each 1 to 65536)"),
                ('noise:8', "pattern 'noise:8': bad size…"),
                ('noise:-8x8', "pattern 'noise:-8x8': bad size…"),
                ('noise:99999x8', "pattern 'noise:99999x8': bad size…"),
                ('noise:4294967297x1', "pattern 'noise:4294967297x1': bad size…"),
                ('noise:8x8:x', "pattern 'noise:8x8:x': …"),
                ('edges:8x8:1', "pattern 'edges:8x8:1': …")):
            with self.subTest(name):
                self.refuse(USAGE, message, 'forward', 'pattern:' + name, '-o', 'c.npy', *REFERENCE)

    def test_nearest_name(self):
        self.refuse(USAGE, "unknown pattern 'nois'", 'forward', 'pattern:nois', '-o', 'c.npy',
                    hint="did you mean 'noise'?…")
