#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machines that only a serial line reaches: recordings over it are exact, whatever happens to its
frames, its cable and its reader. With RECORDINGS, KILLS and CUT (seconds) in the environment, more
of them.

check-timeout: 3600
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import mailbox
import ram
import recordings
import serial_line
import talker
import tap
import tmux

KILLS = int(os.environ.get("KILLS", "4"))
CUT = float(os.environ.get("CUT", "3"))
UNFINISHED, ERROR, INTERRUPTED = 253, 125, 128 + signal.SIGINT
IDLE = 1  # TR_IDLE
RECORD = "record -e cpu-clock -F 1000 -g -- idle 1"
LONG = "record -e cpu-clock -F 500 -g -- idle %d"
SMP = ("-smp", "2")


class Board:
    """A machine whose serial line is a socket."""

    def __init__(self, directory, arch, *line):
        program = machine.payload(arch, pathlib.Path(directory) / "talker.elf", talker.MAIN)
        self.directory, self.count = pathlib.Path(directory), 0
        self.path = self.directory / "machine"
        self.ram = ram.Ram(arch, self.directory, 512)
        option, board, *rest = mailbox.MACHINES[arch]
        self.process = subprocess.Popen(
            [f"qemu-system-{arch}", option, board + self.ram.machine, *rest, *self.ram.options,
             "-nodefaults", "-display", "none", "-no-reboot", *SMP, "-chardev",
             f"socket,id=line,path={self.path},server=on,wait=off", *line,
             "-kernel", machine.TOP / f"build/{arch}/bareperf.efi", "-append", "", "-initrd",
             program],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        live.until(self.path.exists, process=self.process)

    def boots(self):
        """Wait until the machine waits for commands: a boot on a busy host may take longer than the
        tool waits."""
        live.until(lambda: self.ram.find() and self.ram.word("state") == IDLE, process=self.process)

    def line(self, **options):
        self.count += 1
        return serial_line.Line(self.path, self.directory / f"line{self.count}", **options)

    def close(self):
        self.process.kill()
        self.process.wait()


class Tool:
    """The subcommands on one URL."""

    def __init__(self, directory, url):
        self.directory, self.url = pathlib.Path(directory), url

    def words(self, command, *options):
        verb, *rest = command.split()
        return [machine.TOOL, verb, "--channel", self.url, *options, *rest]

    def start(self, command, *options):
        return subprocess.Popen(self.words(command, *options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace", cwd=self.directory)

    def __call__(self, command, *options):
        process = self.start(command, *options)
        text = process.communicate(timeout=live.PATIENCE)[0]
        return process.returncode, text

    def dump(self, name):
        done = subprocess.run([machine.TOOL, "dump", "--json", self.directory / name],
                              capture_output=True, text=True, check=False)
        return {**json.loads(done.stdout or "{}"), "status": done.returncode}

    def samples(self, name):
        done = subprocess.run(["perf", "script", "-i", name, "-F", "time"], cwd=self.directory,
                              capture_output=True, text=True, check=False)
        return len(done.stdout.splitlines())

    def is_exact(self, claim, status, text, name="perf.data"):
        """A recording that ended: it contains each record that the machine wrote exactly once."""
        if not tap.equal(status, 0, f"{claim}: it ends well"):
            tap.note(text)
            return
        summary = self.dump(name)
        events = summary["events"]
        delivered = sum(e["delivered"] for e in events)
        tap.ok(summary["status"] == 0 and summary["conserved"] and delivered > 0 and
               all(e["generated"] == e["delivered"] + e["lost"] for e in events),
               f"{claim}: the ledger is exact", (summary["status"], events))
        tap.ok(self.samples(name) >= delivered, f"{claim}: perf finds every sample",
               (self.samples(name), delivered))


def unix(line):
    return f"unix:{line.path}"


def a_good_line(board):
    with board.line() as line:
        tool = Tool(board.directory, unix(line))
        tool.is_exact(f"{board.name}, a good line", *tool(RECORD))
        status, text = tool("list")
        tap.ok(status == 0 and "cpu-clock" in text, f"{board.name}: list is answered", text)


def a_program_that_talks(board):
    with contextlib.closing(board.line()) as line:
        talker.check(talker.remote(unix(line)), board.directory, board.name, 5000, 20000)


def many_recordings(board, kinds):
    with board.line() as line:
        live.until(board.ram.find, process=board.process)
        recordings.one_boot(Tool(board.directory, unix(line)), board.ram.word, board.directory,
                            board.name, kinds)


def a_line_that_is_too_slow(board):
    """With the sampling rate that the tool advises, the line carries all samples."""
    with board.line() as line:
        line.rate = 11520
        tool, seen, freq = Tool(board.directory, unix(line)), [], "8000"
        while freq and len(seen) < 5:
            status, text = tool(f"record -e cpu-clock -F {freq} -g -m 16 -- idle 3", "-o", "slow")
            tool.is_exact(f"{board.name}, 115200 bit/s and -F {freq}", status, text, "slow")
            event = tool.dump("slow")["events"][0]
            seen.append((int(freq), event["lost"] / event["generated"], text))
            advice = re.search(r"too slow for it: about -F (\d+) is what it keeps up", text)
            freq = advice and advice[1]
        tap.ok(seen[0][1] > 0.2 and 20 < seen[-1][0] < 4000 and seen[-1][1] < 0.02,
               f"{board.name}: a line that is too slow: the rate that it carries is reported", seen)


def a_line_that_is_waited_for(board):
    """The ring holds some 290 samples of 56 bytes."""
    claim = f"{board.name}, 115200 bit/s and --lossless"
    with board.line() as line:
        line.to_host.rate = line.to_machine.rate = 11520
        tool = Tool(board.directory, unix(line))
        tool.is_exact(claim, *tool("record -e cpu-clock -c 20000 -m 4 --lossless -- calltree 4",
                                   "-o", "waited"), "waited")
        summary = tool.dump("waited")
        event, cpu = summary["events"][0], summary["cpus"][0]
        tap.ok(event["delivered"] >= 600 and event["lost"] == 0 and cpu["stands"] > 2 and
               cpu["given_up"] == 0, f"{claim}: {event['delivered']} samples, and none is lost",
               (event, cpu))
        tap.ok(cpu["stood"] > 10**9 and event["time_enabled"] < 3.5 * 10**9,
               f"{claim}: the time of its stalls is in no time of the event", (event, cpu))


def a_line_that_is_too_slow_to_watch(board):
    """The machine gets the request to sample less often, and obeys; its ledger stays exact. The
    ring holds some 290 samples, for which the line takes one or two seconds."""
    claim = f"{board.name}, 115200 bit/s and top"
    with board.line() as line:
        line.rate = 11520
        tool = Tool(board.directory, unix(line))
        status, text = tool("top --stdio -e cpu-clock -F 8000 -m 4 -- idle 12", "-o", "watched")
        tool.is_exact(claim, status, text, "watched")
        event = tool.dump("watched")["events"][0]
        said = re.findall(r"too slow for it: the machine samples (\d+) times as seldom", text)
        tap.ok(event["slower"] >= 2 and said and int(said[-1]) == event["slower"],
               f"{claim}: that the machine samples less often is reported", (event, text[-2000:]))
        script = subprocess.run(["perf", "script", "-i", board.directory / "watched", "-F", "period"],
                                capture_output=True, text=True, check=False).stdout
        periods = [int(period) for period in script.split()]
        # the last slowdown may have come with the last samples, whose frequency adapts in steps
        tap.ok(max(periods[-20:]) >= 0.45 * 125000 * event["slower"] and
               0.9 * 125000 * event["slower"] > 1.5 * min(periods),
               f"{claim}: as its PERIODs say", (periods[:5], periods[-5:], event))
        last = text[text.index("# last block"):]
        tap.ok(f"# Event count (approx.): {sum(periods)}\n" in last,
               f"{claim}: the shown samples are those in the file", last[:1000])


def a_bad_line(board, each):
    """Per mille of frames, in each direction, that are lost; as many are damaged, doubled and
    late."""
    claim = f"{board.name}, {0.4 * each:g} % of frames spoiled"
    with board.line(seed=each) as line:
        line.faults(each)
        tool = Tool(board.directory, unix(line))
        tool.is_exact(claim, *tool(RECORD))
        tap.ok(line.to_host.spoiled > 0 and (each < 10 or line.to_machine.spoiled > 0),
               f"{claim}: some were", (line.to_host.spoiled, line.to_machine.spoiled))


def a_cable_that_is_pulled(board):
    claim = f"{board.name}, a cable pulled for {CUT:g} s"
    with board.line() as line:
        tool, said = Tool(board.directory, unix(line)), board.directory / "pulled.txt"
        words = tool.words(LONG % 3600, "--timeout", str(CUT + 300))
        with open(said, "w") as out:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, cwd=board.directory)
        live.until(lambda: line.to_host.bytes > 4000, process=process)
        line.cut = True
        live.until(lambda: "silent" in said.read_text(), process=process)
        time.sleep(CUT)
        line.cut = False
        live.until(lambda: "back after" in said.read_text(), process=process)
        process.send_signal(signal.SIGINT)
        status, text = process.wait(timeout=live.PATIENCE), said.read_text()
        if "resume with" in text:  # the machine's last records took longer than the tool waits
            status, more = tool("attach", "-o", "perf.data")
            text += more
        tool.is_exact(claim, 0 if status == INTERRUPTED else status, text)
        tap.ok(line.connections >= 2, f"{claim}: it was connected again", line.connections)
        tap.ok(re.search(r"silent.*back after \d+ s", text, re.DOTALL),
               f"{claim}: both ends of the silence are reported", text)


def a_cable_that_is_cut_from_top(board):
    """First for as long as top waits, then for longer; then top leaves, and the machine
    continues."""
    claim = f"{board.name}, a cable cut from top"
    if tmux.missing():
        tap.skip(claim, tmux.missing())
        return
    with board.line() as line:
        tool = Tool(board.directory, unix(line))
        with tmux.Terminal(*tool.words("top -e cpu-clock -F 200 -- calltree 6", "--timeout", "3"),
                           cwd=board.directory, columns=200) as terminal:
            tap.ok(terminal.shows("[.] lex", "recording"), f"{claim}: it is seen there", terminal.screen())
            line.cut = True
            status, sane, screen = terminal.end()
            line.cut = False
        said = re.findall(r"no (?:answer|sign of life).*", screen)
        tap.ok(status == UNFINISHED and sane and len(said) == 1 and "[.] lex" not in screen and
               "no answer in 3 s: nothing comes any more" in screen and "resume with" in screen and
               "conserved" not in screen and "continues run" not in screen,
               f"{claim}: the terminal is as it was, and one line says why", (status, sane, screen))
        tap.ok(live.until(lambda: board.ram.word("state") == IDLE),
               f"{claim}: when it is back, the machine continues to the end")
        tool.is_exact(f"{claim}, and another recording", *tool(RECORD))
        status, text = tool("console")
        tap.ok(status == 0 and "waiting for commands" in text and "still being read" not in text,
               f"{claim}: the next command does not wait for records that top has not read", text)


def a_tool_that_is_killed(board):
    """The tool is killed again and again; each time attach continues where it stopped."""
    claim = f"{board.name}, killed {KILLS} times"
    with board.line() as line:
        tool = Tool(board.directory, unix(line))
        process = tool.start(LONG % (3 + 2 * KILLS), "-o", "killed.data")
        journal = board.directory / "killed.data.journal"  # wait until its run has begun
        made = live.until(journal.exists, process=process)
        tap.ok(made, f"{claim}: it records")
        for _ in range(KILLS):
            if process.poll() is not None:  # everything was read before the kill
                break
            time.sleep(random.uniform(0.3, 1.5))
            process.kill()
            process.communicate()
            process = tool.start("attach", "-o", "killed.data")
        text = process.communicate(timeout=live.PATIENCE)[0]
        tool.is_exact(claim, process.returncode, text, "killed.data")


def a_terminal(board):
    with board.line(terminal=True) as line:
        tool = Tool(board.directory, f"serial:{line.tty},921600")
        tool.is_exact(f"{board.name}, a pty", *tool(RECORD))
        other = subprocess.Popen(["flock", line.tty, "sleep", "60"])
        time.sleep(0.2)
        status, text = tool(RECORD)
        tap.ok(status == ERROR and "somebody else has it" in text,
               f"{board.name}: a tty that another process holds is refused", text)
        other.kill()
        other.wait()


def two_rates(board, cable):
    """Both ends are real ttys; bytes that are sent at another rate than the receiver's are
    garbage."""
    cable.used = True
    for fast, carries in ((57600, True), (38400, False)):
        claim = f"{board.name}, fast={fast}" + ("" if carries else " that does not carry")
        cable.deaf = set() if carries else {fast}
        tool = Tool(board.directory, f"serial:{cable.names[1]},115200,fast={fast}")
        # on a busy host the first frame may come too late, so try again
        for _ in range(3 if carries else 1):
            cable.carried.clear()
            cable.garbled = 0
            status, text = tool(RECORD)
            if "nothing comes through" not in text:
                break
        tool.is_exact(claim, status, text)
        used = fast if carries else 115200
        tap.ok(cable.carried[used] == max(cable.carried.values()) > 10000,
               f"{claim}: its recording comes at {used}", (cable.carried, cable.garbled))
        tap.ok(carries or (f"nothing comes through at {fast} bit/s, back to 115200" in text and
                           cable.garbled > 0), f"{claim}: the result is reported", text)
        tap.ok(live.until(lambda: cable.rates()[0] == 115200, 10),
               f"{claim}: the machine's end is at 115200 again", cable.rates())


def the_last(board):
    """The machine switches off when the tool has everything, and not before."""
    claim = f"{board.name}, --then poweroff"
    with board.line() as line:
        tool = Tool(board.directory, unix(line))
        tool.is_exact(claim, *tool(RECORD.replace(" -- ", " --then poweroff -- ")))
        tap.ok(live.until(lambda: board.process.poll() is not None, 60),
               f"{claim}: then the machine is off")


def bytes_that_are_eaten(board):
    with board.line() as line:
        line.to_machine.eaten = b"\x11\x13"
        status, text = Tool(board.directory, unix(line))(RECORD, "--timeout", "60")
        tap.ok(status == ERROR and "0x11 0x13: that is software flow control" in text,
               f"{board.name}: a line that eats XON and XOFF is named", text)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def somebody_else_s_console_server(board):
    """Debian's ser2net, with the recipe of docs/serial.md."""
    claim = f"{board.name}, ser2net"
    if not shutil.which("ser2net"):
        tap.skip(claim, "there is no ser2net")
        return
    recipe = (machine.TOP / "docs/serial.md").read_text()
    recipe = "\n".join(row[4:] for row in
                       re.search(r"^    connection: &board\n(?:    .*\n)+", recipe,
                                 re.MULTILINE).group(0).splitlines())
    port = free_port()
    with board.line(terminal=True) as line:
        config = board.directory / "ser2net.yaml"
        config.write_text(recipe.replace("/dev/ttyUSB0", line.tty).replace("0.0.0.0,3000",
                                                                          f"127.0.0.1,{port}"))
        server = subprocess.Popen(["ser2net", "-n", "-c", config, "-P",
                                   board.directory / "ser2net.pid"], stdin=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        tap.ok(live.until(lambda: answers(port), process=server), f"{claim}: it serves the recipe",
               config.read_text())
        time.sleep(0.5)
        tool = Tool(board.directory, f"tcp:127.0.0.1:{port}")
        tool.is_exact(claim, *tool(RECORD))
        server.terminate()
        server.wait()


# ---- Others at the other end ----

def stub(directory, name, serve):
    """A socket whose peer is not a machine."""
    path = pathlib.Path(directory) / name
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(8)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                client = listener.accept()[0]
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return path


def says_garbage(client):
    with contextlib.suppress(OSError):
        while True:
            client.send(os.urandom(200))
            time.sleep(0.01)


def says_text(client):
    with contextlib.suppress(OSError):
        while True:
            client.send(b"login: \r\n")
            time.sleep(0.05)


def says_nothing(client):
    with contextlib.suppress(OSError):
        while client.recv(4096):
            pass


def closes(client):
    client.close()


def others(directory):
    """All at the same time: each waits until the tool gives up."""
    asked = []
    for name, serve, why in (("garbage", says_garbage, "neither text nor frames"),
                             ("getty", says_text, "text comes, but no answer"),
                             ("silence", says_nothing, "nothing came"),
                             ("closing", closes, "the line was closed")):
        tool = Tool(directory, f"unix:{stub(directory, name, serve)}")
        asked.append((name, why, tool.start(RECORD, "--timeout", "3", "-o", name + ".data")))
    for name, why, process in asked:
        text = process.communicate(timeout=live.PATIENCE)[0]
        said = [row for row in text.splitlines() if row.startswith("bareperf: ")]
        tap.ok(process.returncode == ERROR and why in said[-1] and "no answer in 3 s" in said[-1],
               f"{name} at the other end: one line says so", text)
    status, text = Tool(directory, f"unix:{directory}/nobody")(RECORD)
    tap.ok(status == ERROR and "connecting: No such file" in text, "a socket that is not there",
           text)


def pc(directory):
    cable = serial_line.Cable()
    board = Board(directory, "x86_64", "-serial", "chardev:line", "-chardev",
                  f"serial,id=tty,path={cable.names[0]}", "-device", "pci-serial,chardev=tty")
    board.name = "16550"
    try:
        board.boots()
        a_good_line(board)
        a_program_that_talks(board)
        many_recordings(board, recordings.KINDS)
        a_line_that_is_too_slow(board)
        a_line_that_is_too_slow_to_watch(board)
        a_line_that_is_waited_for(board)
        a_bad_line(board, 3)
        a_bad_line(board, 50)
        a_cable_that_is_pulled(board)
        a_cable_that_is_cut_from_top(board)
        a_tool_that_is_killed(board)
        a_terminal(board)
        somebody_else_s_console_server(board)
        bytes_that_are_eaten(board)
        two_rates(board, cable)
    finally:
        board.close()
        cable.close()


def arm(directory):
    """No reader stalls here: with a PL011, a reader that stalls would stop all of QEMU 7.2."""
    board = Board(directory, "aarch64", "-serial", "chardev:line")
    board.name = "PL011"
    try:
        board.boots()
        a_good_line(board)
        a_program_that_talks(board)
        many_recordings(board, [kind for kind in recordings.KINDS if "branch" not in kind])
        a_bad_line(board, 25)
        the_last(board)
    finally:
        board.close()


def run(part):
    with tempfile.TemporaryDirectory(prefix="bareperf-serial-") as where:
        part(where)


# Both machines run at the same time: they mostly wait for their slow lines.
with concurrent.futures.ThreadPoolExecutor() as POOL:
    PARTS = [POOL.submit(run, PART) for PART in (arm, lambda where: (others(where), pc(where)))]
for DONE in PARTS:
    DONE.result()
tap.finish()
