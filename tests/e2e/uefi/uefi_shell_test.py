#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An application is recorded as the shell starts it: its arguments, streams, environment and
current directory. tests/firmware/shell_app.c uses everything that C libraries for UEFI use. In the
shell its output must be the same alone and recorded. From a boot entry, where no shell runs, it
uses our own small shell.

check-timeout: 900
"""

import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import stick
import tap
from shell import PROMPT, Disk, leak
from uefi import Taken

STEADY = ["-icount", "shift=4,sleep=off"]
RECORD = r"\bareperf.efi record -e cpu-clock -F 1000 --region-size 4 -- "
APP = r"\tools\shell_app.efi"
# Words that a POSIX shell would split differently.
WORDS = r'''a "b c" d^"e "f ^"g" h^^i 'j k' "fs0:\x\" x"y z"w'''
CUT = [r"FS0:\tools\shell_app.efi", "a", "b c", 'd"e', 'f "g', "h^i", "'j", "k'", "fs0:\\x\\", "xy zw"]


# EDK2's own shell as an application: Debian 13's packages efi-shell-x64 and efi-shell-aa64.
EDK2 = {"x86_64": "/usr/share/efi-shell-x64/shellx64.efi", "aarch64": "/usr/share/efi-shell-aa64/shellaa64.efi"}


def told(said, but=()):
    """The application's lines, without those with this beginning."""
    text = said[said.find("shell 2."):].split(": returned")[0]
    lines = [line.rstrip() for line in text.split("\n")]
    return [line for line in lines[:-1] if not line.startswith(tuple(but))]


def arguments(said):
    return re.findall(r"^argument: (.*)\.$", said, re.MULTILINE)


def alike(sh, words, what, isa, but=(), app=APP):
    alone = told(sh.type(f"{app} {words}"), but)
    recorded = sh.type(RECORD + f"{app} {words}")
    tap.equal(told(recorded, but)[:len(alone)], alone, f"{isa}: {what}: alone and recorded the same")
    return recorded


def in_shell(sh, isa):
    said = alike(sh, WORDS, "arguments", isa, but=["options"])
    tap.equal(arguments(said), CUT, f"{isa}: arguments are cut by the shell's rules, behind the whole path of the file")
    tap.ok(r'options: \tools\shell_app.efi a "b c" d^"e "f ^"g" h^^i' in said,
           f"{isa}: its load options are the same words", said)
    sh.type('set -v greeting "hello there"')
    said = alike(sh, "env=greeting env=nothere set=v1 env=v1 env=cwd env=lasterror", "environment", isa)
    tap.ok("env: hello there." in said and "env: a word." in said, f"{isa}: it is the shell's", said)
    sh.type("cd tools")
    said = alike(sh, r"name=x.txt name=fs0:\y write=new.txt read=new.txt list=\tools delete=new.txt", "files", isa,
                 app="shell_app.efi")
    tap.ok(r"name: FS0:\tools\x.txt." in said and r"directory: FS0:\tools." in said,
           f"{isa}: names are looked for in the current directory, its own as well", said)
    sh.type("cd \\")
    said = alike(sh, "exit=5", "a status by Exit()", isa)
    tap.ok("shell_app.efi: returned 0x5\n" in said, f"{isa}: it may leave by Exit()", said)


def streams(sh, isa):
    start = len(sh.raw)
    sh.send(RECORD + f"{APP} line\r")
    sh.read_until(r"directory: \S+\n", start)
    sh.send("typed\r")
    said = sh.read_until(PROMPT, start)
    tap.ok("line: 0x0\n" in said and "line: typed." in said, f"{isa}: the standard input is the keyboard", said)
    said = sh.type(RECORD + f"{APP} error status=9 > said.txt")
    text = sh.type("type said.txt")
    tap.ok("by the standard error" in said and "argument: status=9." in text and "error" not in arguments(said)
           and arguments(text)[1:] == ["error", "status=9"] and "returned 0x9" in text,
           f"{isa}: the standard output is where the shell has led ours", said + text)


def leaves_nothing(sh, isa):
    one = RECORD + f"{APP} a spin=1"
    sh.type(one)  # the first time page tables are split, and they stay so
    said, left = leak(sh, one, one)
    tap.ok(said.count("written: ") == 2 and not left, f"{isa}: nothing is left of it", (left, said))
    said = sh.type(f"{APP} spin=1")
    tap.ok("argument: spin=1." in said, f"{isa}: alone it runs as before", said)


def edk2s_own(sh, isa):
    """A whole shell is recorded, with an application that it starts; inside it another recording is
    refused."""
    if not os.path.exists(EDK2[isa]):
        tap.skip(f"{isa}: EDK2's own shell is recorded", f"not to be had: {EDK2[isa]}")
        return
    start = len(sh.raw)
    sh.send(RECORD + "\\tools\\edk2.efi -nostartup -nomap\r")
    sh.read_until(r"EDK II[\s\S]*> ?$", start)
    inner = sh.type("fs0:") + sh.type(RECORD + APP)
    tap.ok("another bareperf is recording" in inner, f"{isa}: within EDK2's own shell another recording is refused", inner)
    said = sh.type(f"{APP} a env=cwd")
    tap.equal(arguments(said), [CUT[0], "a", "env=cwd"], f"{isa}: it starts applications")
    sh.send("exit\r")
    said = sh.read_until(r"on a host: [^\n]*\n[\s\S]*> ?$", start)
    tap.ok("edk2.efi: returned 0x0\n" in said and said.count("written: ") == 1 and "edk2.efi, most at" in said,
           f"{isa}: EDK2's own shell is recorded", said)


# From a boot entry, without a shell: the words, and the application's output for them.
OWN = {
    "a": "argument: a.",
    '"b c"': "argument: b c.",
    'd^"e': 'argument: d"e.',
    "env=none": "env: there is none",
    "set=barev": "set: 0x0",
    "env=barev": "env: a word.",
    "env=CWD": "env: FS0:.",
    r"name=x.txt": r"name: FS0:\x.txt.",
    r"name=fs0:\y": r"name: FS0:\y.",
    r"name=tools\..\.\z": r"name: FS0:\z.",
    r"name=fs9:\y": "name: there is none",
    r"write=\tools\new.txt": "written: 16, 0x0",
    r"read=fs0:tools/new.txt": "read: byte, of 16, to 12\nits name: new.txt.",
    r"find=\tools\n?w*": "find: 0x0\n file: new.txt.\n  in full: FS0:\\tools\\new.txt.",
    r"find=\Tools\NEW.TXT": "find: 0x0\n file: new.txt.\n  in full: FS0:\\Tools\\new.txt.",
    r"find=\tools\x*": "find: 0x800000000000000e",
    r"list=\tools": "list: 0x0\n file: ..\n  in full: \\tools\\..\n file: ...\n  in full: \\tools\\...\n"
                    " file: shell_app.efi.\n  in full: \\tools\\shell_app.efi.\n"
                    " file: new.txt.\n  in full: \\tools\\new.txt.",
    r"delete=\tools\new.txt": "delete: 0x0",
    r"read=\tools\new.txt": "read: 0x800000000000000e",
    "line": "line: 0x0\nline: typef.",
    "spin=100": "",
    "status=9": "",
}


def from_boot_entry(isa):
    config = f"record -e cpu-clock -F 1000 -o boot.data -- {APP} {' '.join(OWN)}\n"
    with tempfile.TemporaryDirectory(prefix="bareperf-uefi-shell-") as directory:
        disk = make_disk(isa, directory, config, edk2=False)
        with shell.Shell(isa, disk.path, *STEADY) as sh:
            sh.read_until(r"read: 0x800000000000000e\n")
            sh.send("typed\bf\r")
            said = sh.read_until("Boot Maintenance Manager")
        for word, answer in OWN.items():
            if answer:
                tap.ok(f"\n{answer}\n" in told_text(said), f"{isa}: without a shell: {word}", told_text(said))
        tap.ok("shell 2.2, " in said and f"argument: FS0:{APP}." in said and "shell_app.efi: returned 0x9\n" in said,
               f"{isa}: without a shell it has one of ours", said)
        taken = Taken(disk, "boot.data")
        tap.ok(taken.images().get("shell_app.efi", 0) >= 95 and taken.dump().returncode == 0,
               f"{isa}: without a shell it is recorded", taken.images())


def told_text(said):
    return "\n" + "\n".join(told(said)) + "\n"


def as_payload(isa):
    """There is no volume either."""
    recording = machine.Recording("record -e cpu-clock -F 1000 -- payload 'two words' env=cwd write=x.txt spin=50",
                                  "--arch", isa, "--payload", machine.TOP / f"build/{isa}/tests/shell_app.efi",
                                  qemu=STEADY, quick=False)
    tap.ok(recording.status == 0 and recording.summary()["status"] == 0, f"{isa}: as a payload it runs", recording.text)


def make_disk(isa, directory, config=shell.FAILS, edk2=True):
    disk = Disk(isa, directory, config=config)
    stick.mtool("mmd", f"{disk.path}@@1M", "::/tools")
    stick.mtool("mcopy", f"{disk.path}@@1M", machine.TOP / f"build/{isa}/tests/shell_app.efi", "::/tools/shell_app.efi")
    if edk2 and os.path.exists(EDK2[isa]):
        stick.mtool("mcopy", f"{disk.path}@@1M", EDK2[isa], "::/tools/edk2.efi")
    return disk


def run(isa):
    with tempfile.TemporaryDirectory(prefix="bareperf-uefi-shell-") as directory:
        disk = make_disk(isa, directory)
        with shell.Shell(isa, disk.path, *STEADY) as sh:
            sh.open()
            in_shell(sh, isa)
            streams(sh, isa)
            leaves_nothing(sh, isa)
            edk2s_own(sh, isa)
    from_boot_entry(isa)
    as_payload(isa)


if machine.missing():
    tap.skip("applications are recorded as the shell starts them", machine.missing())
else:
    for ISA in shell.MACHINES:
        if os.environ.get("UEFI_MACHINE", ISA) == ISA:
            run(ISA)
tap.finish()
