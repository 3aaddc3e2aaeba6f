"""Each use of OpenGL once with Mesa's default renderer; CMake runs the other OpenGL tests with
renderers that compile shaders faster."""
import json

import harness

IMAGE = 'pattern:zone-plate:64x48'


class Smoke(harness.CliTest):
    def test_transform(self):
        for scheme in 'sep-conv', 'sep-poly', 'sep-lift', 'ns-conv', 'ns-poly', 'ns-lift':
            done = self.succeed('forward', IMAGE, '-o', 'c.npy', '-f', '-b', 'fragment', '-s', scheme,
                                '--check', '--json')
            self.assertLess(json.loads(done.text())['round_trip_max_error'], 1e-5, scheme)
        self.succeed('inverse', 'c.npy', '-o', 'i.npy', '-b', 'fragment')
        self.succeed('compare', 'i.npy', IMAGE, '--tol', '1e-5')

    def test_compute(self):
        self.succeed('forward', IMAGE, '-o', 'c.npy', '-b', 'compute')
        self.succeed('inverse', 'c.npy', '-o', 'i.npy', '-b', 'compute')
        self.succeed('compare', 'i.npy', IMAGE, '--tol', '1e-5')

    def test_bench(self):
        done = self.succeed('bench', '-b', 'fragment', '-w', 'cdf53', '--size', '64', '--runs', '3',
                            '--no-ceilings', '--no-transfers', '--json', '-')
        self.assertEqual({row['verified'] for row in json.loads(done.text())['rows']}, {True})

    def test_view(self):
        if not harness.has_viewer():
            self.skipTest('the viewer is not in this build')
        self.succeed('view', IMAGE, '--screenshot', 'view.png', '--window', '640x480')
        self.assertTrue(self.read('view.png').startswith(b'\x89PNG'))
