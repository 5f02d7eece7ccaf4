# SPDX-License-Identifier: MIT
"""A labgrid driver: `bareperf` for a target that runs its image. The driver is one file, which an
environment lists under `imports:`; farm.yaml beside it is an example. Tried with labgrid 0.4.1."""

import json
import shlex
import subprocess

import attr
from labgrid.binding import BindingState
from labgrid.driver.common import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.factory import target_factory
from labgrid.resource import NetworkSerialPort
from labgrid.step import step
from labgrid.util.proxy import proxymanager

OURS = 125  # exit statuses from here on are the tool's; smaller ones are the workload's


@target_factory.reg_driver
@attr.s(eq=False)
class BareperfDriver(Driver):
    """Records what a target runs. The image was started without a command (by power, by a
    bootloader or by QEMU), so it waits for one. The tool is `bareperf` in the environment's tools,
    or else in PATH.

    Args:
        channel (str): a URL of docs/channels.md; by default the URL of the bound port
        timeout (float): seconds until a target without a sign of life is given up
    """

    bindings = {"port": {"SerialPort", "NetworkSerialPort", None}}

    channel = attr.ib(default=None,
                      validator=attr.validators.optional(attr.validators.instance_of(str)))
    timeout = attr.ib(default=10.0, converter=float)

    def on_activate(self):
        """Only one driver can use a port: consoles on it are deactivated."""
        clients = self.port.clients if self.port and not self.channel else ()
        for other in list(clients):
            if other is not self and other.state is BindingState.active:
                self.target.deactivate(other)

    def url(self):
        """The value for --channel."""
        if self.channel:
            return self.channel
        if not self.port:
            raise ExecutionError(f"{self.target.name}: BareperfDriver has neither a channel nor a "
                                 "serial port")
        if not isinstance(self.port, NetworkSerialPort):
            return f"serial:{self.port.port},{self.port.speed}"
        if self.port.protocol != "raw":
            raise ExecutionError(f"{self.target.name}: a port that speaks {self.port.protocol} does "
                                 "not carry all bytes: export it as raw, or make it a tty by gensiot")
        host, port = proxymanager.get_host_and_port(self.port)
        return f"tcp:[{host}]:{port}" if ":" in host else f"tcp:{host}:{port}"

    def _bareperf(self, verb, words="", options=()):
        """Run the tool; words are one string, split as by a shell, or a list."""
        tool = self.target.env and self.target.env.config.get_tool("bareperf")
        words = shlex.split(words) if isinstance(words, str) else [str(word) for word in words]
        command = [tool or "bareperf", verb, "--channel", self.url(), "--timeout",
                   f"{self.timeout:g}", *map(str, options), *words]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        if done.returncode < 0 or done.returncode >= OURS:
            lines = (done.stderr or done.stdout).strip().splitlines()
            raise ExecutionError(
                f"{self.target.name}: {shlex.join(command)}: exit status {done.returncode}: "
                f"{lines[-1] if lines else 'no word'}",
                done.stdout.splitlines(), done.stderr.splitlines())
        return done

    @Driver.check_active
    @step(args=["words", "output"])
    def record(self, words, output="perf.data"):
        """`bareperf record`: words are events, options and "--" with the workload. Returns the
        workload's exit status, 0 to 124."""
        return self._bareperf("record", words, ("-o", output)).returncode

    @Driver.check_active
    @step(args=["output"])
    def attach(self, output="perf.data"):
        """Read a recording that is in progress, or resume one of the file output, until its end."""
        return self._bareperf("attach", options=("-o", output)).returncode

    @Driver.check_active
    @step(args=["words"])
    def stat(self, words):
        """`bareperf stat --json`: {"events": [{"event": name, "count": n, …}, …], …}."""
        return json.loads(self._bareperf("stat", words, ("--json",)).stdout)

    @Driver.check_active
    @step()
    def list(self):
        """The events that the target can record."""
        return self._bareperf("list").stdout

    @Driver.check_active
    @step()
    def console(self):
        """The target's console text, as far as it is still available."""
        return self._bareperf("console").stdout

    @Driver.check_active
    @step()
    def stop(self):
        """End a recording that another process reads."""
        self._bareperf("stop")

    @Driver.check_active
    @step()
    def snapshot(self):
        """Request a snapshot of AUX areas in snapshot mode; the recording's reader gets it."""
        self._bareperf("snapshot")

    @Driver.check_active
    @step()
    def reboot(self):
        """Reset a target that waits for commands."""
        self._bareperf("reboot")
