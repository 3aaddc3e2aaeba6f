"""Every sample type, color layout and orientation in every format, and the tables of
docs/formats.md, if Debian's packages of nibabel, tifffile and Pillow are installed."""
import os

import harness
from harness import CliTest


class FormatTable(CliTest):
    def run_script(self, program, *options):
        return self.run_peers('format_table.py', '--wavepass', program, *options)

    def test_every_cell_is_right(self):
        done = self.run_script(harness.PROGRAM)
        self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        self.assertRegex(done.stdout, r'^\d+ files, \d+ cells\n$')

    def test_a_wrong_value_is_found(self):
        """All integers are divided by the largest one of their type."""
        program = self.write('other', '#!/bin/sh\ncase $1 in compare | info) set -- "$@" --values '
                             'unit ;; esac\nexec "%s" "$@"\n' % harness.PROGRAM)
        os.chmod(self.path(program), 0o755)
        done = self.run_script(self.path(program), '--format', 'NPY')
        self.assertEqual(done.returncode, 1, done.stderr)
        for kind in ('u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'u64', 'i64'):
            self.assertIn('wrong: NPY, %s (a.npy): ' % kind, done.stdout)
        self.assertNotIn('wrong: NPY, f32', done.stdout)
