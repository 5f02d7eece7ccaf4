#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of `bareperf report --html` with ten million samples: bytes per sample, and in Chromium
the time to the first view, the time of a zoom, and the memory. The recording is a call tree on two
CPUs. Our own writer makes it, and its samples are repeated with later times and with other low bits
of times and periods, so that they compress as badly as those of a real machine."""

import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import browser as browsers  # noqa: E402  pylint: disable=wrong-import-position

TOOL = TOP / "build/host/bareperf"
SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
ZOOMS = 40
# in perf.data's header: offset and size of the records; size of the ledger's footer, behind which
# the features follow
DATA, FOOTER = 40, 56
# offsets in a sample of IP|TID|TIME|CALLCHAIN|CPU|PERIOD|IDENTIFIER
SAMPLE, TIME, PERIOD = 9, 32, 48


def record(path):
    subprocess.run([TOOL, "run", "--arch", "x86_64", "-o", path, "-icount", "shift=4,sleep=off",
                    "-smp", "2", "--", "record", "-a", "-e", "cpu-clock", "-F", "1000", "-g", "--",
                    "calltree", "3"], check=True, capture_output=True)


def split(records):
    """The bytes before the samples, and the samples as (offset, time, period)."""
    at, first, samples = 0, None, []
    while at < len(records):
        kind, _, size = struct.unpack_from("<IHH", records, at)
        if kind == SAMPLE:
            first = at if first is None else first
            samples.append((at - first, struct.unpack_from("<Q", records, at + TIME)[0]))
        elif first is not None:
            break
        at += size
    return records[:first], records[first:at], samples


def make_file(path):
    """Returns the number of samples."""
    record(path)
    file = bytearray(path.read_bytes())
    offset, size = struct.unpack_from("<QQ", file, DATA)
    head, block, samples = split(bytes(file[offset : offset + size]))
    span = max(when for _, when in samples) - min(when for _, when in samples) + 10**6
    copies = SAMPLES // len(samples)
    struct.pack_into("<QQ", file, DATA, offset, len(head) + copies * len(block))
    struct.pack_into("<QQQQQQ", file, FOOTER, 0, 0, 0, 0, 0, 0)
    chance = random.Random(1)
    with path.open("wb") as out:
        out.write(file[:offset] + head)
        for copy in range(copies):
            changed = bytearray(block)
            for place, when in samples:
                bits = chance.getrandbits(26)
                struct.pack_into("<Q", changed, place + TIME, when + copy * span + (bits & 0xffff))
                struct.pack_into("<Q", changed, place + PERIOD, 1_000_000 + (bits >> 16))
            out.write(changed)
    return copies * len(samples)


def memory(page):
    """Proportional memory of all of the browser's processes, bytes."""
    total, parents = 0, {page.process.pid}
    for status in sorted(pathlib.Path("/proc").glob("[0-9]*/stat"), key=lambda p: int(p.parts[2])):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) in parents or int(status.parts[2]) in parents:
                parents.add(int(status.parts[2]))
                rollup = (status.parent / "smaps_rollup").read_text()
                total += 1024 * int(rollup.split("Pss:")[1].split()[0])
        except (OSError, IndexError):
            pass  # the process has ended meanwhile
    return total


def zooms(page):
    """Wall-clock milliseconds from a request until everything is shown."""
    return page.value(f"""(async () => {{
        const took = [];
        for (let i = 0; i < {ZOOMS}; i++) {{
            const at = performance.now(), part = recording.span / (2 + i % 20);
            state.selection = null;
            view.from = Math.round(part * (i % 7) / 7);
            view.to = Math.round(view.from + part);
            await update();
            document.body.getBoundingClientRect();
            took.push(performance.now() - at);
        }}
        return took;
    }})()""")


def figure(name, value, unit, goal, digits=1):
    print(f"bench html-{name} {value:.{digits}f} {unit} goal {goal} {'ok' if value <= goal else 'short'}")


def main():
    if not browsers.program():
        print("bench html skip there is no chromium here: make deps")
        return
    with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
        data, html = pathlib.Path(directory) / "perf.data", pathlib.Path(directory) / "page.html"
        samples = make_file(data)
        start = time.monotonic()
        subprocess.run([TOOL, "report", "--html", "-o", html, data], check=True)
        took = time.monotonic() - start
        size = html.stat().st_size
        print(f"# {samples} samples, {data.stat().st_size / 1e6:.0f} MB; page {size / 1e6:.1f} MB, "
              f"written in {took:.1f} s ({samples / took / 1e6:.2f} M samples/s)")
        figure("bytes", size / samples, "bytes/sample", 10, 2)
        data.unlink()
        with browsers.Browser() as page:
            start = time.monotonic()
            page.open(html)
            figure("first-view", time.monotonic() - start, "s", 5)
            took = zooms(page)
            print(f"# zooms: median {statistics.median(took):.0f} ms, longest {max(took):.0f} ms")
            figure("zoom", max(took), "ms", 100, 0)
            page.wait("recording.chunks.every((chunk) => chunk.samples)")
            used = memory(page) / samples
            print(f"bench html-memory {used:.0f} bytes/sample keep 60 {'ok' if used <= 60 else 'worse'}")


if __name__ == "__main__":
    main()
