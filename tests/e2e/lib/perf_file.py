# SPDX-License-Identifier: MIT
"""perf.data files in the form that Linux's perf writes, with any records: for tests of readers."""

import struct

IP, TID, TIME, CALLCHAIN, CPU, PERIOD, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 7, 1 << 8, 1 << 16
SAMPLE_TYPE = IP | TID | TIME | CALLCHAIN | CPU | PERIOD | IDENTIFIER
RAW = 1 << 10
SAMPLE_ID_ALL = 1 << 18
HARDWARE, SOFTWARE = 0, 1
BPF_OUTPUT = 10 # a software event: marks
LOST, COMM, THROTTLE, UNTHROTTLE, SAMPLE, MMAP2, AUX = 2, 3, 5, 6, 9, 10, 11
NRCPUS, EVENT_DESC = 7, 12


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text, extra=1):
    """A C string, with zeros up to a multiple of 8."""
    raw = text.encode() + bytes(extra)
    return raw + bytes(-len(raw) % 8)


class PerfFile:
    """Collects records; event i has id 100 + i."""

    def __init__(self, events=(("cycles", HARDWARE, 0),), cpus=1):
        self.events = events
        self.cpus = cpus
        self.records = []

    def _trailer(self, time, cpu, event):
        return struct.pack("<IIQIIQ", 1, 1 + cpu, time, cpu, 0, 100 + event)

    def add(self, kind, body, time=0, cpu=0, event=0, misc=0):
        """A record that is no sample, followed by its thread and time."""
        self.records.append(record(kind, body + self._trailer(time, cpu, event), misc))

    def image(self, path, address, size, offset, time=0):
        self.add(MMAP2, struct.pack("<IIQQQIIQQII", 1, 1, address, size, offset, 0, 0, 0, 0, 5, 2) +
                 padded(str(path)), time=time, misc=2)

    def command(self, name, tid=1):
        self.add(COMM, struct.pack("<II", 1, tid) + padded(name))

    def sample(self, ip, time, cpu=0, period=1, chain=(), event=0):
        words = (2**64 - 512, ip, *chain)
        self.records.append(record(SAMPLE, struct.pack(
            f"<QQIIQIIQQ{len(words)}Q", 100 + event, ip, 1, 1 + cpu, time, cpu, 0, period,
            len(words), *words), misc=2))

    def mark(self, text, time, cpu=0, event=0):
        """A sample of an event of type BPF_OUTPUT."""
        raw = text.encode() + b"\0"
        raw += bytes(-(4 + len(raw)) % 8)
        self.records.append(record(SAMPLE, struct.pack("<QQIIQIIQQI", 100 + event, 0, 1, 1 + cpu, time, cpu,
                                                       0, 1, 0, len(raw)) + raw, misc=2))

    def lost(self, count, time, cpu=0, event=0):
        self.add(LOST, struct.pack("<QQ", 100 + event, count), time, cpu, event)

    def throttle(self, start, end, cpu=0, event=0):
        for kind, time in ((THROTTLE, start), (UNTHROTTLE, end)):
            self.add(kind, struct.pack("<QQQ", time, 100 + event, 100 + event), time, cpu, event)

    def aux(self, flags, time, cpu=0, event=0):
        self.add(AUX, struct.pack("<QQQ", 0, 0, flags), time, cpu, event)

    def _attr(self, event, ids):
        _, kind, config = self.events[event]
        sample_type = SAMPLE_TYPE | (RAW if (kind, config) == (SOFTWARE, BPF_OUTPUT) else 0)
        attr = struct.pack("<IIQQQQQ", kind, 128, config, 1000, sample_type, 0, SAMPLE_ID_ALL)
        return attr.ljust(128, b"\0") + struct.pack("<QQ", ids + 8 * event, 8)

    def _event_desc(self, ids):
        """The events' names, which may be any texts."""
        body = struct.pack("<II", len(self.events), 128)
        for i, (name, _, _) in enumerate(self.events):
            text = padded(name)
            body += self._attr(i, ids)[:128] + struct.pack("<II", 1, len(text)) + text
            body += struct.pack("<Q", 100 + i)
        return body

    def write(self, path):
        count = len(self.events)
        ids, attrs = 104, 104 + 8 * count
        data = attrs + 144 * count
        records = b"".join(self.records)
        desc = self._event_desc(ids)
        header = struct.pack("<8sQQQQQQQQQQQQ", b"PERFILE2", 104, 144, attrs, 144 * count, data,
                             len(records), 0, 0, 1 << NRCPUS | 1 << EVENT_DESC, 0, 0, 0)
        features = data + len(records) + 32
        table = struct.pack("<QQQQII", features, 8, features + 8, len(desc), self.cpus, self.cpus)
        path.write_bytes(header + struct.pack(f"<{count}Q", *(100 + i for i in range(count))) +
                         b"".join(self._attr(i, ids) for i in range(count)) + records + table +
                         desc)
