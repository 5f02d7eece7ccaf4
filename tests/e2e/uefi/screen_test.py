#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The screen's text, read from its pixels: at 4K, on another ISA, and on a screen that was taken
over from the firmware."""

import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import screen
import shell
import tap

PROGRESS = re.compile(r"^recording: (\d+) s, (\d+) samples, 0 lost$")
PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
ALL = f"stat {PRINTABLE}"  # the answer to a wrong command; at most one row
ENDLESS = "calltree 80000"  # a workload that only a key ends
CONFIG = f"record --exclusive -e cpu-clock -F 100 -- {ENDLESS}\n"
PATIENCE = shell.PATIENCE


def dump(sh, directory, scale):
    path = pathlib.Path(directory) / "screen.ppm"
    sh.monitor.ask("screendump", filename=str(path))
    return screen.Screen(path, scale)


def until(look):
    """The first result of look() that is not empty, or its last one."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = look()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.3)


def moving(sh, directory, scale):
    """Three different pictures of the last row. At most one may show a half-drawn row, which stays
    while the host gives the machine no CPU."""
    def drawn():
        row = dump(sh, directory, scale).row(-1)
        return None if screen.is_blank(row) or row != dump(sh, directory, scale).row(-1) else row

    def another():
        row = drawn()
        return None if row in rows else row

    rows = []
    for _ in range(3):
        rows.append(until(another) or [])
    return rows


def read(pictures, glyphs):
    """The pictures' content: [(s, samples)]."""
    told = [PROGRESS.match(glyphs.text(row)) for row in pictures]
    return [tuple(map(int, match.groups())) for match in told if match]


def exclusive(isa, directory, name, scale, size, options, flash=None):
    disk = shell.make_disk(directory, isa, CONFIG)
    with shell.Shell(isa, disk, *options, flash=flash) as sh:
        sh.read_until("trace region: ")
        pictures = moving(sh, directory, scale)
        sh.send("q")
        sh.read_until(r"takes further commands\.\n")  # otherwise the echo becomes part of that line
        sh.send(f"{ALL}\r")
        said = sh.read_until(r"this quote is not closed.*\n")
        picture = until(lambda: learned(dump(sh, directory, scale), said))
        if isa == "x86_64":
            start = len(sh.raw)
            sh.press("stop\b\bat -e cpu-clock -- noploop 0.3\n")
            answer = sh.read_until(r"cpu-clock: \d+ in .*\n", start)
            tap.ok(re.search(r"cpu-clock: \d{9,} in", answer),
                   f"{name}: a command that is typed on the keyboard is carried out", answer)
        start = len(sh.raw)
        sh.send("record -e cpu-clock -F 1000 -- branches 4611686018427387904\r")
        sh.read_until(r"recording: [1-9]", start)
        if isa == "x86_64":
            sh.press("q")
        else:
            sh.send("q")
        answer = sh.read_until(r"stopped by a key[^$]*takes further commands.\n", start)
        tap.ok("stopped by a key\ncpu-clock: " in answer and "hottest functions" in answer,
               f"{name}: a key ends a recording, and is no beginning of the next command", answer)
        start = len(sh.raw)
        sh.send("version\r")
        tap.ok(re.search("bareperf [0-9]", sh.read_until("bareperf [0-9.]+\n", start)),
               f"{name}: which is taken", sh.said(start))
    if not tap.ok(picture, f"{name}: the printable characters are letters of their own", said):
        return None
    shown, glyphs = picture
    tap.equal((shown.width, shown.height), size, f"{name}: the screen has {size[0]} x {size[1]} pixels")
    tap.ok(shown.is_square(), f"{name}: each pixel of a letter is a square of {scale}")
    text = [glyphs.text(shown.row(row)) for row in range(shown.rows - 1)]
    lines = "\n".join(text).rstrip().split("\n")
    told, heard = without_echo(lines), without_echo(said.split("\n"))
    tap.ok(len(told) > 15 and heard[-len(told):] == told,
           f"{name}: the screen has the serial line's text", "\n".join(lines) + "\n---\n" + said)
    tap.ok("hottest functions by cpu-clock, callees aside:" in lines and
           any(line.endswith("%  lex") for line in lines),
           f"{name}: the hottest functions are on it", lines)
    times = read(pictures, glyphs)
    tap.ok(len(times) >= 2 and times[0][0] <= times[-1][0] and times[0][1] < times[-1][1],
           f"{name}: its last row has said how far the recording was, and has gone on", times)
    tap.ok(screen.is_blank(shown.row(-1)), f"{name}: and is blank afterwards")
    return glyphs


def without_echo(lines):
    """Typed text appears on the serial line as it was received, and not as a line of its own."""
    lines = [line.replace("qstopped by a key", "stopped by a key") for line in lines]
    return [line for line in lines if line and not line.startswith("stat !")]


def learned(shown, said):
    """The picture and its letters, if it contains the whole text."""
    rows = [shown.row(row) for row in range(shown.rows - 1)]
    full = [row for row in rows if not screen.is_blank(row)]
    glyphs = screen.Glyphs()
    whole = len(full) > 3 and glyphs.learn(full[-3], ALL.ljust(shown.columns))
    return (shown, glyphs) if whole and glyphs.text(full[-1]) in said else None


def resident(glyphs, directory):
    """At the firmware's shell, which has the same letters."""
    name = "resident"
    table = pathlib.Path(directory) / "wdat"
    table.write_bytes(bytes(24) + b"\x01" + bytes(7))  # its flags: enabled
    with shell.Shell("x86_64", shell.make_disk(directory, "x86_64"), "-device", "VGA",
                     "-acpitable", f"sig=WDAT,rev=1,data={table}") as sh:
        said = sh.read_until(r"the firmware continues in \d+ s, or at a key ")
        tap.ok("there is no payload" in said and "continues in " in said,
               f"{name}: the result of \\bareperf.cfg's command stays on the screen", said)
        sh.press(" ")
        sh.open()
        sh.type("cls")
        before = dump(sh, directory, 1).pixels(-1)
        start = len(sh.raw)
        sh.send(f"bareperf.efi record --resident -e cpu-clock -F 100 -- {ENDLESS}\r")
        sh.read_until("the firmware is stopped", start)
        times = read(moving(sh, directory, 1), glyphs)
        sh.send("q")
        said = sh.read_until(shell.PROMPT, start)
        shown = dump(sh, directory, 1)
        start = len(sh.raw)
        sh.send("bareperf.efi\rx")  # a key is pressed while it starts
        sh.read_until(r"What is this machine to do\?", start)
        sh.send("4")
        sh.read_until(r"the firmware continues in ", start)
        sh.send(" ")
        ran = sh.read_until(shell.PROMPT, start)
        tap.ok("  4    \\bareperf.cfg: record -e cpu-clock -- payload\n" in ran and
               "there is no payload" in ran,
               f"{name}: a key at the start has the menu offer \\bareperf.cfg's command, and run it", ran)
        sh.type("rm -q bareperf.cfg")
        start = len(sh.raw)
        sh.send("bareperf.efi\r")
        sh.read_until(r"\d+ s until 5: ", start)
        sh.press("\x1b")
        back = sh.read_until(shell.PROMPT, start)
    tap.ok(back.rstrip().endswith("FS0:\\>"), f"{name}: Escape in the menu is the way back", back)
    tap.ok(len(times) >= 2 and times[0] < times[-1],
           f"{name}: the screen's last row says how far the recording is", times)
    tap.ok(before == shown.pixels(-1), f"{name}: and then has the firmware's content again")
    tap.ok(re.search(r"recording: \d+ s, \d+ samples, 0 lost", said) and
           re.search(r"\n *cpu-clock: \d+ samples", said),
           f"{name}: the serial line says it too, and the text behind it begins on a line of its own",
           said)
    tap.ok(re.search(r"firmware: EDK II, UEFI 2\.\d+\nscreen: 1280 x 800\n", said),
           f"{name}: the report has firmware and screen", said)
    tap.ok("hardware watchdog (ACPI WDAT). bareperf cannot reset its count" in said,
           f"{name}: so is a hardware watchdog", said)


def menu(directory):
    """A stick without a command."""
    name = "menu"
    disk = shell.make_disk(directory, "x86_64", "# nothing\n")
    with shell.Shell("x86_64", disk) as sh:
        said = sh.read_until(r"\d+ s until 5: ")
        tap.ok("What is this machine to do?" in said and "bareperf.cfg:" not in said,
               f"{name}: a stick without a command offers a menu", said)
        start = len(sh.raw)
        sh.send("x4")  # an invalid key; and there is no \\bareperf.cfg to run
        # keys that arrive together come from a program
        sh.read_until(r"(s until 5: .*){2}", len(sh.raw))
        sh.press("3")
        said = sh.read_until(r"What is this machine to do\?[^$]*firmware\n\n?", start)
        tap.ok("cpu-clock" in said and "(help shows more)" in said,
               f"{name}: the list, by a key of the keyboard, and the menu is back", said)
        start = len(sh.raw)
        sh.send("1")
        said = sh.read_until(r"What is this machine to do\?[^$]*firmware\n\n?", start)
        tap.ok("hottest functions by cpu-clock" in said and "%  lex\n" in said,
               f"{name}: the demo, by a key of the serial line, and the menu is back", said)
        start = len(sh.raw)
        sh.send("2")
        said = sh.read_until(r"What is this machine to do\?[^$]*firmware\n\n?", start)
        tap.ok(re.search(r"self-test: \d+ good, [\s\S]*\n *written: .*\d{4}-selftest\.txt and \.json", said),
               f"{name}: a self-test, which is written, and the menu is back", said)
        start = len(sh.raw)
        sh.send("5")
        said = sh.read_until(r"waiting for commands.*\n", start)
        tap.ok("waiting for commands in the mailbox, or typed here" in said,
               f"{name}: it can be left for commands by every channel", said)


if machine.missing():
    tap.skip("the screen's text", machine.missing())
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-screen-") as DIRECTORY:
        menu(DIRECTORY)
        FLASH = screen.flash(DIRECTORY, 3840, 2160)
        if not FLASH:
            tap.skip("a screen of 4K", "there is no OVMF_CODE_4M.fd")
        GLYPHS = FLASH and exclusive("x86_64", DIRECTORY, "4K", 3, (3840, 2160),
                                     ["-device", "VGA,vgamem_mb=64"], FLASH)
        if GLYPHS:
            resident(GLYPHS, DIRECTORY)
        if machine.SOAK:
            exclusive("aarch64", DIRECTORY, "aarch64", 1, (800, 600), ["-device", "ramfb"])
tap.finish()
