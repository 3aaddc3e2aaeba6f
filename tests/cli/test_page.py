"""The pages of explain --show report in a browser and in print."""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from xml.etree import ElementTree

from harness import ROOT, CliTest, base_environment

BROWSERS = 'chromium', 'chromium-browser', 'google-chrome'
TOOLS = 'pdftotext', 'pdftoppm'  # poppler
DPI = 60
MARGIN_MM = 12  # as in page.css
MOST_PAGES = 4
WHITE = 250


def millimetres(count):
    return int(count * DPI / 25.4)


def read_pgm(path):
    with open(path, 'rb') as file:
        data = file.read()
    width, height, begin = re.match(rb'P5\s+(\d+)\s+(\d+)\s+255\s', data).group(1, 2, 0)
    width, height, pixels = int(width), int(height), data[len(begin):]
    return [pixels[width * y:width * (y + 1)] for y in range(height)]


def is_blank(rows):
    return all(min(row) >= WHITE for row in rows)


class Browser(CliTest):
    def setUp(self):
        super().setUp()
        self.browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if not self.browser or missing:
            self.skipTest('%s not here' % ', '.join(
                ([] if self.browser else ['a Chromium is']) + [tool + ' is' for tool in missing]))

    def browse(self, html, *options):
        """Runs the browser on a page. Returns its profile folder, which is `in` in the options, and
        its output."""
        profile = tempfile.mkdtemp(dir=self.directory)
        name, _, target = html.partition('#')
        done = subprocess.run(
            [self.browser, '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer',
             '--user-data-dir=' + profile, *(option % {'in': profile} for option in options),
             'file://%s%s' % (self.path(name), '#' + target if target else '')],
            env=base_environment(), timeout=300, check=True, capture_output=True)
        return profile, done.stdout.decode()


NOTE_ERRORS = """<script>
var told = [];
window.addEventListener("error", function (event) { told.push(event.message); });
</script>"""

# Uses the page as a visitor does, and records visible results.
USE = """<script>
var steps = document.querySelector("details[open] .steps");
var slider = steps.querySelector(".slider"), button = slider.querySelectorAll("button");
function note(what) {
  var shown = [];
  steps.querySelectorAll(".step").forEach(function (step, index) {
    if (getComputedStyle(step).display !== "none") { shown.push(index + 1); }
  });
  told.push([what, shown, slider.querySelector("output").textContent,
             button[0].disabled, button[1].disabled]);
}
note("at first");
slider.querySelector("input").value = 3;
slider.querySelector("input").dispatchEvent(new Event("input"));
note("slider to 3");
button[1].click();
note("next");
button[2].click();
note("all");
button[0].click();
note("back");
document.querySelector("button.open-all").click();
note("open all");
told.push(["open", document.querySelectorAll("details:not([open])").length]);
document.querySelector("button.open-all").click();
told.push(["closed", document.querySelectorAll("details[open]").length]);
document.title = "told " + JSON.stringify(told);
</script></body>"""


class Slider(Browser):
    def used(self, target=''):
        self.succeed('explain', 'cdf53/sep-lift', '--show', 'report', '-o', 'page.html', '-f')
        page = self.read('page.html').decode().replace('</body>', USE)
        self.write('use.html', page.replace('<script>', NOTE_ERRORS + '<script>', 1))
        dom = self.browse('use.html' + target, '--dump-dom')[1]
        title = re.search('<title>told (.*)</title>', dom)
        self.assertIsNotNone(title, 'the script of the page or of the test has failed')
        return json.loads(title[1])

    def test_slider(self):
        self.assertEqual(self.used(), [
            ['at first', [1], '1 of 4', True, False], ['slider to 3', [3], '3 of 4', False, False],
            ['next', [4], '4 of 4', False, True],
            ['all', [1, 2, 3, 4], '4 of 4', False, True], ['back', [3], '3 of 4', False, False],
            ['open all', [1, 2, 3, 4], '3 of 4', False, False], ['open', 0], ['closed', 0]])

    def test_address(self):
        """A link to a pass shows the pass; an invalid link has no effect."""
        self.assertEqual(self.used('#sep-lifting-pass-2')[0][1:3], [[2], '2 of 4'])
        self.assertEqual(self.used('#sep-lifting-pass-9')[0][1:3], [[1], '1 of 4'])
        self.assertEqual(self.used('#%E0%A4%A')[0][1:3], [[1], '1 of 4'])

    def test_width(self):
        """Only elements that scroll are wider than the page; the table of times fits 1200 pixels."""
        self.succeed('explain', 'cdf97', '--show', 'report', '-o', 'page.html', '--input',
                     'pattern:edges:96x96', '--results',
                     os.path.join(ROOT, 'docs/results/h200-2026-11-21/cdf97-1-level.json'))
        for width in 360, 700, 1200, 1280, 2560:
            self.write('frame.html', '<iframe src="page.html" style="border:0" width="%d" '
                       'height="900"></iframe><script>onload = function () { var inner = '
                       'document.querySelector("iframe").contentDocument; inner.querySelectorAll('
                       '"details").forEach(function (each) { each.open = true; }); var times = inner.'
                       'querySelector(".times").parentElement; document.title = "wide " + '
                       'inner.documentElement.scrollWidth + " times " + (times.scrollWidth > '
                       'times.clientWidth ? "scroll" : "fit"); };</script>' % width)
            dom = self.browse('frame.html', '--dump-dom', '--hide-scrollbars',
                              '--allow-file-access-from-files')[1]
            told = re.search('<title>wide ([0-9]+) times (fit|scroll)</title>', dom)
            self.assertEqual(told[1], str(width))
            if width >= 1200:
                self.assertEqual(told[2], 'fit', width)


class Printed(Browser):
    def print_page(self, html):
        """The printed pages as rows of gray samples, and their words with the right ends."""
        profile = self.browse(html, '--print-to-pdf=%(in)s/page.pdf')[0]
        pdf = os.path.join(profile, 'page.pdf')
        subprocess.run(['pdftoppm', '-r', str(DPI), '-gray', pdf, profile + '/page'], check=True)
        box = subprocess.run(['pdftotext', '-bbox', pdf, '-'], check=True, capture_output=True)
        words = [word for word in ElementTree.fromstring(box.stdout).iter() if
                 word.tag.endswith('word')]
        return [read_pgm(path) for path in sorted(glob.glob(profile + '/page-*.pgm'))], words

    def check_sides(self, pages, words, told):
        """The margins are empty."""
        edge = 210 / 25.4 * 72 - MARGIN_MM / 25.4 * 72 + 1
        beyond = [word.text for word in words if float(word.get('xMax')) > edge]
        self.assertEqual(beyond, [], told)
        inner = millimetres(MARGIN_MM) - 1
        for number, page in enumerate(pages, 1):
            self.assertTrue(is_blank(row[:inner] + row[-inner:] for row in page),
                            '%s, page %d: something beyond a side' % (told, number))

    def check_whole(self, pages, told):
        """An element that is cut at the edge of a page has ink along the cut."""
        outer = millimetres(MARGIN_MM)
        for number, page in enumerate(pages, 1):
            self.assertTrue(is_blank(page[-outer - 2:]),
                            '%s, page %d: something goes on behind its end' % (told, number))

    def hand_out(self, *arguments, most=MOST_PAGES):
        self.succeed('explain', *arguments, '--show', 'report', '-o', 'page.html', '-f')
        pages, words = self.print_page('page.html')
        self.check_sides(pages, words, arguments)
        self.check_whole(pages, arguments)
        self.assertIn(len(pages), range(2, most + 1), arguments)
        return ' '.join(word.text for word in words)

    def sample(self, wavelets):
        """A sample as in tests/sample.h (WAVEPASS_SAMPLE=SEED:N), always with the built-in
        wavelets."""
        seed, part = (os.environ.get('WAVEPASS_SAMPLE') or '0:1').split(':')
        others = random.Random(int(seed)).sample(wavelets[4:], (len(wavelets) - 4) // int(part))
        return wavelets[:4] + others

    def test_hand_outs(self):
        shipped = sorted(glob.glob(os.path.join(ROOT, 'assets/wavelets/*.wavelet')))
        self.assertGreater(len(shipped), 5)
        families = 'db20', 'sym20', 'coif5', 'bior5.5', 'rbio3.9'
        for wavelet in self.sample(['haar', 'cdf53', 'cdf97', 'dd137', *shipped, *families]):
            with self.subTest(wavelet=os.path.basename(wavelet)):
                text = self.hand_out(wavelet, '--input', 'pattern:edges:96x96', '--pixel', '40,52')
                # The idea first, each pass that is printed; no list of links, no listings.
                self.assertLess(text.index('Introduction'), text.index('The wavelet'))
                self.assertIn('Pass 1 of', text)
                for absent in 'Contents', 'Shaders', 'Worked calculation', 'Back':
                    self.assertNotIn(absent, text)

    def test_others(self):
        self.hand_out('cdf97', '--labels')
        self.hand_out('cdf97/sep-lift', '--inverse', '--input', 'pattern:edges:96x96', '-l', '2')
        self.hand_out('cdf53', '--volume', '--input', 'pattern:shepp-logan:48x48x40')
        self.hand_out('cdf53', '--input', 'pattern:edges:96x96', '--worksheet')

    def test_all_that_can_be_opened(self):
        """With everything opened there are many pages, and no content beyond the paper."""
        for arguments in (('cdf97', '--input', 'pattern:edges:96x96', '--pixel', '40,52'),
                          ('cdf53', '--volume')):
            self.succeed('explain', *arguments, '--show', 'report', '-o', 'page.html', '-f')
            page = self.read('page.html').decode()
            page = re.sub('<details (?!.*open=")', '<details open="open" ', page)
            self.write('open.html', page.replace('"steps', '"steps all').encode())
            pages, words = self.print_page('open.html')
            self.assertGreater(len(pages), 10)
            self.check_sides(pages, words, arguments)
            text = ' '.join(word.text for word in words)
            self.assertIn('Shaders' if arguments[0] == 'cdf97' else 'Samples', text)
