"""Every option with a number: values at its limits and just beyond them."""
import re

import formats
import harness
from harness import USAGE
from test_help import COMMANDS, HelpTest

INT_MOST = 2147483647
DEVICE = (('0', str(INT_MOST - 1)), ('-1', str(INT_MOST)))
LEVELS = (('1', 'max', str(INT_MOST)), ('0', '-1', '2147483648', 'maximal'))
LEVELS_OR_NONE = (('0', '1', 'max'), ('-1', '2147483648'))
NUMBER = (('0', '1e300', '0.5'), ('-0.001', 'nan', 'inf', 'one', ''))
NUMBERS = (NUMBER[0] + ('3,2,1.5',), NUMBER[1] + ('1,', '1,,2', '1,x', ','.join('1' * 33)))
POSITIVE = (('1e-300', '1e300', '0.5'), ('0', '-0.001', 'nan', 'inf', 'one', ''))


def whole(least, most):
    return (str(least), str(most)), (str(least - 1), str(most + 1), '%d.5' % least, 'x', '')


SOLVER = {
    '--tv': NUMBER, '--wav': NUMBER, '--mu': POSITIVE, '--lambda': POSITIVE, '--gamma': POSITIVE,
    '--peak': POSITIVE, '--sigma': NUMBER, '--outer': whole(1, 100000), '--inner': whole(1, 100000),
    '--iterations': whole(1, INT_MOST), '--seed': whole(0, INT_MOST), '--threads': whole(1, 1024),
}
TRANSFORM = {'--levels': LEVELS_OR_NONE, '--levels-z': LEVELS_OR_NONE, '--gop': whole(1, 1 << 20),
             '--device': DEVICE}
VOLUME = {'--volume-index': whole(0, 32766)}
# Valid and invalid values of each option, which are checked before other errors.
LIMITS = {
    'forward': dict(TRANSFORM, **VOLUME, **{'--tile': whole(16, 4096)}),
    'inverse': dict(TRANSFORM, **VOLUME, **{'--level': whole(0, 31)}),
    'edit': dict(TRANSFORM, **VOLUME, **{'--sigma': NUMBER}),
    'denoise': dict(TRANSFORM, **VOLUME, **{'--sigma': NUMBERS, '--shifts': LEVELS}),
    'verify': dict(VOLUME, **{'--levels': LEVELS_OR_NONE, '--levels-z': LEVELS_OR_NONE,
                              '--device': DEVICE, '--start-level': whole(0, 30)}),
    'bench': {'--device': DEVICE, '--min-samples': whole(1, 100000), '--runs': whole(1, 100000),
              '--seed': whole(1, INT_MOST)},
    'compare': VOLUME,
    'explain': {'--levels': LEVELS, '--levels-z': LEVELS_OR_NONE, '--seed': whole(1, 9999)},
    'undersample': dict(VOLUME, **{'--rate': POSITIVE, '--seed': whole(0, INT_MOST),
                                   '--noise': NUMBER, '--coils': whole(1, 64)}),
    'reconstruct': dict(SOLVER, **{'--levels': whole(1, 12)}),
    'view': dict(TRANSFORM, **SOLVER, **VOLUME, **{'--frames': whole(1, 1000000),
                                     '--ui-scale': POSITIVE}),
    'info': dict(TRANSFORM, **VOLUME), 'help': {},
}
# The names of values in help pages, and the options whose values are checked later, below.
PLACEHOLDERS = r'N|N\|max|X|R|S|S\[,S...\]|Z|FACTOR|SECONDS|PERCENT|PART|WxH|WxH\[xD\]|OUTERxINNER'
LATER = {'--window', '--pad', '--crop-kspace', '--min-difference', '--alpha', '--fail-if-slower',
         '--loops', '--slice', '--tol', '--size', '--warmup', '--min-time', '--max-noise',
         '--timeout', '--keep'}


class Numbers(HelpTest):
    def test_every_option_with_a_number_is_here(self):
        for command in COMMANDS:
            with self.subTest(command):
                page = self.page(command)
                found = set(re.findall(r'(?m)^  (?:-\w, |    )(--[\w-]+) (?:%s)(?= |$)' % PLACEHOLDERS,
                                       page))
                self.assertEqual(found - LATER, set(LIMITS[command]))

    def test_inside_and_outside(self):
        for command, options in LIMITS.items():
            for option, (inside, outside) in options.items():
                for value in inside + outside:
                    with self.subTest('%s %s=%s' % (command, option, value)):
                        # Too many arguments, so that nothing is done.
                        words = ['x'] * 5 if command != 'view' else ['--reconstruct', 'x', 'x']
                        result = self.run_program(command, '%s=%s' % (option, value), *words)
                        self.assertEqual(result.code, USAGE, result.err)
                        told = 'error: %s: ' % option in result.err
                        self.assertEqual(told, value in outside, result.err)


class Later(HelpTest):
    """Values that are checked after the command line."""

    def check(self, inside, outside, *command):
        for value in inside + outside:
            with self.subTest('%s%s' % (command[-1], value)):
                result = self.run_program(*command[:-1], command[-1] + value)
                self.assertEqual(result.code, USAGE if value in outside else 0, result.err)

    def test_lists_of_bench(self):
        dry = ('bench', '--dry-run', '-b', 'cpu', '-s', 'ns-conv')
        self.check(('2', '65536', '2x65536', '65536x2', '2..4:+2', '2x2x65536'),
                   ('0', '65537', '1x65537', '65537x1', '2x0', '4..2:x2', '2..4:x1', '2..4:+0',
                    '1x1x65537', '1x1x0'), *dry, '--size=')
        self.check(('1', '6', 'max', '1..6'), ('0', '-1', '2..1', 'x'), *dry, '--size', '64',
                   '--levels=')
        self.check(('0', '1', '4'), ('-1', 'x'), *dry, '--size', '64x64x16', '--levels-z=')
        self.check(('1', '1..4096'), ('0', '4097', '3..1'), *dry, '--threads=')
        for option in ('--warmup=', '--min-time=', '--max-noise=', '--timeout='):
            self.check(('0', '0.5', '1e300'), ('-0.001', 'nan', 'inf', 'one'), *dry, option)
        self.check(('1s',), ('1%', 's', '1ss'), *dry, '--timeout=')
        self.check(('1%',), ('1s', '%'), *dry, '--max-noise=')
        self.check(('1', '64'), ('0', '65', 'x'), 'bench', '--dry-run', '-b', 'fragment', '-s',
                   'ns-conv', '--size', '8', '--planes=')
        reconstruct = ('bench', '--dry-run', '--reconstruct', 'tv', '--size', '32', '-l', '2')
        self.check(('1x1', '100000x100000'), ('0x1', '1x0', '100001x1', '1x100001', '2', 'x2'),
                   *reconstruct, '--loops=')
        self.check(('1', '32', '2,4'), ('0', '-1', '1.5', 'x'), *reconstruct, '--rate=')

    def test_undersample(self):
        command = ('undersample', 'pattern:noise:16x12', '-o', 'k.npy', '-f')
        self.check(('1', '1.5', '12'), ('0.99',), *command, '--rate=')
        volume = (*command[:1], 'v.npy', '--volume', *command[2:])
        self.write('v.npy', formats.npy((3, 4, 5), range(60)))
        self.check(('0', '2'), ('-1', '3', 'x', '0.5'), *volume, '--slice=')
        self.check(('16x12', '17x12', '64x64'), ('15x12', '16x11', '0x0', '16', '16x12x0'),
                   *command, '--pad=')
        self.check(('1x1', '16x12', '15x11'), ('17x12', '16x13', '0x12', '16x0', 'x'), *command,
                   '--rate', '1', '--crop-kspace=')

    def test_slice_of_a_reconstruction(self):
        self.write('v.npy', formats.npy((3, 4, 8), range(96)))
        self.succeed('undersample', 'v.npy', '--volume', '-o', 'k.npy', '--rate', '1')
        command = ('reconstruct', 'k.npy', '-o', 'u.png', '-f', '--outer', '1', '--inner', '1',
                   '-l', '1')
        pictures = []
        for z in range(3):
            self.succeed(*command, '--slice', str(z))
            pictures.append(self.read('u.png'))
        self.assertEqual(len(set(pictures)), 3)
        self.check(('0', '2'), ('-1', '3', 'x', '0.5'), *command, '--slice=')

    def test_sizes_and_tolerances(self):
        command = ('compare', 'pattern:text:16x16', 'pattern:text:16x16')
        # Values below 0 are bounds of SSIM, and of PSNR.
        self.check(('0', '1e-300', '1e300'), ('nan', 'inf', 'one'), *command, '--tol=')
        self.check(('16x16',), ('0x16', '16x0', 'x'), 'verify', '-b', 'cpu', '-w', 'haar', '-s',
                   'ns-conv', '--size=')

    def test_shares_of_compare(self):
        self.succeed('bench', '--size', '16', '-b', 'cpu', '--runs', '6', '--no-transfers',
                     '--no-ceilings', '--json', 'a.json')
        command = ('compare', 'a.json', 'a.json')
        self.check(('0', '0.01', '2%', '99%'), ('-1%', 'x', '', '%'), *command, '--min-difference=')
        self.check(('0', '0.001', '0.5', '1%', '99%'), ('1', '-0.1', 'x', '100%'), *command,
                   '--alpha=')
        self.check(('0', '1%', '0.5', '1', '500%'), ('-1%', 'x', '1.01', '5'), *command,
                   '--fail-if-slower=')

    def test_window(self):
        if not harness.has_viewer():
            self.skipTest('no viewer in this build')
        command = ('view', 'pattern:text:16x16', '--screenshot', 's.png', '-f')
        for size in ('1x1', '16384x1', '1x16384'):
            # A small part of the canvas may be uniform, which is not written.
            self.assertIn(self.run_program(*command, '--window', size).code, (0, 1))
        self.check(('320x200',),
                   ('0x1', '1x0', '16385x1', '1x16385', '-1x5', '5', 'x', '5x', 'x5',
                    '9999999999999999x5'), *command, '--window=')
        self.check(('0.5', '4', '1'), ('0.49', '4.01'), *command, '--window', '64x64',
                   '--ui-scale=')
