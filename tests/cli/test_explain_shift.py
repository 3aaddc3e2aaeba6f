"""explain --show shift: a pulse that moves by a sample, with decimated and undecimated details."""
import csv
import io
import re
from xml.etree import ElementTree

import formats
from harness import REFERENCE, USAGE, CliTest

SAMPLES, EDGE = 64, 17


class Shift(CliTest):
    def rows(self, wavelet):
        """{(level, edge, bank): {sample: value}}"""
        text = self.succeed('explain', wavelet, '--show', 'shift', '--format', 'csv').text()
        found = {}
        for row in csv.DictReader(io.StringIO(text)):
            key = int(row['level']), int(row['edge']), row['bank']
            found.setdefault(key, {})[int(row['sample'])] = float(row['value'])
        return found

    def test_details(self):
        for wavelet in ('haar', 'cdf97', 'db4'):
            rows = self.rows(wavelet)
            self.assertEqual(len(rows), 4 * 2 * 2)
            for level in range(1, 5):
                before, after = (rows[level, edge, 'undecimated'] for edge in (EDGE, EDGE + 1))
                self.assertEqual(len(before), SAMPLES)
                for n, value in before.items():
                    self.assertAlmostEqual(after[(n + 1) % SAMPLES], value, delta=1e-6)
                for edge in (EDGE, EDGE + 1):
                    decimated = rows[level, edge, 'decimated']
                    self.assertEqual(len(decimated), SAMPLES >> level)
                    for n, value in decimated.items():
                        self.assertAlmostEqual(rows[level, edge, 'undecimated'][n], value,
                                               delta=1e-6)

    def test_those_of_forward(self):
        self.write('a.npy', formats.npy((1, SAMPLES), [float(EDGE <= n < EDGE + SAMPLES // 2)
                                                       for n in range(SAMPLES)]))
        self.succeed('forward', 'a.npy', '-o', 'c.npy', '-w', 'cdf53', '-l', '3', '--border',
                     'periodic', *REFERENCE)
        wanted = formats.read_npy(self.read('c.npy'))[1][SAMPLES // 8:SAMPLES // 4]
        shown = self.rows('cdf53')[3, EDGE, 'decimated']
        self.assert_near([shown[n] for n in sorted(shown)], wanted, 1e-6)

    def test_text(self):
        text = self.succeed('explain', 'haar', '--show', 'shift').text()
        self.assertTrue(all(len(line) <= 80 for line in text.split('\n')))
        for level, energies in ((1, (2, 0, 2, 2)), (2, (0.5, 2, 3, 3)), (4, (0.03125, 0.125, 10.75, 10.75))):
            line = re.search(r'(?m)^ +%d +(.*)$' % level, text).group(1)
            self.assertEqual(tuple(map(float, line.split())), energies)
        self.assertIn('the energy of level 1 changes by 100 %.', text.replace('\n', ' '))
        self.assertIn('Details of level 4', self.succeed('explain', 'haar', '--show', 'shift', '-l',
                                                         '4').text())

    def test_picture_and_report(self):
        svg = self.succeed('explain', 'cdf53', '--show', 'shift', '--format', 'svg').text()
        root = ElementTree.fromstring(svg)
        self.assertTrue(root.tag.endswith('svg'))
        self.assertIn('edge at sample 18: energy 0.3906', svg)
        page = self.succeed('explain', 'cdf53', '--show', 'report').text()
        self.assertIn('edge at sample 18: energy 0.3906', page)

    def test_refusals(self):
        self.refuse(USAGE, '--show shift has levels 1 to 4, not 5', 'explain', '--show', 'shift', '-l',
                    '5')
        self.refuse(USAGE, '--show shift supports only images (volumes have the same details along '
                    'each axis)', 'explain', '--show', 'shift', '--volume', hint='…')
        self.refuse(USAGE, '--bank is not for --show shift', 'explain', '--show', 'shift', '--bank',
                    'starlet', hint='…')
