"""Volumes compared with PyWavelets and BART, if Debian's packages are installed."""
import os

import harness
from harness import CliTest


class Peers(CliTest):
    def run_script(self, program):
        return self.run_peers('volume_peers.py', '--wavepass', program)

    def test_values_agree(self):
        done = self.run_script(harness.PROGRAM)
        self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        self.assertEqual(done.stdout.count('PyWavelets'), 18)
        self.assertNotIn('DIFFER', done.stdout)
        if 'BART: left out' in done.stdout:
            self.skipTest(done.stdout.splitlines()[-1])

    def test_a_difference_is_found(self):
        """Another wavelet than the requested one fails."""
        program = self.write('other', '#!/bin/sh\nexec "%s" "$@" -w dd137\n' % harness.PROGRAM)
        os.chmod(self.path(program), 0o755)
        done = self.run_script(self.path(program))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout.count('DIFFER'), done.stdout.count('values'))
