#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A farm of boards: the labgrid driver and its example environment, as they are installed. The
machine is labgrid's own QEMU driver."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

# labgrid is a Debian package, which needs Debian's Python; another Python may come first in PATH
DEBIAN = "/usr/bin/python3"
INSTALLED = "share/bareperf/labgrid/farm.yaml"


def missing():
    """The reason why labgrid cannot be used here, or None. Does not return if only Debian's Python
    has labgrid: that Python then runs this test."""
    if not importlib.util.find_spec("labgrid"):
        if sys.executable != DEBIAN and pathlib.Path(DEBIAN).exists() and not subprocess.run(
                [DEBIAN, "-c", "import labgrid"], capture_output=True, check=False).returncode:
            os.execv(DEBIAN, [DEBIAN, *sys.argv])
        return "labgrid is not installed (package python3-labgrid)"
    return machine.missing()


def refusal(call, *words):
    """The error of a driver's method, or None if it succeeds."""
    from labgrid.driver.exception import ExecutionError
    try:
        call(*words)
    except ExecutionError as error:
        return error.msg
    return None


def records(target, directory):
    driver = target.get_driver("BareperfDriver")
    file = f"{directory}/pc.data"
    status = driver.record("-e cpu-clock -F 1000 -g -- calltree 0.3", output=file)
    summary = json.loads(subprocess.run([machine.TOOL, "dump", "--json", file], check=False,
                                        capture_output=True, text=True).stdout)
    event = summary["events"][0]
    tap.ok(status == 0 and summary["conserved"] and event["written"] == event["delivered"] > 0,
           "a machine of labgrid's QEMU driver is recorded by its second serial port", summary)
    perf = subprocess.run(["perf", "script", "-F", "ip", "-G", "-i", file], capture_output=True,
                          text=True, check=False)
    tap.equal((len(perf.stdout.split()), perf.stderr), (event["samples"], ""),
              "perf reads the file without a word, and finds every sample")
    counts = driver.stat(["-e", "cpu-clock", "--", "noploop", "1"])
    tap.ok(counts["conserved"] and counts["events"][0]["count"] > 10**9, "stat's counts are a dict",
           counts)
    tap.ok("cpu-clock" in driver.list() and "waiting for commands" in driver.console(),
           "list and console have the machine's words")
    said = refusal(driver.record, "-e cyles -- noploop")
    tap.ok(said and "exit status 126" in said and "cycles?" in said,
           "a failure is an ExecutionError with the command and the reason", said)
    said = refusal(driver.stop)
    tap.ok(said and "records nothing" in said, "so is missing data", said)
    tap.equal(refusal(driver.reboot), None, "it takes a reboot")


def cables(farm):
    """Drivers of boards that do not exist: they are bound, but not activated."""
    urls = {name: farm.get_target(name).get_driver("BareperfDriver", activate=False).url()
            for name in ("board", "rack", "emulator")}
    tap.equal(urls, {"board": "serial:/dev/ttyUSB0,115200", "rack": "tcp:consoles.example:3000",
                     "emulator": "gdb:localhost:1234,scan=0-0x20000000"},
              "a driver that is bound to a serial port records by it, by default")
    rack = farm.get_target("rack")
    rack.get_resource("NetworkSerialPort", wait_avail=False).protocol = "rfc2217"
    said = refusal(rack.get_driver("BareperfDriver", activate=False).url)
    tap.ok(said and "rfc2217" in said and "raw" in said,
           "a port that does not carry every byte is refused", said)


def shares_port(farm):
    """An active console on the port is a second program at the same line."""
    from labgrid.binding import BindingState
    board = farm.get_target("board")
    console = board.get_driver("SerialDriver", activate=False)
    console.state, console.on_deactivate = BindingState.active, lambda: None
    board.get_driver("BareperfDriver")
    tap.equal(console.state, BindingState.bound, "a console leaves the port that is to be recorded by")


WHY = missing()
if WHY:
    tap.skip("a farm of boards is recorded by labgrid", WHY)
    tap.finish()
with tempfile.TemporaryDirectory(prefix="bareperf-labgrid-test-") as DIRECTORY:
    ROOT = pathlib.Path(DIRECTORY) / "root/usr"
    subprocess.run(["make", "install", f"DESTDIR={ROOT.parent}", "PREFIX=/usr"], check=True,
                   cwd=machine.TOP, stdout=subprocess.DEVNULL,
                   env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")})
    os.environ.update(LG_BAREPERF=str(ROOT), LG_CABLE=f"{DIRECTORY}/cable")
    from labgrid import Environment
    FARM = Environment(str(ROOT / INSTALLED))
    PC = FARM.get_target("pc")
    PC.get_driver("QEMUDriver").on()
    try:
        records(PC, DIRECTORY)
        cables(FARM)
        shares_port(FARM)
    finally:
        FARM.cleanup()
tap.finish()
