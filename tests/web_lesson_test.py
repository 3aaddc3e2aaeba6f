#!/usr/bin/env python3
"""The lecture features of the page in a browser: the arithmetic trace of a sample, the worksheet,
coefficients in the address, wavelet files. The arguments are those of web_page.py.
"""
import html
import pathlib
import re
import subprocess
import tempfile
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from web_page import BOUND, PAGE, THEMES, WIDTHS, Page, png

ASSETS = pathlib.Path(__file__).resolve().parent.parent / "assets" / "wavelets"


def number(text):
    return float(text.replace("−", "-"))


class Trace(Page):
    RESULT = re.compile(r"^(.+?), .*: (−?[0-9.]+) in double precision; (−?[0-9.]+) was computed")

    def result(self):
        """The name and the value of a traced sample, and the value that the page computed."""
        match = self.RESULT.match(self.text("sums-result"))
        self.assertTrue(match, self.text("sums-result"))
        name, value, computed = match.groups()
        return name, number(value), number(computed)

    def lines(self):
        """The code elements of all lines."""
        return self.js("""return [...document.querySelectorAll("#sums li li")].map(
            line => [...line.querySelectorAll("code")].map(code => code.textContent))""")

    def check_lines(self):
        """Checks that the numbers of each line give its value; returns the number of such lines."""
        count = 0
        for line in self.lines():
            if len(line) != 3:
                continue
            numbers, value = (part.removeprefix("= ").replace("−", "-") for part in line[1:])
            self.assertRegex(numbers, r"^[-+*(). 0-9e]+$")
            self.assertAlmostEqual(eval(numbers), float(value), delta=2e-5)
            count += 1
        return count

    def go(self, address, name):
        self.open("#i=noise&" + address)
        self.assertEqual(self.notices(), [])
        shown, value, computed = self.result()
        self.assertEqual(shown, name)
        self.assertAlmostEqual(value, computed, delta=1e-5)
        return value

    def test_coefficients(self):
        """A coefficient has the same value in all schemes and in the coefficient array."""
        values = set()
        for scheme in ("sep-lifting", "nonsep-lifting", "nonsep-convolution"):
            values.add(round(self.go(f"x=m:300,37&l=2&s={scheme}", "HL1(44,37)"), 5))
            self.assertGreater(self.check_lines(), 0)
            array = self.js("""const at = C.forward(0) / 4 + 37 * 512 + 300;
                               return Module.HEAPF32[at];""")
            values.add(round(array, 5))
        self.assertEqual(len(values), 1)
        self.go("x=m:3,4&l=3", "LL3(3,4)")
        self.go("x=m:70,80&l=3&b=periodic&w=db4", "HH3(6,16)")

    def test_pixels(self):
        """Samples of the inverse, also from some of the coefficients."""
        for k in (100, 5):
            value = self.go(f"x=o:511,0&l=2&k={k}", "pixel(511,0)")
            self.assertGreater(self.check_lines(), 5)
            array = self.js("return Module.HEAPF32[C.inverse(0) / 4 + 511]")
            self.assertAlmostEqual(value, array, delta=1e-5)

    def test_stages(self):
        """The value of a quad in the texture after each step, in both directions."""
        self.open("#i=noise&l=2&s=nonsep-lifting&w=cdf97")
        worst, count, named = self.js("""
            let worst = 0, count = 0, named = new Set();
            for (const direction of [0, 1])
                for (let step = 0; step < C.steps(0, direction); step++)
                    for (const component of [0, 1, 2, 3]) {
                        const [first] = lines(C.trace_step(0, direction, step, component, 7, 5));
                        worst = Math.max(worst, Math.abs(first[3] - first[4]));
                        named.add(first[1]);
                        count++;
                    }
            return [worst, count, [...named]];""")
        self.assertLess(worst, 1e-5)
        self.assertGreater(count, 70)
        for name in ("ee(7,5)", "oo(7,5)", "HL1(7,5)", "HH2(7,5)", "pixel(15,11)"):
            self.assertIn(name, named)

    def test_borders(self):
        """Steps and coefficients with a border of PyWavelets, at an end and inside."""
        self.open("#i=noise&l=2&s=sep-lifting&w=db2&b=pywt-antireflect")
        worst, count, named = self.js("""
            let worst = 0, count = 0, named = new Set();
            for (const direction of [0, 1])
                for (let step = 0; step < C.steps(0, direction); step++)
                    for (const component of [step & 1, 3])
                        for (const at of [[1, 5], [1, 129]]) {
                            const [first] = lines(C.trace_step(0, direction, step, component, ...at));
                            if (!first)
                                continue;
                            worst = Math.max(worst, Math.abs(first[3] - first[4]));
                            named.add(first[1]);
                            count++;
                        }
            return [worst, count, [...named]];""")
        self.assertLess(worst, 1e-4)
        self.assertGreater(count, 30)
        for name in ("ee(1,5)", "oo(1,5)", "HH1(1,5)", "HH2(1,129)", "pixel(2,10)"):
            self.assertIn(name, named)
        self.assertTrue({"LL2(0,3)", "HL1(256,0)", "HH1(3,256)"} <= {
            self.js("return lines(C.trace_coefficient(0, ...arguments) || C.error())[0][1]", *at)
            for at in ((0, 3), (2 * 130 + 256, 0), (2 * 130 + 3, 2 * 130 + 256))})
        self.assertIn("no subband", self.js("return C.trace_coefficient(0, 258, 300) || C.error()"))

    def test_banks(self):
        """Coefficients, pixels and samples of textures of other banks."""
        self.open("#i=noise&l=2")
        for bank, scheme in (("undecimated", "sep-lifting"), ("starlet", "nonsep-convolution"),
                             ("packets", "sep-lifting")):
            worst, count, named, failed = self.js("""
                const [bank, scheme] = arguments, named = new Set(), failed = new Set();
                let worst = 0, count = 0;
                const add = text => {
                    if (!text) {
                        failed.add(C.error());
                        return;
                    }
                    const [first] = lines(text);
                    worst = Math.max(worst, Math.abs(first[3] - first[4]));
                    named.add(first[1]);
                    count++;
                };
                C.pattern("noise:61x47");
                C.view(0, scheme, 2, "symmetric", bank);
                C.forward(0);
                C.keep(0, 50);
                C.inverse(0);
                for (const [x, y] of [[0, 0], [7, 5], [60, 46]]) {
                    for (let row = y; row < C.bands_height(0); row += 47)
                        add(C.trace_coefficient(0, x, row));
                    add(C.trace_pixel(0, x, y));
                }
                for (const direction of [0, 1])
                    for (let step = 0; step < C.steps(0, direction); step++)
                        for (const component of [0, 1, 2, 3])
                            add(C.trace_step(0, direction, step, component, 7, 5));
                return [worst, count, [...named], [...failed]];""", bank, scheme)
            with self.subTest(bank, failed=failed):
                self.assertLess(worst, 1e-5)
                self.assertGreater(count, 20)
                self.assertTrue({"undecimated": {"LL2(0,0)", "HH1(60,46)", "pixel(7,5)", "LH(7,5)"},
                                 "starlet": {"C2(0,0)", "W1(60,46)", "pixel(7,5)", "W(7,5)"},
                                 "packets": {"pixel(7,5)", "oo(7,5)"}}[bank] <= set(named), named)
                self.assertTrue(set(failed) <= {
                    "undecimated": {"the step does not compute this component"},
                    "starlet": {"the step does not compute this component"},
                    "packets": {"the arithmetic of packets of 2 levels is that of the first level: "
                                "select a sample of the texture or one level"}}[bank])

    def test_bands(self):
        """A coefficient is selected in the picture of its band."""
        self.open("#i=noise&l=2&w=cdf53&s=sep-lifting&f=undecimated&x=m:9,514")
        self.assertEqual(self.result()[0], "HL2(9,2)")
        self.assertEqual(self.js("return document.querySelector('.mark').parentElement"
                                 ".firstChild.id"), "band1")
        self.find("band3").send_keys(Keys.ARROW_RIGHT)
        self.wait(lambda: self.result()[0] == "HH2(256,256)")
        self.assertEqual(self.state()["x"], f"m:256,{3 * 512 + 256}")
        self.assertIn("LL(+2,0) is LL two samples", self.text("sums"))

    def test_odd_size(self):
        """Positions outside the image are reported."""
        self.open("#i=noise&l=2")
        for call, message in (("C.trace_step(0, 0, 0, 0, -1, 0)", "beyond the edge"),
                            ("C.trace_step(0, 0, 0, 0, 9999, 0)", "no quad"),
                            ("C.trace_coefficient(0, 512, 0)", "outside"),
                            ("C.trace_pixel(0, 0, -1)", "outside"),
                            ("C.trace_pixel(7, 0, 0)", "no view 7")):
            self.assertIn(message, self.js(f"return {call} || C.error()"), call)
        self.js("""C.pattern("noise:61x47"); C.view(0, "sep-lifting", 2, "symmetric"); C.forward(0);""")
        self.assertIn("beyond the edge", self.js("return C.trace_step(0, 0, 0, 1, 30, 0) || C.error()"))
        self.assertIn("pixel(60,46)", self.js("return C.trace_pixel(0, 60, 46)"))

    def test_controls(self):
        """Each control is used once, with pointer and keys."""
        self.open("#i=noise&l=2&w=cdf53&s=sep-lifting")
        self.assertFalse(self.find("sums").is_displayed())
        self.assertFalse(self.find("picked").is_displayed())
        mosaic = self.find("mosaic")
        self.js("arguments[0].scrollIntoView({block: 'center'})", mosaic)
        ActionChains(self.driver).move_to_element_with_offset(
            mosaic, *self.js("""const {clientWidth: w, clientHeight: h} = arguments[0];
                return [300.5 / 512 - .5, 37.5 / 512 - .5].map((part, i) =>
                    Math.round(part * [w, h][i]));""", mosaic)).click().perform()
        self.wait(lambda: self.text("sums-result"))
        x, y = map(int, self.state()["x"].removeprefix("m:").split(","))
        self.assertLessEqual(abs(x - 300) + abs(y - 37), 3)  # of 512, on fewer pixels
        self.assertEqual(self.result()[0], f"HL1({x - 256},{y})")
        self.assertIn(f"x=m:{x},{y}", self.driver.current_url)
        mosaic.send_keys(Keys.ARROW_RIGHT)
        self.wait(lambda: self.result()[0] == f"HL1({x - 255},{y})")
        mosaic.send_keys(Keys.SHIFT + Keys.ARROW_DOWN)
        self.wait(lambda: self.result()[0] == f"HL1({x - 255},{y + 10})")
        self.assertEqual(len(self.js("return document.querySelectorAll('.mark')")), 1)
        self.find("picked-sums").click()
        self.assertEqual(self.js("return document.activeElement.id"), "h-sums")
        self.find("picked-close").click()
        self.assertFalse(self.find("sums").is_displayed())
        self.assertNotIn("x=", self.driver.current_url)

        Select(self.find("x")).select_by_value("o")
        self.wait(lambda: self.text("sums-result"))
        self.fill(self.find("x0"), "12", Keys.TAB)
        self.fill(self.find("x1"), "9999", Keys.TAB)
        self.wait(lambda: self.text("sums-result").startswith("pixel(12,511)"))
        plane = self.find("plane3")
        plane.send_keys(Keys.ARROW_LEFT)
        self.wait(lambda: self.state()["x"].startswith("a:"))
        before = self.text("sums-result")
        for _ in range(2):
            self.find("after").click()
        self.assertNotEqual(self.text("sums-result"), before)
        self.assertIn("pass 2 of 4", self.text("sums-result"))
        # Up to the margin, not further.
        self.js("pick('r', -9999, 3)")
        self.wait(lambda: "beyond the edge" in self.text("sums-result"))

        controls = self.js("""return [...document.querySelectorAll(
            ".lesson:not(#worksheet) :is(input, select, button)")].map(e => e.id)""")
        self.assertEqual(set(controls), {"x", "x0", "x1", "picked-sums", "picked-close"})

    def test_nonsense(self):
        self.open("#x=q:1,2")
        self.assertIn("x=q:1,2", " ".join(self.notices()))
        self.open("#x=m:4000,9")
        self.assertIn("outside the 512 by 512", self.text("sums-result"))

    def test_no_webgl(self):
        self.before("""const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
            };""")
        self.open("#i=noise&x=g:7,7&p=2")
        self.assertAlmostEqual(self.result()[1], self.result()[2], delta=1e-6)


class Worksheet(Page):
    def questions(self):
        return self.js("""return [...document.querySelectorAll("#questions li")].map(
                              item => item.querySelector("p").textContent)""")

    def ask(self, text):
        """The number of the question that contains a text."""
        return next(i for i, q in enumerate(self.questions()) if text in q)

    def write(self, i, text, verdict, key=Keys.ENTER):
        self.fill(self.find(f"q{i}"), text, key)
        self.assertIn(verdict, self.text(f"q{i}-verdict"), text)

    def buttons(self, i):
        item = self.driver.find_elements(By.CSS_SELECTOR, "#questions li")[i]
        return item.find_elements(By.TAG_NAME, "button")

    def test_every_control(self):
        self.open()
        self.assertEqual(self.questions(), [])
        self.assertFalse(self.find("q-print").is_enabled())
        self.find("q-new").click()
        drawn = self.state()["q"]
        self.assertTrue(1 <= drawn <= 9999)
        self.assertIn(f"q={drawn}", self.driver.current_url)
        self.fill(self.find("q"), "7", Keys.TAB)
        self.assertEqual(self.state()["q"], 7)
        questions = self.questions()
        self.assertGreaterEqual(len(questions), 14)
        self.assertTrue(all(q.endswith("?") for q in questions))
        self.assertIn(f"0 of {len(questions)} right", self.text("q-score"))

        i = self.ask("All pixels of an image are 6. What are the coefficients of LL3")
        check, hint, show = self.buttons(i)
        self.find(f"q{i}").send_keys("5,9")
        check.click()
        self.assertIn("Not yet", self.text(f"q{i}-verdict"))
        hint.click()
        self.assertIn("low-pass gain at DC",
                      self.js("return document.querySelectorAll('#questions li')[arguments[0]]"
                              ".textContent", i))
        self.write(i, "12/2", "Right")
        self.assertIn("1 of", self.text("q-score"))
        self.assertNotIn("shown", self.text("q-score"))
        other = self.ask("How many vanishing moments")
        self.buttons(other)[2].click()
        self.assertIn("The answer is 4", self.text(f"q{other}-verdict"))
        self.write(other, "4", "Right")
        self.assertIn("1 of", self.text("q-score"))  # a shown answer does not score
        self.assertIn("1 shown", self.text("q-score"))
        self.find("q-all").click()
        self.assertIn(f"{len(questions) - 1} shown", self.text("q-score"))
        self.js("window.print = () => { window.printed = document.body.className; }")
        self.find("q-print").click()
        self.assertIn("handout", self.js("return window.printed"))
        self.js("dispatchEvent(new Event('afterprint'))")
        self.assertNotIn("handout", self.js("return document.body.className"))

    def test_all_answers(self):
        """The stated answers are accepted, for wavelets of several kinds and many sets."""
        self.open()
        wrong, count = self.js("""
            const wrong = [];
            let count = 0;
            for (const name of ["haar", "cdf53", "cdf97", "dd137", "db4", "sym5", "bior6.8"])
                for (let seed = 1; seed <= 8; seed++) {
                    C.wavelet(name);
                    lines(C.questions(seed)).forEach(([text], i) => {
                        const answer = C.solution(i).split("\t")[0];
                        count++;
                        if (C.is_right(i, answer) !== 1 ||
                            C.is_right(i, String(+answer * 1.02 + 1)) !== 0)
                            wrong.push([name, seed, text, answer]);
                    });
                }
            return [wrong, count];""")
        self.assertEqual(wrong, [])
        self.assertGreater(count, 700)

    def test_seed(self):
        """An address selects a set, which depends only on the wavelet and the number."""
        self.open("#w=cdf53&q=12")
        first = self.questions()
        self.assertIn("cdf53, set 12", self.text("q-title"))
        self.open("#w=cdf53&q=12&s=sep-lifting&l=2&i=text")
        self.assertEqual(self.questions(), first)
        i = self.ask("How many vanishing moments")
        self.write(i, "4/2", "Right")
        # The questions and answers of the unchanged wavelet remain.
        self.after(lambda: self.js("""const tap = document.querySelector("#taps input");
            tap.value = 1; for (const kind of ["input", "change"])
                tap.dispatchEvent(new Event(kind, {bubbles: true}));"""))
        self.assertEqual(self.questions(), first)
        self.assertIn("Right", self.text(f"q{i}-verdict"))
        self.open("#w=cdf53&q=13")
        self.assertNotEqual(self.questions(), first)
        self.after(lambda: Select(self.find("w")).select_by_value("cdf97"))
        self.assertIn("cdf97", self.text("q-title"))

    def test_bad_input(self):
        self.open("#q=10000")
        self.assertIn("q=10000", " ".join(self.notices()))
        self.assertEqual(self.questions(), [])
        self.open("#q=7")
        for text in ("", "one half", "1/0", "1.2.3", "1,000.5", "((1", "<b>", "sqrt(-1)"):
            self.write(0, text, "Not a number")
        self.assertIn("0 of", self.text("q-score"))
        self.fill(self.find("q"), "-5", Keys.TAB)
        self.assertEqual(self.state()["q"], 0)
        self.assertEqual(self.questions(), [])
        self.assertEqual(self.js("return [C.is_right(99, '1'), C.solution(-1), C.error()]"),
                         [-1, "", "there is no question -1"])

    def test_paper(self):
        """Only the worksheet is printed, with lines for the answers."""
        self.open("#w=cdf53&q=7")
        self.js("document.body.classList.add('handout')")
        self.browser.look(paper=True)
        visible = self.js("""return [...document.querySelectorAll("h2, canvas, button")].filter(
            e => e.checkVisibility()).map(e => e.id)""")
        self.assertEqual(visible, ["h-worksheet"])
        self.assertTrue(self.find("q0").is_displayed())
        pdf = self.browser.print()
        self.browser.look()
        self.keep("worksheet.pdf", pdf)
        self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 3)


class Coefficients(Page):
    """Edited coefficients in the address."""

    def taps(self):
        return {(int(s), int(k)): float(c) for s, _, k, c in self.js("return lines(C.taps())")}

    def test_round_trip(self):
        self.open("#w=cdf53&q=7")
        tap = self.driver.find_element(By.CSS_SELECTOR, "#taps input[type=number]")
        self.after(lambda: self.fill(tap, "-0.75", Keys.TAB))
        address = self.driver.current_url.split("#")[1]
        self.assertIn("e=p1:0:-0.75", address)
        self.assertNotIn("p1:1", address)  # its mirror image
        loss, taps = self.text("loss"), self.taps()
        self.open("#" + address)
        self.assertEqual(self.notices(), [])
        self.assertEqual(self.text("loss"), loss)
        self.assertIn("gain at DC is", loss)
        self.assertEqual(self.taps(), taps)
        self.assertEqual(taps[0, 1], -0.75)
        self.assertEqual(self.js("""return [...document.querySelectorAll(
            "#taps input[type=number]")].slice(0, 2).map(i => +i.value)"""), [-0.75, -0.75])
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)
        self.after(self.find("reset").click)
        self.assertNotIn("e=", self.driver.current_url)
        self.assertEqual(self.taps()[0, 0], -0.5)
        self.after(lambda: self.js("location.hash = '#w=cdf53&e=u1:-1:0.3'"))
        self.assertEqual(self.taps()[1, -1], .3)
        self.after(lambda: Select(self.find("w")).select_by_value("cdf97"))
        self.assertNotIn("e=", self.driver.current_url)

    def test_not_symmetric(self):
        """Taps are independent, also if two have the same value."""
        self.open("#w=d4&b=periodic&e=p2:-1:0.25,p2:0:0.25")
        self.assertEqual(self.notices(), [])
        taps = self.taps()
        self.assertEqual([taps[2, -1], taps[2, 0]], [.25, .25])
        self.js("storeTaps()")
        self.assertIn("p2:-1:0.25,p2:0:0.25", self.driver.current_url)

    def test_nonsense(self):
        for part in ("p1", "p1:0:x", "q1:0:1", "p1:0:1;p2", "p1:0:1e9999x", "p1:0:--1"):
            self.open(f"#w=cdf53&e={part}")
            self.assertIn(f"e={part}", " ".join(self.notices()))
            self.assertEqual(self.taps()[0, 0], -.5)
        self.open("#w=cdf53&e=p1:0:-0.75,p9:0:1,p1:7:1,p1:1:1e999,u1:0:99")
        notices = " ".join(self.notices())
        for part in ("p9:0:1 (cdf53 has no such coefficient)", "p1:7:1 (", "p1:1:1e999 (a coefficient is a", "u1:0:99 (a coefficient is a"):
            self.assertIn(part, notices)
        self.assertNotIn("-0.75", notices)
        self.assertEqual(self.taps()[0, 0], -.75)
        self.assertIn("e=p1:0:-0.75", self.driver.current_url)
        self.assertNotIn("p9", self.driver.current_url)


class WaveletFiles(Page):
    MINE = ("name mine\ntitle Of my own\nsource me\npredict 0 -1/2  1 -1/2\nupdate -1 1/8  0 1/8\n"
            "zeta 1\n")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="mine.wavelet"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def expect_notice(self, words):
        self.wait(lambda: any(words in notice for notice in self.notices()))

    def test_those_of_wavepass(self):
        self.open("#w=cdf93&l=2")
        self.assertEqual(self.notices(), [])
        files = sorted(path.stem for path in ASSETS.glob("*.wavelet"))
        self.assertGreater(len(files), 5)
        self.assertEqual(sorted(self.js("""return [...document.querySelectorAll(
            "#w optgroup[label='files of wavepass'] option")].map(o => o.value)""")), files)
        self.assertIn("cdf93", self.text("compare") + self.find("filters").get_attribute("alt") +
                      self.text("matrix"))

    def test_chosen_and_dropped(self):
        self.open()
        self.after(lambda: self.find("wavelet-file").send_keys(str(self.file(self.MINE))))
        self.assertEqual(self.state()["w"], "mine")
        self.assertEqual(self.find("w").get_attribute("value"), "mine")
        self.expect_notice("The wavelet mine of mine.wavelet is shown")
        self.assertNotIn("mine", self.driver.current_url)
        taps = self.js("return C.taps()")
        self.assertIn("0.125", taps)
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)
        # A file with the same name replaces it; another name is added.
        path = self.file(self.MINE.replace("1/8", "1/4"))
        self.after(lambda: self.drop("mine.wavelet", path))
        self.assertIn("0.25", self.js("return C.taps()"))
        path = self.file(self.MINE.replace("name mine", "name other"))
        self.after(lambda: self.drop("other.wavelet", path))
        self.assertEqual(self.js("""return [...document.querySelectorAll(
            "#w optgroup[label='files of your own'] option")].map(o => o.value)"""),
                         ["mine", "other"])
        self.after(lambda: Select(self.find("w")).select_by_value("mine"))
        self.assertEqual(self.state()["w"], "mine")
        self.after(lambda: Select(self.find("w")).select_by_value("cdf53"))
        self.assertIn("w=cdf53", self.driver.current_url)

    def test_bad_files(self):
        self.open("#w=cdf53")
        image = self.folder / "image.png"
        png(image, 30, 20)
        for text, message in (("predict 0 -1/2\nnonsense 1\n", "bad.wavelet:2: "),
                           (self.MINE.replace("1/8", "x"), "bad.wavelet:5: "),
                           (self.MINE.replace("-1/2  1 -1/2", "-1/3  1 -1/2"), "gain at DC"),
                           (self.MINE.replace("mine", "cdf97"), "is already used"),
                           (self.MINE.replace("mine", "d4"), "taken by a wavelet of the page"),
                           (self.MINE.replace("mine", "db2"), "taken by a wavelet of the page"),
                           ("", "Invalid wavelet file"), (image.read_bytes(), "Invalid wavelet file"),
                           ("#" * 70000, "70000 bytes")):
            self.drop("bad.wavelet", self.file(text, "bad.wavelet"))
            self.expect_notice(message)
            self.assertEqual(self.state()["w"], "cdf53")
        self.after(lambda: Select(self.find("i")).select_by_value("edges"))
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)


class Links(Page):
    def test_from_a_report(self):
        """A link of explain --web-url opens the page with the contents of the report."""
        program = PAGE.parents[2] / "wavepass"
        if not program.is_file():
            self.skipTest(f"{program} does not exist")
        report = subprocess.run(
            [program, "explain", "cdf53/ns-lift", "--inverse", "--show", "report", "--input",
             "pattern:edges:64x64", "-l", "2", "--web-url", PAGE.as_uri()],
            capture_output=True, text=True, check=True).stdout
        links = [html.unescape(link) for link in re.findall(r'href="(file:[^"]*)"', report)]
        self.assertEqual(len(links), 3)
        self.open(url=links[2])
        self.assertEqual(self.notices(), [])
        state = self.state()
        self.assertEqual([state[key] for key in "wsldpi"],
                         ["cdf53", "nonsep-lifting", 2, "inverse", 2, "edges"])
        self.assertIn("pass 2 of 2", self.text("p-text"))


class Looks(Page):
    ADDRESS = "#i=shepp-logan&p=2&l=2&q=7&w=cdf97&s=nonsep-lifting&x=g:90,60"

    def show(self, theme, width):
        self.open_as(theme, width, self.ADDRESS)
        self.js("check(0); showAnswer(1); $('q2').value = 'x'; check(2);")

    def tearDown(self):
        self.browser.look()
        super().tearDown()

    def test_widths_and_themes(self):
        for theme in THEMES:
            for width in WIDTHS:
                self.show(theme, width)
                with self.subTest(width=width, theme=theme):
                    self.assertLessEqual(
                        self.js("return document.documentElement.scrollWidth"), width)
                self.keep(f"lesson-{width}-{theme}.png", self.browser.picture())

    def test_axe(self):
        for theme in THEMES:
            self.show(theme, 1280)
            self.check_axe(theme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
