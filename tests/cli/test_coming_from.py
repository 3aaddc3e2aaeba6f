"""Runs docs/coming-from.md with PyWavelets, if Debian's package is installed."""
import os

import harness
from harness import CliTest


class ComingFrom(CliTest):
    def run_script(self, program):
        return self.run_peers('coming_from.py', '--wavepass', program, '--no-install', '--every',
                              '8')

    def test_the_page_is_true(self):
        done = self.run_script(harness.PROGRAM)
        self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        self.assertIn('16 commands, 19 comparisons', done.stdout)
        self.assertIn('10 wavelets: ', done.stdout)

    def test_a_difference_is_found(self):
        """Applies a threshold that differs from that of the page."""
        program = self.write('other', '#!/bin/sh\ncase "$*" in *soft:0.1*) set -- "$@" '
                             '--scale HH2=1.001;; esac\nexec "%s" "$@"\n' % harness.PROGRAM)
        os.chmod(self.path(program), 0o755)
        done = self.run_script(self.path(program))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('docs/coming-from.md:', done.stderr)
        self.assertIn('they differ by', done.stderr)
