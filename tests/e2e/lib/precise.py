# SPDX-License-Identifier: MIT
"""Recordings of precise samples (PEBS, IBS), and the instructions that a branch trace went through."""

import struct

import branches

SAMPLE = 9


class Samples:
    """The samples of a file: (id, ip by link address, misc, words), and its mappings."""

    def __init__(self, run, program):
        data, self.mappings, self.all = run.file.read_bytes(), [], []
        for kind, at, length in branches.records(data):
            if kind == branches.MMAP2:
                self.mappings.append(branches.Mapping(*struct.unpack_from("<QQQ", data, at + 16)))
            elif kind == SAMPLE:
                misc = struct.unpack_from("<H", data, at + 4)[0]
                words = struct.unpack_from(f"<{length // 8 - 1}Q", data, at + 8)
                self.all.append((words[0], program.link(self, words[1]), misc, words))

    def ips(self, event=None):
        return [ip for number, ip, _, _ in self.all if event in (None, number)]


def instructions(trace, program):
    """All instructions of the program, from its trace of branches: [(address)]."""
    done = []
    for (_, target), (source, _) in zip(trace, trace[1:]):
        while True:
            done.append(target)
            if target == source:
                break
            target = program.instructions[target].next
    return done


def conserved(run):
    summary = run.summary() if run.status == 0 else {}
    return run.status == 0 and summary["status"] == 0 and summary["conserved"], summary


def of_function(samples, program, name):
    start = program.symbols[name]
    return [(ip, words) for _, ip, _, words in samples if program.function(ip) == start]
