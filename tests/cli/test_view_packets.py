"""Wavelet packets in the viewer: trees, the selected node, its edits, and the copied command."""
import json
import shlex

import formats
from harness import USAGE
from viewing import IMAGE, SMALL, ViewTest

PACKETS = ('set a.bank packets', 'set levels 2')
TEXT = 'pattern:text:96x80'


class Packets(ViewTest):
    def check_command(self, *words):
        """The copied command gives the coefficients that are shown."""
        for word in words:
            self.assertIn(word, self.facts['clipboard'])
        self.assertNotIn('soft:0 ', self.facts['clipboard'])
        for command in self.facts['clipboard'].split(' && '):
            self.succeed(*shlex.split(command)[1:], '-f')

    def test_copied_command_gives_the_same_coefficients(self):
        self.write('rgb.png', formats.png(45, 31, formats.noise(45 * 31 * 3, 255), planes=3))
        for image, events, words in (
                ('rgb.png', PACKETS, '--bank packets -w cdf97'),
                ('rgb.png', (*PACKETS, 'set basis best', 'set cost norm:1', 'set levels 3'),
                 '--tree best --cost norm:1'),
                (TEXT, ('set a.bank packets', 'set basis best', 'set a.wavelet db2', 'set norm pywt',
                        'set border periodic'), '--tree best --cost shannon'),
                (TEXT, (*PACKETS, 'set basis wavelet', 'set a.backend compute'), '--tree 11000'),
                (TEXT, (*PACKETS, 'set basis edited', 'set tree 10010', 'set a.backend cpu'),
                 '--tree 10010'),
                (IMAGE, (*PACKETS, 'set adjoint true', 'set border periodic', 'set a.backend cpu'),
                 '--adjoint')):
            with self.subTest(events):
                self.view((*events, 'wait 2', 'key K', 'save saved.npy'), image=image)
                self.assertEqual(self.facts['notice'][:7], 'copied:')
                self.assertLess(self.facts['round_trip'], 1e-4)
                self.check_command(words)
                self.assertEqual(self.read('saved.npy'), self.read('coefficients.npy'))

    def test_edits(self):
        """Nodes are zeroed, multiplied and thresholded with those below them, as by `edit`."""
        self.write('rgb.png', formats.png(48, 32, formats.noise(48 * 32 * 3, 255), planes=3))
        for image, events, words in (
                (TEXT, ('set node va', 'key Z'), '--zero va '),
                (TEXT, ('set node v', 'key Z'), '--zero va,vv,vh,vd '),
                (TEXT, ('set node_gains d=2 dv=0.5 ah=0', 'wait 1'),
                 '--zero ah --scale da=2.0,dh=2.0,dd=2.0 '),
                ('rgb.png', ('set threshold soft', 'set limit 0.02', 'set node_limits d=0.3 dd=0.1',
                             'set a.backend cpu'), 'da=0.3,dv=0.3,dh=0.3,dd=0.1'),
                (TEXT, ('set kept 5', 'set basis wavelet'), '--zero h,d '),
                ('rgb.png', ('do denoise',), '--threshold soft:av='),
                (TEXT, ('set node dh', 'key I'), '--impulse dh:12,10 ')):
            with self.subTest(events):
                self.view((*PACKETS, 'wait 1', *events, 'set mode reconstruction', 'wait 3', 'key K',
                           'save saved.npy', 'wait 1'), image=image)
                self.assertGreater(self.facts['loss_psnr'] or 1, 0)
                self.check_command(words)
                self.assertEqual(self.read('saved.npy'), self.read('edited.npy'))
                shown = formats.read_npy(self.read('reconstruction.npy'))
                self.assertGreater(max(shown[-1]), 0)

    def tree(self, *events, levels=2, of=TEXT):
        self.view(('set a.bank packets', 'set levels %d' % levels, 'set border periodic',
                   'set a.wavelet db2', 'wait 2', *events, 'wait 2'), image=of)
        self.assertLess(self.facts['round_trip'], 1e-5)
        return self.facts['packets']

    def test_split_and_join(self):
        full = self.tree()
        self.assertEqual((full['tree'], full['nodes'], full['share']), ('', 16, 1))
        joined = self.tree('set node v', 'key /')
        self.assertEqual((joined['tree'], joined['nodes'], self.state['basis']),
                         ('11011', 13, 'edited'))
        self.assertEqual((joined['split'], joined['size'], joined['level']), (False, [48, 40], 1))
        # Without its children, and with a level more, which is not split.
        again = self.tree('set node v', 'key /', 'wait 1', 'key /')
        self.assertEqual(again['tree'], '11111')
        more = self.tree('set node v', 'key /', 'wait 1', 'key L', 'wait 2')
        self.assertEqual((more['tree'], more['nodes']), ('11000001000010000', 13))
        fewer = self.tree('set node v', 'key /', 'wait 1', 'key Shift+L', 'wait 2')
        self.assertEqual((fewer['tree'], fewer['nodes']), ('1', 4))
        # The tree remains without levels, and after an error of another one.
        kept = self.tree('set node v', 'key /', 'wait 1', 'set levels 0', 'wait 1', 'set levels 1',
                         'wait 1', 'set basis best', 'set cost entropy', 'wait 2',
                         'set basis edited')
        self.assertEqual((kept['tree'], kept['nodes']), ('1', 4))
        # Nothing is split below the last level, and the image is not a node.
        self.assertEqual(self.tree('set node aa', 'key /')['nodes'], 16)
        self.assertIn('last level', self.facts['notice'])
        self.tree('key /')
        self.assertIn('select a node', self.facts['notice'])

    def test_trees(self):
        """The key selects trees in turn; the best basis is that of `forward`."""
        self.assertEqual(self.tree('set basis edited')['nodes'], 16) # none was edited
        self.assertEqual(self.tree('key Shift+K', 'wait 1', 'key Shift+K')['tree'], '11000')
        self.assertEqual(self.state['basis'], 'wavelet')
        best = self.tree('key Shift+K', levels=3)
        self.succeed('forward', TEXT, '--bank', 'packets', '--tree', 'best', '-l', '3', '-w', 'db2',
                     '--border', 'periodic', '-b', 'cpu', '-f', '-o', 'c.npy')
        self.assertEqual(best['tree'], json.loads(self.read('c.npy.json'))['tree'])
        # A node is split if, and only if, its children cost less: below no node of the tree that is
        # split once more.
        for name in ('a', 'd'):
            facts = self.tree('set basis best', 'set node ' + name)
            self.assertEqual(facts['split'], facts['children'] < facts['cost'])

    def test_another_image(self):
        """The best basis is that of the image that is shown."""
        trees = []
        for image in (TEXT, 'pattern:zone-plate:96x80'):
            self.view(('wait 1',), '--bank', 'packets', '--tree', 'best', *SMALL, image=image)
            trees.append(self.facts['packets']['tree'])
        self.view(('wait 1', 'key PgDn', 'wait 2'), '--bank', 'packets', '--tree', 'best', *SMALL,
                  image=(TEXT, 'pattern:zone-plate:96x80'))
        self.assertNotEqual(trees[0], trees[1])
        self.assertEqual(self.facts['packets']['tree'], trees[1])
        # Nodes of an image of one column have two children.
        self.view((*PACKETS, 'wait 1', 'set node v', 'key /', 'wait 1', 'key PgDn', 'wait 2'),
                  image=(TEXT, 'pattern:text:1x64'))
        self.assertIn('other axes', self.facts['notice'])
        self.assertEqual((self.facts['packets']['nodes'], self.state['basis']), (4, 'full'))

    def test_selection(self):
        """A click selects a leaf; keys select nodes above, below and beside it."""
        self.view((*PACKETS, 'set fit false', 'set zoom 2', 'set x 48', 'set y 40', 'wait 2',
                   'move 240 60', 'wait 1', 'click', 'wait 1'), '--no-ui', *SMALL)
        self.assertEqual(self.state['node'], 'vv')
        pixel = self.facts['pixel']
        # The center of the window is (48, 40): (88, 10) is in the second column of nodes of 24.
        self.assertEqual((pixel['band'], pixel['x'], pixel['y'], pixel['pinned']),
                         ('vv', 16, 10, True))
        wanted = self.coefficients(IMAGE, '-l', '2', '--bank', 'packets')
        self.assertAlmostEqual(wanted[-1][10 * 96 + 88], pixel['values'][0], delta=1e-5)
        for keys, node in ((('key Up',), 'v'), (('key Up', 'key Up'), ''), (('key Right',), 'ha'),
                           (('key Left',), 'vh'), (('key Up', 'key Right'), 'h'),
                           (('key Up', 'key Up', 'key Down', 'key Down'), 'aa'),
                           (('key 4',), 'vd'), (('key Up', 'key Up', 'key 3', 'key 2'), 'hv')):
            with self.subTest(keys):
                if node == 'ha':
                    keys = ('set node vd', *keys)
                elif node == 'vh':
                    keys = ('set node vd', *keys)
                self.view((*PACKETS, 'wait 1', 'set node vv', *keys))
                self.assertEqual(self.state['node'], node)
        # A node that the tree no longer has becomes the one above it.
        self.view((*PACKETS, 'set node vv', 'wait 1', 'set basis wavelet', 'wait 1'))
        self.assertEqual(self.state['node'], 'v')

    def test_one_node(self):
        """A double click shows the node alone, one that is split with its leaves."""
        self.view((*PACKETS, 'set node v', 'set mode band', 'wait 2'))
        self.assertEqual(self.facts['tiles'], 4)
        self.view((*PACKETS, 'set node vh', 'set mode band', 'wait 2'))
        self.assertEqual(self.facts['tiles'], 1)

    def test_panel(self):
        self.view((*PACKETS, 'set node v', 'do scales', 'wait 3', 'click controls/split',
                   'wait 2'), '--window', '1000x800')
        self.assertIn('controls/Tree', self.facts['controls'])
        self.assertIn('inspector/gain v', self.facts['controls'])
        self.assertEqual(self.facts['packets']['nodes'], 13)

    def test_comparison(self):
        """B has the tree of A. Nodes do not correspond to the bands of other banks."""
        events = (*PACKETS, 'set basis best', 'set compare difference', 'set b.bank packets',
                  'set b.backend cpu', 'wait 3')
        self.view(events, image=TEXT)
        self.assertLess(self.facts['max_difference'], 1e-4)
        self.view((*events, 'set b.wavelet haar', 'wait 2'), image=TEXT)
        self.assertGreater(self.facts['max_difference'], 0.1)
        of_all = self.facts['max_difference']
        self.view((*events, 'set b.wavelet haar', 'set node d', 'set mode band', 'wait 2'),
                  image=TEXT)
        self.assertLess(self.facts['max_difference'], of_all)
        self.view((*events, 'set b.bank decimated', 'wait 2'), image=TEXT)
        self.assertIsNone(self.facts['max_difference'])
        # B alone has packets, and an impulse in the first leaf of the selected node.
        self.view(('set levels 2', 'set compare difference', 'set b.bank packets', 'set node v',
                   'set impulse true', 'set mode reconstruction', 'wait 3'), image=TEXT)
        self.assertEqual(self.facts['tiles'], 1)
        self.assertGreater(self.facts['max_difference'], 0)

    def test_limits(self):
        for events, notice, setting, value in (
                ((*PACKETS, 'set levels 9'), '5 levels, the most for 96x80', 'levels', 5),
                ((*PACKETS, 'set basis edited', 'set tree 101', 'wait 1'), "the tree '101' has 3",
                 'tree', ''),
                ((*PACKETS, 'set basis best', 'set cost entropy'), "unknown cost 'entropy'", 'cost',
                 'shannon'),
                ((*PACKETS, 'set mode tree'), "'tree' is for other banks", 'mode', 'mosaic'),
                ((*PACKETS, 'wait 1', 'key F10'), 'level by level in host memory', 'mode', 'mosaic'),
                ((*PACKETS, 'wait 1', 'key F2'), "for other banks than 'packets'", 'signal', False),
                (('key /',), "trees are for the bank 'packets'", 'basis', 'full'),
                ((*PACKETS, 'set a.reversible true'), 'no reversible', 'a.reversible', False)):
            with self.subTest(events):
                self.view(('set a.backend cpu', 'wait 1', *events, 'wait 2'))
                self.assertIn(notice, self.facts['notice'])
                self.assertEqual(self.state[setting], value)
                self.assertLess(self.facts['round_trip'], 1e-4)

    def test_refusals(self):
        for arguments, message, hint in (
                (('--bank', 'packets', '-l', '6'), '6 levels of packets are up to 4096 nodes, and the '
                 'viewer shows 5 levels, 1024 nodes', "…--picture…"),
                (('--bank', 'packets', '--tree', '10', '-l', '2'), "the tree '10' has 2 digits…",
                 None),
                (('--tree', 'best'), '--tree best is for --bank packets', None),
                (('--bank', 'packets', '--cost', 'norm:1'), '--cost is for --tree best', None)):
            with self.subTest(arguments):
                self.refuse(USAGE, message, 'view', IMAGE, *arguments, '--screenshot', 'x.png',
                            **({'hint': hint} if hint else {}))
