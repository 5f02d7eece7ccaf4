/* SPDX-License-Identifier: MIT */
/*
 * A machine that hangs with its interrupts masked, and is to end its recording: the first CPU's
 * registers are kept, its program counter is set to where the firmware's header says, and when the
 * state says that it is done, or after a while, all registers are set back.
 * Source: GDB manual, appendix E, "Packets": g, G, H; what a register's place in them is, its
 * target descriptions (rip, pc behind the general registers and, on AArch64, the stack pointer).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/region/gdb/gdb_machine.h"

#define WAIT_NS   (3000 * NS_MS) /* for it, at the most */
#define LOOK_US   20000          /* that it runs between two looks */
#define REGISTERS GDB_REQUEST_MAX

static int force_refuse(struct gdb_machine *machine, int code, const char *why)
{
	machine->common->force_code = error_set(&machine->common->force_error, code, "%s", why);
	return 0;
}

static int read_header(struct gdb_machine *machine, struct tr_header *header, struct error *error)
{
	return gdb_remote_read(&machine->remote, machine->common->address, header, sizeof(*header),
	                       error);
}

/* Where the program counter is in the registers, bytes. */
static size_t place_of_pc(const struct gdb_machine *machine)
{
	return machine->elf == EM_AARCH64 ? 256 : 128;
}

/* All registers of the first CPU as hex digits, which is how they go back. 1: it has others. */
static int get_registers(struct gdb_machine *machine, char *digits, struct error *error)
{
	const struct gdb_packet *packet = &machine->remote.packet;
	int code = gdb_remote_ask(&machine->remote, "Hg1", "choosing the first CPU", error);

	if (!code) /* a stub without threads may give any answer to that */
		code = gdb_remote_ask(&machine->remote, "g", "reading the registers", error);
	if (code)
		return code;
	if (packet->size >= REGISTERS - 1 || packet->size < 2 * (place_of_pc(machine) + 8) ||
	    memchr(packet->body, 'x', packet->size))
		return 1;
	memcpy(digits, packet->body, packet->size);
	digits[packet->size] = 0;
	return 0;
}

static int set_registers(struct gdb_machine *machine, const char *digits, struct error *error)
{
	char body[REGISTERS + 1];

	snprintf(body, sizeof(body), "G%s", digits);
	return gdb_remote_ask_for_ok(&machine->remote, body, "writing the registers", error);
}

/* Little-endian, two digits a byte. */
static uint64_t get_word(const char *digits, size_t at)
{
	uint64_t value = 0;

	gdb_packet_hex((const uint8_t *)digits + 2 * at, 16, (uint8_t *)&value, sizeof(value));
	return value;
}

static void set_word(char *digits, size_t at, uint64_t value)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < 8; i++, value >>= 8) {
		digits[2 * (at + i)] = hex[value >> 4 & 15];
		digits[2 * (at + i) + 1] = hex[value & 15];
	}
}

/* It runs there until its state says that it is done. */
static int await_end(struct gdb_machine *machine, bool *done, struct error *error)
{
	int64_t until = gdb_now_ns() + WAIT_NS;
	struct tr_header header = { .state = TR_RECORDING };
	int code = 0;

	while (!code && header.state == TR_RECORDING && gdb_now_ns() < until) {
		code = gdb_machine_run(machine, false, error);
		if (!code)
			usleep(LOOK_US);
		if (!code)
			code = gdb_machine_stand(machine, error);
		if (!code)
			code = read_header(machine, &header, error);
	}
	*done = header.state != TR_RECORDING;
	return code;
}

/* pc's place is known, and it is not where we must not interrupt. */
static int go_there(struct gdb_machine *machine, const struct tr_header *header, char *digits,
                    struct error *error)
{
	const struct gdb_common *common = machine->common;
	size_t at = place_of_pc(machine);
	uint64_t pc = get_word(digits, at);
	char kept[REGISTERS];
	bool done = false;
	int code, back;

	if (pc - common->own < common->own_size)
		return force_refuse(machine, -EAGAIN,
		                    "the machine is in bareperf's own code just now, where it is "
		                    "not to be interrupted: try again");
	strcpy(kept, digits);
	set_word(digits, at, header->forced_stop);
	code = set_registers(machine, digits, error);
	if (code == -EFAULT || code == -ENOTSUP)
		return force_refuse(machine, code, error->text);
	if (!code)
		code = await_end(machine, &done, error);
	back = code ? code : set_registers(machine, kept, error);
	if (!back && !done)
		return force_refuse(machine, -ETIMEDOUT,
		                    "the machine did not get to the end of its recording; it is "
		                    "as it was");
	return back;
}

int gdb_force_stop(struct gdb_machine *machine, struct error *error)
{
	char digits[REGISTERS];
	struct tr_header header;
	int code = gdb_machine_stand(machine, error);

	machine->common->force_code = 0;
	if (!code)
		code = gdb_machine_store(machine, error);
	if (!code)
		code = read_header(machine, &header, error);
	if (code)
		return code;
	if (!header.forced_stop)
		return force_refuse(machine, -ENOTSUP,
		                    "this firmware has no way to be stopped by force, or hears a "
		                    "`stop' whatever is masked");
	code = get_registers(machine, digits, error);
	if (code > 0)
		return force_refuse(machine, -ENOTSUP,
		                    "the GDB stub does not give all registers of the CPU");
	return code ? code : go_there(machine, &header, digits, error);
}
