#!/usr/bin/env python3
"""What the page has for lectures, in headless Chromium: a sample's sums.

    web_lesson_test.py PAGE [--screenshots FOLDER] [unittest's own arguments]

As web_test.py.
"""
import pathlib
import re
import tempfile
import unittest

import web_test
from web_test import ALL, By, Keys, Select
from selenium.webdriver.common.action_chains import ActionChains


def number(text):
    return float(text.replace("−", "-"))


class Sums(web_test.Page):
    RESULT = re.compile(r"^(.+?), .*: (−?[0-9.]+) in double precision; (−?[0-9.]+) was computed")

    def result(self):
        """What the sums say a sample is, and what the page has computed."""
        match = self.RESULT.match(self.text("sums-result"))
        self.assertTrue(match, self.text("sums-result"))
        name, value, computed = match.groups()
        return name, number(value), number(computed)

    def lines(self):
        """The codes of all lines."""
        return self.js("""return [...document.querySelectorAll("#sums li li")].map(
            line => [...line.querySelectorAll("code")].map(code => code.textContent))""")

    def check_lines(self):
        """That each line's numbers make its value, and how many have any."""
        sums = 0
        for line in self.lines():
            if len(line) != 3:
                continue
            numbers, value = (part.removeprefix("= ").replace("−", "-") for part in line[1:])
            self.assertRegex(numbers, r"^[-+*(). 0-9e]+$")
            self.assertAlmostEqual(eval(numbers), float(value), delta=2e-5)
            sums += 1
        return sums

    def go(self, address, name):
        self.open("#i=noise&" + address)
        self.assertEqual(self.notices(), [])
        shown, value, computed = self.result()
        self.assertEqual(shown, name)
        self.assertAlmostEqual(value, computed, delta=1e-5)
        return value

    def test_coefficients(self):
        """Whatever the scheme, the sums of a coefficient are of one value, that of the array."""
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
        """Of the inverse, of some of the coefficients too."""
        for k in (100, 5):
            value = self.go(f"x=o:511,0&l=2&k={k}", "pixel(511,0)")
            self.assertGreater(self.check_lines(), 5)
            array = self.js("return Module.HEAPF32[C.inverse(0) / 4 + 511]")
            self.assertAlmostEqual(value, array, delta=1e-5)

    def test_stages(self):
        """Of every step of both directions, what the texture holds at a quad."""
        self.open("#i=noise&l=2&s=nonsep-lifting&w=cdf97")
        worst, count, named = self.js("""
            let worst = 0, count = 0, named = new Set();
            for (const way of [0, 1])
                for (let stage = 0; stage < C.stages(0, way); stage++)
                    for (const component of [0, 1, 2, 3]) {
                        const [first] = lines(C.sums_stage(0, way, stage, component, 7, 5));
                        worst = Math.max(worst, Math.abs(first[3] - first[4]));
                        named.add(first[1]);
                        count++;
                    }
            return [worst, count, [...named]];""")
        self.assertLess(worst, 1e-5)
        self.assertGreater(count, 70)
        for name in ("r(7,5)", "a(7,5)", "HL1(7,5)", "HH2(7,5)", "pixel(15,11)"):
            self.assertIn(name, named)

    def test_odd_size(self):
        """What lies beyond the edge is told, and so is who asks for what is nowhere."""
        self.open("#i=noise&l=2")
        for asked, told in (("C.sums_stage(0, 0, 0, 0, -1, 0)", "beyond the edge"),
                            ("C.sums_stage(0, 0, 0, 0, 9999, 0)", "no quad"),
                            ("C.sums_coefficient(0, 512, 0)", "outside"),
                            ("C.sums_pixel(0, 0, -1)", "outside"),
                            ("C.sums_pixel(7, 0, 0)", "no side 7")):
            self.assertIn(told, self.js(f"return {asked} || C.error()"), asked)
        self.js("""C.pattern("noise:61x47"); C.side(0, "sep-lifting", 2, 0); C.forward(0);""")
        self.assertIn("beyond the edge", self.js("return C.sums_stage(0, 0, 0, 1, 30, 0) || C.error()"))
        self.assertIn("pixel(60,46)", self.js("return C.sums_pixel(0, 60, 46)"))

    def test_controls(self):
        """Taps, keys and fields: each is operated once."""
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
        mosaic.send_keys(Keys.SHIFT + Keys.ARROW_DOWN + Keys.NULL)
        self.wait(lambda: self.result()[0] == f"HL1({x - 255},{y + 10})")
        self.assertEqual(len(self.js("return document.querySelectorAll('.mark')")), 1)
        self.find("picked-sums").click()
        self.assertEqual(self.js("return document.activeElement.id"), "h-sums")
        self.find("picked-close").click()
        self.assertFalse(self.find("sums").is_displayed())
        self.assertNotIn("x=", self.driver.current_url)

        Select(self.find("x")).select_by_value("o")
        self.wait(lambda: self.text("sums-result"))
        self.find("x0").send_keys(ALL, "12", Keys.TAB)
        self.find("x1").send_keys(ALL, "9999", Keys.TAB)
        self.wait(lambda: self.text("sums-result").startswith("pixel(12,511)"))
        plane = self.find("plane3")
        plane.send_keys(Keys.ARROW_LEFT)
        self.wait(lambda: self.state()["x"].startswith("a:"))
        before = self.text("sums-result")
        for _ in range(2):
            self.find("after").click()
        self.assertNotEqual(self.text("sums-result"), before)
        self.assertIn("pass 2 of 4", self.text("sums-result"))
        # To the margin and no further.
        self.js("pick('r', -9999, 3)")
        self.wait(lambda: "beyond the edge" in self.text("sums-result"))

        controls = self.js("""return [...document.querySelectorAll(
            ".lesson :is(input, select, button)")].map(e => e.id)""")
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
