"""Every option that names an output, with a full device: exit code 3 and a message."""
import os
import re

import harness
from harness import FILE, REFERENCE
from test_help import COMMANDS, HelpTest

IMAGE = 'pattern:noise:32x24'
MEASURE = ('undersample', IMAGE, '-o')
SOLVE = ('reconstruct', 'k.npy', '-m', 'm.npy', '--outer', '1', '--inner', '1', '-l', '2')
BENCH = ('bench', '--size', '16', '--runs', '1', '-b', 'cpu', '--no-transfers', '--no-ceilings')
VIEW = ('view', 'pattern:text:16x16', '--window', '64x64')

# By command: option, the other arguments of the command, names that its output can have.
OUTPUTS = {
    'forward': (('--output', ('forward', IMAGE, *REFERENCE),
                 ('c.npy', 'c.npz', 'c.tiff', 'c.pfm', 'c.nii')),
                ('--output', ('forward', IMAGE, '-b', 'cpu', '--tile', '16'), ('c.tiff',)),
                ('--picture', ('forward', IMAGE, *REFERENCE), ('c.png',))),
    'inverse': (('--output', ('inverse', 'in.npy', *REFERENCE),
                 ('c.npy', 'c.tiff', 'c.pfm', 'c.png')),),
    'edit': (('--output', ('edit', 'in.npy', '--keep', '5'),
              ('c.npy', 'c.npz', 'c.tiff', 'c.pfm')),),
    'denoise': (('--output', ('denoise', IMAGE), ('n.npy', 'n.tiff', 'n.pfm', 'n.png')),),
    'bench': tuple(('--' + form, BENCH, ('b.' + form,))
                   for form in ('json', 'csv', 'markdown', 'svg')),
    'compare': (('--output', ('compare', IMAGE, 'pattern:text:32x24'),
                 ('d.png', 'd.npy', 'd.tiff', 'd.pfm')),),
    'explain': tuple(('--output', ('explain', 'cdf53/ns-lift', '--show', what), names)
                     for what, names in (('summary', ('e.txt',)), ('steps', ('e.wavelet',)),
                                         ('ops', ('e.csv', 'e.md', 'e.tex')),
                                         ('matrix', ('e.txt', 'e.md')), ('glsl', ('e.frag',)),
                                         ('cuda', ('e.cu',)),
                                         ('diagram', ('e.svg', 'e.txt')),
                                         ('footprint', ('e.csv', 'e.svg')), ('filters', ('e.svg',)),
                                         ('report', ('e.html',)))),
    'undersample': (('--output', ('undersample', IMAGE), ('k2.npy', 'k2.cfl')),
                    ('--mask-output', (*MEASURE, 'k2.npy'), ('m2.npy',)),
                    ('--truth-output', (*MEASURE, 'k2.npy'), ('t.npy', 't.pfm', 't.tiff')),
                    ('--picture', (*MEASURE, 'k2.npy'), ('p.png',)),
                    ('--maps-output', (*MEASURE, 'k2.npy', '--coils', '2'), ('s.npy', 's.cfl'))),
    'reconstruct': (('--output', SOLVE, ('u.npy', 'u.png', 'u.cfl', 'u.nii', 'u.tiff', 'u.pfm')),
                    ('--log', (*SOLVE, '-o', 'u.npy'), ('l.json', 'l.csv')),
                    ('--plot', (*SOLVE, '-o', 'u.npy'), ('l.svg',))),
    'view': (('--screenshot', VIEW, ('s.png',)),),
    'verify': (), 'info': (), 'help': (),
}
# Input files. A state is read first, so it cannot be a device; see test_reconstruct.
INPUTS = {'--wavelet', '--mask', '--truth', '--maps', '--reference', '--template', '--from-mask',
          '--input',
          '--results', '--baseline', '--image', '--state', '--events', '--reconstruct', '--resume'}
FILES = r'COEFFS\S*|IMAGE|FILE\S*|NAME\|FILE|KSPACE|MASK\S*|MAPS|STATE'


class Full(HelpTest):
    def test_every_option_with_a_file_is_here(self):
        for command in COMMANDS:
            with self.subTest(command):
                found = set(re.findall(r'(?m)^  (?:-\w, |    )(--[\w-]+) (?:%s)(?= |$)' % FILES,
                                       self.page(command)))
                self.assertEqual(found - INPUTS, {row[0] for row in OUTPUTS[command]})

    def test_each_fails(self):
        self.succeed('forward', IMAGE, '-o', 'in.npy', *REFERENCE)
        self.succeed('undersample', IMAGE, '-o', 'k.npy', '--mask-output', 'm.npy')
        before = set(self.files())
        for command, rows in OUTPUTS.items():
            if command == 'view' and not harness.has_viewer():
                print('skipped: no viewer in this build')
                continue
            for option, words, names in rows:
                for name in names:
                    with self.subTest('%s %s %s' % (' '.join(words), option, name)):
                        os.symlink('/dev/full', self.path(name))
                        result = self.run_program(*words, option, name)
                        self.assertEqual(result.code, FILE, result.err)
                        self.assertRegex(result.err, r'error: cannot write %s \(No space left on '
                                         r'device\)' % re.escape(name))
                        self.assertEqual(result.err.count(' error: '), 1, result.err)
                        os.unlink(self.path(name))
                    for left in set(self.files()) - before:
                        os.unlink(self.path(left))

    def test_where_one_cannot_be_the_others_are_not(self):
        """If one output cannot be opened, no file of the others remains."""
        forms = ('json', 'csv', 'markdown', 'svg')
        for i, form in enumerate(forms):
            others = [word for other in forms[:i] + forms[i + 1:]
                      for word in ('--' + other, 'b.' + other)]
            self.refuse(FILE, 'cannot write no/b…', *BENCH, *others, '--' + form, 'no/b')
