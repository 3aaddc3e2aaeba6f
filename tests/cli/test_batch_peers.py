"""Batches compared with PyWavelets, if Debian's package is installed."""
import os
import subprocess

import harness
from harness import CliTest

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(harness.PROGRAM)), 'libwavepass.so')
RUN = '''
import sys
sys.path.insert(0, %r)
import batch_peers
batch_peers.COEFFICIENTS, batch_peers.MAGNITUDE = %r
sys.exit(batch_peers.main())
'''


@harness.not_sanitized('a process without sanitizers cannot load that library')
class BatchPeers(CliTest):
    def run_script(self, *tolerances):
        if not os.path.exists(LIBRARY):
            self.skipTest('%s is not built' % LIBRARY)
        if not os.path.exists(harness.PEERS_PYTHON):
            self.skipTest('%s is not here' % harness.PEERS_PYTHON)
        code = RUN % (os.path.join(harness.ROOT, 'scripts'), tolerances)
        done = subprocess.run(
            [harness.PEERS_PYTHON, '-B', '-c', code, '--library', LIBRARY, '--small', '--rounds',
             '1'], capture_output=True, text=True, check=False,
            env={**self.environment(), 'WAVEPASS_BATCH_PEERS': 'here'})
        if 'skipped PyWavelets' in done.stdout or "No module named 'numpy'" in done.stderr:
            self.skipTest('PyWavelets is not installed')
        return done

    def test_values_agree(self):
        done = self.run_script(1e-5, 0.03)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count('| CDF 9/7 |'), 6)

    def test_a_difference_is_found(self):
        done = self.run_script(1e-12, 1e-12)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertGreaterEqual(done.stdout.count('DIFFER'), 12)
