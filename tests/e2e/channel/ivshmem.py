# SPDX-License-Identifier: MIT
"""An independent ivshmem server, written after QEMU's docs/specs/ivshmem-spec.txt."""

import os
import socket
import struct
import threading

VECTORS = 4


class Server:
    """Passes on the file at `memory`, and listens at path. rung(peer) is the number of doorbells
    that the peer got."""

    def __init__(self, path, memory):
        self.path, self.peers, self.bells = str(path), {}, {}
        self.memory = os.open(memory, os.O_RDWR)
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        number = 0
        while True:
            peer = self.listener.accept()[0]
            with self.lock:
                self.welcome(peer, number)
            threading.Thread(target=self.await_end, args=(peer, number), daemon=True).start()
            number += 1

    @staticmethod
    def say(peer, number, file=None):
        socket.send_fds(peer, [struct.pack("<q", number)], [] if file is None else [file])

    def welcome(self, peer, number):
        bells = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(VECTORS)]
        self.say(peer, 0)
        self.say(peer, number)
        self.say(peer, -1, self.memory)
        for other in self.peers:
            for bell in bells:
                self.say(self.peers[other], number, bell)
            for bell in self.bells[other]:
                self.say(peer, other, bell)
        for bell in bells:
            self.say(peer, number, bell)
        self.peers[number], self.bells[number] = peer, bells

    def await_end(self, peer, number):
        while peer.recv(64):
            pass
        with self.lock:
            del self.peers[number]
            for other in self.peers.values():
                self.say(other, number)

    def rung(self, number):
        """Waiting for a doorbell returns its count."""
        count = 0
        for bell in self.bells[number]:
            try:
                count += os.eventfd_read(bell)
            except BlockingIOError:
                pass
        return count
