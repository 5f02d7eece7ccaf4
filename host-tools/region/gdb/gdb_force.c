/* SPDX-License-Identifier: MIT */
/*
 * Makes a machine end its recording although it hangs with interrupts masked. Saves the first CPU's
 * registers, sets its program counter to the address in the region's header, and restores all
 * registers when the state reports the end, or after a time limit.
 *
 * Source: GDB manual, appendix E, "Packets": g, G, H; target descriptions for the places of the
 * registers (rip; pc after the general registers and, on AArch64, the stack pointer).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/region/gdb/gdb_machine.h"

#define WAIT_NS   (3000 * NS_MS) /* limit of the wait for the state */
#define LOOK_US   20000          /* the machine runs this long between two reads of the state */
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

/* Returns the program counter's offset in the registers, bytes. */
static size_t place_of_pc(const struct gdb_machine *machine)
{
	return machine->elf == EM_AARCH64 ? 256 : 128;
}

/* Reads the first CPU's registers as hex digits, the form in which they are written back. 1: the
 * stub has other registers. */
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

/* Reads a little-endian number, two digits per byte. */
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

/* Lets the machine run until its state reports the end. */
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
			code = gdb_machine_stop(machine, error);
		if (!code)
			code = read_header(machine, &header, error);
	}
	*done = header.state != TR_RECORDING;
	return code;
}

/* Checks that the place of pc is known, and that pc is not in code that must not be interrupted. */
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
	int code = gdb_machine_stop(machine, error);

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
