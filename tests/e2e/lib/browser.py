# SPDX-License-Identifier: MIT
"""A headless Chromium, controlled by its DevTools protocol over a pipe, without network and without
a driver.

    with Browser() as browser:
        browser.open(path)
        browser.press("z")
        browser.value("document.title")
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium-headless-shell", "chromium")
TIMEOUT = 300
KEY_CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
             "ArrowDown": 40}


def program():
    """The path of the browser, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One page in its own browser."""

    def __init__(self, width=1280, height=1000):
        # pylint: disable=consider-using-with
        self.directory = tempfile.TemporaryDirectory(prefix="bareperf-browser-",
                                                     ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        # the browser reads commands from descriptor 3, and answers on descriptor 4
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{back_write}', "sh", program(), "--headless",
             "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-dev-shm-usage", "--hide-scrollbars",
             f"--user-data-dir={self.directory.name}", f"--window-size={width},{height}"],
            pass_fds=(to_read, back_write), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=TIMEOUT)
        os.close(self.to)
        os.close(self.back)
        self.directory.cleanup()

    def _message(self, limit):
        """The next message; each message ends with a zero byte."""
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], max(0, limit - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.back, 1 << 20)
            if not chunk:
                raise EOFError("the browser is gone")
            self.rest += chunk
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """Call a method of the protocol. Returns its result. Events that arrive meanwhile are
        kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        limit = time.monotonic() + TIMEOUT
        while True:
            answer = self._message(limit)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def value(self, expression):
        """The value of a JavaScript expression in the page; for a promise, its result."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, limit=TIMEOUT):
        """Wait until the expression is true in the page. Returns its value."""
        until = time.monotonic() + limit
        while not (value := self.value(expression)):
            if time.monotonic() > until:
                raise TimeoutError(expression)
            time.sleep(0.01)
        return value

    def open(self, path):
        """Open a file, and wait until the page reports that it is drawn."""
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("document.readyState === 'complete' && document.body.dataset.turn > 0")

    def settle(self, action):
        """Call a function that changes the view, and wait until the new view is drawn."""
        before = int(self.value("document.body.dataset.turn || 0"))
        action()
        self.wait(f"Number(document.body.dataset.turn) > {before} && "
                  "Number(document.body.dataset.turn) === turn")

    def press(self, key):
        """Press and release a key."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = KEY_CODES.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
        for kind, more in (("keyDown", text), ("keyUp", {})):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **more)

    def type(self, text):
        for character in text:
            self.press(character)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1,
                  clickCount=1, **more)

    def click(self, selector):
        """Click on the middle of the element of a selector, after scrolling to it."""
        self.click_at(*self.middle(f"document.querySelector({json.dumps(selector)})"))

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def middle(self, element):
        """The middle of an element, which is given as an expression."""
        return self.value(f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}});"
                          "const b = e.getBoundingClientRect();"
                          "return [b.left + b.width / 2, b.top + b.height / 2]; })()")

    def drag(self, start, end):
        """Drag from one point to another, with a stop on the way."""
        middle = [(a + b) / 2 for a, b in zip(start, end)]
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start)
        for point in (middle, end):
            self.mouse("mouseMoved", *point)
        self.mouse("mouseReleased", *end)

    def picture(self, path, height=None):
        """A screenshot as PNG."""
        clip = {"clip": {"x": 0, "y": 0, "width": self.value("innerWidth"), "height": height,
                         "scale": 1}} if height else {}
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=bool(height),
                         **clip)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def requests(self):
        """The addresses that the page has requested."""
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        """Exceptions, and messages that the browser logged, such as requests that the page's policy
        refuses."""
        return [event["params"] for event in self.events
                if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]
