# SPDX-License-Identifier: MIT
"""The branch stacks of a perf.data file, compared with a trace of all branches."""

import struct

import branches

SAMPLE = 9
CHAIN, HW_INDEX = 1 << 5, 1 << 17  # sample_type; branch_sample_type


class Stacks:
    """The samples of a file: (ip, callchain, [(from, to, flags), …] newest first), as link
    addresses."""

    def __init__(self, run, program):
        data, self.samples, self.mappings = run.file.read_bytes(), [], []
        attrs = struct.unpack_from("<Q", data, 24)[0]
        kind, has_index = (struct.unpack_from("<Q", data, attrs + at)[0] for at in (24, 72))
        for record, at, length in branches.records(data):
            if record == branches.MMAP2:
                self.mappings.append(branches.Mapping(*struct.unpack_from("<QQQ", data, at + 16)))
            elif record == SAMPLE:
                words = struct.unpack_from(f"<{length // 8 - 1}Q", data, at + 8)
                self.take(program, words, kind & CHAIN, has_index & HW_INDEX)

    def take(self, program, words, has_chain, has_index):
        rest, chain = list(words[6:]), []
        if has_chain:
            chain, rest = rest[1:1 + rest[0]], rest[1 + rest[0]:]
        entries = rest[1 + bool(has_index):]
        assert len(entries) == 3 * rest[0], words
        link = lambda address: program.link(self, address)  # noqa: E731
        self.samples.append((link(words[1]), [link(ip) for ip in chain[1:]], [
            (link(entries[i]), link(entries[i + 1]), entries[i + 2])
            for i in range(0, len(entries), 3)]))


def is_piece(stack, trace, places):
    """Whether the stack, oldest first, is a gapless piece of the trace."""
    return any(trace[place + 1 - len(stack):place + 1] == stack for place in places[stack[-1]]
               if place + 1 >= len(stack))
