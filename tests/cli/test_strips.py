"""Images in row strips: the bits of the complete image, and cases that cannot be streamed."""
import json
import os
import resource
import signal
import subprocess
import time

import formats
import harness
import test_lines
from harness import FILE, INTERRUPTED, TOO_LARGE, USAGE

CPU = ('-b', 'cpu')
SMALL = ('--memory', '400K')  # below the size of these images, above that of strips


def description(text):
    """The metadata that do not depend on the program that wrote them."""
    told = json.loads(text)
    differs = 'samples', 'rows', 'tile', 'deflate', 'variant'
    return {name: told[name] for name in told if name not in differs}


class StripsTest(test_lines.LinesTest):
    def room(self, image):
        return '800K' if image.startswith('rgb') else SMALL[1]

    def both(self, image, *options, back=True, memory=SMALL[1]):
        """Processing the complete image and processing in strips give the same bytes."""
        self.succeed('forward', image, '-o', 'whole.npy', '-f', *CPU, *options)
        limit = ('--memory', memory)
        told = json.loads(self.succeed('forward', image, '-o', 'strips.npy', '-f', '--json', *limit,
                                       *options).text())
        self.assertNotIn('round_trip_max_error', told)
        self.assertEqual(self.read('whole.npy'), self.read('strips.npy'), (image, options))
        self.assertEqual(description(self.read('whole.npy.json')),
                         description(self.read('strips.npy.json')))
        if not back:
            return
        self.succeed('inverse', 'whole.npy', '-o', 'i.npy', '-f', *CPU)
        for name in ('whole.npy', 'strips.npy'):
            told = self.succeed('inverse', name, '-o', 'j.npy', '-f', *limit, '--json')
            self.assertIn('strips', json.loads(told.text()))
            self.assertEqual(self.read('i.npy'), self.read('j.npy'), (image, name, options))


class Same(StripsTest):
    def test_formats(self):
        for image in self.make():
            with self.subTest(image):
                self.both(image, '-w', 'haar', memory=self.room(image))

    def test_transforms(self):
        self.make()
        for options in (('-w', 'cdf53', '-l', '2'), ('-w', 'cdf97', '--norm', 'orthonormal'),
                        ('--norm', 'none', '-l', '1'), ('-l', '4')):
            with self.subTest(options):
                self.both('gray.pgm', *options)

    def test_sizes(self):
        """Odd and thin sizes, wavelets with a large support, all levels."""
        for w, h in ((301, 260), (257, 300), (1, 60000), (2, 40000), (500, 111),
                     (320, 167)):
            self.write('a.pgm', formats.pnm(w, h, formats.noise(w * h, 255)))
            with self.subTest((w, h)):
                self.both('a.pgm', '-l', 'max')
        # One row has the size of the read buffer.
        self.write('a.pgm', formats.pnm(131072, 40, bytes(range(256)) * (512 * 40)))
        self.both('a.pgm', '-l', '1', '-w', 'haar', back=False, memory='20M')
        self.write('a.pgm', formats.pnm(203, 611, formats.noise(203 * 611, 255)))
        for wavelet in ('haar', 'cdf53', 'dd137', 'cdf93', 'bior4.4', 'cdf1711'):
            with self.subTest(wavelet):
                self.both('a.pgm', '-w', wavelet, '-l', '4')

    def test_periodic(self):
        """Periodic borders need the first rows again at the end."""
        periodic = ('--border', 'periodic')
        for w, h in ((320, 256), (64, 1024), (1024, 96), (32, 2048)):
            self.write('a.pgm', formats.pnm(w, h, formats.noise(w * h, 255)))
            for options in (('-l', '5'), ('-w', 'cdf1711', '-l', '2'), ('-w', 'd4', '-l', '3'),
                            ('-w', 'haar', '-l', 'max'), ('--reversible', '-w', 'cdf53')):
                with self.subTest((w, h, *options)):
                    self.both('a.pgm', *periodic, *options)
        self.write('rgba.png', formats.png(320, 848, formats.noise(320 * 848 * 4, 255), 4))
        self.both('rgba.png', *periodic, '-l', '3', memory='1800K')
        for tile in ('16', '48', '256'):
            with self.subTest(tile):
                room = ('--memory', '6M')
                self.succeed('forward', 'rgba.png', '-o', 'whole.tiff', '-f', '--tile', tile, *CPU,
                             *periodic)
                self.succeed('forward', 'rgba.png', '-o', 'c.tiff', '-f', '--tile', tile, *periodic,
                             *room)
                self.succeed('compare', 'whole.tiff', 'c.tiff', '--tol', '0')
                self.succeed('inverse', 'whole.tiff', '-o', 'i.npy', '-f', *CPU)
                told = self.succeed('inverse', 'c.tiff', '-o', 'j.npy', '-f', *room, '--json')
                self.assertIn('strips', json.loads(told.text()))
                self.assertEqual(self.read('i.npy'), self.read('j.npy'))

    def test_integers(self):
        self.make()
        for image in ('gray.pgm', 'rgb.png'):
            self.both(image, '--reversible', '-l', '2', memory=self.room(image))
        self.succeed('inverse', 'strips.npy', '-o', 'i.tiff', '--memory', self.room('rgb.png'))
        self.succeed('compare', 'i.tiff', 'rgb.png', '--tol', '0')

    def test_channels(self):
        self.make()
        for options in (('--gray',), ('--channel', 'green'), ('--channel', '2')):
            with self.subTest(options):
                self.both('rgb.png', *options, back=False)
                self.both('rgba.png', *options, back=False)

    def test_nonfinite(self):
        values = [0.5] * 60000
        values[777] = float('nan')
        values[50000] = float('inf')
        self.write('a.npy', formats.npy((200, 300), values))
        self.both('a.npy', '-w', 'haar')
        told = self.succeed('forward', 'a.npy', '-o', 'n.npy', *SMALL)
        self.assertIn('a.npy: 2 values are not finite', told.err)

    def test_tiles(self):
        """A .tiff has tiles, and `inverse` writes every format."""
        self.make()
        room = ('--memory', '1800K')
        self.write('a.pgm', formats.pnm(701, 503, formats.noise(701 * 503, 255)))
        self.write('rgba.png', formats.png(301, 411, formats.noise(301 * 411 * 4, 255), 4))
        for image in ('a.pgm', 'rgba.png'):
            self.succeed('forward', image, '-o', 'c.npy', '-f', *CPU)
            self.succeed('forward', image, '-o', 'whole.tiff', '-f', '--tile', '32', *CPU)
            self.succeed('forward', image, '-o', 'c.tiff', '-f', '--tile', '32', *room)
            self.succeed('compare', 'c.npy', 'c.tiff', '--tol', '0')
            whole, strips = (json.loads(self.read(name)) for name in ('whole.tiff.json',
                                                                      'c.tiff.json'))
            self.assertEqual(whole['rows'], strips['rows'])
            self.assertEqual(whole['tile'], strips['tile'])
            for name in ('i.npy', 'i.tiff') + (('i.pfm',) if image == 'a.pgm' else ()):
                self.succeed('inverse', 'c.npy', '-o', name, '-f', *CPU)
                wanted = self.read(name)
                told = self.succeed('inverse', 'c.tiff', '-o', name, '-f', *room, '--json')
                self.assertIn('strips', json.loads(told.text()))
                self.assertEqual(self.read(name), wanted, (image, name))
        self.succeed('forward', 'a.pgm', '-o', 'd.tiff', *room)
        self.assertEqual(json.loads(self.read('d.tiff.json'))['tile'], 256)

    def test_limit(self):
        """The memory limit is the memory of the complete image, then one byte less."""
        self.make()
        whole = 2 * 4 * 301 * 211
        for size, strips in ((whole, False), (whole - 1, True)):
            told = json.loads(self.succeed('forward', 'gray.pgm', '-o', 'c.npy', '-f', '--json',
                                           *CPU, '--memory', str(size)).text())
            self.assertEqual('strips' in told, strips)
            told = json.loads(self.succeed('inverse', 'c.npy', '-o', 'i.npy', '-f', '--json',
                                           *CPU, '--memory', str(size)).text())
            self.assertEqual('strips' in told, strips)


class Refused(StripsTest):
    def test_sizes(self):
        self.make()
        for size in ('', '0', '-1M', 'M', 'x', '1T', '1MM', '1 M', 'nan', 'inf', '1e999', '0x10'):
            with self.subTest(size):
                result = self.run_program('forward', 'gray.pgm', '-o', 'c.npy', '--memory=' + size)
                self.assertEqual(result.code, USAGE, result.err)
                self.assertIn('--memory', result.err)
        for size in ('1', '4096', '1k', '1.5K', '400k', '1M', '2G'):
            with self.subTest(size):
                result = self.run_program('forward', 'gray.pgm', '-o', 'c.npy', '--memory=' + size)
                self.assertIn(result.code, (0, TOO_LARGE), result.err)
                for name in ('c.npy', 'c.npy.json'):
                    if os.path.exists(self.path(name)):
                        os.unlink(self.path(name))

    def test_too_little(self):
        self.make()
        for given, told in (('1K', '1.0 KiB'), ('40K', '40.0 KiB')):
            self.refuse(TOO_LARGE, 'in row strips it needs … KiB, more than --memory (%s)' % told,
                        'forward', 'gray.pgm', '-o', 'c.npy', '--memory', given)
        # Options that cannot be used with strips.
        self.refuse(TOO_LARGE, 'gray.pgm needs … KiB, more than --memory (40.0 KiB), and …',
                    'forward', 'gray.pgm', '-o', 'c.npy', '--half', '--memory', '40K')

    def test_what_cannot(self):
        self.make()
        self.write('a.jpg', formats.jpeg(301, 211))
        for why, *arguments in (
                ('--picture needs the whole image', 'gray.pgm', '-o', 'c.npy', '--picture',
                 'p.png'),
                ('--check needs the whole image', 'gray.pgm', '-o', 'c.npy', '--check'),
                ('only the cpu backend', 'gray.pgm', '-o', 'c.npy', '-b', 'reference'),
                ('a scheme, variant or device', 'gray.pgm', '-o', 'c.npy', '-s', 'sep-lifting'),
                ('the layout is mixed', 'gray.pgm', '-o', 'c.npy', '--layout', 'mixed'),
                ('only .npy and .tiff', 'gray.pgm', '-o', 'c.npz'),
                ('only .npy and .tiff', 'gray.pgm', '-o', 'c.pfm'),
                ('this file format is read as a whole', 'a.jpg', '-o', 'c.npy'),
                ('a built-in image is generated as a whole', 'pattern:noise:301x211', '-o',
                 'c.npy'),
                ('it is not a regular file', '-', '-o', 'c.npy')):
            with self.subTest(why):
                self.refuse(TOO_LARGE, 'cannot be processed in row strips: ' + why, 'forward',
                            *arguments, *SMALL, stdin=self.read('gray.pgm'))
        self.succeed('forward', 'gray.pgm', '-o', 'c.npy', *SMALL)
        for why, *arguments in (
                ('only .npy, .tiff and .pfm', '-o', 'i.png'),
                ('only the cpu backend', '-o', 'i.npy', '-b', 'reference')):
            self.refuse(TOO_LARGE, 'cannot be processed in row strips: ' + why, 'inverse', 'c.npy',
                        *arguments, *SMALL)

    def test_damage(self):
        """Damage in the middle of the file gives an error, and no file remains."""
        for image in self.make():
            data = self.read(image)
            self.write('cut-' + image, data[:len(data) * 2 // 3])
            with self.subTest(image):
                self.refuse(FILE, 'cut-' + image, 'forward', 'cut-' + image, '-o', 'c.npy',
                            '--memory', self.room(image))

    def test_other_samples(self):
        """The hash is checked after all samples have been read, before the image gets its name."""
        self.make()
        for how in (SMALL, CPU):
            self.succeed('forward', 'gray.pgm', '-o', 'c.npy', '-f', *how)
            data = bytearray(self.read('c.npy'))
            data[-5] ^= 1
            self.write('c.npy', bytes(data))
            self.refuse(FILE, 'c.npy.json describes other coefficients', 'inverse', 'c.npy', '-o',
                        'i.npy', *SMALL)
            self.refuse(FILE, 'c.npy.json describes other coefficients', 'inverse', 'c.npy', '-o',
                        'i.npy', *CPU)
            self.succeed('inverse', 'c.npy', '-o', 'i.npy', '--ignore-changes', *SMALL)
            os.unlink(self.path('i.npy'))

    def test_disk_that_fills(self):
        self.make()
        self.succeed('forward', 'gray.pgm', '-o', 'good.npy', *SMALL)
        for name in ('c.npy', 'c.tiff'):
            for size in (100, 5000, 100000, 200000):
                self.refuse(FILE, 'cannot write c', 'forward', 'gray.pgm', '-o', name, '--memory',
                            '500K', limits=((resource.RLIMIT_FSIZE, size),))
        for name in ('i.npy', 'i.tiff', 'i.pfm'):
            for size in (5, 5000, 100000, 200000):
                self.refuse(FILE, 'cannot write i', 'inverse', 'good.npy', '-o', name, *SMALL,
                            limits=((resource.RLIMIT_FSIZE, size),))


class Interrupted(StripsTest):
    def test_nothing_is_left(self):
        """Ctrl+C during the run leaves no file."""
        side = 6000
        with open(self.path('a.pgm'), 'wb') as file:
            file.write(b'P5 %d %d 255\n' % (side, side))
            file.write(os.urandom(side) * side)
        before = self.files().keys()
        for name in ('c.npy', 'c.tiff'):
            # When a temporary file has grown.
            with subprocess.Popen([harness.PROGRAM, 'forward', 'a.pgm', '-o', name, '-l', '5',
                                   '--memory', '64M'], cwd=self.directory,
                                  env=self.environment(), stderr=subprocess.PIPE) as running:
                while running.poll() is None:
                    grown = [n for n in os.listdir(self.directory) if n not in before and
                             os.path.getsize(self.path(n)) > 1 << 20]
                    if grown:
                        break
                    time.sleep(0.001)
                running.send_signal(signal.SIGINT)
                _, told = running.communicate(timeout=60)
            self.assertEqual(running.returncode, INTERRUPTED, told)
            self.assertEqual(self.files().keys(), before)
