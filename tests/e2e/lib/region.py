# SPDX-License-Identifier: MIT
"""A made-up trace region, as docs/trace-region.md describes it: for tests of readers.

    region = Region(bytearray(4 << 20))
    region.describe(events=1)
    region.state(RECORDING)
    region.sample(0, ip=0x101000)
    region.publish()
    region.state(COMPLETE)
"""

import struct

PAGE = 4096
MAGIC = b"BAREPERF"
BOOTING, IDLE, RECORDING, COMPLETE, FAILED, PANIC = range(6)
EM_X86_64 = 62
UNKNOWN = 2**64 - 1

IP, TID, TIME, CALLCHAIN, CPU, PERIOD, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 7, 1 << 8, 1 << 16
SAMPLE_TYPE = IP | TID | TIME | CPU | PERIOD | IDENTIFIER
SAMPLE_ID_ALL = 1 << 18
RECORD_LOST, RECORD_SAMPLE, RECORD_AUX = 2, 9, 11

MAILBOX, DOORBELLS, CPUS, IMAGES = 0x1000, 0x2000, 0x3000, 0x4000
EVENTS, EVENT_LEDGER, RINGS, RING_LEDGER, CONSOLE = 0x5000, 0x7000, 0x8000, 0x9000, 0xA000
CONSOLE_SIZE = 4096
FIRST_RING = 0xC000
HEADER = {  # name: (offset, struct format)
    "magic": (0, "<8s"),
    "version": (8, "<I"),
    "header_size": (12, "<I"),
    "address": (16, "<Q"),
    "nonce": (24, "<Q"),
    "size": (32, "<Q"),
    "page_size": (40, "<I"),
    "machine": (44, "<H"),
    "state": (48, "<I"),
    "status": (52, "<i"),
    "run": (56, "<Q"),
    "exit_status": (284, "<i"),
    "heartbeat": (296, "<Q"),
    "heap": (304, "<Q"),
}
# offsets in the header: run, reader_wait, reader_found; the host's words id and ready (the lease
# follows id); the message
RUN, WAIT, FOUND, READER, READY, MESSAGE = 56, 272, 280, 320, 328, 1536
TABLES = ("cpus", "events", "event_ledger", "images", "rings", "ring_ledger", "doorbells",
          "mailbox", "console")
STREAMS = 3120  # offset of the table of the program's output streams


def table(name):
    """The offset in the header of a table's own offset."""
    return 128 + 16 * TABLES.index(name)


def word(memory, offset, form="<Q"):
    """A word that other programs write meanwhile. It is copied whole: unpack_from() copies byte by
    byte, and pack_into() clears the bytes before it writes them, so that others would see a
    zero."""
    return struct.unpack(form, memory[offset:offset + struct.calcsize(form)])[0]


class Region:
    """memory: a bytearray or mmap of at least 1 MiB. The region has one ring, of ring_pages, for
    all events."""

    def __init__(self, memory, ring_pages=16, chain=False, aux_pages=0):
        self.memory = memory
        self.aux_size = aux_pages * PAGE
        self.aux_head = 0
        self.aux_records = 0
        self.aux_truncated = 0
        # a number: event 0 is a branch trace that lost this number of branches
        self.branches_lost = None
        self.ring_size = ring_pages * PAGE
        self.sample_type = SAMPLE_TYPE | (CALLCHAIN if chain else 0)
        self.head = 0
        self.time = 1000
        self.lost_pending = 0  # lost records that no LOST record has reported yet
        self.lost_reported = 0
        self.lost_records = 0
        self.sent = 0
        self.events = 0
        self.ledger = []
        self.console_head = 0
        self.model = "Test CPU"

    def put(self, offset, form, *values):
        data = struct.pack(form, *values)
        self.memory[offset:offset + len(data)] = data

    def get(self, offset, form="<Q"):
        return word(self.memory, offset, form)

    def text(self, offset, text):
        data = text.encode() + b"\0"
        self.memory[offset : offset + len(data)] = data

    def header(self, **words):
        for name, value in words.items():
            offset, form = HEADER[name]
            self.put(offset, form, value)

    def table(self, name, offset, count, stride):
        self.put(table(name), "<QII", offset, count, stride)

    def state(self, state):
        self.header(state=state)

    def say(self, line):
        for byte in line.encode():
            self.memory[CONSOLE + 16 + self.console_head % CONSOLE_SIZE] = byte
            self.console_head += 1
        self.put(CONSOLE, "<QI", self.console_head, CONSOLE_SIZE)

    def message(self, text, status=-5):
        self.header(status=status)
        self.text(MESSAGE, text)

    def open(self, size=None, address=0x380000000):
        """Write the header without a run; the magic is written last."""
        self.header(version=0x10001, header_size=PAGE, address=address, nonce=0x5EED,
                    size=size or len(self.memory), page_size=PAGE, machine=EM_X86_64)
        self.put(64, "<QQIHHQQ", 1000000000, 0, 1, 0, 1, 0, 1700000000)
        self.put(288, "<Q", 512 << 20)
        self.table("mailbox", MAILBOX, 1, PAGE)
        self.table("console", CONSOLE, 1, 16)
        self.put(CONSOLE, "<QI", 0, CONSOLE_SIZE)
        self.text(384, "0.0-test")
        self.header(magic=MAGIC)

    def describe(self, events=1, name="cpu-clock", build_id=b"", image=(0x100000, 0x10000, 0x1000),
                 pmu=1):
        """Write the tables of a run on one CPU; pmu is the events' attr.type."""
        self.events = events
        self.ledger = [[0, 0, 0, 0, 0, 0, 0] for _ in range(events)]
        self.table("doorbells", DOORBELLS, 1, 64)
        self.table("cpus", CPUS, 1, 256)
        self.table("images", IMAGES, 1, 256)
        self.table("events", EVENTS, events, 256)
        self.table("event_ledger", EVENT_LEDGER, events, 128)
        self.table("rings", RINGS, 1, 128)
        self.table("ring_ledger", RING_LEDGER, 1, 256)
        self.put(CPUS, "<IIQQ", 0, 7, 0, 0x000906EA)
        self.text(CPUS + 64, "GenuineIntel")
        self.text(CPUS + 80, self.model)
        self.put(CPUS + 176, "<II", 1, 4)
        for i in range(events):
            at = EVENTS + 256 * i
            # attr: type, size, config, sample_period, sample_type, read_format, flags
            self.put(at, "<IIQQQQQ", pmu, 128, 0, 1000, self.sample_type, 0, SAMPLE_ID_ALL)
            self.put(at + 128, "<QIIIIQ", 100 + i, 0, i, 0, 0, 0)
            self.text(at + 160, name)
        address, size, link = image
        self.put(IMAGES, "<QQQI", address, size, link, len(build_id))
        self.memory[IMAGES + 28 : IMAGES + 28 + len(build_id)] = build_id
        self.text(IMAGES + 48, "bareperf.efi")
        aux = FIRST_RING + PAGE + self.ring_size if self.aux_size else 0
        self.put(RINGS, "<IIIIQQQQQQ", 0, 0, 0, 0, FIRST_RING, FIRST_RING + PAGE, self.ring_size,
                 aux, self.aux_size, self.aux_size // 2)
        self.put(FIRST_RING + 1040, "<QQ", PAGE, self.ring_size)
        self.header(run=1)
        self.text(512, "record -e cpu-clock -- test")

    def tail(self):
        return self.get(FIRST_RING + 1032)

    def _write(self, record):
        for i in range(0, len(record), 8):
            place = FIRST_RING + PAGE + (self.head + i) % self.ring_size
            self.memory[place : place + 8] = record[i : i + 8]
        self.head += len(record)

    def _lost_record(self, event):
        body = struct.pack("<QQ", 100 + event, self.lost_pending)
        trailer = struct.pack("<IIQIIQ", 1, 1, self.time, 0, 0, 100 + event)
        return struct.pack("<IHH", RECORD_LOST, 0, 8 + len(body + trailer)) + body + trailer

    def sample(self, event=0, ip=0x101000, period=1000, chain=()):
        """Write a sample, or lose it if the ring is full. Returns whether it was written."""
        self.time += 1000
        body = struct.pack("<QQIIQIIQ", 100 + event, ip, 1, 1, self.time, 0, 0, period)
        if self.sample_type & CALLCHAIN:
            words = [2**64 - 512, ip, *chain]
            body += struct.pack(f"<{len(words) + 1}Q", len(words), *words)
        record = struct.pack("<IHH", RECORD_SAMPLE, 2, 8 + len(body)) + body
        lost = self._lost_record(event) if self.lost_pending else b""
        book = self.ledger[event]
        book[0] += 1
        book[5] += period
        if self.head + len(lost + record) - self.tail() > self.ring_size:
            book[2] += 1
            book[6] += period
            self.lost_pending += 1
            return False
        if lost:
            self.lost_reported += self.lost_pending
            self.lost_records += 1
            self.lost_pending = 0
        self._write(lost + record)
        book[1] += 1
        return True

    def aux(self, data, flags=0):
        """Put bytes into the AUX area and announce them. Returns whether there was room."""
        if self.aux_head + len(data) - self.get(FIRST_RING + 1064) > self.aux_size:
            return False
        area = FIRST_RING + PAGE + self.ring_size
        for i, byte in enumerate(data):
            self.memory[area + (self.aux_head + i) % self.aux_size] = byte
        self.time += 1000
        body = struct.pack("<QQQ", self.aux_head, len(data), flags)
        trailer = struct.pack("<IIQIIQ", 1, 1, self.time, 0, 0, 100)
        self._write(struct.pack("<IHH", RECORD_AUX, 0, 8 + len(body + trailer)) + body + trailer)
        self.aux_head += len(data)
        self.aux_records += 1
        self.aux_truncated += flags & 1
        self.ledger[0][0] += 1
        self.ledger[0][1] += 1
        return True

    def publish(self, wake=True):
        """Publish head, doorbell and ledgers, as the firmware does at each tick."""
        self.put(FIRST_RING + 1056, "<Q", self.aux_head)
        self.put(FIRST_RING + 1024, "<Q", self.head)
        if wake and self.get(DOORBELLS, "<I") == 0:
            self.put(DOORBELLS, "<I", 1)
            self.sent += 1
        lost = 0
        for i, (generated, written, missed, throttled, count, period, gone) in enumerate(
            self.ledger
        ):
            self.put(EVENT_LEDGER + 128 * i, "<8Q", generated, written, missed, throttled, count,
                     period, gone, 0)
            lost += missed
        self.put(RING_LEDGER, "<10Q", self.head, lost, self.lost_reported, self.lost_records,
                 self.sent, 0, 0, 0, self.sent, 0)
        self.put(RING_LEDGER + 88, "<7Q", self.aux_head, self.aux_head, 0, 0, 0, self.aux_records,
                 self.aux_truncated)
        if self.branches_lost is not None:
            self._branches()

    def _branches(self):
        recorded, lost = self.aux_head // 24, self.branches_lost
        taken = recorded + (0 if lost == UNKNOWN else lost)
        self.put(EVENT_LEDGER + 32, "<Q", taken)
        self.put(EVENT_LEDGER + 56, "<Q", taken)
        self.put(EVENT_LEDGER + 80, "<4Q", recorded, 0, 0, lost)
