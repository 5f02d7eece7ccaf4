#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong commands are refused before a machine boots: the QEMU here cannot be started."""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL = TOP / "build/host/bareperf"
REFUSED, STARTED = 126, 125
HERE = tempfile.TemporaryDirectory(prefix="bareperf-check-test-")


def run(*words, arch="x86_64", image=()):
    """The tool's exit status, and the lines that it prints."""
    done = subprocess.run([TOOL, "run", "--qemu", "/bin/false", "--no-doorbell", "--arch", arch,
                           *image, "-o", f"{HERE.name}/perf.data", "--", *words], capture_output=True,
                          timeout=300, check=False)
    return done.returncode, done.stderr.decode(errors="replace").splitlines()


def answer(command, *options):
    return subprocess.run([TOOL, "run", "--qemu", "/bin/false", *options, "--", command],
                          capture_output=True, text=True, timeout=300, check=False)


def refused(words, place, reason, **keywords):
    """The command is refused with this reason in the last line, and with a mark under this part of
    the command as it was typed."""
    words = words.split() if isinstance(words, str) else words
    status, lines = run(*words, **keywords)
    command, mark, last = ([""] * 3 + lines)[-3:]
    tap.ok(status == REFUSED and reason in last and mark.strip() == "^" and
           command[mark.index("^"):].startswith(place), f"refused: {words}", (status, lines))


def passed(words, **keywords):
    status, lines = run(*(words.split() if isinstance(words, str) else words), **keywords)
    tap.ok(status == STARTED and "^" not in "".join(lines), f"a machine would boot: {words}",
           (status, lines))


for isa in ("x86_64", "aarch64"):
    refused("record -e cycles,cyles:u -g -- calltree", "cyles:u", "did you mean cycles?", arch=isa)
    refused("record -- caltree", "caltree", "did you mean calltree?", arch=isa)
    refused("record --cuont 100 -- noploop", "--cuont", "did you mean --count?", arch=isa)
    refused("recrod -- noploop", "recrod", "did you mean record?", arch=isa)
    refused("record -e branch-step// -F 100 -- noploop", "-F", "nothing is sampled", arch=isa)
    refused("record -- noploop 5 6", "6", "one argument too many", arch=isa)
    passed("record -e {cycles,instructions}:S,cpu-clock -a -m 64 payload --then -e cyles", arch=isa)
    refused("record -e cpu-clock -o x.data -- noploop", "-o", "for a file of the host", arch=isa)
    refused("save", "save", "the host has the recording", arch=isa)
    passed("stat -- matmul", arch=isa)
    passed("list", arch=isa)
    passed("version", arch=isa)
refused("record -e arm_spe/load_fliter=1/ -- noploop", "load_fliter", "did you mean load_filter?",
        arch="aarch64")
passed("record -e branch-trace// -- noploop", arch="aarch64")
refused("record -e bts// -- noploop", "bts//", "branch-trace// traces all branches here", arch="aarch64")
for event, isa in (("cpu/event=0xc4/", "aarch64"), ("arm_spe//", "x86_64"),
                   ("armv8_pmuv3/event=8/", "x86_64")):
    refused(f"record -e cycles,{event} -- noploop", event, "another architecture's event source",
            arch=isa)
passed("record -e cycles,cpu/event=0xc4,umask=0x20/,r20c4 -g -- calltree 1")
passed("record -e cycles,armv8_pmuv3/event=8/,r11 -g -- calltree 1", arch="aarch64")
refused("record -e BR_INST_RETIRED.NEAR_TAKN:u -- noploop", "BR_INST",
        "did you mean BR_INST_RETIRED:NEAR_TAKEN?")
refused("record -e BR_RETIERD -- noploop", "BR_RETIERD", "did you mean BR_RETIRED?", arch="aarch64")
passed("record -e BR_INST_RETIRED.NEAR_TAKEN:u,skl::INST_RETIRED:ANY_P -- noploop")
passed("record -e BR_RETIRED:u,armv8_pmuv3/event=1/ -- noploop", arch="aarch64")
refused("record -e BR_INST_RETIRED.NEAR_TAKEN,bts -- noploop", "bts", "slashes are missing")

LONG = ["record", "--", "payload", *["x" * 100] * 11]
status, lines = run(*LONG)
tap.ok(status == REFUSED and "1023" in lines[-1], "a command that is too long is refused", lines)
fits = ["record", "--", "payload", "x" * (1023 - len("record --then poweroff -- payload "))]
tap.equal(run(*fits)[0], STARTED, "one that just fits is not")
status, lines = run(*fits[:-1], fits[-1] + "x")
tap.ok(status == REFUSED and "1024 characters" in lines[-1], "one letter more is", lines)
refused(["record", "--", "payload", "größe"], "??", "plain ASCII")
refused(["record", "--", "payload", "a", "tab\tbed"], "?bed", "plain ASCII")
passed(["record", "--", "payload", "two words", ""])

with tempfile.TemporaryDirectory(prefix="bareperf-check-test-") as directory:
    path = pathlib.Path(directory) / "image.efi"
    good = (TOP / "build/x86_64/bareperf.efi").read_bytes()
    IMAGE = ("--image", path)
    path.write_bytes(good.replace(b"calltree\0", b"treecall\0"))
    refused("record -- calltree", "calltree", "unknown workload", image=IMAGE)
    passed("record -- treecall", image=IMAGE)
    done = answer("help", "--image", path)
    tap.ok(done.returncode == 0 and "\n  treecall " in done.stdout and not done.stderr and
           "\n  -c, --count " in done.stdout,
           "help is answered by the image's own tables, without a boot", done)
    path.write_bytes(good.replace(b"BPTABLES", b"BPNOTHIN"))
    passed("record -e cyles -- caltree", image=IMAGE)
    passed("help", image=IMAGE)
    path.write_bytes(good[: len(good) // 2])
    status, lines = run("record", "-e", "cyles", "--", "noploop", image=IMAGE)
    tap.ok(status == STARTED and "not checked before it boots" in lines[0],
           "an image with malformed tables boots unchecked, and that is reported", lines)
tap.finish()
