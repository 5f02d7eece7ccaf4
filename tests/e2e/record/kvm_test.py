#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf run --kvm`: QEMU's command line, and the refusals, with a fake machine.

An ordinary file replaces the device, as `-accel kvm,device=FILE` names it: no claim needs
/dev/kvm."""

import os
import pathlib
import platform
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import tap

RIG = fake_run.Rig()
HOST = platform.machine()
OTHER = "aarch64" if HOST == "x86_64" else "x86_64"
DEVICE = RIG.here / "kvm"
DEVICE.write_bytes(b"")
ACCEL = ["-accel", f"kvm,device={DEVICE}"]
RECORD = ["record", "-e", "cpu-clock", "--", "fake"]


def run(*options, guest=("list", "fake", "arguments")):
    """One run for the host's own CPU."""
    return RIG.command(*RIG.words(*guest, options=["-a", HOST, *options]))


def refused(claim, done, *texts, status=125):
    tap.ok(done.returncode == status and all(text in done.stderr for text in texts), claim,
           f"exit status {done.returncode}\n{done.stderr}")


given = run(*ACCEL).stdout
tap.ok(("-cpu host" in given and "max" not in given.split("-smp")[0]) and
       ("-machine q35 " in given or "gic-version=host" in given),
       "-accel kvm given by hand makes the machine's CPU the host's", given)
given = run("--kvm", *ACCEL).stdout
tap.ok("-accel kvm -cpu host" in given and "--kvm" not in given,
       "--kvm asks QEMU for KVM, and is no option of QEMU", given)
given = run("--kvm", *ACCEL, "-cpu", "max", "-machine", "pc").stdout
tap.ok("-cpu max -machine pc" in given and "host" not in given,
       "the user's own CPU and machine replace these defaults", given)
given = run("-accel", "kvm", "-accel", "tcg").stdout
tap.ok("-cpu max" in given, "where QEMU may fall back on emulation, nothing changes", given)

OFFER = "The same command with emulation"
done = run("--kvm", "-accel", f"kvm,device={RIG.here}/none", "-m", "1G", guest=RECORD)
refused("without a device the run is refused, with the reason and a remedy", done,
        f"KVM: there is no {RIG.here}/none: ", OFFER)
offered = done.stderr.splitlines()[-1].strip()
tap.ok(offered.endswith(f"-o {RIG.out} -a {HOST} -m 1G -- record -e cpu-clock -- fake") and
       offered.startswith(f"{fake_run.TOOL} run --qemu ") and not
       {"--kvm", "-accel"} & set(offered.split()),
       "the offered command is the same one, with KVM's options left out", offered)
done = run("-machine", f"{'q35' if HOST == 'x86_64' else 'virt'},accel=kvm", "-icount", "shift=0",
           guest=["record", "--", "fake", "a b"])
refused("-icount with -machine accel=kvm is an impossible request", done, "-icount", OFFER,
        status=126)
tap.ok("accel" not in done.stderr.splitlines()[-1] and
       "-icount shift=0 -- record -- fake 'a b'" in done.stderr,
       "the offered command keeps -icount, and quotes its words for a shell", done.stderr)
done = RIG.command(*RIG.words(*RECORD, options=["--kvm", "-a", OTHER, "-cpu", "host"]))
refused("a machine with the other kind of CPU is an impossible request", done,
        f"this host's own CPU, which is {HOST}: --arch {OTHER} needs emulation", OFFER, status=126)
tap.ok("-cpu" not in done.stderr.splitlines()[-1],
       "the offered command has no -cpu host, which emulation lacks", done.stderr)

done = run(*ACCEL, "--timeout", "0.5", guest=["record", "fake", "dead"])
refused("a machine whose firmware shows no sign of life is given up within seconds", done,
        "KVM did not reach the machine's firmware within 0.5 s", "virtual machine itself", OFFER)
done = run(*ACCEL, "--timeout", "6", guest=["record", "fake", "silent"])
refused("one whose firmware writes to the serial line is only late", done,
        "did not make a trace region within 6 s", OFFER)
done = run(*ACCEL, "-serial", "null", "--timeout", "0.5", guest=["record", "fake", "dead"])
refused("nor is it called silent where the user took the serial line away", done,
        "did not make a trace region within 0.5 s")
done = run(*ACCEL, guest=["record", "fake", "kvm_error"])
refused("a machine that KVM cannot execute is ended at once, with QEMU's reason", done,
        "KVM could not execute the machine (QEMU: KVM internal error. Suberror: 1)", OFFER)
done = run(*ACCEL, guest=["record", "fake", "stillborn"])
refused("a QEMU that refuses KVM is reported with its own message", done, "no such machine type",
        OFFER)
done = run(*ACCEL, guest=["record", "fake", "crash", "300"])
tap.ok(done.returncode == 139 and OFFER not in done.stderr,
       "a program that crashed is offered no emulation", done.stderr)
done = run(*ACCEL, guest=["record", "fake", "complete", "500"])
tap.equal((done.returncode, OFFER in done.stderr, RIG.dump()[0]), (0, False, 0),
          "a run that succeeds says nothing about emulation")
if os.geteuid() == 0:
    DEVICE.chmod(0o600)
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    RIG.here.chmod(0o777)
    done = RIG.command(*drop, *RIG.words("list", options=["-a", HOST, *ACCEL]))
    refused("a user without rights on the device learns who may open it", done,
            f"KVM: you may not open {DEVICE}", "sudo")
    DEVICE.chmod(0o660)
    os.chown(DEVICE, 0, 4)
    done = RIG.command(*drop, *RIG.words("list", options=["-a", HOST, *ACCEL]))
    refused("and the command that gives the rights", done, 'sudo usermod -aG adm "$USER"')
else:
    DEVICE.chmod(0)
    refused("a user without rights on the device learns who may open it", run(*ACCEL),
            f"KVM: you may not open {DEVICE}", "sudo")
    os.chmod(DEVICE, 0o060)
    refused("and the command that gives the rights", run(*ACCEL), "sudo usermod -aG ")
tap.finish()
