"""The viewer with two instances, A and B."""
import itertools
import json
import re

import formats
from viewing import IMAGE, SMALL, PANELS, ViewTest


class Compare(ViewTest):
    def test_two_backends(self):
        for mode in ('mosaic', 'mixed', 'reconstruction'):
            self.view(('set compare difference', 'set b.backend reference', 'set mode ' + mode),
                      *SMALL)
            self.assertEqual(self.facts['b']['backend'], 'reference')
            self.assertGreater(self.facts['max_difference'], 0)
            self.assertLess(self.facts['max_difference'], 1e-5)
            self.assertGreater(self.facts['psnr'], 100)

    def test_borders_beyond_the_image(self):
        """Every extension of the border, compared with a backend whose samples come from the host.
        """
        for wavelet, border, image in (('cdf97', 'periodic', IMAGE), ('cdf53', 'periodic', IMAGE),
                                       ('haar', 'symmetric', 'pattern:noise:51x37'),
                                       ('dd137', 'symmetric', 'pattern:noise:51x37')):
            with self.subTest(wavelet):
                self.view(('set compare difference', 'set b.backend reference',
                           'set b.wavelet ' + wavelet), '-w', wavelet, '--border', border, *SMALL,
                          image=image)
                self.assertEqual(self.state['border'], border)
                self.assertLess(self.facts['max_difference'], 1e-5)
                self.assertLess(self.facts['round_trip'], 1e-5)

    def test_what_changes_among_the_passes_is_measured_after_them(self):
        self.view(('set compare side', 'set b.backend reference', 'set live true', 'wait 20',
                   'set mode pass', 'wait 1', 'set a.wavelet haar', 'set b.wavelet haar',
                   'wait 4', 'set mode mosaic', 'wait 1', 'facts after.json'), *PANELS)
        after = json.loads(self.read('after.json'))
        self.assertEqual(after['a']['name'], 'haar/nonsep-polyconvolution/optimized')
        self.assertLess(after['max_difference'], 1e-6)
        self.assertLess(after['round_trip'], 1e-6)

    def test_default_b_says_why(self):
        self.view(('key X',), *SMALL)
        self.assertIn(self.facts['b']['backend'],
                      ('cuda-gl', 'cuda', 'compute', 'cpu', 'reference'))
        a, b = (self.facts[side]['image_texture'] for side in 'ab')
        if self.facts['b']['backend'] == 'cuda-gl':
            self.assertEqual((a > 0, b), (True, a))
        else:
            self.assertIn('no cuda-gl (', self.facts['compare_note'])

    def test_both_read_one_texture(self):
        self.view(('set compare side', 'set b.backend fragment', 'set b.wavelet cdf53'), *SMALL)
        a, b = (self.facts[side]['image_texture'] for side in 'ab')
        self.assertEqual((a > 0, b), (True, a))
        self.view(('set compare side', 'set b.backend reference'), *SMALL)
        self.assertEqual(self.facts['b']['image_texture'], 0)

    def test_compute_shaders_read_it_too(self):
        """The image, the edited coefficients and the result of the inverse stay on the GPU."""
        for wavelet, image in (('cdf97', IMAGE), ('cdf53', 'pattern:noise:51x37')):
            for edit in ((), ('set threshold soft', 'set limit 0.02')):
                self.view(('set compare difference', 'set b.wavelet ' + wavelet,
                           'set b.backend compute', 'wait 2', *edit, 'set mode reconstruction',
                           'wait 2'), '-w', wavelet, *SMALL, image=image)
                if (self.facts.get('b') or {}).get('backend') != 'compute':
                    self.skipTest(self.facts['notice'])
                a, b = (self.facts[side]['image_texture'] for side in 'ab')
                self.assertEqual((a > 0, b), (True, a))
                self.assertLess(self.facts['max_difference'], 1e-5)
                self.assertGreater(self.facts['round_trip'], 1e-3 if edit else 0)

    def test_two_wavelets(self):
        self.view(('set compare wipe', 'set b.backend fragment', 'set b.wavelet cdf53'), *SMALL)
        self.assertGreater(self.facts['max_difference'], 0.01)

    def test_two_files(self):
        self.view(('set compare side', 'set b.file 1', 'set b.backend fragment',
                   'set mode original'), *SMALL, image=(IMAGE, 'pattern:noise:96x80'))
        self.assertGreater(self.facts['max_difference'], 0.3)
        self.view(('set compare side', 'set b.file 1', 'set b.backend fragment'), *SMALL,
                  image=(IMAGE, 'pattern:noise:64x64'))
        self.assertIn('A has 96x80 pixels and B 64x64', self.facts['notice'])

    def test_both_files_are_read_again(self):
        for name, seed in (('a.pgm', 1), ('b.pgm', 2), ('c.pgm', 3)):
            self.write(name, formats.pnm(64, 64, formats.noise(64 * 64, 255, seed=seed)))
        before = None
        for changed in '', 'b.pgm', 'a.pgm':
            change = ('copy c.pgm ' + changed, 'key Ctrl+R', 'wait 3') if changed else ()
            self.view(('set compare side', 'set b.file 1', 'set b.backend fragment',
                       'set mode original', 'wait 3', *change), *SMALL, image=('a.pgm', 'b.pgm'))
            difference = self.facts['max_difference']
            self.assertNotEqual(difference, before)
            before = difference
            if changed == 'b.pgm':
                self.write('b.pgm', self.read('c.pgm'))
        self.assertEqual(before, 0)  # both are c.pgm now

    def test_captions_are_whole(self):
        """A caption has as many lines as its narrow pane needs, and stays inside it."""
        names = ['long-' * 40 + side + '.png' for side in 'ab']
        for name in names:
            self.write(name, formats.png(32, 16, b'\x80' * 512, 1, 8))
        self.view(['set compare side', 'set b.file 1', 'set times true'], '--window', '900x600',
                  image=names)
        width, height, planes, _, samples = formats.read_png(self.read('view.png'))
        self.assertEqual((width, height, planes), (900, 600, 3))
        # A in blue, B in orange, below the image; the panes meet in the middle of the canvas.
        blue, orange = {}, {}
        for y in range(330, 480):
            for x in range(272, 576):
                at = 3 * (900 * y + x)
                r, _, b = samples[at:at + 3]
                if abs(r - b) > 60:
                    side = blue if b > r else orange
                    side[x > 424] = side.get(x > 424, 0) + 1
        self.assertEqual((set(blue), set(orange)), ({False}, {True}))
        # Ten rows of the names instead of one.
        self.assertGreater(min(blue[False], orange[True]), 1500)

    def test_ways_of_comparing(self):
        events = ['set b.backend fragment', 'set b.wavelet haar']
        ways = ('off', 'wipe', 'side', 'flip', 'difference', 'checker')
        metrics = ('E', 'AE', 'SE', 'RAE', 'RSE')
        for way in ways:
            events += ['set compare ' + way, 'wait 2', 'shot %s.png' % way]
        for metric in metrics:
            events += ['set compare difference', 'set metric ' + metric, 'wait 2',
                       'shot %s.png' % metric]
        events += ['set compare flip', 'hold Shift', 'wait 2', 'shot b.png', 'release Shift',
                   'wait 1', 'shot a.png']
        self.view(events, '--no-ui', *SMALL)
        pictures = {name: bytes(self.pixels(name + '.png')) for name in (*ways, *metrics, 'a', 'b')}
        self.assertEqual(len({pictures[way] for way in ways}), len(ways))
        # The images differ, not only the names in their corner.
        for one, two in itertools.combinations(metrics, 2):
            differ = sum(p != q for p, q in zip(pictures[one], pictures[two]))
            self.assertGreater(differ, len(pictures[one]) // 20, (one, two))
        self.assertTrue(pictures['E'] == pictures['difference'])
        self.assertTrue(pictures['a'] != pictures['b'])
        self.assertTrue(pictures['a'] == pictures['flip'])

    def test_metrics(self):
        """Each metric of two images shows the AE of images that differ by its value."""
        a, b = 0.5, 0.25
        e = a - b

        def shown(one, two, metric):
            for name, value in (('a.npy', one), ('b.npy', two)):
                self.write(name, formats.npy((8, 8), [value] * 64))
            self.view(('set mode original', 'set b.file 1', 'set compare difference',
                       'set range fixed', 'set metric ' + metric), '--no-ui', '--window', '96x96',
                      '-b', 'reference', image=('a.npy', 'b.npy'))
            width, height, planes, _, samples = formats.read_png(self.read('view.png'))
            middle = (height // 2 * width + width // 2) * planes
            return samples[middle:middle + planes]
        seen = set()
        for metric, value in (('SE', e * e), ('RAE', e / (b + 0.01)), ('RSE', e * e / (b * b + 0.01))):
            got, wanted = shown(a, b, metric), shown(value, 0, 'AE')
            self.assertLessEqual(max(abs(p - q) for p, q in zip(got, wanted)), 1, metric)
            seen.add(tuple(got))
        self.assertEqual(len(seen), 3)

    def test_gain_changes_both(self):
        shots = []
        for gain in (1, 3):
            for flipped in ('false', 'true'):
                name = '%s-%s.png' % (gain, flipped)
                shots += ['set gain %d' % gain, 'set flipped ' + flipped, 'wait 2', 'shot ' + name]
        self.view(['set compare flip', 'set b.backend reference'] + shots, '--no-ui', *SMALL)
        for gain in (1, 3):
            a, b = (formats.read_png(self.read('%s-%s.png' % (gain, f)))[4]
                    for f in ('false', 'true'))
            self.assertLessEqual(sum(abs(p - q) > 2 for p, q in zip(a, b)), len(a) // 50)
        self.assertTrue(self.pixels('1-true.png') != self.pixels('3-true.png'))

    def test_live_runs(self):
        self.view(('set compare side', 'set b.backend fragment', 'set live true', 'wait 5'),
                  *PANELS)
        self.assertLess(self.facts['max_difference'], 1e-6)

    def test_times_while_live(self):
        """A and B have one curve each, with a point per frame; the text has the same values."""
        self.view(('set b.backend cpu', 'set b.wavelet haar', 'set times true',
                   'set compare side', 'set live true', 'wait 20', 'interface live.txt',
                   'set live false', 'wait 3', 'interface rests.txt'), '-b', 'cpu', '--window',
                  '1000x1000')
        told = self.read('live.txt').decode()
        place = r' @(-?\d+),(-?\d+),(-?\d+),(-?\d+) '
        lines = [([int(number) for number in line[:4]], line[4]) for line in
                 re.findall('controls line' + place + '([ab]),', told)]
        self.assertEqual([side for _, side in lines], 20 * ['a'] + 20 * ['b'])
        x, y, width, height = map(int, re.findall('controls rectangle' + place + 'back', told)[-1])
        for (before, side), (line, of) in itertools.pairwise(lines):
            if side == of:
                for axis in 0, 1:
                    self.assertAlmostEqual(line[axis], before[axis] + before[axis + 2], delta=2)
        for line, _ in lines[19::20]:
            self.assertAlmostEqual(line[0] + line[2], x + width, delta=2)
        # The longest bar has nine tenths of the height.
        for line, _ in lines:
            for end in line[1], line[1] + line[3]:
                self.assertTrue(y + 0.1 * height - 2 <= end <= y + height, line)
        most = float(re.search('controls dim .* (\\S+) ms', told)[1])
        for side in 'ab':
            self.assertLessEqual(float(re.search('window %s .* (\\S+) ms' % side, told)[1]), most)
        rests = self.read('rests.txt').decode()
        self.assertNotIn('controls line', rests)
        for side in 'ab':
            ms = float(re.search('window %s .* (\\S+) ms' % side, rests)[1])
            self.assertAlmostEqual(1e3 * self.facts[side]['forward_seconds'], ms, delta=0.01 * ms)
        ms = float(re.search('forward (\\S+) ms', rests)[1])
        self.assertAlmostEqual(1e3 * self.facts['a']['forward_seconds'], ms, delta=0.01 * ms)

    def test_statistics_while_live(self):
        """The statistics of the selected subband equal those at rest, and cover every row of a
        small image."""
        events = ('set compare side', 'set b.backend fragment', 'set band HH', 'set level 1')
        self.view(events, '-l', '2', *PANELS)
        at_rest = self.facts['statistics']
        self.assertEqual((at_rest['samples'], sum(at_rest['bins'])), (48 * 40, 48 * 40))
        self.view(('set live true', *events, 'wait 40', 'set gain 2'), '-l', '2', *PANELS)
        self.assertEqual(self.facts['statistics'], at_rest)
        self.assertLess(self.facts['max_difference'], 1e-6)
        self.assertLess(self.facts['round_trip'], 1e-5)
        # Changes are displayed at once.
        self.view(('set live true', *events, 'wait 5', 'set a.wavelet haar', 'set channel gray',
                   'wait 1', 'facts now.json'), '-l', '2', *PANELS)
        now = json.loads(self.read('now.json'))
        self.assertNotEqual(now['statistics']['deviation'], at_rest['deviation'])
        self.assertGreater(now['max_difference'], 0.01)

    def test_statistics_of_a_large_image_while_live(self):
        self.view(('set mode original', 'set live true', 'wait 40', 'facts live.json',
                   'set live false'), *PANELS, image='pattern:noise:1100x1000')
        live = json.loads(self.read('live.json'))['statistics']
        self.assertEqual(live['samples'], 1100 * 1000)
        self.assertEqual((live['rows_step'], sum(live['bins'])), (2, 1100 * 1000 // 2))
        rest = self.facts['statistics']
        self.assertEqual((rest['rows_step'], sum(rest['bins'])), (1, 1100 * 1000))
        for name in ('mean', 'deviation', 'least', 'most'):
            self.assertEqual(live[name], rest[name])

    def test_two_variants(self):
        self.view(('set compare side', 'set b.backend fragment', 'set b.variant tile-2x2',
                   'set b.scheme sep-lifting', 'wait 2', 'set mode mixed'), '--variant', 'passes',
                  '-w', 'cdf53', *SMALL)
        self.assertLess(self.facts['max_difference'], 1e-5)
        self.assertEqual(self.state['b.variant'], 'tile-2x2')

    def test_what_a_variant_counts(self):
        """The counts are those of `explain`; a variant without passes is reported."""
        table = self.succeed('explain', '--show', 'tiles').text()
        for variant in ('tile-2x2', 'tile-2x2-four'):
            operations, fetches = re.search(
                r'(?m)^fragment/%s +nonsep-polyconvolution +(\S+) +\S+ +\S+ +(\S+)$' % variant,
                table).groups()
            self.view(('set a.variant ' + variant, 'wait 2', 'facts facts-1.json', 'key F10',
                       'wait 2'), *PANELS)
            a = json.loads(self.read('facts-1.json'))['a']
            self.assertEqual((a['at_once'], a['operations'], a['fetches']),
                             (True, float(operations), float(fetches)))
            self.assertEqual(self.facts['notice'],
                             "variant '%s' has no textures between its passes" % variant)
        self.view(('wait 1',), '--variant', 'passes', *PANELS)
        a = self.facts['a']
        self.assertEqual((a['at_once'], a['operations'], a['fetches']), (False, 62, 18))
        self.view(('key F10', 'wait 1'), '-b', 'reference', *PANELS)
        self.assertEqual(self.facts['notice'],
                         "backend 'reference' has no textures between its passes")

    def test_unavailable_backend_is_a_message(self):
        self.view(('set a.backend cuda', 'wait 2'), *SMALL)
        if self.facts['a']['backend'] != 'cuda':
            self.assertIn("backend 'cuda' is not available", self.facts['notice'])
            self.assertEqual(self.state['a.backend'], 'fragment')
