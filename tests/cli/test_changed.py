"""A file of coefficients that changes while it is read: the result is that of the old contents, or
an error."""
import os

from harness import FILE, CliTest

CPU = ('-b', 'cpu')


class Changed(CliTest):
    def check(self, name, outputs, *options, ways=('change-cut', 'change-zero')):
        """Changes the file before reads of all of its parts, and once after the last read."""
        pair = [(part, self.read(part)) for part in (name, name + '.json')]
        self.succeed('inverse', name, '-o', 'good.npy', '-f', *options)
        good = self.read('good.npy')
        for way in ways:
            refused = right = 0
            step, at = 1, 1
            while True:
                for part, data in pair:
                    with open(self.path(part), 'wb') as file:
                        file.write(data)
                if os.path.exists(self.path('back.npy')):
                    os.unlink(self.path('back.npy'))
                result = self.run_program(
                    'inverse', name, '-o', 'back.npy', *options, fault='%s:%d' % (way, at),
                    env={'WAVEPASS_FAULT_FILE': '/' + name})
                happened = 'change fault' in result.err
                if result.code == 0:
                    right += 1
                    self.assertEqual(self.read('back.npy'), good, (name, options, way, at))
                else:
                    refused += 1
                    self.assertEqual(result.code, FILE, (name, options, way, at, result.err))
                    self.assertFalse(os.path.exists(self.path('back.npy')))
                if not happened:
                    break
                # The first bytes one by one: they are headers.
                step += at >= 8
                at += step
            self.assertGreater(at, 1)
            self.assertGreater(refused, 0, (name, options, way))
            self.assertGreater(right, 0, (name, options, way))
            outputs.append((name, way, refused, right))

    def test_inverse(self):
        seen = []
        self.succeed('forward', 'pattern:zone-plate:300x200', '-w', 'cdf97', '-l', '3', '-o', 'c.npy',
                     *CPU)
        self.check('c.npy', seen, *CPU)
        self.succeed('forward', 'pattern:zone-plate:300x200', '-w', 'cdf97', '-l', '3', '--tile',
                     '64', '-o', 'c.tif', *CPU)
        self.check('c.tif', seen, *CPU)
        print('file, change, refused, right:', seen)

    def test_region(self):
        # Its samples are a part of those with the hash in the metadata, so it detects missing data,
        # not changed values.
        seen = []
        self.succeed('forward', 'pattern:zone-plate:300x200', '-w', 'cdf97', '-l', '3', '--tile',
                     '64', '-o', 'c.tif', *CPU)
        self.check('c.tif', seen, '--region', '150,90,64,64',
                   ways=('change-cut',))
        print('file, change, refused, right:', seen)
