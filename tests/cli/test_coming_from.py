"""What docs/coming-from.md says, beside PyWavelets, where Debian's package of it is installed."""
import os
import subprocess

import harness
from harness import CliTest

SCRIPT = os.path.join(harness.ROOT, 'scripts', 'coming_from.py')
PYTHON = '/usr/bin/python3'  # which sees Debian's packages
MISSING = 77


class ComingFrom(CliTest):
    def run_script(self, program):
        if not os.path.exists(PYTHON):
            self.skipTest('%s is not here' % PYTHON)
        done = subprocess.run([PYTHON, SCRIPT, '--wavepass', program, '--no-install', '--every',
                               '8'], capture_output=True, text=True, env=self.environment(),
                              check=False)
        if done.returncode == MISSING:
            self.skipTest(done.stderr.strip())
        return done

    def test_the_page_is_true(self):
        done = self.run_script(harness.PROGRAM)
        self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        self.assertIn('14 commands, 17 comparisons', done.stdout)
        self.assertIn('10 wavelets: ', done.stdout)

    def test_a_difference_is_found(self):
        """Another threshold than was asked for."""
        program = self.write('other', '#!/bin/sh\ncase "$*" in *soft:0.1*) set -- "$@" '
                             '--scale HH2=1.001;; esac\nexec "%s" "$@"\n' % harness.PROGRAM)
        os.chmod(self.path(program), 0o755)
        done = self.run_script(self.path(program))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('docs/coming-from.md:', done.stderr)
        self.assertIn('they differ by', done.stderr)
