# SPDX-License-Identifier: MIT
"""The tool on a machine that it did not start."""

import json
import pathlib
import subprocess

import live
import machine
import region as tr


class Remote:
    """The tool's subcommands on one machine, over shared memory unless a URL is given; files are in
    a temporary directory."""

    def __init__(self, agent, directory, url=None):
        self.agent, self.directory = agent, pathlib.Path(directory)
        self.url = url or f"shm:{agent.path}"

    def words(self, command, *options, url=None):
        verb, *rest = command.split()
        return [machine.TOOL, verb, "--channel", url or self.url, *options, *rest]

    def start(self, command, *options, url=None):
        return subprocess.Popen(self.words(command, *options, url=url), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                cwd=self.directory)

    def __call__(self, command, *options, url=None):
        """Exit status and text."""
        process = self.start(command, *options, url=url)
        text = process.communicate(timeout=live.PATIENCE)[0]
        return process.returncode, text

    def dump(self, name):
        """dump's JSON for a recording; its exit status is "status"."""
        done = subprocess.run([machine.TOOL, "dump", "--json", self.directory / name],
                              capture_output=True, text=True, check=False)
        return {**json.loads(done.stdout), "status": done.returncode}

    def printed(self, name):
        return subprocess.run([machine.TOOL, "dump", "--summary", self.directory / name],
                              capture_output=True, text=True, check=False).stdout

    def samples(self, name):
        """The number of records that perf finds in a file, complete or not."""
        done = subprocess.run(["perf", "script", "-i", name, "-F", "time"], cwd=self.directory,
                              capture_output=True, text=True, check=False)
        return len(done.stdout.splitlines())

    def files(self):
        return sorted(path.name for path in self.directory.iterdir())

    def word(self, name):
        return self.agent.word(*tr.HEADER[name])

    def until_run(self, run):
        """Wait until its events count: a reader was found to be ready."""
        return self.agent.until(lambda: self.word("run") == run and
                                self.agent.state() == tr.RECORDING)
