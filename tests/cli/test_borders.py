"""The borders of PyWavelets: files, metadata, and what does not support them."""
import json
import os

import formats
import harness
from harness import FILE, USAGE, CliTest

WIDTH, HEIGHT = 23, 10
CPU = ('-b', 'cpu')
SYMMETRIC = ('--border', 'pywt-symmetric', '-w', 'db3', '-l', '2')


class BordersTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write('a.png', formats.png(WIDTH, HEIGHT, formats.noise(WIDTH * HEIGHT, 255)))

    def forward(self, *options, name='c.npy'):
        self.succeed('forward', 'a.png', '-o', name, *CPU, *SYMMETRIC, *options)


class Files(BordersTest):
    def test_round_trip(self):
        self.forward('--check')
        shape = formats.read_npy(self.read('c.npy'))[0]
        # 23 -> 14 -> 9 and 10 -> 7 -> 6, two low bands and the details.
        self.assertEqual(tuple(shape), (6 + 6 + 7, 9 + 9 + 14))
        described = json.loads(self.read('c.npy.json'))
        self.assertEqual((described['width'], described['height'], described['border']),
                         (WIDTH, HEIGHT, 'pywt-symmetric'))
        self.succeed('inverse', 'c.npy', '-o', 'b.png', *CPU)
        self.succeed('compare', 'a.png', 'b.png', '--metric', 'max', '--tol', '0')

    def test_volume(self):
        self.succeed('forward', 'pattern:ball:9x10x11', '-o', 'v.npy', *CPU, '--border',
                     'pywt-smooth', '-w', 'haar', '-l', '3', '--check')
        self.succeed('inverse', 'v.npy', '-o', 'w.npy', *CPU)
        self.assertEqual(tuple(formats.read_npy(self.read('w.npy'))[0]), (11, 10, 9))

    def test_bands(self):
        told = self.succeed('forward', 'a.png', '-o', 'c.npz', *CPU, *SYMMETRIC, '--subbands',
                            'pywt')
        self.assertIn("wavelet 'db3', mode 'symmetric'", told.err)
        self.succeed('inverse', 'c.npz', '-o', 'b.png', *CPU)
        self.succeed('compare', 'a.png', 'b.png', '--metric', 'max', '--tol', '0')

    def test_alpha(self):
        self.write('a.png', formats.png(WIDTH, HEIGHT, formats.noise(WIDTH * HEIGHT * 4, 255),
                                        planes=4))
        self.forward()
        self.succeed('inverse', 'c.npy', '-o', 'b.png', *CPU)
        self.succeed('compare', 'a.png', 'b.png', '--metric', 'max', '--tol', '0')


class Refused(BordersTest):
    def test_what_needs_as_many_coefficients(self):
        self.refuse(USAGE, "…--gop does not support border 'pywt-symmetric'…", 'forward', 'a.png',
                    '-o', 'c.npy', *SYMMETRIC, '--gop', '4')
        self.refuse(USAGE, "--picture does not support border 'pywt-symmetric' for volumes, and "
                    'pattern:noise:8x8x8 is one', 'forward', 'pattern:noise:8x8x8', '-w', 'db2',
                    '--border', 'pywt-symmetric', '--picture', 'p.png',
                    hint="border 'symmetric' or 'periodic'")
        self.refuse(USAGE, "…--tile does not support border 'pywt-symmetric'…", 'forward', 'a.png',
                    '-o', 'c.tiff', *SYMMETRIC, '--tile', '16')

    def test_readers(self):
        self.forward()
        self.refuse(USAGE, '…it has more coefficients than samples…', 'inverse', 'c.npy',
                    '-o', 'b.png', '--region', '0,0,4,4')

    def test_metadata(self):
        self.forward()
        described = json.loads(self.read('c.npy.json'))
        self.write('c.npy.json', json.dumps(dict(described, width=WIDTH + 2)).encode())
        self.refuse(FILE, '…describes 35x19, but the coefficients have 32x19…', 'inverse', 'c.npy',
                    '-o', 'b.png')
        os.remove(self.path('c.npy.json'))
        self.refuse(USAGE, '…the size of the image is not that of the coefficients…', 'inverse',
                    'c.npy', '-o', 'b.png', *SYMMETRIC)


class PyWavelets(CliTest):
    def test_script(self):
        """PyWavelets' coefficients, if it is installed."""
        library = os.path.join(os.path.dirname(os.path.abspath(harness.PROGRAM)), 'libwavepass.so')
        if not os.path.exists(library) or harness.is_sanitized():
            self.skipTest('Python cannot load %s' % library)
        done = self.run_peers('borders.py', '--brief', '--library', library, '--program',
                              os.path.abspath(harness.PROGRAM), 'db2', 'bior2.2', 'coif1')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
