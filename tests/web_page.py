"""Shared code of the page's tests: their arguments, and a page in a browser.

    TEST PAGE [--browser chromium|firefox] [--screenshots FOLDER] [arguments of unittest]

PAGE is dist/index.html; screenshots have three widths and two themes. Exits with 77 if the page,
the browser, its driver or Selenium is missing. $WAVEPASS_WEB_MISSING may give the reason why there
is no page. $WAVEPASS_SAMPLE, SEED:N, selects one of N wavelets in tests of many.
"""
import importlib.util
import os
import pathlib
import struct
import sys
import tempfile
import unittest
import zlib


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


try:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
    from web_browsers import BROWSERS
except ImportError:
    skip("Selenium for Python is not installed (scripts/setup.sh web)")
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "cli"))
import harness  # noqa: E402  (found through the line above)

BOUND = 1e-5  # of coefficients of samples in 0..1
WIDTHS = (360, 1280, 2560)
THEMES = ("light", "dark")


def read_argument(name, default):
    if sys.argv[1:2] != [name]:
        return default
    value = sys.argv[2]
    del sys.argv[1:3]
    return value


if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_file():
    skip(os.environ.get("WAVEPASS_WEB_MISSING") or
         "the page was not built (cmake --build BUILD --target web)")
PAGE = pathlib.Path(sys.argv.pop(1)).resolve()
NAME = read_argument("--browser", "chromium")
SCREENSHOTS = read_argument("--screenshots", None)
BROWSER = BROWSERS[NAME]
if BROWSER.missing():
    skip(BROWSER.missing())


def sample(cases):
    """The cases that $WAVEPASS_SAMPLE selects, which are printed; all without it."""
    selected = harness.sample(cases, NAME)
    if len(selected) < len(cases):
        print(f"a sample of {len(selected)} of {len(cases)}: {' '.join(selected)}", file=sys.stderr)
    return selected


def axe_script():
    """The text of axe-core and None, or None and the reason why it is missing."""
    # Searched for, not imported: importing requires Playwright.
    found = importlib.util.find_spec("axe_playwright_python")
    if not found:
        return None, "axe-core is not installed (Python package axe-playwright-python)"
    path = pathlib.Path(found.submodule_search_locations[0], "axe.min.js")
    return path.read_text(encoding="utf-8"), None


def png(path, width, height):
    """Writes a black image with 1 bit per pixel, so that large ones are small files."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    row = bytes(1 + (width + 7) // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
        ">IIBBBBB", width, height, 1, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


class Page(unittest.TestCase):
    """One browser for each class; a page for each test."""

    GRAPHICS = True
    page = PAGE

    @classmethod
    def setUpClass(cls):
        cls.browser = BROWSER(cls.GRAPHICS)
        cls.driver = cls.browser.driver
        cls.driver.set_script_timeout(600)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [], "the console says")

    def before(self, script):
        """Makes the page run a script first: later calls of open() use a modified copy."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        page = pathlib.Path(folder.name, "index.html")
        text = self.page.read_text(encoding="utf-8")
        head = "<head>\n"
        self.assertIn(head, text)
        page.write_text(text.replace(head, f"{head}<script>{{{script}}}</script>\n", 1),
                        encoding="utf-8")
        self.page = page

    def check_axe(self, message):
        """axe-core finds no violations in the current page."""
        script, reason = axe_script()
        if not script:
            print(f"skipped: {reason}", file=sys.stderr)
            self.skipTest(reason)
        self.js(script)
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run().then(done)")
        self.assertGreater(len(found["passes"]), 20)
        self.assertEqual([(v["id"], [n["html"] for n in v["nodes"]])
                          for v in found["violations"]], [], message)

    def keep(self, name, data):
        """Saves a screenshot or a document for inspection."""
        if SCREENSHOTS:
            folder = pathlib.Path(SCREENSHOTS)
            folder.mkdir(parents=True, exist_ok=True)
            folder.joinpath(f"{NAME}-{name}").write_bytes(data)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def ready(self):
        return int(self.js("return document.body.dataset.ready || 0"))

    def visit(self, address="", url=None):
        self.driver.get("about:blank")
        self.driver.get((url or self.page.as_uri()) + address)

    def open(self, address="", url=None):
        self.visit(address, url)
        self.wait_for_update(0)

    def wait_for_update(self, count):
        """Waits until everything was displayed more than `count` times."""
        self.wait(lambda: self.ready() > count)

    def after(self, action):
        count = self.ready()
        action()
        self.wait_for_update(count)

    def wait(self, condition):
        WebDriverWait(self.driver, 60, poll_frequency=.1).until(lambda _: condition())

    def open_as(self, theme, width, address):
        """Opens the page with a theme and, if it is not 0, a width."""
        self.browser.look(theme, width)
        self.open(address)
        self.assertEqual(self.js("return matchMedia('(prefers-color-scheme: dark)').matches"),
                         theme == "dark")
        if width:
            self.assertEqual(self.js("return innerWidth"), width)

    def find(self, name):
        return self.driver.find_element(By.ID, name)

    def fill(self, field, text, *keys):
        """Replaces the text of a field with the keyboard."""
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(text, *keys)

    def text(self, name):
        return self.js("return document.getElementById(arguments[0]).textContent", name)

    def notices(self):
        return self.js("""return [...document.querySelectorAll(".notice span")]
                              .map(n => n.textContent)""")

    def state(self):
        return self.js("return {...state}")

    def drop(self, name, path):
        """Drops a file on the page."""
        self.js("""const input = document.createElement("input");
                   input.type = "file"; input.id = "dropped"; input.hidden = true;
                   document.body.append(input);""")
        self.find("dropped").send_keys(str(path))
        self.js("""const from = document.getElementById("dropped").files[0];
                   const data = new DataTransfer();
                   data.items.add(new File([from], arguments[0], {type: from.type}));
                   document.getElementById("dropped").remove();
                   for (const type of ["dragover", "drop"])
                       document.body.dispatchEvent(new DragEvent(type,
                           {dataTransfer: data, bubbles: true, cancelable: true}));""", name)
