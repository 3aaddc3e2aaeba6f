"""`info --plan`: how a transform of a file would be executed."""
import json

from harness import USAGE, CliTest


class Plan(CliTest):
    def plan(self, *args):
        result = json.loads(self.succeed('info', '--plan', *args, '--json').out)
        self.assertEqual(result['command'], 'info')
        return result['forward'], result['inverse']

    def test_image(self):
        self.assertEqual(self.plan('pattern:color:64x48', '-b', 'reference', '-l', '2'),
                         ('(loop over planes: 3\n  (reference 64x48, 2 levels))',) * 2)

    def test_samples_of_8_bits(self):
        self.succeed('forward', 'pattern:zone-plate:32x32', '-o', 'c.npy', '-b', 'cpu')
        self.succeed('inverse', 'c.npy', '-o', 'x.png', '-b', 'cpu')
        for plan in self.plan('x.png', '-b', 'reference', '-l', '1'):
            self.assertEqual(plan, '(convert on the host: samples u8\n'
                                   '  (reference 32x32, 1 level))')
        for plan in self.plan('x.png', '-b', 'cpu', '-l', '1'):
            self.assertEqual(plan, '(cpu/fused 32x32, 1 level, samples u8)')

    def test_groups_of_slices(self):
        forward, inverse = self.plan('pattern:ball:16x16x20', '-b', 'cpu', '--gop', '8', '-l', '1',
                                     '--levels-z', '2', '--decomposition', 'spatial-temporal')
        self.assertIn('(loop over slices: 2 x 8 + 4\n  (slices, then along z\n', forward)
        self.assertIn('(loop over slices: 2 x 8 + 4\n  (along z, then slices\n', inverse)

    def test_text(self):
        lines = self.succeed('info', '--plan', 'pattern:edges:64x48', '-b', 'cpu').text()
        self.assertIn('forward:\n(cpu/fused 64x48, 3 levels)\ninverse:\n', lines)
        self.assertIn('cdf97, cpu on CPU', lines)

    def test_wrong_use(self):
        for args, message in [(('--plan',), '…--plan are for a file'),
                              (('-b', 'cpu'), '--backend requires --plan'),
                              (('pattern:edges', '-l', '2'), '--levels requires --plan'),
                              (('--plan', 'pattern:edges:8x8', '-l', '9'),
                               '9 levels are more than a 8x8 image has')]:
            self.refuse(USAGE, message, 'info', *args)
