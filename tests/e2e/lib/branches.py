# SPDX-License-Identifier: MIT
"""Branch traces of a perf.data file, compared with the disassembly of the programs that ran: the
image and payloads."""

import bisect
import collections
import functools
import mmap
import operator
import re
import struct
import subprocess

import machine

Branch = collections.namedtuple("Branch", "source target")
# One AUX record, and the content of its piece.
Piece = collections.namedtuple("Piece", "cpu time flags offset branches")
Instruction = collections.namedtuple("Instruction", "next kind target")
# A mapping of a part of a file into the machine's memory.
Mapping = collections.namedtuple("Mapping", "address size file_offset")
Mapped = collections.namedtuple("Mapped", "mappings")

BTS = 24  # bytes of a record: from, to, flags
AUX, AUXTRACE_INFO, AUXTRACE, MMAP2 = 11, 70, 71, 10
TRUNCATED, PARTIAL = 1, 4
DELIVERY = "delivery"


def records(data):
    """Each record in a file's bytes: its type, offset and length. The bytes that an AUXTRACE record
    announces follow it and are skipped."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        yield kind, at, length
        at += length + (struct.unpack_from("<Q", data, at + 8)[0] if kind == AUXTRACE else 0)


class Trace:
    """The pieces of a file in their order, and the mappings of the image and of a payload."""

    def __init__(self, path):
        data = path.read_bytes()
        self.pieces, self.mappings, announced = [], [], {}
        for kind, at, length in records(data):
            if kind == MMAP2:
                self.mappings.append(Mapping(*struct.unpack_from("<QQQ", data, at + 16)))
            elif kind == AUX:
                offset, _, flags = struct.unpack_from("<QQQ", data, at + 8)
                # trailer: TID, TIME, CPU, IDENTIFIER
                time, cpu = struct.unpack_from("<QI", data, at + length - 24)
                announced[cpu, offset] = time, flags
            elif kind == AUXTRACE:
                payload, offset = struct.unpack_from("<QQ", data, at + 8)
                cpu = struct.unpack_from("<I", data, at + 40)[0]
                time, flags = announced[cpu, offset]
                words = struct.unpack_from(f"<{payload // 8}Q", data, at + length)
                self.pieces.append(Piece(cpu, time, flags, offset, [
                    Branch(words[i], words[i + 1]) for i in range(0, len(words), 3)
                    if words[i] or words[i + 1]]))

    def of_cpu(self, cpu):
        return [piece for piece in self.pieces if piece.cpu == cpu]

    def count(self):
        return sum(len(piece.branches) for piece in self.pieces)


class Program:
    """The image's instructions by link address, and the kinds of branches that they can make. A
    payload's instructions are added at higher addresses, in the order in which the files are
    mapped."""

    APART = 1 << 48  # above every address
    ISA = "x86_64"
    OBJDUMP = "objdump"

    DIRECT = re.compile(r"^(?:bnd )?(jmp|call|j\w+|loop\w*)\s+([0-9a-f]+)\b")
    INDIRECT = re.compile(r"^(?:bnd |notrack )*(jmp|call|ljmp|lcall)\s+\*")
    RETURN = re.compile(r"^(?:bnd |rep[z]? )*(ret|lret|iret)\w*")
    KINDS = {"jmp": "jmp", "call": "call", "ljmp": "jmp", "lcall": "call"}  # others are conditional

    def __init__(self, *payloads):
        self.instructions, self.functions, self.symbols, self.biases = {}, set(), {}, []
        self.steps, self.entries = set(), set()
        image = machine.TOP / f"build/{self.ISA}/bareperf.elf"
        # perf gets the .sym file; its offsets are the ones in the mappings.
        for elf, mapped in ((image, image.with_suffix(".sym")), *zip(payloads, payloads)):
            self.read(elf, mapped, len(self.biases) * self.APART)
        self.starts = sorted(self.functions)
        self.after_calls = {i.next for i in self.instructions.values() if i.kind == "call"}
        self.read_entries(image)

    def read(self, elf, mapped, base):
        """Add one file's instructions and functions, with this number added to all addresses."""
        text = subprocess.run([self.OBJDUMP, "-d", "-w", str(elf)], capture_output=True, text=True,
                              check=True).stdout
        for line in text.splitlines():
            head = re.match(r"^([0-9a-f]+) <(.*)>:$", line)
            if head:
                address = base + int(head.group(1), 16)
                self.functions.add(address)
                self.symbols.setdefault(head.group(2), address)
            parts = line.split("\t")
            if len(parts) >= 3:
                address = base + int(parts[0].strip(" :"), 16)
                self.instructions[address] = self.decode(
                    address + len(parts[1].replace(" ", "")) // 2, " ".join(parts[2:]), base)
        headers = subprocess.run(["readelf", "-lW", str(mapped)], capture_output=True, text=True,
                                 check=True).stdout
        loads = re.findall(r"LOAD\s+0x([0-9a-f]+)\s+0x([0-9a-f]+).*R E ", headers)
        file_offset, link_address = (int(word, 16) for word in loads[0])
        self.biases.append(base + link_address - file_offset)

    def read_entries(self, image):
        """The entries of interrupts; and entry.S's table of its steps from traced to hidden and
        back: for each step the begin, and the first and last address at which an NMI must undo
        it."""
        self.entries = {self.symbols[name] for name in ("x86_nmi_entry", "x86_timer_entry")}
        self.entries |= {self.symbols["x86_vectors"] + 16 * i for i in range(256)}
        names = subprocess.run(["nm", str(image)], capture_output=True, text=True, check=True).stdout
        at = {name: int(address, 16) for address, name in re.findall(
            r"^(\w+) . (x86_trace_steps|x86_trace_steps_end|x86_vectors)$", names, re.MULTILINE)}
        dump = subprocess.run(
            ["objdump", "-s", "-j", ".rodata", f"--start-address={at['x86_trace_steps']}",
             f"--stop-address={at['x86_trace_steps_end']}", str(image)],
            capture_output=True, text=True, check=True).stdout
        lines = re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]+ )+)", dump, re.MULTILINE)
        words = struct.iter_unpack("<6i", bytes.fromhex("".join(lines)))
        self.steps = {tuple(at["x86_vectors"] + offset for offset in step[:3]) for step in words}

    def decode(self, following, text, base):
        direct = self.DIRECT.match(text)
        if direct:
            kind = self.KINDS.get(direct.group(1), "jcc")
            return Instruction(following, kind, base + int(direct.group(2), 16))
        indirect = self.INDIRECT.match(text)
        if indirect:
            return Instruction(following, self.KINDS[indirect.group(1)], None)
        back = self.RETURN.match(text)
        if back:
            return Instruction(following, self.KINDS.get(back.group(1), back.group(1)), None)
        return Instruction(following, "other", None)

    def link(self, trace, address):
        """Convert a run-time address to the ELF file's address. An address outside all files is
        returned unchanged."""
        for mapping, bias in zip(trace.mappings, self.biases):
            if 0 <= address - mapping.address < mapping.size:
                return address - mapping.address + mapping.file_offset + bias
        return address

    def function(self, address):
        """The start of the function that contains a link address."""
        return self.starts[bisect.bisect_right(self.starts, address) - 1]

    def edge(self, source, target):
        """The kind of this edge, or None if the program has no such edge."""
        at = self.instructions.get(source)
        if at and target in self.entries and \
                (at.kind != "iret" or target == self.symbols["x86_nmi_entry"]):
            return DELIVERY
        if at is None or target not in self.instructions:
            return None
        if at.target is not None:
            return at.kind if at.target == target else None
        if at.kind == "call":
            return "call" if target in self.functions else None
        if at.kind in ("ret", "lret"):
            # longjmp() and similar functions return by a jump; a ret goes to the instruction after
            # a call, or to a function's start
            return "ret" if target in self.after_calls or target in self.functions else None
        return at.kind if at.kind in ("jmp", "iret") else None

    def starts_step(self, start, inside):
        """Whether a step of entry.S starts here that an NMI at `inside` has undone."""
        return any(begin == start and first <= inside <= last for begin, first, last in self.steps)

    def reaches(self, start, end):
        """Whether the straight line from start reaches end without an instruction that always
        branches."""
        while start < end:
            at = self.instructions.get(start)
            if at is None or at.kind in ("jmp", "ret", "lret", "iret"):
                return False
            start = at.next
        return start == end


class ArmProgram(Program):
    """The same for aarch64, where interrupts leave no records."""

    ISA = "aarch64"
    OBJDUMP = "aarch64-linux-gnu-objdump"

    DIRECT = re.compile(r"^(b|bl|b\.\w+|bc\.\w+|cbn?z|tbn?z)\s+(?:[wx]\w+, )?(?:#\d+, )?([0-9a-f]+)\b")
    INDIRECT = re.compile(r"^(br|blr|braaz?|brabz?|blraaz?|blrabz?)\s+x")
    RETURN = re.compile(r"^(ret|retaa|retab|eret)\b")
    KINDS = {"b": "jmp", "bl": "call", "br": "jmp", "blr": "call", "eret": "iret", "retaa": "ret",
             "retab": "ret", **{f"br{key}{zero}": "jmp" for key in ("aa", "ab") for zero in ("", "z")},
             **{f"blr{key}{zero}": "call" for key in ("aa", "ab") for zero in ("", "z")}}

    def read_entries(self, image):
        pass


def bad_edges(path, program):
    """For a file of any size, without a list of all pairs: the distinct pairs that the program
    cannot make, by link addresses; the number of distinct pairs; the number of all pairs."""
    pairs, mapped = collections.Counter(), Mapped([])
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        for kind, at, length in records(data):
            if kind == MMAP2:
                mapped.mappings.append(Mapping(*struct.unpack_from("<QQQ", data, at + 16)))
            elif kind == AUXTRACE:
                size, start = struct.unpack_from("<Q", data, at + 8)[0], at + length
                pairs.update(map(operator.itemgetter(0, 1), struct.iter_unpack(
                    "<QQQ", data[start:start + size // BTS * BTS])))
    del pairs[0, 0]  # no branch
    linked = ([program.link(mapped, address) for address in pair] for pair in pairs)
    bad = [[hex(address) for address in pair] for pair in linked if program.edge(*pair) is None]
    return bad, len(pairs), pairs.total()


class Check:
    """The number of a trace's edges of each kind, and the pairs and transitions that the program
    cannot make."""

    def __init__(self, trace, program):
        self.kinds, self.edges = collections.Counter(), collections.Counter()
        self.bad_edges, self.bad_chains = [], []
        transitions = collections.Counter()
        for cpu in {piece.cpu for piece in trace.pieces}:
            last = None
            for piece in trace.of_cpu(cpu):
                for branch in piece.branches:
                    self.edges[branch] += 1
                    if last:
                        transitions[last, branch] += 1
                    last = branch
                if piece.flags & (TRUNCATED | PARTIAL):
                    last = None  # a gap
        for branch, times in self.edges.items():
            pair = [program.link(trace, address) for address in branch]
            kind = program.edge(*pair)
            self.kinds[kind] += times
            if kind is None:
                self.bad_edges.append([hex(address) for address in pair])
        for before, after in transitions:
            source, start = (program.link(trace, address) for address in before)
            end, target = (program.link(trace, address) for address in after)
            if not self.follows(program, (source, start), (end, target)):
                self.bad_chains.append([hex(a) for a in (source, start, end, target)])

    @staticmethod
    def follows(program, before, after):
        """Whether these two edges may follow each other. Of a handler only the return is traced: to
        the place that it interrupted, or to the start of the step of another handler that it
        interrupted. Nothing is traced between arch_trace_hold() and arch_trace_release()."""
        (source, start), (end, target) = before, after
        kind = program.edge(end, target)
        if program.edge(source, start) == DELIVERY:
            return kind == DELIVERY or \
                (kind == "iret" and (target == source or program.starts_step(target, source)))
        if start in program.entries:
            return kind in (DELIVERY, "iret")
        if program.function(start) == program.symbols.get("arch_trace_hold"):
            return kind == DELIVERY or \
                program.function(end) == program.symbols["arch_trace_release"]
        return program.reaches(start, end)


@functools.cache
def image(isa="x86_64"):
    """The program without payloads."""
    return Program() if isa == "x86_64" else ArmProgram()


def of_the_workload(run, isa="x86_64"):
    """The pairs by link addresses, from the workload's call to its return, without interrupts in
    between."""
    trace, program = Trace(run.file), image(isa)
    start, pairs = program.symbols["record_workload"], []
    for piece in trace.of_cpu(0):
        for branch in piece.branches:
            pair = tuple(program.link(trace, address) for address in branch)
            if program.edge(*pair) not in (DELIVERY, "iret"):
                pairs.append(pair)
    first = next(i for i, pair in enumerate(pairs) if pair[1] == start)
    last = max(i for i, pair in enumerate(pairs) if program.function(pair[0]) == start)
    return pairs[first:last + 1]
