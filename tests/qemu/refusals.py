# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that the model refuses, and CPUs that it does not change, for check-model."""

import json
import re
import subprocess
import tempfile
import time

import guests

X86, ARM = guests.X86, guests.ARM

# (ISA, CPU, QEMU's message)
REFUSED = (
    ("x86_64", "EPYC,pmu=on,pmu-version=3", "pmu-version must be 1 or 2"),
    ("x86_64", "EPYC,pmu=on,pmu-counters=8", "pmu-counters must be 4 or 6"),
    ("x86_64", "EPYC,pmu=on,pmu-counters=4", "needs pmu-counters=6"),
    ("x86_64", "EPYC,pmu=on,pmu-pebs=on", "pmu-pebs is Intel's"),
    ("x86_64", "EPYC,pmu=on,pmu-lbr=32", "pmu-lbr must be 0 or 16"),
    ("x86_64", "EPYC,pmu=on,pmu-version=1,pmu-lbr=16", "with pmu-version=2"),
    ("x86_64", "EPYC,pmu=on,kvm-view=on,pmu-lbr=16", "KVM shows none of AMD's"),
    ("x86_64", "EPYC,lbr-erroneous=5", "need pmu=on"),
    ("x86_64", "EPYC,pmu=on,pmu-ibs=3", "pmu-ibs must be 0, 2, 4 or 5"),
    ("x86_64", "EPYC,pmu=on,kvm-view=on,pmu-ibs=2", "KVM shows no IBS"),
    ("x86_64", "EPYC,pmu-ibs=2", "need pmu=on"),
    ("x86_64", X86 + ",pmu-ibs=2", "pmu-ibs is AMD's"),
    ("x86_64", X86 + ",kvm-view=on,pmu-version=4", "KVM shows version 2"),
    ("x86_64", X86 + ",kvm-view=on,pmu-pebs=on", "KVM shows version 2"),
    ("x86_64", "Skylake-Client,kvm-steal=5", "need kvm-view=on"),
    ("x86_64", "Skylake-Client,kvm-x2apic=on", "need kvm-view=on"),
    ("x86_64", "Skylake-Client,pmu-dead=1", "need pmu=on"),
    ("x86_64", X86 + ",level=9", "leaf 0xA"),
    ("x86_64", X86 + ",pmu-version=1", "pmu-version must be"),
    ("x86_64", X86 + ",pmu-version=6", "pmu-version must be"),
    ("x86_64", X86 + ",pmu-counters=5", "pmu-counters must be"),
    ("x86_64", X86 + ",pmu-version=4,pmu-fixed=4", "pmu-fixed must be"),
    ("x86_64", X86 + ",pmu-lbr=8", "pmu-lbr must be"),
    ("x86_64", "max,vendor=HygonGenuine,pmu=on", "GenuineIntel"),
    ("x86_64", "Skylake-Client,pmu-version=3", "need pmu=on"),
    ("x86_64", "Skylake-Client,pmi-skid=5", "need pmu=on"),
    ("aarch64", ARM + ",spe-version=4", "spe-version must be"),
    ("aarch64", "cortex-a76,spe-delay=8", "need spe=on"),
    ("aarch64", "cortex-a76,pmu-instructions=on,brbe=12", "brbe must be 0"),
    ("aarch64", "cortex-a76,pmu-instructions=on,brbe=8,brbe-version=3", "brbe-version must be 1"),
    ("aarch64", "cortex-a76,brbe=32", "brbe needs pmu-instructions=on"),
    ("aarch64", "cortex-a76,brbe-leftovers=on", "brbe-leftovers needs brbe"),
)
# The model on QEMU 10.0 has neither AMD's counters nor the view of KVM nor BRBE.
ONLY_7_2 = "brbe|EPYC|Hygon|kvm-|pmu-dead|lbr-freeze|pmu-ibs"
# (ISA, CPU, the property that can no longer be changed)
BUILT = (
    ("x86_64", X86, {"pmu-version": 3, "pmu-counters": 8, "pmu-fixed": 3, "pmu-lbr": 16,
                     "pmu-pebs": True, "pmu-full-width": False, "kvm-view": True,
                     "kvm-x2apic": True, "pmu-lbr-freeze": False, "pmu-ibs": 2}),
    ("aarch64", "cortex-a76,spe=on", {"spe": False, "spe-version": 1, "pmu-instructions": True}),
)
# CPUs that migrate until they are used, and their options
UNUSED = (
    ("cortex-a76,spe=on", ",spe-leftovers=on"),
    ("cortex-a76,pmu-instructions=on", ",pmu-leftovers=on"),
)
ENDED = ("completed", "failed", "cancelled")
CPU0 = "/machine/unattached/device[0]"


def start(binaries, isa, cpu, *more, text=""):
    """A machine that waits to be started: how it ended, and its messages."""
    machine = {"x86_64": "q35", "aarch64": "virt"}[isa]
    return subprocess.run([binaries[isa], "-display", "none", "-S", "-machine", machine,
                           "-cpu", cpu, *more], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=guests.LIMIT, check=False)


def ask(binaries, isa, cpu, commands):
    """QEMU's answers over QMP to each (command, arguments)."""
    commands = [("qmp_capabilities", {}), *commands, ("quit", {})]
    text = "".join(json.dumps({"execute": c, "arguments": a}) + "\n" for c, a in commands)
    lines = start(binaries, isa, cpu, "-qmp", "stdio", text=text).stdout.splitlines()
    answers = [json.loads(line) for line in lines if line.startswith(('{"return', '{"error'))]
    return [a.get("error", {}).get("desc", "done") for a in answers[1:-1]]


def check_refusals(tap, binaries):
    complete = guests.version(binaries) == "7.2"
    for isa, cpu, wanted in REFUSED:
        if not complete and re.search(ONLY_7_2, cpu):
            continue
        done = start(binaries, isa, cpu)
        tap.claim(f"{cpu}: refused, with the reason",
                  done.returncode and wanted in done.stdout, done.stdout)
    for isa, cpu, fixed in BUILT:
        if not complete:
            fixed = {name: value for name, value in fixed.items() if not re.search(ONLY_7_2, name)}
        changes = ask(binaries, isa, cpu,
                      [("qom-set", {"path": CPU0, "property": name, "value": value})
                       for name, value in fixed.items()])
        tap.claim(f"{cpu}: what it is made of cannot be changed any more",
                  len(changes) == len(fixed) and all("any more" in c for c in changes), changes)


def migrate(binary, cpu, file, *incoming):
    """Migrate into a file, or from it: how that ended, and QEMU's messages."""
    with tempfile.TemporaryDirectory(prefix="check-model-") as directory:
        monitor = f"{directory}/qmp"
        process = subprocess.Popen(
            [binary, "-display", "none", "-S", "-machine", "virt,gic-version=3", "-cpu", cpu,
             "-qmp", f"unix:{monitor},server=on,wait=off", *incoming],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        qmp = guests.Qmp(monitor)
        if not incoming:
            qmp.command("migrate", uri=f"exec:cat >{file}")
        deadline = time.monotonic() + guests.LIMIT
        # None before an incoming migration has begun
        while (ended := qmp.command("query-migrate")["return"].get("status")) not in ENDED:
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        qmp.command("quit")
        qmp.close()
        return ended, process.communicate()[0]


def check_migration(tap, binaries):
    """x86's model has no migration state; Arm's can migrate only in the state after a reset."""
    done = start(binaries, "x86_64", X86, "-only-migratable")
    tap.claim(f"{X86}: excludes -only-migratable, with the reason",
              done.returncode and "pmu=on" in done.stdout, done.stdout)
    blocked = ask(binaries, "x86_64", X86, [("migrate", {"uri": "exec:cat >/dev/null"})])
    tap.claim(f"{X86}: migration is blocked, with the reason", "pmu=on" in blocked[0], blocked)
    for cpu, used in UNUSED:
        with tempfile.NamedTemporaryFile() as file:
            out = migrate(binaries["aarch64"], cpu, file.name)
            there = migrate(binaries["aarch64"], cpu, file.name,
                            "-incoming", f"exec:sleep 0.2; cat {file.name}")  # the data begin late
        tap.claim(f"{cpu}: migrates as long as nobody has used it",
                  (out, there) == (("completed", ""), ("completed", "")), (out, there))
        ended, text = migrate(binaries["aarch64"], cpu + used, "/dev/null")
        tap.claim(f"{cpu}{used}: does not, with the reason",
                  ended == "failed" and "no migration state, and the guest uses them" in text,
                  (ended, text))


def check_without(tap, binaries):
    """Without its option the model must change nothing: checked for every x86 CPU that QEMU
    knows."""
    listed = subprocess.run([binaries["x86_64"], "-cpu", "help"], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    models = [m for m in re.findall(r"^x86 (\S+)", listed, re.MULTILINE)
              if m != "host" and not re.search(r"-v\d+$", m)]
    failed = {}
    for model in models:
        done = start(binaries, "x86_64", model, "-only-migratable", "-qmp", "stdio",
                     text='{"execute": "qmp_capabilities"}{"execute": "quit"}')
        if done.returncode:
            failed[model] = done.stdout
    tap.claim(f"x86: each of {len(models)} models of CPUs starts as it did, and can migrate",
              len(models) > 40 and {"max", "qemu64", "base", "EPYC"} <= set(models) and not failed,
              failed)


def check(tap, binaries):
    """Check all claims of this file."""
    check_refusals(tap, binaries)
    check_migration(tap, binaries)
    check_without(tap, binaries)
