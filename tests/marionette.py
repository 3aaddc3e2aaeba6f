"""Selenium for Firefox without geckodriver, which Debian does not have: translates Selenium's
commands. Firefox accepts WebDriver commands itself, as JSON with its length in front, on the port
of its remote control, Marionette (version 3 of the protocol).
"""
import json
import pathlib
import socket
import time

from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.remote_connection import RemoteConnection

# Marionette's names of the Selenium commands that the tests use.
NAMES = {
    Command.NEW_SESSION: "WebDriver:NewSession",
    Command.SET_TIMEOUTS: "WebDriver:SetTimeouts",
    Command.GET: "WebDriver:Navigate",
    Command.GET_CURRENT_URL: "WebDriver:GetCurrentURL",
    Command.W3C_EXECUTE_SCRIPT: "WebDriver:ExecuteScript",
    Command.W3C_EXECUTE_SCRIPT_ASYNC: "WebDriver:ExecuteAsyncScript",
    Command.FIND_ELEMENT: "WebDriver:FindElement",
    Command.FIND_ELEMENTS: "WebDriver:FindElements",
    Command.FIND_CHILD_ELEMENT: "WebDriver:FindElement",
    Command.FIND_CHILD_ELEMENTS: "WebDriver:FindElements",
    Command.CLICK_ELEMENT: "WebDriver:ElementClick",
    Command.SEND_KEYS_TO_ELEMENT: "WebDriver:ElementSendKeys",
    Command.GET_ELEMENT_ATTRIBUTE: "WebDriver:GetElementAttribute",
    Command.GET_ELEMENT_TEXT: "WebDriver:GetElementText",
    Command.GET_ELEMENT_TAG_NAME: "WebDriver:GetElementTagName",
    Command.IS_ELEMENT_ENABLED: "WebDriver:IsElementEnabled",
    Command.IS_ELEMENT_SELECTED: "WebDriver:IsElementSelected",
    Command.W3C_ACTIONS: "WebDriver:PerformActions",
    Command.W3C_CLEAR_ACTIONS: "WebDriver:ReleaseActions",
    Command.QUIT: "Marionette:Quit",
}

# Runs scripts in the page's scope, with its `const` and `let`; Marionette runs them outside it.
INSIDE = "return window.eval(arguments[0]).apply(window, [...arguments].slice(1))"


class Marionette(RemoteConnection):
    """The connection of Selenium's Remote(). `profile` is the folder that the Firefox `process` was
    started with; it needs the preference marionette.port to be 0.
    """

    def __init__(self, profile, process, seconds=60):
        super().__init__("http://127.0.0.1")  # not used
        port_file = pathlib.Path(profile, "MarionetteActivePort")
        end = time.monotonic() + seconds
        while not (port_file.is_file() and port_file.read_text(encoding="ascii").strip()):
            if process.poll() is not None or time.monotonic() > end:
                raise OSError("Firefox does not open its remote control")
            time.sleep(.05)
        self.socket = socket.create_connection(("127.0.0.1", int(port_file.read_text("ascii"))))
        self.stream = self.socket.makefile("rb")
        self.count = 0
        self.receive()  # the greeting

    def receive(self):
        digits = b""
        while not digits.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise OSError("Firefox has gone")
            digits += byte
        return json.loads(self.stream.read(int(digits[:-1])))

    def ask(self, name, /, **parameters):
        """The reply of Marionette: an error or None, and the result."""
        self.count += 1
        message = json.dumps([0, self.count, name, parameters]).encode()
        self.socket.sendall(b"%d:" % len(message) + message)
        _, number, error, result = self.receive()
        assert number == self.count
        return error, result

    def must(self, name, /, **parameters):
        error, result = self.ask(name, **parameters)
        if error:
            raise OSError(f"{name}: {error['message']}")
        return result["value"]

    def chrome(self, script, *arguments):
        """The result of a script that runs in the browser's window instead of the page's."""
        self.must("Marionette:SetContext", value="chrome")
        try:
            return self.must("WebDriver:ExecuteScript", script=script, args=arguments)
        finally:
            self.must("Marionette:SetContext", value="content")

    def execute(self, command, params):
        params = {key: value for key, value in (params or {}).items() if key != "sessionId"}
        if command == Command.NEW_SESSION:
            params = params["capabilities"].get("alwaysMatch", {})
        elif command in (Command.W3C_EXECUTE_SCRIPT, Command.W3C_EXECUTE_SCRIPT_ASYNC):
            params = {"script": INSIDE,
                      "args": [f"(function () {{{params['script']}\n}})", *params["args"]]}
        elif command in (Command.FIND_CHILD_ELEMENT, Command.FIND_CHILD_ELEMENTS):
            params["element"] = params.pop("id")
        elif command == Command.QUIT:
            params = {"flags": ["eForceQuit"]}
        error, result = self.ask(NAMES[command], **params)
        if error:
            return {"status": error["error"], "value": error}
        # Lists are bare, other results are in "value".
        is_bare = isinstance(result, list) or command == Command.NEW_SESSION
        return {"value": result if is_bare else result.get("value")}

    def close(self):
        self.stream.close()
        self.socket.close()
