"""The browsers for tests of the page, without a window: Chromium, with SwiftShader as its GL, and
Firefox, which needs an X server for GL. Both are controlled with Selenium.

A browser has `driver`, Selenium's; the other functions are those that WebDriver does not have.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.file_detector import UselessFileDetector

import display
import marionette

HEIGHT = 900


def lacks(*programs):
    """The reason why a browser is not available, or None."""
    missing = [program for program in programs if not shutil.which(program)]
    return f"{' and '.join(missing)} not installed (scripts/setup.sh web)" if missing else None


class Chromium:
    @staticmethod
    def missing():
        return lacks("chromium", "chromedriver")

    def __init__(self, graphics):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars",
                         "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                         *(("--use-angle=swiftshader", "--enable-unsafe-swiftshader") if graphics
                           else ("--disable-gpu", "--disable-3d-apis"))):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Chromium leaves folders in $TMPDIR.
        service = Service(shutil.which("chromedriver"),
                          env={**os.environ, "TMPDIR": self.folder.name})
        self.driver = webdriver.Chrome(service=service, options=options)

    def complaints(self):
        """Errors and warnings of the console since the last call."""
        # SwiftShader warns of slow operations.
        return [line["message"] for line in self.driver.get_log("browser")
                if line["level"] in ("SEVERE", "WARNING")
                and "GL Driver Message (OpenGL, Performance" not in line["message"]]

    def look(self, theme="", width=0, paper=False):
        """Sets how the page is displayed; 0 and "" are the browser's defaults."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": "print" if paper else "",
            "features": [{"name": "prefers-color-scheme", "value": theme}]})
        if width:
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": width < 600})
        else:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def picture(self):
        """The complete page as PNG."""
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "format": "png"})["data"])

    def print(self):
        """The page as PDF, on A4."""
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {
            "paperWidth": 8.27, "paperHeight": 11.69})["data"])

    def quit(self):
        self.driver.quit()
        self.folder.cleanup()


class Firefox:
    PREFERENCES = {
        "marionette.port": 0,
        "media.navigator.permission.disabled": True,
        "media.navigator.streams.fake": True,
        "devtools.console.stdout.content": True,
    }

    @staticmethod
    def missing():
        return lacks("firefox-esr", "Xvfb")

    def __init__(self, graphics):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = pathlib.Path(self.folder.name)
        preferences = {**self.PREFERENCES, "webgl.disabled": not graphics}
        folder.joinpath("user.js").write_text("".join(
            f'user_pref("{key}", {json.dumps(value)});\n' for key, value in preferences.items()),
            encoding="utf-8")
        self.x = display.Display()
        self.log = folder.joinpath("log")
        self.read = 0
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access",
                 "--no-remote", "--profile", folder],
                env={**os.environ, "DISPLAY": self.x.name, "HOME": self.folder.name,
                     "TMPDIR": self.folder.name},  # PulseAudio's library leaves folders there
                stdout=log, stderr=subprocess.STDOUT)
        self.remote = marionette.Marionette(folder, self.process)
        self.driver = webdriver.Remote(self.remote, options=webdriver.FirefoxOptions(),
                                       file_detector=UselessFileDetector())
        self.driver.get("about:blank")  # Firefox's first page allows no scripts
        self.remote.chrome("Services.console.reset()")

    def complaints(self):
        log = self.remote.chrome("""
            // A page without WebGL is intended.
            const log = Services.console.getMessageArray()
                .filter(m => m instanceof Ci.nsIScriptError && /^(file|http):/.test(m.sourceName))
                .map(m => m.toString()).filter(m => !m.includes("WebGL is currently disabled"));
            Services.console.reset();
            return log;""")
        with self.log.open("rb") as file:
            file.seek(self.read)
            text = file.read().decode(errors="replace")
            self.read = file.tell()
        # Messages of Firefox itself begin with a name.
        return log + re.findall(r"(?m)^console\.(?:error|warn): (?!\w+: $).*$", text)

    def look(self, theme="", width=0, paper=False):
        self.remote.chrome("""
            const [theme, width, height, paper] = arguments;
            const browser = gBrowser.selectedBrowser;
            // The override of a browsing context would end with the page.
            Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override",
                                      ["dark", "light", ""].indexOf(theme));
            browser.browsingContext.mediumOverride = paper ? "print" : "";
            for (const kind of ["width", "min-width", "max-width"])
                browser.style.setProperty(kind, width ? width + "px" : "");
            for (const kind of ["height", "min-height", "max-height"])
                browser.style.setProperty(kind, width ? height + "px" : "");
            """, theme, width, HEIGHT, paper)
        if width:
            self.driver.execute_async_script("""
                const [width, done] = arguments;
                const look = () => innerWidth === width ? done() : requestAnimationFrame(look);
                look();""", width)

    def picture(self):
        return base64.b64decode(self.remote.must("WebDriver:TakeScreenshot", full=True))

    def print(self):
        return base64.b64decode(self.remote.must(
            "WebDriver:Print", page={"width": 21, "height": 29.7}))

    def quit(self):
        self.driver.quit()
        self.process.wait()
        self.remote.close()
        self.x.close()
        self.folder.cleanup()


BROWSERS = {"chromium": Chromium, "firefox": Firefox}
