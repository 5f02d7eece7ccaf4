/* SPDX-License-Identifier: MIT */
#include "tests/unit/host-tools/region/gdb/gdb_stub.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "abi/trace_region.h"
#include "host-tools/region/gdb/gdb_packet.h"
#include "tests/unit/temporary.h"

#define BODY 8192U

struct talk {
	struct gdb_stub *stub;
	int fd;
	bool acks;
	char body[BODY];
	size_t size;
	int state; /* 0: between packets, 1: inside one, 2 and 3: in its checksum */
	char reply[2 * BODY];
	size_t reply_size;
};

static void set(bool *what, bool value)
{
	__atomic_store_n(what, value, __ATOMIC_RELEASE);
}

static bool get(const bool *what)
{
	return __atomic_load_n(what, __ATOMIC_ACQUIRE);
}

static void count(unsigned *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELEASE);
}

static void send_bytes(const struct talk *talk, const char *bytes, size_t size)
{
	size_t some = talk->stub->dribble ? talk->stub->dribble : size;

	for (size_t at = 0; at < size; at += some) {
		size_t length = size - at < some ? size - at : some;

		if (send(talk->fd, bytes + at, length, MSG_NOSIGNAL) < 0)
			return;
	}
}

/* Runs of a byte, as in GDB's manual; not of 6 or 7, whose count would be '#' or '$'. */
static size_t shorten(const char *from, size_t size, char *to)
{
	size_t used = 0;

	for (size_t i = 0; i < size;) {
		size_t run = 1;

		while (i + run < size && from[i + run] == from[i] && run < 90)
			run++;
		to[used++] = from[i];
		if (run > 8) {
			to[used++] = '*';
			to[used++] = (char)(run - 1 + 29);
			i += run;
		} else {
			i++;
		}
	}
	return used;
}

static void send_packet(const struct talk *talk, const char *body, size_t size)
{
	static char packet[4 * BODY], shorter[2 * BODY];
	enum gdb_stub_fault fault = talk->stub->fault;
	unsigned sum = fault == STUB_BAD_SUMS;

	if (talk->stub->run_lengths) {
		size = shorten(body, size, shorter);
		body = shorter;
	}
	packet[0] = '$';
	memcpy(packet + 1, body, size);
	for (size_t i = 0; i < size; i++)
		sum += (unsigned char)body[i];
	snprintf(packet + 1 + size, 4, "#%02x", sum & 255);
	send_bytes(talk, packet, fault == STUB_HALF ? 1 + size / 2 : size + 4);
}

static void answer(struct talk *talk, const char *text)
{
	send_packet(talk, text, strlen(text));
}

static void read_memory(struct talk *talk, bool binary)
{
	struct gdb_stub *stub = talk->stub;
	unsigned long long address = 0, size = 0;
	size_t used = 0;

	sscanf(talk->body + 1, "%llx,%llx", &address, &size);
	if (stub->fault == STUB_NO_MEMORY || size > stub->packet_size / 2 ||
	    address < stub->address || address + size > stub->address + stub->size) {
		answer(talk, "E14");
		return;
	}
	if (stub->fault == STUB_ODD_MEMORY) {
		answer(talk, "zz0");
		return;
	}
	if (binary)
		talk->reply[used++] = 'b';
	for (size_t i = 0; i < size; i++) {
		uint8_t byte = stub->bytes[address - stub->address + i];

		if (!binary)
			used += (size_t)sprintf(talk->reply + used, "%02x", byte);
		else if (strchr("#$}*", byte) && byte)
			used += (size_t)sprintf(talk->reply + used, "}%c", byte ^ 0x20);
		else
			talk->reply[used++] = (char)byte;
	}
	send_packet(talk, talk->reply, used);
}

static void write_memory(struct talk *talk)
{
	struct gdb_stub *stub = talk->stub;
	unsigned long long address = 0, size = 0;
	const char *digits = strchr(talk->body, ':');

	sscanf(talk->body + 1, "%llx,%llx", &address, &size);
	if (!digits || stub->fault == STUB_NO_MEMORY || address < stub->address ||
	    address + size > stub->address + stub->size) {
		answer(talk, "E14");
		return;
	}
	for (size_t i = 0; i < size; i++) {
		unsigned byte = 0;

		sscanf(digits + 1 + 2 * i, "%2x", &byte);
		__atomic_store_n(&stub->bytes[address - stub->address + i], (uint8_t)byte,
		                 __ATOMIC_RELEASE);
	}
	answer(talk, "OK");
}

static void say_features(struct talk *talk)
{
	char text[128];

	snprintf(text, sizeof(text), "PacketSize=%x%s%s;vContSupported+", talk->stub->packet_size,
	         talk->stub->no_ack ? ";QStartNoAckMode+" : "",
	         talk->stub->binary ? ";binary-upload+" : "");
	answer(talk, text);
}

static void detach(struct talk *talk)
{
	struct gdb_stub *stub = talk->stub;

	__atomic_store_n(&stub->breakpoint, 0, __ATOMIC_RELEASE);
	set(&stub->runs, true);
	answer(talk, "OK");
	count(&stub->detached);
}

static void set_breakpoint(struct talk *talk, bool insert)
{
	struct gdb_stub *stub = talk->stub;

	if (!stub->breakpoints) {
		answer(talk, "");
		return;
	}
	__atomic_store_n(&stub->breakpoint, insert ? strtoull(talk->body + 3, NULL, 16) : 0,
	                 __ATOMIC_RELEASE);
	answer(talk, "OK");
}

/* The packet always contains all registers. */
static void set_registers(struct talk *talk)
{
	struct gdb_stub *stub = talk->stub;

	if (stub->keeps_registers || strlen(talk->body + 1) != strlen(stub->registers)) {
		answer(talk, "E22");
		return;
	}
	strcpy(stub->registers, talk->body + 1);
	answer(talk, "OK");
}

static void go_on(struct gdb_stub *stub)
{
	const uint32_t failed = TR_FAILED;
	uint64_t pc = 0;

	gdb_packet_hex((const uint8_t *)stub->registers + 256, 16, (uint8_t *)&pc, sizeof(pc));
	if (stub->ends && pc == stub->ends)
		memcpy(stub->bytes + offsetof(struct tr_header, state), &failed, sizeof(failed));
	set(&stub->runs, true);
}

static void obey(struct talk *talk)
{
	struct gdb_stub *stub = talk->stub;

	if (!strncmp(talk->body, "qSupported", 10)) {
		say_features(talk);
	} else if (!strcmp(talk->body, "QStartNoAckMode")) {
		answer(talk, "OK");
		talk->acks = false;
	} else if (!strcmp(talk->body, "qqemu.PhyMemMode")) {
		answer(talk, stub->physical ? "0" : "");
	} else if (!strcmp(talk->body, "Qqemu.PhyMemMode:1")) {
		answer(talk, "OK");
	} else if (!strcmp(talk->body, "?")) {
		answer(talk, "T02thread:01;");
	} else if (talk->body[0] == 'm' || (talk->body[0] == 'x' && stub->binary)) {
		read_memory(talk, talk->body[0] == 'x');
	} else if (talk->body[0] == 'M') {
		write_memory(talk);
	} else if (talk->body[0] == 'c') {
		go_on(stub);
	} else if (talk->body[0] == 'H') {
		answer(talk, "OK");
	} else if (talk->body[0] == 'g') {
		answer(talk, stub->registers);
	} else if (talk->body[0] == 'G') {
		set_registers(talk);
	} else if (talk->body[0] == 'Z' || talk->body[0] == 'z') {
		set_breakpoint(talk, talk->body[0] == 'Z');
	} else if (!strcmp(talk->body, stub->wants_process ? "D;1" : "D")) {
		detach(talk);
	} else if (talk->body[0] == 'D') {
		answer(talk, "E22");
	} else {
		answer(talk, "");
	}
}

/* Whether it has answered in its own wrong way. */
static bool misbehave(struct talk *talk)
{
	static const char garbage[] = "\xff\0garbage#00$#zz%%%*}+-";

	switch (talk->stub->fault) {
	case STUB_SILENT:
		return true;
	case STUB_CLOSES:
		shutdown(talk->fd, SHUT_RDWR);
		return true;
	case STUB_GARBAGE:
		send_bytes(talk, garbage, sizeof(garbage) - 1);
		return true;
	case STUB_CHATTERS:
		for (int i = 0; i < 200; i++)
			answer(talk, "O68656c6c6f");
		return true;
	case STUB_TOO_LONG:
		memset(talk->reply, 'a', sizeof(talk->reply));
		send_bytes(talk, "$", 1);
		for (int i = 0; i < 10; i++)
			send_bytes(talk, talk->reply, sizeof(talk->reply));
		return true;
	default:
		return false;
	}
}

static void eat_packet(struct talk *talk)
{
	talk->body[talk->size] = 0;
	talk->state = 0;
	if (talk->acks)
		send_bytes(talk, "+", 1);
	if (!misbehave(talk))
		obey(talk);
}

static void eat(struct talk *talk, char byte)
{
	struct gdb_stub *stub = talk->stub;

	if (get(&stub->runs)) { /* any first byte stops it */
		if (stub->fault == STUB_DEAF)
			return;
		set(&stub->runs, false);
		count(&stub->stops);
		answer(talk, "T02thread:01;");
		return;
	}
	if (talk->state == 0 && byte == '-') {
		answer(talk, "OK"); /* a repeated request does not help */
	} else if (talk->state == 0 && byte == '$') {
		talk->size = 0;
		talk->state = 1;
	} else if (talk->state == 1 && byte == '#') {
		talk->state = 2;
	} else if (talk->state == 1 && talk->size + 1 < BODY) {
		talk->body[talk->size++] = byte;
	} else if (talk->state == 2) {
		talk->state = 3;
	} else if (talk->state == 3) {
		eat_packet(talk);
	}
}

static void hit(struct talk *talk)
{
	struct gdb_stub *stub = talk->stub;

	if (!get(&stub->is_ringing) || !get(&stub->runs))
		return;
	set(&stub->is_ringing, false);
	if (!__atomic_load_n(&stub->breakpoint, __ATOMIC_ACQUIRE))
		return;
	set(&stub->runs, false);
	answer(talk, "T05thread:01;");
	count(&stub->hits);
}

static void serve(struct gdb_stub *stub, int fd)
{
	static struct talk talk;
	char bytes[4096];

	talk = (struct talk){ .stub = stub, .fd = fd, .acks = true };
	set(&stub->runs, false);
	count(&stub->connections);
	while (!get(&stub->end)) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		ssize_t got;

		hit(&talk);
		if (poll(&ready, 1, 1) <= 0)
			continue;
		got = recv(fd, bytes, sizeof(bytes), 0);
		if (got <= 0)
			break;
		for (ssize_t i = 0; i < got; i++)
			eat(&talk, bytes[i]);
	}
	close(fd);
}

static void *listen_for_ever(void *arg)
{
	struct gdb_stub *stub = arg;

	while (!get(&stub->end)) {
		struct pollfd ready = { .fd = stub->listener, .events = POLLIN };
		int fd;

		if (poll(&ready, 1, 5) <= 0)
			continue;
		fd = accept(stub->listener, NULL, NULL);
		if (fd >= 0)
			serve(stub, fd);
	}
	return NULL;
}

void gdb_stub_start(struct gdb_stub *stub)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	temporary_path(stub->path, "gdb");
	unlink(stub->path);
	if (strlen(stub->path) >= sizeof(at.sun_path))
		abort();
	strcpy(at.sun_path, stub->path);
	if (!stub->packet_size)
		stub->packet_size = 4096;
	stub->runs = true;
	stub->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (stub->listener < 0 || bind(stub->listener, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(stub->listener, 1) || pthread_create(&stub->thread, NULL, listen_for_ever, stub))
		abort();
}

void gdb_stub_stop(struct gdb_stub *stub)
{
	set(&stub->end, true);
	pthread_join(stub->thread, NULL);
	close(stub->listener);
	unlink(stub->path);
}

void gdb_stub_ring(struct gdb_stub *stub)
{
	set(&stub->is_ringing, true);
}
