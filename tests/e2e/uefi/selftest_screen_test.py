#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A self-test that is started from a stick: zbarimg reads the QR code on the screen, and the host
shows the same survey as the stick's file. No output identifies the individual machine.

check-timeout: 900
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import tap

# Words that occur nowhere else, one for each identifying field.
SECRETS = {"system": "Zerunum", "board": "Zerduom", "chassis": "Zertrio", "asset": "Zerquat",
           "memory": "Zerquin", "cpu": "Zersext", "disk": "Zerseptimo"}
UUID, MAC = "5eed5eed-c0de-4bad-a5a5-facefeedbeef", "02:5e:c7:e7:ad:d2"
SMBIOS = ["-smbios", f"type=1,manufacturer=M,serial={SECRETS['system']},uuid={UUID}",
          "-smbios", f"type=2,serial={SECRETS['board']},asset={SECRETS['asset']}",
          "-smbios", f"type=3,serial={SECRETS['chassis']}",
          "-smbios", f"type=4,serial={SECRETS['cpu']}",
          "-smbios", f"type=17,serial={SECRETS['memory']}"]
DEVICES = ["-device", f"virtio-net-pci,mac={MAC},romfile=", "-drive", "if=none,id=other,file=null-co://,format=raw",
           "-device", f"virtio-blk-pci,drive=other,serial={SECRETS['disk']}"]
NEEDLES = [*SECRETS.values(), UUID, UUID[:8], UUID[-12:], MAC, MAC.replace(":", ""),
           MAC.replace(":", "-")]


def read_screen(sh, directory):
    """The text of the QR code on the screen, once it is drawn."""
    path = pathlib.Path(directory) / "screen.ppm"
    deadline = time.monotonic() + shell.PATIENCE
    while time.monotonic() < deadline:
        sh.monitor.ask("screendump", filename=str(path))
        done = subprocess.run(["zbarimg", "--nodbus", "--quiet", "--raw", "-Sdisable",
                               "-Sqrcode.enable", path], capture_output=True, text=True, check=False)
        if done.stdout:
            return done.stdout.strip()
        time.sleep(1)
    return ""


def in_memory(sh, directory):
    """The secrets that are in the machine's RAM, where a self-test could have found them."""
    path = pathlib.Path(directory) / "ram"
    sh.monitor.ask("pmemsave", val=0, size=512 << 20, filename=str(path))
    ram = path.read_bytes()
    path.unlink()
    return [word for word in SECRETS.values() if word.encode() in ram]


def tool(*words):
    return subprocess.run([machine.TOOL, *words], capture_output=True, text=True, check=False)


def told(directory, name, text):
    """Whether the text contains none of the secrets."""
    found = [needle for needle in NEEDLES if needle.lower() in text.lower()]
    tap.equal(found, [], f"{name}: no serial number, address or disk's name is in it")


def from_the_stick(directory):
    disk = shell.Disk("x86_64", directory, config="selftest\n")
    with shell.Shell("x86_64", disk.path, "-device", "VGA", "-smp", "2", *machine.EXACT, *SMBIOS, *DEVICES) as sh:
        said = sh.read_until(r"the firmware continues in \d+ s, or at a key ")
        sh.monitor.ask("stop")  # the machine's minute would soon be over
        text = read_screen(sh, directory)
        known = in_memory(sh, directory)
    tap.ok({"Zerunum", "Zerduom", "Zertrio", "Zerquin"} <= set(known),
           "the firmware's tables in RAM have the machine's serial numbers", known)
    tap.ok(text.startswith("bareperf1:"), "zbarimg reads the QR code in a picture of the screen",
           text or said)
    from_text, stem = tool("selftest", "--read", text), re.search(r"(\d{4}-selftest)\.txt", said)
    files = {end: disk.read(f"{stem[1] if stem else 'none'}.{end}").decode() for end in ("txt", "json")}
    path = pathlib.Path(directory) / "selftest.json"
    path.write_text(files["json"])
    from_file = tool("selftest", "--read", path)
    tap.ok(from_file.stdout.count("\n") > 10 and files["txt"].endswith("\n\n" + from_file.stdout),
           "from the stick's JSON the host prints the machine's own text",
           from_file.stderr + from_file.stdout + files["txt"])
    same = [line for line in from_file.stdout.splitlines()
            if re.match("CPU |firmware|checks|clocks|duration|  0|  1|bareperf|emulated", line)]
    tap.ok(len(same) >= 9 and all(line in from_text.stdout.splitlines() for line in same),
           "and from the QR code's text the same machine, clocks and noise",
           from_text.stderr + from_text.stdout + from_file.stdout)
    exact, near = (json.loads(tool("selftest", "--json", "--read", which).stdout)["survey"]
                   for which in (path, text))
    pairs = [(a["core_to_core_ps"][0][0], *(point["ps"] for point in a["ladder"]), *a["read_mbs"])
             for a in (exact, near)]
    tap.ok(len(pairs[0]) > 10 and all(abs(a - b) <= a * 0.022 + 1 for a, b in zip(*pairs)),
           "its round trips, latencies and bandwidths come back within 2.2 %", pairs)
    for name, content in (("the console", said), ("the file of text", files["txt"]),
                          ("the JSON", files["json"]), ("the QR code", text)):
        told(directory, name, content)
    pages(directory, path, text)


def pages(directory, path, text):
    page = pathlib.Path(directory) / "page.html"
    done = tool("report", "--html", "-o", page, path)
    html = page.read_text() if page.exists() else ""
    tap.ok(done.returncode == 0 and 'id="ladder"' in html and html.count("<rect") == 2 and
           html.count("<circle") == 9, "report --html draws the map and the ladder of a self-test",
           done.stderr + html)
    done = tool("report", "--html", "-o", path, path)
    tap.ok(done.returncode == 1 and "is the self-test itself" in done.stderr and
           path.read_text().startswith("{"), "but never over the self-test's own file", done.stderr)
    done = tool("selftest", "--read", text[:-1] + ("A" if text[-1:] != "A" else "B"))
    tap.ok(done.returncode == 1 and "take another photograph" in done.stderr,
           "a wrong character in the QR code's text is found", done.stderr)
    done = tool("selftest")
    tap.ok(done.returncode == 2 and "--read TEXT|FILE is missing" in done.stderr,
           "without --read the command says what is missing", done.stderr)


if machine.missing("zbarimg"):
    tap.skip("the QR code on the screen", machine.missing("zbarimg"))
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-selftest-") as DIRECTORY:
        from_the_stick(DIRECTORY)
tap.finish()
