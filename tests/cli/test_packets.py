"""Wavelet packets: files, the tree in their metadata, the best basis, edits, pictures, rejections."""
import json
import math

import formats
from harness import FILE, USAGE, CliTest

X = [((13 * i * i + 7 * i) % 31) / 31 for i in range(24 * 32)]


class Packets(CliTest):
    def setUp(self):
        super().setUp()
        self.write('x.npy', formats.npy((24, 32), X))

    def forward(self, *options):
        self.succeed('forward', 'x.npy', '--bank', 'packets', '-b', 'cpu', '-o', 'c.npy', '-f', *options)
        return json.loads(self.read('c.npy.json'))

    def test_tree_is_in_the_metadata(self):
        self.assertNotIn('tree', self.forward('-l', '2'))
        for options in (('-l', '2'), ('-l', '2', '--tree', '11000'), ('-l', '3', '--tree', 'best'), ('-l', '1', '--tree', '0')):
            with self.subTest(options):
                metadata = self.forward(*options)
                self.assertEqual(metadata['bank'], 'packets')
                self.succeed('inverse', 'c.npy', '-b', 'cpu', '-o', 'y.npy', '-f')
                self.succeed('compare', 'x.npy', 'y.npy', '--tol', '1e-5')
                told = self.succeed('info', 'c.npy').text()
                self.assertIn('tree' in metadata, (True, False))
                self.assertEqual('tree:        %s\n' % metadata.get('tree') in told, 'tree' in metadata)
        self.refuse(USAGE, "--tree 10000 contradicts c.npy.json ('0')…", 'inverse', 'c.npy', '--tree', '10000',
                    '-o', 'z.npy')

    def test_backends_share_files(self):
        self.forward('-l', '3', '--tree', 'best', '--cost', 'norm:1')
        self.succeed('inverse', 'c.npy', '-b', 'fragment', '-o', 'y.npy')
        self.succeed('compare', 'x.npy', 'y.npy', '--tol', '1e-5')

    def test_costs_differ(self):
        trees = {self.forward('-l', '3', '--tree', 'best', '--cost', cost)['tree']
                 for cost in ('shannon', 'log-energy', 'threshold:0.9', 'norm:0.5')}
        self.assertGreater(len(trees), 2)

    def test_edits_name_nodes(self):
        self.forward('-l', '2', '--tree', '11000', '--norm', 'orthonormal', '--border', 'periodic', '-w', 'db2')
        told = self.succeed('edit', 'c.npy', '--zero', 'ah,d', '-o', 'e.npy').err
        self.assertIn('%d of 768' % (768 - 768 // 16 - 768 // 4), told)
        self.refuse(USAGE, "unknown band 'HL1'…", 'edit', 'c.npy', '--zero', 'HL1', '-o', 'f.npy')

    def test_json(self):
        told = json.loads(self.succeed('forward', 'x.npy', '--bank', 'packets', '-l', '2', '-o', 'j.npy', '--tree',
                                       '10001', '--json').text())
        self.assertEqual((told['nodes'], told['tree'], told['bank']), (7, '10001', 'packets'))

    def test_picture_has_the_tree(self):
        pictures = []
        for tree in ('11111', '10000'):
            self.succeed('forward', 'x.npy', '--bank', 'packets', '-l', '2', '--tree', tree, '--picture', 'p.png', '-f')
            pictures.append(self.read('p.png'))
        self.assertNotEqual(*pictures)

    def test_axes(self):
        self.write('b.npy', formats.npy((6, 4, 32), X))
        self.succeed('forward', 'b.npy', '--axes', '-1', '--bank', 'packets', '--tree', 'best', '-l', '3', '-o', 'a.npy')
        self.succeed('inverse', 'a.npy', '-o', 'y.npy')
        self.succeed('compare', 'b.npy', 'y.npy', '--tol', '1e-5')

    def test_rejected(self):
        for message, options in (
                ("the cost 'norm:x' has an invalid number…", ('--tree', 'best', '--cost', 'norm:x')),
                ("unknown cost 'entropy'…", ('--tree', 'best', '--cost', 'entropy')),
                ("the cost 'shannon' has no parameter, and 3 was given…", ('--tree', 'best', '--cost', 'shannon:3')),
                ("--cost is for --tree best", ('--cost', 'shannon')),
                ("invalid tree 'all'…", ('--tree', 'all')),
                ("--tile does not support bank 'packets', …", ('--tile', '16', '-o', 'c.tiff'))):
            with self.subTest(message):
                output = () if '-o' in options else ('-o', 'c.npy')
                self.refuse(USAGE, message, 'forward', 'x.npy', '--bank', 'packets', *options, *output)
        self.refuse(USAGE, "a tree is only for bank 'packets', not for 'decimated'", 'forward', 'x.npy', '--tree', '0',
                    '-o', 'c.npy')
        self.refuse(USAGE, "bank 'packets' has one sigma…", 'denoise', 'x.npy', '--bank', 'packets', '--per-level', '-o',
                    'd.npy')
        for bank in 'packets', 'undecimated', 'starlet':
            self.refuse(USAGE, "subbands 'pywt': pywt.waverec2() inverts only decimated transforms…", 'forward', 'x.npy',
                        '--bank', bank, '-l', '2', '-w', 'haar', '--subbands', 'pywt', '-o', 'c.npz')
        self.refuse(USAGE, "--bank packets runs the passes of bank decimated …", 'explain', '--bank', 'packets')
        self.write('v.npy', formats.npy((4, 8, 24), X))
        self.refuse(USAGE, "--picture does not support volumes of bank 'packets'", 'forward', 'v.npy', '--volume',
                    '--bank', 'packets', '-l', '1', '--picture', 'p.png')

    def test_files_of_bands(self):
        self.write('t.npy', formats.npy((32, 32), [0.5] * 1024))
        self.refuse(USAGE, '1024 subbands need 1025 arrays, and a .npz has at most 512…', 'forward', 't.npy', '--bank',
                    'packets', '-l', '5', '-o', 'c.npz')
        self.succeed('forward', 't.npy', '-l', '1', '--tile', '16', '-o', 't.tiff')
        metadata = json.loads(self.read('t.tiff.json'))
        self.write('t.tiff.json', json.dumps({**metadata, 'bank': 'packets'}).encode())
        self.refuse(FILE, 't.tiff.json contradicts itself: "tile" is 16, but it has wavelet packets', 'inverse',
                    't.tiff', '-o', 'z.npy')

    def test_edits_of_groups(self):
        """The last group has one slice, whose nodes are low along z."""
        # No coefficient of it is 0.
        self.write('v.npy', formats.npy((3, 16, 16), [math.sin(i * i) for i in range(768)]))
        result = self.succeed('forward', 'v.npy', '--volume', '--gop', '2', '--bank', 'packets', '-l', '1', '-o', 'g.npy')
        self.assertIn('cdf97/packets, 1 level', result.err)
        self.refuse(USAGE, "bank 'packets' has 2 levels along z in groups of 4 slices, but the last group of 2 has 1",
                    'forward', 'pattern:shepp-logan:16x16x10', '--gop', '4', '--bank', 'packets', '-l', '2', '-o', 'h.npy',
                    hint='1 level, none along z, or groups that divide the 10 slices')
        for node, count in ('aaa', 64 + 64), ('daa', 64):
            told = self.succeed('edit', 'g.npy', '--zero', node, '-o', 'e.npy', '-f').err
            self.assertIn('%d of 768' % (768 - count), told)

    def test_explain_lists_nodes(self):
        rows = self.succeed('explain', '--show', 'bands', '--bank', 'packets', '-l', '2', '--tree', '10010', '--format',
                            'csv').text().splitlines()
        self.assertEqual(rows[0], 'node,x,frequency,y,frequency,share')
        self.assertEqual([row.split(',')[0] for row in rows[1:]], ['a', 'v', 'ha', 'hv', 'hh', 'hd', 'd'])
        self.assertIn('hh,LL,0,HH,2,0.0625', [row.replace('1/16', '0.0625') for row in rows])
