"""Volumes in the commands that measure and tell: verify, bench, compare, info."""
import json
import re

from formats import noise, npy
from harness import FILE, REFERENCE, USAGE, CliTest

CPU = ('-b', 'cpu')
WIDTH, HEIGHT, DEPTH = 14, 10, 9
SIZE = '%dx%dx%d' % (WIDTH, HEIGHT, DEPTH)


class ToolTest(CliTest):
    def setUp(self):
        super().setUp()
        self.values = [v / 1024 for v in noise(WIDTH * HEIGHT * DEPTH, 1024)]
        self.write('v.npy', npy((DEPTH, HEIGHT, WIDTH), self.values))
        self.write('flat.npy', npy((HEIGHT, WIDTH), self.values[:WIDTH * HEIGHT]))


class Verify(ToolTest):
    def verify(self, *options):
        told = json.loads(self.succeed('verify', '--json', *options).out)
        self.assertEqual((told['failed'], told['passed'] > 0), (0, True))
        return told

    def test_backends_norms_and_sizes(self):
        for backend in (CPU, REFERENCE):
            for options in (['v.npy'], ['--size', SIZE, '--levels-z', 'max'],
                            ['--size', '1x7x5', '-l', '0', '--levels-z', '2'],
                            ['--size', '6x1x33', '-l', 'max'],
                            ['pattern:ball:24x20x16', '--norm', 'orthonormal'],
                            ['v.npy', '--norm', 'none', '--levels-z', '0']):
                with self.subTest(backend=backend, options=options):
                    told = self.verify(*options, '-w', 'cdf97,cdf75,haar', *backend)
                    self.assertEqual({r['check'] for r in told['rows']},
                                     {'forward', 'inverse', 'round trip', 'one slice'})
                    self.assertEqual({r['tolerance'] for r in told['rows']
                                      if r['check'] == 'one slice'}, {0})

    def test_variants_of_the_cpu(self):
        told = self.verify('--size', '40x24x16', '-w', 'cdf97', *CPU, '--variant', 'all')
        self.assertGreaterEqual(len(told['backends']), 4)

    def test_says_what_it_does(self):
        told = self.verify('v.npy', '-w', 'haar', *CPU, '-l', 'max', '--levels-z', '2')
        self.assertEqual((told['width'], told['height'], told['depth'], told['levels'],
                          told['levels_z']), (WIDTH, HEIGHT, DEPTH, 4, 2))
        text = self.succeed('verify', '--size', SIZE, '-w', 'cdf97', *CPU).text()
        self.assertIn('Volume 14x10x9, 3 levels, 3 along z; for periodic borders 8x8x8 of it', text)
        self.assertIn('\n5.0e-05 for schemes that multiply two lifting pairs or more (cdf97)', text)
        self.assertNotIn('depth', self.verify('flat.npy', '-w', 'haar', *CPU))

    def test_backends_without_volumes_are_left_out_with_the_reason(self):
        told = self.verify('--size', '8x8x8', '-w', 'haar')
        for backend in told['backends']:
            name = backend['name']
            rows = [r for r in told['rows'] if r['backend'] == name]
            self.assertTrue(rows or backend['reason'], name)
        self.assertTrue({'cpu', 'reference'} <= {r['backend'] for r in told['rows']})

    def test_values_that_are_not_finite(self):
        self.write('bad.npy', npy((2, 2, 2), [1.0] * 7 + [float('nan')]))
        self.refuse(FILE, 'bad.npy: nothing can be verified with values that are not finite',
                    'verify', 'bad.npy', '--volume')

    def test_refused(self):
        self.refuse(USAGE, 'flat.npy: an image has no levels along z', 'verify', 'flat.npy',
                    '--levels-z', '1')
        self.refuse(USAGE, 'flat.npy: 0 levels leave nothing to verify', 'verify', 'flat.npy', '-l',
                    '0')
        self.refuse(USAGE, '--size is for noise in place of a file', 'verify', 'v.npy', '--size',
                    SIZE)
        self.refuse(USAGE, '…bad size…', 'verify', '--size', '8x8x')
        self.refuse(FILE, 'v.npy: …', 'verify', 'v.npy', '--raw', '9x9x9:u8')
