/* SPDX-License-Identifier: MIT */
/* Memory packets of a GDB stub: m, x and M. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "host-tools/region/gdb/gdb_remote.h"

static int read_some(struct gdb_remote *remote, uint64_t address, uint8_t *to, size_t size,
                     struct error *error)
{
	size_t most = remote->packet_size / 2 & ~(size_t)7, got;
	const uint8_t *body = remote->packet.body;
	char what[64], request[64];
	int code;

	size = size < most ? size : most;
	snprintf(what, sizeof(what), "reading memory at 0x%" PRIx64, address);
	snprintf(request, sizeof(request), "%c%" PRIx64 ",%zx", remote->binary ? 'x' : 'm', address,
	         size);
	code = gdb_remote_ask(remote, request, what, error);
	if (code)
		return code;
	if (!remote->binary)
		got = gdb_packet_hex(body, remote->packet.size, to, size);
	else
		got = body[0] == 'b'
		          ? gdb_packet_binary(body + 1, remote->packet.size - 1, to, size)
		          : 0;
	return got ? (int)got : gdb_remote_refused(remote, what, error);
}

int gdb_remote_read(struct gdb_remote *remote, uint64_t address, void *to, size_t size,
                    struct error *error)
{
	uint8_t *at = to;

	while (size) {
		int got = read_some(remote, address, at, size, error);

		if (got < 0)
			return got;
		at += got;
		address += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

int gdb_remote_write(struct gdb_remote *remote, uint64_t address, const void *from, size_t size,
                     struct error *error)
{
	size_t most =
	    (remote->packet_size < GDB_REQUEST_MAX ? remote->packet_size : GDB_REQUEST_MAX) / 2;
	const uint8_t *bytes = from;
	int code = 0;

	most = (most - 24) & ~(size_t)7; /* without "M", an address and a length */
	while (size && !code) {
		size_t some = size < most ? size : most, length;
		char request[GDB_REQUEST_MAX], what[64];

		snprintf(what, sizeof(what), "writing memory at 0x%" PRIx64, address);
		length =
		    (size_t)snprintf(request, sizeof(request), "M%" PRIx64 ",%zx:", address, some);
		for (size_t i = 0; i < some; i++)
			length += (size_t)snprintf(request + length, sizeof(request) - length,
			                           "%02x", bytes[i]);
		code = gdb_remote_ask_for_ok(remote, request, what, error);
		bytes += some;
		address += some;
		size -= some;
	}
	return code;
}
