"""Coefficients and their metadata file are consistent or rejected, wherever the program ends."""
import json
import os
import random
import signal
import struct
import subprocess
import time

import formats
import harness
from harness import FILE, USAGE, CliTest

CPU = '-b', 'cpu'
TIMES = int(os.environ.get('WAVEPASS_TIMES', '1'))  # factor of random tests
OLD = 'pattern:zone-plate:128x128', '-w', 'cdf97', '-l', '3'
NEW = 'pattern:noise:128x128', '-w', 'haar', '-l', '2'
OTHER = "c.npy.json describes other coefficients of the same size"
CHANGED = "--ignore-changes accepts coefficients that were changed on purpose"


class PairTest(CliTest):
    NAME = 'c.npy'
    GOP = ()  # of forward
    IMAGES = OLD, NEW

    def setUp(self):
        super().setUp()
        os.mkdir(self.path('in'))
        for seed in 1, 2:
            self.write('in/%d.npy' % seed, formats.npy(
                (12, 24, 32), [seed * v / 255 for v in formats.noise(12 * 24 * 32, 255)]))
        self.pairs = []  # coefficients and metadata of each image
        self.pixels = []  # the inverse of each
        for image in self.IMAGES:
            self.forward(image)
            self.pairs.append((self.read(self.NAME), self.read(self.NAME + '.json')))
            self.pixels.append(self.inverse())
            self.assertIsNotNone(self.pixels[-1])
        self.assertNotEqual(*self.pixels)
        os.remove(self.path(self.NAME + '.json'))
        os.remove(self.path(self.NAME))
        self.assertEqual(self.left(), [])

    def left(self):
        """The remaining files except the inputs, and the result of `inverse`."""
        return [name for name in self.files() if name not in ('in', 'again.npy')]

    def arguments(self, image):
        return 'forward', *image, *self.GOP, '-o', self.NAME, '-f', '-q', *CPU

    def forward(self, image, **how):
        return self.run_program(*self.arguments(image), **how)

    def inverse(self, *options):
        """The image, or None if the coefficients are rejected."""
        result = self.run_program('inverse', self.NAME, '-o', 'again.npy', '-f', '-q', *options,
                                  *CPU)
        if result.code == 0:
            return self.read('again.npy')
        self.assertIn(result.code, (FILE, USAGE), result.err)
        self.assertIn('error: ', result.err)
        return None

    def put(self, data, description):
        self.write(self.NAME, data)
        self.write(self.NAME + '.json', description)

    def put_old(self, hashed):
        data, description = self.pairs[0]
        if not hashed:  # like versions before the hash
            plain = json.loads(description)
            del plain['samples']
            description = json.dumps(plain, indent=2)
        self.put(data, description)

    def judge(self, told):
        """The result of `inverse` is one of the images, or an error."""
        image = self.inverse()
        if image is not None:
            self.assertTrue(image in self.pixels, 'a wrong image: ' + told)
        return self.pixels.index(image) if image is not None else None


class Mixed(PairTest):
    def test_data_and_description_of_others(self):
        for data, description in (0, 1), (1, 0):
            self.put(self.pairs[data][0], self.pairs[description][1])
            self.refuse(FILE, OTHER, 'inverse', 'c.npy', '-o', 'b.npy', *CPU, hint=CHANGED)
            self.refuse(FILE, OTHER, 'info', 'c.npy')

    def test_changed_on_purpose(self):
        self.put(self.pairs[0][0][:-4] + struct.pack('<f', 0.5), self.pairs[0][1])
        self.assertIsNone(self.inverse())
        self.assertNotIn(self.inverse('--ignore-changes'), (None, *self.pixels))

    def test_former_descriptions(self):
        self.put_old(hashed=False)
        self.assertEqual(self.judge('without a hash'), 0)

    def test_nonsense(self):
        good = json.loads(self.pairs[0][1])
        self.assertRegex(good['samples'], '^xxh3:[0-9a-f]{16}$')
        for bad in ('', 'xxh3:', good['samples'] + '0', good['samples'][:-1],
                    'md5:0123456789abcdef', 'xxh3:' + 16 * 'x', 'xxh3:' + 16 * '-'):
            self.put(self.pairs[0][0], json.dumps({**good, 'samples': bad}))
            self.refuse(FILE, 'c.npy.json: "samples" is invalid (xxh3: and 16 digits)', 'inverse',
                        'c.npy', '-o', 'b.npy', *CPU)
        self.put(self.pairs[0][0], json.dumps({**good, 'samples': 7}))
        self.refuse(FILE, 'c.npy.json: "samples" is not a text', 'inverse', 'c.npy', '-o', 'b.npy',
                    *CPU)

    def test_values_of_all_kinds_in_all_files(self):
        values = [0.0, -0.0, 1e-45, -1e-45, 3e38, float('inf'), float('-inf'), float('nan')] * 8
        self.write('a.npy', formats.npy((8, 8), values))
        hashes = set()
        for name in ('d.npy', 'd.tiff', 'd.pfm', 'd.nii', 'd.nii.gz'):
            # A transform that only moves samples, if any.
            self.succeed('forward', 'a.npy', '-w', 'haar', '-l', '1', '-o', name, *CPU)
            self.succeed('inverse', name, '-o', 'b.npy', '-f', *CPU)
            hashes.add(json.loads(self.read(name + '.json'))['samples'])
        self.assertEqual(len(hashes), 1)


class Groups(PairTest):
    """Like the test before, for files that are processed by slices."""
    IMAGES = ('in/1.npy', '--volume', '-l', '2'), ('in/2.npy', '--volume', '-l', '1')
    GOP = '--gop', '4'

    def test_data_and_description_of_others(self):
        for data, description in (0, 1), (1, 0):
            self.put(self.pairs[data][0], self.pairs[description][1])
            for name in 'b.npy', 'b.nii', 'frame-%02d.png', 'b.tiff':
                self.refuse(FILE, OTHER, 'inverse', 'c.npy', '-o', name, *CPU, hint=CHANGED)

    def test_changed_on_purpose(self):
        self.put(self.pairs[0][0], self.pairs[1][1])
        self.assertNotIn(self.inverse('--ignore-changes'), (None, *self.pixels))

    def test_same_hash_as_all_at_once(self):
        self.put(*self.pairs[0])
        self.run_program('info', 'c.npy')  # reads the complete file
        for name in 'd.nii', 'd.npy':
            self.succeed('forward', *self.IMAGES[0], *self.GOP, '-o', name, *CPU)
            self.assertEqual(json.loads(self.read(name + '.json'))['samples'],
                             json.loads(self.pairs[0][1])['samples'])


class EveryCall(PairTest):
    """Each call that completes a file fails, or the program is killed there."""

    def each(self, fault, hashed):
        seen = []
        while True:
            self.put_old(hashed)
            how = self.environment(fault='file-%s:%d' % (fault, len(seen) + 1))
            done = subprocess.run([harness.PROGRAM, *self.arguments(self.IMAGES[1])],
                                  cwd=self.directory, env=how, capture_output=True, check=False)
            told = done.stderr.decode()
            if 'file fault: ' not in told:
                break
            seen.append(told.split('file fault: ', 1)[1].splitlines()[0])
            found = self.judge('%s %s, call %d: %s' % (fault, seen[-1], len(seen), told))
            if fault == 'fail':
                self.assertEqual(done.returncode != 0, found != 1, told)
                self.assertEqual(self.left(), [self.NAME, self.NAME + '.json'], told)
            else:
                self.assertEqual(done.returncode, -signal.SIGKILL)
                for name in self.left():
                    if name not in (self.NAME, self.NAME + '.json'):
                        os.remove(self.path(name))
        self.assertEqual(done.returncode, 0, told)
        self.assertEqual(self.judge('no fault'), 1)
        self.assertGreaterEqual(seen.count('rename'), 2, seen)
        self.assertGreaterEqual(seen.count('fsync'), 2, seen)
        self.assertGreaterEqual(seen.count('fclose'), 2, seen)

    def test_fails(self):
        self.each('fail', True)
        self.each('fail', False)

    def test_kills(self):
        self.each('kill', True)
        self.each('kill', False)

    def test_nothing_is_left_of_a_new_pair(self):
        failed = 0
        for call in range(1, 100):
            result = self.forward(self.IMAGES[1], fault='file-fail:%d' % call)
            if 'file fault' not in result.err:
                break
            if result.code != 0:
                self.assertEqual(self.left(), [], result.err)
                failed += 1
            else:  # the failed call was a read
                os.remove(self.path(self.NAME))
                os.remove(self.path(self.NAME + '.json'))
        self.assertGreaterEqual(failed, 6)


class EveryCallOfGroups(EveryCall):
    IMAGES = Groups.IMAGES
    GOP = Groups.GOP


class EveryCallOfFrames(CliTest):
    """If one of several slice files fails, none remains."""
    FRAMES = 'forward', 'pattern:noise:16x12x3', '-l', '1', '-o', 'frame-%d.tiff', *CPU

    def test_new(self):
        failed = set()
        for call in range(1, 100):
            result = self.run_program(*self.FRAMES, fault='file-fail:%d' % call)
            if 'file fault' not in result.err:
                break
            if result.code != 0:
                self.assertEqual(list(self.files()), [], result.err)
                failed.add(call)
            for name in self.files():
                os.remove(self.path(name))
        self.assertEqual(result.code, 0, result.err)
        self.assertGreaterEqual(len(failed), 6)  # of three slices and their metadata

    def inverse(self):
        result = self.run_program('inverse', 'frame-%d.tiff', '-o', 'b.npy', '-f', *CPU)
        return self.read('b.npy') if result.code == 0 else None

    def test_over_others(self):
        # The previous metadata cannot be restored: mixed files are rejected.
        old = *self.FRAMES, '-f', '-w', 'haar'
        images = []
        for command in (*self.FRAMES, '-f'), old:
            self.succeed(*command)
            images.append(self.inverse())
        self.assertNotIn(None, images)
        refused = 0
        for call in range(1, 100):
            result = self.run_program(*self.FRAMES, '-f', fault='file-fail:%d' % call)
            if 'file fault' not in result.err:
                break
            image = self.inverse()
            self.assertIn(image, (None, *images), result.err)
            refused += image is None
            self.succeed(*old)
        self.assertEqual(result.code, 0, result.err)
        self.assertGreaterEqual(refused, 2)


class Killed(PairTest):
    def test_at_random(self):
        kills = 100 * TIMES
        chance = random.Random(21)
        start = time.monotonic()
        self.forward(self.IMAGES[1])
        seconds = time.monotonic() - start
        found = {}
        for i in range(kills):
            self.put_old(hashed=i % 4 > 0)
            with subprocess.Popen([harness.PROGRAM, *self.arguments(self.IMAGES[1])],
                                  cwd=self.directory, env=self.environment(),
                                  stderr=subprocess.DEVNULL) as writer:
                time.sleep(chance.random() * 1.2 * seconds)
                writer.send_signal(chance.choice((signal.SIGTERM, signal.SIGKILL,
                                                  signal.SIGINT, signal.SIGHUP)))
            outcome = self.judge('kill %d' % i)
            found[outcome] = found.get(outcome, 0) + 1
        print('%d kills: %s' % (kills, found))
        self.assertEqual(sum(found.values()), kills)


class TwoWriters(PairTest):
    def test_at_once(self):
        rounds = 50 * TIMES
        found = {}
        for i in range(rounds):
            writers = [subprocess.Popen([harness.PROGRAM, *self.arguments(image)],
                                        cwd=self.directory, env=self.environment())
                       for image in self.IMAGES]
            for writer in writers:
                self.assertEqual(writer.wait(), 0)
            outcome = self.judge('round %d' % i)
            found[outcome] = found.get(outcome, 0) + 1
        print('%d rounds: %s' % (rounds, found))
        self.assertEqual(sum(found.values()), rounds)


class Stale(CliTest):
    """A file that replaces coefficients removes their metadata file."""
    IMAGE = 'pattern:noise:16x16x4'
    GONE = 'removed %s.json: it described the previous %s'

    def setUp(self):
        super().setUp()
        self.succeed('forward', self.IMAGE, '-o', 'c.npy', '-l', '1', *CPU)

    def test_image(self):
        result = self.succeed('inverse', 'c.npy', '-o', 'c.npy', '-f', *CPU)
        self.assertIn(self.GONE % ('c.npy', 'c.npy'), result.err)
        self.assertEqual(list(self.files()), ['c.npy'])
        self.refuse(USAGE, 'missing c.npy.json: the transform parameters are unknown',
                    'inverse', 'c.npy', '-o', 'd.npy', *CPU)

    def test_slices(self):
        self.succeed('forward', self.IMAGE, '-o', 'c.npy', '-l', '1', '--gop', '2', '-f', *CPU)
        self.succeed('inverse', 'c.npy', '-o', 'c.npy', '-f', *CPU)
        self.assertEqual(list(self.files()), ['c.npy'])

    def test_frames(self):
        for name in 'frame-%d.tiff', 'frame-2.tiff':
            os.rename(self.path('c.npy.json'), self.path(name + '.json'))
            self.succeed('forward', self.IMAGE, '-o', 'c.npy', '-l', '1', '-f', *CPU)
            self.succeed('inverse', 'c.npy', '-o', 'frame-%d.tiff', '-f', *CPU)
            self.assertEqual(list(self.files()), ['c.npy', 'c.npy.json',
                                                  *('frame-%d.tiff' % i for i in (1, 2, 3, 4))])

    def test_through_a_link(self):
        os.symlink('c.npy', self.path('d.npy'))
        self.succeed('inverse', 'c.npy', '-o', 'd.npy', '-f', *CPU)
        self.assertEqual(list(self.files()), ['c.npy', 'd.npy'])

    def test_pair_of_links(self):
        os.symlink('c.npy', self.path('d.npy'))
        os.symlink('c.npy.json', self.path('d.npy.json'))
        self.succeed('forward', 'pattern:noise:8x8', '-o', 'd.npy', '-f', *CPU)
        self.assertTrue(os.path.islink(self.path('d.npy.json')))
        for name in 'c.npy', 'd.npy':
            self.succeed('inverse', name, '-o', 'e.npy', '-f', *CPU)

    def test_link_with_a_description_of_its_own(self):
        os.symlink('c.npy', self.path('d.npy'))
        self.succeed('forward', 'pattern:noise:8x8', '-o', 'd.npy', '-f', *CPU)
        self.assertEqual(list(self.files()), ['c.npy', 'd.npy', 'd.npy.json'])

    def test_other_files_stay(self):
        for mine in '{"mine": 1}', '', '{"wavelet": "cdf97"}', 'x' * 100000:
            self.succeed('forward', self.IMAGE, '-o', 'c.npy', '-l', '1', '-f', *CPU)
            self.write('d.npy.json', mine)
            self.succeed('inverse', 'c.npy', '-o', 'd.npy', '-f', *CPU)
            self.assertEqual(self.read('d.npy.json'), mine.encode())
