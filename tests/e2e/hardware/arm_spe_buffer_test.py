#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SPE's buffer in the AUX area, on the hardware model: many recordings in one boot. Every size with
every watermark gives the computed number of wakeups. A reader that stalls loses records but no
bytes. Every fault has its flag, and the bytes still add up.

check-timeout: 900
check-spare: machines count instructions
"""

import collections
import ctypes
import pathlib
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import region as tr
import spe
import tap

PAGE = 4096
RECORD = spe.RECORD_SIZE
INTERVAL = 256
RINGS, RING_LEDGER = tr.table("rings"), tr.table("ring_ledger")
AUX_HEAD, AUX_TAIL = 1056, 1064  # in the control page
PACKET_PC = 0xb0
PERF_RECORD_AUX = 11
PER_TURN = 2  # operations in the `branches` workload's loop

Aux = collections.namedtuple("Aux", "offset size flags")


class Model(mailbox.Agent):
    """The machine, whose faults are injected by QMP, and a reader of its first ring."""

    def __init__(self, directory, binary, kind, slack, cpus=1):
        # Bytes by which a result may differ: the model drops a sample if a tick's interrupt hits
        # its operation, and if bareperf was entered at EL1 its own handlers are sampled.
        self.slack = slack
        self.monitor = mailbox.qemu.Monitor(directory)
        super().__init__(
            directory, "aarch64", "-machine", kind, "-cpu", spe.CPU, "-smp", f"{cpus},maxcpus=4",
            *machine.EXACT, *self.monitor.options, "-kernel",
            str(machine.TOP / "build/aarch64/bareperf.efi"), program=binary)

    def fault(self, **properties):
        """Set properties of all CPUs."""
        for cpu in self.monitor.ask("query-cpus-fast"):
            for name, value in properties.items():
                self.monitor.ask("qom-set", path=cpu["qom-path"], property=name.replace("_", "-"),
                                 value=value)

    def ring(self, word):
        return self.word(self.word(RINGS, "<Q") + word, "<Q")

    def ledger(self):
        at = self.word(RING_LEDGER, "<Q")
        names = ("data_head lost reported lost_records threshold full aux end sent coalesced "
                 "tail_faults aux_head aux_written aux_lost aux_skipped aux_overwritten "
                 "aux_records aux_truncated repeated")
        return dict(zip(names.split(), struct.unpack_from("<19Q", self.bytes, at)))

    def wrote(self, total):
        return abs(self.ledger()["aux_written"] - total) <= self.slack

    def aux_records(self, start=0):
        """The AUX records of the data ring from a position on, and the position of their end."""
        control, data = self.ring(16), self.ring(24)
        head = self.word(control + 1024, "<Q")
        found = []
        while start < head:
            at = data + start % self.ring(32)
            kind, _, size = struct.unpack_from("<IHH", self.bytes, at)
            if kind == PERF_RECORD_AUX:
                found.append(Aux(*struct.unpack_from("<3Q", self.bytes, at + 8)))
            start += size
        return found, start

    def take(self, tail):
        self.store(self.ring(16) + AUX_TAIL, ctypes.c_uint64, tail)

    def record(self, pages, watermark, turns, terms="", more=""):
        command = f"record -e arm_spe/{terms}/ -c {INTERVAL} -m 512,{pages} {more}"
        if watermark:
            command += f" --aux-watermark {watermark}"
        return self.command(f"{command} -- branches {turns}".encode(), seconds=120)


def balances(agent, records):
    """All written bytes are accounted for: reported by AUX records, skipped, or overwritten."""
    ledger = agent.ledger()
    told = sum(record.size for record in records)
    return (ledger["aux_written"] == ledger["aux_head"] and
            ledger["aux_written"] == told + ledger["aux_skipped"] + ledger["aux_overwritten"] and
            ledger["aux_records"] == len(records) and
            ledger["aux_truncated"] == sum(bool(r.flags & spe.TRUNCATED) for r in records))


def round_up(value, multiple):
    return -(-value // multiple) * multiple


def expected(area, watermark, total):
    """The expected pieces and wakeups of R bytes. The last wakeup is the head rounded down to a
    multiple of the watermark. The next one is a watermark later. The hardware stops at the page
    boundary at or after that, or at the area's end. Nobody reads meanwhile."""
    head = last = wakeups = 0
    sizes = []
    while True:
        limit = min(round_up(last + watermark, PAGE), round_up(head + 1, area))
        assert limit > head
        sizes.append(min(limit, total) - head)
        head = min(limit, total)
        if head - last >= watermark:
            wakeups += 1
            last = head - head % watermark
        if total < limit:
            break
    return [size for size in sizes if size], wakeups


def watermarks(area):
    """Sizes from one record to the whole area."""
    return sorted({RECORD, RECORD * 5, PAGE // 2, PAGE, PAGE * 3 // 2, area // 4, area // 2,
                   area - PAGE // 2, area})


def every_size_and_watermark(agent):
    for shift in range(1, 11):
        pages = 1 << shift
        area, failures, count = pages * PAGE, [], 0
        turns = area * 9 // 10 // RECORD * INTERVAL // PER_TURN
        for watermark in watermarks(area):
            status = agent.record(pages, watermark, turns)
            records, _ = agent.aux_records()
            ledger = agent.ledger()
            sizes, wakeups = expected(area, watermark, ledger["aux_written"])
            seen = [record.size for record in records], ledger["aux"]
            fills = area // 2 < ledger["aux_written"] < area
            count += 1
            if not (status == 0 and fills and seen == (sizes, wakeups) and
                    balances(agent, records) and not any(r.flags for r in records)):
                failures.append((watermark, status, seen[1], wakeups, ledger))
        tap.equal(failures, [], f"{pages} pages, {count} watermarks: pieces and wakeups are as "
                                "computed, nothing is lost")


def the_worked_example(agent):
    """Two pages, with a watermark of half a page: the hardware stops at the page boundary, which
    counts as the last wakeup; the next is due at one and a half pages."""
    for quarters, wakeups in ((5, 1), (7, 2)):
        agent.record(2, PAGE // 2, PAGE * quarters // 4 // RECORD * INTERVAL // PER_TURN)
        records, _ = agent.aux_records()
        ledger = agent.ledger()
        tap.ok(records[0].size == PAGE and ledger["aux"] == wakeups and
               abs(ledger["aux_written"] - PAGE * quarters // 4) <= 4 * RECORD,
               f"the worked example: {quarters} quarters of a page, {wakeups} wakeups",
               (records, ledger))


def whole_records(agent, piece):
    """Whether a piece in the area contains only whole records: each begins with its PC."""
    area, size = agent.ring(40), agent.ring(48)
    return all(agent.bytes[area + at % size] == PACKET_PC
               for at in range(piece.offset, piece.offset + piece.size, RECORD))


def a_stalled_reader(agent):
    """The reader reads when the area is full, not before, and takes everything, repeatedly."""
    good = True
    agent.post(f"record -e arm_spe// -c {INTERVAL} -m 512,4 -- noploop 3".encode())
    agent.until(lambda: agent.state() == 2, 60)
    got, position, tail = [], 0, 0

    def is_full():
        return agent.word(agent.ring(16) + AUX_HEAD, "<Q") - tail == 4 * PAGE

    while agent.until(lambda: is_full() or agent.state() != 2) and agent.state() == 2:
        fresh, position = agent.aux_records(position)
        got += fresh
        good = good and all(whole_records(agent, piece) for piece in fresh)
        if fresh:
            tail = fresh[-1].offset + fresh[-1].size
            agent.take(tail)
    agent.until(lambda: agent.state() == 1, 60)
    fresh, _ = agent.aux_records(position)
    got += fresh
    truncated = [record for record in got if record.flags & spe.TRUNCATED]
    tap.ok(len(truncated) >= 2, "a stalled reader: TRUNCATED each time the area is full",
           (len(got), len(truncated)))
    whole = all(a.offset + a.size == b.offset for a, b in zip(got, got[1:]))
    tap.ok(whole and balances(agent, got), "... the trace continues where it stopped, bytes add up",
           (got[:5], agent.ledger()))
    tap.ok(good, "... unread records are never overwritten: every piece has whole records")
    later = [got[i + 1] for i, r in enumerate(got[:-1]) if r.flags & spe.TRUNCATED]
    tap.ok(len(later) >= 1 and all(r.size for r in later),
           "... and when the reader has made room, there are records again", got[:8])


def delayed_records_are_all_there(agent):
    turns = 200000
    agent.record(64, 0, turns)
    prompt = agent.ledger()["aux_written"]
    agent.fault(spe_delay=8)
    agent.record(64, 0, turns)
    records, _ = agent.aux_records()
    agent.fault(spe_delay=0)
    tap.ok(agent.wrote(prompt) and balances(agent, records),
           "records that wait in the pipeline are all written at the end",
           (prompt, agent.ledger()))
    return prompt, turns


def collisions(agent, prompt, turns):
    agent.fault(spe_collide=10)
    agent.record(64, 0, turns)
    records, _ = agent.aux_records()
    agent.fault(spe_collide=0)
    written = agent.ledger()["aux_written"]
    tap.ok(records and all(r.flags == spe.COLLISION for r in records) and balances(agent, records),
           "colliding samples set COLLISION", records)
    tap.ok(abs(written - prompt * 9 // 10) <= 2 * RECORD + agent.slack,
           "... and are missing, one in ten",
           (written, prompt))


def faults(agent, prompt, turns):
    for name, syndrome, partial in spe.FAULTS:
        agent.fault(spe_fault_syndrome=syndrome, spe_fault_partial=partial, spe_fault_after=100)
        agent.record(64, 0, turns)
        records, _ = agent.aux_records()
        ledger = agent.ledger()
        tap.ok([r.flags for r in records].count(spe.PARTIAL) == 1 and balances(agent, records),
               f"{name}: PARTIAL, and the bytes add up", (records, ledger))
        tap.ok(all(r.size % RECORD == 0 for r in records), f"{name}: no piece of a record",
               records)
        # Until the next tick 1 ms passes, at 16 ns per operation.
        missing = prompt - ledger["aux_written"]
        tap.ok(-agent.slack <= missing <= 300 * RECORD + (100 * RECORD if syndrome >> 18 & 1 else 0),
               f"{name}: then it continues", (missing, ledger))


def full_and_spurious(agent, prompt, turns):
    box = agent.post(f"record -e arm_spe// -c {INTERVAL} -m 512,64 -- branches {turns}".encode())
    for _ in range(5):
        agent.fault(spe_inject=True)
    agent.until(lambda: agent.is_answered(box))
    records, _ = agent.aux_records()
    tap.ok(agent.wrote(prompt) and not any(r.flags for r in records),
           "interrupts without a cause change nothing", (records, agent.ledger()))
    agent.record(4, 0, turns)
    records, _ = agent.aux_records()
    tap.ok(agent.ledger()["aux_written"] == 4 * PAGE and records[-1].flags == spe.TRUNCATED and
           balances(agent, records), "a full area: TRUNCATED once, and not a byte further",
           records)


def snapshot_at_the_end(agent, prompt, turns):
    for pages in (2, 4, 16):
        agent.record(pages, 0, turns, more="--snapshot")
        records, _ = agent.aux_records()
        ledger = agent.ledger()
        tap.ok(len(records) == 1 and records[0].flags == spe.OVERWRITE and
               pages * PAGE // 2 <= records[0].size <= pages * PAGE and ledger["aux"] == 0 and
               agent.wrote(prompt) and balances(agent, records),
               f"snapshot of {pages} pages at the end: the newest half at least, no wakeup",
               (records, ledger))


def one_level(binary, kind, name, slack):
    tap.note(f"entered at {name}")
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
        agent = Model(directory, binary, kind, slack)
        try:
            if not tap.ok(agent.until(lambda: agent.state() == 1, 60), f"{name}: boots"):
                return
            the_worked_example(agent)
            every_size_and_watermark(agent)
            a_stalled_reader(agent)
            prompt, turns = delayed_records_are_all_there(agent)
            collisions(agent, prompt, turns)
            faults(agent, prompt, turns)
            full_and_spurious(agent, prompt, turns)
            snapshot_at_the_end(agent, prompt, turns)
        finally:
            agent.process.kill()
            agent.process.wait()
            agent.monitor.close()


BINARY, REASON = machine.model("aarch64")
if REASON:
    tap.skip("SPE's buffer", REASON)
else:
    one_level(BINARY, spe.EL2, "EL2", 2 * RECORD)
    one_level(BINARY, "virtualization=off", "EL1", 8 * RECORD)
tap.finish()
