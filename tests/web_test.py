#!/usr/bin/env python3
"""The page in a browser: loading, numbers, controls, invalid input, layout. The arguments are those
of web_page.py.
"""
import http.server
import pathlib
import sys
import tempfile
import threading
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from web_page import BOUND, PAGE, THEMES, WIDTHS, Page, png, sample

SIZE = 400_000  # bytes of the page


class Opens(Page):
    def test_size(self):
        size = PAGE.stat().st_size
        print(f"the page has {size} bytes", file=sys.stderr)
        self.assertLessEqual(size, SIZE)
        self.assertEqual([p.name for p in PAGE.parent.iterdir()], [PAGE.name])

    def test_from_a_file(self):
        self.open()
        self.assertEqual(self.notices(), [])
        self.assertIn("WebGL 2", self.text("device"))
        # The speed depends on the load of the machine; more than 10 seconds are an error.
        marks = self.js("""return performance.getEntriesByType("mark")
                               .map(({name, startTime}) => [name, startTime])""")
        print(", ".join(f"{name} after {time:.0f} ms" for name, time in marks), file=sys.stderr)
        self.assertEqual([name for name, _ in marks], ["picture", "subbands", "context", "webgl"])
        times = [time for _, time in marks]
        self.assertEqual(times, sorted(times))
        self.assertTrue(0 < times[0] and times[-1] < 10000)
        for canvas in ("image", "mosaic", "restored", "plane0", "plane3"):
            values = self.js("""const c = document.getElementById(arguments[0]);
                const {data} = c.getContext("2d").getImageData(0, 0, c.width, c.height);
                return new Set(data).size;""", canvas)
            self.assertGreater(values, 20, canvas)
        self.assertEqual(self.js("""return [...document.images].filter(i =>
            !i.complete || !i.naturalWidth || i.alt.length < 20).length"""), 0)

    def test_from_a_server(self):
        requests = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=str(PAGE.parent))

            def log_message(self, *_):
                requests.append(self.path)

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.open(url=f"http://127.0.0.1:{server.server_address[1]}/index.html")
            server.shutdown()
        self.assertEqual(requests, ["/index.html"])


    def test_console(self):
        """Tests tearDown(): it finds errors and warnings of the console."""
        self.before("console.error('an error'); console.warn('a warning'); console.log('a word');"
                    "setTimeout(() => { throw new Error('thrown'); });")
        self.open()
        messages = "\n".join(self.browser.complaints())
        for words in ("an error", "a warning", "thrown"):
            self.assertIn(words, messages)
        self.assertNotIn("a word", messages)


class Numbers(Page):
    # The differences of a wavelet's transforms from the interpreter's, and their tolerances.
    RUN = """
        const [wavelet, schemes] = arguments, rows = [];
        C.wavelet(wavelet);
        const periodic = C.wavelet_is_periodic();
        C.pattern(periodic ? "noise:64x48" : "noise:61x46");
        for (const scheme of schemes) {
            const ready = C.view(0, scheme, 3, periodic ? "periodic" : "symmetric");
            for (const inverse of [0, 1]) {
                const done = ready && (inverse ? C.inverse(0) : C.forward(0));
                rows.push([wavelet, scheme, inverse, done ? C.check(0, inverse) : C.error(),
                           done && C.tolerance(0, inverse)]);
            }
        }
        return rows;"""

    TABLE = ["haar", "cdf53", "cdf97", "dd137"]
    # Schemes that round to more than BOUND in any order of summation: docs/lab/web.md has the
    # reasons.
    NOT_SEP_CONVOLUTION = ("sep-polyconvolution", "sep-lifting", "nonsep-convolution",
                           "nonsep-polyconvolution", "nonsep-lifting")
    AMPLIFY = {
        "db18": ("nonsep-lifting",),
        **dict.fromkeys(("db19", "db20"), ("sep-lifting", "nonsep-lifting")),
        **dict.fromkeys(("bior5.5", "rbio5.5"), NOT_SEP_CONVOLUTION),
        **dict.fromkeys(("sym6", "sym8", "sym10", "rbio3.5"), ("nonsep-convolution",)),
    }

    def check(self, wavelets, schemes):
        rows = [row for wavelet in wavelets for row in self.js(self.RUN, wavelet, schemes)]
        self.assertEqual(len(rows), 2 * len(schemes) * len(wavelets))
        wrong = [row for row in rows if not isinstance(row[3], (int, float)) or not
                 0 <= row[3] <= (row[4] if row[1] in self.AMPLIFY.get(row[0], ()) else BOUND)]
        self.assertEqual(wrong, [])
        print(f"{len(rows)} transforms, at most {max(row[3] for row in rows):.1e} off",
              file=sys.stderr)
        for wavelet, scheme, inverse, most, _ in rows:
            if most > BOUND:
                print(f"  {wavelet} {scheme}{' inverse' if inverse else ''}: {most:.1e}",
                      file=sys.stderr)

    def names(self):
        """All wavelets, and all schemes."""
        wavelets, schemes = self.js("return [names.w, names.s]")
        self.assertGreater(len(wavelets), 80)
        self.assertEqual(len(schemes), 6)
        self.assertLess({*self.TABLE, *self.AMPLIFY}, set(wavelets))
        self.assertLess(set().union(*self.AMPLIFY.values()), set(schemes))
        return wavelets, schemes

    def test_webgl(self):
        self.open()
        self.check(self.TABLE, self.names()[1])

    def test_families(self):
        self.open()
        wavelets, schemes = self.names()
        self.assertEqual(self.js("""return [...document.querySelectorAll("#w optgroup")]
            .map(g => g.label.split(" ")[0])"""), ["files", "db1", "sym2", "coif1", "bior1.1", "rbio1.1"])
        self.check(sample([name for name in wavelets if name not in self.TABLE]), schemes)

    def test_cpu(self):
        self.open()
        self.js("open(1)")
        wavelets, schemes = self.names()
        self.check(self.TABLE, schemes)
        self.check(wavelets, ["sep-lifting"])

    def test_borders(self):
        """The borders of PyWavelets, whose arrays are larger than the image."""
        self.open()
        for cpu in (0, 1):
            rows = self.js("""
                if (arguments[0])
                    open(1);
                const wavelets = ["haar", "db4", "cdf53", "cdf97", "sym5"];
                return names.b.filter(b => b.startsWith("pywt-")).map((border, i) => {
                    C.wavelet(wavelets[i % 5]);
                    C.pattern("noise:61x46");
                    const ready = C.view(0, names.s[i % 6], 2, border);
                    const done = ready && C.forward(0), most = done ? C.check(0, 0) : C.error();
                    const back = done && C.keep(0, 100) >= 0 && C.inverse(0);
                    return [border, most, back ? C.check(0, 1) : C.error(), C.psnr(0),
                            C.bands_width(0), C.bands_height(0)];
                });""", cpu)
            self.assertEqual(len(rows), 9)
            for border, forward, inverse, psnr, width, height in rows:
                with self.subTest(border, cpu=cpu):
                    bound = 5e-5 if border in ("pywt-smooth", "pywt-antireflect") else BOUND
                    self.assertTrue(0 <= forward <= bound, forward)
                    self.assertTrue(0 <= inverse <= bound, inverse)
                    self.assertGreater(psnr, 90)
                    self.assertTrue(61 <= width < 90 and 46 < height < 75, (width, height))

    BANKS = [
        # bank, wavelet, scheme, borders, levels, bands below each other
        ("undecimated", "cdf53", "sep-convolution", "symmetric", 2, 7),
        ("undecimated", "cdf97", "nonsep-lifting", "periodic", 3, 10),
        ("undecimated", "db4", "nonsep-convolution", "periodic", 2, 7),
        ("starlet", "haar", "sep-convolution", "symmetric", 3, 4),
        ("starlet", "cdf97", "nonsep-convolution", "periodic", 2, 3),
        ("packets", "cdf97", "nonsep-polyconvolution", "symmetric", 2, 1),
        ("packets", "db4", "sep-lifting", "periodic", 2, 1),
    ]

    def test_banks(self):
        """Transforms of other banks, and the textures of their passes, with WebGL and on the CPU."""
        self.open()
        steps = []
        for cpu in (0, 1):
            rows = self.js("""
                if (arguments[0])
                    open(1);
                return arguments[1].map(([bank, wavelet, scheme, border, levels]) => {
                    C.wavelet(wavelet);
                    C.pattern("noise:64x48");
                    const ready = C.view(0, scheme, levels, border, bank);
                    const done = ready && C.forward(0), most = done ? C.check(0, 0) : C.error();
                    const back = done && C.keep(0, 100) >= 0 && C.inverse(0);
                    const sum = done && bank === "starlet" ? floats(C.forward(0),
                        C.bands_width(0) * C.bands_height(0)).reduce((sums, value, i) => {
                            sums[i % sums.length] += value;
                            return sums;
                        }, new Float64Array(64 * 48)) : [];
                    const off = Math.max(0, ...sum.map((value, i) =>
                        Math.abs(value - floats(C.pixels(), sum.length)[i])));
                    const steps = [0, 1].map(inverse => [...Array(C.steps(0, inverse)).keys()].map(
                        step => {
                            const at = C.step(0, inverse, step);
                            const [w, h] = new Int32Array(Module.HEAPU8.buffer, C.step_position(), 2);
                            return at ? [...floats(at, 4 * w * h)] : C.error();
                        }));
                    return [bank, most, back ? C.check(0, 1) : C.error(), C.psnr(0), off,
                            C.bands_width(0), C.bands_height(0), steps];
                });""", cpu, self.BANKS)
            for (bank, *_, bands), row in zip(self.BANKS, rows):
                with self.subTest(bank, row=row[1:5], cpu=cpu):
                    name, forward, inverse, psnr, off, width, height, _ = row
                    self.assertEqual(name, bank)
                    self.assertTrue(0 <= forward <= BOUND, forward)
                    self.assertTrue(0 <= inverse <= BOUND, inverse)
                    self.assertGreater(psnr, 90)
                    self.assertLess(off, 1e-6)
                    self.assertEqual((width, height), (64, 48 * bands))
            steps.append([row[-1] for row in rows])
        count = 0
        for row, (on_gpu, on_cpu) in zip(self.BANKS, zip(*steps)):
            for direction in (0, 1):
                self.assertEqual(len(on_gpu[direction]), len(on_cpu[direction]))
                for a, b in zip(on_gpu[direction], on_cpu[direction]):
                    # Inverse passes of packets begin with the transform of a result.
                    self.assertLess(max(abs(x - y) for x, y in zip(a, b, strict=True)),
                                    4 * BOUND if row[0] == "packets" else BOUND, row)
                    count += 1
        self.assertGreater(count, 60)

    def test_check_notices(self):
        """Tests the comparison: it detects another coefficient in the reference."""
        self.open()
        most = self.js("""C.pattern("noise:61x46"); C.view(0, "sep-lifting", 2, "symmetric"); C.forward(0);
                          C.set_tap(0, 0, -1.5); return C.check(0, 0);""")
        self.assertGreater(most, 1e-3)

    def test_shaders(self):
        """WebGL compiles all shaders that the page shows."""
        self.open()
        count, wrong = self.js("""
            const gl = document.createElement("canvas").getContext("webgl2"), wrong = [];
            const shaders = new Set();
            C.pattern("noise:61x46");
            for (const wavelet of arguments[0]) {
                C.wavelet(wavelet);
                for (const scheme of names.s) {
                    C.view(0, scheme, 2, "symmetric");
                    for (const inverse of [0, 1])
                        for (let step = 1; step < C.steps(0, inverse); step++)
                            shaders.add(C.shader(0, inverse, step));
                    for (const bank of ["undecimated", "starlet"])
                        if (C.view(0, scheme, 2, "periodic", bank))
                            for (const inverse of [0, 1])
                                for (let step = 1; step < C.steps(0, inverse); step++)
                                    shaders.add(C.shader(0, inverse, step));
                }
            }
            for (const text of shaders) {
                const shader = gl.createShader(gl.FRAGMENT_SHADER);
                gl.shaderSource(shader, text);
                gl.compileShader(shader);
                if (!text.startsWith("#version 300 es") ||
                    !gl.getShaderParameter(shader, gl.COMPILE_STATUS))
                    wrong.push([gl.getShaderInfoLog(shader), text]);
            }
            return [shaders.size, wrong];""", self.TABLE)
        print(f"{count} shaders", file=sys.stderr)
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(count, 100)

    def test_stages(self):
        """Textures between passes equal the results of the interpreter."""
        self.open()
        worst = self.js("""
            const all = () => {
                C.pattern("noise:62x46"); C.wavelet("cdf97"); C.view(0, "nonsep-lifting", 2, "symmetric");
                return [0, 1].map(inverse => [...Array(C.steps(0, inverse)).keys()].map(step => {
                    const at = C.step(0, inverse, step);
                    const position = [...new Int32Array(Module.HEAPU8.buffer, C.step_position(), 4)];
                    return {position, quads: floats(at, 4 * position[0] * position[1]).slice()};
                }));
            };
            const gpu = all();
            open(1);
            const cpu = all();
            let worst = 0, count = 0;
            gpu.forEach((steps, direction) => steps.forEach(({position, quads}, step) => {
                const other = cpu[direction][step];
                if (String(other.position) !== String(position)) worst = Infinity;
                quads.forEach((value, i) => {
                    worst = Math.max(worst, Math.abs(value - other.quads[i]));
                });
                count++;
            }));
            return [worst, count];""")
        self.assertGreaterEqual(worst[1], 20)
        self.assertLess(worst[0], BOUND)


class Controls(Page):
    def test_every_control(self):
        """Each control is used once, and has an effect."""
        self.open()
        operated = set()

        def choose(name, value):
            operated.add(name)
            self.after(lambda: Select(self.find(name)).select_by_value(value))
            self.assertEqual(self.state()[name], value)
            self.assertIn(f"{name}={value}", self.driver.current_url)

        choose("i", "edges")
        choose("w", "cdf53")
        choose("s", "sep-lifting")
        choose("t", "nonsep-convolution")
        self.assertIn("B: nonsep-convolution", self.text("compare"))
        choose("b", "pywt-reflect")
        self.assertIn("more than the image", self.text("mosaic-text"))
        self.assertIn("interpreter", self.text("place"))
        choose("b", "periodic")
        self.assertNotIn("more than the image", self.text("mosaic-text"))
        choose("f", "undecimated")
        self.assertFalse(self.find("mosaic").is_displayed())
        self.assertEqual(self.bands(), ["LL3", "HL3", "LH3", "HH3", "HL2", "LH2", "HH2", "HL1",
                                        "LH1", "HH1"])
        self.assertIn("Fetches per sample", self.text("compare"))
        self.assertIn("r, g, b, a are LL, HL, LH, HH", self.text("matrix"))
        choose("f", "starlet")
        self.assertEqual(self.bands(), ["C3", "W3", "W2", "W1"])
        self.assertEqual(self.state()["s"], "nonsep-convolution")
        self.assertIn("Bank starlet: scheme A is nonsep-convolution.", self.notices())
        choose("f", "packets")
        self.assertIn("64 nodes, aaa", self.text("mosaic-text"))
        self.assertFalse(self.find("bank").is_displayed())
        self.after(lambda: Select(self.find("f")).select_by_value("decimated"))
        self.assertTrue(self.find("mosaic").is_displayed())
        self.assertEqual(self.notices(), [])
        levels = self.find("l")
        operated.add("l")
        self.after(lambda: self.fill(levels, "2", Keys.TAB))
        self.assertEqual(self.state()["l"], 2)
        self.assertEqual(self.text("bands"), "")  # not computed while closed
        self.driver.find_element(By.CSS_SELECTOR, "summary").click()
        self.wait(lambda: "LL2" in self.text("bands"))

        def press(name, *keys):
            operated.add(name)
            self.find(name).send_keys(*keys)

        press("k", *[Keys.ARROW_LEFT] * 95)
        self.assertEqual(self.state()["k"], 5)
        self.assertIn("5.0 %", self.text("kept"))
        self.assertRegex(self.text("kept"), r"PSNR: [0-9.]+ dB")
        press("v", "b")
        press("d", "i")
        self.assertEqual((self.state()["v"], self.state()["d"]), ("b", "inverse"))
        press("p", Keys.ARROW_RIGHT)
        self.assertEqual(self.state()["p"], 1)
        self.assertIn("#version 300 es", self.text("shader"))
        press("after", Keys.ENTER)
        self.assertEqual(self.state()["p"], 2)
        press("before", Keys.SPACE)
        self.assertEqual(self.state()["p"], 1)
        symbols = self.text("matrix")
        press("n", Keys.SPACE)
        self.assertNotEqual(self.text("matrix"), symbols)

        press("g", Keys.ARROW_RIGHT)
        self.assertEqual(self.state()["g"], 13)
        self.assertRegex(self.text("shift-text"), r"16 decimated .* energy 0\.\d+ becomes 0\.\d+\. "
                                                  r"The 64 undecimated .* stays \d")

        filters = self.find("filters").get_attribute("src")
        for kind in ("range", "number"):
            tap = self.driver.find_element(By.CSS_SELECTOR, f"#taps input[type={kind}]")
            if kind == "range":
                self.after(lambda: tap.send_keys(*[Keys.ARROW_RIGHT] * 3, Keys.TAB))
            else:
                self.after(lambda: self.fill(tap, "-0.75", Keys.TAB))
            self.assertIn("gain at DC is", self.text("loss"))
            self.assertNotEqual(self.find("filters").get_attribute("src"), filters)
        pair = self.js("""return [...document.querySelectorAll("#taps input[type=number]")]
                              .slice(0, 2).map(i => +i.value)""")
        self.assertEqual(pair, [-0.75, -0.75])
        self.assertGreater(self.js("return C.psnr(0)"), 0)
        operated.add("reset")
        self.after(self.find("reset").click)
        self.assertIn("has no details", self.text("loss"))

        operated |= {"camera", "file"}
        self.find("camera").click()
        self.wait(lambda: "frames per second" in self.text("rate"))
        self.assertIn("camera", self.text("image-text"))
        self.after(self.find("camera").click)
        self.assertIn("camera", self.text("image-text"))
        self.assertEqual(self.text("rate"), "")
        self.assertEqual(self.js("return C.planes()"), 3)
        choose("c", "luma")
        self.assertEqual(self.js("return C.planes()"), 1)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "black.png")
            png(path, 40, 30)
            self.after(lambda: self.find("file").send_keys(str(path)))
            self.assertEqual(self.js("return [C.width(), C.height()]"), [40, 30])
            png(path, 2048, 100)
            self.after(lambda: self.drop("wide.png", path))
        self.assertEqual(self.js("return [C.width(), C.height()]"), [1024, 50])
        self.assertIn("1024", " ".join(self.notices()))
        self.driver.find_element(By.CSS_SELECTOR, ".notice button").click()

        controls = self.js("""return [...document.querySelectorAll("input, select, button")]
            .filter(e => !e.closest("#taps, #notices, .lesson, #wavelet-file")).map(e => e.id)""")
        self.assertEqual(set(controls), operated)

    def test_address(self):
        """The state in an address is displayed, and stays in the address."""
        address = "#i=text&w=dd137&s=sep-lifting&l=2&p=3&k=20&d=inverse"
        self.open(address)
        self.assertEqual(self.notices(), [])
        for part in address[1:].split("&"):
            self.assertIn(part, self.driver.current_url)
        self.assertIn("20.0 %", self.text("kept"))
        self.assertTrue(self.text("p-text").startswith("3 of"))
        self.after(lambda: self.js("location.hash = '#w=haar'"))
        self.assertEqual(self.state()["w"], "haar")
        self.assertEqual(self.state()["k"], 100)

    def bands(self):
        """Names of the displayed pictures of bands."""
        return self.js("""return [...document.querySelectorAll("#bank figure")]
            .filter(f => f.checkVisibility()).map(f => f.textContent)""")

    def test_banks(self):
        """What a bank does not support is replaced or reported."""
        self.open("#f=undecimated&w=haar&l=1&b=pywt-reflect&s=sep-convolution")
        self.assertEqual(self.state()["b"], "periodic")
        self.assertIn("Bank undecimated of haar: borders are periodic, not pywt-reflect.",
                      self.notices())
        self.assertEqual(len(self.bands()), 4)
        self.assertEqual(self.js("""return ["decimated", "undecimated", "starlet", "packets"].map(
            bank => ["symmetric", "pywt-zero"].map(border => C.levels_most(border, bank)))"""),
                         [[9, 9], [0, 0], [9, 0], [5, 0]])
        self.assertEqual(self.js("return [C.view(0, 'sep-lifting', 1, 'periodic', 'starlet'),"
                                 "C.error().includes('does not apply'),"
                                 "C.view(0, 'sep-lifting', 1, 'periodic', 'no'), C.error()]"),
                         [0, True, 0, "there is no bank 'no'"])
        self.after(lambda: self.js("location.hash = '#f=packets&l=12&k=5&w=haar'"))
        self.assertEqual(self.state()["l"], 5)
        self.assertIn("at most 5 levels", " ".join(self.notices()))
        self.assertIn("1024 nodes, aaaaa", self.text("mosaic-text"))
        self.driver.find_element(By.CSS_SELECTOR, "summary").click()
        self.wait(lambda: "vdhav" in self.text("bands"))

    def test_not_symmetric(self):
        self.open("#w=db2")
        self.assertEqual(self.state()["b"], "periodic")
        self.assertIn("not symmetric", " ".join(self.notices()))


class Color(Page):
    """An image with three planes, for each channel."""

    # A canvas as the image, whose planes differ in each pixel.
    LOAD = """
        const canvas = Object.assign(document.createElement("canvas"), {width: 96, height: 64});
        const context = canvas.getContext("2d"), pixels = context.createImageData(96, 64);
        for (let i = 0; i < pixels.data.length; i++)
            pixels.data[i] = i % 4 === 3 ? 255 : (i >> 2) * [7, 11, 29][i % 4] % 256;
        context.putImageData(pixels, 0, 0);
        window.loaded = pixels.data;
        // Reads from a copy, since Chromium warns of canvases that are read often.
        window.read = (id, x, y, width, height) => {
            const copy = Object.assign(document.createElement("canvas"), {width, height});
            const context = copy.getContext("2d", {willReadFrequently: true});
            context.drawImage(document.getElementById(id), -x, -y);
            return context.getImageData(0, 0, width, height).data;
        };
        setPicture(canvas, 96, 64, "Colours");"""

    # The largest difference of a canvas's pixels from the expected ones.
    COMPARE = """
        const data = read(arguments[0], 0, 0, 96, 64), weight = arguments[1];
        let worst = 0;
        for (let i = 0; i < data.length; i++) {
            const at = i - i % 4, channel = i % 4;
            if (channel === 3) continue;
            const expected = weight ? weight.reduce((sum, w, c) => sum + w * loaded[at + c], 0)
                                  : loaded[i];
            worst = Math.max(worst, Math.abs(data[i] - expected));
        }
        return worst;"""

    CHANNELS = {"rgb": None, "luma": [.299, .587, .114], "red": [1, 0, 0], "green": [0, 1, 0],
                "blue": [0, 0, 1]}

    def check(self):
        self.after(lambda: self.js(self.LOAD))
        for channel, weights in self.CHANNELS.items():
            with self.subTest(channel=channel):
                if channel != self.state()["c"]:
                    self.after(lambda: Select(self.find("c")).select_by_value(channel))
                self.assertEqual(self.js("return C.planes()"), 1 if weights else 3)
                for canvas in ("image", "restored"):
                    self.assertLessEqual(self.js(self.COMPARE, canvas, weights), .51)
                for inverse in (0, 1):
                    self.assertLess(self.js("return C.check(0, arguments[0])", inverse), BOUND)
                self.assertLess(self.js("return C.difference()"), BOUND)
        self.after(lambda: Select(self.find("c")).select_by_value("rgb"))
        colored_values = self.js("""const data = read("mosaic", 50, 40, 30, 20);
            return data.filter((v, i) => i % 4 && i % 4 < 3 && v !== data[i - 1]).length""")
        self.assertGreater(colored_values, 400)

    def test_webgl(self):
        self.open("#l=2")
        self.check()

    def test_cpu(self):
        self.open("#l=2")
        self.after(lambda: self.js("open(1); update()"))
        self.check()

    def test_without_colors(self):
        """A gray image has one plane, and a pattern no channels."""
        self.open("#c=red")
        self.assertEqual(self.js("return C.planes()"), 1)
        self.assertIn("has no colors", self.text("image-text"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "black.png")
            png(path, 40, 30)
            self.after(lambda: self.find("file").send_keys(str(path)))
        self.assertEqual(self.js("return [C.planes(), C.is_coloured()]"), [1, 0])


class Camera(Page):
    """Frames of the camera, 1024x1024; the frame rate is printed, not tested."""

    def test_frames(self):
        self.open("#s=sep-lifting")
        self.js("document.getElementById('h-bands').scrollIntoView()")
        self.js("document.getElementById('camera').click()")
        self.wait(lambda: "1024 × 1024" in self.text("rate"))
        # The first second includes preparation.
        self.js("document.getElementById('rate').textContent = ''")
        self.wait(lambda: self.text("rate"))
        print(self.js("return document.body.dataset.backend") + ": " + self.text("rate"),
              file=sys.stderr)
        self.assertGreater(float(self.js("return $('rate').dataset.frames")), 0)
        self.after(lambda: self.js("document.getElementById('camera').click()"))
        self.assertEqual(self.js("return [C.width(), C.height(), C.planes(), live]"),
                         [1024, 1024, 3, None])
        self.assertLess(self.js("C.forward(0); return C.check(0, 0)"), BOUND)

    def test_none(self):
        self.before("""if (navigator.mediaDevices)
            navigator.mediaDevices.getUserMedia = async () => {
            throw new DOMException("not today", "NotAllowedError"); };""")
        self.open()
        self.find("camera").click()
        self.wait(lambda: any("not today" in n for n in self.notices()))
        self.assertEqual(self.text("camera"), "Start the camera")


class CameraWithoutGpu(Camera):
    """Frames on the CPU, in a browser without a graphics device."""

    GRAPHICS = False

    def test_none(self):
        self.open()
        self.assertEqual(self.js("return document.body.dataset.backend"), "cpu")
        super().test_none()


class Linking(Page):
    """KHR_parallel_shader_compile: the page polls programs instead of waiting for them."""

    # A browser with slow compilation, with the extension in any case.
    LATE = """
        const webgl = WebGL2RenderingContext.prototype, COMPLETION = 0x91b1, AFTER = 300;
        const begun = new Map(), done = new Set(), owner = new Map();
        window.counts = {begun: 0, concurrent: 0, early: 0, asked: 0, ticks: 0};
        const wrap = (name, hook) => {
            const real = webgl[name];
            webgl[name] = function (...given) { return hook.call(this, real, ...given); };
        };
        wrap("getExtension", function (real, name) {
            return name === "KHR_parallel_shader_compile" ? {} : real.call(this, name);
        });
        wrap("attachShader", function (real, program, shader) {
            owner.set(shader, program);
            return real.call(this, program, shader);
        });
        wrap("linkProgram", function (real, program) {
            begun.set(program, performance.now());
            counts.begun++;
            return real.call(this, program);
        });
        wrap("getProgramParameter", function (real, program, parameter) {
            if (parameter !== COMPLETION) {
                counts.early += parameter === this.LINK_STATUS && !done.has(program);
                return real.call(this, program, parameter);
            }
            if (!counts.asked++)
                counts.concurrent = counts.begun;
            if (performance.now() > begun.get(program) + AFTER)
                done.add(program);
            return done.has(program);
        });
        wrap("getShaderParameter", function (real, shader, parameter) {
            const program = owner.get(shader);
            counts.early += program !== undefined && !done.has(program);
            return real.call(this, shader, parameter);
        });
        setInterval(() => counts.ticks++, 10);"""

    def test_late(self):
        self.before(self.LATE)
        self.visit("#s=nonsep-lifting&w=cdf97&l=3")
        # The CPU's results are displayed, and the page responds.
        self.wait(lambda: self.js("return window.counts && counts.asked > 3"))
        self.assertEqual(self.ready(), 0)
        self.wait_for_update(0)
        counts = self.js("return counts")
        print(f"{counts['concurrent']} programs side by side, {counts['asked']} times asked, "
              f"{counts['ticks']} other callbacks meanwhile", file=sys.stderr)
        self.assertGreater(counts["concurrent"], 10)  # both directions, all passes
        self.assertEqual(counts["early"], 0)
        self.assertGreater(counts["ticks"], 20)
        self.assertEqual(self.notices(), [])
        for inverse in (0, 1):
            self.assertLess(self.js("return C.check(0, arguments[0])", inverse), BOUND)

    def test_another_choice_meanwhile(self):
        self.before(self.LATE)
        self.open("#w=cdf97")
        self.after(lambda: self.js("""
            for (const name of ["dd137", "haar", "cdf53"]) {
                document.getElementById("w").value = name;
                document.getElementById("w").dispatchEvent(new Event("change"));
            }"""))
        self.assertEqual(self.ready(), 2)  # outdated results were not displayed
        self.assertEqual(self.state()["w"], "cdf53")
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)
        # A synchronous call works while programs are linking.
        self.js("C.wavelet('db4'); C.view(0, 'nonsep-convolution', 2, 'periodic');")
        self.assertTrue(self.js("return C.begin(0, 0) && C.is_linking() && C.forward(0) > 0"))
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)

    def test_a_shader_that_does_not_compile(self):
        self.before(self.LATE + """
            wrap("shaderSource", function (real, shader, text) {
                real.call(this, shader, text.length < 20000 ? text : text + "too long");
            });""")
        self.visit("#w=bior6.8&s=nonsep-convolution")
        self.wait(lambda: any("a shader does not compile" in n for n in self.notices()))
        self.after(lambda: Select(self.find("s")).select_by_value("nonsep-lifting"))
        self.assertEqual(self.notices(), [])

    def test_without(self):
        """Without the extension the completion of programs is not polled."""
        self.before(self.LATE + """
            wrap("getExtension", function (real, name) {
                return name === "KHR_parallel_shader_compile" ? null : real.call(this, name);
            });""")
        self.open("#w=cdf97")
        self.assertEqual(self.js("return [counts.asked, C.is_linking()]"), [0, 0])
        self.assertGreater(self.js("return counts.begun"), 10)
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)


class Timers(Page):
    """EXT_disjoint_timer_query_webgl2, whose results are late or missing."""

    QUERY = """
        const webgl = WebGL2RenderingContext.prototype, ELAPSED = 0x88bf, DISJOINT = 0x8fbb;
        const polls = new Map();
        window.counts = {begun: 0, ended: 0, read: 0, early: 0, asked: 0};
        const wrap = (name, hook) => {
            const real = webgl[name];
            webgl[name] = function (...given) { return hook.call(this, real, ...given); };
        };
        wrap("getExtension", function (real, name) {
            return name === "EXT_disjoint_timer_query_webgl2" ? has && {} : real.call(this, name);
        });
        wrap("beginQuery", function (real, target, query) {
            if (target !== ELAPSED)
                return real.call(this, target, query);
            polls.set(query, 0);
            counts.begun++;
        });
        wrap("endQuery", function (real, target) {
            if (target !== ELAPSED)
                return real.call(this, target);
            counts.ended++;
        });
        wrap("getQueryParameter", function (real, query, parameter) {
            const count = polls.get(query);
            if (parameter === this.QUERY_RESULT_AVAILABLE) {
                polls.set(query, count + 1);
                return count >= 3;
            }
            counts.read++;
            counts.early += count < 3;
            return 1e6 * (counts.read + 1);  // nanoseconds
        });
        wrap("getParameter", function (real, parameter) {
            if (parameter !== DISJOINT)
                return real.call(this, parameter);
            counts.asked++;
            return disjoint;
        });"""

    def rows(self):
        """The cells with times, and the caption that names their source."""
        rows = self.js("""return [...document.querySelectorAll("#compare tbody tr")].slice(-2)
            .flatMap(row => [...row.cells].slice(1).map(cell => cell.textContent))""")
        return rows, self.js("return document.querySelector('#compare caption').textContent")

    def test_late(self):
        self.before("const has = true, disjoint = false;" + self.QUERY)
        self.open()
        self.wait(lambda: self.js("return document.body.dataset.timer === 'query'"))
        rows, caption = self.rows()
        self.assertIn("device timer, EXT_disjoint_timer_query_webgl2", caption)
        # Medians of three: A forward and inverse, B forward and inverse; one row for each
        # direction.
        self.assertEqual(rows, ["3.00 ms", "9.00 ms", "6.00 ms", "12.00 ms"])
        counts = self.js("return counts")
        self.assertEqual((counts["read"], counts["early"]), (12, 0))
        self.assertEqual(counts["begun"], counts["ended"])

    def test_disjoint(self):
        """Times of disjoint queries are not displayed."""
        self.before("const has = true, disjoint = true;" + self.QUERY)
        self.open()
        self.wait(lambda: self.js("return counts.asked > 0"))
        self.js("return new Promise(done => setTimeout(done, 1000))")
        self.assertEqual(self.js("return counts.asked"), 1)  # the times of the clock stay
        rows, caption = self.rows()
        self.assertIn("wall clock between two pixel reads", caption)
        self.assertNotIn("2.00 ms", rows)
        self.assertEqual(self.js("return document.body.dataset.timer"), "clock")

    def test_without(self):
        """Measured with the clock of the host: reading a pixel waits for all earlier draws."""
        self.before("const has = null, disjoint = false;" + self.QUERY + """
            counts.pixels = 0;
            wrap("readPixels", function (real, x, y, width, height, ...rest) {
                counts.pixels += width === 1 && height === 1;
                return real.call(this, x, y, width, height, ...rest);
            });""")
        self.open()
        rows, caption = self.rows()
        self.assertIn("wall clock between two pixel reads", caption)
        self.assertTrue(all(float(time.removesuffix(" ms")) > 0 for time in rows), rows)
        self.assertEqual(self.js("return counts.begun"), 0)
        # Before and after each of three runs of four transforms.
        self.assertGreaterEqual(self.js("return counts.pixels"), 24)


class BadInput(Page):
    def test_nonsense_in_the_address(self):
        self.open("#w=nonsense&l=99&p=-1&constructor=1&%&s=sep-lifting&k=1e9")
        notices = " ".join(self.notices())
        for part in ("w=nonsense", "l=99", "p=-1", "constructor=1", "%", "k=1e9"):
            self.assertIn(part, notices)
        self.assertNotIn("sep-lifting", notices)
        self.assertEqual(self.state()["s"], "sep-lifting")
        self.assertEqual(self.state()["w"], "cdf97")

    def test_too_many_levels(self):
        self.open("#l=12")
        self.assertIn("9 levels", " ".join(self.notices()))
        self.assertEqual(self.state()["l"], 9)

    def test_files(self):
        self.open()
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "letter.txt")
            text.write_text("This is no image.\n", encoding="utf-8")
            self.drop("letter.png", text)
            self.wait(lambda: any("letter.png is not an image" in n for n in self.notices()))
            huge = pathlib.Path(folder, "huge.png")
            png(huge, 20000, 20000)
            self.drop("huge.png", huge)
            self.wait(lambda: any("20000 × 20000" in n for n in self.notices()))
        self.assertEqual(self.js("return [C.width(), C.height()]"), [512, 512])
        self.after(lambda: Select(self.find("i")).select_by_value("edges"))

    def test_invalid_coefficient(self):
        self.open()
        tap = self.driver.find_element(By.CSS_SELECTOR, "#taps input[type=number]")
        self.fill(tap, "99999")
        self.assertIn("from -16 to 16", " ".join(self.notices()))

    def test_a_shader_that_does_not_compile(self):
        """A device that rejects long shaders: the page reports it, and works with another one."""
        self.before("""const give = WebGL2RenderingContext.prototype.shaderSource;
            WebGL2RenderingContext.prototype.shaderSource = function (shader, text) {
                give.call(this, shader, text.length < 20000 ? text : text + "too long");
            };""")
        self.visit("#w=bior6.8&s=nonsep-convolution")
        self.wait(lambda: any("a shader does not compile" in n for n in self.notices()))
        self.after(lambda: Select(self.find("s")).select_by_value("nonsep-lifting"))
        self.assertEqual(self.notices(), [])
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)

    def test_lost_context(self):
        self.before("""const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                const context = get.call(this, kind, ...rest);
                if (kind === "webgl2") window.lose = context.getExtension("WEBGL_lose_context");
                return context;
            };""")
        self.open()
        # During a pass: the next call finds that the context is lost.
        self.after(lambda: self.js("lose.loseContext(); C.step(0, 0, 1);"))
        self.assertIn("graphics device was lost", " ".join(self.notices()))
        self.assertIn("CPU", self.text("device"))
        self.assertLess(self.js("C.forward(0); return C.check(0, 0)"), BOUND)
        self.after(lambda: self.js("lose.restoreContext()"))
        self.assertIn("is restored", " ".join(self.notices()))
        self.assertIn("WebGL 2", self.text("device"))
        self.assertLess(self.js("C.forward(0); return C.check(0, 0)"), BOUND)
        self.browser.complaints()  # of the lost context

    def test_no_webgl(self):
        self.before("""const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
            };""")
        self.open("#p=1")
        self.assertIn("No WebGL 2", " ".join(self.notices()))
        self.assertEqual(self.js("return document.body.dataset.backend"), "cpu")
        self.assertLess(self.js("return C.check(0, 0)"), BOUND)
        self.assertIn("#version 300 es", self.text("shader"))

    def test_half_floats(self):
        self.before("""const get = WebGL2RenderingContext.prototype.getExtension;
            WebGL2RenderingContext.prototype.getExtension = function (name) {
                return name === "EXT_color_buffer_float" ? null : get.call(this, name);
            };""")
        self.open()
        has_half = self.js("""return Boolean(document.createElement("canvas")
            .getContext("webgl2").getExtension("EXT_color_buffer_half_float"))""")
        worst = self.js("return C.check(0, 0)")
        if has_half:
            self.assertIn("16 bits", " ".join(self.notices()))
            self.assertGreater(worst, 1e-5)
            self.assertLess(worst, 1e-2)
        else:
            print("no 16-bit render targets either: the CPU was used", file=sys.stderr)
            self.assertIn("No WebGL 2 (no float render targets", " ".join(self.notices()))
            self.assertLess(worst, BOUND)


class Looks(Page):
    def tearDown(self):
        self.browser.look()
        super().tearDown()

    def test_widths_and_themes(self):
        for theme in THEMES:
            for width in WIDTHS:
                self.open_as(theme, width, "#i=shepp-logan&p=2&k=10&w=" +
                             ("cdf97" if theme == "light" else "cdf53"))
                with self.subTest(width=width, theme=theme):
                    self.assertLessEqual(
                        self.js("return document.documentElement.scrollWidth"), width)
                self.keep(f"{width}-{theme}.png", self.browser.picture())

    def test_banks(self):
        for width, address in zip(WIDTHS, ("undecimated&w=cdf53&x=m:150,700", "starlet&x=m:150,1300",
                                           "packets&l=4")):
            self.open_as("light", width, f"#i=shepp-logan&p=2&k=10&s=sep-convolution&f={address}")
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
            self.keep(f"{width}-{address.split('&')[0]}.png", self.browser.picture())
            if width == WIDTHS[0]:
                self.check_axe("banks")

    def test_axe(self):
        for theme in THEMES:
            self.open_as(theme, 0, "#l=12&w=cdf53&p=1")  # with a notice
            self.check_axe(theme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
