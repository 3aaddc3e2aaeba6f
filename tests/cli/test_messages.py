"""All messages of the commands, with -v and with --json, as one golden text: tests/golden/messages.txt.
To rewrite it after an intended change:

    WP_UPDATE_GOLDEN=1 ctest -R cli_messages

Values that differ between runs or computers are replaced by placeholders: times and values that
follow from them, the device of the CPU, rounding errors. Other numbers have three digits.
"""
import os
import re
import textwrap

import formats
from harness import REFERENCE, CliTest

CPU = ('-b', 'cpu')
SMALL = ('--outer', '2', '--inner', '2', '-l', '1', *CPU)
# In this order: runs use files of earlier ones. Each runs with -v and, if supported, with --json.
RUNS = (
    ('forward', 'a.png', '-o', 'c.npy', '-s', 'sep-lift', '--check', *REFERENCE),
    ('forward', 'rgb.png', '-o', 'rgb.npy', '--picture', 'p.png', '-l', '2', *CPU),
    ('forward', 'rgba.png', '-o', 'rgba.npy', '-w', 'cdf53', '-s', 'ns-poly', '--check', *REFERENCE),
    ('forward', 'rgb.png', '-o', 'luma.npy', '--channel', 'luma', '-l', '1', *CPU),
    ('forward', 'nan.npy', '-o', 'x.npy', '-l', '1', '--half', '--check', *REFERENCE),
    ('forward', 'tiny.png', '-o', 'y.npy', *CPU),
    ('forward', 'a.png', '-o', 't.tiff', '--tile', '16', '-l', '2', *CPU),
    ('forward', 'a.png', '-o', 'z.npz', '--subbands', 'pywt', '-l', '2', *CPU),
    ('forward', 'a.png', '-o', 'i.npy', '--reversible', *REFERENCE),
    ('forward', 'v.npy', '--volume', '-o', 'd.npy', '-l', '1', *CPU),
    ('forward', 'v.npy', '--volume', '-o', 'g.npy', '--gop', '4', '-l', '1', '--check', *CPU),
    ('forward', 'tall.pgm', '-o', 's.npy', '--memory', '290K'),
    ('forward', 'a.png', 'rgb.png', 'gone.png', '-o', 'out/', '--check', *CPU),
    ('forward', 'gone.png', '-o', 'h.npy'),
    ('inverse', 'c.npy', '-o', 'c.png', '--depth', '16', *REFERENCE),
    ('inverse', 'rgba.npy', '-o', 'rgba.tiff', *REFERENCE),
    ('inverse', 'x.npy', '-o', 'x.png', *REFERENCE),
    ('inverse', 'bare.npy', '-o', 'b.npy', '-l', '2', *CPU),
    ('inverse', 'i.npy', '-o', 'i.png', *REFERENCE),
    ('inverse', 'g.npy', '-o', 'f-%d.png', *CPU),
    ('inverse', 's.npy', '-o', 's.tiff', '--memory', '290K'),
    ('inverse', 't.tiff', '-o', 'r.npy', '--region', '3,4,20,16', '--level', '1'),
    ('inverse', 'out/a.npy', 'out/rgb.npy', '-o', 'back/', *CPU),
    ('edit', 'c.npy', '-o', 'e.npy', '--threshold', 'soft:universal', '--keep', '50', '--scale',
     'HH1=2', '--reference', 'a.png', *REFERENCE),
    ('edit', 'rgb.npy', '-o', 'f.npy', '--threshold', 'hard:sure', '--zero', 'HL1', *CPU),
    ('edit', 'out/a.npy', 'out/rgb.npy', '-o', 'many/', '--only', 'LL3', *CPU),
    ('compare', 'a.png', 'c.png', '--metric', 'mae', '--tol', '9'),
    ('compare', 'a.png', 'b.npy', '-o', 'difference.png'),
    ('compare', 'a.png', 'b.npy', '--metric', 'psnr', '--tol', '99'),
    ('compare', 'v.npy', 'v.npy', '--volume'),
    ('compare', 'tall.pgm', 'other.pgm', '--memory', '100K'),
    ('undersample', 'a.png', '-o', 'k.npy', '--mask-output', 'm.npy', '--noise', '0.1'),
    ('undersample', 'a.png', '-o', 'kc.npy', '--maps-output', 'maps.npy', '--coils', '2', '--pad',
     '50x48', '--mask', 'radial', '--seed', '4', '--centred'),
    ('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '--truth', 'a.png', *SMALL),
    ('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u1.npy', '-w', 'haar', '--sigma', '1e-9',
     '--outer', '1', '--inner', '1', '-l', '4', *CPU),
    ('reconstruct', 'kc.npy', '--maps', 'maps.npy', '--centred', '-o', 'w.npy', *SMALL),
    ('verify', 'a.png', '-b', 'cpu,reference', '-w', 'haar', '-s', 'ns-conv', '-l', '2'),
    ('explain', 'haar', '--show', 'ops'),
    *(('info', name) for name in ('a.png', 'rgba.png', 'nan.npy', 'v.npy', 'c.npy', 't.tiff',
                                  'z.npz', 'g.npy', 'gone.png')),
)
# Here 0 means that nothing was measured.
MEASURED = r'(?:\w*seconds|read|write|transform|check|together|slices_per_second)'


def near(match):
    return '%.3g' % float(match[0])


def mask(text):
    text = re.sub(r'CPU, \d+ threads?(, [\w.-]+ vectors? of \d+ floats?|, scalar\w*)?', 'CPU, ~', text)
    text = re.sub(r'("%s": ?)(?!0\.0\b)\d[^,\s]*' % MEASURED, r'\1~', text)
    text = re.sub(r'("(?:round_trip_max_error|max_error|memory|bytes)": ?)\d[^,\s]*', r'\1~', text)
    text = re.sub(r'"binds": "\w+"', '"binds": ~', text)
    text = re.sub(r"bottleneck '\w+'", 'bottleneck ~', text)
    text = re.sub(r'\b\d+(\.\d+)? (ms|s|MiB|slices per second|per second)\b', r'~ \2', text)
    text = re.sub(r'in (\d\.\d\d)\b(?!\d| samples)', 'in ~', text)
    text = re.sub(r'(transform has|strips of) \d+(\.\d+)?', r'\1 ~', text)
    text = re.sub(r'((?:err\|| pass) )[\d.]+(e-\d+)?', r'\1~', text)
    text = re.sub(r'"place": "[^"]*"', '"place": ~', text)
    text = re.sub(r'\b\d+(\.\d+(e[+-]?\d+)?|e[+-]?\d+)', near, text)
    return re.sub(r' +', ' ', text)


class Messages(CliTest):
    def setUp(self):
        super().setUp()
        noise = formats.noise(48 * 40 * 4, 255)
        for name, planes in (('a', 1), ('rgb', 3), ('rgba', 4)):
            self.write(name + '.png', formats.png(48, 40, noise[:48 * 40 * planes], planes))
        self.write('tiny.png', formats.png(3, 2, noise[:6]))
        self.write('tall.pgm', formats.pnm(64, 600, formats.noise(64 * 600, 255)))
        self.write('other.pgm', formats.pnm(64, 600, formats.noise(64 * 600, 255, 2)))
        self.write('v.npy', formats.npy((9, 12, 16), [i % 97 / 97 for i in range(9 * 12 * 16)]))
        self.write('nan.npy', formats.npy((8, 16), [float('nan'), 4.5] + [0.25] * 126))
        self.write('bare.npy', formats.npy((40, 48), [i % 89 / 89 for i in range(48 * 40)]))
        for folder in ('out', 'back', 'many'):
            os.mkdir(self.path(folder))

    def tell(self, *arguments):
        result = self.run_program(*arguments)
        # The files of a folder are read, computed and written concurrently.
        folder = any(word.endswith('/') for word in arguments)
        said, told = ('\n'.join(sorted(part.splitlines()) if folder else part.splitlines())
                      for part in (mask(result.err), mask(result.text())))
        if '--json' in arguments and not folder:
            told = textwrap.fill(' '.join(told.split()), 100, break_long_words=False,
                                 break_on_hyphens=False)
        lines = ['$ wavepass ' + ' '.join(arguments), said, told,
                 'exit %d' % result.code if result.code else '']
        return '\n'.join(line for line in lines if line) + '\n'

    def test_of_every_command(self):
        text = []
        for run in RUNS:
            force = ('-f',) if '-o' in run else ()
            text += [self.tell(*run, '-v'), self.tell(*run, '--json', *force)]
        self.check_golden('messages.txt', '\n'.join(text))
